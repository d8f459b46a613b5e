// Made by tkc from rwkv7_packed_backward.tk: change that, and not this.
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
#include "tk/tk.cuh"

// placed: kernel placed with T = bf16, DV = 64, ROWS = 16, L = 64.
// 128 threads, 48 registers each: placed_kernel<10, 8, 8, true>.
// placed_general: kernel placed with T = bf16, DV = 64, ROWS = 16, L = 64; any strides and
// alignment.
// 128 threads, 255 registers each: placed_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) placed_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dO, const tk::tensor_argument<const int, 1> First,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<tk::bf16, 4> dOp,
    int N, int H, int S) {
    tk::wait_for_previous_kernel();

    // rwkv7_packed_backward.tk:8: kernel placed<T: dtype = bf16, DV: int = 64, ROWS: int = 16, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H * 16;

    // rwkv7_packed_backward.tk:12: let place = t.start // L;
    const int place = t / 64;

    // rwkv7_packed_backward.tk:13: let Ot = dO[0, First[place] +: Tokens[place]];
    const int Ot_start = tk::cell(First, place);
    const int Ot_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // rwkv7_packed_backward.tk:14: store(dOp[0, t, h, :], load(Ot[t.start - place * L +: ROWS, ..
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dO,
                                              {0, tk::wrapping_add(Ot_start, t - place * 64), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Ot_end, N), 0),
                                                                    tk::wrapping_add(Ot_start,
                                                                                     t - place *
                                                                                     64)), 64),
            tk::wrapping_subtract(0, tk::wrapping_add(Ot_start, t - place * 64)), 0), thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(dOp, {0, t, h, 0}, S * 64 - t, 64),
                             t0, thread);
}

// taken: kernel taken with T = bf16, TG = f16, DK = 64, DV = 64, ROWS = 16, L = 64.
// 128 threads, 56 registers each: taken_kernel<9, 8, 8, true>.
// taken_general: kernel taken with T = bf16, TG = f16, DK = 64, DV = 64, ROWS = 16, L = 64; any
// strides and alignment.
// 128 threads, 255 registers each: taken_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) taken_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dRp,
    const tk::tensor_argument<const tk::f16, 4> dWp,
    const tk::tensor_argument<const tk::bf16, 4> dKp,
    const tk::tensor_argument<const tk::bf16, 4> dVp,
    const tk::tensor_argument<const tk::bf16, 4> dAp,
    const tk::tensor_argument<const tk::bf16, 4> dBp, const tk::tensor_argument<const int, 1> First,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<tk::bf16, 4> dR,
    const tk::tensor_argument<tk::f16, 4> dW, const tk::tensor_argument<tk::bf16, 4> dK,
    const tk::tensor_argument<tk::bf16, 4> dV, const tk::tensor_argument<tk::bf16, 4> dA,
    const tk::tensor_argument<tk::bf16, 4> dB, int H, int S, int N) {
    tk::wait_for_previous_kernel();

    // rwkv7_packed_backward.tk:17: kernel taken<T: dtype = bf16, TG: dtype = f16, DK: int = 64, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H * 16;

    // rwkv7_packed_backward.tk:26: let place = t.start // L;
    const int place = t / 64;

    // rwkv7_packed_backward.tk:27: let i  = t.start - place * L;
    const int i = t - place * 64;

    // rwkv7_packed_backward.tk:28: let Rt = dR[0, First[place] +: Tokens[place]];  let Wt = ..
    const int Rt_start = tk::cell(First, place);
    const int Rt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Wt_start = tk::cell(First, place);
    const int Wt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Kt_start = tk::cell(First, place);
    const int Kt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // rwkv7_packed_backward.tk:29: let Vt = dV[0, First[place] +: Tokens[place]];  let At = ..
    const int Vt_start = tk::cell(First, place);
    const int Vt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int At_start = tk::cell(First, place);
    const int At_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Bt_start = tk::cell(First, place);
    const int Bt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // rwkv7_packed_backward.tk:30: let r = load(dRp[0, t, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> r;
    tk::load_slice<vectors>(r, tk::slice_if_dense<vectors, 1, 3>(dRp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:31: let w = load(dWp[0, t, h, :]);
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> w;
    tk::load_slice<vectors>(w, tk::slice_if_dense<vectors, 1, 3>(dWp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:32: let k = load(dKp[0, t, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> k;
    tk::load_slice<vectors>(k, tk::slice_if_dense<vectors, 1, 3>(dKp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:33: let v = load(dVp[0, t, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> v;
    tk::load_slice<vectors>(v, tk::slice_if_dense<vectors, 1, 3>(dVp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:34: let a = load(dAp[0, t, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> a;
    tk::load_slice<vectors>(a, tk::slice_if_dense<vectors, 1, 3>(dAp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:35: let b = load(dBp[0, t, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> b;
    tk::load_slice<vectors>(b, tk::slice_if_dense<vectors, 1, 3>(dBp, {0, t, h, 0}, S * 64 - t, 64),
                            thread);

    // rwkv7_packed_backward.tk:36: store(Rt[i +: ROWS, h, :], r);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dR, {0, tk::wrapping_add(Rt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Rt_end, N), 0),
                                                                    tk::wrapping_add(Rt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Rt_start, i)), 0), r, thread);

    // rwkv7_packed_backward.tk:37: store(Wt[i +: ROWS, h, :], w);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dW, {0, tk::wrapping_add(Wt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Wt_end, N), 0),
                                                                    tk::wrapping_add(Wt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Wt_start, i)), 0), w, thread);

    // rwkv7_packed_backward.tk:38: store(Kt[i +: ROWS, h, :], k);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dK, {0, tk::wrapping_add(Kt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Kt_end, N), 0),
                                                                    tk::wrapping_add(Kt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Kt_start, i)), 0), k, thread);

    // rwkv7_packed_backward.tk:39: store(Vt[i +: ROWS, h, :], v);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dV, {0, tk::wrapping_add(Vt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Vt_end, N), 0),
                                                                    tk::wrapping_add(Vt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Vt_start, i)), 0), v, thread);

    // rwkv7_packed_backward.tk:40: store(At[i +: ROWS, h, :], a);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dA, {0, tk::wrapping_add(At_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(At_end, N), 0),
                                                                    tk::wrapping_add(At_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(At_start, i)), 0), a, thread);

    // rwkv7_packed_backward.tk:41: store(Bt[i +: ROWS, h, :], b);
    tk::store_slice<vectors>(
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(dB, {0, tk::wrapping_add(Bt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Bt_end, N), 0),
                                                                    tk::wrapping_add(Bt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Bt_start, i)), 0), b, thread);
}

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

// rwkv7_packed_placed_T_bf16_TG_f16_DK_64: kernel rwkv7_packed.placed with T = bf16, TG = f16, DK =
// 64, BV = 64, ROWS = 16, L = 64.
// 128 threads, 72 registers each: rwkv7_packed_placed_T_bf16_TG_f16_DK_64_kernel<7, 8, 8, true>.
// rwkv7_packed_placed_T_bf16_TG_f16_DK_64_general: kernel rwkv7_packed.placed with T = bf16, TG =
// f16, DK = 64, BV = 64, ROWS = 16, L = 64; any strides and alignment.
// 128 threads, 255 registers each: rwkv7_packed_placed_T_bf16_TG_f16_DK_64_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rwkv7_packed_placed_T_bf16_TG_f16_DK_64_kernel(
    const tk::tensor_argument<const tk::bf16, 4> R, const tk::tensor_argument<const tk::f16, 4> W,
    const tk::tensor_argument<const tk::bf16, 4> K, const tk::tensor_argument<const tk::bf16, 4> V,
    const tk::tensor_argument<const tk::bf16, 4> A, const tk::tensor_argument<const tk::bf16, 4> Bs,
    const tk::tensor_argument<const int, 1> First, const tk::tensor_argument<const int, 1> Tokens,
    const tk::tensor_argument<tk::bf16, 4> Rp, const tk::tensor_argument<tk::f16, 4> Wp,
    const tk::tensor_argument<tk::bf16, 4> Kp, const tk::tensor_argument<tk::bf16, 4> Vp,
    const tk::tensor_argument<tk::bf16, 4> Ap, const tk::tensor_argument<tk::bf16, 4> Bp, int N,
    int H, int DV, int S) {
    tk::wait_for_previous_kernel();

    // rwkv7_packed.tk:8: kernel placed<T: dtype = bf16, TG: dtype = f16, DK: int = 64, BV: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H * 16;

    // rwkv7_packed.tk:15: let place = t.start // L;
    const int place = t / 64;

    // rwkv7_packed.tk:16: let i  = t.start - place * L;
    const int i = t - place * 64;

    // rwkv7_packed.tk:17: let Rt = R[0, First[place] +: Tokens[place]];  let Wt = W[0, ..
    const int Rt_start = tk::cell(First, place);
    const int Rt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Wt_start = tk::cell(First, place);
    const int Wt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Kt_start = tk::cell(First, place);
    const int Kt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // rwkv7_packed.tk:18: let Vt = V[0, First[place] +: Tokens[place]];  let At = A[0, ..
    const int Vt_start = tk::cell(First, place);
    const int Vt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int At_start = tk::cell(First, place);
    const int At_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));
    const int Bt_start = tk::cell(First, place);
    const int Bt_end = tk::wrapping_add(tk::cell(First, place), tk::cell(Tokens, place));

    // rwkv7_packed.tk:19: let r = load(Rt[i +: ROWS, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> r;
    tk::load_slice<vectors>(
        r,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(R, {0, tk::wrapping_add(Rt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Rt_end, N), 0),
                                                                    tk::wrapping_add(Rt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Rt_start, i)), 0), thread);

    // rwkv7_packed.tk:20: let w = load(Wt[i +: ROWS, h, :]);
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> w;
    tk::load_slice<vectors>(
        w,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(W, {0, tk::wrapping_add(Wt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Wt_end, N), 0),
                                                                    tk::wrapping_add(Wt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Wt_start, i)), 0), thread);

    // rwkv7_packed.tk:21: let k = load(Kt[i +: ROWS, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> k;
    tk::load_slice<vectors>(
        k,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(K, {0, tk::wrapping_add(Kt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Kt_end, N), 0),
                                                                    tk::wrapping_add(Kt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Kt_start, i)), 0), thread);

    // rwkv7_packed.tk:22: let a = load(At[i +: ROWS, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> a;
    tk::load_slice<vectors>(
        a,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(A, {0, tk::wrapping_add(At_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(At_end, N), 0),
                                                                    tk::wrapping_add(At_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(At_start, i)), 0), thread);

    // rwkv7_packed.tk:23: let b = load(Bt[i +: ROWS, h, :]);
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> b;
    tk::load_slice<vectors>(
        b,
        tk::clipped(
            tk::slice_if_dense<vectors, 1, 3>(Bs, {0, tk::wrapping_add(Bt_start, i), h, 0},
                                              tk::wrapping_subtract(tk::max(tk::min(Bt_end, N), 0),
                                                                    tk::wrapping_add(Bt_start, i)),
                                              64),
            tk::wrapping_subtract(0, tk::wrapping_add(Bt_start, i)), 0), thread);

    // rwkv7_packed.tk:24: for c in DV by BV { store(Vp[0, t, h, c], load(Vt[i +: ROWS, h, c])); }
    for (int c = 0; c < DV; c += 64) {
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t5;
        tk::load_slice<vectors>(
            t5,
            tk::clipped(
                tk::slice_if_dense<vectors, 1, 3>(V, {0, tk::wrapping_add(Vt_start, i), h, c},
                                                  tk::wrapping_subtract(
                                                      tk::max(tk::min(Vt_end, N), 0),
                                                      tk::wrapping_add(Vt_start, i)), DV - c),
                tk::wrapping_subtract(0, tk::wrapping_add(Vt_start, i)), 0), thread);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, 1, 3>(Vp, {0, t, h, c}, S * 64 - t, DV - c), t5, thread);
    }

    // rwkv7_packed.tk:25: store(Rp[0, t, h, :], r);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Rp, {0, t, h, 0}, S * 64 - t, 64), r,
                             thread);

    // rwkv7_packed.tk:26: store(Wp[0, t, h, :], f16(max(f32(w), -60000)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t6;
    tk::map(t6, [](tk::f16 w) { return tk::max(float(w), -60000.0f); }, w);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Wp, {0, t, h, 0}, S * 64 - t, 64),
                             t6, thread);

    // rwkv7_packed.tk:27: store(Kp[0, t, h, :], k);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Kp, {0, t, h, 0}, S * 64 - t, 64), k,
                             thread);

    // rwkv7_packed.tk:28: store(Ap[0, t, h, :], a);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Ap, {0, t, h, 0}, S * 64 - t, 64), a,
                             thread);

    // rwkv7_packed.tk:29: store(Bp[0, t, h, :], b);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Bp, {0, t, h, 0}, S * 64 - t, 64), b,
                             thread);
}

