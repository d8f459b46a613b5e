// Made by tkc from rwkv7_packed.tk: change that, and not this.
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

// placed: kernel placed with T = bf16, TG = f16, DK = 64, BV = 64, ROWS = 16, L = 64.
// 128 threads, 72 registers each: placed_kernel<7, 8, 8, true>.
// placed_general: kernel placed with T = bf16, TG = f16, DK = 64, BV = 64, ROWS = 16, L = 64; any
// strides and alignment.
// 128 threads, 255 registers each: placed_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) placed_kernel(
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

// rwkv7_chunks_T_bf16_DK_64_PACKED_true: kernel rwkv7.chunks with T = bf16, DK = 64, BV = 64,
// PACKED = true, L = 64.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; output: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 148736 bytes of shared memory.
struct rwkv7_chunks_T_bf16_DK_64_PACKED_true_shared {
    tk::shared_tile<tk::bf16, 64, 64> xs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_product[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_inverse[2];
    tk::shared_tile<float, 1, 64> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> bs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_own[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_through[1];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> states_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> xs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<2> lefts;
    tk::pipeline<2> ks;
    tk::pipeline<2> bs;
    tk::pipeline<1> qs;
    tk::pipeline<1> ws;
    tk::pipeline<1> us;
    tk::pipeline<1> states;
};
static_assert(offsetof(rwkv7_chunks_T_bf16_DK_64_PACKED_true_shared, states) == 148720);

__global__ void __launch_bounds__(384, 1) rwkv7_chunks_T_bf16_DK_64_PACKED_true_kernel(
    const __grid_constant__ CUtensorMap Readers_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Product_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap Left_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Writers_map,
    const __grid_constant__ CUtensorMap Queries_map, const __grid_constant__ CUtensorMap Own_map,
    const __grid_constant__ CUtensorMap Through_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const int, 1> start,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int H, int DV, int I, int P, int N, int F, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_chunks_T_bf16_DK_64_PACKED_true_shared& shared =
        *reinterpret_cast<rwkv7_chunks_T_bf16_DK_64_PACKED_true_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Readers_map, V_map, Product_map, Inverse_map, Left_map, Keys_map,
                              Writers_map, Queries_map, Own_map, Through_map, O_map);
        shared.xs.init(1, 4);
        shared.vs.init(1, 8);
        shared.ts.init(1, 4);
        shared.lefts.init(1, 4);
        shared.ks.init(1, 4);
        shared.bs.init(1, 4);
        shared.qs.init(1, 4);
        shared.ws.init(1, 4);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7.tk:218: role producer(1 warp) registers((if PACKED { 40 } else { 24 })) {
        tk::registers_at_most<40>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> bs_next, ks_next, lefts_next, ts_next, vs_next, xs_next;
            tk::cursor<1> qs_next, ws_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H * p_tiles);

            // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

            // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
            const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

            // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * ..
            const int end = first + tokens;

            // rwkv7.tk:219: for t in first..end by L {
            #pragma unroll 1
            for (int t = first; t < end; t += 64) {
                // rwkv7.tk:220: produce xs = tma_load(Readers[at, t, h, :]);
                shared.xs.begin(xs_next, 8192);
                tk::tma_load(shared.xs_tile[xs_next.stage], Readers_map,
                             shared.xs.full[xs_next.stage], 0, t, h, 0);
                xs_next.advance();

                // rwkv7.tk:221: produce vs = tma_load(V[at, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             t, h, c);
                vs_next.advance();

                // rwkv7.tk:222: produce ts { product = tma_load(Product[at, h, t.start +: L, ..
                shared.ts.begin(ts_next, 16384);
                tk::tma_load(shared.ts_product[ts_next.stage], Product_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                tk::tma_load(shared.ts_inverse[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                ts_next.advance();

                // rwkv7.tk:223: produce lefts = tma_load(Left[at, h, t.start // L, :]);
                shared.lefts.begin(lefts_next, 256);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], 0, h, tk::divide_down(t, 64), 0);
                lefts_next.advance();

                // rwkv7.tk:224: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             0, t, h, 0);
                ks_next.advance();

                // rwkv7.tk:225: produce bs = tma_load(Writers[at, t, h, :]);
                shared.bs.begin(bs_next, 8192);
                tk::tma_load(shared.bs_tile[bs_next.stage], Writers_map,
                             shared.bs.full[bs_next.stage], 0, t, h, 0);
                bs_next.advance();

                // rwkv7.tk:226: produce qs = tma_load(Queries[at, t, h, :]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Queries_map,
                             shared.qs.full[qs_next.stage], 0, t, h, 0);
                qs_next.advance();

                // rwkv7.tk:227: produce ws { own = tma_load(Own[at, h, t.start +: L, :]); ..
                shared.ws.begin(ws_next, 16384);
                tk::tma_load(shared.ws_own[ws_next.stage], Own_map, shared.ws.full[ws_next.stage],
                             0, h, t, 0);
                tk::tma_load(shared.ws_through[ws_next.stage], Through_map,
                             shared.ws.full[ws_next.stage], 0, h, t, 0);
                ws_next.advance();
            }
        }
    } else if (warp < 4) {
        // rwkv7.tk:230: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> states_next_2, us_next_2;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

        // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * length, ..
        const int end = first + tokens;

        // rwkv7.tk:231: var s: f32[BV, DK] = load(S0[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 64> s;
        tk::load_global(s,
                        tk::slice(S0, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 64),
                        thread);

        // rwkv7.tk:232: for t in first..end by L {
        for (int t = first; t < end; t += 64) {
            // rwkv7.tk:233: let x = T(s);
            tk::fragment<tk::bf16, 64, 64> x = tk::convert<tk::bf16>(s);

            // rwkv7.tk:234: let y = mma(x, (consume xs).T);
            const tk::cursor<2> xs_element = shared.xs.take(xs_next);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, x, tk::transposed(shared.xs_tile[xs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:235: let v = consume vs;
            shared.vs.wait_full(xs_element);

            // rwkv7.tk:236: let i = consume ts;
            shared.ts.wait_full(xs_element);

            // rwkv7.tk:237: var u = mma(v.T, i.product.T);
            tk::fragment<float, 64, 64> u;
            tk::mma_async(u, tk::transposed(shared.vs_tile[xs_element.stage]),
                          tk::transposed(shared.ts_product[xs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:238: produce states = x;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], x, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();
            tk::mma_wait<0>(z, u, x);
            shared.xs.release(xs_element);

            // rwkv7.tk:240: u += z;
            tk::map(u, [](float u, float z) { return u + z; }, u, z);

            // rwkv7.tk:241: u += mma(T(z), i.inverse.T);
            tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(z);
            tk::mma_async(u, t3, tk::transposed(shared.ts_inverse[xs_element.stage]));

            // rwkv7.tk:242: s *= consume lefts;
            shared.lefts.wait_full(xs_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.lefts_tile[xs_element.stage], thread);
            shared.lefts.release_after_loads(xs_element);
            tk::map(s, [](float s, float t0) { return s * t0; }, s, t0);

            // rwkv7.tk:243: s += mma(v.T, consume ks);
            shared.ks.wait_full(xs_element);
            tk::mma_async(s, tk::transposed(shared.vs_tile[xs_element.stage]),
                          shared.ks_tile[xs_element.stage]);
            tk::mma_wait<1>(u, t3);
            shared.ts.release(xs_element);

            // rwkv7.tk:244: let r = T(pad(u, axis = 1, with = 0));
            tk::fragment<tk::bf16, 64, 64> r = tk::convert<tk::bf16>(u);

            // rwkv7.tk:245: s += mma(r, consume bs);
            shared.bs.wait_full(xs_element);
            tk::mma_async(s, r, shared.bs_tile[xs_element.stage]);

            // rwkv7.tk:246: produce us = r;
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], r, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, r);
            shared.ks.release(xs_element);
            shared.vs.release(xs_element);
            shared.bs.release(xs_element);
        }

        // rwkv7.tk:248: if PACKED or p == segments - 1 { store(State[b, h, c, :], s); }
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 64), s, thread);
    } else {
        // rwkv7.tk:250: role output(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

        // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * length, ..
        const int end = first + tokens;

        // rwkv7.tk:206: let Ob     = O[0, (if PACKED { start[b] } else { 0 }) +: tokens];
        const int Ob_start = tk::cell(start, b);
        const int Ob_end = tk::cell(start, b) + tokens;

        // rwkv7.tk:251: for t in first..end by L {
        for (int t = first; t < end; t += 64) {
            // rwkv7.tk:252: var o = mma(consume qs, (consume states).T);
            const tk::cursor<1> qs_element = shared.qs.take(qs_next);
            shared.states.wait_full(qs_element);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[qs_element.stage],
                          tk::transposed(shared.states_tile[qs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:253: let w = consume ws;
            shared.ws.wait_full(qs_element);

            // rwkv7.tk:254: o += mma(w.own, consume vs);
            const tk::cursor<2> vs_element = shared.vs.take(vs_next);
            tk::mma_async(o, shared.ws_own[qs_element.stage], shared.vs_tile[vs_element.stage]);

            // rwkv7.tk:255: o += mma(w.through, (consume us).T);
            shared.us.wait_full(qs_element);
            tk::mma_async(o, shared.ws_through[qs_element.stage],
                          tk::transposed(shared.us_tile[qs_element.stage]));
            tk::mma_wait<0>(o);
            shared.states.release(qs_element);
            shared.qs.release(qs_element);
            shared.vs.release(vs_element);
            shared.us.release(qs_element);
            shared.ws.release(qs_element);

            // rwkv7.tk:256: if PACKED { store(Ob[t.start - first +: L, h, c], T(o)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.output_O[0], tk::convert<tk::bf16>(o), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if ((DV % 8 != 0 && DV < c + panel + 64) || Ob_end < Ob_start + (t - first) + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {0, Ob_start + (t - first), h, c + panel},
                                                  B > 0
                                                  ? tk::max(tk::min(Ob_end, N), 0) -
                                                  (Ob_start + (t - first)) : 0, DV - (c + panel)),
                            0 - (Ob_start + (t - first)), 0), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], 0, Ob_start + (t - first), h,
                                  c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// rwkv7_chunks_T_bf16_DK_64_PACKED_true_general: kernel rwkv7.chunks with T = bf16, DK = 64, BV =
// 64, PACKED = true, L = 64; any strides and alignment.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; output: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 140544 bytes of shared memory.
struct rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_shared {
    tk::shared_tile<tk::bf16, 64, 64> xs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_product[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_inverse[2];
    tk::shared_tile<float, 1, 64> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> bs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_own[1];
    tk::shared_tile<tk::bf16, 64, 64> ws_through[1];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> states_tile[1];
    tk::pipeline<2> xs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<2> lefts;
    tk::pipeline<2> ks;
    tk::pipeline<2> bs;
    tk::pipeline<1> qs;
    tk::pipeline<1> ws;
    tk::pipeline<1> us;
    tk::pipeline<1> states;
};
static_assert(offsetof(rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_shared, states) == 140528);

__global__ void __launch_bounds__(384, 1) rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_kernel(
    const __grid_constant__ CUtensorMap Readers_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Product_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap Left_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Writers_map,
    const __grid_constant__ CUtensorMap Queries_map, const __grid_constant__ CUtensorMap Own_map,
    const __grid_constant__ CUtensorMap Through_map, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const int, 1> start, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 4> State, int B, int H, int DV, int I, int P, int N, int F,
    int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_shared& shared =
        *reinterpret_cast<rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Readers_map, V_map, Product_map, Inverse_map, Left_map, Keys_map,
                              Writers_map, Queries_map, Own_map, Through_map);
        shared.xs.init(1, 4);
        shared.vs.init(1, 8);
        shared.ts.init(1, 4);
        shared.lefts.init(1, 4);
        shared.ks.init(1, 4);
        shared.bs.init(1, 4);
        shared.qs.init(1, 4);
        shared.ws.init(1, 4);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // rwkv7.tk:218: role producer(1 warp) registers((if PACKED { 40 } else { 24 })) {
        tk::registers_at_most<40>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> bs_next, ks_next, lefts_next, ts_next, vs_next, xs_next;
            tk::cursor<1> qs_next, ws_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H * p_tiles);

            // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

            // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
            const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

            // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * ..
            const int end = first + tokens;

            // rwkv7.tk:219: for t in first..end by L {
            #pragma unroll 1
            for (int t = first; t < end; t += 64) {
                // rwkv7.tk:220: produce xs = tma_load(Readers[at, t, h, :]);
                shared.xs.begin(xs_next, 8192);
                tk::tma_load(shared.xs_tile[xs_next.stage], Readers_map,
                             shared.xs.full[xs_next.stage], 0, t, h, 0);
                xs_next.advance();

                // rwkv7.tk:221: produce vs = tma_load(V[at, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], 0,
                             t, h, c);
                vs_next.advance();

                // rwkv7.tk:222: produce ts { product = tma_load(Product[at, h, t.start +: L, ..
                shared.ts.begin(ts_next, 16384);
                tk::tma_load(shared.ts_product[ts_next.stage], Product_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                tk::tma_load(shared.ts_inverse[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], 0, h, t, 0);
                ts_next.advance();

                // rwkv7.tk:223: produce lefts = tma_load(Left[at, h, t.start // L, :]);
                shared.lefts.begin(lefts_next, 256);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], 0, h, tk::divide_down(t, 64), 0);
                lefts_next.advance();

                // rwkv7.tk:224: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             0, t, h, 0);
                ks_next.advance();

                // rwkv7.tk:225: produce bs = tma_load(Writers[at, t, h, :]);
                shared.bs.begin(bs_next, 8192);
                tk::tma_load(shared.bs_tile[bs_next.stage], Writers_map,
                             shared.bs.full[bs_next.stage], 0, t, h, 0);
                bs_next.advance();

                // rwkv7.tk:226: produce qs = tma_load(Queries[at, t, h, :]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Queries_map,
                             shared.qs.full[qs_next.stage], 0, t, h, 0);
                qs_next.advance();

                // rwkv7.tk:227: produce ws { own = tma_load(Own[at, h, t.start +: L, :]); ..
                shared.ws.begin(ws_next, 16384);
                tk::tma_load(shared.ws_own[ws_next.stage], Own_map, shared.ws.full[ws_next.stage],
                             0, h, t, 0);
                tk::tma_load(shared.ws_through[ws_next.stage], Through_map,
                             shared.ws.full[ws_next.stage], 0, h, t, 0);
                ws_next.advance();
            }
        }
    } else if (warp < 4) {
        // rwkv7.tk:230: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> states_next_2, us_next_2;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

        // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * length, ..
        const int end = first + tokens;

        // rwkv7.tk:231: var s: f32[BV, DK] = load(S0[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 64> s;
        tk::load_global(s,
                        tk::slice(S0, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 64),
                        thread);

        // rwkv7.tk:232: for t in first..end by L {
        for (int t = first; t < end; t += 64) {
            // rwkv7.tk:233: let x = T(s);
            tk::fragment<tk::bf16, 64, 64> x = tk::convert<tk::bf16>(s);

            // rwkv7.tk:234: let y = mma(x, (consume xs).T);
            const tk::cursor<2> xs_element = shared.xs.take(xs_next);
            tk::fragment<float, 64, 64> z;
            tk::mma_async(z, x, tk::transposed(shared.xs_tile[xs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:235: let v = consume vs;
            shared.vs.wait_full(xs_element);

            // rwkv7.tk:236: let i = consume ts;
            shared.ts.wait_full(xs_element);

            // rwkv7.tk:237: var u = mma(v.T, i.product.T);
            tk::fragment<float, 64, 64> u;
            tk::mma_async(u, tk::transposed(shared.vs_tile[xs_element.stage]),
                          tk::transposed(shared.ts_product[xs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:238: produce states = x;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], x, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();
            tk::mma_wait<0>(z, u, x);
            shared.xs.release(xs_element);

            // rwkv7.tk:240: u += z;
            tk::map(u, [](float u, float z) { return u + z; }, u, z);

            // rwkv7.tk:241: u += mma(T(z), i.inverse.T);
            tk::fragment<tk::bf16, 64, 64> t3 = tk::convert<tk::bf16>(z);
            tk::mma_async(u, t3, tk::transposed(shared.ts_inverse[xs_element.stage]));

            // rwkv7.tk:242: s *= consume lefts;
            shared.lefts.wait_full(xs_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.lefts_tile[xs_element.stage], thread);
            shared.lefts.release_after_loads(xs_element);
            tk::map(s, [](float s, float t0) { return s * t0; }, s, t0);

            // rwkv7.tk:243: s += mma(v.T, consume ks);
            shared.ks.wait_full(xs_element);
            tk::mma_async(s, tk::transposed(shared.vs_tile[xs_element.stage]),
                          shared.ks_tile[xs_element.stage]);
            tk::mma_wait<1>(u, t3);
            shared.ts.release(xs_element);

            // rwkv7.tk:244: let r = T(pad(u, axis = 1, with = 0));
            tk::fragment<tk::bf16, 64, 64> r = tk::convert<tk::bf16>(u);

            // rwkv7.tk:245: s += mma(r, consume bs);
            shared.bs.wait_full(xs_element);
            tk::mma_async(s, r, shared.bs_tile[xs_element.stage]);

            // rwkv7.tk:246: produce us = r;
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], r, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, r);
            shared.ks.release(xs_element);
            shared.vs.release(xs_element);
            shared.bs.release(xs_element);
        }

        // rwkv7.tk:248: if PACKED or p == segments - 1 { store(State[b, h, c, :], s); }
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 64), s, thread);
    } else {
        // rwkv7.tk:250: role output(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H * p_tiles);

        // rwkv7.tk:203: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = tk::cell(start, b + 1) - tk::cell(start, b);

        // rwkv7.tk:204: let first  = if PACKED { (start[b] // L + b) * L } else { p * length };
        const int first = (tk::divide_down(tk::cell(start, b), 64) + b) * 64;

        // rwkv7.tk:205: let end    = if PACKED { first + tokens } else { min((p + 1) * length, ..
        const int end = first + tokens;

        // rwkv7.tk:206: let Ob     = O[0, (if PACKED { start[b] } else { 0 }) +: tokens];
        const int Ob_start = tk::cell(start, b);
        const int Ob_end = tk::cell(start, b) + tokens;

        // rwkv7.tk:251: for t in first..end by L {
        for (int t = first; t < end; t += 64) {
            // rwkv7.tk:252: var o = mma(consume qs, (consume states).T);
            const tk::cursor<1> qs_element = shared.qs.take(qs_next);
            shared.states.wait_full(qs_element);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[qs_element.stage],
                          tk::transposed(shared.states_tile[qs_element.stage]),
                          tk::accumulate_never{});

            // rwkv7.tk:253: let w = consume ws;
            shared.ws.wait_full(qs_element);

            // rwkv7.tk:254: o += mma(w.own, consume vs);
            const tk::cursor<2> vs_element = shared.vs.take(vs_next);
            tk::mma_async(o, shared.ws_own[qs_element.stage], shared.vs_tile[vs_element.stage]);

            // rwkv7.tk:255: o += mma(w.through, (consume us).T);
            shared.us.wait_full(qs_element);
            tk::mma_async(o, shared.ws_through[qs_element.stage],
                          tk::transposed(shared.us_tile[qs_element.stage]));
            tk::mma_wait<0>(o);
            shared.states.release(qs_element);
            shared.qs.release(qs_element);
            shared.vs.release(vs_element);
            shared.us.release(qs_element);
            shared.ws.release(qs_element);

            // rwkv7.tk:256: if PACKED { store(Ob[t.start - first +: L, h, c], T(o)); } else { ..
            tk::fragment<tk::bf16, 64, 64> t1 = tk::convert<tk::bf16>(o);
            tk::store_global(
                tk::clipped(
                    tk::slice<1, 3>(O, {0, Ob_start + (t - first), h, c},
                                    B > 0
                                    ? tk::max(tk::min(Ob_end, N), 0) - (Ob_start + (t - first)) : 0,
                                    DV - c), 0 - (Ob_start + (t - first)), 0), t1, thread);
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

tk::status launch_placed(const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W,
                         const tk::tensor& K, const tk::tensor& V, const tk::tensor& A,
                         const tk::tensor& Bs, const tk::tensor& First, const tk::tensor& Tokens,
                         const tk::tensor& Rp, const tk::tensor& Wp, const tk::tensor& Kp,
                         const tk::tensor& Vp, const tk::tensor& Ap, const tk::tensor& Bp,
                         int64_t N, int64_t H, int64_t DV, int64_t S) {
    return tk::run<placed_kernel<7, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), R, W, K, V, A, Bs, First, Tokens,
        Rp, Wp, Kp, Vp, Ap, Bp, N, H, DV, S);
}

