// Made by tkc from fft_conv_long.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// levels: kernel levels.
// 128 threads, 96 registers each, 1024 bytes of shared memory.
struct levels_shared {
    tk::shared_tile<float, 4, 64> levels_f32_rows_64[1];
};

__global__ void __launch_bounds__(128, 5) levels_kernel(
    const tk::tensor_argument<const float, 3> Filter, const tk::tensor_argument<float, 1> Most,
    const tk::tensor_argument<float, 1> Bound, int H, int LF) {
    extern __shared__ __align__(1024) unsigned char memory[];
    levels_shared& shared = *reinterpret_cast<levels_shared*>(memory);

    tk::wait_for_previous_kernel();

    // fft_conv_long.tk:13: kernel levels(Filter: f32[H, LF, 64], out Most: f32[H], out Bound: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program;

    // fft_conv_long.tk:16: var most: f32[1, 64] = 0;
    tk::stripe<float, 1, 64, 128, 16, 4> most;
    tk::zero(most);

    // fft_conv_long.tk:17: var total: f32[1, 64] = 0;
    tk::stripe<float, 1, 64, 128, 16, 4> total;
    tk::zero(total);

    // fft_conv_long.tk:18: for t in LF by 64 pipelined(2) {
    #pragma unroll 2
    for (int t = 0; t < LF; t += 64) {
        // fft_conv_long.tk:19: let x = abs(load(Filter[h.start, t, :]));
        tk::stripe<float, 64, 64, 128, 16, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(Filter, {h, t, 0}, LF - t, 64), thread);
        tk::stripe<float, 64, 64, 128, 16, 4> x;
        tk::map(x, [](float t0) { return tk::abs(t0); }, t0);

        // fft_conv_long.tk:20: most = max(most, max(pad(x, axis = 0, with = -inf), axis = 0));
        tk::stripe<float, 64, 64, 128, 16, 4> t1;
        tk::map(t1, thread, [&](int row, int, float x) { return row < LF - t ? x : -INFINITY; }, x);
        tk::stripe<float, 1, 64, 128, 16, 4> t2;
        tk::reduce_columns(t2, t1, shared.levels_f32_rows_64[0], tk::maximum{}, thread, 1);
        tk::map(most, [](float most, float t2) { return tk::max(most, t2); }, most, t2);

        // fft_conv_long.tk:21: total += sum(x, axis = 0);
        tk::stripe<float, 1, 64, 128, 16, 4> t3;
        tk::reduce_columns(t3, x, shared.levels_f32_rows_64[0], tk::plus{}, thread, 1);
        tk::map(total, [](float total, float t3) { return total + t3; }, total, t3);
    }

    // fft_conv_long.tk:23: let all = sum(total, axis = 1);
    tk::stripe<float, 1, 1, 128, 16, 4> all;
    tk::fold_rows(all, total, tk::plus{}, thread);
    tk::finish_rows(all, tk::plus{});

    // fft_conv_long.tk:24: store(Most[h], where(all > 0, max(most, axis = 1), 1));
    tk::stripe<float, 1, 1, 128, 16, 4> t5;
    tk::fold_rows(t5, most, tk::maximum{}, thread);
    tk::finish_rows(t5, tk::maximum{});
    tk::stripe<float, 1, 1, 128, 16, 4> t6;
    tk::map(t6, [](float all, float t5) { return all > 0.0f ? t5 : 1.0f; }, all, t5);
    tk::store_global(tk::slice(Most, {h}, 1, H - h), t6, thread);

    // fft_conv_long.tk:25: store(Bound[h], where(all > 0, all / 32, 1));
    tk::stripe<float, 1, 1, 128, 16, 4> t7;
    tk::map(t7, [](float all) { return all > 0.0f ? tk::divide(all, 32.0f) : 1.0f; }, all);
    tk::store_global(tk::slice(Bound, {h}, 1, H - h), t7, thread);
}

// levels_general: kernel levels; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct levels_general_shared {
    tk::shared_tile<float, 4, 64> levels_f32_rows_64[1];
};

__global__ void __launch_bounds__(128, 1) levels_general_kernel(
    const tk::tensor_argument<const float, 3> Filter, const tk::tensor_argument<float, 1> Most,
    const tk::tensor_argument<float, 1> Bound, int H, int LF) {
    extern __shared__ __align__(1024) unsigned char memory[];
    levels_general_shared& shared = *reinterpret_cast<levels_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // fft_conv_long.tk:13: kernel levels(Filter: f32[H, LF, 64], out Most: f32[H], out Bound: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program;

    // fft_conv_long.tk:16: var most: f32[1, 64] = 0;
    tk::stripe<float, 1, 64, 128, 32, 2> most;
    tk::zero(most);

    // fft_conv_long.tk:17: var total: f32[1, 64] = 0;
    tk::stripe<float, 1, 64, 128, 32, 2> total;
    tk::zero(total);

    // fft_conv_long.tk:18: for t in LF by 64 pipelined(2) {
    for (int t = 0; t < LF; t += 64) {
        // fft_conv_long.tk:19: let x = abs(load(Filter[h.start, t, :]));
        tk::stripe<float, 64, 64, 128, 32, 2> t0;
        tk::load_global(t0, tk::slice(Filter, {h, t, 0}, LF - t, 64), thread);
        tk::stripe<float, 64, 64, 128, 32, 2> x;
        tk::map(x, [](float t0) { return tk::abs(t0); }, t0);

        // fft_conv_long.tk:20: most = max(most, max(pad(x, axis = 0, with = -inf), axis = 0));
        tk::stripe<float, 64, 64, 128, 32, 2> t1;
        tk::map(t1, thread, [&](int row, int, float x) { return row < LF - t ? x : -INFINITY; }, x);
        tk::stripe<float, 1, 64, 128, 32, 2> t2;
        tk::reduce_columns(t2, t1, shared.levels_f32_rows_64[0], tk::maximum{}, thread, 1);
        tk::map(most, [](float most, float t2) { return tk::max(most, t2); }, most, t2);

        // fft_conv_long.tk:21: total += sum(x, axis = 0);
        tk::stripe<float, 1, 64, 128, 32, 2> t3;
        tk::reduce_columns(t3, x, shared.levels_f32_rows_64[0], tk::plus{}, thread, 1);
        tk::map(total, [](float total, float t3) { return total + t3; }, total, t3);
    }

    // fft_conv_long.tk:23: let all = sum(total, axis = 1);
    tk::stripe<float, 1, 1, 128, 32, 2> all;
    tk::fold_rows(all, total, tk::plus{}, thread);
    tk::finish_rows(all, tk::plus{});

    // fft_conv_long.tk:24: store(Most[h], where(all > 0, max(most, axis = 1), 1));
    tk::stripe<float, 1, 1, 128, 32, 2> t5;
    tk::fold_rows(t5, most, tk::maximum{}, thread);
    tk::finish_rows(t5, tk::maximum{});
    tk::stripe<float, 1, 1, 128, 32, 2> t6;
    tk::map(t6, [](float all, float t5) { return all > 0.0f ? t5 : 1.0f; }, all, t5);
    tk::store_global(tk::slice(Most, {h}, 1, H - h), t6, thread);

    // fft_conv_long.tk:25: store(Bound[h], where(all > 0, all / 32, 1));
    tk::stripe<float, 1, 1, 128, 32, 2> t7;
    tk::map(t7, [](float all) { return all > 0.0f ? tk::divide(all, 32.0f) : 1.0f; }, all);
    tk::store_global(tk::slice(Bound, {h}, 1, H - h), t7, thread);
}