// rwkv7_pairs_T_bf16_TG_f16_DK_64: kernel rwkv7.pairs with T = bf16, TG = f16, DK = 64, L = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; readers: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 225408 bytes of shared memory; persistent.
struct rwkv7_pairs_T_bf16_TG_f16_DK_64_shared {
    tk::shared_tile<tk::f16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> bs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> rs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_tile[1];
    tk::shared_tile<tk::f16, 64, 64> queries_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_s[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_p[1];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::f16, 64, 64> readers_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_s[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_p[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_first[1];
    tk::shared_tile<tk::f16, 64, 64> readers_m0[1];
    tk::shared_tile<tk::f16, 64, 64> readers_m1[1];
    tk::shared_tile<tk::f16, 64, 64> readers_r0[1];
    tk::shared_tile<tk::f16, 64, 64> readers_r1[1];
    tk::shared_tile<float, 4, 64> readers_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> readers_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Queries[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Keys[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Writers[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Own[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Through[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_Readers[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_Inverse[1];
    tk::shared_tile<tk::bf16, 64, 64> readers_Product[1];
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> bs;
    tk::pipeline<1> rs;
    tk::pipeline<1> xs;
};
static_assert(offsetof(rwkv7_pairs_T_bf16_TG_f16_DK_64_shared, xs) == 225392);

__global__ void __launch_bounds__(384, 1) rwkv7_pairs_T_bf16_TG_f16_DK_64_kernel(
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Bs_map, const __grid_constant__ CUtensorMap R_map,
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap Queries_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Writers_map,
    const __grid_constant__ CUtensorMap Own_map, const __grid_constant__ CUtensorMap Through_map,
    const __grid_constant__ CUtensorMap Readers_map,
    const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Product_map, const tk::tensor_argument<float, 4> Left,
    const tk::tensor_argument<int, 4> Levels, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_pairs_T_bf16_TG_f16_DK_64_shared& shared =
        *reinterpret_cast<rwkv7_pairs_T_bf16_TG_f16_DK_64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(W_map, K_map, Bs_map, R_map, A_map, Queries_map, Keys_map,
                              Writers_map, Own_map, Through_map, Readers_map, Inverse_map,
                              Product_map);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.bs.init(1, 8);
        shared.rs.init(1, 4);
        shared.xs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7.tk:81: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> bs_next, gs_next, ks_next;
            tk::cursor<1> rs_next, xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // rwkv7.tk:82: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // rwkv7.tk:83: for c in DK by 64 {
                    #pragma unroll 1
                    for (int c = 0; c < 64; c += 64) {
                        // rwkv7.tk:84: produce gs = tma_load(W[b, t, h.start + i, c]);
                        shared.gs.begin(gs_next, 8192);
                        tk::tma_load(shared.gs_tile[gs_next.stage], W_map,
                                     shared.gs.full[gs_next.stage], b, t, h + i, c);
                        gs_next.advance();

                        // rwkv7.tk:85: produce ks = tma_load(K[b, t, h.start + i, c]);
                        shared.ks.begin(ks_next, 8192);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, t, h + i, c);
                        ks_next.advance();

                        // rwkv7.tk:86: produce bs = tma_load(Bs[b, t, h.start + i, c]);
                        shared.bs.begin(bs_next, 8192);
                        tk::tma_load(shared.bs_tile[bs_next.stage], Bs_map,
                                     shared.bs.full[bs_next.stage], b, t, h + i, c);
                        bs_next.advance();

                        // rwkv7.tk:87: produce rs = tma_load(R[b, t, h.start + i, c]);
                        shared.rs.begin(rs_next, 8192);
                        tk::tma_load(shared.rs_tile[rs_next.stage], R_map,
                                     shared.rs.full[rs_next.stage], b, t, h + i, c);
                        rs_next.advance();

                        // rwkv7.tk:88: produce xs = tma_load(A[b, t, h.start + i, c]);
                        shared.xs.begin(xs_next, 8192);
                        tk::tma_load(shared.xs_tile[xs_next.stage], A_map,
                                     shared.xs.full[xs_next.stage], b, t, h + i, c);
                        xs_next.advance();
                    }
                }
            }
        }
    } else if (warp < 4) {
        // rwkv7.tk:92: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> rs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // rwkv7.tk:93: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x_2;
            tk::zero(x_2);

            // rwkv7.tk:94: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7.tk:95: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_s[0], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7.tk:96: shared p: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_p[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7.tk:97: for i in 2 {
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            for (int i = 0; i < 2; i += 1) {
                // rwkv7.tk:98: var c: f32[L, L] = 0;
                tk::fragment<float, 64, 64> c;
                tk::zero(c);

                // rwkv7.tk:99: var d: f32[L, L] = 0;
                tk::fragment<float, 64, 64> d;
                tk::zero(d);

                // rwkv7.tk:100: for n in DK by 64 {
                for (int n = 0; n < 64; n += 64) {
                    // rwkv7.tk:101: let g = consume gs;
                    const tk::cursor<2> g_element = shared.gs.take(gs_next);

                    // rwkv7.tk:102: let k = consume ks;
                    shared.ks.wait_full(g_element);

                    // rwkv7.tk:103: let w = consume bs;
                    shared.bs.wait_full(g_element);

                    // rwkv7.tk:104: let r = consume rs;
                    const tk::cursor<1> r_element = shared.rs.take(rs_next);

                    // rwkv7.tk:105: let m = mma(middle, g);
                    tk::fragment<float, 64, 64> m;
                    tk::mma_async(m, shared.queries_middle[0], shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;
                    tk::mma_wait<0>(m);

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    tk::fragment<float, 64, 64> t5;
                    tk::map(t5, [](float m) { return tk::abs(m); }, m);
                    tk::column_fragment<float, 64> t6;
                    tk::fold_rows(t6, t5, tk::maximum{}, thread);
                    tk::finish_rows(t6, tk::maximum{});
                    tk::row_fragment<float, 1> t7;
                    tk::reduce_columns(t7, t6, shared.queries_f32_rows_1[0], tk::maximum{}, thread,
                                       2);
                    tk::row_fragment<int, 1> t8;
                    tk::map(t8, [&](float t7) { return t7 <= reach ? 0 : 6; }, t7);
                    const int number = t8.cell(0);

                    // rwkv7.tk:106: let count = gated_linear_attention.levels<T, L>(m);
                    const int count = number;

                    // rwkv7.tk:107: if T == bf16 and count == 0 {
                    if (count == 0) {
                        // rwkv7.tk:108: let e = exp2(m * LOG2E);
                        tk::fragment<float, 64, 64> e;
                        tk::map(e, [](float m) { return tk::exp2(m * 1.442695f); }, m);

                        // rwkv7.tk:109: let since = exp2(sum(where(row_index(x) < L / 2, f32(g), ..
                        tk::fragment<tk::f16, 64, 64> t1;
                        tk::load_shared(t1, shared.gs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t9;
                        tk::map(t9, thread, [](int row, int, tk::f16 t1) {
                            return row < 32 ? float(t1) : 0.0f;
                        }, t1);
                        tk::row_fragment<float, 64> t10;
                        tk::reduce_columns(t10, t9, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::row_fragment<float, 64> since;
                        tk::map(since, [&](float t10) { return tk::exp2(t10 * 1.442695f) * scale; },
                                t10);

                        // rwkv7.tk:110: tma_store(Queries[b, t, h.start + i, n], T(r * (e * ..
                        tk::fragment<tk::bf16, 64, 64> t4;
                        tk::load_shared(t4, shared.rs_tile[r_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t11;
                        tk::map(t11, [](tk::bf16 t4, float e, float since) {
                            return float(t4) * (e * since);
                        }, t4, e, since);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::store_shared(shared.queries_Queries[0], t11, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Queries_map, shared.queries_Queries[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // rwkv7.tk:111: let f = exp2(m * -LOG2E);
                        tk::fragment<float, 64, 64> f;
                        tk::map(f, [](float m) { return tk::exp2(m * -1.442695f); }, m);

                        // rwkv7.tk:112: let rest = f * exp2(sum(where(row_index(x) < L / 2, 0, ..
                        tk::fragment<tk::f16, 64, 64> t17;
                        tk::load_shared(t17, shared.gs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t12;
                        tk::map(t12, thread, [](int row, int, tk::f16 t17) {
                            return row < 32 ? 0.0f : float(t17);
                        }, t17);
                        tk::row_fragment<float, 64> t13;
                        tk::reduce_columns(t13, t12, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::fragment<float, 64, 64> rest;
                        tk::map(rest, [](float f, float t13) {
                            return f * tk::exp2(t13 * 1.442695f);
                        }, f, t13);

                        // rwkv7.tk:113: tma_store(Keys[b, t, h.start + i, n], T(k * rest));
                        tk::fragment<tk::bf16, 64, 64> t20;
                        tk::load_shared(t20, shared.ks_tile[g_element.stage], thread);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::fragment<tk::bf16, 64, 64> t14;
                            tk::map(t14, [](tk::bf16 t20, float rest) { return float(t20) * rest; },
                                    t20, rest);
                            tk::store_shared(shared.queries_Keys[0], t14, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Keys_map, shared.queries_Keys[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // rwkv7.tk:114: tma_store(Writers[b, t, h.start + i, n], T(w * rest));
                        tk::fragment<tk::bf16, 64, 64> t31;
                        tk::load_shared(t31, shared.bs_tile[g_element.stage], thread);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::fragment<tk::bf16, 64, 64> t15;
                            tk::map(t15, [](tk::bf16 t31, float rest) { return float(t31) * rest; },
                                    t31, rest);
                            tk::store_shared(shared.queries_Writers[0], t15, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Writers_map, shared.queries_Writers[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t32;
                        tk::load_shared(t32, shared.rs_tile[r_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t32, float e) { return float(t32) * e; }, t32, e);

                        // rwkv7.tk:50: let q = parts.split<T>(x);
                        tk::fragment<tk::bf16, 64, 64> t35;
                        tk::load_shared(t35, shared.rs_tile[r_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> q_low;
                        tk::map(q_low, [](tk::bf16 t35, float e, tk::bf16 high) {
                            return tk::fma(float(t35), e, -float(high));
                        }, t35, e, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t36;
                        tk::load_shared(t36, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t36, float f) { return float(t36) * f; },
                                t36, f);

                        // rwkv7.tk:51: let y = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t37;
                        tk::load_shared(t37, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> y_low;
                        tk::map(y_low, [](tk::bf16 t37, float f, tk::bf16 high_2) {
                            return tk::fma(float(t37), f, -float(high_2));
                        }, t37, f, high_2);

                        // rwkv7.tk:52: s = y.high;
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // rwkv7.tk:53: p = y.low;
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_p[0], y_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // rwkv7.tk:54: c += mma(q.high, s.T);
                        tk::mma_async(c, high, tk::transposed(shared.queries_s[0]));

                        // rwkv7.tk:55: c += mma(q.high, p.T);
                        tk::mma_async(c, high, tk::transposed(shared.queries_p[0]));

                        // rwkv7.tk:56: c += mma(q.low, s.T);
                        tk::mma_async(c, q_low, tk::transposed(shared.queries_s[0]));
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t38;
                        tk::load_shared(t38, shared.bs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_3;
                        tk::map(high_3, [](tk::bf16 t38, float f) { return float(t38) * f; },
                                t38, f);

                        // rwkv7.tk:57: let z = parts.split<T>(b * until);
                        tk::fragment<tk::bf16, 64, 64> t39;
                        tk::load_shared(t39, shared.bs_tile[g_element.stage], thread);
                        tk::hold_waits(warp);
                        tk::fragment<tk::bf16, 64, 64> z_low;
                        tk::map(z_low, [](tk::bf16 t39, float f, tk::bf16 high_3) {
                            return tk::fma(float(t39), f, -float(high_3));
                        }, t39, f, high_3);
                        tk::mma_wait<0>(c, high, q_low);

                        // rwkv7.tk:58: s = z.high;
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_s[0], high_3, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // rwkv7.tk:59: p = z.low;
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_p[0], z_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // rwkv7.tk:60: d += mma(q.high, s.T);
                        tk::mma_async(d, high, tk::transposed(shared.queries_s[0]));

                        // rwkv7.tk:61: d += mma(q.high, p.T);
                        tk::mma_async(d, high, tk::transposed(shared.queries_p[0]));

                        // rwkv7.tk:62: d += mma(q.low, s.T);
                        tk::mma_async(d, q_low, tk::transposed(shared.queries_s[0]));
                        tk::mma_wait<0>(d, high, q_low);
                    } else {
                        // rwkv7.tk:117: let e = mma(TG(where(col_index(x) <= row_index(x), 1.0, ..
                        tk::fragment<tk::f16, 64, 64> t16;
                        tk::map(t16, thread, [](int row, int col) {
                            return col <= row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> e_2;
                        tk::mma_async(e_2, t16, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});

                        // rwkv7.tk:118: tma_store(Queries[b, t, h.start + i, n], T(r * (exp2(e * ..
                        tk::fragment<tk::bf16, 64, 64> t40;
                        tk::load_shared(t40, shared.rs_tile[r_element.stage], thread);
                        tk::mma_wait<0>(e_2, t16);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::fragment<tk::bf16, 64, 64> t18;
                            tk::map(t18, [&](tk::bf16 t40, float e_2) {
                                return float(t40) * (tk::exp2(e_2 * 1.442695f) * scale);
                            }, t40, e_2);
                            tk::store_shared(shared.queries_Queries[0], t18, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Queries_map, shared.queries_Queries[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // rwkv7.tk:119: let f = mma(TG(where(col_index(x) > row_index(x), 1.0, ..
                        tk::fragment<tk::f16, 64, 64> t19;
                        tk::map(t19, thread, [](int row, int col) {
                            return col > row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> f_2;
                        tk::mma_async(f_2, t19, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(f_2, t19);

                        // rwkv7.tk:120: let rest = exp2(f * LOG2E);
                        tk::fragment<float, 64, 64> rest_2;
                        tk::map(rest_2, [](float f_2) { return tk::exp2(f_2 * 1.442695f); }, f_2);

                        // rwkv7.tk:121: tma_store(Keys[b, t, h.start + i, n], T(k * rest));
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::load_shared(t41, shared.ks_tile[g_element.stage], thread);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::fragment<tk::bf16, 64, 64> t21;
                            tk::map(t21, [](tk::bf16 t41, float rest_2) {
                                return float(t41) * rest_2;
                            }, t41, rest_2);
                            tk::store_shared(shared.queries_Keys[0], t21, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Keys_map, shared.queries_Keys[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // rwkv7.tk:122: tma_store(Writers[b, t, h.start + i, n], T(w * rest));
                        tk::fragment<tk::bf16, 64, 64> t42;
                        tk::load_shared(t42, shared.bs_tile[g_element.stage], thread);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(1, 128);
                            tk::fragment<tk::bf16, 64, 64> t22;
                            tk::map(t22, [](tk::bf16 t42, float rest_2) {
                                return float(t42) * rest_2;
                            }, t42, rest_2);
                            tk::store_shared(shared.queries_Writers[0], t22, thread);
                            tk::fence_async();
                            tk::barrier_sync(1, 128);
                            if (leader) {
                                tk::tma_store(Writers_map, shared.queries_Writers[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // rwkv7.tk:123: c += where(row_index(x) == col_index(x), sum(f32(r) * k, ..
                        tk::fragment<tk::bf16, 64, 64> t43;
                        tk::load_shared(t43, shared.rs_tile[r_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t44;
                        tk::load_shared(t44, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t23;
                        tk::map(t23, [](tk::bf16 t43, tk::bf16 t44) {
                            return float(t43) * float(t44);
                        }, t43, t44);
                        tk::column_fragment<float, 64> t24;
                        tk::fold_rows(t24, t23, tk::plus{}, thread);
                        tk::finish_rows(t24, tk::plus{});
                        tk::map(c, thread, [](int row, int col, float c, float t24) {
                            return c + (row == col ? t24 : 0.0f);
                        }, c, t24);

                        // rwkv7.tk:124: d += where(row_index(x) == col_index(x), sum(f32(r) * w, ..
                        tk::fragment<tk::bf16, 64, 64> t45;
                        tk::load_shared(t45, shared.rs_tile[r_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t46;
                        tk::load_shared(t46, shared.bs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t25;
                        tk::map(t25, [](tk::bf16 t45, tk::bf16 t46) {
                            return float(t45) * float(t46);
                        }, t45, t46);
                        tk::column_fragment<float, 64> t26;
                        tk::fold_rows(t26, t25, tk::plus{}, thread);
                        tk::finish_rows(t26, tk::plus{});
                        tk::map(d, thread, [](int row, int col, float d, float t26) {
                            return d + (row == col ? t26 : 0.0f);
                        }, d, t26);

                        // rwkv7.tk:34: for l in 0..count {
                        for (int l = 0; l < count; l += 1) {
                            // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // rwkv7.tk:36: let f = ..
                            tk::fragment<tk::f16, 64, 64> t27;
                            tk::map(t27, thread, [&](int row, int col) {
                                const int x_6 = row >> (l & 31);
                                const bool x_7 = (x_6 & 1) == 1;
                                const int x_8 = x_6 << (l & 31);
                                const int x_9 = row + 1;
                                return col >= (x_7 ? x_8 : x_9) &&
                                    col < (x_7 ? x_9 : tk::wrapping_add(x_8, 1 << (l & 31))) ? 1.0f
                                    : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t28;
                            tk::mma_async(t28, t27, shared.gs_tile[g_element.stage],
                                          tk::accumulate_never{});
                            tk::mma_wait<0>(t28, t27);
                            tk::fragment<float, 64, 64> f_3;
                            tk::map(f_3, [](float t28) { return tk::exp2(t28 * 1.442695f); }, t28);

                            // rwkv7.tk:37: let q = T(x * f);
                            tk::fragment<tk::bf16, 64, 64> t47;
                            tk::load_shared(t47, shared.rs_tile[r_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> q;
                            tk::map(q, [](tk::bf16 t47, float f_3) { return float(t47) * f_3; },
                                    t47, f_3);

                            // rwkv7.tk:38: s = T(k * f);
                            tk::fragment<tk::bf16, 64, 64> t48;
                            tk::load_shared(t48, shared.ks_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t29;
                            tk::map(t29, [](tk::bf16 t48, float f_3) { return float(t48) * f_3; },
                                    t48, f_3);
                            tk::barrier_sync(2, 128);
                            tk::store_shared(shared.queries_s[0], t29, thread);
                            tk::fence_async();
                            tk::barrier_sync(2, 128);

                            // rwkv7.tk:39: p = T(b * f);
                            tk::fragment<tk::bf16, 64, 64> t49;
                            tk::load_shared(t49, shared.bs_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t30;
                            tk::map(t30, [](tk::bf16 t49, float f_3) { return float(t49) * f_3; },
                                    t49, f_3);
                            tk::barrier_sync(2, 128);
                            tk::store_shared(shared.queries_p[0], t30, thread);
                            tk::fence_async();
                            tk::barrier_sync(2, 128);

                            // rwkv7.tk:40: let y = mma(q, s.T);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, q, tk::transposed(shared.queries_s[0]),
                                          tk::accumulate_never{});

                            // rwkv7.tk:41: let z = mma(q, p.T);
                            tk::fragment<float, 64, 64> z;
                            tk::mma_async(z, q, tk::transposed(shared.queries_p[0]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = l;
                            tk::mma_wait<1>(y);

                            // rwkv7.tk:42: c += where(gated_linear_attention.inside<L>(c, ..
                            tk::map(c, thread, [&](int row, int col, float c, float y) {
                                const bool x_6 = l + 1 == 0;
                                const int x_7 = row >> (c_2 & 31);
                                const int x_8 = x_7 << (c_2 & 31);
                                return c +
                                    (col >=
                                     (x_6 ? row : tk::wrapping_subtract(x_8, 1 << (c_2 & 31))) &&
                                     col < (x_6 ? row + 1 : (x_7 & 1) == 1 ? x_8 : 0) ? y : 0.0f);
                            }, c, y);
                            // gated_linear_attention.tk:38
                            tk::hold_waits(warp);
                            tk::zero(x_5);
                            // gated_linear_attention.tk:40
                            const int c_3 = l;
                            tk::mma_wait<0>(z, q);

                            // rwkv7.tk:43: d += where(gated_linear_attention.inside<L>(c, ..
                            tk::map(d, thread, [&](int row, int col, float d, float z) {
                                const bool x_6 = l + 1 == 0;
                                const int x_7 = row >> (c_3 & 31);
                                const int x_8 = x_7 << (c_3 & 31);
                                return d +
                                    (col >=
                                     (x_6 ? row : tk::wrapping_subtract(x_8, 1 << (c_3 & 31))) &&
                                     col < (x_6 ? row + 1 : (x_7 & 1) == 1 ? x_8 : 0) ? z : 0.0f);
                            }, d, z);
                        }
                    }
                    shared.rs.release_after_loads(r_element);
                    shared.bs.release_after_loads(g_element);
                    shared.ks.release_after_loads(g_element);
                    shared.gs.release_after_loads(g_element);
                }

                // rwkv7.tk:128: tma_store(Own[b, h.start + i, t.start +: L, :], ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::fragment<tk::bf16, 64, 64> t33;
                    tk::map(t33, thread, [&](int row, int col, float c) {
                        return col <= row ? c * scale : 0.0f;
                    }, c);
                    tk::store_shared(shared.queries_Own[0], t33, thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(Own_map, shared.queries_Own[0], b, h + i, t, panel);
                }

                // rwkv7.tk:129: tma_store(Through[b, h.start + i, t.start +: L, :], ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, thread, [&](int row, int col, float d) {
                        return col <= row ? d * scale : 0.0f;
                    }, d);
                    tk::store_shared(shared.queries_Through[0], t34, thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) {
                        tk::tma_store(Through_map, shared.queries_Through[0], b, h + i, t, panel);
                    }
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // rwkv7.tk:132: role readers(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<1> xs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // rwkv7.tk:133: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x_2;
            tk::zero(x_2);

            // rwkv7.tk:134: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:135: shared s: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_s[0], t2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:136: shared p: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_p[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:137: shared first: T[L, L] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_first[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:138: shared m0: f16[L, L] = 0;
            tk::fragment<tk::f16, 64, 64> t5;
            tk::map(t5, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_m0[0], t5, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:139: shared m1: f16[L, L] = 0;
            tk::fragment<tk::f16, 64, 64> t6;
            tk::map(t6, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_m1[0], t6, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7.tk:140: for i in 2 {
            tk::fragment<float, 64, 64> t11;
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            tk::column_fragment<float, 64> x_5;
            for (int i = 0; i < 2; i += 1) {
                // rwkv7.tk:141: var c: f32[L, L] = 0;
                tk::fragment<float, 64, 64> c;
                tk::zero(c);

                // rwkv7.tk:142: var d: f32[L, L] = 0;
                tk::fragment<float, 64, 64> d;
                tk::zero(d);

                // rwkv7.tk:143: for n in DK by 64 {
                for (int n = 0; n < 64; n += 64) {
                    // rwkv7.tk:144: let g = consume gs;
                    const tk::cursor<2> g_element = shared.gs.take(gs_next);

                    // rwkv7.tk:145: store(Left[b, h.start + i, t.index, n], exp2(sum(f32(g), ..
                    tk::fragment<tk::f16, 64, 64> t1;
                    tk::load_shared(t1, shared.gs_tile[g_element.stage], thread);
                    tk::fragment<float, 64, 64> t7 = tk::convert<float>(t1);
                    tk::row_fragment<float, 64> t8;
                    tk::reduce_columns(t8, t7, shared.readers_f32_rows_64[0], tk::plus{}, thread,
                                       4);
                    tk::row_fragment<float, 64> t9;
                    tk::map(t9, [](float t8) { return tk::exp2(t8 * 1.442695f); }, t8);
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Left, {b, h + i, t / 64, n}, 1,
                                                  t / 64 < tk::divide_up(N, 64)
                                                  ? (h + i < H ? 64 - n : 0) : 0), t9, thread);

                    // rwkv7.tk:146: let k = consume ks;
                    shared.ks.wait_full(g_element);

                    // rwkv7.tk:147: let w = consume bs;
                    shared.bs.wait_full(g_element);

                    // rwkv7.tk:148: let a = consume xs;
                    const tk::cursor<1> a_element = shared.xs.take(xs_next);

                    // rwkv7.tk:149: let m = mma(middle, g);
                    tk::fragment<float, 64, 64> m;
                    tk::mma_async(m, shared.readers_middle[0], shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(m);

                    // rwkv7.tk:151: let u = m - f32(g);
                    tk::fragment<float, 64, 64> u;
                    tk::map(u, [](float m, float t7) { return m - t7; }, m, t7);

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    if (t + 64 <= N) {
                        tk::map(t11, [](float m, float u) {
                            return tk::abs(tk::max(tk::abs(m), tk::abs(u)));
                        }, m, u);
                    } else {
                        tk::map(t11, thread, [&](int row, int, float m, float u) {
                            return row < N - t ? tk::abs(tk::max(tk::abs(m), tk::abs(u)))
                                : -INFINITY;
                        }, m, u);
                    }
                    tk::column_fragment<float, 64> t12;
                    tk::fold_rows(t12, t11, tk::maximum{}, thread);
                    tk::finish_rows(t12, tk::maximum{});
                    tk::row_fragment<float, 1> t13;
                    tk::reduce_columns(t13, t12, shared.readers_f32_rows_1[0], tk::maximum{},
                                       thread, 4);
                    tk::row_fragment<int, 1> t14;
                    tk::map(t14, [&](float t13) { return t13 <= reach ? 0 : 6; }, t13);
                    const int number = t14.cell(0);

                    // rwkv7.tk:152: let count = gated_linear_attention.levels<T, L>(max(abs(m), ..
                    const int count = number;

                    // rwkv7.tk:153: let near = T == bf16 and count == 0;
                    const bool near = count == 0;

                    // rwkv7.tk:154: store(Levels[b, h.start + i, t.index, n.index], where(near, ..
                    tk::row_fragment<int, 1> t15;
                    tk::fill(t15, near ? 0 : 6);
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Levels, {b, h + i, t / 64, n / 64}, 1,
                                                  t / 64 < tk::divide_up(N, 64)
                                                  ? (h + i < H ? 1 - n / 64 : 0) : 0), t15, thread);

                    // rwkv7.tk:155: if near {
                    if (near) {
                        // rwkv7.tk:156: let e = exp2(u * LOG2E);
                        tk::fragment<float, 64, 64> e;
                        tk::map(e, [](float u) { return tk::exp2(u * 1.442695f); }, u);

                        // rwkv7.tk:157: let since = exp2(sum(where(row_index(x) < L / 2, f32(g), ..
                        tk::fragment<tk::f16, 64, 64> t10;
                        tk::load_shared(t10, shared.gs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t16;
                        tk::map(t16, thread, [](int row, int, tk::f16 t10) {
                            return row < 32 ? float(t10) : 0.0f;
                        }, t10);
                        tk::row_fragment<float, 64> t17;
                        tk::reduce_columns(t17, t16, shared.readers_f32_rows_64[0], tk::plus{},
                                           thread, 4);
                        tk::row_fragment<float, 64> since;
                        tk::map(since, [](float t17) { return tk::exp2(t17 * 1.442695f); }, t17);

                        // rwkv7.tk:158: tma_store(Readers[b, t, h.start + i, n], T(a * (e * ..
                        tk::fragment<tk::bf16, 64, 64> t23;
                        tk::load_shared(t23, shared.xs_tile[a_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> t18;
                        tk::map(t18, [](tk::bf16 t23, float e, float since) {
                            return float(t23) * (e * since);
                        }, t23, e, since);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(3, 128);
                            tk::store_shared(shared.readers_Readers[0], t18, thread);
                            tk::fence_async();
                            tk::barrier_sync(3, 128);
                            if (leader) {
                                tk::tma_store(Readers_map, shared.readers_Readers[0], b, t, h + i,
                                              n + panel);
                            }
                        }

                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t24;
                        tk::load_shared(t24, shared.xs_tile[a_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t24, float e) { return float(t24) * e; }, t24, e);

                        // rwkv7.tk:50: let q = parts.split<T>(x);
                        tk::fragment<tk::bf16, 64, 64> t32;
                        tk::load_shared(t32, shared.xs_tile[a_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> q_low;
                        tk::map(q_low, [](tk::bf16 t32, float e, tk::bf16 high) {
                            return tk::fma(float(t32), e, -float(high));
                        }, t32, e, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t35;
                        tk::load_shared(t35, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t35, float m) {
                            return float(t35) * tk::exp2(m * -1.442695f);
                        }, t35, m);

                        // rwkv7.tk:51: let y = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t38;
                        tk::load_shared(t38, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> y_low;
                        tk::map(y_low, [](tk::bf16 t38, float m, tk::bf16 high_2) {
                            return tk::fma(float(t38), tk::exp2(m * -1.442695f), -float(high_2));
                        }, t38, m, high_2);

                        // rwkv7.tk:52: s = y.high;
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.readers_s[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // rwkv7.tk:53: p = y.low;
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.readers_p[0], y_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // rwkv7.tk:54: c += mma(q.high, s.T);
                        tk::mma_async(c, high, tk::transposed(shared.readers_s[0]));

                        // rwkv7.tk:55: c += mma(q.high, p.T);
                        tk::mma_async(c, high, tk::transposed(shared.readers_p[0]));

                        // rwkv7.tk:56: c += mma(q.low, s.T);
                        tk::mma_async(c, q_low, tk::transposed(shared.readers_s[0]));
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t41;
                        tk::load_shared(t41, shared.bs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_3;
                        tk::map(high_3, [](tk::bf16 t41, float m) {
                            return float(t41) * tk::exp2(m * -1.442695f);
                        }, t41, m);

                        // rwkv7.tk:57: let z = parts.split<T>(b * until);
                        tk::fragment<tk::bf16, 64, 64> t44;
                        tk::load_shared(t44, shared.bs_tile[g_element.stage], thread);
                        tk::hold_waits(warp);
                        tk::fragment<tk::bf16, 64, 64> z_low;
                        tk::map(z_low, [](tk::bf16 t44, float m, tk::bf16 high_3) {
                            return tk::fma(float(t44), tk::exp2(m * -1.442695f), -float(high_3));
                        }, t44, m, high_3);
                        tk::mma_wait<0>(c, high, q_low);

                        // rwkv7.tk:58: s = z.high;
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.readers_s[0], high_3, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // rwkv7.tk:59: p = z.low;
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.readers_p[0], z_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // rwkv7.tk:60: d += mma(q.high, s.T);
                        tk::mma_async(d, high, tk::transposed(shared.readers_s[0]));

                        // rwkv7.tk:61: d += mma(q.high, p.T);
                        tk::mma_async(d, high, tk::transposed(shared.readers_p[0]));

                        // rwkv7.tk:62: d += mma(q.low, s.T);
                        tk::mma_async(d, q_low, tk::transposed(shared.readers_s[0]));
                        tk::mma_wait<0>(d, high, q_low);
                    } else {
                        // rwkv7.tk:34: for l in 0..count {
                        for (int l = 0; l < count; l += 1) {
                            // rwkv7.tk:24: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // rwkv7.tk:36: let f = ..
                            tk::fragment<tk::f16, 64, 64> t19;
                            tk::map(t19, thread, [&](int row, int col) {
                                const int x_6 = row >> (l & 31);
                                const bool x_7 = (x_6 & 1) == 1;
                                const int x_8 = x_6 << (l & 31);
                                return col >= (x_7 ? x_8 : row + 1) &&
                                    col < (x_7 ? row : tk::wrapping_add(x_8, 1 << (l & 31))) ? 1.0f
                                    : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t20;
                            tk::mma_async(t20, t19, shared.gs_tile[g_element.stage],
                                          tk::accumulate_never{});
                            tk::mma_wait<0>(t20, t19);
                            tk::fragment<float, 64, 64> f;
                            tk::map(f, [](float t20) { return tk::exp2(t20 * 1.442695f); }, t20);

                            // rwkv7.tk:37: let q = T(x * f);
                            tk::fragment<tk::bf16, 64, 64> t47;
                            tk::load_shared(t47, shared.xs_tile[a_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> q;
                            tk::map(q, [](tk::bf16 t47, float f) { return float(t47) * f; },
                                    t47, f);

                            // rwkv7.tk:38: s = T(k * f);
                            tk::fragment<tk::bf16, 64, 64> t50;
                            tk::load_shared(t50, shared.ks_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t21;
                            tk::map(t21, [](tk::bf16 t50, float f) { return float(t50) * f; },
                                    t50, f);
                            tk::barrier_sync(4, 128);
                            tk::store_shared(shared.readers_s[0], t21, thread);
                            tk::fence_async();
                            tk::barrier_sync(4, 128);

                            // rwkv7.tk:39: p = T(b * f);
                            tk::fragment<tk::bf16, 64, 64> t53;
                            tk::load_shared(t53, shared.bs_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t22;
                            tk::map(t22, [](tk::bf16 t53, float f) { return float(t53) * f; },
                                    t53, f);
                            tk::barrier_sync(4, 128);
                            tk::store_shared(shared.readers_p[0], t22, thread);
                            tk::fence_async();
                            tk::barrier_sync(4, 128);

                            // rwkv7.tk:40: let y = mma(q, s.T);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, q, tk::transposed(shared.readers_s[0]),
                                          tk::accumulate_never{});

                            // rwkv7.tk:41: let z = mma(q, p.T);
                            tk::fragment<float, 64, 64> z;
                            tk::mma_async(z, q, tk::transposed(shared.readers_p[0]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = l;
                            tk::mma_wait<1>(y);

                            // rwkv7.tk:42: c += where(gated_linear_attention.inside<L>(c, ..
                            tk::map(c, thread, [&](int row, int col, float c, float y) {
                                const bool x_6 = l + 1 == 0;
                                const int x_7 = row >> (c_2 & 31);
                                const int x_8 = x_7 << (c_2 & 31);
                                return c +
                                    (col >=
                                     (x_6 ? row : tk::wrapping_subtract(x_8, 1 << (c_2 & 31))) &&
                                     col < (x_6 ? row + 1 : (x_7 & 1) == 1 ? x_8 : 0) ? y : 0.0f);
                            }, c, y);
                            // gated_linear_attention.tk:38
                            tk::hold_waits(warp);
                            tk::zero(x_5);
                            // gated_linear_attention.tk:40
                            const int c_3 = l;
                            tk::mma_wait<0>(z, q);

                            // rwkv7.tk:43: d += where(gated_linear_attention.inside<L>(c, ..
                            tk::map(d, thread, [&](int row, int col, float d, float z) {
                                const bool x_6 = l + 1 == 0;
                                const int x_7 = row >> (c_3 & 31);
                                const int x_8 = x_7 << (c_3 & 31);
                                return d +
                                    (col >=
                                     (x_6 ? row : tk::wrapping_subtract(x_8, 1 << (c_3 & 31))) &&
                                     col < (x_6 ? row + 1 : (x_7 & 1) == 1 ? x_8 : 0) ? z : 0.0f);
                            }, d, z);
                        }

                        // rwkv7.tk:162: let e = exp2(mma(TG(where(col_index(x) < row_index(x), ..
                        tk::fragment<tk::f16, 64, 64> t25;
                        tk::map(t25, thread, [](int row, int col) {
                            return col < row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t26;
                        tk::mma_async(t26, t25, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});

                        // rwkv7.tk:163: tma_store(Readers[b, t, h.start + i, n], T(a * e));
                        tk::fragment<tk::bf16, 64, 64> t68;
                        tk::load_shared(t68, shared.xs_tile[a_element.stage], thread);
                        tk::mma_wait<0>(t26, t25);
                        #pragma unroll
                        for (int panel = 0; panel < 64; panel += 64) {
                            if (leader) tk::tma_store_wait_read<0>();
                            tk::barrier_sync(3, 128);
                            tk::fragment<tk::bf16, 64, 64> t27;
                            tk::map(t27, [](float t26, tk::bf16 t68) {
                                return float(t68) * tk::exp2(t26 * 1.442695f);
                            }, t26, t68);
                            tk::store_shared(shared.readers_Readers[0], t27, thread);
                            tk::fence_async();
                            tk::barrier_sync(3, 128);
                            if (leader) {
                                tk::tma_store(Readers_map, shared.readers_Readers[0], b, t, h + i,
                                              n + panel);
                            }
                        }
                    }
                    shared.xs.release_after_loads(a_element);
                    shared.bs.release_after_loads(g_element);
                    shared.ks.release_after_loads(g_element);
                    shared.gs.release_after_loads(g_element);
                }

                // rwkv7.tk:166: let m = f16(gated_delta.strictly_lower(-d));
                tk::fragment<tk::f16, 64, 64> m_2;
                tk::map(m_2, thread, [&](int row, int col, float d) {
                    const int x_6 = N - t;
                    return col < x_6 ? (row < x_6 ? (row > col ? -d : 0.0f) : 0.0f) : 0.0f;
                }, d);

                // rwkv7.tk:167: if i == 0 { m0 = m; } else { m1 = m; }
                if (i == 0) {
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.readers_m0[0], m_2, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                } else {
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.readers_m1[0], m_2, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                }

                // rwkv7.tk:168: let n = T(gated_delta.strictly_lower(c));
                tk::fragment<tk::bf16, 64, 64> n_2;
                tk::map(n_2, thread, [&](int row, int col, float c) {
                    const int x_6 = N - t;
                    return col < x_6 ? (row < x_6 ? (row > col ? c : 0.0f) : 0.0f) : 0.0f;
                }, c);

                // rwkv7.tk:169: if i == 0 { first = n; } else { s = n; }
                if (i == 0) {
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.readers_first[0], n_2, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                } else {
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.readers_s[0], n_2, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                }
            }

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t28;
            tk::map(t28, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r0[0], t28, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t29;
            tk::map(t29, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r1[0], t29, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t71;
            tk::load_shared(t71, shared.readers_m0[0], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t71) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t71) : 0.0f;
            }, t71);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t74;
            tk::load_shared(t74, shared.readers_m1[0], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t74) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t74) : 0.0f;
            }, t74);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_2 = 1; b_2 < 4; b_2 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t30;
                tk::slice_registers<0, 0>(t30, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t30, tk::part<0, 0, 16, 16>(shared.readers_m0[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t33;
                tk::slice_registers<0, 4>(t33, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t33, tk::part<16, 16, 16, 16>(shared.readers_m0[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t36;
                tk::slice_registers<0, 8>(t36, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t36, tk::part<32, 32, 16, 16>(shared.readers_m0[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t39;
                tk::slice_registers<0, 12>(t39, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t39, tk::part<48, 48, 16, 16>(shared.readers_m0[0]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.readers_r0[0], h0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<3>(x0_a, t30);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t33);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t36);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t39);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t42;
                tk::slice_registers<0, 0>(t42, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t42, tk::part<0, 0, 16, 16>(shared.readers_m1[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t45;
                tk::slice_registers<0, 4>(t45, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t45, tk::part<16, 16, 16, 16>(shared.readers_m1[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t48;
                tk::slice_registers<0, 8>(t48, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t48, tk::part<32, 32, 16, 16>(shared.readers_m1[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t51;
                tk::slice_registers<0, 12>(t51, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t51, tk::part<48, 48, 16, 16>(shared.readers_m1[0]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.readers_r0[0]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.readers_r0[0]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.readers_r0[0]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.readers_r0[0]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.readers_r1[0], h1, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<7>(x1_a, t42);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t58;
                tk::map(t58, thread, [&](int row, int col, float x1_a) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t58, tk::part<0, 0, 16, 64>(shared.readers_r1[0]));
                tk::mma_wait<7>(x1_b, t45);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t60;
                tk::map(t60, thread, [&](int row, int col, float x1_b) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t60, tk::part<16, 0, 16, 64>(shared.readers_r1[0]));
                tk::mma_wait<7>(x1_c, t48);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t62;
                tk::map(t62, thread, [&](int row, int col, float x1_c) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t62, tk::part<32, 0, 16, 64>(shared.readers_r1[0]));
                tk::mma_wait<7>(x1_d, t51);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t64;
                tk::map(t64, thread, [&](int row, int col, float x1_d) {
                    const int x_6 = (row & 15) >> (b_2 & 31);
                    return ((x_6 & 1) == 1 ? x_6 - 1 : -1) == col >> (b_2 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t64, tk::part<48, 0, 16, 64>(shared.readers_r1[0]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t58, t60, t62, t64);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t66;
            tk::slice_registers<0, 4>(t66, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t66, tk::part<16, 0, 16, 16>(shared.readers_m0[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t69;
            tk::slice_registers<0, 12>(t69, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t69, tk::part<48, 32, 16, 16>(shared.readers_m0[0]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r0[0], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t72;
            tk::slice_registers<0, 4>(t72, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t72, tk::part<16, 0, 16, 16>(shared.readers_m1[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t75;
            tk::slice_registers<0, 12>(t75, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t75, tk::part<48, 32, 16, 16>(shared.readers_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t66);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t78;
            tk::map(t78, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t78, tk::part<0, 0, 16, 64>(shared.readers_r0[0]));
            tk::mma_wait<3>(y0_b, t69);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t80;
            tk::map(t80, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t80, tk::part<32, 0, 16, 64>(shared.readers_r0[0]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r1[0], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<3>(y1_a, t72);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t82;
            tk::map(t82, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t82, tk::part<0, 0, 16, 64>(shared.readers_r1[0]));
            tk::mma_wait<3>(y1_b, t75);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t84;
            tk::map(t84, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t84, tk::part<32, 0, 16, 64>(shared.readers_r1[0]));
            tk::mma_wait<2>(v0, t78, t80);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t86;
            tk::slice_registers<0, 8>(t86, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t86, tk::part<32, 0, 32, 32>(shared.readers_m0[0]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r0[0], g0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(v1, t82, t84);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t89;
            tk::slice_registers<0, 8>(t89, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t89, tk::part<32, 0, 32, 32>(shared.readers_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t86);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t92;
            tk::map(t92, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t92, tk::part<0, 0, 32, 64>(shared.readers_r0[0]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.readers_r1[0], g1, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(z1, t89);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t94;
            tk::map(t94, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t94, tk::part<0, 0, 32, 64>(shared.readers_r1[0]));
            tk::mma_wait<1>(v0, t92);

            // rwkv7.tk:172: let i0 = T(i.a);
            tk::fragment<tk::bf16, 64, 64> i0;
            tk::map(i0, thread, [](int row, int col, float v0) { return row == col ? 0.0f : v0; },
                    v0);
            tk::mma_wait<0>(v1, t94);

            // rwkv7.tk:173: let i1 = T(i.b);
            tk::fragment<tk::bf16, 64, 64> i1;
            tk::map(i1, thread, [](int row, int col, float v1) { return row == col ? 0.0f : v1; },
                    v1);

            // rwkv7.tk:174: var p0 = f32(first);
            tk::fragment<tk::bf16, 64, 64> t77;
            tk::load_shared(t77, shared.readers_first[0], thread);
            tk::fragment<float, 64, 64> p0 = tk::convert<float>(t77);

            // rwkv7.tk:175: p0 += mma(i0, first);
            tk::mma_async(p0, i0, shared.readers_first[0]);

            // rwkv7.tk:176: var p1 = f32(s);
            tk::fragment<tk::bf16, 64, 64> t88;
            tk::load_shared(t88, shared.readers_s[0], thread);
            tk::fragment<float, 64, 64> p1 = tk::convert<float>(t88);

            // rwkv7.tk:177: p1 += mma(i1, s);
            tk::mma_async(p1, i1, shared.readers_s[0]);
            tk::mma_wait<1>(p0, i0);

            // rwkv7.tk:178: tma_store(Inverse[b, h.start, t.start +: L, :], i0);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.readers_Inverse[0], i0, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Inverse_map, shared.readers_Inverse[0], b, h, t, panel);
            }
            tk::mma_wait<0>(p1, i1);

            // rwkv7.tk:179: tma_store(Inverse[b, h.start + 1, t.start +: L, :], i1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.readers_Inverse[0], i1, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.readers_Inverse[0], b, h + 1, t, panel);
                }
            }

            // rwkv7.tk:180: tma_store(Product[b, h.start, t.start +: L, :], T(p0));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.readers_Product[0], tk::convert<tk::bf16>(p0), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Product_map, shared.readers_Product[0], b, h, t, panel);
            }

            // rwkv7.tk:181: tma_store(Product[b, h.start + 1, t.start +: L, :], T(p1));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.readers_Product[0], tk::convert<tk::bf16>(p1), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) {
                    tk::tma_store(Product_map, shared.readers_Product[0], b, h + 1, t, panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true: kernel rwkv7_backward.before with T = bf16,
// DK = 64, DV = 64, BV = 64, PACKED = true, L = 64.
// producer: 1 warp, 240 registers a thread; state: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 115904 bytes of shared memory.
struct rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_shared {
    tk::shared_tile<tk::bf16, 64, 64> xs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_product[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_inverse[2];
    tk::shared_tile<float, 1, 64> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> bs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> state_Before[1];
    tk::shared_tile<tk::bf16, 64, 64> state_U[1];
    tk::pipeline<2> xs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<2> lefts;
    tk::pipeline<2> ks;
    tk::pipeline<2> bs;
};
static_assert(offsetof(rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_shared, bs) == 115872);

__global__ void __launch_bounds__(256, 1) rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap Readers_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Product_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap Left_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Writers_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap U_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const int, 1> start,
    int N, int H, int J, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_shared& shared =
        *reinterpret_cast<rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Readers_map, V_map, Product_map, Inverse_map, Left_map, Keys_map,
                              Writers_map, Before_map, U_map);
        shared.xs.init(1, 4);
        shared.vs.init(1, 4);
        shared.ts.init(1, 4);
        shared.lefts.init(1, 4);
        shared.ks.init(1, 4);
        shared.bs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // rwkv7_backward.tk:66: role producer(1 warp) {
        tk::registers_at_most<240>();
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> bs_next, ks_next, lefts_next, ts_next, vs_next, xs_next;
            const int program = blockIdx.x;
            const int c = program % 1 * 64;
            const int h = program / 1 % H;
            const int b = program / (1 * H);

            // rwkv7_backward.tk:55: let first = if PACKED { (start[b] // L + b) * L } else { 0 };
            const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

            // rwkv7_backward.tk:56: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } ..
            const int end = (tk::divide_down(tk::cell(start, b + 1), 64) + b + 1) * 64;

            // rwkv7_backward.tk:67: for t in first..end by L {
            #pragma unroll 1
            for (int t = first; t < end; t += 64) {
                // rwkv7_backward.tk:68: produce xs = tma_load(Readers[at, t, h, :]);
                shared.xs.begin(xs_next, 8192);
                tk::tma_load(shared.xs_tile[xs_next.stage], Readers_map,
                             shared.xs.full[xs_next.stage], 0, t, h, 0);
                xs_next.advance();

                // rwkv7_backward.tk:69: produce vs = tma_load(V[at, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             t, h, c);
                vs_next.advance();

                // rwkv7_backward.tk:70: produce ts { product = tma_load(Pb[t, :]) allow_foreign; ..
                shared.ts.begin(ts_next, 16384);
                tk::tma_load(shared.ts_product[ts_next.stage], Product_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                tk::tma_load(shared.ts_inverse[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                ts_next.advance();

                // rwkv7_backward.tk:71: produce lefts = tma_load(Left[at, h, t.start // L, :]);
                shared.lefts.begin(lefts_next, 256);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], 0, h, tk::divide_down(t, 64), 0);
                lefts_next.advance();

                // rwkv7_backward.tk:72: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             0, t, h, 0);
                ks_next.advance();

                // rwkv7_backward.tk:73: produce bs = tma_load(Writers[at, t, h, :]);
                shared.bs.begin(bs_next, 8192);
                tk::tma_load(shared.bs_tile[bs_next.stage], Writers_map,
                             shared.bs.full[bs_next.stage], 0, t, h, 0);
                bs_next.advance();
            }
        }
    } else {
        // rwkv7_backward.tk:76: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int c = program % 1 * 64;
        const int h = program / 1 % H;
        const int b = program / (1 * H);

        // rwkv7_backward.tk:55: let first = if PACKED { (start[b] // L + b) * L } else { 0 };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7_backward.tk:56: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } else { ..
        const int end = (tk::divide_down(tk::cell(start, b + 1), 64) + b + 1) * 64;

        // rwkv7_backward.tk:77: var s: f32[BV, DK] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 64> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < J ? 64 - c : 0, 64), thread);

        // rwkv7_backward.tk:78: for t in first..end by L {
        tk::fragment<tk::bf16, 64, 64> r;
        for (int t = first; t < end; t += 64) {
            // rwkv7_backward.tk:79: let x = T(s);
            tk::fragment<tk::bf16, 64, 64> x = tk::convert<tk::bf16>(s);

            // rwkv7_backward.tk:80: let y = mma(x, (consume xs).T);
            const tk::cursor<2> xs_element = shared.xs.take(xs_next);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, x, tk::transposed(shared.xs_tile[xs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7_backward.tk:81: let v = consume vs;
            shared.vs.wait_full(xs_element);

            // rwkv7_backward.tk:82: let i = consume ts;
            shared.ts.wait_full(xs_element);

            // rwkv7_backward.tk:83: var u = mma(v.T, i.product.T);
            tk::fragment<float, 64, 64> u;
            tk::mma_async(u, tk::transposed(shared.vs_tile[xs_element.stage]),
                          tk::transposed(shared.ts_product[xs_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y, x);
            shared.xs.release(xs_element);

            // rwkv7_backward.tk:84: let z = pad(y, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(y, thread, [&](int, int col, float y) { return col < N - t ? y : 0.0f; },
                        y);
            }
            tk::mma_wait<0>(u);

            // rwkv7_backward.tk:85: u += z;
            tk::map(u, [](float u, float y) { return u + y; }, u, y);

            // rwkv7_backward.tk:86: u += mma(T(z), i.inverse.T);
            tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(y);
            tk::mma_async(u, t3, tk::transposed(shared.ts_inverse[xs_element.stage]));

            // rwkv7_backward.tk:87: s *= consume lefts;
            shared.lefts.wait_full(xs_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.lefts_tile[xs_element.stage], thread);
            shared.lefts.release_after_loads(xs_element);
            tk::map(s, [](float s, float t0) { return s * t0; }, s, t0);

            // rwkv7_backward.tk:88: s += mma(v.T, consume ks);
            shared.ks.wait_full(xs_element);
            tk::mma_async(s, tk::transposed(shared.vs_tile[xs_element.stage]),
                          shared.ks_tile[xs_element.stage]);
            tk::mma_wait<1>(u, t3);
            shared.ts.release(xs_element);

            // rwkv7_backward.tk:89: let r = T(pad(u, axis = 1, with = 0));
            if (t + 64 <= N) {
                r = tk::convert<tk::bf16>(u);
            } else {
                tk::map(r, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }

            // rwkv7_backward.tk:90: s += mma(r, consume bs);
            shared.bs.wait_full(xs_element);
            tk::mma_async(s, r, shared.bs_tile[xs_element.stage]);

            // rwkv7_backward.tk:91: tma_store(Before[at, t.start // L, h * DV + c.start +: BV, ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_Before[0], x, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Before_map, shared.state_Before[0], 0, tk::divide_down(t, 64),
                                  h * 64 + c, panel);
                }
            }
            tk::mma_wait<0>(s, r);
            shared.ks.release(xs_element);
            shared.vs.release(xs_element);
            shared.bs.release(xs_element);

            // rwkv7_backward.tk:92: tma_store(U[at, h, c, t.start +: L], r);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.state_U[0], r, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(U_map, shared.state_U[0], 0, h, c, t + panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true: kernel rwkv7_backward.behind with T = bf16,
// DK = 64, DV = 64, BV = 64, PACKED = true, L = 64.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; values: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 173344 bytes of shared memory.
struct rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_shared {
    tk::shared_tile<tk::bf16, 64, 64> bs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> cs_tile[2];
    tk::shared_tile<float, 1, 64> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> xs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ps_own[1];
    tk::shared_tile<tk::bf16, 64, 64> ps_product[1];
    tk::shared_tile<tk::bf16, 64, 64> behinds_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ds_d[1];
    tk::shared_tile<tk::bf16, 64, 64> ds_y[1];
    tk::shared_tile<tk::bf16, 64, 64> values_Behind[1];
    tk::shared_tile<tk::bf16, 64, 64> values_Y[1];
    tk::shared_tile<tk::bf16, 64, 64> values_dV[1];
    tk::pipeline<2> bs;
    tk::pipeline<2> os;
    tk::pipeline<2> cs;
    tk::pipeline<2> lefts;
    tk::pipeline<2> qs;
    tk::pipeline<2> ts;
    tk::pipeline<2> xs;
    tk::pipeline<1> ks;
    tk::pipeline<1> ps;
    tk::pipeline<1> behinds;
    tk::pipeline<1> ds;
};
static_assert(offsetof(rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_shared, ds) == 173328);

__global__ void __launch_bounds__(384, 1) rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap Writers_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap Through_map, const __grid_constant__ CUtensorMap Left_map,
    const __grid_constant__ CUtensorMap Queries_map,
    const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Readers_map, const __grid_constant__ CUtensorMap Keys_map,
    const __grid_constant__ CUtensorMap Own_map, const __grid_constant__ CUtensorMap Product_map,
    const __grid_constant__ CUtensorMap Behind_map, const __grid_constant__ CUtensorMap Y_map,
    const __grid_constant__ CUtensorMap dV_map, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<float, 4> dS0, int N,
    int H, int F, int P, int I) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_shared& shared =
        *reinterpret_cast<rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Writers_map, dO_map, Through_map, Left_map, Queries_map, Inverse_map,
                              Readers_map, Keys_map, Own_map, Product_map, Behind_map, Y_map,
                              dV_map);
        shared.bs.init(1, 4);
        shared.os.init(1, 8);
        shared.cs.init(1, 4);
        shared.lefts.init(1, 4);
        shared.qs.init(1, 4);
        shared.ts.init(1, 4);
        shared.xs.init(1, 4);
        shared.ks.init(1, 4);
        shared.ps.init(1, 4);
        shared.behinds.init(4, 4);
        shared.ds.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7_backward.tk:122: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> bs_next, cs_next, lefts_next, os_next, qs_next, ts_next, xs_next;
            tk::cursor<1> ks_next, ps_next;
            const int program = blockIdx.x;
            const int c = program % 1 * 64;
            const int h = program / 1 % H;
            const int b = program / (1 * H);

            // rwkv7_backward.tk:108: let first = if PACKED { (start[b] // L + b) * L } else { 0 };
            const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

            // rwkv7_backward.tk:109: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } ..
            const int end = (tk::divide_down(tk::cell(start, b + 1), 64) + b + 1) * 64;

            // rwkv7_backward.tk:123: for t in reversed first..end by L {
            #pragma unroll 1
            for (int t = first + (tk::divide_up(end - first, 64) - 1) * 64; t >= first; t -= 64) {
                // rwkv7_backward.tk:124: produce bs = tma_load(Writers[at, t, h, :]);
                shared.bs.begin(bs_next, 8192);
                tk::tma_load(shared.bs_tile[bs_next.stage], Writers_map,
                             shared.bs.full[bs_next.stage], 0, t, h, 0);
                bs_next.advance();

                // rwkv7_backward.tk:125: produce os = tma_load(dO[at, t, h, c]);
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             0, t, h, c);
                os_next.advance();

                // rwkv7_backward.tk:126: produce cs = tma_load(Through[at, h, t.start +: L, :]);
                shared.cs.begin(cs_next, 8192);
                tk::tma_load(shared.cs_tile[cs_next.stage], Through_map,
                             shared.cs.full[cs_next.stage], 0, h, t, 0);
                cs_next.advance();

                // rwkv7_backward.tk:127: produce lefts = tma_load(Left[at, h, t.start // L, :]);
                shared.lefts.begin(lefts_next, 256);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], 0, h, tk::divide_down(t, 64), 0);
                lefts_next.advance();

                // rwkv7_backward.tk:128: produce qs = tma_load(Queries[at, t, h, :]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Queries_map,
                             shared.qs.full[qs_next.stage], 0, t, h, 0);
                qs_next.advance();

                // rwkv7_backward.tk:129: produce ts = tma_load(Inverse[at, h, t.start +: L, :]);
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                ts_next.advance();

                // rwkv7_backward.tk:130: produce xs = tma_load(Readers[at, t, h, :]);
                shared.xs.begin(xs_next, 8192);
                tk::tma_load(shared.xs_tile[xs_next.stage], Readers_map,
                             shared.xs.full[xs_next.stage], 0, t, h, 0);
                xs_next.advance();

                // rwkv7_backward.tk:131: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             0, t, h, 0);
                ks_next.advance();

                // rwkv7_backward.tk:132: produce ps { own = tma_load(Own[at, h, t.start +: L, ..
                shared.ps.begin(ps_next, 16384);
                tk::tma_load(shared.ps_own[ps_next.stage], Own_map, shared.ps.full[ps_next.stage],
                             0, h, t, 0);
                tk::tma_load(shared.ps_product[ps_next.stage], Product_map,
                             shared.ps.full[ps_next.stage], 0, h, t, 0);
                ps_next.advance();
            }
        }
    } else if (warp < 4) {
        // rwkv7_backward.tk:135: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> behinds_next_2, ds_next_2;
        tk::cursor<2> bs_next;
        const int program = blockIdx.x;
        const int c = program % 1 * 64;
        const int h = program / 1 % H;
        const int b = program / (1 * H);

        // rwkv7_backward.tk:108: let first = if PACKED { (start[b] // L + b) * L } else { 0 };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7_backward.tk:109: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } else ..
        const int end = (tk::divide_down(tk::cell(start, b + 1), 64) + b + 1) * 64;

        // rwkv7_backward.tk:136: var g: f32[BV, DK] = load(dState[b, h, c, :]);
        tk::fragment<float, 64, 64> g;
        tk::load_global(g, tk::slice(dState, {b, h, c, 0}, b < F ? 64 - c : 0, 64), thread);

        // rwkv7_backward.tk:137: for t in reversed first..end by L {
        tk::fragment<float, 64, 64> y;
        tk::fragment<tk::bf16, 64, 64> z;
        for (int t = first + (tk::divide_up(end - first, 64) - 1) * 64; t >= first; t -= 64) {
            // rwkv7_backward.tk:138: let x = T(g);
            tk::fragment<tk::bf16, 64, 64> x = tk::convert<tk::bf16>(g);

            // rwkv7_backward.tk:139: var d = mma(x, (consume bs).T);
            const tk::cursor<2> bs_element = shared.bs.take(bs_next);
            tk::fragment<float, 64, 64> d;
            tk::mma_async(d, x, tk::transposed(shared.bs_tile[bs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7_backward.tk:140: let o = consume os;
            shared.os.wait_full(bs_element);

            // rwkv7_backward.tk:141: d += mma(o.T, consume cs);
            shared.cs.wait_full(bs_element);
            tk::mma_async(d, tk::transposed(shared.os_tile[bs_element.stage]),
                          shared.cs_tile[bs_element.stage]);

            // rwkv7_backward.tk:142: produce behinds = x;
            shared.behinds.wait_empty(behinds_next_2);
            tk::store_shared(shared.behinds_tile[behinds_next_2.stage], x, thread);
            shared.behinds.publish(behinds_next_2);
            behinds_next_2.advance();

            // rwkv7_backward.tk:143: g *= consume lefts;
            shared.lefts.wait_full(bs_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.lefts_tile[bs_element.stage], thread);
            shared.lefts.release_after_loads(bs_element);
            tk::map(g, [](float g, float t0) { return g * t0; }, g, t0);

            // rwkv7_backward.tk:144: g += mma(o.T, consume qs);
            shared.qs.wait_full(bs_element);
            tk::mma_async(g, tk::transposed(shared.os_tile[bs_element.stage]),
                          shared.qs_tile[bs_element.stage]);
            tk::mma_wait<1>(d, x);
            shared.bs.release(bs_element);
            shared.cs.release(bs_element);

            // rwkv7_backward.tk:145: var y = pad(d, axis = 1, with = 0);
            if (t + 64 <= N) {
                tk::map(y, [](float d) { return d; }, d);
            } else {
                tk::map(y, thread, [&](int, int col, float d) { return col < N - t ? d : 0.0f; },
                        d);
            }

            // rwkv7_backward.tk:146: let e = T(y);
            tk::fragment<tk::bf16, 64, 64> e = tk::convert<tk::bf16>(y);

            // rwkv7_backward.tk:147: y += mma(e, consume ts);
            shared.ts.wait_full(bs_element);
            tk::mma_async(y, e, shared.ts_tile[bs_element.stage]);
            tk::mma_wait<0>(g, y, e);
            shared.qs.release(bs_element);
            shared.os.release(bs_element);
            shared.ts.release(bs_element);

            // rwkv7_backward.tk:148: let z = T(pad(y, axis = 1, with = 0));
            if (t + 64 <= N) {
                z = tk::convert<tk::bf16>(y);
            } else {
                tk::map(z, thread, [&](int, int col, float y) { return col < N - t ? y : 0.0f; },
                        y);
            }

            // rwkv7_backward.tk:149: g += mma(z, consume xs);
            shared.xs.wait_full(bs_element);
            tk::mma_async(g, z, shared.xs_tile[bs_element.stage]);

            // rwkv7_backward.tk:150: produce ds { d = e; y = z; }
            shared.ds.wait_empty(ds_next_2);
            tk::store_shared(shared.ds_d[ds_next_2.stage], e, thread);
            tk::store_shared(shared.ds_y[ds_next_2.stage], z, thread);
            shared.ds.publish(ds_next_2);
            ds_next_2.advance();
            tk::mma_wait<0>(g, z);
            shared.xs.release(bs_element);
        }

        // rwkv7_backward.tk:152: store(dS0[b, h, c, :], g);
        tk::store_global(tk::slice(dS0, {b, h, c, 0}, b < I ? 64 - c : 0, 64), g, thread);
    } else {
        // rwkv7_backward.tk:154: role values(1 warpgroup) {
        tk::registers_at_least<232>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> os_next;
        tk::cursor<1> ps_next;
        const int program = blockIdx.x;
        const int c = program % 1 * 64;
        const int h = program / 1 % H;
        const int b = program / (1 * H);

        // rwkv7_backward.tk:108: let first = if PACKED { (start[b] // L + b) * L } else { 0 };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7_backward.tk:109: let end   = if PACKED { (start[b + 1] // L + b + 1) * L } else ..
        const int end = (tk::divide_down(tk::cell(start, b + 1), 64) + b + 1) * 64;

        // rwkv7_backward.tk:155: for t in reversed first..end by L {
        for (int t = first + (tk::divide_up(end - first, 64) - 1) * 64; t >= first; t -= 64) {
            // rwkv7_backward.tk:156: let o = consume os;
            const tk::cursor<2> o_element = shared.os.take(os_next);

            // rwkv7_backward.tk:157: let p = consume ps;
            const tk::cursor<1> p = shared.ps.take(ps_next);

            // rwkv7_backward.tk:158: let x = consume behinds;
            shared.behinds.wait_full(p);

            // rwkv7_backward.tk:159: var z = mma(consume ks, x.T);
            shared.ks.wait_full(p);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, shared.ks_tile[p.stage], tk::transposed(shared.behinds_tile[p.stage]),
                          tk::accumulate_never{});

            // rwkv7_backward.tk:160: z += mma(p.own.T, o);
            tk::mma_async(z, tk::transposed(shared.ps_own[p.stage]),
                          shared.os_tile[o_element.stage]);

            // rwkv7_backward.tk:161: tma_store(Behind[at, t.start // L, h * DV + c.start +: BV, ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::load_shared(t0, shared.behinds_tile[p.stage], thread);
            tk::mma_wait<0>(z);
            shared.ks.release(p);
            shared.os.release(o_element);
            shared.behinds.release_after_loads(p, tk::ordinary_alone{});
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.values_Behind[0], t0, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Behind_map, shared.values_Behind[0], 0, tk::divide_down(t, 64),
                                  h * 64 + c, panel);
                }
            }

            // rwkv7_backward.tk:162: let d = consume ds;
            shared.ds.wait_full(p);

            // rwkv7_backward.tk:163: z += mma(p.product.T, d.d.T);
            tk::mma_async(z, tk::transposed(shared.ps_product[p.stage]),
                          tk::transposed(shared.ds_d[p.stage]));

            // rwkv7_backward.tk:164: tma_store(Y[at, t, h, c], d.y.T);
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::load_transposed(t2, shared.ds_y[p.stage], thread);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.values_Y[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(Y_map, shared.values_Y[0], 0, t, h, c + panel);
            }
            tk::mma_wait<0>(z);
            shared.ps.release(p);
            shared.ds.release_after_loads(p, tk::ordinary_alone{});

            // rwkv7_backward.tk:165: tma_store(dV[at, t, h, c], T(z));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.values_dV[0], tk::convert<tk::bf16>(z), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dV_map, shared.values_dV[0], 0, t, h, c + panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64: kernel rwkv7_backward.chunks with T =
// bf16, TG = f16, TDW = f16, DK = 64, DV = 64, L = 64.
// producer: 1 warp, 32 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 224352 bytes of shared memory; persistent.
struct rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_shared {
    tk::shared_tile<tk::bf16, 64, 64> vs_o[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_y[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_v[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_u[1];
    tk::shared_tile<tk::bf16, 64, 64> states_before[1];
    tk::shared_tile<tk::bf16, 64, 64> states_behind[1];
    tk::shared_tile<tk::f16, 64, 64> xs_g[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_r[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_k[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_a[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_b[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_k[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_low[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_b[1];
    tk::shared_tile<tk::bf16, 64, 64> ys_k[1];
    tk::shared_tile<tk::bf16, 64, 64> ys_b[1];
    tk::shared_tile<float, 64, 64> exponents_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_k[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_m[1];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 1, 64> keys_row[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_r[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_m[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_e[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dA[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dR[1];
    tk::shared_tile<tk::f16, 64, 64> queries_dW[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::pipeline<1> vs;
    tk::pipeline<1> states;
    tk::pipeline<1> xs;
    tk::pipeline<1> rs;
    tk::pipeline<1> ys;
    tk::pipeline<1> exponents;
};
static_assert(offsetof(rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_shared, exponents) ==
              224336);

__global__ void __launch_bounds__(384, 1) rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_kernel(
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap Y_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap U_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap Behind_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap R_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap A_map,
    const __grid_constant__ CUtensorMap Bs_map, const __grid_constant__ CUtensorMap dA_map,
    const __grid_constant__ CUtensorMap dR_map, const __grid_constant__ CUtensorMap dW_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dB_map,
    const tk::tensor_argument<const int, 4> Levels, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_shared& shared =
        *reinterpret_cast<rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(dO_map, Y_map, V_map, U_map, Before_map, Behind_map, W_map, R_map,
                              K_map, A_map, Bs_map, dA_map, dR_map, dW_map, dK_map, dB_map);
        shared.vs.init(1, 8);
        shared.states.init(1, 8);
        shared.xs.init(1, 8);
        shared.rs.init(4, 8);
        shared.ys.init(4, 8);
        shared.exponents.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7_backward.tk:208: role producer(1 warp) registers(32) {
        tk::registers_at_most<32>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> states_next, vs_next, xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int c = program % 1 * 64;
                const int t = program / 1 % t_tiles * 64;
                const int h = program / (1 * t_tiles) % H;
                const int b = program / (1 * t_tiles * H);

                // rwkv7_backward.tk:215: produce vs {
                shared.vs.begin(vs_next, 32768);

                // rwkv7_backward.tk:216: o = tma_load(dO[b, t, h, DV - 64 +: 64]); y = ..
                tk::tma_load(shared.vs_o[vs_next.stage], dO_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                tk::tma_load(shared.vs_y[vs_next.stage], Y_map, shared.vs.full[vs_next.stage], b, t,
                             h, 0);
                tk::tma_load(shared.vs_v[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b, t,
                             h, 0);

                // rwkv7_backward.tk:217: u = tma_load(U[b, h, DV - 64 +: 64, t.start +: L]);
                tk::tma_load(shared.vs_u[vs_next.stage], U_map, shared.vs.full[vs_next.stage], b, h,
                             0, t);
                // rwkv7_backward.tk:215
                vs_next.advance();

                // rwkv7_backward.tk:219: produce states {
                shared.states.begin(states_next, 16384);

                // rwkv7_backward.tk:220: before = tma_load(Before[b, t.index, h * DV + (DV - 64) ..
                tk::tma_load(shared.states_before[states_next.stage], Before_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, c);
                tk::tma_load(shared.states_behind[states_next.stage], Behind_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, c);
                // rwkv7_backward.tk:219
                states_next.advance();

                // rwkv7_backward.tk:222: produce xs {
                shared.xs.begin(xs_next, 40960);

                // rwkv7_backward.tk:223: g = tma_load(W[b, t, h, c]); r = tma_load(R[b, t, h, ..
                tk::tma_load(shared.xs_g[xs_next.stage], W_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_r[xs_next.stage], R_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_k[xs_next.stage], K_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_a[xs_next.stage], A_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);

                // rwkv7_backward.tk:224: b = tma_load(Bs[b, t, h, c]);
                tk::tma_load(shared.xs_b[xs_next.stage], Bs_map, shared.xs.full[xs_next.stage], b,
                             t, h, c);
                // rwkv7_backward.tk:222
                xs_next.advance();
            }
        }
    } else if (warp < 4) {
        // rwkv7_backward.tk:234: role queries(1 warpgroup) registers(240) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> rs_next_2, vs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 1 * 64;
            const int t = program / 1 % t_tiles * 64;
            const int h = program / (1 * t_tiles) % H;
            const int b = program / (1 * t_tiles * H);

            // rwkv7_backward.tk:195: let count = Levels[b, h, t.index, c.index];
            const int count = tk::cell(Levels, b, h, t / 64, c / 64);

            // rwkv7_backward.tk:196: let near = count == 0;
            const bool near = count == 0;

            // rwkv7_backward.tk:235: var by_k: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_k;
            tk::zero(by_k);

            // rwkv7_backward.tk:236: var by_b: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_b;
            tk::zero(by_b);

            // rwkv7_backward.tk:238: let s = consume vs;
            const tk::cursor<1> s = shared.vs.take(vs_next);

            // rwkv7_backward.tk:239: by_k += mma(s.o, s.v.T);
            tk::mma_async(by_k, shared.vs_o[s.stage], tk::transposed(shared.vs_v[s.stage]));

            // rwkv7_backward.tk:240: by_b += mma(s.o, s.u);
            tk::mma_async(by_b, shared.vs_o[s.stage], shared.vs_u[s.stage]);
            tk::mma_wait<1>(by_k);

            // rwkv7_backward.tk:241: let own = parts.split<T>(pad(where(row_index(by_k) >= ..
            tk::fragment<float, 64, 64> x;
            tk::map(x, thread, [&](int row_2, int col, float by_k) {
                return col < N - t ? (row_2 >= col ? by_k * scale : 0.0f) : 0.0f;
            }, by_k);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high = tk::convert<tk::bf16>(x);
            // rwkv7_backward.tk:241
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, [](float x, tk::bf16 high) { return x - float(high); }, x, high);
            tk::mma_wait<0>(by_b);

            // rwkv7_backward.tk:244: b = T(pad(where(row_index(by_k) >= col_index(by_k), by_b * ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [&](int row_2, int col, float by_b) {
                return row_2 >= col ? by_b * scale : 0.0f;
            }, by_b);

            // rwkv7_backward.tk:242: produce rs {
            shared.rs.wait_empty(rs_next_2);

            // rwkv7_backward.tk:243: k = own.high; low = own.low;
            tk::store_shared(shared.rs_k[rs_next_2.stage], high, thread);
            tk::store_shared(shared.rs_low[rs_next_2.stage], own_low, thread);
            // rwkv7_backward.tk:244
            tk::store_shared(shared.rs_b[rs_next_2.stage], t0, thread);
            // rwkv7_backward.tk:242
            shared.rs.publish(rs_next_2);
            rs_next_2.advance();

            // rwkv7_backward.tk:246: let first = consume states;
            shared.states.wait_full(s);

            // rwkv7_backward.tk:247: var dr = mma(s.o, first.before);
            tk::fragment<float, 64, 64> dr;
            tk::mma_async(dr, shared.vs_o[s.stage], shared.states_before[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:248: var da = mma(s.y, first.before);
            tk::fragment<float, 64, 64> da;
            tk::mma_async(da, shared.vs_y[s.stage], shared.states_before[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:249: let x = consume xs;
            shared.xs.wait_full(s);

            // rwkv7_backward.tk:256: shared k: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_k[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7_backward.tk:257: shared m: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_m[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7_backward.tk:258: let w = consume rs;
            shared.rs.wait_full(s);

            // rwkv7_backward.tk:259: let z = consume ys;
            shared.ys.wait_full(s);
            tk::mma_wait<0>(dr, da);
            shared.states.release(s);
            shared.vs.release(s);

            // rwkv7_backward.tk:260: if T == bf16 and near {
            if (near) {
                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_3;
                tk::zero(x_3);

                // rwkv7_backward.tk:261: let away = ..
                tk::fragment<tk::f16, 64, 64> t5;
                tk::map(t5, thread, [](int row_2, int col) {
                    return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                        : col > row_2 && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t5, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(away, t5);

                // rwkv7_backward.tk:262: let until = exp2(away * -LOG2E);
                tk::fragment<float, 64, 64> until;
                tk::map(until, [](float away) { return tk::exp2(away * -1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::map(t7, [](tk::bf16 t1, float until) { return float(t1) * until; }, t1, until);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t7, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::load_shared(t6, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, [](tk::bf16 t2, float until, tk::bf16 t6) {
                    return tk::fma(float(t2), until, -float(t6));
                }, t2, until, t6);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t8, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:264: var y = mma(w.k, k);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, shared.rs_k[s.stage], shared.queries_k[0], tk::accumulate_never{});

                // rwkv7_backward.tk:265: y += mma(w.k, m);
                tk::mma_async(y, shared.rs_k[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:266: y += mma(w.low, k);
                tk::mma_async(y, shared.rs_low[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:267: var n = mma(z.k, k);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, shared.ys_k[s.stage], shared.queries_k[0], tk::accumulate_never{});

                // rwkv7_backward.tk:268: n += mma(z.k, m);
                tk::mma_async(n, shared.ys_k[s.stage], shared.queries_m[0]);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t9;
                tk::load_shared(t9, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t11;
                tk::map(t11, [](tk::bf16 t9, float until) { return float(t9) * until; }, t9, until);
                tk::mma_wait<1>(y);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t11, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t10;
                tk::load_shared(t10, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::load_shared(t30, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map(t12, [](tk::bf16 t10, float until, tk::bf16 t30) {
                    return tk::fma(float(t10), until, -float(t30));
                }, t10, until, t30);
                tk::mma_wait<0>(n);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t12, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:270: y += mma(w.b, k);
                tk::mma_async(y, shared.rs_b[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:271: y += mma(w.b, m);
                tk::mma_async(y, shared.rs_b[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:272: n += mma(z.b, k);
                tk::mma_async(n, shared.ys_b[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:273: n += mma(z.b, m);
                tk::mma_async(n, shared.ys_b[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:274: let half = exp2(sum(where(row_index(dr) < L / 2, ..
                tk::fragment<tk::f16, 64, 64> t39;
                tk::load_shared(t39, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> t13;
                tk::map(t13, thread, [](int row_2, int, tk::f16 t39) {
                    return row_2 < 32 ? float(t39) : 0.0f;
                }, t39);
                tk::row_fragment<float, 64> t14;
                tk::reduce_columns(t14, t13, shared.queries_f32_rows_64[0], tk::plus{}, thread, 2);
                tk::row_fragment<float, 64> half;
                tk::map(half, [](float t14) { return tk::exp2(t14 * 1.442695f); }, t14);

                // rwkv7_backward.tk:275: dr *= half * scale;
                tk::map(dr, [&](float dr, float half) { return dr * (half * scale); }, dr, half);
                tk::mma_wait<2>(y);

                // rwkv7_backward.tk:276: dr += y;
                tk::map(dr, [](float dr, float y) { return dr + y; }, dr, y);

                // rwkv7_backward.tk:277: dr *= exp2(away * LOG2E);
                tk::map(dr, [](float dr, float away) { return dr * tk::exp2(away * 1.442695f); },
                        dr, away);

                // rwkv7_backward.tk:278: da *= half;
                tk::map(da, [](float da, float half) { return da * half; }, da, half);
                tk::mma_wait<0>(n);

                // rwkv7_backward.tk:279: da += n;
                tk::map(da, [](float da, float n) { return da + n; }, da, n);

                // rwkv7_backward.tk:280: da *= exp2((away - f32(x.g)) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t50;
                tk::load_shared(t50, shared.xs_g[s.stage], thread);
                tk::map(da, [](float da, float away, tk::f16 t50) {
                    return da * tk::exp2((away - float(t50)) * 1.442695f);
                }, da, away, t50);
            }

            // rwkv7_backward.tk:282: var dw: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dw;
            tk::zero(dw);

            // rwkv7_backward.tk:283: if T == bf16 and near {
            if (near) {
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t51;
                tk::load_shared(t51, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t52;
                tk::load_shared(t52, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t15;
                tk::map(t15, [](float dr, tk::bf16 t51, float da, tk::bf16 t52) {
                    return tk::fma(dr, float(t51), da * float(t52));
                }, dr, t51, da, t52);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t15, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t53;
                tk::load_shared(t53, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t54;
                tk::load_shared(t54, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t55;
                tk::load_shared(t55, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t16;
                tk::map(t16, [](float dr, tk::bf16 t53, float da, tk::bf16 t54, tk::bf16 t55) {
                    return tk::fma(dr, float(t53), da * float(t54)) - float(t55);
                }, dr, t53, da, t54, t55);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t16, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_4;
                tk::zero(x_4);

                // rwkv7_backward.tk:286: dw += mma(onward, k);
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t17, shared.queries_k[0]);

                // rwkv7_backward.tk:287: dw += mma(onward, m);
                tk::mma_async(dw, t17, shared.queries_m[0]);

                // rwkv7_backward.tk:288: dw -= da * x.a;
                tk::fragment<tk::bf16, 64, 64> t56;
                tk::load_shared(t56, shared.xs_a[s.stage], thread);
                tk::mma_wait<0>(dw, t17);
                tk::map(dw, [](float dw, float da, tk::bf16 t56) {
                    return tk::fma(-da, float(t56), dw);
                }, dw, da, t56);
            } else {
                // rwkv7_backward.tk:290: let f = exp2(mma(TG(where(col_index(dr) < ..
                tk::fragment<tk::f16, 64, 64> t19;
                tk::map(t19, thread, [](int row_2, int col) { return col < row_2 ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t20;
                tk::mma_async(t20, t19, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(t20, t19);
                tk::fragment<float, 64, 64> f;
                tk::map(f, [](float t20) { return tk::exp2(t20 * 1.442695f); }, t20);

                // rwkv7_backward.tk:291: dr *= f * scale;
                tk::map(dr, [&](float dr, float f) { return dr * (f * scale); }, dr, f);

                // rwkv7_backward.tk:292: da *= f;
                tk::map(da, [](float da, float f) { return da * f; }, da, f);

                // rwkv7_backward.tk:293: let e = T(x.r * exp2(f32(x.g) * LOG2E));
                tk::fragment<tk::bf16, 64, 64> t57;
                tk::load_shared(t57, shared.xs_r[s.stage], thread);
                tk::fragment<tk::f16, 64, 64> t58;
                tk::load_shared(t58, shared.xs_g[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> e;
                tk::map(e, [](tk::bf16 t57, tk::f16 t58) {
                    return float(t57) * tk::exp2(float(t58) * 1.442695f);
                }, t57, t58);

                // rwkv7_backward.tk:294: k = T(dr * e);
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::map(t21, [](float dr, tk::bf16 e) { return dr * float(e); }, dr, e);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t21, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:295: m = T(da * x.a);
                tk::fragment<tk::bf16, 64, 64> t59;
                tk::load_shared(t59, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t22;
                tk::map(t22, [](float da, tk::bf16 t59) { return da * float(t59); }, da, t59);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t22, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // gated_linear_attention_backward.tk:42
                tk::fragment<float, 64, 64> x_5;
                tk::zero(x_5);

                // rwkv7_backward.tk:296: dw += ..
                tk::fragment<tk::bf16, 64, 64> t23;
                tk::map(t23, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t23, shared.queries_k[0]);

                // rwkv7_backward.tk:297: dw += mma(T(where(col_index(dr) > row_index(dr), 1.0, ..
                tk::fragment<tk::bf16, 64, 64> t24;
                tk::map(t24, thread, [](int row_2, int col) { return col > row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t24, shared.queries_m[0]);
                tk::mma_wait<0>(dw, t23, t24);

                // rwkv7_backward.tk:298: for l in 0..count {
                for (int l = 0; l < count; l += 1) {
                    // rwkv7.tk:24: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_6;
                    tk::zero(x_6);

                    // rwkv7_backward.tk:174: let f = ..
                    tk::fragment<tk::f16, 64, 64> t25;
                    tk::map(t25, thread, [&](int row_2, int col) {
                        const int x_10 = row_2 >> (l & 31);
                        const bool x_11 = (x_10 & 1) == 1;
                        const int x_12 = x_10 << (l & 31);
                        return col >= (x_11 ? x_12 : row_2 + 1) &&
                            col < (x_11 ? row_2 : tk::wrapping_add(x_12, 1 << (l & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t26;
                    tk::mma_async(t26, t25, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t26, t25);
                    tk::fragment<float, 64, 64> f_2;
                    tk::map(f_2, [](float t26) { return tk::exp2(t26 * 1.442695f); }, t26);

                    // rwkv7_backward.tk:175: s = T(y * f);
                    tk::fragment<tk::bf16, 64, 64> t60;
                    tk::load_shared(t60, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t27;
                    tk::map(t27, [](tk::bf16 t60, float f_2) { return float(t60) * f_2; },
                            t60, f_2);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t27, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:176: p = T(z * f);
                    tk::fragment<tk::bf16, 64, 64> t61;
                    tk::load_shared(t61, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t28;
                    tk::map(t28, [](tk::bf16 t61, float f_2) { return float(t61) * f_2; },
                            t61, f_2);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_m[0], t28, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:177: var u = mma(where(if OF == 2 { keys_of(d, l) } else ..
                    tk::fragment<tk::bf16, 64, 64> t62;
                    tk::load_shared(t62, shared.rs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t29;
                    tk::map(t29, thread, [&](int row_2, int col, tk::bf16 t62) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t62)
                            : tk::bf16(0.0f);
                    }, t62);
                    tk::fragment<float, 64, 64> u;
                    tk::mma_async(u, t29, shared.queries_k[0], tk::accumulate_never{});

                    // rwkv7_backward.tk:178: u += mma(where(if OF == 2 { keys_of(d, l) } else { ..
                    tk::fragment<tk::bf16, 64, 64> t63;
                    tk::load_shared(t63, shared.rs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t31;
                    tk::map(t31, thread, [&](int row_2, int col, tk::bf16 t63) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t63)
                            : tk::bf16(0.0f);
                    }, t63);
                    tk::mma_async(u, t31, shared.queries_m[0]);
                    tk::mma_wait<0>(u, t29, t31);

                    // rwkv7_backward.tk:179: u *= f;
                    tk::map(u, [](float u, float f_2) { return u * f_2; }, u, f_2);

                    // rwkv7_backward.tk:180: d += u;
                    tk::map(dr, [](float dr, float u) { return dr + u; }, dr, u);

                    // rwkv7_backward.tk:181: s = T(u * x);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::map(t32, [](float u, tk::bf16 e) { return u * float(e); }, u, e);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t32, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:32: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_7;
                    tk::zero(x_7);

                    // rwkv7_backward.tk:183: dw += ..
                    tk::fragment<tk::bf16, 64, 64> t33;
                    tk::map(t33, thread, [&](int row_2, int col) {
                        return col >= row_2 && col < tk::wrapping_add(
                            (row_2 >> (l & 31)) << (l & 31), 1 << (l & 31)) ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t33, shared.queries_k[0]);
                    // rwkv7.tk:24
                    tk::column_fragment<float, 64> x_8;
                    tk::zero(x_8);
                    // rwkv7_backward.tk:174
                    tk::fragment<float, 64, 64> t35;
                    tk::mma_async(t35, t25, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(dw, t35, t33, t25);
                    tk::fragment<float, 64, 64> f_3;
                    tk::map(f_3, [](float t35) { return tk::exp2(t35 * 1.442695f); }, t35);
                    // rwkv7_backward.tk:175
                    tk::fragment<tk::bf16, 64, 64> t64;
                    tk::load_shared(t64, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::map(t36, [](tk::bf16 t64, float f_3) { return float(t64) * f_3; },
                            t64, f_3);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t36, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:176
                    tk::fragment<tk::bf16, 64, 64> t65;
                    tk::load_shared(t65, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::map(t37, [](tk::bf16 t65, float f_3) { return float(t65) * f_3; },
                            t65, f_3);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_m[0], t37, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:177
                    tk::fragment<tk::bf16, 64, 64> t66;
                    tk::load_shared(t66, shared.ys_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::map(t38, thread, [&](int row_2, int col, tk::bf16 t66) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t66)
                            : tk::bf16(0.0f);
                    }, t66);
                    tk::fragment<float, 64, 64> u_2;
                    tk::mma_async(u_2, t38, shared.queries_k[0], tk::accumulate_never{});
                    // rwkv7_backward.tk:178
                    tk::fragment<tk::bf16, 64, 64> t67;
                    tk::load_shared(t67, shared.ys_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t40;
                    tk::map(t40, thread, [&](int row_2, int col, tk::bf16 t67) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t67)
                            : tk::bf16(0.0f);
                    }, t67);
                    tk::mma_async(u_2, t40, shared.queries_m[0]);
                    tk::mma_wait<0>(u_2, t38, t40);
                    // rwkv7_backward.tk:179
                    tk::map(u_2, [](float u_2, float f_3) { return u_2 * f_3; }, u_2, f_3);
                    // rwkv7_backward.tk:180
                    tk::map(da, [](float da, float u_2) { return da + u_2; }, da, u_2);
                    // rwkv7_backward.tk:181
                    tk::fragment<tk::bf16, 64, 64> t68;
                    tk::load_shared(t68, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::map(t41, [](float u_2, tk::bf16 t68) { return u_2 * float(t68); },
                            u_2, t68);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t41, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:32
                    tk::column_fragment<float, 64> x_9;
                    tk::zero(x_9);
                    // rwkv7_backward.tk:183
                    tk::fragment<tk::bf16, 64, 64> t42;
                    tk::map(t42, thread, [&](int row_2, int col) {
                        return col >= row_2 + 1 && col < tk::wrapping_add(
                            (row_2 >> (l & 31)) << (l & 31), 1 << (l & 31)) ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t42, shared.queries_k[0]);
                    tk::mma_wait<0>(dw, t42);
                }

                // rwkv7_backward.tk:302: dr *= exp2(f32(x.g) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t69;
                tk::load_shared(t69, shared.xs_g[s.stage], thread);
                tk::map(dr, [](float dr, tk::f16 t69) {
                    return dr * tk::exp2(float(t69) * 1.442695f);
                }, dr, t69);

                // rwkv7_backward.tk:303: dr += sum(where(row_index(dr) == col_index(dr), ..
                tk::fragment<tk::bf16, 64, 64> t70;
                tk::load_shared(t70, shared.rs_k[s.stage], thread);
                tk::fragment<float, 64, 64> t43;
                tk::map(t43, thread, [](int row_2, int col, tk::bf16 t70) {
                    return row_2 == col ? float(t70) : 0.0f;
                }, t70);
                tk::column_fragment<float, 64> t44;
                tk::fold_rows(t44, t43, tk::plus{}, thread);
                tk::finish_rows(t44, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t71;
                tk::load_shared(t71, shared.xs_k[s.stage], thread);
                tk::map(dr, [](float dr, float t44, tk::bf16 t71) {
                    return tk::fma(t44, float(t71), dr);
                }, dr, t44, t71);

                // rwkv7_backward.tk:304: dr += sum(where(row_index(dr) == col_index(dr), ..
                tk::fragment<tk::bf16, 64, 64> t72;
                tk::load_shared(t72, shared.rs_b[s.stage], thread);
                tk::fragment<float, 64, 64> t45;
                tk::map(t45, thread, [](int row_2, int col, tk::bf16 t72) {
                    return row_2 == col ? float(t72) : 0.0f;
                }, t72);
                tk::column_fragment<float, 64> t46;
                tk::fold_rows(t46, t45, tk::plus{}, thread);
                tk::finish_rows(t46, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t73;
                tk::load_shared(t73, shared.xs_b[s.stage], thread);
                tk::map(dr, [](float dr, float t46, tk::bf16 t73) {
                    return tk::fma(t46, float(t73), dr);
                }, dr, t46, t73);
            }
            shared.ys.release_after_loads(s, tk::ordinary_alone{});
            shared.rs.release_after_loads(s, tk::ordinary_alone{});
            shared.xs.release_after_loads(s);

            // rwkv7_backward.tk:306: tma_store(dA[b, t, h, c], T(da));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dA[0], tk::convert<tk::bf16>(da), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dA_map, shared.queries_dA[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:307: tma_store(dR[b, t, h, c], T(dr));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dR[0], tk::convert<tk::bf16>(dr), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dR_map, shared.queries_dR[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:308: dw += consume exponents;
            shared.exponents.wait_full(s);
            tk::fragment<float, 64, 64> t74;
            tk::load_shared(t74, shared.exponents_tile[s.stage], thread);
            shared.exponents.release_after_loads(s, tk::ordinary_alone{});
            tk::map(dw, [](float dw, float t74) { return dw + t74; }, dw, t74);

            // rwkv7_backward.tk:309: store(dW[b, t, h, c], TDW(dw));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dW[0], tk::convert<tk::f16>(dw), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dW_map, shared.queries_dW[0], b, t, h, c + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // rwkv7_backward.tk:311: role keys(1 warpgroup) registers(232) {
        tk::registers_at_least<232>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> exponents_next_2, vs_next, ys_next_2;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 1 * 64;
            const int t = program / 1 % t_tiles * 64;
            const int h = program / (1 * t_tiles) % H;
            const int b = program / (1 * t_tiles * H);

            // rwkv7_backward.tk:195: let count = Levels[b, h, t.index, c.index];
            const int count = tk::cell(Levels, b, h, t / 64, c / 64);

            // rwkv7_backward.tk:196: let near = count == 0;
            const bool near = count == 0;

            // rwkv7_backward.tk:312: var by_k: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_k;
            tk::zero(by_k);

            // rwkv7_backward.tk:313: var by_b: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_b;
            tk::zero(by_b);

            // rwkv7_backward.tk:315: let s = consume vs;
            const tk::cursor<1> s = shared.vs.take(vs_next);

            // rwkv7_backward.tk:316: by_k += mma(s.y, s.v.T);
            tk::mma_async(by_k, shared.vs_y[s.stage], tk::transposed(shared.vs_v[s.stage]));

            // rwkv7_backward.tk:317: by_b += mma(s.y, s.u);
            tk::mma_async(by_b, shared.vs_y[s.stage], shared.vs_u[s.stage]);
            tk::mma_wait<1>(by_k);

            // rwkv7_backward.tk:318: produce ys { k = T(gated_delta.strictly_lower(by_k)); b = ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [&](int row_2, int col, float by_k) {
                const int x_10 = N - t;
                return col < x_10 ? (row_2 < x_10 ? (row_2 > col ? by_k : 0.0f) : 0.0f) : 0.0f;
            }, by_k);
            tk::mma_wait<0>(by_b);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row_2, int col, float by_b) {
                return row_2 < N - t ? (row_2 > col ? by_b : 0.0f) : 0.0f;
            }, by_b);
            shared.ys.wait_empty(ys_next_2);
            tk::store_shared(shared.ys_k[ys_next_2.stage], t0, thread);
            tk::store_shared(shared.ys_b[ys_next_2.stage], t1, thread);
            shared.ys.publish(ys_next_2);
            ys_next_2.advance();

            // rwkv7_backward.tk:319: let first = consume states;
            shared.states.wait_full(s);

            // rwkv7_backward.tk:320: var dk = mma(s.v, first.behind);
            tk::fragment<float, 64, 64> dk;
            tk::mma_async(dk, shared.vs_v[s.stage], shared.states_behind[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:321: var db = mma(s.u.T, first.behind);
            tk::fragment<float, 64, 64> db;
            tk::mma_async(db, tk::transposed(shared.vs_u[s.stage]), shared.states_behind[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:322: var past: f32[L, 64] = first.before;
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::load_shared(t2, shared.states_before[s.stage], thread);
            tk::fragment<float, 64, 64> past = tk::convert<float>(t2);

            // rwkv7_backward.tk:323: past *= first.behind;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, shared.states_behind[s.stage], thread);
            tk::map(past, [](float past, tk::bf16 t3) { return past * float(t3); }, past, t3);

            // rwkv7_backward.tk:324: let x = consume xs;
            shared.xs.wait_full(s);

            // rwkv7_backward.tk:332: past *= exp2(sum(f32(x.g), axis = 0) * LOG2E);
            tk::fragment<tk::f16, 64, 64> t11;
            tk::load_shared(t11, shared.xs_g[s.stage], thread);
            tk::fragment<float, 64, 64> t4 = tk::convert<float>(t11);
            tk::row_fragment<float, 64> t5;
            tk::reduce_columns(t5, t4, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::map(past, [](float past, float t5) { return past * tk::exp2(t5 * 1.442695f); },
                    past, t5);

            // rwkv7_backward.tk:333: shared row: f32[1, 64] = sum(past, axis = 0);
            tk::row_fragment<float, 64> t6;
            tk::reduce_columns(t6, past, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_row[0], t6, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:334: shared r: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r[0], t7, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:335: shared m: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::map(t8, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_m[0], t8, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:336: shared e: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t9;
            tk::map(t9, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_e[0], t9, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:337: let w = consume rs;
            shared.rs.wait_full(s);

            // rwkv7_backward.tk:338: let z = consume ys;
            shared.ys.wait_full(s);
            tk::mma_wait<0>(dk, db);
            shared.vs.release(s);
            shared.states.release_after_loads(s, tk::ordinary_alone{});

            // rwkv7_backward.tk:339: if T == bf16 and near {
            if (near) {
                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_2;
                tk::zero(x_2);

                // rwkv7_backward.tk:340: let away = ..
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, thread, [](int row_2, int col) {
                    return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                        : col > row_2 && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t10, shared.xs_g[s.stage], tk::accumulate_never{});

                // rwkv7_backward.tk:341: let half = exp2(sum(where(row_index(dk) < L / 2, 0, ..
                tk::fragment<tk::f16, 64, 64> t19;
                tk::load_shared(t19, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> t12;
                tk::map(t12, thread, [](int row_2, int, tk::f16 t19) {
                    return row_2 < 32 ? 0.0f : float(t19);
                }, t19);
                tk::row_fragment<float, 64> t13;
                tk::reduce_columns(t13, t12, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> half;
                tk::map(half, [](float t13) { return tk::exp2(t13 * 1.442695f); }, t13);

                // rwkv7_backward.tk:342: dk *= half;
                tk::map(dk, [](float dk, float half) { return dk * half; }, dk, half);

                // rwkv7_backward.tk:343: db *= half;
                tk::map(db, [](float db, float half) { return db * half; }, db, half);

                // rwkv7_backward.tk:344: row += sum(pad((dk * x.k + db * x.b) * exp2(away * ..
                tk::fragment<tk::bf16, 64, 64> t20;
                tk::load_shared(t20, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t39;
                tk::load_shared(t39, shared.xs_b[s.stage], thread);
                tk::mma_wait<0>(away, t10);
                tk::fragment<float, 64, 64> t14;
                tk::map(t14, thread,
                        [&](int row_2, int, float dk, tk::bf16 t20, float db, tk::bf16 t39,
                            float away) {
                    return row_2 < N - t ? tk::fma(
                        dk, float(t20), db * float(t39)) * tk::exp2(away * -1.442695f) : 0.0f;
                }, dk, t20, db, t39, away);
                tk::row_fragment<float, 64> t15;
                tk::reduce_columns(t15, t14, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> t52;
                tk::load_shared(t52, shared.keys_row[0], thread);
                tk::row_fragment<float, 64> t16;
                tk::map(t16, [](float t52, float t15) { return t52 + t15; }, t52, t15);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_row[0], t16, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:345: let since = exp2(away * LOG2E);
                tk::fragment<float, 64, 64> since;
                tk::map(since, [](float away) { return tk::exp2(away * 1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t65;
                tk::load_shared(t65, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, [](tk::bf16 t65, float since) { return float(t65) * since; },
                        t65, since);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t17, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t66;
                tk::load_shared(t66, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t67;
                tk::load_shared(t67, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [](tk::bf16 t66, float since, tk::bf16 t67) {
                    return tk::fma(float(t66), since, -float(t67));
                }, t66, since, t67);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:347: var y = mma(w.k.T, r);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, tk::transposed(shared.rs_k[s.stage]), shared.keys_r[0],
                              tk::accumulate_never{});

                // rwkv7_backward.tk:348: y += mma(w.k.T, m);
                tk::mma_async(y, tk::transposed(shared.rs_k[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:349: y += mma(w.low.T, r);
                tk::mma_async(y, tk::transposed(shared.rs_low[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:350: var n = mma(w.b.T, r);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, tk::transposed(shared.rs_b[s.stage]), shared.keys_r[0],
                              tk::accumulate_never{});

                // rwkv7_backward.tk:351: n += mma(w.b.T, m);
                tk::mma_async(n, tk::transposed(shared.rs_b[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:352: let f = exp2((away - f32(x.g)) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t68;
                tk::load_shared(t68, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> f;
                tk::map(f, [](float away, tk::f16 t68) {
                    return tk::exp2((away - float(t68)) * 1.442695f);
                }, away, t68);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t69;
                tk::load_shared(t69, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::map(t21, [](tk::bf16 t69, float f) { return float(t69) * f; }, t69, f);
                tk::mma_wait<1>(y);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t21, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t70;
                tk::load_shared(t70, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t71;
                tk::load_shared(t71, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t22;
                tk::map(t22, [](tk::bf16 t70, float f, tk::bf16 t71) {
                    return tk::fma(float(t70), f, -float(t71));
                }, t70, f, t71);
                tk::mma_wait<0>(n);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t22, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:354: y += mma(z.k.T, r);
                tk::mma_async(y, tk::transposed(shared.ys_k[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:355: y += mma(z.k.T, m);
                tk::mma_async(y, tk::transposed(shared.ys_k[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:356: n += mma(z.b.T, r);
                tk::mma_async(n, tk::transposed(shared.ys_b[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:357: n += mma(z.b.T, m);
                tk::mma_async(n, tk::transposed(shared.ys_b[s.stage]), shared.keys_m[0]);
                tk::mma_wait<2>(y);

                // rwkv7_backward.tk:358: dk += y;
                tk::map(dk, [](float dk, float y) { return dk + y; }, dk, y);

                // rwkv7_backward.tk:359: dk *= exp2(away * -LOG2E);
                tk::map(dk, [](float dk, float away) { return dk * tk::exp2(away * -1.442695f); },
                        dk, away);
                tk::mma_wait<0>(n);

                // rwkv7_backward.tk:360: db += n;
                tk::map(db, [](float db, float n) { return db + n; }, db, n);

                // rwkv7_backward.tk:361: db *= exp2(away * -LOG2E);
                tk::map(db, [](float db, float away) { return db * tk::exp2(away * -1.442695f); },
                        db, away);
            }

            // rwkv7_backward.tk:363: var dw: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dw;
            tk::zero(dw);

            // rwkv7_backward.tk:364: if T == bf16 and near {
            if (near) {
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t72;
                tk::load_shared(t72, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t73;
                tk::load_shared(t73, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t23;
                tk::map(t23, [](float dk, tk::bf16 t72, float db, tk::bf16 t73) {
                    return tk::fma(-dk, float(t72), -(db * float(t73)));
                }, dk, t72, db, t73);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t23, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t74;
                tk::load_shared(t74, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t75;
                tk::load_shared(t75, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t76;
                tk::load_shared(t76, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t24;
                tk::map(t24, [](float dk, tk::bf16 t74, float db, tk::bf16 t75, tk::bf16 t76) {
                    return tk::fma(-dk, float(t74), -(db * float(t75))) - float(t76);
                }, dk, t74, db, t75, t76);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t24, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_3;
                tk::zero(x_3);

                // rwkv7_backward.tk:367: dw += mma(onward, r);
                tk::fragment<tk::bf16, 64, 64> t25;
                tk::map(t25, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t25, shared.keys_r[0]);

                // rwkv7_backward.tk:368: dw += mma(onward, m);
                tk::mma_async(dw, t25, shared.keys_m[0]);
                tk::mma_wait<0>(dw, t25);
            } else {
                // rwkv7_backward.tk:370: let f = exp2(mma(TG(where(col_index(dk) > ..
                tk::fragment<tk::f16, 64, 64> t27;
                tk::map(t27, thread, [](int row_2, int col) { return col > row_2 ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t28;
                tk::mma_async(t28, t27, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(t28, t27);
                tk::fragment<float, 64, 64> f_2;
                tk::map(f_2, [](float t28) { return tk::exp2(t28 * 1.442695f); }, t28);

                // rwkv7_backward.tk:371: dk *= f;
                tk::map(dk, [](float dk, float f_2) { return dk * f_2; }, dk, f_2);

                // rwkv7_backward.tk:372: db *= f;
                tk::map(db, [](float db, float f_2) { return db * f_2; }, db, f_2);

                // rwkv7_backward.tk:373: e = T(x.r * exp2(f32(x.g) * LOG2E));
                tk::fragment<tk::bf16, 64, 64> t77;
                tk::load_shared(t77, shared.xs_r[s.stage], thread);
                tk::fragment<tk::f16, 64, 64> t78;
                tk::load_shared(t78, shared.xs_g[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t29;
                tk::map(t29, [](tk::bf16 t77, tk::f16 t78) {
                    return float(t77) * tk::exp2(float(t78) * 1.442695f);
                }, t77, t78);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_e[0], t29, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:374: r = T(dk * x.k + db * x.b);
                tk::fragment<tk::bf16, 64, 64> t79;
                tk::load_shared(t79, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t80;
                tk::load_shared(t80, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::map(t30, [](float dk, tk::bf16 t79, float db, tk::bf16 t80) {
                    return tk::fma(dk, float(t79), db * float(t80));
                }, dk, t79, db, t80);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t30, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:375: dw += mma(T(where(col_index(dk) < row_index(dk), 1.0, ..
                tk::fragment<tk::bf16, 64, 64> t31;
                tk::map(t31, thread, [](int row_2, int col) { return col < row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t31, shared.keys_r[0]);
                tk::mma_wait<0>(dw, t31);

                // rwkv7_backward.tk:376: for l in 0..count {
                for (int l = 0; l < count; l += 1) {
                    // rwkv7.tk:24: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_4;
                    tk::zero(x_4);

                    // rwkv7_backward.tk:174: let f = ..
                    tk::fragment<tk::f16, 64, 64> t32;
                    tk::map(t32, thread, [&](int row_2, int col) {
                        const int x_10 = row_2 >> (l & 31);
                        const bool x_11 = (x_10 & 1) == 1;
                        const int x_12 = x_10 << (l & 31);
                        return col >= (x_11 ? x_12 : row_2 + 1) &&
                            col < (x_11 ? row_2 : tk::wrapping_add(x_12, 1 << (l & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t33;
                    tk::mma_async(t33, t32, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t33, t32);
                    tk::fragment<float, 64, 64> f_3;
                    tk::map(f_3, [](float t33) { return tk::exp2(t33 * 1.442695f); }, t33);

                    // rwkv7_backward.tk:175: s = T(y * f);
                    tk::fragment<tk::bf16, 64, 64> t81;
                    tk::load_shared(t81, shared.keys_e[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, [](tk::bf16 t81, float f_3) { return float(t81) * f_3; },
                            t81, f_3);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t34, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:176: p = T(z * f);
                    tk::fragment<tk::bf16, 64, 64> t82;
                    tk::load_shared(t82, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::map(t35, [](tk::bf16 t82, float f_3) { return float(t82) * f_3; },
                            t82, f_3);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t35, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:177: var u = mma(where(if OF == 2 { keys_of(d, l) } else ..
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::load_transposed(t37, shared.rs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::map(t38, thread, [&](int row_2, int col, tk::bf16 t37) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t37)
                            : tk::bf16(0.0f);
                    }, t37);
                    tk::fragment<float, 64, 64> u;
                    tk::mma_async(u, t38, shared.keys_r[0], tk::accumulate_never{});

                    // rwkv7_backward.tk:178: u += mma(where(if OF == 2 { keys_of(d, l) } else { ..
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::load_transposed(t41, shared.ys_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t42;
                    tk::map(t42, thread, [&](int row_2, int col, tk::bf16 t41) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t41)
                            : tk::bf16(0.0f);
                    }, t41);
                    tk::mma_async(u, t42, shared.keys_m[0]);
                    tk::mma_wait<0>(u, t38, t42);

                    // rwkv7_backward.tk:179: u *= f;
                    tk::map(u, [](float u, float f_3) { return u * f_3; }, u, f_3);

                    // rwkv7_backward.tk:180: d += u;
                    tk::map(dk, [](float dk, float u) { return dk + u; }, dk, u);

                    // rwkv7_backward.tk:181: s = T(u * x);
                    tk::fragment<tk::bf16, 64, 64> t83;
                    tk::load_shared(t83, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t43;
                    tk::map(t43, [](float u, tk::bf16 t83) { return u * float(t83); }, u, t83);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t43, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:37: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_5;
                    tk::zero(x_5);

                    // rwkv7_backward.tk:183: dw += ..
                    tk::fragment<tk::bf16, 64, 64> t44;
                    tk::map(t44, thread, [&](int row_2, int col) {
                        return col >= (row_2 >> (l & 31)) << (l & 31) && col < row_2 ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t44, shared.keys_r[0]);
                    // rwkv7.tk:24
                    tk::column_fragment<float, 64> x_6;
                    tk::zero(x_6);
                    // rwkv7_backward.tk:174
                    tk::fragment<float, 64, 64> t46;
                    tk::mma_async(t46, t32, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(dw, t46, t44, t32);
                    tk::fragment<float, 64, 64> f_4;
                    tk::map(f_4, [](float t46) { return tk::exp2(t46 * 1.442695f); }, t46);
                    // rwkv7_backward.tk:175
                    tk::fragment<tk::bf16, 64, 64> t84;
                    tk::load_shared(t84, shared.keys_e[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t47;
                    tk::map(t47, [](tk::bf16 t84, float f_4) { return float(t84) * f_4; },
                            t84, f_4);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t47, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:176
                    tk::fragment<tk::bf16, 64, 64> t85;
                    tk::load_shared(t85, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t48;
                    tk::map(t48, [](tk::bf16 t85, float f_4) { return float(t85) * f_4; },
                            t85, f_4);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t48, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:177
                    tk::fragment<tk::bf16, 64, 64> t50;
                    tk::load_transposed(t50, shared.rs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t51;
                    tk::map(t51, thread, [&](int row_2, int col, tk::bf16 t50) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t50)
                            : tk::bf16(0.0f);
                    }, t50);
                    tk::fragment<float, 64, 64> u_2;
                    tk::mma_async(u_2, t51, shared.keys_r[0], tk::accumulate_never{});
                    // rwkv7_backward.tk:178
                    tk::fragment<tk::bf16, 64, 64> t54;
                    tk::load_transposed(t54, shared.ys_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t55;
                    tk::map(t55, thread, [&](int row_2, int col, tk::bf16 t54) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t54)
                            : tk::bf16(0.0f);
                    }, t54);
                    tk::mma_async(u_2, t55, shared.keys_m[0]);
                    tk::mma_wait<0>(u_2, t51, t55);
                    // rwkv7_backward.tk:179
                    tk::map(u_2, [](float u_2, float f_4) { return u_2 * f_4; }, u_2, f_4);
                    // rwkv7_backward.tk:180
                    tk::map(db, [](float db, float u_2) { return db + u_2; }, db, u_2);
                    // rwkv7_backward.tk:181
                    tk::fragment<tk::bf16, 64, 64> t86;
                    tk::load_shared(t86, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t56;
                    tk::map(t56, [](float u_2, tk::bf16 t86) { return u_2 * float(t86); },
                            u_2, t86);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t56, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:37
                    tk::column_fragment<float, 64> x_7;
                    tk::zero(x_7);
                    // rwkv7_backward.tk:183
                    tk::mma_async(dw, t44, shared.keys_r[0]);
                    tk::mma_wait<0>(dw, t44);
                }

                // rwkv7_backward.tk:380: dk += sum(where(row_index(dk) == col_index(dk), ..
                tk::fragment<tk::bf16, 64, 64> t87;
                tk::load_shared(t87, shared.rs_k[s.stage], thread);
                tk::fragment<float, 64, 64> t58;
                tk::map(t58, thread, [](int row_2, int col, tk::bf16 t87) {
                    return row_2 == col ? float(t87) : 0.0f;
                }, t87);
                tk::column_fragment<float, 64> t59;
                tk::fold_rows(t59, t58, tk::plus{}, thread);
                tk::finish_rows(t59, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t88;
                tk::load_shared(t88, shared.xs_r[s.stage], thread);
                tk::map(dk, [](float dk, float t59, tk::bf16 t88) {
                    return tk::fma(t59, float(t88), dk);
                }, dk, t59, t88);

                // rwkv7_backward.tk:381: db += sum(where(row_index(dk) == col_index(dk), ..
                tk::fragment<tk::bf16, 64, 64> t89;
                tk::load_shared(t89, shared.rs_b[s.stage], thread);
                tk::fragment<float, 64, 64> t60;
                tk::map(t60, thread, [](int row_2, int col, tk::bf16 t89) {
                    return row_2 == col ? float(t89) : 0.0f;
                }, t89);
                tk::column_fragment<float, 64> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t90;
                tk::load_shared(t90, shared.xs_r[s.stage], thread);
                tk::map(db, [](float db, float t61, tk::bf16 t90) {
                    return tk::fma(t61, float(t90), db);
                }, db, t61, t90);
            }
            shared.ys.release_after_loads(s, tk::ordinary_alone{});
            shared.rs.release_after_loads(s, tk::ordinary_alone{});
            shared.xs.release_after_loads(s);

            // rwkv7_backward.tk:383: produce exponents = dw + row;
            tk::row_fragment<float, 64> t91;
            tk::load_shared(t91, shared.keys_row[0], thread);
            tk::fragment<float, 64, 64> t62;
            tk::map(t62, [](float dw, float t91) { return dw + t91; }, dw, t91);
            shared.exponents.wait_empty(exponents_next_2);
            tk::store_shared(shared.exponents_tile[exponents_next_2.stage], t62, thread);
            shared.exponents.publish(exponents_next_2, tk::ordinary_alone{});
            exponents_next_2.advance();

            // rwkv7_backward.tk:384: tma_store(dK[b, t, h, c], T(dk));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(dk), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:385: tma_store(dB[b, t, h, c], T(db));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(db), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dB_map, shared.keys_dK[0], b, t, h, c + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general: kernel rwkv7_backward.chunks
// with T = bf16, TG = f16, TDW = f16, DK = 64, DV = 64, L = 64; any strides and alignment.
// producer: 1 warp, 32 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 224352 bytes of shared memory; persistent.
struct rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_shared {
    tk::shared_tile<tk::bf16, 64, 64> vs_o[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_y[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_v[1];
    tk::shared_tile<tk::bf16, 64, 64> vs_u[1];
    tk::shared_tile<tk::bf16, 64, 64> states_before[1];
    tk::shared_tile<tk::bf16, 64, 64> states_behind[1];
    tk::shared_tile<tk::f16, 64, 64> xs_g[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_r[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_k[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_a[1];
    tk::shared_tile<tk::bf16, 64, 64> xs_b[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_k[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_low[1];
    tk::shared_tile<tk::bf16, 64, 64> rs_b[1];
    tk::shared_tile<tk::bf16, 64, 64> ys_k[1];
    tk::shared_tile<tk::bf16, 64, 64> ys_b[1];
    tk::shared_tile<float, 64, 64> exponents_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_k[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_m[1];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 1, 64> keys_row[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_r[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_m[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_e[1];
    tk::shared_tile<float, 4, 64> keys_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dA[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_dR[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_dB[1];
    tk::pipeline<1> vs;
    tk::pipeline<1> states;
    tk::pipeline<1> xs;
    tk::pipeline<1> rs;
    tk::pipeline<1> ys;
    tk::pipeline<1> exponents;
};
static_assert(offsetof(rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_shared,
                       exponents) == 224336);

__global__ void __launch_bounds__(384, 1) rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_kernel(
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap Y_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap U_map,
    const __grid_constant__ CUtensorMap Before_map, const __grid_constant__ CUtensorMap Behind_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap R_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap A_map,
    const __grid_constant__ CUtensorMap Bs_map, const __grid_constant__ CUtensorMap dA_map,
    const __grid_constant__ CUtensorMap dR_map, const __grid_constant__ CUtensorMap dK_map,
    const __grid_constant__ CUtensorMap dB_map, const tk::tensor_argument<const int, 4> Levels,
    const tk::tensor_argument<tk::f16, 4> dW, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_shared& shared =
        *reinterpret_cast<rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(dO_map, Y_map, V_map, U_map, Before_map, Behind_map, W_map, R_map,
                              K_map, A_map, Bs_map, dA_map, dR_map, dK_map, dB_map);
        shared.vs.init(1, 8);
        shared.states.init(1, 8);
        shared.xs.init(1, 8);
        shared.rs.init(4, 8);
        shared.ys.init(4, 8);
        shared.exponents.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7_backward.tk:208: role producer(1 warp) registers(32) {
        tk::registers_at_most<32>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> states_next, vs_next, xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int c = program % 1 * 64;
                const int t = program / 1 % t_tiles * 64;
                const int h = program / (1 * t_tiles) % H;
                const int b = program / (1 * t_tiles * H);

                // rwkv7_backward.tk:215: produce vs {
                shared.vs.begin(vs_next, 32768);

                // rwkv7_backward.tk:216: o = tma_load(dO[b, t, h, DV - 64 +: 64]); y = ..
                tk::tma_load(shared.vs_o[vs_next.stage], dO_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                tk::tma_load(shared.vs_y[vs_next.stage], Y_map, shared.vs.full[vs_next.stage], b, t,
                             h, 0);
                tk::tma_load(shared.vs_v[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b, t,
                             h, 0);

                // rwkv7_backward.tk:217: u = tma_load(U[b, h, DV - 64 +: 64, t.start +: L]);
                tk::tma_load(shared.vs_u[vs_next.stage], U_map, shared.vs.full[vs_next.stage], b, h,
                             0, t);
                // rwkv7_backward.tk:215
                vs_next.advance();

                // rwkv7_backward.tk:219: produce states {
                shared.states.begin(states_next, 16384);

                // rwkv7_backward.tk:220: before = tma_load(Before[b, t.index, h * DV + (DV - 64) ..
                tk::tma_load(shared.states_before[states_next.stage], Before_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, c);
                tk::tma_load(shared.states_behind[states_next.stage], Behind_map,
                             shared.states.full[states_next.stage], b, t / 64, h * 64, c);
                // rwkv7_backward.tk:219
                states_next.advance();

                // rwkv7_backward.tk:222: produce xs {
                shared.xs.begin(xs_next, 40960);

                // rwkv7_backward.tk:223: g = tma_load(W[b, t, h, c]); r = tma_load(R[b, t, h, ..
                tk::tma_load(shared.xs_g[xs_next.stage], W_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_r[xs_next.stage], R_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_k[xs_next.stage], K_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);
                tk::tma_load(shared.xs_a[xs_next.stage], A_map, shared.xs.full[xs_next.stage], b, t,
                             h, c);

                // rwkv7_backward.tk:224: b = tma_load(Bs[b, t, h, c]);
                tk::tma_load(shared.xs_b[xs_next.stage], Bs_map, shared.xs.full[xs_next.stage], b,
                             t, h, c);
                // rwkv7_backward.tk:222
                xs_next.advance();
            }
        }
    } else if (warp < 4) {
        // rwkv7_backward.tk:234: role queries(1 warpgroup) registers(240) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> rs_next_2, vs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 1 * 64;
            const int t = program / 1 % t_tiles * 64;
            const int h = program / (1 * t_tiles) % H;
            const int b = program / (1 * t_tiles * H);

            // rwkv7_backward.tk:195: let count = Levels[b, h, t.index, c.index];
            const int count = tk::cell(Levels, b, h, t / 64, c / 64);

            // rwkv7_backward.tk:196: let near = count == 0;
            const bool near = count == 0;

            // rwkv7_backward.tk:235: var by_k: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_k;
            tk::zero(by_k);

            // rwkv7_backward.tk:236: var by_b: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_b;
            tk::zero(by_b);

            // rwkv7_backward.tk:238: let s = consume vs;
            const tk::cursor<1> s = shared.vs.take(vs_next);

            // rwkv7_backward.tk:239: by_k += mma(s.o, s.v.T);
            tk::mma_async(by_k, shared.vs_o[s.stage], tk::transposed(shared.vs_v[s.stage]));

            // rwkv7_backward.tk:240: by_b += mma(s.o, s.u);
            tk::mma_async(by_b, shared.vs_o[s.stage], shared.vs_u[s.stage]);
            tk::mma_wait<1>(by_k);

            // rwkv7_backward.tk:241: let own = parts.split<T>(pad(where(row_index(by_k) >= ..
            tk::fragment<float, 64, 64> x;
            tk::map(x, thread, [&](int row_2, int col, float by_k) {
                return col < N - t ? (row_2 >= col ? by_k * scale : 0.0f) : 0.0f;
            }, by_k);

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high = tk::convert<tk::bf16>(x);
            // rwkv7_backward.tk:241
            tk::fragment<tk::bf16, 64, 64> own_low;
            tk::map(own_low, [](float x, tk::bf16 high) { return x - float(high); }, x, high);
            tk::mma_wait<0>(by_b);

            // rwkv7_backward.tk:244: b = T(pad(where(row_index(by_k) >= col_index(by_k), by_b * ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [&](int row_2, int col, float by_b) {
                return row_2 >= col ? by_b * scale : 0.0f;
            }, by_b);

            // rwkv7_backward.tk:242: produce rs {
            shared.rs.wait_empty(rs_next_2);

            // rwkv7_backward.tk:243: k = own.high; low = own.low;
            tk::store_shared(shared.rs_k[rs_next_2.stage], high, thread);
            tk::store_shared(shared.rs_low[rs_next_2.stage], own_low, thread);
            // rwkv7_backward.tk:244
            tk::store_shared(shared.rs_b[rs_next_2.stage], t0, thread);
            // rwkv7_backward.tk:242
            shared.rs.publish(rs_next_2);
            rs_next_2.advance();

            // rwkv7_backward.tk:246: let first = consume states;
            shared.states.wait_full(s);

            // rwkv7_backward.tk:247: var dr = mma(s.o, first.before);
            tk::fragment<float, 64, 64> dr;
            tk::mma_async(dr, shared.vs_o[s.stage], shared.states_before[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:248: var da = mma(s.y, first.before);
            tk::fragment<float, 64, 64> da;
            tk::mma_async(da, shared.vs_y[s.stage], shared.states_before[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:249: let x = consume xs;
            shared.xs.wait_full(s);

            // rwkv7_backward.tk:256: shared k: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::map(t3, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_k[0], t3, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7_backward.tk:257: shared m: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::map(t4, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_m[0], t4, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // rwkv7_backward.tk:258: let w = consume rs;
            shared.rs.wait_full(s);

            // rwkv7_backward.tk:259: let z = consume ys;
            shared.ys.wait_full(s);
            tk::mma_wait<0>(dr, da);
            shared.states.release(s);
            shared.vs.release(s);

            // rwkv7_backward.tk:260: if T == bf16 and near {
            if (near) {
                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_3;
                tk::zero(x_3);

                // rwkv7_backward.tk:261: let away = ..
                tk::fragment<tk::f16, 64, 64> t5;
                tk::map(t5, thread, [](int row_2, int col) {
                    return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                        : col > row_2 && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t5, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(away, t5);

                // rwkv7_backward.tk:262: let until = exp2(away * -LOG2E);
                tk::fragment<float, 64, 64> until;
                tk::map(until, [](float away) { return tk::exp2(away * -1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::map(t7, [](tk::bf16 t1, float until) { return float(t1) * until; }, t1, until);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t7, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::load_shared(t6, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, [](tk::bf16 t2, float until, tk::bf16 t6) {
                    return tk::fma(float(t2), until, -float(t6));
                }, t2, until, t6);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t8, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:264: var y = mma(w.k, k);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, shared.rs_k[s.stage], shared.queries_k[0], tk::accumulate_never{});

                // rwkv7_backward.tk:265: y += mma(w.k, m);
                tk::mma_async(y, shared.rs_k[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:266: y += mma(w.low, k);
                tk::mma_async(y, shared.rs_low[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:267: var n = mma(z.k, k);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, shared.ys_k[s.stage], shared.queries_k[0], tk::accumulate_never{});

                // rwkv7_backward.tk:268: n += mma(z.k, m);
                tk::mma_async(n, shared.ys_k[s.stage], shared.queries_m[0]);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t9;
                tk::load_shared(t9, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t11;
                tk::map(t11, [](tk::bf16 t9, float until) { return float(t9) * until; }, t9, until);
                tk::mma_wait<1>(y);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t11, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t10;
                tk::load_shared(t10, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::load_shared(t30, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map(t12, [](tk::bf16 t10, float until, tk::bf16 t30) {
                    return tk::fma(float(t10), until, -float(t30));
                }, t10, until, t30);
                tk::mma_wait<0>(n);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t12, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:270: y += mma(w.b, k);
                tk::mma_async(y, shared.rs_b[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:271: y += mma(w.b, m);
                tk::mma_async(y, shared.rs_b[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:272: n += mma(z.b, k);
                tk::mma_async(n, shared.ys_b[s.stage], shared.queries_k[0]);

                // rwkv7_backward.tk:273: n += mma(z.b, m);
                tk::mma_async(n, shared.ys_b[s.stage], shared.queries_m[0]);

                // rwkv7_backward.tk:274: let half = exp2(sum(where(row_index(dr) < L / 2, ..
                tk::fragment<tk::f16, 64, 64> t39;
                tk::load_shared(t39, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> t13;
                tk::map(t13, thread, [](int row_2, int, tk::f16 t39) {
                    return row_2 < 32 ? float(t39) : 0.0f;
                }, t39);
                tk::row_fragment<float, 64> t14;
                tk::reduce_columns(t14, t13, shared.queries_f32_rows_64[0], tk::plus{}, thread, 2);
                tk::row_fragment<float, 64> half;
                tk::map(half, [](float t14) { return tk::exp2(t14 * 1.442695f); }, t14);

                // rwkv7_backward.tk:275: dr *= half * scale;
                tk::map(dr, [&](float dr, float half) { return dr * (half * scale); }, dr, half);
                tk::mma_wait<2>(y);

                // rwkv7_backward.tk:276: dr += y;
                tk::map(dr, [](float dr, float y) { return dr + y; }, dr, y);

                // rwkv7_backward.tk:277: dr *= exp2(away * LOG2E);
                tk::map(dr, [](float dr, float away) { return dr * tk::exp2(away * 1.442695f); },
                        dr, away);

                // rwkv7_backward.tk:278: da *= half;
                tk::map(da, [](float da, float half) { return da * half; }, da, half);
                tk::mma_wait<0>(n);

                // rwkv7_backward.tk:279: da += n;
                tk::map(da, [](float da, float n) { return da + n; }, da, n);

                // rwkv7_backward.tk:280: da *= exp2((away - f32(x.g)) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t50;
                tk::load_shared(t50, shared.xs_g[s.stage], thread);
                tk::map(da, [](float da, float away, tk::f16 t50) {
                    return da * tk::exp2((away - float(t50)) * 1.442695f);
                }, da, away, t50);
            }

            // rwkv7_backward.tk:282: var dw: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dw;
            tk::zero(dw);

            // rwkv7_backward.tk:283: if T == bf16 and near {
            if (near) {
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t51;
                tk::load_shared(t51, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t52;
                tk::load_shared(t52, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t15;
                tk::map(t15, [](float dr, tk::bf16 t51, float da, tk::bf16 t52) {
                    return tk::fma(dr, float(t51), da * float(t52));
                }, dr, t51, da, t52);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t15, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t53;
                tk::load_shared(t53, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t54;
                tk::load_shared(t54, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t55;
                tk::load_shared(t55, shared.queries_k[0], thread);
                tk::fragment<tk::bf16, 64, 64> t16;
                tk::map(t16, [](float dr, tk::bf16 t53, float da, tk::bf16 t54, tk::bf16 t55) {
                    return tk::fma(dr, float(t53), da * float(t54)) - float(t55);
                }, dr, t53, da, t54, t55);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t16, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_4;
                tk::zero(x_4);

                // rwkv7_backward.tk:286: dw += mma(onward, k);
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t17, shared.queries_k[0]);

                // rwkv7_backward.tk:287: dw += mma(onward, m);
                tk::mma_async(dw, t17, shared.queries_m[0]);

                // rwkv7_backward.tk:288: dw -= da * x.a;
                tk::fragment<tk::bf16, 64, 64> t56;
                tk::load_shared(t56, shared.xs_a[s.stage], thread);
                tk::mma_wait<0>(dw, t17);
                tk::map(dw, [](float dw, float da, tk::bf16 t56) {
                    return tk::fma(-da, float(t56), dw);
                }, dw, da, t56);
            } else {
                // rwkv7_backward.tk:290: let f = exp2(mma(TG(where(col_index(dr) < ..
                tk::fragment<tk::f16, 64, 64> t19;
                tk::map(t19, thread, [](int row_2, int col) { return col < row_2 ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t20;
                tk::mma_async(t20, t19, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(t20, t19);
                tk::fragment<float, 64, 64> f;
                tk::map(f, [](float t20) { return tk::exp2(t20 * 1.442695f); }, t20);

                // rwkv7_backward.tk:291: dr *= f * scale;
                tk::map(dr, [&](float dr, float f) { return dr * (f * scale); }, dr, f);

                // rwkv7_backward.tk:292: da *= f;
                tk::map(da, [](float da, float f) { return da * f; }, da, f);

                // rwkv7_backward.tk:293: let e = T(x.r * exp2(f32(x.g) * LOG2E));
                tk::fragment<tk::bf16, 64, 64> t57;
                tk::load_shared(t57, shared.xs_r[s.stage], thread);
                tk::fragment<tk::f16, 64, 64> t58;
                tk::load_shared(t58, shared.xs_g[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> e;
                tk::map(e, [](tk::bf16 t57, tk::f16 t58) {
                    return float(t57) * tk::exp2(float(t58) * 1.442695f);
                }, t57, t58);

                // rwkv7_backward.tk:294: k = T(dr * e);
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::map(t21, [](float dr, tk::bf16 e) { return dr * float(e); }, dr, e);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_k[0], t21, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // rwkv7_backward.tk:295: m = T(da * x.a);
                tk::fragment<tk::bf16, 64, 64> t59;
                tk::load_shared(t59, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t22;
                tk::map(t22, [](float da, tk::bf16 t59) { return da * float(t59); }, da, t59);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.queries_m[0], t22, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // gated_linear_attention_backward.tk:42
                tk::fragment<float, 64, 64> x_5;
                tk::zero(x_5);

                // rwkv7_backward.tk:296: dw += ..
                tk::fragment<tk::bf16, 64, 64> t23;
                tk::map(t23, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t23, shared.queries_k[0]);

                // rwkv7_backward.tk:297: dw += mma(T(where(col_index(dr) > row_index(dr), 1.0, ..
                tk::fragment<tk::bf16, 64, 64> t24;
                tk::map(t24, thread, [](int row_2, int col) { return col > row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t24, shared.queries_m[0]);
                tk::mma_wait<0>(dw, t23, t24);

                // rwkv7_backward.tk:298: for l in 0..count {
                for (int l = 0; l < count; l += 1) {
                    // rwkv7.tk:24: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_6;
                    tk::zero(x_6);

                    // rwkv7_backward.tk:174: let f = ..
                    tk::fragment<tk::f16, 64, 64> t25;
                    tk::map(t25, thread, [&](int row_2, int col) {
                        const int x_10 = row_2 >> (l & 31);
                        const bool x_11 = (x_10 & 1) == 1;
                        const int x_12 = x_10 << (l & 31);
                        return col >= (x_11 ? x_12 : row_2 + 1) &&
                            col < (x_11 ? row_2 : tk::wrapping_add(x_12, 1 << (l & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t26;
                    tk::mma_async(t26, t25, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t26, t25);
                    tk::fragment<float, 64, 64> f_2;
                    tk::map(f_2, [](float t26) { return tk::exp2(t26 * 1.442695f); }, t26);

                    // rwkv7_backward.tk:175: s = T(y * f);
                    tk::fragment<tk::bf16, 64, 64> t60;
                    tk::load_shared(t60, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t27;
                    tk::map(t27, [](tk::bf16 t60, float f_2) { return float(t60) * f_2; },
                            t60, f_2);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t27, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:176: p = T(z * f);
                    tk::fragment<tk::bf16, 64, 64> t61;
                    tk::load_shared(t61, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t28;
                    tk::map(t28, [](tk::bf16 t61, float f_2) { return float(t61) * f_2; },
                            t61, f_2);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_m[0], t28, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:177: var u = mma(where(if OF == 2 { keys_of(d, l) } else ..
                    tk::fragment<tk::bf16, 64, 64> t62;
                    tk::load_shared(t62, shared.rs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t29;
                    tk::map(t29, thread, [&](int row_2, int col, tk::bf16 t62) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t62)
                            : tk::bf16(0.0f);
                    }, t62);
                    tk::fragment<float, 64, 64> u;
                    tk::mma_async(u, t29, shared.queries_k[0], tk::accumulate_never{});

                    // rwkv7_backward.tk:178: u += mma(where(if OF == 2 { keys_of(d, l) } else { ..
                    tk::fragment<tk::bf16, 64, 64> t63;
                    tk::load_shared(t63, shared.rs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t31;
                    tk::map(t31, thread, [&](int row_2, int col, tk::bf16 t63) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t63)
                            : tk::bf16(0.0f);
                    }, t63);
                    tk::mma_async(u, t31, shared.queries_m[0]);
                    tk::mma_wait<0>(u, t29, t31);

                    // rwkv7_backward.tk:179: u *= f;
                    tk::map(u, [](float u, float f_2) { return u * f_2; }, u, f_2);

                    // rwkv7_backward.tk:180: d += u;
                    tk::map(dr, [](float dr, float u) { return dr + u; }, dr, u);

                    // rwkv7_backward.tk:181: s = T(u * x);
                    tk::fragment<tk::bf16, 64, 64> t32;
                    tk::map(t32, [](float u, tk::bf16 e) { return u * float(e); }, u, e);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t32, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);

                    // rwkv7_backward.tk:32: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_7;
                    tk::zero(x_7);

                    // rwkv7_backward.tk:183: dw += ..
                    tk::fragment<tk::bf16, 64, 64> t33;
                    tk::map(t33, thread, [&](int row_2, int col) {
                        return col >= row_2 && col < tk::wrapping_add(
                            (row_2 >> (l & 31)) << (l & 31), 1 << (l & 31)) ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t33, shared.queries_k[0]);
                    // rwkv7.tk:24
                    tk::column_fragment<float, 64> x_8;
                    tk::zero(x_8);
                    // rwkv7_backward.tk:174
                    tk::fragment<float, 64, 64> t35;
                    tk::mma_async(t35, t25, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(dw, t35, t33, t25);
                    tk::fragment<float, 64, 64> f_3;
                    tk::map(f_3, [](float t35) { return tk::exp2(t35 * 1.442695f); }, t35);
                    // rwkv7_backward.tk:175
                    tk::fragment<tk::bf16, 64, 64> t64;
                    tk::load_shared(t64, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::map(t36, [](tk::bf16 t64, float f_3) { return float(t64) * f_3; },
                            t64, f_3);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t36, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:176
                    tk::fragment<tk::bf16, 64, 64> t65;
                    tk::load_shared(t65, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::map(t37, [](tk::bf16 t65, float f_3) { return float(t65) * f_3; },
                            t65, f_3);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_m[0], t37, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:177
                    tk::fragment<tk::bf16, 64, 64> t66;
                    tk::load_shared(t66, shared.ys_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::map(t38, thread, [&](int row_2, int col, tk::bf16 t66) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t66)
                            : tk::bf16(0.0f);
                    }, t66);
                    tk::fragment<float, 64, 64> u_2;
                    tk::mma_async(u_2, t38, shared.queries_k[0], tk::accumulate_never{});
                    // rwkv7_backward.tk:178
                    tk::fragment<tk::bf16, 64, 64> t67;
                    tk::load_shared(t67, shared.ys_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t40;
                    tk::map(t40, thread, [&](int row_2, int col, tk::bf16 t67) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 1 ? tk::bf16(t67)
                            : tk::bf16(0.0f);
                    }, t67);
                    tk::mma_async(u_2, t40, shared.queries_m[0]);
                    tk::mma_wait<0>(u_2, t38, t40);
                    // rwkv7_backward.tk:179
                    tk::map(u_2, [](float u_2, float f_3) { return u_2 * f_3; }, u_2, f_3);
                    // rwkv7_backward.tk:180
                    tk::map(da, [](float da, float u_2) { return da + u_2; }, da, u_2);
                    // rwkv7_backward.tk:181
                    tk::fragment<tk::bf16, 64, 64> t68;
                    tk::load_shared(t68, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::map(t41, [](float u_2, tk::bf16 t68) { return u_2 * float(t68); },
                            u_2, t68);
                    tk::barrier_sync(2, 128);
                    tk::store_shared(shared.queries_k[0], t41, thread);
                    tk::fence_async();
                    tk::barrier_sync(2, 128);
                    // rwkv7_backward.tk:32
                    tk::column_fragment<float, 64> x_9;
                    tk::zero(x_9);
                    // rwkv7_backward.tk:183
                    tk::fragment<tk::bf16, 64, 64> t42;
                    tk::map(t42, thread, [&](int row_2, int col) {
                        return col >= row_2 + 1 && col < tk::wrapping_add(
                            (row_2 >> (l & 31)) << (l & 31), 1 << (l & 31)) ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t42, shared.queries_k[0]);
                    tk::mma_wait<0>(dw, t42);
                }

                // rwkv7_backward.tk:302: dr *= exp2(f32(x.g) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t69;
                tk::load_shared(t69, shared.xs_g[s.stage], thread);
                tk::map(dr, [](float dr, tk::f16 t69) {
                    return dr * tk::exp2(float(t69) * 1.442695f);
                }, dr, t69);

                // rwkv7_backward.tk:303: dr += sum(where(row_index(dr) == col_index(dr), ..
                tk::fragment<tk::bf16, 64, 64> t70;
                tk::load_shared(t70, shared.rs_k[s.stage], thread);
                tk::fragment<float, 64, 64> t43;
                tk::map(t43, thread, [](int row_2, int col, tk::bf16 t70) {
                    return row_2 == col ? float(t70) : 0.0f;
                }, t70);
                tk::column_fragment<float, 64> t44;
                tk::fold_rows(t44, t43, tk::plus{}, thread);
                tk::finish_rows(t44, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t71;
                tk::load_shared(t71, shared.xs_k[s.stage], thread);
                tk::map(dr, [](float dr, float t44, tk::bf16 t71) {
                    return tk::fma(t44, float(t71), dr);
                }, dr, t44, t71);

                // rwkv7_backward.tk:304: dr += sum(where(row_index(dr) == col_index(dr), ..
                tk::fragment<tk::bf16, 64, 64> t72;
                tk::load_shared(t72, shared.rs_b[s.stage], thread);
                tk::fragment<float, 64, 64> t45;
                tk::map(t45, thread, [](int row_2, int col, tk::bf16 t72) {
                    return row_2 == col ? float(t72) : 0.0f;
                }, t72);
                tk::column_fragment<float, 64> t46;
                tk::fold_rows(t46, t45, tk::plus{}, thread);
                tk::finish_rows(t46, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t73;
                tk::load_shared(t73, shared.xs_b[s.stage], thread);
                tk::map(dr, [](float dr, float t46, tk::bf16 t73) {
                    return tk::fma(t46, float(t73), dr);
                }, dr, t46, t73);
            }
            shared.ys.release_after_loads(s, tk::ordinary_alone{});
            shared.rs.release_after_loads(s, tk::ordinary_alone{});
            shared.xs.release_after_loads(s);

            // rwkv7_backward.tk:306: tma_store(dA[b, t, h, c], T(da));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dA[0], tk::convert<tk::bf16>(da), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dA_map, shared.queries_dA[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:307: tma_store(dR[b, t, h, c], T(dr));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.queries_dR[0], tk::convert<tk::bf16>(dr), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(dR_map, shared.queries_dR[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:308: dw += consume exponents;
            shared.exponents.wait_full(s);
            tk::fragment<float, 64, 64> t74;
            tk::load_shared(t74, shared.exponents_tile[s.stage], thread);
            shared.exponents.release_after_loads(s, tk::ordinary_alone{});
            tk::map(dw, [](float dw, float t74) { return dw + t74; }, dw, t74);

            // rwkv7_backward.tk:309: store(dW[b, t, h, c], TDW(dw));
            tk::fragment<tk::f16, 64, 64> t49 = tk::convert<tk::f16>(dw);
            tk::store_global(tk::slice<1, 3>(dW, {b, t, h, c}, N - t, 64 - c), t49, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // rwkv7_backward.tk:311: role keys(1 warpgroup) registers(232) {
        tk::registers_at_least<232>();
        const int t_tiles = tk::tiles(N, 64);
        const int programs = 1 * t_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> exponents_next_2, vs_next, ys_next_2;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % 1 * 64;
            const int t = program / 1 % t_tiles * 64;
            const int h = program / (1 * t_tiles) % H;
            const int b = program / (1 * t_tiles * H);

            // rwkv7_backward.tk:195: let count = Levels[b, h, t.index, c.index];
            const int count = tk::cell(Levels, b, h, t / 64, c / 64);

            // rwkv7_backward.tk:196: let near = count == 0;
            const bool near = count == 0;

            // rwkv7_backward.tk:312: var by_k: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_k;
            tk::zero(by_k);

            // rwkv7_backward.tk:313: var by_b: f32[L, L] = 0;
            tk::fragment<float, 64, 64> by_b;
            tk::zero(by_b);

            // rwkv7_backward.tk:315: let s = consume vs;
            const tk::cursor<1> s = shared.vs.take(vs_next);

            // rwkv7_backward.tk:316: by_k += mma(s.y, s.v.T);
            tk::mma_async(by_k, shared.vs_y[s.stage], tk::transposed(shared.vs_v[s.stage]));

            // rwkv7_backward.tk:317: by_b += mma(s.y, s.u);
            tk::mma_async(by_b, shared.vs_y[s.stage], shared.vs_u[s.stage]);
            tk::mma_wait<1>(by_k);

            // rwkv7_backward.tk:318: produce ys { k = T(gated_delta.strictly_lower(by_k)); b = ..
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [&](int row_2, int col, float by_k) {
                const int x_10 = N - t;
                return col < x_10 ? (row_2 < x_10 ? (row_2 > col ? by_k : 0.0f) : 0.0f) : 0.0f;
            }, by_k);
            tk::mma_wait<0>(by_b);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row_2, int col, float by_b) {
                return row_2 < N - t ? (row_2 > col ? by_b : 0.0f) : 0.0f;
            }, by_b);
            shared.ys.wait_empty(ys_next_2);
            tk::store_shared(shared.ys_k[ys_next_2.stage], t0, thread);
            tk::store_shared(shared.ys_b[ys_next_2.stage], t1, thread);
            shared.ys.publish(ys_next_2);
            ys_next_2.advance();

            // rwkv7_backward.tk:319: let first = consume states;
            shared.states.wait_full(s);

            // rwkv7_backward.tk:320: var dk = mma(s.v, first.behind);
            tk::fragment<float, 64, 64> dk;
            tk::mma_async(dk, shared.vs_v[s.stage], shared.states_behind[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:321: var db = mma(s.u.T, first.behind);
            tk::fragment<float, 64, 64> db;
            tk::mma_async(db, tk::transposed(shared.vs_u[s.stage]), shared.states_behind[s.stage],
                          tk::accumulate_never{});

            // rwkv7_backward.tk:322: var past: f32[L, 64] = first.before;
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::load_shared(t2, shared.states_before[s.stage], thread);
            tk::fragment<float, 64, 64> past = tk::convert<float>(t2);

            // rwkv7_backward.tk:323: past *= first.behind;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, shared.states_behind[s.stage], thread);
            tk::map(past, [](float past, tk::bf16 t3) { return past * float(t3); }, past, t3);

            // rwkv7_backward.tk:324: let x = consume xs;
            shared.xs.wait_full(s);

            // rwkv7_backward.tk:332: past *= exp2(sum(f32(x.g), axis = 0) * LOG2E);
            tk::fragment<tk::f16, 64, 64> t11;
            tk::load_shared(t11, shared.xs_g[s.stage], thread);
            tk::fragment<float, 64, 64> t4 = tk::convert<float>(t11);
            tk::row_fragment<float, 64> t5;
            tk::reduce_columns(t5, t4, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::map(past, [](float past, float t5) { return past * tk::exp2(t5 * 1.442695f); },
                    past, t5);

            // rwkv7_backward.tk:333: shared row: f32[1, 64] = sum(past, axis = 0);
            tk::row_fragment<float, 64> t6;
            tk::reduce_columns(t6, past, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_row[0], t6, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:334: shared r: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r[0], t7, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:335: shared m: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::map(t8, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_m[0], t8, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:336: shared e: T[L, 64] = 0;
            tk::fragment<tk::bf16, 64, 64> t9;
            tk::map(t9, []() { return tk::bf16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_e[0], t9, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // rwkv7_backward.tk:337: let w = consume rs;
            shared.rs.wait_full(s);

            // rwkv7_backward.tk:338: let z = consume ys;
            shared.ys.wait_full(s);
            tk::mma_wait<0>(dk, db);
            shared.vs.release(s);
            shared.states.release_after_loads(s, tk::ordinary_alone{});

            // rwkv7_backward.tk:339: if T == bf16 and near {
            if (near) {
                // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_2;
                tk::zero(x_2);

                // rwkv7_backward.tk:340: let away = ..
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, thread, [](int row_2, int col) {
                    return row_2 >= 32 ? (col >= 32 && col <= row_2 ? 1.0f : 0.0f)
                        : col > row_2 && col < 32 ? -1.0f : 0.0f;
                });
                tk::fragment<float, 64, 64> away;
                tk::mma_async(away, t10, shared.xs_g[s.stage], tk::accumulate_never{});

                // rwkv7_backward.tk:341: let half = exp2(sum(where(row_index(dk) < L / 2, 0, ..
                tk::fragment<tk::f16, 64, 64> t19;
                tk::load_shared(t19, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> t12;
                tk::map(t12, thread, [](int row_2, int, tk::f16 t19) {
                    return row_2 < 32 ? 0.0f : float(t19);
                }, t19);
                tk::row_fragment<float, 64> t13;
                tk::reduce_columns(t13, t12, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> half;
                tk::map(half, [](float t13) { return tk::exp2(t13 * 1.442695f); }, t13);

                // rwkv7_backward.tk:342: dk *= half;
                tk::map(dk, [](float dk, float half) { return dk * half; }, dk, half);

                // rwkv7_backward.tk:343: db *= half;
                tk::map(db, [](float db, float half) { return db * half; }, db, half);

                // rwkv7_backward.tk:344: row += sum(pad((dk * x.k + db * x.b) * exp2(away * ..
                tk::fragment<tk::bf16, 64, 64> t20;
                tk::load_shared(t20, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t39;
                tk::load_shared(t39, shared.xs_b[s.stage], thread);
                tk::mma_wait<0>(away, t10);
                tk::fragment<float, 64, 64> t14;
                tk::map(t14, thread,
                        [&](int row_2, int, float dk, tk::bf16 t20, float db, tk::bf16 t39,
                            float away) {
                    return row_2 < N - t ? tk::fma(
                        dk, float(t20), db * float(t39)) * tk::exp2(away * -1.442695f) : 0.0f;
                }, dk, t20, db, t39, away);
                tk::row_fragment<float, 64> t15;
                tk::reduce_columns(t15, t14, shared.keys_f32_rows_64[0], tk::plus{}, thread, 4);
                tk::row_fragment<float, 64> t52;
                tk::load_shared(t52, shared.keys_row[0], thread);
                tk::row_fragment<float, 64> t16;
                tk::map(t16, [](float t52, float t15) { return t52 + t15; }, t52, t15);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_row[0], t16, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:345: let since = exp2(away * LOG2E);
                tk::fragment<float, 64, 64> since;
                tk::map(since, [](float away) { return tk::exp2(away * 1.442695f); }, away);

                // <std.parts>:21: high = T(x);
                tk::fragment<tk::bf16, 64, 64> t65;
                tk::load_shared(t65, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t17;
                tk::map(t17, [](tk::bf16 t65, float since) { return float(t65) * since; },
                        t65, since);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t17, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // <std.parts>:22: low = T(x - high);
                tk::fragment<tk::bf16, 64, 64> t66;
                tk::load_shared(t66, shared.xs_r[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t67;
                tk::load_shared(t67, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t18;
                tk::map(t18, [](tk::bf16 t66, float since, tk::bf16 t67) {
                    return tk::fma(float(t66), since, -float(t67));
                }, t66, since, t67);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t18, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:347: var y = mma(w.k.T, r);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, tk::transposed(shared.rs_k[s.stage]), shared.keys_r[0],
                              tk::accumulate_never{});

                // rwkv7_backward.tk:348: y += mma(w.k.T, m);
                tk::mma_async(y, tk::transposed(shared.rs_k[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:349: y += mma(w.low.T, r);
                tk::mma_async(y, tk::transposed(shared.rs_low[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:350: var n = mma(w.b.T, r);
                tk::fragment<float, 64, 64> n;
                tk::mma_async(n, tk::transposed(shared.rs_b[s.stage]), shared.keys_r[0],
                              tk::accumulate_never{});

                // rwkv7_backward.tk:351: n += mma(w.b.T, m);
                tk::mma_async(n, tk::transposed(shared.rs_b[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:352: let f = exp2((away - f32(x.g)) * LOG2E);
                tk::fragment<tk::f16, 64, 64> t68;
                tk::load_shared(t68, shared.xs_g[s.stage], thread);
                tk::fragment<float, 64, 64> f;
                tk::map(f, [](float away, tk::f16 t68) {
                    return tk::exp2((away - float(t68)) * 1.442695f);
                }, away, t68);
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t69;
                tk::load_shared(t69, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t21;
                tk::map(t21, [](tk::bf16 t69, float f) { return float(t69) * f; }, t69, f);
                tk::mma_wait<1>(y);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t21, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t70;
                tk::load_shared(t70, shared.xs_a[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t71;
                tk::load_shared(t71, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t22;
                tk::map(t22, [](tk::bf16 t70, float f, tk::bf16 t71) {
                    return tk::fma(float(t70), f, -float(t71));
                }, t70, f, t71);
                tk::mma_wait<0>(n);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t22, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:354: y += mma(z.k.T, r);
                tk::mma_async(y, tk::transposed(shared.ys_k[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:355: y += mma(z.k.T, m);
                tk::mma_async(y, tk::transposed(shared.ys_k[s.stage]), shared.keys_m[0]);

                // rwkv7_backward.tk:356: n += mma(z.b.T, r);
                tk::mma_async(n, tk::transposed(shared.ys_b[s.stage]), shared.keys_r[0]);

                // rwkv7_backward.tk:357: n += mma(z.b.T, m);
                tk::mma_async(n, tk::transposed(shared.ys_b[s.stage]), shared.keys_m[0]);
                tk::mma_wait<2>(y);

                // rwkv7_backward.tk:358: dk += y;
                tk::map(dk, [](float dk, float y) { return dk + y; }, dk, y);

                // rwkv7_backward.tk:359: dk *= exp2(away * -LOG2E);
                tk::map(dk, [](float dk, float away) { return dk * tk::exp2(away * -1.442695f); },
                        dk, away);
                tk::mma_wait<0>(n);

                // rwkv7_backward.tk:360: db += n;
                tk::map(db, [](float db, float n) { return db + n; }, db, n);

                // rwkv7_backward.tk:361: db *= exp2(away * -LOG2E);
                tk::map(db, [](float db, float away) { return db * tk::exp2(away * -1.442695f); },
                        db, away);
            }

            // rwkv7_backward.tk:363: var dw: f32[L, 64] = 0;
            tk::fragment<float, 64, 64> dw;
            tk::zero(dw);

            // rwkv7_backward.tk:364: if T == bf16 and near {
            if (near) {
                // <std.parts>:21
                tk::fragment<tk::bf16, 64, 64> t72;
                tk::load_shared(t72, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t73;
                tk::load_shared(t73, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t23;
                tk::map(t23, [](float dk, tk::bf16 t72, float db, tk::bf16 t73) {
                    return tk::fma(-dk, float(t72), -(db * float(t73)));
                }, dk, t72, db, t73);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t23, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // <std.parts>:22
                tk::fragment<tk::bf16, 64, 64> t74;
                tk::load_shared(t74, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t75;
                tk::load_shared(t75, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t76;
                tk::load_shared(t76, shared.keys_r[0], thread);
                tk::fragment<tk::bf16, 64, 64> t24;
                tk::map(t24, [](float dk, tk::bf16 t74, float db, tk::bf16 t75, tk::bf16 t76) {
                    return tk::fma(-dk, float(t74), -(db * float(t75))) - float(t76);
                }, dk, t74, db, t75, t76);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_m[0], t24, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // gated_linear_attention_backward.tk:42: var x: f32[L, L] = 0;
                tk::fragment<float, 64, 64> x_3;
                tk::zero(x_3);

                // rwkv7_backward.tk:367: dw += mma(onward, r);
                tk::fragment<tk::bf16, 64, 64> t25;
                tk::map(t25, thread, [](int row_2, int col) { return col >= row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t25, shared.keys_r[0]);

                // rwkv7_backward.tk:368: dw += mma(onward, m);
                tk::mma_async(dw, t25, shared.keys_m[0]);
                tk::mma_wait<0>(dw, t25);
            } else {
                // rwkv7_backward.tk:370: let f = exp2(mma(TG(where(col_index(dk) > ..
                tk::fragment<tk::f16, 64, 64> t27;
                tk::map(t27, thread, [](int row_2, int col) { return col > row_2 ? 1.0f : 0.0f; });
                tk::fragment<float, 64, 64> t28;
                tk::mma_async(t28, t27, shared.xs_g[s.stage], tk::accumulate_never{});
                tk::mma_wait<0>(t28, t27);
                tk::fragment<float, 64, 64> f_2;
                tk::map(f_2, [](float t28) { return tk::exp2(t28 * 1.442695f); }, t28);

                // rwkv7_backward.tk:371: dk *= f;
                tk::map(dk, [](float dk, float f_2) { return dk * f_2; }, dk, f_2);

                // rwkv7_backward.tk:372: db *= f;
                tk::map(db, [](float db, float f_2) { return db * f_2; }, db, f_2);

                // rwkv7_backward.tk:373: e = T(x.r * exp2(f32(x.g) * LOG2E));
                tk::fragment<tk::bf16, 64, 64> t77;
                tk::load_shared(t77, shared.xs_r[s.stage], thread);
                tk::fragment<tk::f16, 64, 64> t78;
                tk::load_shared(t78, shared.xs_g[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t29;
                tk::map(t29, [](tk::bf16 t77, tk::f16 t78) {
                    return float(t77) * tk::exp2(float(t78) * 1.442695f);
                }, t77, t78);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_e[0], t29, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:374: r = T(dk * x.k + db * x.b);
                tk::fragment<tk::bf16, 64, 64> t79;
                tk::load_shared(t79, shared.xs_k[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t80;
                tk::load_shared(t80, shared.xs_b[s.stage], thread);
                tk::fragment<tk::bf16, 64, 64> t30;
                tk::map(t30, [](float dk, tk::bf16 t79, float db, tk::bf16 t80) {
                    return tk::fma(dk, float(t79), db * float(t80));
                }, dk, t79, db, t80);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r[0], t30, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // rwkv7_backward.tk:375: dw += mma(T(where(col_index(dk) < row_index(dk), 1.0, ..
                tk::fragment<tk::bf16, 64, 64> t31;
                tk::map(t31, thread, [](int row_2, int col) { return col < row_2 ? 1.0f : 0.0f; });
                tk::mma_async(dw, t31, shared.keys_r[0]);
                tk::mma_wait<0>(dw, t31);

                // rwkv7_backward.tk:376: for l in 0..count {
                for (int l = 0; l < count; l += 1) {
                    // rwkv7.tk:24: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_4;
                    tk::zero(x_4);

                    // rwkv7_backward.tk:174: let f = ..
                    tk::fragment<tk::f16, 64, 64> t32;
                    tk::map(t32, thread, [&](int row_2, int col) {
                        const int x_10 = row_2 >> (l & 31);
                        const bool x_11 = (x_10 & 1) == 1;
                        const int x_12 = x_10 << (l & 31);
                        return col >= (x_11 ? x_12 : row_2 + 1) &&
                            col < (x_11 ? row_2 : tk::wrapping_add(x_12, 1 << (l & 31))) ? 1.0f
                            : 0.0f;
                    });
                    tk::fragment<float, 64, 64> t33;
                    tk::mma_async(t33, t32, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(t33, t32);
                    tk::fragment<float, 64, 64> f_3;
                    tk::map(f_3, [](float t33) { return tk::exp2(t33 * 1.442695f); }, t33);

                    // rwkv7_backward.tk:175: s = T(y * f);
                    tk::fragment<tk::bf16, 64, 64> t81;
                    tk::load_shared(t81, shared.keys_e[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::map(t34, [](tk::bf16 t81, float f_3) { return float(t81) * f_3; },
                            t81, f_3);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t34, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:176: p = T(z * f);
                    tk::fragment<tk::bf16, 64, 64> t82;
                    tk::load_shared(t82, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::map(t35, [](tk::bf16 t82, float f_3) { return float(t82) * f_3; },
                            t82, f_3);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t35, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:177: var u = mma(where(if OF == 2 { keys_of(d, l) } else ..
                    tk::fragment<tk::bf16, 64, 64> t37;
                    tk::load_transposed(t37, shared.rs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t38;
                    tk::map(t38, thread, [&](int row_2, int col, tk::bf16 t37) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t37)
                            : tk::bf16(0.0f);
                    }, t37);
                    tk::fragment<float, 64, 64> u;
                    tk::mma_async(u, t38, shared.keys_r[0], tk::accumulate_never{});

                    // rwkv7_backward.tk:178: u += mma(where(if OF == 2 { keys_of(d, l) } else { ..
                    tk::fragment<tk::bf16, 64, 64> t41;
                    tk::load_transposed(t41, shared.ys_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t42;
                    tk::map(t42, thread, [&](int row_2, int col, tk::bf16 t41) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t41)
                            : tk::bf16(0.0f);
                    }, t41);
                    tk::mma_async(u, t42, shared.keys_m[0]);
                    tk::mma_wait<0>(u, t38, t42);

                    // rwkv7_backward.tk:179: u *= f;
                    tk::map(u, [](float u, float f_3) { return u * f_3; }, u, f_3);

                    // rwkv7_backward.tk:180: d += u;
                    tk::map(dk, [](float dk, float u) { return dk + u; }, dk, u);

                    // rwkv7_backward.tk:181: s = T(u * x);
                    tk::fragment<tk::bf16, 64, 64> t83;
                    tk::load_shared(t83, shared.xs_k[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t43;
                    tk::map(t43, [](float u, tk::bf16 t83) { return u * float(t83); }, u, t83);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t43, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);

                    // rwkv7_backward.tk:37: var x: f32[L, 1] = 0;
                    tk::column_fragment<float, 64> x_5;
                    tk::zero(x_5);

                    // rwkv7_backward.tk:183: dw += ..
                    tk::fragment<tk::bf16, 64, 64> t44;
                    tk::map(t44, thread, [&](int row_2, int col) {
                        return col >= (row_2 >> (l & 31)) << (l & 31) && col < row_2 ? 1.0f : 0.0f;
                    });
                    tk::mma_async(dw, t44, shared.keys_r[0]);
                    // rwkv7.tk:24
                    tk::column_fragment<float, 64> x_6;
                    tk::zero(x_6);
                    // rwkv7_backward.tk:174
                    tk::fragment<float, 64, 64> t46;
                    tk::mma_async(t46, t32, shared.xs_g[s.stage], tk::accumulate_never{});
                    tk::mma_wait<0>(dw, t46, t44, t32);
                    tk::fragment<float, 64, 64> f_4;
                    tk::map(f_4, [](float t46) { return tk::exp2(t46 * 1.442695f); }, t46);
                    // rwkv7_backward.tk:175
                    tk::fragment<tk::bf16, 64, 64> t84;
                    tk::load_shared(t84, shared.keys_e[0], thread);
                    tk::fragment<tk::bf16, 64, 64> t47;
                    tk::map(t47, [](tk::bf16 t84, float f_4) { return float(t84) * f_4; },
                            t84, f_4);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t47, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:176
                    tk::fragment<tk::bf16, 64, 64> t85;
                    tk::load_shared(t85, shared.xs_a[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t48;
                    tk::map(t48, [](tk::bf16 t85, float f_4) { return float(t85) * f_4; },
                            t85, f_4);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_m[0], t48, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:177
                    tk::fragment<tk::bf16, 64, 64> t50;
                    tk::load_transposed(t50, shared.rs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t51;
                    tk::map(t51, thread, [&](int row_2, int col, tk::bf16 t50) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t50)
                            : tk::bf16(0.0f);
                    }, t50);
                    tk::fragment<float, 64, 64> u_2;
                    tk::mma_async(u_2, t51, shared.keys_r[0], tk::accumulate_never{});
                    // rwkv7_backward.tk:178
                    tk::fragment<tk::bf16, 64, 64> t54;
                    tk::load_transposed(t54, shared.ys_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t55;
                    tk::map(t55, thread, [&](int row_2, int col, tk::bf16 t54) {
                        const int x_10 = row_2 >> (l & 31);
                        return col >> (l & 31) == (x_10 ^ 1) && (x_10 & 1) == 0 ? tk::bf16(t54)
                            : tk::bf16(0.0f);
                    }, t54);
                    tk::mma_async(u_2, t55, shared.keys_m[0]);
                    tk::mma_wait<0>(u_2, t51, t55);
                    // rwkv7_backward.tk:179
                    tk::map(u_2, [](float u_2, float f_4) { return u_2 * f_4; }, u_2, f_4);
                    // rwkv7_backward.tk:180
                    tk::map(db, [](float db, float u_2) { return db + u_2; }, db, u_2);
                    // rwkv7_backward.tk:181
                    tk::fragment<tk::bf16, 64, 64> t86;
                    tk::load_shared(t86, shared.xs_b[s.stage], thread);
                    tk::fragment<tk::bf16, 64, 64> t56;
                    tk::map(t56, [](float u_2, tk::bf16 t86) { return u_2 * float(t86); },
                            u_2, t86);
                    tk::barrier_sync(4, 128);
                    tk::store_shared(shared.keys_r[0], t56, thread);
                    tk::fence_async();
                    tk::barrier_sync(4, 128);
                    // rwkv7_backward.tk:37
                    tk::column_fragment<float, 64> x_7;
                    tk::zero(x_7);
                    // rwkv7_backward.tk:183
                    tk::mma_async(dw, t44, shared.keys_r[0]);
                    tk::mma_wait<0>(dw, t44);
                }

                // rwkv7_backward.tk:380: dk += sum(where(row_index(dk) == col_index(dk), ..
                tk::fragment<tk::bf16, 64, 64> t87;
                tk::load_shared(t87, shared.rs_k[s.stage], thread);
                tk::fragment<float, 64, 64> t58;
                tk::map(t58, thread, [](int row_2, int col, tk::bf16 t87) {
                    return row_2 == col ? float(t87) : 0.0f;
                }, t87);
                tk::column_fragment<float, 64> t59;
                tk::fold_rows(t59, t58, tk::plus{}, thread);
                tk::finish_rows(t59, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t88;
                tk::load_shared(t88, shared.xs_r[s.stage], thread);
                tk::map(dk, [](float dk, float t59, tk::bf16 t88) {
                    return tk::fma(t59, float(t88), dk);
                }, dk, t59, t88);

                // rwkv7_backward.tk:381: db += sum(where(row_index(dk) == col_index(dk), ..
                tk::fragment<tk::bf16, 64, 64> t89;
                tk::load_shared(t89, shared.rs_b[s.stage], thread);
                tk::fragment<float, 64, 64> t60;
                tk::map(t60, thread, [](int row_2, int col, tk::bf16 t89) {
                    return row_2 == col ? float(t89) : 0.0f;
                }, t89);
                tk::column_fragment<float, 64> t61;
                tk::fold_rows(t61, t60, tk::plus{}, thread);
                tk::finish_rows(t61, tk::plus{});
                tk::fragment<tk::bf16, 64, 64> t90;
                tk::load_shared(t90, shared.xs_r[s.stage], thread);
                tk::map(db, [](float db, float t61, tk::bf16 t90) {
                    return tk::fma(t61, float(t90), db);
                }, db, t61, t90);
            }
            shared.ys.release_after_loads(s, tk::ordinary_alone{});
            shared.rs.release_after_loads(s, tk::ordinary_alone{});
            shared.xs.release_after_loads(s);

            // rwkv7_backward.tk:383: produce exponents = dw + row;
            tk::row_fragment<float, 64> t91;
            tk::load_shared(t91, shared.keys_row[0], thread);
            tk::fragment<float, 64, 64> t62;
            tk::map(t62, [](float dw, float t91) { return dw + t91; }, dw, t91);
            shared.exponents.wait_empty(exponents_next_2);
            tk::store_shared(shared.exponents_tile[exponents_next_2.stage], t62, thread);
            shared.exponents.publish(exponents_next_2, tk::ordinary_alone{});
            exponents_next_2.advance();

            // rwkv7_backward.tk:384: tma_store(dK[b, t, h, c], T(dk));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dK[0], tk::convert<tk::bf16>(dk), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[0], b, t, h, c + panel);
            }

            // rwkv7_backward.tk:385: tma_store(dB[b, t, h, c], T(db));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.keys_dB[0], tk::convert<tk::bf16>(db), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dB_map, shared.keys_dB[0], b, t, h, c + panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
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

tk::status launch_rwkv7_packed_placed_T_bf16_TG_f16_DK_64(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& V, const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& First,
    const tk::tensor& Tokens, const tk::tensor& Rp, const tk::tensor& Wp, const tk::tensor& Kp,
    const tk::tensor& Vp, const tk::tensor& Ap, const tk::tensor& Bp, int64_t N, int64_t H,
    int64_t DV, int64_t S) {
    return tk::run<rwkv7_packed_placed_T_bf16_TG_f16_DK_64_kernel<7, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), R, W, K, V, A, Bs, First, Tokens,
        Rp, Wp, Kp, Vp, Ap, Bp, N, H, DV, S);
}

tk::status launch_rwkv7_packed_placed_T_bf16_TG_f16_DK_64_general(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& V, const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& First,
    const tk::tensor& Tokens, const tk::tensor& Rp, const tk::tensor& Wp, const tk::tensor& Kp,
    const tk::tensor& Vp, const tk::tensor& Ap, const tk::tensor& Bp, int64_t N, int64_t H,
    int64_t DV, int64_t S) {
    return tk::run<rwkv7_packed_placed_T_bf16_TG_f16_DK_64_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), R, W, K, V, A, Bs, First, Tokens,
        Rp, Wp, Kp, Vp, Ap, Bp, N, H, DV, S);
}

tk::status launch_placed(const tk::launch_site& site, const tk::tensor& dO, const tk::tensor& First,
                         const tk::tensor& Tokens, const tk::tensor& dOp, int64_t N, int64_t H,
                         int64_t S) {
    return tk::run<placed_kernel<10, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), dO, First, Tokens, dOp, N, H, S);
}

tk::status launch_placed_general(const tk::launch_site& site, const tk::tensor& dO,
                                 const tk::tensor& First, const tk::tensor& Tokens,
                                 const tk::tensor& dOp, int64_t N, int64_t H, int64_t S) {
    return tk::run<placed_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), dO, First, Tokens, dOp, N, H, S);
}

tk::status launch_rwkv7_pairs_T_bf16_TG_f16_DK_64(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& Queries, const tk::tensor& Readers,
    const tk::tensor& Keys, const tk::tensor& Writers, const tk::tensor& Own,
    const tk::tensor& Through, const tk::tensor& Inverse, const tk::tensor& Product,
    const tk::tensor& Left, const tk::tensor& Levels, int64_t B, int64_t N, int64_t H,
    float scale) {
    return tk::run<rwkv7_pairs_T_bf16_TG_f16_DK_64_kernel>(
        site, sizeof(rwkv7_pairs_T_bf16_TG_f16_DK_64_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
        tk::box{W, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Bs, {1, 64, 1, 64}, 128}, tk::box{R, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Writers, {1, 64, 1, 64}, 128},
        tk::box{Own, {1, 1, 64, 64}, 128}, tk::box{Through, {1, 1, 64, 64}, 128},
        tk::box{Readers, {1, 64, 1, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Product, {1, 1, 64, 64}, 128}, Left, Levels, B, N, H, scale);
}

tk::status launch_rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true(
    const tk::launch_site& site, const tk::tensor& Readers, const tk::tensor& Keys,
    const tk::tensor& Writers, const tk::tensor& V, const tk::tensor& Inverse,
    const tk::tensor& Product, const tk::tensor& Left, const tk::tensor& S0,
    const tk::tensor& start, const tk::tensor& U, const tk::tensor& Before, int64_t N, int64_t H,
    int64_t J, int64_t P) {
    return tk::run<rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_kernel>(
        site, sizeof(rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true_shared),
        tk::kernel_shape(256).overlapping(), tk::multiply(H, tk::larger(P - 1, 0)),
        tk::box{Readers, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Product, {1, 1, 64, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Left, {1, 1, 1, 64}, 0}, tk::box{Keys, {1, 64, 1, 64}, 128},
        tk::box{Writers, {1, 64, 1, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, S0, start, N, H, J, P);
}

tk::status launch_rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true(
    const tk::launch_site& site, const tk::tensor& Queries, const tk::tensor& Readers,
    const tk::tensor& Keys, const tk::tensor& Writers, const tk::tensor& dO, const tk::tensor& Own,
    const tk::tensor& Through, const tk::tensor& Inverse, const tk::tensor& Product,
    const tk::tensor& Left, const tk::tensor& dState, const tk::tensor& start, const tk::tensor& Y,
    const tk::tensor& dV, const tk::tensor& Behind, const tk::tensor& dS0, int64_t N, int64_t H,
    int64_t F, int64_t P, int64_t I) {
    return tk::run<rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_kernel>(
        site, sizeof(rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true_shared),
        tk::kernel_shape(384).overlapping(), tk::multiply(H, tk::larger(P - 1, 0)),
        tk::box{Writers, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Through, {1, 1, 64, 64}, 128}, tk::box{Left, {1, 1, 1, 64}, 0},
        tk::box{Queries, {1, 64, 1, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Readers, {1, 64, 1, 64}, 128}, tk::box{Keys, {1, 64, 1, 64}, 128},
        tk::box{Own, {1, 1, 64, 64}, 128}, tk::box{Product, {1, 1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{Y, {1, 64, 1, 64}, 128},
        tk::box{dV, {1, 64, 1, 64}, 128}, dState, start, dS0, N, H, F, P, I);
}

tk::status launch_rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& V, const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& dO,
    const tk::tensor& U, const tk::tensor& Y, const tk::tensor& Before, const tk::tensor& Behind,
    const tk::tensor& Levels, const tk::tensor& dR, const tk::tensor& dW, const tk::tensor& dK,
    const tk::tensor& dA, const tk::tensor& dB, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_kernel>(
        site, sizeof(rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Y, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{W, {1, 64, 1, 64}, 128},
        tk::box{R, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 64, 1, 64}, 128}, tk::box{Bs, {1, 64, 1, 64}, 128},
        tk::box{dA, {1, 64, 1, 64}, 128}, tk::box{dR, {1, 64, 1, 64}, 128},
        tk::box{dW, {1, 64, 1, 64}, 128}, tk::box{dK, {1, 64, 1, 64}, 128},
        tk::box{dB, {1, 64, 1, 64}, 128}, Levels, B, N, H, scale);
}

tk::status launch_rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& V, const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& dO,
    const tk::tensor& U, const tk::tensor& Y, const tk::tensor& Before, const tk::tensor& Behind,
    const tk::tensor& Levels, const tk::tensor& dR, const tk::tensor& dW, const tk::tensor& dK,
    const tk::tensor& dA, const tk::tensor& dB, int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_kernel>(
        site, sizeof(rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 64), H), B), tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{Y, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, tk::box{Before, {1, 1, 64, 64}, 128},
        tk::box{Behind, {1, 1, 64, 64}, 128}, tk::box{W, {1, 64, 1, 64}, 128},
        tk::box{R, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 64, 1, 64}, 128}, tk::box{Bs, {1, 64, 1, 64}, 128},
        tk::box{dA, {1, 64, 1, 64}, 128}, tk::box{dR, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dB, {1, 64, 1, 64}, 128}, Levels, dW, B, N, H,
        scale);
}

tk::status launch_taken(const tk::launch_site& site, const tk::tensor& dRp, const tk::tensor& dWp,
                        const tk::tensor& dKp, const tk::tensor& dVp, const tk::tensor& dAp,
                        const tk::tensor& dBp, const tk::tensor& First, const tk::tensor& Tokens,
                        const tk::tensor& dR, const tk::tensor& dW, const tk::tensor& dK,
                        const tk::tensor& dV, const tk::tensor& dA, const tk::tensor& dB, int64_t H,
                        int64_t S, int64_t N) {
    return tk::run<taken_kernel<9, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), dRp, dWp, dKp, dVp, dAp, dBp,
        First, Tokens, dR, dW, dK, dV, dA, dB, H, S, N);
}

tk::status launch_taken_general(
    const tk::launch_site& site, const tk::tensor& dRp, const tk::tensor& dWp,
    const tk::tensor& dKp, const tk::tensor& dVp, const tk::tensor& dAp, const tk::tensor& dBp,
    const tk::tensor& First, const tk::tensor& Tokens, const tk::tensor& dR, const tk::tensor& dW,
    const tk::tensor& dK, const tk::tensor& dV, const tk::tensor& dA, const tk::tensor& dB,
    int64_t H, int64_t S, int64_t N) {
    return tk::run<taken_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), dRp, dWp, dKp, dVp, dAp, dBp,
        First, Tokens, dR, dW, dK, dV, dA, dB, H, S, N);
}

}  // namespace

extern "C" {
int placed(const DLTensor* dO_given, const DLTensor* First_given, const DLTensor* Tokens_given,
           DLTensor* dOp_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"placed"};
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dOp = call.take("dOp", dOp_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = dO.shape[1];
    const int64_t H = dO.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(dO, 0, 1), tk::fixed_extent(dO, 3, 64),
         tk::same_extent("S", First, 0, Tokens, 0), tk::fixed_extent(dOp, 0, 1),
         tk::same_extent("H", dO, 2, dOp, 2), tk::fixed_extent(dOp, 3, 64),
         tk::extents_fit({{"N", N}, {"H", H}, {"S", S}}), tk::fits("S*64", S * 64),
         tk::that(dOp.shape[1] == S * 64, "axis 1 of `dOp` is {}; it must be `S*64`, which is {}",
                  {dOp.shape[1], S * 64}), tk::fits("S*64 + 15", S * 64 + 15),
         tk::grid_fits(tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0));
    const bool fast = tk::hold({tk::suits_fast(dO), tk::suits_fast(dOp)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<placed_kernel<10, 8, 8, true>, placed_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, dO, First, Tokens,
        dOp, N, H, S));
}
TK_NO_WORKSPACE(placed, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int taken(const DLTensor* dRp_given, const DLTensor* dWp_given, const DLTensor* dKp_given,
          const DLTensor* dVp_given, const DLTensor* dAp_given, const DLTensor* dBp_given,
          const DLTensor* First_given, const DLTensor* Tokens_given, DLTensor* dR_given,
          DLTensor* dW_given, DLTensor* dK_given, DLTensor* dV_given, DLTensor* dA_given,
          DLTensor* dB_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"taken"};
    const tk::tensor dRp = call.take("dRp", dRp_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dWp = call.take("dWp", dWp_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor dKp = call.take("dKp", dKp_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dVp = call.take("dVp", dVp_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dAp = call.take("dAp", dAp_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dBp = call.take("dBp", dBp_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dR = call.take("dR", dR_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dW = call.take("dW", dW_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dA = call.take("dA", dA_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = dRp.shape[2];
    const int64_t S = First.shape[0];
    const int64_t N = dR.shape[1];
    call.require(
        {tk::fixed_extent(dRp, 0, 1), tk::fixed_extent(dRp, 3, 64), tk::fixed_extent(dWp, 0, 1),
         tk::same_extent("H", dRp, 2, dWp, 2), tk::fixed_extent(dWp, 3, 64),
         tk::fixed_extent(dKp, 0, 1), tk::same_extent("H", dRp, 2, dKp, 2),
         tk::fixed_extent(dKp, 3, 64), tk::fixed_extent(dVp, 0, 1),
         tk::same_extent("H", dRp, 2, dVp, 2), tk::fixed_extent(dVp, 3, 64),
         tk::fixed_extent(dAp, 0, 1), tk::same_extent("H", dRp, 2, dAp, 2),
         tk::fixed_extent(dAp, 3, 64), tk::fixed_extent(dBp, 0, 1),
         tk::same_extent("H", dRp, 2, dBp, 2), tk::fixed_extent(dBp, 3, 64),
         tk::same_extent("S", First, 0, Tokens, 0), tk::fixed_extent(dR, 0, 1),
         tk::same_extent("H", dRp, 2, dR, 2), tk::fixed_extent(dR, 3, 64),
         tk::fixed_extent(dW, 0, 1), tk::same_extent("N", dR, 1, dW, 1),
         tk::same_extent("H", dRp, 2, dW, 2), tk::fixed_extent(dW, 3, 64),
         tk::fixed_extent(dK, 0, 1), tk::same_extent("N", dR, 1, dK, 1),
         tk::same_extent("H", dRp, 2, dK, 2), tk::fixed_extent(dK, 3, 64),
         tk::fixed_extent(dV, 0, 1), tk::same_extent("N", dR, 1, dV, 1),
         tk::same_extent("H", dRp, 2, dV, 2), tk::fixed_extent(dV, 3, 64),
         tk::fixed_extent(dA, 0, 1), tk::same_extent("N", dR, 1, dA, 1),
         tk::same_extent("H", dRp, 2, dA, 2), tk::fixed_extent(dA, 3, 64),
         tk::fixed_extent(dB, 0, 1), tk::same_extent("N", dR, 1, dB, 1),
         tk::same_extent("H", dRp, 2, dB, 2), tk::fixed_extent(dB, 3, 64),
         tk::extents_fit({{"H", H}, {"S", S}, {"N", N}}), tk::fits("S*64", S * 64),
         tk::that(dRp.shape[1] == S * 64, "axis 1 of `dRp` is {}; it must be `S*64`, which is {}",
                  {dRp.shape[1], S * 64}),
         tk::that(dWp.shape[1] == S * 64, "axis 1 of `dWp` is {}; it must be `S*64`, which is {}",
                  {dWp.shape[1], S * 64}),
         tk::that(dKp.shape[1] == S * 64, "axis 1 of `dKp` is {}; it must be `S*64`, which is {}",
                  {dKp.shape[1], S * 64}),
         tk::that(dVp.shape[1] == S * 64, "axis 1 of `dVp` is {}; it must be `S*64`, which is {}",
                  {dVp.shape[1], S * 64}),
         tk::that(dAp.shape[1] == S * 64, "axis 1 of `dAp` is {}; it must be `S*64`, which is {}",
                  {dAp.shape[1], S * 64}),
         tk::that(dBp.shape[1] == S * 64, "axis 1 of `dBp` is {}; it must be `S*64`, which is {}",
                  {dBp.shape[1], S * 64}), tk::fits("S*64 + 15", S * 64 + 15),
         tk::grid_fits(tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0));
    const bool fast = tk::hold(
        {tk::suits_fast(dRp), tk::suits_fast(dWp), tk::suits_fast(dKp), tk::suits_fast(dVp),
         tk::suits_fast(dAp), tk::suits_fast(dBp), tk::suits_fast(dR), tk::suits_fast(dW),
         tk::suits_fast(dK), tk::suits_fast(dV), tk::suits_fast(dA), tk::suits_fast(dB)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<taken_kernel<9, 8, 8, true>, taken_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, dRp, dWp, dKp, dVp,
        dAp, dBp, First, Tokens, dR, dW, dK, dV, dA, dB, H, S, N));
}
TK_NO_WORKSPACE(taken, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int rwkv7_packed_backward(
    const DLTensor* R_given, const DLTensor* W_given, const DLTensor* K_given,
    const DLTensor* V_given, const DLTensor* A_given, const DLTensor* Bs_given,
    const DLTensor* S0_given, const DLTensor* dO_given, const DLTensor* dState_given,
    const DLTensor* start_given, DLTensor* dR_given, DLTensor* dW_given, DLTensor* dK_given,
    DLTensor* dV_given, DLTensor* dA_given, DLTensor* dB_given, DLTensor* dS0_given,
    DLTensor* First_given, DLTensor* Tokens_given, DLTensor* Rp_given, DLTensor* Wp_given,
    DLTensor* Kp_given, DLTensor* Vp_given, DLTensor* Ap_given, DLTensor* Bp_given,
    DLTensor* dOp_given, DLTensor* dRp_given, DLTensor* dWp_given, DLTensor* dKp_given,
    DLTensor* dVp_given, DLTensor* dAp_given, DLTensor* dBp_given, DLTensor* Queries_given,
    DLTensor* Readers_given, DLTensor* Keys_given, DLTensor* Writers_given, DLTensor* Own_given,
    DLTensor* Through_given, DLTensor* Inverse_given, DLTensor* Product_given, DLTensor* Left_given,
    DLTensor* Levels_given, DLTensor* U_given, DLTensor* Y_given, DLTensor* Before_given,
    DLTensor* Behind_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rwkv7_packed_backward"};
    const tk::tensor R = call.take("R", R_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Bs = call.take("Bs", Bs_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dR = call.take("dR", dR_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dW = call.take("dW", dW_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dA = call.take("dA", dA_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor Rp = call.take("Rp", Rp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Wp = call.take("Wp", Wp_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Kp = call.take("Kp", Kp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Vp = call.take("Vp", Vp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Ap = call.take("Ap", Ap_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Bp = call.take("Bp", Bp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dOp = call.take("dOp", dOp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dRp = call.take("dRp", dRp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dWp = call.take("dWp", dWp_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor dKp = call.take("dKp", dKp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dVp = call.take("dVp", dVp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dAp = call.take("dAp", dAp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dBp = call.take("dBp", dBp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Readers = call.take("Readers", Readers_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Writers = call.take("Writers", Writers_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Own = call.take("Own", Own_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Through = call.take("Through", Through_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Product = call.take("Product", Product_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Levels = call.take("Levels", Levels_given, tk::dtype_i32, 4,
                                        tk::access::write);
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor Behind = call.take("Behind", Behind_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = R.shape[0];
    const int64_t N = R.shape[1];
    const int64_t H = R.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require({
        tk::fixed_extent(R, 3, 64), tk::same_extent("B", R, 0, W, 0),
        tk::same_extent("N", R, 1, W, 1), tk::same_extent("H", R, 2, W, 2),
        tk::fixed_extent(W, 3, 64), tk::same_extent("B", R, 0, K, 0),
        tk::same_extent("N", R, 1, K, 1), tk::same_extent("H", R, 2, K, 2),
        tk::fixed_extent(K, 3, 64), tk::same_extent("B", R, 0, V, 0),
        tk::same_extent("N", R, 1, V, 1), tk::same_extent("H", R, 2, V, 2),
        tk::fixed_extent(V, 3, 64), tk::same_extent("B", R, 0, A, 0),
        tk::same_extent("N", R, 1, A, 1), tk::same_extent("H", R, 2, A, 2),
        tk::fixed_extent(A, 3, 64), tk::same_extent("B", R, 0, Bs, 0),
        tk::same_extent("N", R, 1, Bs, 1), tk::same_extent("H", R, 2, Bs, 2),
        tk::fixed_extent(Bs, 3, 64), tk::same_extent("H", R, 2, S0, 1), tk::fixed_extent(S0, 2, 64),
        tk::fixed_extent(S0, 3, 64), tk::same_extent("B", R, 0, dO, 0),
        tk::same_extent("N", R, 1, dO, 1), tk::same_extent("H", R, 2, dO, 2),
        tk::fixed_extent(dO, 3, 64), tk::same_extent("H", R, 2, dState, 1),
        tk::fixed_extent(dState, 2, 64), tk::fixed_extent(dState, 3, 64),
        tk::same_extent("B", R, 0, dR, 0), tk::same_extent("N", R, 1, dR, 1),
        tk::same_extent("H", R, 2, dR, 2), tk::fixed_extent(dR, 3, 64),
        tk::same_extent("B", R, 0, dW, 0), tk::same_extent("N", R, 1, dW, 1),
        tk::same_extent("H", R, 2, dW, 2), tk::fixed_extent(dW, 3, 64),
        tk::same_extent("B", R, 0, dK, 0), tk::same_extent("N", R, 1, dK, 1),
        tk::same_extent("H", R, 2, dK, 2), tk::fixed_extent(dK, 3, 64),
        tk::same_extent("B", R, 0, dV, 0), tk::same_extent("N", R, 1, dV, 1),
        tk::same_extent("H", R, 2, dV, 2), tk::fixed_extent(dV, 3, 64),
        tk::same_extent("B", R, 0, dA, 0), tk::same_extent("N", R, 1, dA, 1),
        tk::same_extent("H", R, 2, dA, 2), tk::fixed_extent(dA, 3, 64),
        tk::same_extent("B", R, 0, dB, 0), tk::same_extent("N", R, 1, dB, 1),
        tk::same_extent("H", R, 2, dB, 2), tk::fixed_extent(dB, 3, 64),
        tk::same_extent("H", R, 2, dS0, 1), tk::fixed_extent(dS0, 2, 64),
        tk::fixed_extent(dS0, 3, 64), tk::same_extent("B", R, 0, Rp, 0),
        tk::same_extent("H", R, 2, Rp, 2), tk::fixed_extent(Rp, 3, 64),
        tk::same_extent("B", R, 0, Wp, 0), tk::same_extent("H", R, 2, Wp, 2),
        tk::fixed_extent(Wp, 3, 64), tk::same_extent("B", R, 0, Kp, 0),
        tk::same_extent("H", R, 2, Kp, 2), tk::fixed_extent(Kp, 3, 64),
        tk::same_extent("B", R, 0, Vp, 0), tk::same_extent("H", R, 2, Vp, 2),
        tk::fixed_extent(Vp, 3, 64), tk::same_extent("B", R, 0, Ap, 0),
        tk::same_extent("H", R, 2, Ap, 2), tk::fixed_extent(Ap, 3, 64),
        tk::same_extent("B", R, 0, Bp, 0), tk::same_extent("H", R, 2, Bp, 2),
        tk::fixed_extent(Bp, 3, 64), tk::same_extent("B", R, 0, dOp, 0),
        tk::same_extent("H", R, 2, dOp, 2), tk::fixed_extent(dOp, 3, 64),
        tk::same_extent("B", R, 0, dRp, 0), tk::same_extent("H", R, 2, dRp, 2),
        tk::fixed_extent(dRp, 3, 64), tk::same_extent("B", R, 0, dWp, 0),
        tk::same_extent("H", R, 2, dWp, 2), tk::fixed_extent(dWp, 3, 64),
        tk::same_extent("B", R, 0, dKp, 0), tk::same_extent("H", R, 2, dKp, 2),
        tk::fixed_extent(dKp, 3, 64), tk::same_extent("B", R, 0, dVp, 0),
        tk::same_extent("H", R, 2, dVp, 2), tk::fixed_extent(dVp, 3, 64),
        tk::same_extent("B", R, 0, dAp, 0), tk::same_extent("H", R, 2, dAp, 2),
        tk::fixed_extent(dAp, 3, 64), tk::same_extent("B", R, 0, dBp, 0),
        tk::same_extent("H", R, 2, dBp, 2), tk::fixed_extent(dBp, 3, 64),
        tk::same_extent("B", R, 0, Queries, 0), tk::same_extent("H", R, 2, Queries, 2),
        tk::fixed_extent(Queries, 3, 64), tk::same_extent("B", R, 0, Readers, 0),
        tk::same_extent("H", R, 2, Readers, 2), tk::fixed_extent(Readers, 3, 64),
        tk::same_extent("B", R, 0, Keys, 0), tk::same_extent("H", R, 2, Keys, 2),
        tk::fixed_extent(Keys, 3, 64), tk::same_extent("B", R, 0, Writers, 0),
        tk::same_extent("H", R, 2, Writers, 2), tk::fixed_extent(Writers, 3, 64),
        tk::same_extent("B", R, 0, Own, 0), tk::same_extent("H", R, 2, Own, 1),
        tk::fixed_extent(Own, 3, 64), tk::same_extent("B", R, 0, Through, 0),
        tk::same_extent("H", R, 2, Through, 1), tk::fixed_extent(Through, 3, 64),
        tk::same_extent("B", R, 0, Inverse, 0), tk::same_extent("H", R, 2, Inverse, 1),
        tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", R, 0, Product, 0),
        tk::same_extent("H", R, 2, Product, 1), tk::fixed_extent(Product, 3, 64),
        tk::same_extent("B", R, 0, Left, 0), tk::same_extent("H", R, 2, Left, 1),
        tk::fixed_extent(Left, 3, 64), tk::same_extent("B", R, 0, Levels, 0),
        tk::same_extent("H", R, 2, Levels, 1), tk::fixed_extent(Levels, 3, 1),
        tk::same_extent("B", R, 0, U, 0), tk::same_extent("H", R, 2, U, 1),
        tk::fixed_extent(U, 2, 64), tk::same_extent("B", R, 0, Y, 0),
        tk::same_extent("H", R, 2, Y, 2), tk::fixed_extent(Y, 3, 64),
        tk::same_extent("B", R, 0, Before, 0), tk::fixed_extent(Before, 3, 64),
        tk::same_extent("B", R, 0, Behind, 0), tk::fixed_extent(Behind, 3, 64),
        tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"F", F}, {"P", P}, {"I", I}}),
        tk::fits("N/64 + P", tk::floor_div(N, 64) + P),
        tk::that(First.shape[0] == tk::floor_div(N, 64) + P - 1,
                 "axis 0 of `First` is {}; it must be `N/64 + P - 1`, which is {}",
                 {First.shape[0], tk::floor_div(N, 64) + P - 1}),
        tk::that(Tokens.shape[0] == tk::floor_div(N, 64) + P - 1,
                 "axis 0 of `Tokens` is {}; it must be `N/64 + P - 1`, which is {}",
                 {Tokens.shape[0], tk::floor_div(N, 64) + P - 1}),
        tk::fits("(N/64 + P - 1)*64", (tk::floor_div(N, 64) + P - 1) * 64),
        tk::that(Rp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Rp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Rp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Wp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Wp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Wp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Kp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Kp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Kp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Vp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Vp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Vp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Ap.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Ap` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Ap.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Bp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Bp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Bp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dOp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dOp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dOp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dRp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dRp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dRp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dWp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dWp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dWp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dKp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dKp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dKp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dVp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dVp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dVp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dAp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dAp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dAp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(dBp.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `dBp` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {dBp.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Queries.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Queries` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Queries.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Readers.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Readers` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Readers.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Keys.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Keys` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Keys.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Writers.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Writers` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Writers.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Own.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 2 of `Own` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Own.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Through.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 2 of `Through` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Through.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Inverse.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 2 of `Inverse` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Inverse.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Product.shape[2] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 2 of `Product` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Product.shape[2], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Left.shape[2] == tk::floor_div(N, 64) + P - 1,
                 "axis 2 of `Left` is {}; it must be `N/64 + P - 1`, which is {}",
                 {Left.shape[2], tk::floor_div(N, 64) + P - 1}),
        tk::that(Levels.shape[2] == tk::floor_div(N, 64) + P - 1,
                 "axis 2 of `Levels` is {}; it must be `N/64 + P - 1`, which is {}",
                 {Levels.shape[2], tk::floor_div(N, 64) + P - 1}),
        tk::that(U.shape[3] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 3 of `U` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {U.shape[3], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Y.shape[1] == (tk::floor_div(N, 64) + P - 1) * 64,
                 "axis 1 of `Y` is {}; it must be `(N/64 + P - 1)*64`, which is {}",
                 {Y.shape[1], (tk::floor_div(N, 64) + P - 1) * 64}),
        tk::that(Before.shape[1] == tk::floor_div(N, 64) + P - 1,
                 "axis 1 of `Before` is {}; it must be `N/64 + P - 1`, which is {}",
                 {Before.shape[1], tk::floor_div(N, 64) + P - 1}), tk::fits("H*64", H * 64),
        tk::that(Before.shape[2] == H * 64,
                 "axis 2 of `Before` is {}; it must be `H*64`, which is {}",
                 {Before.shape[2], H * 64}),
        tk::that(Behind.shape[1] == tk::floor_div(N, 64) + P - 1,
                 "axis 1 of `Behind` is {}; it must be `N/64 + P - 1`, which is {}",
                 {Behind.shape[1], tk::floor_div(N, 64) + P - 1}),
        tk::that(Behind.shape[2] == H * 64,
                 "axis 2 of `Behind` is {}; it must be `H*64`, which is {}",
                 {Behind.shape[2], H * 64}),
        tk::that(B == 1, "`rwkv7_packed_backward` requires `B == 1`"),
        tk::that(P >= 1, "`rwkv7_packed_backward` requires `P >= 1`"),
        tk::that(I < P, "`rwkv7_packed_backward` requires `I < P`"),
        tk::that(J < P, "`rwkv7_packed_backward` requires `J < P`"),
        tk::that(F < P, "`rwkv7_packed_backward` requires `F < P`")});
    // packed_chunks.packed_chunks(start, First, Tokens)
    call.require({
        tk::that(tk::floor_div(N, 64) + P - 1 < 2147221504,
                 "`N/64 + P - 1` is {}; extents must be less than 2147221504",
                 {tk::floor_div(N, 64) + P - 1})});
    // rwkv7_packed.placed(R, W, K, V, A, Bs, First, Tokens, Rp, Wp, Kp, Vp, Ap, Bp)
    call.require(
        {tk::fits("(N/64 + P - 1)*64 + 15", (tk::floor_div(N, 64) + P - 1) * 64 + 15),
         tk::grid_fits(
             tk::multiply(H, tk::larger(tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 16), 0)),
             2147483648)});
    // rwkv7.pairs(Rp, Wp, Kp, Ap, Bp, Queries, Readers, Keys, Writers, Own, Through, Inverse,
    // Product, Left, Levels, scale)
    call.require({
        tk::that((tk::floor_div(N, 64) + P - 1) * 64 < 2147221504,
                 "`(N/64 + P - 1)*64` is {}; extents must be less than 2147221504",
                 {(tk::floor_div(N, 64) + P - 1) * 64}), tk::suits_tma_load(Rp),
        tk::suits_tma_load(Wp), tk::suits_tma_load(Kp), tk::suits_tma_load(Ap),
        tk::suits_tma_load(Bp), tk::suits_tma_store(Queries), tk::suits_tma_store(Readers),
        tk::suits_tma_store(Keys), tk::suits_tma_store(Writers), tk::suits_tma_store(Own),
        tk::suits_tma_store(Through), tk::suits_tma_store(Inverse), tk::suits_tma_store(Product),
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 2), tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)),
            2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 2),
                             tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64)), B),
            2147418112)});
    // rwkv7_backward.before(Readers, Keys, Writers, Vp, Inverse, Product, Left, S0, start, U,
    // Before)
    call.require(
        {tk::suits_tma_load(Vp), tk::suits_tma_load(Left), tk::suits_tma_store(U),
         tk::suits_tma_store(Before),
         tk::grid_fits(tk::multiply(H, tk::larger(P - 1, 0)), 2147483648),
         tk::fits("start[b]/64 + b",
                  tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1)),
         tk::fits("(start[b]/64 + b)*64",
                  (tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1)) * 64),
         tk::fits("start[b + 1]/64 + b + 1",
                  tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1) + 1),
         tk::fits("(start[b + 1]/64 + b + 1)*64",
                  (tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1) + 1) * 64),
         tk::fits("end + 63",
                  (tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1) + 1) * 64 +
                  63),
         tk::fits("t.start + 64",
                  (tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1) + 1) * 64 -
                  1 + 64), tk::fits("h*64", (H - 1) * 64),
         tk::fits("h*64 + c.start", (H - 1) * 64 + 63),
         tk::fits("t.start + panel",
                  (tk::floor_div((tk::floor_div(N, 64) + P - 1) * 64, 64) + (P - 1 - 1) + 1) * 64 -
                  1 + 63)});
    // rwkv7_backward.behind(Queries, Readers, Keys, Writers, dOp, Own, Through, Inverse, Product,
    // Left, dState, start, Y, dVp, Behind, dS0)
    call.require(
        {tk::suits_tma_load(dOp), tk::suits_tma_store(Y), tk::suits_tma_store(dVp),
         tk::suits_tma_store(Behind)});
    // rwkv7_backward.chunks(Rp, Wp, Kp, Vp, Ap, Bp, dOp, U, Y, Before, Behind, Levels, dRp, dWp,
    // dKp, dAp, dBp, scale)
    call.require({
        tk::grid_fits(tk::multiply(tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64), H),
                      2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div((tk::floor_div(N, 64) + P - 1) * 64, 64), H), B),
            2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    // rwkv7_packed.placed(R, W, K, V, A, Bs, First, Tokens, Rp, Wp, Kp, Vp, Ap, Bp)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(R), tk::suits_fast(W), tk::suits_fast(K), tk::that(V.stride[3] == 1),
         tk::that(V.address % 16 == 0),
         tk::that(V.stride[2] % 8 == 0 && 0 < V.stride[2] && V.stride[2] < 549755813888),
         tk::that(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888),
         tk::that(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888),
         tk::suits_fast(A), tk::suits_fast(Bs), tk::suits_fast(Rp), tk::suits_fast(Wp),
         tk::suits_fast(Kp), tk::that(Vp.stride[3] == 1), tk::that(Vp.address % 16 == 0),
         tk::that(Vp.stride[2] % 8 == 0 && 0 < Vp.stride[2] && Vp.stride[2] < 549755813888),
         tk::that(Vp.stride[1] % 8 == 0 && 0 < Vp.stride[1] && Vp.stride[1] < 549755813888),
         tk::that(Vp.stride[0] % 8 == 0 && 0 < Vp.stride[0] && Vp.stride[0] < 549755813888),
         tk::suits_fast(Ap), tk::suits_fast(Bp)});

    // placed(dO, First, Tokens, dOp)
    const bool choice_3 = tk::hold({tk::suits_fast(dO), tk::suits_fast(dOp)});

    // rwkv7_backward.chunks(Rp, Wp, Kp, Vp, Ap, Bp, dOp, U, Y, Before, Behind, Levels, dRp, dWp,
    // dKp, dAp, dBp, scale)
    tk::selection choice_7{call};
    choice_7.candidate();  // rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64
    choice_7.prefer(
        {tk::suits_fast(Rp), tk::suits_fast(Wp), tk::suits_fast(Kp), tk::suits_fast(Vp),
         tk::suits_fast(Ap), tk::suits_fast(Bp), tk::suits_fast(dOp), tk::suits_fast(U),
         tk::suits_fast(Y), tk::suits_fast(Before), tk::suits_fast(Behind), tk::suits_fast(dRp),
         tk::suits_fast(dWp), tk::suits_fast(dKp), tk::suits_fast(dAp), tk::suits_fast(dBp)});
    choice_7.offer();
    choice_7.candidate(true);  // rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general
    choice_7.require(
        {tk::suits_tma_load(Rp), tk::suits_tma_load(Wp), tk::suits_tma_load(Kp),
         tk::suits_tma_load(Vp), tk::suits_tma_load(Ap), tk::suits_tma_load(Bp),
         tk::suits_tma_load(dOp), tk::suits_tma_load(U), tk::suits_tma_load(Y),
         tk::suits_tma_load(Before), tk::suits_tma_load(Behind), tk::suits_tma_store(dRp),
         tk::suits_tma_store(dKp), tk::suits_tma_store(dAp), tk::suits_tma_store(dBp)});
    choice_7.offer();
    if (!choice_7.ok()) return tk::finish(choice_7.result());

    // taken(dRp, dWp, dKp, dVp, dAp, dBp, First, Tokens, dR, dW, dK, dV, dA, dB)
    const bool choice_8 = tk::hold(
        {tk::suits_fast(dRp), tk::suits_fast(dWp), tk::suits_fast(dKp), tk::suits_fast(dVp),
         tk::suits_fast(dAp), tk::suits_fast(dBp), tk::suits_fast(dR), tk::suits_fast(dW),
         tk::suits_fast(dK), tk::suits_fast(dV), tk::suits_fast(dA), tk::suits_fast(dB)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(
        site, start, First, Tokens, P, tk::floor_div(N, 64) + P - 1));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_rwkv7_packed_placed_T_bf16_TG_f16_DK_64(
            site, R, W, K, V, A, Bs, tk::read_only(First), tk::read_only(Tokens), Rp, Wp, Kp, Vp,
            Ap, Bp, N, H, 64, tk::floor_div(N, 64) + P - 1));
    } else {
        TK_FINISH_IF_FAILED(launch_rwkv7_packed_placed_T_bf16_TG_f16_DK_64_general(
            site, R, W, K, V, A, Bs, tk::read_only(First), tk::read_only(Tokens), Rp, Wp, Kp, Vp,
            Ap, Bp, N, H, 64, tk::floor_div(N, 64) + P - 1));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_placed(site, dO, tk::read_only(First), tk::read_only(Tokens), dOp, N, H,
                          tk::floor_div(N, 64) + P - 1));
    } else {
        TK_FINISH_IF_FAILED(
            launch_placed_general(site, dO, tk::read_only(First), tk::read_only(Tokens), dOp, N, H,
                                  tk::floor_div(N, 64) + P - 1));
    }
    TK_FINISH_IF_FAILED(launch_rwkv7_pairs_T_bf16_TG_f16_DK_64(
        site, tk::read_only(Rp), tk::read_only(Wp), tk::read_only(Kp), tk::read_only(Ap),
        tk::read_only(Bp), Queries, Readers, Keys, Writers, Own, Through, Inverse, Product, Left,
        Levels, B, (tk::floor_div(N, 64) + P - 1) * 64, H, scale));
    TK_FINISH_IF_FAILED(launch_rwkv7_backward_before_T_bf16_DK_64_DV_64_PACKED_true(
        site, tk::read_only(Readers), tk::read_only(Keys), tk::read_only(Writers),
        tk::read_only(Vp), tk::read_only(Inverse), tk::read_only(Product), tk::read_only(Left), S0,
        start, U, Before, (tk::floor_div(N, 64) + P - 1) * 64, H, J, P));
    TK_FINISH_IF_FAILED(launch_rwkv7_backward_behind_T_bf16_DK_64_DV_64_PACKED_true(
        site, tk::read_only(Queries), tk::read_only(Readers), tk::read_only(Keys),
        tk::read_only(Writers), tk::read_only(dOp), tk::read_only(Own), tk::read_only(Through),
        tk::read_only(Inverse), tk::read_only(Product), tk::read_only(Left), dState, start, Y, dVp,
        Behind, dS0, (tk::floor_div(N, 64) + P - 1) * 64, H, F, P, I));
    if (choice_7.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64(
            site, tk::read_only(Rp), tk::read_only(Wp), tk::read_only(Kp), tk::read_only(Vp),
            tk::read_only(Ap), tk::read_only(Bp), tk::read_only(dOp), tk::read_only(U),
            tk::read_only(Y), tk::read_only(Before), tk::read_only(Behind), tk::read_only(Levels),
            dRp, dWp, dKp, dAp, dBp, B, (tk::floor_div(N, 64) + P - 1) * 64, H, scale));
    }
    if (choice_7.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_rwkv7_backward_chunks_T_bf16_TG_f16_TDW_f16_DK_64_DV_64_general(
            site, tk::read_only(Rp), tk::read_only(Wp), tk::read_only(Kp), tk::read_only(Vp),
            tk::read_only(Ap), tk::read_only(Bp), tk::read_only(dOp), tk::read_only(U),
            tk::read_only(Y), tk::read_only(Before), tk::read_only(Behind), tk::read_only(Levels),
            dRp, dWp, dKp, dAp, dBp, B, (tk::floor_div(N, 64) + P - 1) * 64, H, scale));
    }
    if (choice_8) {
        TK_FINISH_IF_FAILED(launch_taken(
            site, tk::read_only(dRp), tk::read_only(dWp), tk::read_only(dKp), tk::read_only(dVp),
            tk::read_only(dAp), tk::read_only(dBp), tk::read_only(First), tk::read_only(Tokens), dR,
            dW, dK, dV, dA, dB, H, tk::floor_div(N, 64) + P - 1, N));
    } else {
        TK_FINISH_IF_FAILED(launch_taken_general(
            site, tk::read_only(dRp), tk::read_only(dWp), tk::read_only(dKp), tk::read_only(dVp),
            tk::read_only(dAp), tk::read_only(dBp), tk::read_only(First), tk::read_only(Tokens), dR,
            dW, dK, dV, dA, dB, H, tk::floor_div(N, 64) + P - 1, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(rwkv7_packed_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