tk::status launch_placed_general(
    const tk::launch_site& site, const tk::tensor& R, const tk::tensor& W, const tk::tensor& K,
    const tk::tensor& V, const tk::tensor& A, const tk::tensor& Bs, const tk::tensor& First,
    const tk::tensor& Tokens, const tk::tensor& Rp, const tk::tensor& Wp, const tk::tensor& Kp,
    const tk::tensor& Vp, const tk::tensor& Ap, const tk::tensor& Bp, int64_t N, int64_t H,
    int64_t DV, int64_t S) {
    return tk::run<placed_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), R, W, K, V, A, Bs, First, Tokens,
        Rp, Wp, Kp, Vp, Ap, Bp, N, H, DV, S);
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

tk::status launch_rwkv7_chunks_T_bf16_DK_64_PACKED_true(
    const tk::launch_site& site, const tk::tensor& Queries, const tk::tensor& Readers,
    const tk::tensor& Keys, const tk::tensor& Writers, const tk::tensor& V, const tk::tensor& Own,
    const tk::tensor& Through, const tk::tensor& Inverse, const tk::tensor& Product,
    const tk::tensor& Left, const tk::tensor& S0, const tk::tensor& start, const tk::tensor& O,
    const tk::tensor& State, int64_t B, int64_t H, int64_t DV, int64_t I, int64_t P, int64_t N,
    int64_t F, int32_t segments) {
    return tk::run<rwkv7_chunks_T_bf16_DK_64_PACKED_true_kernel>(
        site, sizeof(rwkv7_chunks_T_bf16_DK_64_PACKED_true_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{Readers, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Product, {1, 1, 64, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{Left, {1, 1, 1, 64}, 0},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Writers, {1, 64, 1, 64}, 128},
        tk::box{Queries, {1, 64, 1, 64}, 128}, tk::box{Own, {1, 1, 64, 64}, 128},
        tk::box{Through, {1, 1, 64, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, S0, start, O, State,
        B, H, DV, I, P, N, F, segments);
}

tk::status launch_rwkv7_chunks_T_bf16_DK_64_PACKED_true_general(
    const tk::launch_site& site, const tk::tensor& Queries, const tk::tensor& Readers,
    const tk::tensor& Keys, const tk::tensor& Writers, const tk::tensor& V, const tk::tensor& Own,
    const tk::tensor& Through, const tk::tensor& Inverse, const tk::tensor& Product,
    const tk::tensor& Left, const tk::tensor& S0, const tk::tensor& start, const tk::tensor& O,
    const tk::tensor& State, int64_t B, int64_t H, int64_t DV, int64_t I, int64_t P, int64_t N,
    int64_t F, int32_t segments) {
    return tk::run<rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_kernel>(
        site, sizeof(rwkv7_chunks_T_bf16_DK_64_PACKED_true_general_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            tk::larger(P - 1, 0)), tk::box{Readers, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Product, {1, 1, 64, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{Left, {1, 1, 1, 64}, 0},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Writers, {1, 64, 1, 64}, 128},
        tk::box{Queries, {1, 64, 1, 64}, 128}, tk::box{Own, {1, 1, 64, 64}, 128},
        tk::box{Through, {1, 1, 64, 64}, 128}, S0, start, O, State, B, H, DV, I, P, N, F, segments);
}

}  // namespace

extern "C" {
int placed(const DLTensor* R_given, const DLTensor* W_given, const DLTensor* K_given,
           const DLTensor* V_given, const DLTensor* A_given, const DLTensor* Bs_given,
           const DLTensor* First_given, const DLTensor* Tokens_given, DLTensor* Rp_given,
           DLTensor* Wp_given, DLTensor* Kp_given, DLTensor* Vp_given, DLTensor* Ap_given,
           DLTensor* Bp_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"placed"};
    const tk::tensor R = call.take("R", R_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Bs = call.take("Bs", Bs_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Rp = call.take("Rp", Rp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Wp = call.take("Wp", Wp_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Kp = call.take("Kp", Kp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Vp = call.take("Vp", Vp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Ap = call.take("Ap", Ap_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Bp = call.take("Bp", Bp_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = R.shape[1];
    const int64_t H = R.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(R, 0, 1), tk::fixed_extent(R, 3, 64), tk::fixed_extent(W, 0, 1),
         tk::same_extent("N", R, 1, W, 1), tk::same_extent("H", R, 2, W, 2),
         tk::fixed_extent(W, 3, 64), tk::fixed_extent(K, 0, 1), tk::same_extent("N", R, 1, K, 1),
         tk::same_extent("H", R, 2, K, 2), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 0, 1),
         tk::same_extent("N", R, 1, V, 1), tk::same_extent("H", R, 2, V, 2),
         tk::fixed_extent(A, 0, 1), tk::same_extent("N", R, 1, A, 1),
         tk::same_extent("H", R, 2, A, 2), tk::fixed_extent(A, 3, 64), tk::fixed_extent(Bs, 0, 1),
         tk::same_extent("N", R, 1, Bs, 1), tk::same_extent("H", R, 2, Bs, 2),
         tk::fixed_extent(Bs, 3, 64), tk::same_extent("S", First, 0, Tokens, 0),
         tk::fixed_extent(Rp, 0, 1), tk::same_extent("H", R, 2, Rp, 2), tk::fixed_extent(Rp, 3, 64),
         tk::fixed_extent(Wp, 0, 1), tk::same_extent("H", R, 2, Wp, 2), tk::fixed_extent(Wp, 3, 64),
         tk::fixed_extent(Kp, 0, 1), tk::same_extent("H", R, 2, Kp, 2), tk::fixed_extent(Kp, 3, 64),
         tk::fixed_extent(Vp, 0, 1), tk::same_extent("H", R, 2, Vp, 2),
         tk::same_extent("DV", V, 3, Vp, 3), tk::fixed_extent(Ap, 0, 1),
         tk::same_extent("H", R, 2, Ap, 2), tk::fixed_extent(Ap, 3, 64), tk::fixed_extent(Bp, 0, 1),
         tk::same_extent("H", R, 2, Bp, 2), tk::fixed_extent(Bp, 3, 64),
         tk::extents_fit({{"N", N}, {"H", H}, {"DV", DV}, {"S", S}}), tk::fits("S*64", S * 64),
         tk::that(Rp.shape[1] == S * 64, "axis 1 of `Rp` is {}; it must be `S*64`, which is {}",
                  {Rp.shape[1], S * 64}),
         tk::that(Wp.shape[1] == S * 64, "axis 1 of `Wp` is {}; it must be `S*64`, which is {}",
                  {Wp.shape[1], S * 64}),
         tk::that(Kp.shape[1] == S * 64, "axis 1 of `Kp` is {}; it must be `S*64`, which is {}",
                  {Kp.shape[1], S * 64}),
         tk::that(Vp.shape[1] == S * 64, "axis 1 of `Vp` is {}; it must be `S*64`, which is {}",
                  {Vp.shape[1], S * 64}),
         tk::that(Ap.shape[1] == S * 64, "axis 1 of `Ap` is {}; it must be `S*64`, which is {}",
                  {Ap.shape[1], S * 64}),
         tk::that(Bp.shape[1] == S * 64, "axis 1 of `Bp` is {}; it must be `S*64`, which is {}",
                  {Bp.shape[1], S * 64}), tk::fits("S*64 + 15", S * 64 + 15),
         tk::grid_fits(tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(H, tk::larger(tk::ceil_div(S * 64, 16), 0));
    const bool fast = tk::hold(
        {tk::suits_fast(R), tk::suits_fast(W), tk::suits_fast(K), tk::suits_fast(V, "DV"),
         tk::whole_vectors(V, 8), tk::suits_fast(A), tk::suits_fast(Bs), tk::suits_fast(Rp),
         tk::suits_fast(Wp), tk::suits_fast(Kp), tk::suits_fast(Vp, "DV"), tk::suits_fast(Ap),
         tk::suits_fast(Bp)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<placed_kernel<7, 8, 8, true>, placed_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, R, W, K, V, A, Bs,
        First, Tokens, Rp, Wp, Kp, Vp, Ap, Bp, N, H, DV, S));
}
TK_NO_WORKSPACE(placed, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int rwkv7_packed(
    const DLTensor* R_given, const DLTensor* W_given, const DLTensor* K_given,
    const DLTensor* V_given, const DLTensor* A_given, const DLTensor* Bs_given,
    const DLTensor* S0_given, const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
    DLTensor* First_given, DLTensor* Tokens_given, DLTensor* Rp_given, DLTensor* Wp_given,
    DLTensor* Kp_given, DLTensor* Vp_given, DLTensor* Ap_given, DLTensor* Bp_given,
    DLTensor* Queries_given, DLTensor* Readers_given, DLTensor* Keys_given, DLTensor* Writers_given,
    DLTensor* Own_given, DLTensor* Through_given, DLTensor* Inverse_given, DLTensor* Product_given,
    DLTensor* Left_given, DLTensor* Levels_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rwkv7_packed"};
    const tk::tensor R = call.take("R", R_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Bs = call.take("Bs", Bs_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1,
                                        tk::access::write);
    const tk::tensor Rp = call.take("Rp", Rp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Wp = call.take("Wp", Wp_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Kp = call.take("Kp", Kp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Vp = call.take("Vp", Vp_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Ap = call.take("Ap", Ap_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Bp = call.take("Bp", Bp_given, tk::dtype_bf16, 4, tk::access::write);
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
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = R.shape[0];
    const int64_t N = R.shape[1];
    const int64_t H = R.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(R, 3, 64), tk::same_extent("B", R, 0, W, 0),
         tk::same_extent("N", R, 1, W, 1), tk::same_extent("H", R, 2, W, 2),
         tk::fixed_extent(W, 3, 64), tk::same_extent("B", R, 0, K, 0),
         tk::same_extent("N", R, 1, K, 1), tk::same_extent("H", R, 2, K, 2),
         tk::fixed_extent(K, 3, 64), tk::same_extent("B", R, 0, V, 0),
         tk::same_extent("N", R, 1, V, 1), tk::same_extent("H", R, 2, V, 2),
         tk::same_extent("B", R, 0, A, 0), tk::same_extent("N", R, 1, A, 1),
         tk::same_extent("H", R, 2, A, 2), tk::fixed_extent(A, 3, 64),
         tk::same_extent("B", R, 0, Bs, 0), tk::same_extent("N", R, 1, Bs, 1),
         tk::same_extent("H", R, 2, Bs, 2), tk::fixed_extent(Bs, 3, 64),
         tk::same_extent("H", R, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 64), tk::same_extent("B", R, 0, O, 0),
         tk::same_extent("N", R, 1, O, 1), tk::same_extent("H", R, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", R, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 64),
         tk::same_extent("B", R, 0, Rp, 0), tk::same_extent("H", R, 2, Rp, 2),
         tk::fixed_extent(Rp, 3, 64), tk::same_extent("B", R, 0, Wp, 0),
         tk::same_extent("H", R, 2, Wp, 2), tk::fixed_extent(Wp, 3, 64),
         tk::same_extent("B", R, 0, Kp, 0), tk::same_extent("H", R, 2, Kp, 2),
         tk::fixed_extent(Kp, 3, 64), tk::same_extent("B", R, 0, Vp, 0),
         tk::same_extent("H", R, 2, Vp, 2), tk::same_extent("DV", V, 3, Vp, 3),
         tk::same_extent("B", R, 0, Ap, 0), tk::same_extent("H", R, 2, Ap, 2),
         tk::fixed_extent(Ap, 3, 64), tk::same_extent("B", R, 0, Bp, 0),
         tk::same_extent("H", R, 2, Bp, 2), tk::fixed_extent(Bp, 3, 64),
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
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
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
         tk::that(B == 1, "`rwkv7_packed` requires `B == 1`"),
         tk::that(P >= 1, "`rwkv7_packed` requires `P >= 1`"),
         tk::that(F < P, "`rwkv7_packed` requires `F < P`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `rwkv7.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `rwkv7.chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // packed_chunks.packed_chunks(start, First, Tokens)
    call.require({
        tk::that(tk::floor_div(N, 64) + P - 1 < 2147221504,
                 "`N/64 + P - 1` is {}; extents must be less than 2147221504",
                 {tk::floor_div(N, 64) + P - 1})});
    // placed(R, W, K, V, A, Bs, First, Tokens, Rp, Wp, Kp, Vp, Ap, Bp)
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
    // rwkv7.chunks(Queries, Readers, Keys, Writers, Vp, Own, Through, Inverse, Product, Left, S0,
    // start, O, State, 1, ceil_div(max(N, 1), 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(P - 1, 0)),
                      2147483648), tk::fits("start[b]/64 + b", tk::floor_div(N, 64) + (P - 1 - 1)),
        tk::fits("(start[b]/64 + b)*64", (tk::floor_div(N, 64) + (P - 1 - 1)) * 64),
        tk::fits("first + tokens", (tk::floor_div(N, 64) + (P - 1 - 1)) * 64 + N),
        tk::fits("end + 63", (tk::floor_div(N, 64) + (P - 1 - 1)) * 64 + N + 63),
        tk::fits("b*1", tk::larger(0, P - 1 - 1)),
        tk::that(-2147483648 <= tk::smaller(0, P - 1 - 1),
                 "`b*1` reaches {}; it must fit in 32 bits", {tk::smaller(0, P - 1 - 1)}),
        tk::fits("Ob_start + (t.start - first)",
                 N + ((tk::floor_div(N, 64) + (P - 1 - 1)) * 64 + N - 1))});
    if (!call.ok()) return tk::finish(call.result());

    // placed(R, W, K, V, A, Bs, First, Tokens, Rp, Wp, Kp, Vp, Ap, Bp)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(R), tk::suits_fast(W), tk::suits_fast(K), tk::suits_fast(V, "DV"),
         tk::whole_vectors(V, 8), tk::suits_fast(A), tk::suits_fast(Bs), tk::suits_fast(Rp),
         tk::suits_fast(Wp), tk::suits_fast(Kp), tk::suits_fast(Vp, "DV"), tk::suits_fast(Ap),
         tk::suits_fast(Bp)});

    // rwkv7.chunks(Queries, Readers, Keys, Writers, Vp, Own, Through, Inverse, Product, Left, S0,
    // start, O, State, 1, ceil_div(max(N, 1), 64)*64)
    tk::selection choice_4{call};
    choice_4.candidate();  // rwkv7_chunks_T_bf16_DK_64_PACKED_true
    choice_4.prefer(
        {tk::suits_fast(Queries), tk::suits_fast(Readers), tk::suits_fast(Keys),
         tk::suits_fast(Writers), tk::suits_fast(Vp, "DV"), tk::suits_fast(Own),
         tk::suits_fast(Through), tk::suits_fast(Inverse), tk::suits_fast(Product),
         tk::suits_fast(Left), tk::suits_fast(O, "DV")});
    choice_4.offer();
    choice_4.candidate(true);  // rwkv7_chunks_T_bf16_DK_64_PACKED_true_general
    choice_4.require(
        {tk::suits_tma_load(Queries), tk::suits_tma_load(Readers), tk::suits_tma_load(Keys),
         tk::suits_tma_load(Writers), tk::suits_tma_load(Vp, "DV"), tk::suits_tma_load(Own),
         tk::suits_tma_load(Through), tk::suits_tma_load(Inverse), tk::suits_tma_load(Product),
         tk::suits_tma_load(Left)});
    choice_4.offer();
    if (!choice_4.ok()) return tk::finish(choice_4.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_packed_chunks_packed_chunks(
        site, start, First, Tokens, P, tk::floor_div(N, 64) + P - 1));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_placed(site, R, W, K, V, A, Bs, tk::read_only(First), tk::read_only(Tokens), Rp,
                          Wp, Kp, Vp, Ap, Bp, N, H, DV, tk::floor_div(N, 64) + P - 1));
    } else {
        TK_FINISH_IF_FAILED(launch_placed_general(
            site, R, W, K, V, A, Bs, tk::read_only(First), tk::read_only(Tokens), Rp, Wp, Kp, Vp,
            Ap, Bp, N, H, DV, tk::floor_div(N, 64) + P - 1));
    }
    TK_FINISH_IF_FAILED(launch_rwkv7_pairs_T_bf16_TG_f16_DK_64(
        site, tk::read_only(Rp), tk::read_only(Wp), tk::read_only(Kp), tk::read_only(Ap),
        tk::read_only(Bp), Queries, Readers, Keys, Writers, Own, Through, Inverse, Product, Left,
        Levels, B, (tk::floor_div(N, 64) + P - 1) * 64, H, scale));
    if (choice_4.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_rwkv7_chunks_T_bf16_DK_64_PACKED_true(
            site, tk::read_only(Queries), tk::read_only(Readers), tk::read_only(Keys),
            tk::read_only(Writers), tk::read_only(Vp), tk::read_only(Own), tk::read_only(Through),
            tk::read_only(Inverse), tk::read_only(Product), tk::read_only(Left), S0, start, O,
            State, B, H, DV, I, P, N, F, static_cast<int32_t>(1)));
    }
    if (choice_4.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_rwkv7_chunks_T_bf16_DK_64_PACKED_true_general(
            site, tk::read_only(Queries), tk::read_only(Readers), tk::read_only(Keys),
            tk::read_only(Writers), tk::read_only(Vp), tk::read_only(Own), tk::read_only(Through),
            tk::read_only(Inverse), tk::read_only(Product), tk::read_only(Left), S0, start, O,
            State, B, H, DV, I, P, N, F, static_cast<int32_t>(1)));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(rwkv7_packed, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