// spectra: kernel spectra with CAUSAL = true.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 229408 bytes of shared memory.
struct spectra_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_left_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im_rest[1];
    tk::shared_tile<float, 64, 64> hs_before[1];
    tk::shared_tile<float, 64, 64> hs_first[1];
    tk::shared_tile<float, 64, 64> hs_second[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_x_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_x_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_y_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_y_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_x_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_x_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_y_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_y_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_G[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_G[1];
    tk::pipeline<1> fs;
    tk::pipeline<1> hs;
};
static_assert(offsetof(spectra_shared, hs) == 229392);

__global__ void __launch_bounds__(384, 1) spectra_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const __grid_constant__ CUtensorMap G_map, const tk::tensor_argument<const float, 1> Most,
    const tk::tensor_argument<const float, 1> Bound, int H, int LG, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    spectra_shared& shared = *reinterpret_cast<spectra_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Rest_map, Turn_map, Filter_map, G_map);
        shared.fs.init(1, 8);
        shared.hs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv_long.tk:41: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(LG, 128);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, hs_next;
            const int program = blockIdx.x;
            const int t = program % t_tiles * 128;
            const int h = program / t_tiles;

            // fft_conv_long.tk:42: let before = if CAUSAL or t.start > 0 { t.start - 64 } else { ..
            const int before = t - 64;

            // fft_conv_long.tk:43: produce fs {
            shared.fs.begin(fs_next, 98304);

            // fft_conv_long.tk:44: left_re = tma_load(F[0, :, :]); left_re_rest = ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.fs_left_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 0, 0, 0);

            // fft_conv_long.tk:45: left_im = tma_load(F[1, :, :]); left_im_rest = ..
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.fs_left_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 1, 0, 0);

            // fft_conv_long.tk:46: re = tma_load(F[4, :, :]); re_rest = tma_load(Rest[2, :, :]); ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_re_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         2, 0, 0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_im_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         3, 0, 0);

            // fft_conv_long.tk:47: turn_re = tma_load(Turn[0, :, :]); turn_re_rest = ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 4, 0, 0);

            // fft_conv_long.tk:48: turn_im = tma_load(Turn[1, :, :]); turn_im_rest = ..
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            tk::tma_load(shared.fs_turn_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 5, 0, 0);
            // fft_conv_long.tk:43
            fs_next.advance();

            // fft_conv_long.tk:50: produce hs {
            shared.hs.begin(hs_next, 49152);

            // fft_conv_long.tk:51: before = tma_load(Filter[h, before +: 64, :]); first = ..
            tk::tma_load(shared.hs_before[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, before, 0);
            tk::tma_load(shared.hs_first[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, t, 0);

            // fft_conv_long.tk:52: second = tma_load(Filter[h, t.start + 64 +: 64, :]);
            tk::tma_load(shared.hs_second[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, t + 64, 0);
            // fft_conv_long.tk:50
            hs_next.advance();
        }
    } else if (warp < 4) {
        // fft_conv_long.tk:55: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(LG, 128);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int t = program % t_tiles * 128;
        const int h = program / t_tiles;

        // fft_conv_long.tk:56: let most = Most[h];
        const float most = tk::cell(Most, h);

        // fft_conv_long.tk:57: let up = 1.0 / most;
        const float up = tk::divide(1.0f, most);

        // fft_conv_long.tk:58: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:59: let s = consume hs;
        shared.hs.wait_full(f);

        // fft_conv_long.tk:60: let x = s.first * up;
        tk::fragment<float, 64, 64> t1;
        tk::load_shared(t1, shared.hs_first[f.stage], thread);
        tk::fragment<float, 64, 64> x;
        tk::map(x, [&](float t1) { return t1 * up; }, t1);

        // fft_conv_long.tk:61: let y = s.before * up;
        tk::fragment<float, 64, 64> t3;
        tk::load_shared(t3, shared.hs_before[f.stage], thread);
        shared.hs.release_after_loads(f);
        tk::fragment<float, 64, 64> y;
        tk::map(y, [&](float t3) { return t3 * up; }, t3);

        // fft_conv_long.tk:62: let x_hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(x);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_x_hi[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:63: let x_lo = shared(fft_conv.rest(x));
        tk::fragment<tk::f16, 64, 64> t2;
        tk::map(t2, [](float x, tk::f16 t0) { return x - float(t0); }, x, t0);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_x_lo[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:64: let y_hi = shared(f16(y));
        tk::fragment<tk::f16, 64, 64> t4 = tk::convert<tk::f16>(y);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_y_hi[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:65: let y_lo = shared(fft_conv.rest(y));
        tk::fragment<tk::f16, 64, 64> t6;
        tk::map(t6, [](float y, tk::f16 t4) { return y - float(t4); }, y, t4);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_y_lo[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_x_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn0_x_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_3;
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn0_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_3, shared.fs_left_im_rest[f.stage], shared.turn0_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn0_y_lo[0]);
        tk::mma_wait<0>(a, x_3);

        // fft_conv_long.tk:67: a -= fft_conv.product(f.left_im, f.left_im_rest, y_hi, y_lo);
        tk::map(a, [](float a, float x_3) { return a - x_3; }, a, x_3);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_x_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn0_x_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_5;
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn0_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_5, shared.fs_left_re_rest[f.stage], shared.turn0_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn0_y_lo[0]);
        tk::mma_wait<0>(b, x_5);

        // fft_conv_long.tk:69: b += fft_conv.product(f.left_re, f.left_re_rest, y_hi, y_lo);
        tk::map(b, [](float b, float x_5) { return b + x_5; }, b, x_5);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t5;
        tk::load_shared(t5, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t7;
        tk::load_shared(t7, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t5, tk::f16 t7) { return float(t5) + float(t7); }, t5, t7);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t8;
        tk::load_shared(t8, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t9;
        tk::load_shared(t9, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t8, tk::f16 t9) { return float(t8) + float(t9); }, t8, t9);

        // fft_conv.tk:125: let u = a * c - b * d;
        tk::fragment<float, 64, 64> u;
        tk::map(u, [](float a, float c, float b, float d) { return tk::fma(a, c, -(b * d)); },
                a, c, b, d);

        // fft_conv.tk:126: let v = a * d + b * c;
        tk::fragment<float, 64, 64> v;
        tk::map(v, [](float a, float d, float b, float c) { return tk::fma(a, d, b * c); },
                a, d, b, c);

        // fft_conv.tk:127: let u_hi = f16(u);
        tk::fragment<tk::f16, 64, 64> u_hi = tk::convert<tk::f16>(u);

        // fft_conv.tk:128: let u_lo = rest(u);
        tk::fragment<tk::f16, 64, 64> u_lo;
        tk::map(u_lo, [](float u, tk::f16 u_hi) { return u - float(u_hi); }, u, u_hi);

        // fft_conv.tk:129: let v_hi = f16(v);
        tk::fragment<tk::f16, 64, 64> v_hi = tk::convert<tk::f16>(v);

        // fft_conv.tk:130: let v_lo = rest(v);
        tk::fragment<tk::f16, 64, 64> v_lo;
        tk::map(v_lo, [](float v, tk::f16 v_hi) { return v - float(v_hi); }, v, v_hi);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_re;
        tk::mma_async(g_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(g_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(g_re, [](float g_re, float x_8) { return g_re - x_8; }, g_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_im;
        tk::mma_async(g_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(g_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(g_im, [](float g_im, float x_10) { return g_im + x_10; }, g_im, x_10);

        // fft_conv_long.tk:71: let scale = most / Bound[h];
        const float scale = tk::divide(most, tk::cell(Bound, h));

        // fft_conv_long.tk:72: store(G[0, h, t.start +: 64, :], f16(g.re * scale));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::fragment<tk::f16, 64, 64> t16;
            tk::map(t16, [&](float g_re) { return g_re * scale; }, g_re);
            tk::store_shared(shared.turn0_G[0], t16, thread);
            tk::fence_async();
            tk::barrier_sync(1, 128);
            if (leader) tk::tma_store(G_map, shared.turn0_G[0], 0, h, t, panel);
        }

        // fft_conv_long.tk:73: store(G[1, h, t.start +: 64, :], f16(g.im * (scale * sign)));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(1, 128);
            tk::fragment<tk::f16, 64, 64> t17;
            tk::map(t17, [&](float g_im) { return g_im * (scale * sign); }, g_im);
            tk::store_shared(shared.turn0_G[0], t17, thread);
            tk::fence_async();
            tk::barrier_sync(1, 128);
            if (leader) tk::tma_store(G_map, shared.turn0_G[0], 1, h, t, panel);
        }

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // fft_conv_long.tk:75: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(LG, 128);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int t = program % t_tiles * 128;
        const int h = program / t_tiles;

        // fft_conv_long.tk:76: let most = Most[h];
        const float most = tk::cell(Most, h);

        // fft_conv_long.tk:77: let up = 1.0 / most;
        const float up = tk::divide(1.0f, most);

        // fft_conv_long.tk:78: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:79: let s = consume hs;
        shared.hs.wait_full(f);

        // fft_conv_long.tk:80: let x = s.second * up;
        tk::fragment<float, 64, 64> t1;
        tk::load_shared(t1, shared.hs_second[f.stage], thread);
        tk::fragment<float, 64, 64> x;
        tk::map(x, [&](float t1) { return t1 * up; }, t1);

        // fft_conv_long.tk:81: let y = s.first * up;
        tk::fragment<float, 64, 64> t3;
        tk::load_shared(t3, shared.hs_first[f.stage], thread);
        shared.hs.release_after_loads(f);
        tk::fragment<float, 64, 64> y;
        tk::map(y, [&](float t3) { return t3 * up; }, t3);

        // fft_conv_long.tk:82: let x_hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(x);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_x_hi[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:83: let x_lo = shared(fft_conv.rest(x));
        tk::fragment<tk::f16, 64, 64> t2;
        tk::map(t2, [](float x, tk::f16 t0) { return x - float(t0); }, x, t0);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_x_lo[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:84: let y_hi = shared(f16(y));
        tk::fragment<tk::f16, 64, 64> t4 = tk::convert<tk::f16>(y);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_y_hi[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:85: let y_lo = shared(fft_conv.rest(y));
        tk::fragment<tk::f16, 64, 64> t6;
        tk::map(t6, [](float y, tk::f16 t4) { return y - float(t4); }, y, t4);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_y_lo[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_x_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn1_x_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_3;
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn1_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_3, shared.fs_left_im_rest[f.stage], shared.turn1_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn1_y_lo[0]);
        tk::mma_wait<0>(a, x_3);

        // fft_conv_long.tk:87: a -= fft_conv.product(f.left_im, f.left_im_rest, y_hi, y_lo);
        tk::map(a, [](float a, float x_3) { return a - x_3; }, a, x_3);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_x_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn1_x_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_5;
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn1_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_5, shared.fs_left_re_rest[f.stage], shared.turn1_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn1_y_lo[0]);
        tk::mma_wait<0>(b, x_5);

        // fft_conv_long.tk:89: b += fft_conv.product(f.left_re, f.left_re_rest, y_hi, y_lo);
        tk::map(b, [](float b, float x_5) { return b + x_5; }, b, x_5);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t5;
        tk::load_shared(t5, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t7;
        tk::load_shared(t7, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t5, tk::f16 t7) { return float(t5) + float(t7); }, t5, t7);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t8;
        tk::load_shared(t8, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t9;
        tk::load_shared(t9, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t8, tk::f16 t9) { return float(t8) + float(t9); }, t8, t9);

        // fft_conv.tk:125: let u = a * c - b * d;
        tk::fragment<float, 64, 64> u;
        tk::map(u, [](float a, float c, float b, float d) { return tk::fma(a, c, -(b * d)); },
                a, c, b, d);

        // fft_conv.tk:126: let v = a * d + b * c;
        tk::fragment<float, 64, 64> v;
        tk::map(v, [](float a, float d, float b, float c) { return tk::fma(a, d, b * c); },
                a, d, b, c);

        // fft_conv.tk:127: let u_hi = f16(u);
        tk::fragment<tk::f16, 64, 64> u_hi = tk::convert<tk::f16>(u);

        // fft_conv.tk:128: let u_lo = rest(u);
        tk::fragment<tk::f16, 64, 64> u_lo;
        tk::map(u_lo, [](float u, tk::f16 u_hi) { return u - float(u_hi); }, u, u_hi);

        // fft_conv.tk:129: let v_hi = f16(v);
        tk::fragment<tk::f16, 64, 64> v_hi = tk::convert<tk::f16>(v);

        // fft_conv.tk:130: let v_lo = rest(v);
        tk::fragment<tk::f16, 64, 64> v_lo;
        tk::map(v_lo, [](float v, tk::f16 v_hi) { return v - float(v_hi); }, v, v_hi);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_re;
        tk::mma_async(g_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(g_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(g_re, [](float g_re, float x_8) { return g_re - x_8; }, g_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_im;
        tk::mma_async(g_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(g_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(g_im, [](float g_im, float x_10) { return g_im + x_10; }, g_im, x_10);

        // fft_conv_long.tk:91: let scale = most / Bound[h];
        const float scale = tk::divide(most, tk::cell(Bound, h));

        // fft_conv_long.tk:92: store(G[0, h, t.start + 64 +: 64, :], f16(g.re * scale));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::fragment<tk::f16, 64, 64> t16;
            tk::map(t16, [&](float g_re) { return g_re * scale; }, g_re);
            tk::store_shared(shared.turn1_G[0], t16, thread);
            tk::fence_async();
            tk::barrier_sync(3, 128);
            if (leader) tk::tma_store(G_map, shared.turn1_G[0], 0, h, t + 64, panel);
        }

        // fft_conv_long.tk:93: store(G[1, h, t.start + 64 +: 64, :], f16(g.im * (scale * sign)));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(3, 128);
            tk::fragment<tk::f16, 64, 64> t17;
            tk::map(t17, [&](float g_im) { return g_im * (scale * sign); }, g_im);
            tk::store_shared(shared.turn1_G[0], t17, thread);
            tk::fence_async();
            tk::barrier_sync(3, 128);
            if (leader) tk::tma_store(G_map, shared.turn1_G[0], 1, h, t + 64, panel);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// spectra_general: kernel spectra with CAUSAL = true; any strides and alignment.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 213024 bytes of shared memory.
struct spectra_general_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_left_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re_rest[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im_rest[1];
    tk::shared_tile<float, 64, 64> hs_before[1];
    tk::shared_tile<float, 64, 64> hs_first[1];
    tk::shared_tile<float, 64, 64> hs_second[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_x_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_x_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_y_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_y_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_x_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_x_lo[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_y_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_y_lo[1];
    tk::pipeline<1> fs;
    tk::pipeline<1> hs;
};
static_assert(offsetof(spectra_general_shared, hs) == 213008);

__global__ void __launch_bounds__(384, 1) spectra_general_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const tk::tensor_argument<const float, 1> Most, const tk::tensor_argument<const float, 1> Bound,
    const tk::tensor_argument<tk::f16, 4> G, int H, int LG, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    spectra_general_shared& shared = *reinterpret_cast<spectra_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Rest_map, Turn_map, Filter_map);
        shared.fs.init(1, 8);
        shared.hs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv_long.tk:41: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int t_tiles = tk::tiles(LG, 128);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, hs_next;
            const int program = blockIdx.x;
            const int t = program % t_tiles * 128;
            const int h = program / t_tiles;

            // fft_conv_long.tk:42: let before = if CAUSAL or t.start > 0 { t.start - 64 } else { ..
            const int before = t - 64;

            // fft_conv_long.tk:43: produce fs {
            shared.fs.begin(fs_next, 98304);

            // fft_conv_long.tk:44: left_re = tma_load(F[0, :, :]); left_re_rest = ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.fs_left_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 0, 0, 0);

            // fft_conv_long.tk:45: left_im = tma_load(F[1, :, :]); left_im_rest = ..
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.fs_left_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 1, 0, 0);

            // fft_conv_long.tk:46: re = tma_load(F[4, :, :]); re_rest = tma_load(Rest[2, :, :]); ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_re_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         2, 0, 0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_im_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         3, 0, 0);

            // fft_conv_long.tk:47: turn_re = tma_load(Turn[0, :, :]); turn_re_rest = ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 4, 0, 0);

            // fft_conv_long.tk:48: turn_im = tma_load(Turn[1, :, :]); turn_im_rest = ..
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            tk::tma_load(shared.fs_turn_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 5, 0, 0);
            // fft_conv_long.tk:43
            fs_next.advance();

            // fft_conv_long.tk:50: produce hs {
            shared.hs.begin(hs_next, 49152);

            // fft_conv_long.tk:51: before = tma_load(Filter[h, before +: 64, :]); first = ..
            tk::tma_load(shared.hs_before[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, before, 0);
            tk::tma_load(shared.hs_first[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, t, 0);

            // fft_conv_long.tk:52: second = tma_load(Filter[h, t.start + 64 +: 64, :]);
            tk::tma_load(shared.hs_second[hs_next.stage], Filter_map, shared.hs.full[hs_next.stage],
                         h, t + 64, 0);
            // fft_conv_long.tk:50
            hs_next.advance();
        }
    } else if (warp < 4) {
        // fft_conv_long.tk:55: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(LG, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int t = program % t_tiles * 128;
        const int h = program / t_tiles;

        // fft_conv_long.tk:56: let most = Most[h];
        const float most = tk::cell(Most, h);

        // fft_conv_long.tk:57: let up = 1.0 / most;
        const float up = tk::divide(1.0f, most);

        // fft_conv_long.tk:58: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:59: let s = consume hs;
        shared.hs.wait_full(f);

        // fft_conv_long.tk:60: let x = s.first * up;
        tk::fragment<float, 64, 64> t1;
        tk::load_shared(t1, shared.hs_first[f.stage], thread);
        tk::fragment<float, 64, 64> x;
        tk::map(x, [&](float t1) { return t1 * up; }, t1);

        // fft_conv_long.tk:61: let y = s.before * up;
        tk::fragment<float, 64, 64> t3;
        tk::load_shared(t3, shared.hs_before[f.stage], thread);
        shared.hs.release_after_loads(f);
        tk::fragment<float, 64, 64> y;
        tk::map(y, [&](float t3) { return t3 * up; }, t3);

        // fft_conv_long.tk:62: let x_hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(x);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_x_hi[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:63: let x_lo = shared(fft_conv.rest(x));
        tk::fragment<tk::f16, 64, 64> t2;
        tk::map(t2, [](float x, tk::f16 t0) { return x - float(t0); }, x, t0);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_x_lo[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:64: let y_hi = shared(f16(y));
        tk::fragment<tk::f16, 64, 64> t4 = tk::convert<tk::f16>(y);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_y_hi[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv_long.tk:65: let y_lo = shared(fft_conv.rest(y));
        tk::fragment<tk::f16, 64, 64> t6;
        tk::map(t6, [](float y, tk::f16 t4) { return y - float(t4); }, y, t4);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_y_lo[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_x_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn0_x_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_3;
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn0_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_3, shared.fs_left_im_rest[f.stage], shared.turn0_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn0_y_lo[0]);
        tk::mma_wait<0>(a, x_3);

        // fft_conv_long.tk:67: a -= fft_conv.product(f.left_im, f.left_im_rest, y_hi, y_lo);
        tk::map(a, [](float a, float x_3) { return a - x_3; }, a, x_3);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_x_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn0_x_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_5;
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn0_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_5, shared.fs_left_re_rest[f.stage], shared.turn0_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn0_y_lo[0]);
        tk::mma_wait<0>(b, x_5);

        // fft_conv_long.tk:69: b += fft_conv.product(f.left_re, f.left_re_rest, y_hi, y_lo);
        tk::map(b, [](float b, float x_5) { return b + x_5; }, b, x_5);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t5;
        tk::load_shared(t5, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t7;
        tk::load_shared(t7, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t5, tk::f16 t7) { return float(t5) + float(t7); }, t5, t7);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t8;
        tk::load_shared(t8, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t9;
        tk::load_shared(t9, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t8, tk::f16 t9) { return float(t8) + float(t9); }, t8, t9);

        // fft_conv.tk:125: let u = a * c - b * d;
        tk::fragment<float, 64, 64> u;
        tk::map(u, [](float a, float c, float b, float d) { return tk::fma(a, c, -(b * d)); },
                a, c, b, d);

        // fft_conv.tk:126: let v = a * d + b * c;
        tk::fragment<float, 64, 64> v;
        tk::map(v, [](float a, float d, float b, float c) { return tk::fma(a, d, b * c); },
                a, d, b, c);

        // fft_conv.tk:127: let u_hi = f16(u);
        tk::fragment<tk::f16, 64, 64> u_hi = tk::convert<tk::f16>(u);

        // fft_conv.tk:128: let u_lo = rest(u);
        tk::fragment<tk::f16, 64, 64> u_lo;
        tk::map(u_lo, [](float u, tk::f16 u_hi) { return u - float(u_hi); }, u, u_hi);

        // fft_conv.tk:129: let v_hi = f16(v);
        tk::fragment<tk::f16, 64, 64> v_hi = tk::convert<tk::f16>(v);

        // fft_conv.tk:130: let v_lo = rest(v);
        tk::fragment<tk::f16, 64, 64> v_lo;
        tk::map(v_lo, [](float v, tk::f16 v_hi) { return v - float(v_hi); }, v, v_hi);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_re;
        tk::mma_async(g_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(g_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(g_re, [](float g_re, float x_8) { return g_re - x_8; }, g_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_im;
        tk::mma_async(g_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(g_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(g_im, [](float g_im, float x_10) { return g_im + x_10; }, g_im, x_10);

        // fft_conv_long.tk:71: let scale = most / Bound[h];
        const float scale = tk::divide(most, tk::cell(Bound, h));

        // fft_conv_long.tk:72: store(G[0, h, t.start +: 64, :], f16(g.re * scale));
        tk::fragment<tk::f16, 64, 64> t16;
        tk::map(t16, [&](float g_re) { return g_re * scale; }, g_re);
        tk::store_global(tk::slice(G, {0, h, t, 0}, LG - t, 64), t16, thread);

        // fft_conv_long.tk:73: store(G[1, h, t.start +: 64, :], f16(g.im * (scale * sign)));
        tk::fragment<tk::f16, 64, 64> t17;
        tk::map(t17, [&](float g_im) { return g_im * (scale * sign); }, g_im);
        tk::store_global(tk::slice(G, {1, h, t, 0}, LG - t, 64), t17, thread);
    } else {
        // fft_conv_long.tk:75: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int t_tiles = tk::tiles(LG, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int t = program % t_tiles * 128;
        const int h = program / t_tiles;

        // fft_conv_long.tk:76: let most = Most[h];
        const float most = tk::cell(Most, h);

        // fft_conv_long.tk:77: let up = 1.0 / most;
        const float up = tk::divide(1.0f, most);

        // fft_conv_long.tk:78: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:79: let s = consume hs;
        shared.hs.wait_full(f);

        // fft_conv_long.tk:80: let x = s.second * up;
        tk::fragment<float, 64, 64> t1;
        tk::load_shared(t1, shared.hs_second[f.stage], thread);
        tk::fragment<float, 64, 64> x;
        tk::map(x, [&](float t1) { return t1 * up; }, t1);

        // fft_conv_long.tk:81: let y = s.first * up;
        tk::fragment<float, 64, 64> t3;
        tk::load_shared(t3, shared.hs_first[f.stage], thread);
        shared.hs.release_after_loads(f);
        tk::fragment<float, 64, 64> y;
        tk::map(y, [&](float t3) { return t3 * up; }, t3);

        // fft_conv_long.tk:82: let x_hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(x);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_x_hi[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:83: let x_lo = shared(fft_conv.rest(x));
        tk::fragment<tk::f16, 64, 64> t2;
        tk::map(t2, [](float x, tk::f16 t0) { return x - float(t0); }, x, t0);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_x_lo[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:84: let y_hi = shared(f16(y));
        tk::fragment<tk::f16, 64, 64> t4 = tk::convert<tk::f16>(y);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_y_hi[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv_long.tk:85: let y_lo = shared(fft_conv.rest(y));
        tk::fragment<tk::f16, 64, 64> t6;
        tk::map(t6, [](float y, tk::f16 t4) { return y - float(t4); }, y, t4);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_y_lo[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_x_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn1_x_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_3;
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn1_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_3, shared.fs_left_im_rest[f.stage], shared.turn1_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_3, shared.fs_left_im[f.stage], shared.turn1_y_lo[0]);
        tk::mma_wait<0>(a, x_3);

        // fft_conv_long.tk:87: a -= fft_conv.product(f.left_im, f.left_im_rest, y_hi, y_lo);
        tk::map(a, [](float a, float x_3) { return a - x_3; }, a, x_3);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_x_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn1_x_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_x_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_5;
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn1_y_hi[0],
                      tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_5, shared.fs_left_re_rest[f.stage], shared.turn1_y_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(x_5, shared.fs_left_re[f.stage], shared.turn1_y_lo[0]);
        tk::mma_wait<0>(b, x_5);

        // fft_conv_long.tk:89: b += fft_conv.product(f.left_re, f.left_re_rest, y_hi, y_lo);
        tk::map(b, [](float b, float x_5) { return b + x_5; }, b, x_5);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t5;
        tk::load_shared(t5, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t7;
        tk::load_shared(t7, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t5, tk::f16 t7) { return float(t5) + float(t7); }, t5, t7);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t8;
        tk::load_shared(t8, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t9;
        tk::load_shared(t9, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t8, tk::f16 t9) { return float(t8) + float(t9); }, t8, t9);

        // fft_conv.tk:125: let u = a * c - b * d;
        tk::fragment<float, 64, 64> u;
        tk::map(u, [](float a, float c, float b, float d) { return tk::fma(a, c, -(b * d)); },
                a, c, b, d);

        // fft_conv.tk:126: let v = a * d + b * c;
        tk::fragment<float, 64, 64> v;
        tk::map(v, [](float a, float d, float b, float c) { return tk::fma(a, d, b * c); },
                a, d, b, c);

        // fft_conv.tk:127: let u_hi = f16(u);
        tk::fragment<tk::f16, 64, 64> u_hi = tk::convert<tk::f16>(u);

        // fft_conv.tk:128: let u_lo = rest(u);
        tk::fragment<tk::f16, 64, 64> u_lo;
        tk::map(u_lo, [](float u, tk::f16 u_hi) { return u - float(u_hi); }, u, u_hi);

        // fft_conv.tk:129: let v_hi = f16(v);
        tk::fragment<tk::f16, 64, 64> v_hi = tk::convert<tk::f16>(v);

        // fft_conv.tk:130: let v_lo = rest(v);
        tk::fragment<tk::f16, 64, 64> v_lo;
        tk::map(v_lo, [](float v, tk::f16 v_hi) { return v - float(v_hi); }, v, v_hi);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_re;
        tk::mma_async(g_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(g_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(g_re, [](float g_re, float x_8) { return g_re - x_8; }, g_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> g_im;
        tk::mma_async(g_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(g_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(g_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(g_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(g_im, [](float g_im, float x_10) { return g_im + x_10; }, g_im, x_10);

        // fft_conv_long.tk:91: let scale = most / Bound[h];
        const float scale = tk::divide(most, tk::cell(Bound, h));

        // fft_conv_long.tk:92: store(G[0, h, t.start + 64 +: 64, :], f16(g.re * scale));
        tk::fragment<tk::f16, 64, 64> t16;
        tk::map(t16, [&](float g_re) { return g_re * scale; }, g_re);
        tk::store_global(tk::slice(G, {0, h, t + 64, 0}, LG - (t + 64), 64), t16, thread);

        // fft_conv_long.tk:93: store(G[1, h, t.start + 64 +: 64, :], f16(g.im * (scale * sign)));
        tk::fragment<tk::f16, 64, 64> t17;
        tk::map(t17, [&](float g_im) { return g_im * (scale * sign); }, g_im);
        tk::store_global(tk::slice(G, {1, h, t + 64, 0}, LG - (t + 64), 64), t17, thread);
    }
}

// transforms: kernel transforms with T = bf16, GATE_IN = false.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 139344 bytes of shared memory.
struct transforms_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_left_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_minus[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::bf16, 64, 64> us0_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> us1_tile[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t1[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_t1[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_Z[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_Z[1];
    tk::pipeline<1> fs;
    tk::pipeline<2> us0;
    tk::pipeline<2> us1;
};
static_assert(offsetof(transforms_shared, us1) == 139312);

__global__ void __launch_bounds__(384, 1) transforms_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap U_map, const __grid_constant__ CUtensorMap Z_map, int B,
    int H, int L, int heads) {
    extern __shared__ __align__(1024) unsigned char memory[];
    transforms_shared& shared = *reinterpret_cast<transforms_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Turn_map, U_map, Z_map);
        shared.fs.init(1, 8);
        shared.us0.init(1, 4);
        shared.us1.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv_long.tk:112: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::divide_up(H, heads);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next;
            tk::cursor<2> us0_next, us1_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int b = program / c_tiles;

            // fft_conv_long.tk:113: produce fs {
            shared.fs.begin(fs_next, 57344);

            // fft_conv_long.tk:114: left_re = tma_load(F[0, :, :]); left_im = tma_load(F[1, :, ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);

            // fft_conv_long.tk:115: minus = tma_load(F[6, :, :]); turn_re = tma_load(Turn[0, :, ..
            tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 6, 0,
                         0);
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            // fft_conv_long.tk:113
            fs_next.advance();

            // fft_conv_long.tk:117: for h in c * heads..min((c + 1) * heads, H) {
            #pragma unroll 1
            for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
                // fft_conv_long.tk:118: for t in L by 128 {
                #pragma unroll 1
                for (int t = 0; t < L; t += 128) {
                    // fft_conv_long.tk:119: produce us0 = tma_load(U[b, h, t.start +: 64, :]);
                    shared.us0.begin(us0_next, 8192);
                    tk::tma_load(shared.us0_tile[us0_next.stage], U_map,
                                 shared.us0.full[us0_next.stage], b, h, t, 0);
                    us0_next.advance();

                    // fft_conv_long.tk:121: produce us1 = tma_load(U[b, h, t.start + 64 +: 64, :]);
                    shared.us1.begin(us1_next, 8192);
                    tk::tma_load(shared.us1_tile[us1_next.stage], U_map,
                                 shared.us1.full[us1_next.stage], b, h, t + 64, 0);
                    us1_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv_long.tk:126: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(H, heads);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        tk::cursor<2> us0_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int b = program / c_tiles;

        // fft_conv_long.tk:127: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:128: for h in c * heads..min((c + 1) * heads, H) {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> z_re_2;
        tk::fragment<float, 64, 64> z_im_2;
        for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
            // fft_conv_long.tk:129: for t in L by 128 {
            tk::barrier_sync(2, 128);
            for (int t = 0; t < L; t += 128) {
                // fft_conv_long.tk:130: var u = f32(consume us0);
                const tk::cursor<2> us0_element = shared.us0.take(us0_next);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.us0_tile[us0_element.stage], thread);
                shared.us0.release_after_loads(us0_element);
                u = tk::convert<float>(t2);

                // fft_conv_long.tk:132: let z = fft_conv.forward(shared(f16(u)), f.left_re, ..
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn0_t1[t / 128 % 2], t0, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, shared.fs_left_re[f.stage], shared.turn0_t1[t / 128 % 2],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, shared.fs_left_im[f.stage], shared.turn0_t1[t / 128 % 2],
                              tk::accumulate_never{});

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(a, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(z_re, z_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(z_re_2, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(z_re_2, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(z_im_2, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(z_im_2, t6, shared.fs_re[f.stage]);
                tk::mma_wait<2>(z_re_2);

                // fft_conv_long.tk:133: tma_store(Z[0, b, h, t.start +: 64, :], f16(z.re));
                tk::hold_waits(warp);
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.turn0_Z[0], tk::convert<tk::f16>(z_re_2), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(Z_map, shared.turn0_Z[0], 0, b, h, t, panel);
                }
                tk::mma_wait<0>(z_im_2, t4, t6);

                // fft_conv_long.tk:134: tma_store(Z[1, b, h, t.start +: 64, :], f16(z.im));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.turn0_Z[0], tk::convert<tk::f16>(z_im_2), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(Z_map, shared.turn0_Z[0], 1, b, h, t, panel);
                }
            }
        }
        shared.fs.release_after_loads(f);

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // fft_conv_long.tk:138: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(H, heads);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        tk::cursor<2> us1_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int b = program / c_tiles;

        // fft_conv_long.tk:139: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:140: for h in c * heads..min((c + 1) * heads, H) {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> z_re_2;
        tk::fragment<float, 64, 64> z_im_2;
        for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
            // fft_conv_long.tk:141: for t in L by 128 {
            tk::barrier_sync(4, 128);
            for (int t = 0; t < L; t += 128) {
                // fft_conv_long.tk:142: var u = f32(consume us1);
                const tk::cursor<2> us1_element = shared.us1.take(us1_next);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::load_shared(t2, shared.us1_tile[us1_element.stage], thread);
                shared.us1.release_after_loads(us1_element);
                u = tk::convert<float>(t2);

                // fft_conv_long.tk:144: let z = fft_conv.forward(shared(f16(u)), f.left_re, ..
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn1_t1[t / 128 % 2], t0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, shared.fs_left_re[f.stage], shared.turn1_t1[t / 128 % 2],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, shared.fs_left_im[f.stage], shared.turn1_t1[t / 128 % 2],
                              tk::accumulate_never{});

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(a, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(z_re, z_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(z_re_2, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(z_re_2, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(z_im_2, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(z_im_2, t6, shared.fs_re[f.stage]);
                tk::mma_wait<2>(z_re_2);

                // fft_conv_long.tk:145: tma_store(Z[0, b, h, t.start + 64 +: 64, :], f16(z.re));
                tk::hold_waits(warp);
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.turn1_Z[0], tk::convert<tk::f16>(z_re_2), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(Z_map, shared.turn1_Z[0], 0, b, h, t + 64, panel);
                }
                tk::mma_wait<0>(z_im_2, t4, t6);

                // fft_conv_long.tk:146: tma_store(Z[1, b, h, t.start + 64 +: 64, :], f16(z.im));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.turn1_Z[0], tk::convert<tk::f16>(z_im_2), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(Z_map, shared.turn1_Z[0], 1, b, h, t + 64, panel);
                }
            }
        }
        shared.fs.release_after_loads(f);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// sums: kernel sums with T = bf16, CAUSAL = true, BACK = false, GATE_OUT = false, NEIGHBOURS =
// false, J = 1.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 229424 bytes of shared memory.
struct sums_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_left_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_minus[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::f16, 64, 64> xs_all_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_all_im[2];
    tk::shared_tile<tk::f16, 64, 64> xs_own0_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_own0_im[2];
    tk::shared_tile<tk::f16, 64, 64> xs_own1_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_own1_im[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t2[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t4[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_t2[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_t4[1];
    tk::shared_tile<tk::bf16, 64, 64> turn0_Y[1];
    tk::shared_tile<tk::bf16, 64, 64> turn1_Y[1];
    tk::pipeline<1> fs;
    tk::pipeline<2> xs;
};
static_assert(offsetof(sums_shared, xs) == 229392);

__global__ void __launch_bounds__(384, 1) sums_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap Z_map,
    const __grid_constant__ CUtensorMap Y_map, const tk::tensor_argument<const float, 1> Bound,
    int B, int H, int L, int LG, int heads) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sums_shared& shared = *reinterpret_cast<sums_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Turn_map, G_map, Z_map, Y_map);
        shared.fs.init(1, 8);
        shared.xs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv_long.tk:185: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::divide_up(H, heads);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next;
            tk::cursor<2> xs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv_long.tk:173: let blocks = L // 64;
            const int blocks = L / 64;

            // fft_conv_long.tk:174: let reach = LG // 64;
            const int reach = LG / 64;

            // fft_conv_long.tk:186: produce fs {
            shared.fs.begin(fs_next, 57344);

            // fft_conv_long.tk:187: left_re = tma_load(F[2, :, :]); left_im = tma_load(F[3, :, ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 3,
                         0, 0);
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);

            // fft_conv_long.tk:188: minus = tma_load(F[6, :, :]); turn_re = tma_load(Turn[0, :, ..
            tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 6, 0,
                         0);
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            // fft_conv_long.tk:186
            fs_next.advance();

            // fft_conv_long.tk:190: for h in c * heads..min((c + 1) * heads, H) {
            #pragma unroll 1
            for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
                // fft_conv_long.tk:191: for q in ceil_div(blocks, J) {
                #pragma unroll 1
                for (int q = 0; q < blocks; q += 1) {
                    // fft_conv_long.tk:192: for i in (if CAUSAL { if BACK { q * J } else { max(q ..
                    #pragma unroll 1
                    for (int i = tk::max(q + 1 - reach, 0); i < tk::min(q + 1, blocks); i += 1) {
                        // fft_conv_long.tk:193: let d0 = min((2 * blocks + (if BACK { i - q * J ..
                        const int d0 = tk::min(tk::remainder(2 * blocks + (q - i), blocks),
                                               reach - 1) * 64;

                        // fft_conv_long.tk:202: produce xs {
                        shared.xs.begin(xs_next, 49152);

                        // fft_conv_long.tk:203: all_re = tma_load(G[0, h, d0 +: 64, :]); all_im ..
                        tk::tma_load(shared.xs_all_re[xs_next.stage], G_map,
                                     shared.xs.full[xs_next.stage], 0, h, d0, 0);
                        tk::tma_load(shared.xs_all_im[xs_next.stage], G_map,
                                     shared.xs.full[xs_next.stage], 1, h, d0, 0);

                        // fft_conv_long.tk:204: own0_re = tma_load(Z[0, 2 * p, h, i * 64 +: 64, ..
                        tk::tma_load(shared.xs_own0_re[xs_next.stage], Z_map,
                                     shared.xs.full[xs_next.stage], 0, 2 * p, h, i * 64, 0);
                        tk::tma_load(shared.xs_own0_im[xs_next.stage], Z_map,
                                     shared.xs.full[xs_next.stage], 1, 2 * p, h, i * 64, 0);

                        // fft_conv_long.tk:205: own1_re = tma_load(Z[0, 2 * p + 1, h, i * 64 +: ..
                        tk::tma_load(shared.xs_own1_re[xs_next.stage], Z_map,
                                     shared.xs.full[xs_next.stage], 0, 2 * p + 1, h, i * 64, 0);
                        tk::tma_load(shared.xs_own1_im[xs_next.stage], Z_map,
                                     shared.xs.full[xs_next.stage], 1, 2 * p + 1, h, i * 64, 0);
                        // fft_conv_long.tk:202
                        xs_next.advance();
                    }
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv_long.tk:214: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(H, heads);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv_long.tk:173: let blocks = L // 64;
        const int blocks = L / 64;

        // fft_conv_long.tk:174: let reach = LG // 64;
        const int reach = LG / 64;

        // fft_conv_long.tk:215: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:216: for h in c * heads..min((c + 1) * heads, H) {
        tk::fragment<float, 64, 64> all_re;
        tk::fragment<float, 64, 64> all_im;
        tk::fragment<tk::f16, 64, 64> y;
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> y_8;
        tk::fragment<float, 64, 64> y_9;
        for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
            // fft_conv_long.tk:217: let scale = Bound[h] * 64;
            const float scale = tk::cell(Bound, h) * 64.0f;

            // fft_conv_long.tk:218: for q in ceil_div(blocks, J) {
            tk::barrier_sync(2, 128);
            for (int q = 0; q < blocks; q += 1) {
                // fft_conv_long.tk:219: var all: fft_conv.complex = { re = 0, im = 0 };
                tk::zero(all_re);
                tk::zero(all_im);

                // fft_conv_long.tk:220: for i in (if CAUSAL { if BACK { q * J } else { max(q * J ..
                for (int i = tk::max(q + 1 - reach, 0); i < tk::min(q + 1, blocks); i += 1) {
                    // fft_conv_long.tk:221: let x = consume xs;
                    const tk::cursor<2> x = shared.xs.take(xs_next);

                    // fft_conv_long.tk:222: if not CAUSAL or (if BACK { i < q * J + reach } else ..
                    if (i <= q) {
                        // fft_conv.tk:26: var y: f16[64, 64] = x;
                        tk::load_shared(y, shared.xs_all_re[x.stage], thread);

                        // fft_conv_long.tk:154: let a = f32(fft_conv.copied(z_re));
                        tk::fragment<float, 64, 64> a = tk::convert<float>(y);
                        // fft_conv.tk:26
                        tk::load_shared(y_2, shared.xs_all_im[x.stage], thread);

                        // fft_conv_long.tk:155: let b = f32(fft_conv.copied(z_im));
                        tk::fragment<float, 64, 64> b = tk::convert<float>(y_2);
                        // fft_conv.tk:26
                        tk::load_shared(y_3, shared.xs_own0_re[x.stage], thread);

                        // fft_conv_long.tk:156: let c = f32(fft_conv.copied(g_re));
                        tk::fragment<float, 64, 64> c_2 = tk::convert<float>(y_3);
                        // fft_conv.tk:26
                        tk::load_shared(y_4, shared.xs_own0_im[x.stage], thread);

                        // fft_conv_long.tk:157: let d = f32(fft_conv.copied(g_im));
                        tk::fragment<float, 64, 64> d = tk::convert<float>(y_4);

                        // fft_conv_long.tk:158: sums.re += a * c;
                        tk::map(all_re, [](float all_re, float a, float c_2) {
                            return tk::fma(a, c_2, all_re);
                        }, all_re, a, c_2);

                        // fft_conv_long.tk:159: sums.re -= b * d;
                        tk::map(all_re, [](float all_re, float b, float d) {
                            return tk::fma(-b, d, all_re);
                        }, all_re, b, d);

                        // fft_conv_long.tk:160: sums.im += a * d;
                        tk::map(all_im, [](float all_im, float a, float d) {
                            return tk::fma(a, d, all_im);
                        }, all_im, a, d);

                        // fft_conv_long.tk:161: sums.im += b * c;
                        tk::map(all_im, [](float all_im, float b, float c_2) {
                            return tk::fma(b, c_2, all_im);
                        }, all_im, b, c_2);
                    }
                    shared.xs.release_after_loads(x);
                }

                // fft_conv_long.tk:224: let rounded: fft_conv.half = { re = f16(all.re), im = ..
                tk::fragment<tk::f16, 64, 64> rounded_re = tk::convert<tk::f16>(all_re);
                tk::fragment<tk::f16, 64, 64> rounded_im = tk::convert<tk::f16>(all_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::mma_async(x_2, rounded_re, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::mma_async(x_2, rounded_im, shared.fs_im[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(y_5, rounded_re, shared.fs_minus[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(y_5, rounded_im, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(x_2, y_5, rounded_re, rounded_im);

                // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re;
                tk::map(t_re, [](float x_2, tk::f16 a_2, float y_5, tk::f16 b_2) {
                    return tk::fma(x_2, float(a_2), y_5 * float(b_2));
                }, x_2, a_2, y_5, b_2);
                tk::fragment<tk::f16, 64, 64> t_im;
                tk::map(t_im, [](float y_5, tk::f16 a_2, float x_2, tk::f16 b_2) {
                    return tk::fma(y_5, float(a_2), -(x_2 * float(b_2)));
                }, y_5, a_2, x_2, b_2);

                // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn0_t2[q % 2], t_re, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_async(y_8, shared.fs_left_re[f.stage], shared.turn0_t2[q % 2],
                              tk::accumulate_never{});

                // fft_conv.tk:62: y += mma(left_im, shared(t.im));
                tk::store_shared(shared.turn0_t4[q % 2], t_im, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_async(y_8, shared.fs_left_im[f.stage], shared.turn0_t4[q % 2]);
                tk::mma_wait<0>(y_8);

                // fft_conv_long.tk:225: var y = fft_conv.inverse(rounded, f.left_re, f.left_im, ..
                tk::map(y_9, [&](float y_8) { return y_8 * scale; }, y_8);

                // fft_conv_long.tk:227: tma_store(Y[(if NEIGHBOURS { p } else { 2 * p }), h, (q ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.turn0_Y[0], tk::convert<tk::bf16>(y_9), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(Y_map, shared.turn0_Y[0], 2 * p, h, q * 64, panel);
                }
            }
        }
        shared.fs.release_after_loads(f);

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // fft_conv_long.tk:231: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(H, heads);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        tk::cursor<2> xs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv_long.tk:173: let blocks = L // 64;
        const int blocks = L / 64;

        // fft_conv_long.tk:174: let reach = LG // 64;
        const int reach = LG / 64;

        // fft_conv_long.tk:232: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long.tk:233: for h in c * heads..min((c + 1) * heads, H) {
        tk::fragment<float, 64, 64> all_re;
        tk::fragment<float, 64, 64> all_im;
        tk::fragment<tk::f16, 64, 64> y;
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> y_8;
        tk::fragment<float, 64, 64> y_9;
        for (int h = c * heads; h < tk::min((c + 1) * heads, H); h += 1) {
            // fft_conv_long.tk:234: let scale = Bound[h] * 64;
            const float scale = tk::cell(Bound, h) * 64.0f;

            // fft_conv_long.tk:235: for q in ceil_div(blocks, J) {
            tk::barrier_sync(4, 128);
            for (int q = 0; q < blocks; q += 1) {
                // fft_conv_long.tk:236: var all: fft_conv.complex = { re = 0, im = 0 };
                tk::zero(all_re);
                tk::zero(all_im);

                // fft_conv_long.tk:237: for i in (if CAUSAL { if BACK { q * J } else { max(q * J ..
                for (int i = tk::max(q + 1 - reach, 0); i < tk::min(q + 1, blocks); i += 1) {
                    // fft_conv_long.tk:238: let x = consume xs;
                    const tk::cursor<2> x = shared.xs.take(xs_next);

                    // fft_conv_long.tk:239: if not CAUSAL or (if BACK { i >= q * J + J - 1 } ..
                    if (i + reach >= q + 1) {
                        // fft_conv.tk:26: var y: f16[64, 64] = x;
                        tk::load_shared(y, shared.xs_all_re[x.stage], thread);

                        // fft_conv_long.tk:154: let a = f32(fft_conv.copied(z_re));
                        tk::fragment<float, 64, 64> a = tk::convert<float>(y);
                        // fft_conv.tk:26
                        tk::load_shared(y_2, shared.xs_all_im[x.stage], thread);

                        // fft_conv_long.tk:155: let b = f32(fft_conv.copied(z_im));
                        tk::fragment<float, 64, 64> b = tk::convert<float>(y_2);
                        // fft_conv.tk:26
                        tk::load_shared(y_3, shared.xs_own1_re[x.stage], thread);

                        // fft_conv_long.tk:156: let c = f32(fft_conv.copied(g_re));
                        tk::fragment<float, 64, 64> c_2 = tk::convert<float>(y_3);
                        // fft_conv.tk:26
                        tk::load_shared(y_4, shared.xs_own1_im[x.stage], thread);

                        // fft_conv_long.tk:157: let d = f32(fft_conv.copied(g_im));
                        tk::fragment<float, 64, 64> d = tk::convert<float>(y_4);

                        // fft_conv_long.tk:158: sums.re += a * c;
                        tk::map(all_re, [](float all_re, float a, float c_2) {
                            return tk::fma(a, c_2, all_re);
                        }, all_re, a, c_2);

                        // fft_conv_long.tk:159: sums.re -= b * d;
                        tk::map(all_re, [](float all_re, float b, float d) {
                            return tk::fma(-b, d, all_re);
                        }, all_re, b, d);

                        // fft_conv_long.tk:160: sums.im += a * d;
                        tk::map(all_im, [](float all_im, float a, float d) {
                            return tk::fma(a, d, all_im);
                        }, all_im, a, d);

                        // fft_conv_long.tk:161: sums.im += b * c;
                        tk::map(all_im, [](float all_im, float b, float c_2) {
                            return tk::fma(b, c_2, all_im);
                        }, all_im, b, c_2);
                    }
                    shared.xs.release_after_loads(x);
                }

                // fft_conv_long.tk:241: let rounded: fft_conv.half = { re = f16(all.re), im = ..
                tk::fragment<tk::f16, 64, 64> rounded_re = tk::convert<tk::f16>(all_re);
                tk::fragment<tk::f16, 64, 64> rounded_im = tk::convert<tk::f16>(all_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::mma_async(x_2, rounded_re, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::mma_async(x_2, rounded_im, shared.fs_im[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(y_5, rounded_re, shared.fs_minus[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(y_5, rounded_im, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(x_2, y_5, rounded_re, rounded_im);

                // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re;
                tk::map(t_re, [](float x_2, tk::f16 a_2, float y_5, tk::f16 b_2) {
                    return tk::fma(x_2, float(a_2), y_5 * float(b_2));
                }, x_2, a_2, y_5, b_2);
                tk::fragment<tk::f16, 64, 64> t_im;
                tk::map(t_im, [](float y_5, tk::f16 a_2, float x_2, tk::f16 b_2) {
                    return tk::fma(y_5, float(a_2), -(x_2 * float(b_2)));
                }, y_5, a_2, x_2, b_2);

                // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn1_t2[q % 2], t_re, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_async(y_8, shared.fs_left_re[f.stage], shared.turn1_t2[q % 2],
                              tk::accumulate_never{});

                // fft_conv.tk:62: y += mma(left_im, shared(t.im));
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_t4[0], t_im, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_async(y_8, shared.fs_left_im[f.stage], shared.turn1_t4[0]);
                tk::mma_wait<0>(y_8);

                // fft_conv_long.tk:242: var y = fft_conv.inverse(rounded, f.left_re, f.left_im, ..
                tk::map(y_9, [&](float y_8) { return y_8 * scale; }, y_8);

                // fft_conv_long.tk:244: tma_store(Y[(if NEIGHBOURS { p } else { 2 * p + 1 }), h, ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.turn1_Y[0], tk::convert<tk::bf16>(y_9), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) {
                        tk::tma_store(Y_map, shared.turn1_Y[0], 2 * p + 1, h, q * 64, panel);
                    }
                }
            }
        }
        shared.fs.release_after_loads(f);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// fft_conv_tables: kernel fft_conv.tables.
// 128 threads, 96 registers each: fft_conv_tables_kernel<5, 8, 8, true>.
// fft_conv_tables_general: kernel fft_conv.tables; any strides and alignment.
// 128 threads, 255 registers each: fft_conv_tables_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) fft_conv_tables_kernel(
    const tk::tensor_argument<tk::f16, 3> F, const tk::tensor_argument<tk::f16, 3> Turn,
    const tk::tensor_argument<tk::f16, 3> Rest, int n1, int root, int quarters) {
    tk::wait_for_previous_kernel();

    // fft_conv.tk:76: kernel tables(n1: i32, root: i32, quarters: i32, out F: f16[7, 64, 64], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 16;

    // fft_conv.tk:89: let left_re = inside * cosine(a);
    tk::stripe<float, 16, 64, 128, row_threads, vector> left_re;
    tk::map(left_re, thread, [&](int row, int col) {
        const int x_9 = r + row;
        const float x_10 = tk::divide(
            float(
                tk::wrapping_multiply(col % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, x_9 % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_9 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            tk::cos((x_10 - tk::round(x_10)) * 6.2831855f);
    });

    // fft_conv.tk:90: let left_im = inside * -sine(a);
    tk::stripe<float, 16, 64, 128, row_threads, vector> left_im;
    tk::map(left_im, thread, [&](int row, int col) {
        const int x_9 = r + row;
        const float x_10 = tk::divide(
            float(
                tk::wrapping_multiply(col % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, x_9 % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_9 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            -tk::sin((x_10 - tk::round(x_10)) * 6.2831855f);
    });

    // fft_conv.tk:93: let turn_re = cosine(t);
    tk::stripe<float, 16, 64, 128, row_threads, vector> turn_re;
    tk::map(turn_re, thread, [&](int row, int col) {
        const float x_9 = tk::divide(
            float(
                tk::wrapping_multiply(col,
                                      tk::wrapping_add(tk::wrapping_multiply(4, (r + row) % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(256, n1)));
        return tk::cos((x_9 - tk::round(x_9)) * 6.2831855f);
    });

    // fft_conv.tk:94: let turn_im = -sine(t);
    tk::stripe<float, 16, 64, 128, row_threads, vector> turn_im;
    tk::map(turn_im, thread, [&](int row, int col) {
        const float x_9 = tk::divide(
            float(
                tk::wrapping_multiply(col,
                                      tk::wrapping_add(tk::wrapping_multiply(4, (r + row) % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(256, n1)));
        return -tk::sin((x_9 - tk::round(x_9)) * 6.2831855f);
    });

    // fft_conv.tk:95: store(F[0, r, :], f16(left_re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t0 = tk::convert<tk::f16>(left_re);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {0, r, 0}, 64 - r, 64), t0, thread);

    // fft_conv.tk:96: store(F[1, r, :], f16(left_im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t1 = tk::convert<tk::f16>(left_im);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {1, r, 0}, 64 - r, 64), t1, thread);

    // fft_conv.tk:97: store(F[2, r, :], f16(inside * cosine(b)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t2;
    tk::map(t2, thread, [&](int row, int col) {
        const int x_9 = r + row;
        const float x_10 = tk::divide(
            float(
                tk::wrapping_multiply(x_9 % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, col % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_9 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            tk::cos((x_10 - tk::round(x_10)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {2, r, 0}, 64 - r, 64), t2, thread);

    // fft_conv.tk:98: store(F[3, r, :], f16(inside * -sine(b)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t3;
    tk::map(t3, thread, [&](int row, int col) {
        const int x_9 = r + row;
        const float x_10 = tk::divide(
            float(
                tk::wrapping_multiply(x_9 % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, col % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_9 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            -tk::sin((x_10 - tk::round(x_10)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {3, r, 0}, 64 - r, 64), t3, thread);

    // fft_conv.tk:99: store(F[4, r, :], f16(re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int col) {
        const float x_9 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return tk::divide(tk::cos((x_9 - tk::round(x_9)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {4, r, 0}, 64 - r, 64), t4, thread);

    // fft_conv.tk:100: store(F[5, r, :], f16(im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t5;
    tk::map(t5, thread, [&](int row, int col) {
        const float x_9 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return tk::divide(-tk::sin((x_9 - tk::round(x_9)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {5, r, 0}, 64 - r, 64), t5, thread);

    // fft_conv.tk:101: store(F[6, r, :], f16(-im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t6;
    tk::map(t6, thread, [&](int row, int col) {
        const float x_9 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return -tk::divide(-tk::sin((x_9 - tk::round(x_9)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {6, r, 0}, 64 - r, 64), t6, thread);

    // fft_conv.tk:102: store(Turn[0, r, :], f16(turn_re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t7 = tk::convert<tk::f16>(turn_re);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Turn, {0, r, 0}, 64 - r, 64), t7, thread);

    // fft_conv.tk:103: store(Turn[1, r, :], f16(turn_im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t8 = tk::convert<tk::f16>(turn_im);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Turn, {1, r, 0}, 64 - r, 64), t8, thread);

    // fft_conv.tk:104: store(Rest[0, r, :], rest(left_re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t9;
    tk::map(t9, [](float left_re, tk::f16 t0) { return left_re - float(t0); }, left_re, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {0, r, 0}, 64 - r, 64), t9, thread);

    // fft_conv.tk:105: store(Rest[1, r, :], rest(left_im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t10;
    tk::map(t10, [](float left_im, tk::f16 t1) { return left_im - float(t1); }, left_im, t1);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {1, r, 0}, 64 - r, 64), t10, thread);

    // fft_conv.tk:106: store(Rest[2, r, :], rest(re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t11;
    tk::map(t11, thread, [&](int row, int col) {
        const float x_9 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        const float x_10 = tk::divide(tk::cos((x_9 - tk::round(x_9)) * 6.2831855f), 8.0f);
        return x_10 - float(tk::f16(x_10));
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {2, r, 0}, 64 - r, 64), t11, thread);

    // fft_conv.tk:107: store(Rest[3, r, :], rest(im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t12;
    tk::map(t12, thread, [&](int row, int col) {
        const float x_9 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        const float x_10 = tk::divide(-tk::sin((x_9 - tk::round(x_9)) * 6.2831855f), 8.0f);
        return x_10 - float(tk::f16(x_10));
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {3, r, 0}, 64 - r, 64), t12, thread);

    // fft_conv.tk:108: store(Rest[4, r, :], rest(turn_re));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t13;
    tk::map(t13, [](float turn_re, tk::f16 t7) { return turn_re - float(t7); }, turn_re, t7);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {4, r, 0}, 64 - r, 64), t13, thread);

    // fft_conv.tk:109: store(Rest[5, r, :], rest(turn_im));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t14;
    tk::map(t14, [](float turn_im, tk::f16 t8) { return turn_im - float(t8); }, turn_im, t8);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Rest, {5, r, 0}, 64 - r, 64), t14, thread);
}

namespace {
tk::status launch_fft_conv_tables(const tk::launch_site& site, const tk::tensor& F,
                                  const tk::tensor& Turn, const tk::tensor& Rest, int32_t n1,
                                  int32_t root, int32_t quarters) {
    return tk::run<fft_conv_tables_kernel<5, 8, 8, true>>(
        site, 0, tk::kernel_shape(128).overlapping(), 4, F, Turn, Rest, n1, root, quarters);
}

tk::status launch_fft_conv_tables_general(const tk::launch_site& site, const tk::tensor& F,
                                          const tk::tensor& Turn, const tk::tensor& Rest,
                                          int32_t n1, int32_t root, int32_t quarters) {
    return tk::run<fft_conv_tables_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), 4, F, Turn, Rest, n1, root, quarters);
}

tk::status launch_levels(const tk::launch_site& site, const tk::tensor& Filter,
                         const tk::tensor& Most, const tk::tensor& Bound, int64_t H, int64_t LF) {
    return tk::run<levels_kernel>(site, sizeof(levels_shared), tk::kernel_shape(128).overlapping(),
                                  H, Filter, Most, Bound, H, LF);
}

tk::status launch_levels_general(const tk::launch_site& site, const tk::tensor& Filter,
                                 const tk::tensor& Most, const tk::tensor& Bound, int64_t H,
                                 int64_t LF) {
    return tk::run<levels_general_kernel>(site, sizeof(levels_general_shared),
                                          tk::kernel_shape(128).overlapping(), H, Filter, Most,
                                          Bound, H, LF);
}

tk::status launch_spectra(const tk::launch_site& site, const tk::tensor& Filter,
                          const tk::tensor& F, const tk::tensor& Turn, const tk::tensor& Rest,
                          const tk::tensor& Most, const tk::tensor& Bound, const tk::tensor& G,
                          int64_t H, int64_t LG, float sign) {
    return tk::run<spectra_kernel>(
        site, sizeof(spectra_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::ceil_div(LG, 128), H), tk::box{F, {1, 64, 64}, 128},
        tk::box{Rest, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{Filter, {1, 64, 32}, 128}, tk::box{G, {1, 1, 64, 64}, 128}, Most, Bound, H, LG,
        sign);
}

tk::status launch_spectra_general(
    const tk::launch_site& site, const tk::tensor& Filter, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Rest, const tk::tensor& Most, const tk::tensor& Bound,
    const tk::tensor& G, int64_t H, int64_t LG, float sign) {
    return tk::run<spectra_general_kernel>(
        site, sizeof(spectra_general_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::ceil_div(LG, 128), H), tk::box{F, {1, 64, 64}, 128},
        tk::box{Rest, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{Filter, {1, 64, 32}, 128}, Most, Bound, G, H, LG, sign);
}

tk::status launch_transforms(const tk::launch_site& site, const tk::tensor& U, const tk::tensor& F,
                             const tk::tensor& Turn, const tk::tensor& Z, int64_t B, int64_t H,
                             int64_t L, int32_t heads) {
    return tk::run<transforms_kernel>(
        site, sizeof(transforms_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0), B),
        tk::box{F, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128}, B, H, L, heads);
}

tk::status launch_sums(const tk::launch_site& site, const tk::tensor& Z, const tk::tensor& G,
                       const tk::tensor& Bound, const tk::tensor& F, const tk::tensor& Turn,
                       const tk::tensor& Y, int64_t B, int64_t H, int64_t L, int64_t LG,
                       int32_t heads) {
    return tk::run<sums_kernel>(site, sizeof(sums_shared), tk::kernel_shape(384).overlapping(),
                                tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                                             tk::larger(tk::ceil_div(B, 2), 0)),
                                tk::box{F, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
                                tk::box{G, {1, 1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128},
                                tk::box{Y, {1, 1, 64, 64}, 128}, Bound, B, H, L, LG, heads);
}

}  // namespace

extern "C" {
int levels(const DLTensor* Filter_given, DLTensor* Most_given, DLTensor* Bound_given, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"levels"};
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Bound = call.take("Bound", Bound_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = Filter.shape[0];
    const int64_t LF = Filter.shape[1];
    call.require(
        {tk::fixed_extent(Filter, 2, 64), tk::same_extent("H", Filter, 0, Most, 0),
         tk::same_extent("H", Filter, 0, Bound, 0), tk::extents_fit({{"H", H}, {"LF", LF}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Filter)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<levels_kernel>(site, sizeof(levels_shared), tk::kernel_shape(128).overlapping(),
                                   H, Filter, Most, Bound, H, LF));
    }
    return tk::finish(tk::run<levels_general_kernel>(
        site, sizeof(levels_general_shared), tk::kernel_shape(128).overlapping(), H, Filter, Most,
        Bound, H, LF));
}
TK_NO_WORKSPACE(levels, const DLTensor*, DLTensor*, DLTensor*)

int spectra(const DLTensor* Filter_given, const DLTensor* F_given, const DLTensor* Turn_given,
            const DLTensor* Rest_given, const DLTensor* Most_given, const DLTensor* Bound_given,
            DLTensor* G_given, float sign, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"spectra"};
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Bound = call.take("Bound", Bound_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = Filter.shape[0];
    const int64_t LF = Filter.shape[1];
    const int64_t LG = G.shape[2];
    call.require(
        {tk::fixed_extent(Filter, 2, 64), tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64),
         tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64),
         tk::fixed_extent(Turn, 2, 64), tk::fixed_extent(Rest, 0, 6), tk::fixed_extent(Rest, 1, 64),
         tk::fixed_extent(Rest, 2, 64), tk::same_extent("H", Filter, 0, Most, 0),
         tk::same_extent("H", Filter, 0, Bound, 0), tk::fixed_extent(G, 0, 2),
         tk::same_extent("H", Filter, 0, G, 1), tk::fixed_extent(G, 3, 64),
         tk::extents_fit({{"H", H}, {"LF", LF}, {"LG", LG}}),
         tk::that(LF >= 64, "`spectra` requires `LF >= 64`"),
         tk::that(LF % 64 == 0, "`spectra` requires `LF % 64 == 0`"),
         tk::that(LG % 64 == 0, "`spectra` requires `LG % 64 == 0`"),
         tk::that(LG >= LF, "`spectra` requires `LG >= LF`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(LG, 128), H), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(LG, 128), H);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // spectra
    choice.prefer(
        {tk::suits_fast(Filter), tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest),
         tk::suits_fast(G)});
    choice.offer();
    choice.candidate(true);  // spectra_general
    choice.require(
        {tk::suits_tma_load(Filter), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
         tk::suits_tma_load(Rest)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<spectra_kernel>(
            site, sizeof(spectra_shared), tk::kernel_shape(384).overlapping(), programs,
            tk::box{F, {1, 64, 64}, 128}, tk::box{Rest, {1, 64, 64}, 128},
            tk::box{Turn, {1, 64, 64}, 128}, tk::box{Filter, {1, 64, 32}, 128},
            tk::box{G, {1, 1, 64, 64}, 128}, Most, Bound, H, LG, sign));
    }
    return tk::finish(tk::run<spectra_general_kernel>(
        site, sizeof(spectra_general_shared), tk::kernel_shape(384).overlapping(), programs,
        tk::box{F, {1, 64, 64}, 128}, tk::box{Rest, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Filter, {1, 64, 32}, 128}, Most, Bound, G, H, LG,
        sign));
}
TK_NO_WORKSPACE(spectra, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, float)

int transforms(const DLTensor* U_given, const DLTensor* GateIn_given, const DLTensor* F_given,
               const DLTensor* Turn_given, DLTensor* Z_given, int32_t heads, void*, size_t,
               cudaStream_t stream) {
    tk::arguments call{"transforms"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_f16, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t H = U.shape[1];
    const int64_t L = U.shape[2];
    const int64_t BI = GateIn.shape[0];
    call.require({
        tk::fixed_extent(U, 3, 64), tk::same_extent("H", U, 1, GateIn, 1),
        tk::same_extent("L", U, 2, GateIn, 2), tk::fixed_extent(GateIn, 3, 64),
        tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64),
        tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
        tk::fixed_extent(Z, 0, 2), tk::same_extent("B", U, 0, Z, 1),
        tk::same_extent("H", U, 1, Z, 2), tk::same_extent("L", U, 2, Z, 3),
        tk::fixed_extent(Z, 4, 64), tk::extents_fit({{"B", B}, {"H", H}, {"L", L}, {"BI", BI}}),
        tk::that(int64_t{heads} > 0, "`transforms` requires `heads > 0`"),
        tk::that(0 < int64_t{heads}, "`heads` is at least 1, because `transforms` divides by it"),
        tk::suits_tma_load(U), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
        tk::suits_tma_store(Z),
        tk::that(1 <= int64_t{heads},
                 "`ceil_div(H, heads)` divides by `heads`, which is {}: it must be at least 1",
                 {int64_t{heads}}),
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0), B), 2147483648),
        tk::fits("c*heads",
                 tk::larger(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads})),
                 "`c*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1,
                                              int64_t{heads}))}),
        tk::fits("(c + 1)*heads",
                 tk::larger(int64_t{heads},
                            tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{heads},
                             tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads})),
                 "`(c + 1)*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{heads},
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1,
                                              int64_t{heads}))})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<transforms_kernel>(
        site, sizeof(transforms_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0), B),
        tk::box{F, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128}, B, H, L, heads));
}
TK_NO_WORKSPACE(transforms, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, int32_t)

int sums(const DLTensor* Z_given, const DLTensor* G_given, const DLTensor* Bound_given,
         const DLTensor* GateOut_given, const DLTensor* F_given, const DLTensor* Turn_given,
         DLTensor* Y_given, int32_t heads, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"sums"};
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_f16, 5, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor Bound = call.take("Bound", Bound_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Z.shape[1];
    const int64_t H = Z.shape[2];
    const int64_t L = Z.shape[3];
    const int64_t LG = G.shape[2];
    const int64_t BO = GateOut.shape[0];
    call.require({
        tk::fixed_extent(Z, 0, 2), tk::fixed_extent(Z, 4, 64), tk::fixed_extent(G, 0, 2),
        tk::same_extent("H", Z, 2, G, 1), tk::fixed_extent(G, 3, 64),
        tk::same_extent("H", Z, 2, Bound, 0), tk::same_extent("H", Z, 2, GateOut, 1),
        tk::same_extent("L", Z, 3, GateOut, 2), tk::fixed_extent(GateOut, 3, 64),
        tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64),
        tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
        tk::same_extent("B", Z, 1, Y, 0), tk::same_extent("H", Z, 2, Y, 1),
        tk::same_extent("L", Z, 3, Y, 2), tk::fixed_extent(Y, 3, 64),
        tk::extents_fit({{"B", B}, {"H", H}, {"L", L}, {"LG", LG}, {"BO", BO}}),
        tk::that(int64_t{heads} > 0, "`sums` requires `heads > 0`"),
        tk::that(L >= 64, "`sums` requires `L >= 64`"),
        tk::that(L % 64 == 0, "`sums` requires `L % 64 == 0`"),
        tk::that(LG >= 64, "`sums` requires `LG >= 64`"),
        tk::that(LG % 64 == 0, "`sums` requires `LG % 64 == 0`"),
        tk::that(LG <= L, "`sums` requires `if CAUSAL { LG <= L } else { LG == L }`"),
        tk::that(0 < int64_t{heads}, "`heads` is at least 1, because `sums` divides by it"),
        tk::that(0 < tk::floor_div(L, 64), "`L/64` is at least 1, because `sums` divides by it"),
        tk::suits_tma_load(Z), tk::suits_tma_load(G), tk::suits_tma_load(F),
        tk::suits_tma_load(Turn), tk::suits_tma_store(Y),
        tk::that(1 <= int64_t{heads},
                 "`ceil_div(H, heads)` divides by `heads`, which is {}: it must be at least 1",
                 {int64_t{heads}}),
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                         tk::larger(tk::ceil_div(B, 2), 0)), 2147483648),
        tk::fits("c*heads",
                 tk::larger(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads})),
                 "`c*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1,
                                              int64_t{heads}))}),
        tk::fits("(c + 1)*heads",
                 tk::larger(int64_t{heads},
                            tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{heads},
                             tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads})),
                 "`(c + 1)*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{heads},
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1,
                                              int64_t{heads}))}),
        tk::that(1 <= tk::floor_div(L, 64),
                 "`(2*blocks + (q - i))%blocks` divides by `blocks`, which is {}: it must be at least 1",
                 {tk::floor_div(L, 64)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run<sums_kernel>(site, sizeof(sums_shared), tk::kernel_shape(384).overlapping(),
                             tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                                          tk::larger(tk::ceil_div(B, 2), 0)),
                             tk::box{F, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
                             tk::box{G, {1, 1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128},
                             tk::box{Y, {1, 1, 64, 64}, 128}, Bound, B, H, L, LG, heads));
}
TK_NO_WORKSPACE(sums, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, int32_t)

int fft_conv_long(const DLTensor* U_given, const DLTensor* Filter_given,
                  const DLTensor* GateIn_given, const DLTensor* GateOut_given, DLTensor* Y_given,
                  DLTensor* F_given, DLTensor* Turn_given, DLTensor* Rest_given, DLTensor* G_given,
                  DLTensor* Most_given, DLTensor* Bound_given, DLTensor* Z_given, int32_t heads,
                  void*, size_t, cudaStream_t stream) {
    tk::arguments call{"fft_conv_long"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Bound = call.take("Bound", Bound_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_f16, 5, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t H = U.shape[1];
    const int64_t L = U.shape[2];
    const int64_t LF = Filter.shape[1];
    const int64_t BI = GateIn.shape[0];
    const int64_t BO = GateOut.shape[0];
    call.require(
        {tk::fixed_extent(U, 3, 64), tk::same_extent("H", U, 1, Filter, 0),
         tk::fixed_extent(Filter, 2, 64), tk::same_extent("H", U, 1, GateIn, 1),
         tk::same_extent("L", U, 2, GateIn, 2), tk::fixed_extent(GateIn, 3, 64),
         tk::same_extent("H", U, 1, GateOut, 1), tk::same_extent("L", U, 2, GateOut, 2),
         tk::fixed_extent(GateOut, 3, 64), tk::same_extent("B", U, 0, Y, 0),
         tk::same_extent("H", U, 1, Y, 1), tk::same_extent("L", U, 2, Y, 2),
         tk::fixed_extent(Y, 3, 64), tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64),
         tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64),
         tk::fixed_extent(Turn, 2, 64), tk::fixed_extent(Rest, 0, 6), tk::fixed_extent(Rest, 1, 64),
         tk::fixed_extent(Rest, 2, 64), tk::fixed_extent(G, 0, 2), tk::same_extent("H", U, 1, G, 1),
         tk::fixed_extent(G, 3, 64), tk::same_extent("H", U, 1, Most, 0),
         tk::same_extent("H", U, 1, Bound, 0), tk::fixed_extent(Z, 0, 2),
         tk::same_extent("B", U, 0, Z, 1), tk::same_extent("H", U, 1, Z, 2),
         tk::same_extent("L", U, 2, Z, 3), tk::fixed_extent(Z, 4, 64),
         tk::extents_fit({{"B", B}, {"H", H}, {"L", L}, {"LF", LF}, {"BI", BI}, {"BO", BO}}),
         tk::that(G.shape[2] == tk::smaller(LF + 64, L),
                  "axis 2 of `G` is {}; it must be `min(LF + 64, L)`, which is {}",
                  {G.shape[2], tk::smaller(LF + 64, L)}),
         tk::that(int64_t{heads} > 0, "`fft_conv_long` requires `heads > 0`"),
         tk::that(L >= 64, "`fft_conv_long` requires `L >= 64`"),
         tk::that(L % 64 == 0, "`fft_conv_long` requires `L % 64 == 0`"),
         tk::that(LF >= 64, "`fft_conv_long` requires `LF >= 64`"),
         tk::that(LF % 64 == 0, "`fft_conv_long` requires `LF % 64 == 0`"),
         tk::that(LF <= L, "`fft_conv_long` requires `if CAUSAL { LF <= L } else { LF == L }`")});
    // spectra(Filter, F, Turn, Rest, Most, Bound, G, 1.0)
    call.require({
        tk::that(tk::smaller(LF + 64, L) < 2147221504,
                 "`min(LF + 64, L)` is {}; extents must be less than 2147221504",
                 {tk::smaller(LF + 64, L)}),
        tk::that(tk::smaller(LF + 64, L) % 64 == 0,
                 "`spectra` requires `(min(LF + 64, L)) % 64 == 0`"),
        tk::that(tk::smaller(LF + 64, L) >= LF, "`spectra` requires `(min(LF + 64, L)) >= LF`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::smaller(LF + 64, L), 128), H), 2147483648)});
    // transforms(U, GateIn, F, Turn, Z, heads)
    call.require({
        tk::that(0 < int64_t{heads}, "`heads` is at least 1, because `transforms` divides by it"),
        tk::suits_tma_load(U), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
        tk::suits_tma_store(Z),
        tk::that(1 <= int64_t{heads},
                 "`ceil_div(H, heads)` divides by `heads`, which is {}: it must be at least 1",
                 {int64_t{heads}}),
        tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0), B), 2147483648),
        tk::fits("c*heads",
                 tk::larger(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1, int64_t{heads})),
                 "`c*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1,
                                              int64_t{heads}))}),
        tk::fits("(c + 1)*heads",
                 tk::larger(int64_t{heads},
                            tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{heads},
                             tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1, int64_t{heads})),
                 "`(c + 1)*heads` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{heads},
                                 tk::multiply(tk::ceil_div(H, int64_t{heads}) - 1 + 1,
                                              int64_t{heads}))})});
    // sums(Z, G, Bound, GateOut, F, Turn, Y, heads)
    call.require(
        {tk::that(tk::smaller(LF + 64, L) >= 64, "`sums` requires `(min(LF + 64, L)) >= 64`"),
         tk::that(tk::smaller(LF + 64, L) <= L,
                  "`sums` requires `if CAUSAL { (min(LF + 64, L)) <= L } else { (min(LF + 64, L)) == L }`"),
         tk::that(0 < tk::floor_div(L, 64), "`L/64` is at least 1, because `sums` divides by it"),
         tk::suits_tma_load(G), tk::suits_tma_store(Y),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                          tk::larger(tk::ceil_div(B, 2), 0)), 2147483648),
         tk::that(1 <= tk::floor_div(L, 64),
                  "`(2*blocks + (q - i))%blocks` divides by `blocks`, which is {}: it must be at least 1",
                  {tk::floor_div(L, 64)})});
    if (!call.ok()) return tk::finish(call.result());

    // fft_conv.tables(F, Turn, Rest, 64, 8, 1)
    const bool choice_1 = tk::hold({tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest)});

    // levels(Filter, Most, Bound)
    const bool choice_2 = tk::hold({tk::suits_fast(Filter)});

    // spectra(Filter, F, Turn, Rest, Most, Bound, G, 1.0)
    tk::selection choice_3{call};
    choice_3.candidate();  // spectra
    choice_3.prefer(
        {tk::suits_fast(Filter), tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest),
         tk::suits_fast(G)});
    choice_3.offer();
    choice_3.candidate(true);  // spectra_general
    choice_3.require(
        {tk::suits_tma_load(Filter), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
         tk::suits_tma_load(Rest)});
    choice_3.offer();
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_fft_conv_tables(site, F, Turn, Rest, static_cast<int32_t>(64),
                                   static_cast<int32_t>(8), static_cast<int32_t>(1)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_fft_conv_tables_general(site, F, Turn, Rest, static_cast<int32_t>(64),
                                           static_cast<int32_t>(8), static_cast<int32_t>(1)));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_levels(site, Filter, Most, Bound, H, LF));
    } else {
        TK_FINISH_IF_FAILED(launch_levels_general(site, Filter, Most, Bound, H, LF));
    }
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_spectra(site, Filter, tk::read_only(F), tk::read_only(Turn), tk::read_only(Rest),
                           tk::read_only(Most), tk::read_only(Bound), G, H, tk::smaller(LF + 64, L),
                           static_cast<float>(1.0f)));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_spectra_general(site, Filter, tk::read_only(F), tk::read_only(Turn),
                                   tk::read_only(Rest), tk::read_only(Most), tk::read_only(Bound),
                                   G, H, tk::smaller(LF + 64, L), static_cast<float>(1.0f)));
    }
    TK_FINISH_IF_FAILED(
        launch_transforms(site, U, tk::read_only(F), tk::read_only(Turn), Z, B, H, L, heads));
    TK_FINISH_IF_FAILED(launch_sums(
        site, tk::read_only(Z), tk::read_only(G), tk::read_only(Bound), tk::read_only(F),
        tk::read_only(Turn), Y, B, H, L, tk::smaller(LF + 64, L), heads));
    return tk::finish({});
}
TK_NO_WORKSPACE(fft_conv_long, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, int32_t)
}  // extern "C"
