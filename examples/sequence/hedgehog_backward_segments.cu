// Made by tkc from hedgehog_backward_segments.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// ends: kernel ends with T = bf16, D = 128, DV = 128, F = 64, L = 64.
// producer: 1 warp, 24 registers a thread; features: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 116880 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 128, 64> ws_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<float, 64, 1> rows_r[2];
    tk::shared_tile<float, 64, 1> rows_c[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_p[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_n[2];
    tk::shared_tile<float, 4, 64> features_f32_rows_64[1];
    tk::pipeline<1> ws;
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> rows;
    tk::pipeline<2> fs;
};
static_assert(offsetof(ends_shared, fs) == 116848);

__global__ void __launch_bounds__(384, 1) ends_kernel(
    const __grid_constant__ CUtensorMap WQ_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap R_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap dO_map, const tk::tensor_argument<const float, 1> Alpha,
    const tk::tensor_argument<float, 4> End, const tk::tensor_argument<float, 3> Added, int B,
    int N, int H, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(WQ_map, Q_map, R_map, C_map, dO_map);
        shared.ws.init(1, 4);
        shared.qs.init(1, 4);
        shared.os.init(1, 4);
        shared.rows.init(1, 4);
        shared.fs.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // hedgehog_backward_segments.tk:20: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int segment_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> os_next, qs_next, rows_next;
            tk::cursor<1> ws_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int segment = program / H % segment_tiles;
            const int b = program / (H * segment_tiles);

            // hedgehog_backward_segments.tk:13: let end  = min((segment + 1) * length, N);
            const int end = tk::min((segment + 1) * length, N);

            // hedgehog_backward_segments.tk:21: produce ws = tma_load(WQ[h, :, :]);
            shared.ws.begin(ws_next, 16384);
            tk::tma_load(shared.ws_tile[ws_next.stage], WQ_map, shared.ws.full[ws_next.stage], h, 0,
                         0);
            ws_next.advance();

            // hedgehog_backward_segments.tk:22: for t in segment * length..end by L {
            #pragma unroll 1
            for (int t = segment * length; t < end; t += 64) {
                // hedgehog_backward_segments.tk:23: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // hedgehog_backward_segments.tk:24: produce rows { r = column(tma_load(R[b, h, ..
                shared.rows.begin(rows_next, 512);
                tk::tma_load(shared.rows_r[rows_next.stage], R_map,
                             shared.rows.full[rows_next.stage], b, h, t);
                tk::tma_load(shared.rows_c[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], b, h, t);
                rows_next.advance();

                // hedgehog_backward_segments.tk:25: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();
            }
        }
    } else if (warp < 4) {
        // hedgehog_backward_segments.tk:28: role features(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2, qs_next;
        tk::cursor<1> ws_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward_segments.tk:12: let last = b * segments + segments - 1 - segment;
        const int last = b * segments + segments - 1 - segment;

        // hedgehog_backward_segments.tk:13: let end  = min((segment + 1) * length, N);
        const int end = tk::min((segment + 1) * length, N);

        // hedgehog_backward_segments.tk:29: let alpha = Alpha[h];
        const float alpha = tk::cell(Alpha, h);

        // hedgehog_backward_segments.tk:30: let w = consume ws;
        const tk::cursor<1> w_element = shared.ws.take(ws_next);

        // hedgehog_backward_segments.tk:31: var zp: f32[1, F] = 0;
        tk::row_fragment<float, 64> zp;
        tk::zero(zp);

        // hedgehog_backward_segments.tk:32: var zn: f32[1, F] = 0;
        tk::row_fragment<float, 64> zn;
        tk::zero(zn);

        // hedgehog_backward_segments.tk:33: for t in segment * length..end by L {
        tk::fragment<tk::bf16, 64, 64> p;
        tk::fragment<tk::bf16, 64, 64> n;
        for (int t = segment * length; t < end; t += 64) {
            // hedgehog_backward_segments.tk:34: let x = mma(consume qs, w);
            const tk::cursor<2> qs_element = shared.qs.take(qs_next);
            tk::fragment<float, 64, 64> x;
            tk::mma_async(x, shared.qs_tile[qs_element.stage], shared.ws_tile[w_element.stage],
                          tk::accumulate_never{});

            // hedgehog_backward_segments.tk:35: let i = consume rows;
            shared.rows.wait_full(qs_element);

            // hedgehog_backward_segments.tk:36: let r = if t.start > 0 { i.r * alpha } else { ..
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.rows_r[qs_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> r;
            tk::map(r, [&](float t0) { return t > 0 ? t0 * alpha : t0 * 0.0f; }, t0);
            tk::mma_wait<0>(x);
            shared.qs.release(qs_element);

            // hedgehog.tk:21: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, x, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float x, float t1) { return tk::exp2((x - t1) * 1.442695f); }, x, t1);

            // hedgehog.tk:22: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, e, tk::plus{}, thread);
            tk::finish_rows(t2, tk::plus{});

            // hedgehog_backward_segments.tk:37: let p = T(pad(hedgehog.features(x) * r, axis = ..
            if (t + 64 <= N) {
                tk::map(p, [](float e, float t2, float r) {
                    return tk::max(tk::divide(e, t2), 1e-06f) * r;
                }, e, t2, r);
            } else {
                tk::map(p, thread, [&](int row, int, float e, float t2, float r) {
                    return row < N - t ? tk::max(tk::divide(e, t2), 1e-06f) * r : 0.0f;
                }, e, t2, r);
            }
            // hedgehog.tk:21
            tk::fragment<float, 64, 64> t3;
            tk::map(t3, [](float x) { return -x; }, x);
            tk::column_fragment<float, 64> t4;
            tk::fold_rows(t4, t3, tk::maximum{}, thread);
            tk::finish_rows(t4, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t3, float t4) { return tk::exp2((t3 - t4) * 1.442695f); },
                    t3, t4);
            // hedgehog.tk:22
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, e_2, tk::plus{}, thread);
            tk::finish_rows(t5, tk::plus{});

            // hedgehog_backward_segments.tk:38: let n = T(pad(hedgehog.features(-x) * r, axis = ..
            if (t + 64 <= N) {
                tk::map(n, [](float e_2, float t5, float r) {
                    return tk::max(tk::divide(e_2, t5), 1e-06f) * r;
                }, e_2, t5, r);
            } else {
                tk::map(n, thread, [&](int row, int, float e_2, float t5, float r) {
                    return row < N - t ? tk::max(tk::divide(e_2, t5), 1e-06f) * r : 0.0f;
                }, e_2, t5, r);
            }

            // hedgehog_backward_segments.tk:39: produce fs { p = p; n = n; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_p[fs_next_2.stage], p, thread);
            tk::store_shared(shared.fs_n[fs_next_2.stage], n, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // hedgehog_backward_segments.tk:40: zp += sum(p * i.c, axis = 0);
            tk::column_fragment<float, 64> t12;
            tk::map(t12, thread, [&](int row, int) {
                return tk::get(shared.rows_c[qs_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t6;
            tk::map(t6, [](tk::bf16 p, float t12) { return float(p) * t12; }, p, t12);
            tk::row_fragment<float, 64> t7;
            tk::reduce_columns(t7, t6, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zp, [](float zp, float t7) { return zp + t7; }, zp, t7);

            // hedgehog_backward_segments.tk:41: zn += sum(n * i.c, axis = 0);
            tk::column_fragment<float, 64> t13;
            tk::map(t13, thread, [&](int row, int) {
                return tk::get(shared.rows_c[qs_element.stage], row, 0);
            });
            shared.rows.release_after_loads(qs_element);
            tk::fragment<float, 64, 64> t8;
            tk::map(t8, [](tk::bf16 n, float t13) { return float(n) * t13; }, n, t13);
            tk::row_fragment<float, 64> t9;
            tk::reduce_columns(t9, t8, shared.features_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(zn, [](float zn, float t9) { return zn + t9; }, zn, t9);
        }
        shared.ws.release(w_element);

        // hedgehog_backward_segments.tk:43: store(Added[last, h, 0 +: F], -zp);
        tk::row_fragment<float, 64> t10;
        tk::map(t10, [](float zp) { return -zp; }, zp);
        tk::store_global(
            tk::slice<tk::no_axis, 2>(Added, {last, h, 0}, 1,
                                      last > -1 && last < B * segments ? 128 : 0), t10, thread);

        // hedgehog_backward_segments.tk:44: store(Added[last, h, F +: F], -zn);
        tk::row_fragment<float, 64> t11;
        tk::map(t11, [](float zn) { return -zn; }, zn);
        tk::store_global(
            tk::slice<tk::no_axis, 2>(Added, {last, h, 64}, 1,
                                      last > -1 && last < B * segments ? 128 - 64 : 0), t11,
            thread);
    } else {
        // hedgehog_backward_segments.tk:46: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int segment_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> fs_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int segment = program / H % segment_tiles;
        const int b = program / (H * segment_tiles);

        // hedgehog_backward_segments.tk:12: let last = b * segments + segments - 1 - segment;
        const int last = b * segments + segments - 1 - segment;

        // hedgehog_backward_segments.tk:13: let end  = min((segment + 1) * length, N);
        const int end = tk::min((segment + 1) * length, N);

        // hedgehog_backward_segments.tk:47: var p: f32[F, DV] = 0;
        tk::fragment<float, 64, 128> p;
        tk::zero(p);

        // hedgehog_backward_segments.tk:48: var n: f32[F, DV] = 0;
        tk::fragment<float, 64, 128> n;
        tk::zero(n);

        // hedgehog_backward_segments.tk:49: for t in segment * length..end by L {
        for (int t = segment * length; t < end; t += 64) {
            // hedgehog_backward_segments.tk:50: let f = consume fs;
            const tk::cursor<2> f = shared.fs.take(fs_next_2);

            // hedgehog_backward_segments.tk:51: let o = consume os;
            shared.os.wait_full(f);

            // hedgehog_backward_segments.tk:52: p += mma(f.p.T, o);
            tk::mma_async(p, tk::transposed(shared.fs_p[f.stage]), shared.os_tile[f.stage]);

            // hedgehog_backward_segments.tk:53: n += mma(f.n.T, o);
            tk::mma_async(n, tk::transposed(shared.fs_n[f.stage]), shared.os_tile[f.stage]);
            tk::mma_wait<0>(p, n);
            shared.os.release(f);
            shared.fs.release(f);
        }

        // hedgehog_backward_segments.tk:55: store(End[last, h, 0 +: F, :], p);
        tk::store_global(
            tk::slice(End, {last, h, 0, 0}, last > -1 && last < B * segments ? 128 : 0, 128), p,
            thread);

        // hedgehog_backward_segments.tk:56: store(End[last, h, F +: F, :], n);
        tk::store_global(
            tk::slice(End, {last, h, 64, 0}, last > -1 && last < B * segments ? 128 - 64 : 0, 128),
            n, thread);
    }
}

extern "C" {
int ends(const DLTensor* Q_given, const DLTensor* dO_given, const DLTensor* WQ_given,
         const DLTensor* Alpha_given, const DLTensor* R_given, const DLTensor* C_given,
         DLTensor* End_given, DLTensor* Added_given, int32_t segments, int32_t length, void*,
         size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor R = call.take("R", R_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 2, Alpha, 0), tk::same_extent("B", Q, 0, R, 0),
         tk::same_extent("H", Q, 2, R, 1), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::same_extent("H", Q, 2, End, 1),
         tk::fixed_extent(End, 2, 128), tk::fixed_extent(End, 3, 128),
         tk::same_extent("H", Q, 2, Added, 1), tk::fixed_extent(Added, 2, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
         tk::that(R.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `R` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {R.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Added.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Added` is {}; it must be `B*segments`, which is {}",
                  {Added.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
         tk::suits_tma_load(Q), tk::suits_tma_load(dO), tk::suits_tma_load(WQ),
         tk::suits_tma_load(R), tk::suits_tma_load(C),
         tk::grid_fits(tk::multiply(H, tk::larger(int64_t{segments}, 0)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
                       2147483648),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + segments",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments},
                  "`b*segments + segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1,
                  "`b*segments + segments - 1` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                  (int64_t{segments} - 1),
                  "`b*segments + segments - 1 - segment` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                   (int64_t{segments} - 1)}),
         tk::fits("(segment + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(segment + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("segment*length",
                  tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`segment*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(H, tk::larger(int64_t{segments}, 0)), B),
        tk::box{WQ, {1, 128, 64}, 128}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{R, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128}, Alpha, End, Added, B, N, H,
        segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)
}  // extern "C"
