// Made by tkc from fft_conv_long_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// filter_sums: kernel filter_sums with CAUSAL = true.
// producer: 1 warp, 56 registers a thread; turn0: 1 warpgroup, 224 registers a thread; turn1: 1
// warpgroup, 224 registers a thread.
// 384 threads, 168 registers each at first, 224304 bytes of shared memory.
struct filter_sums_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_left_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_left_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_minus[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::f16, 64, 64> xs_z_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_z_im[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d0_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d0_im[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d1_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d1_im[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d2_re[2];
    tk::shared_tile<tk::f16, 64, 64> xs_d2_im[2];
    tk::shared_tile<float, 1, 1> xs_w1[2];
    tk::shared_tile<float, 1, 1> xs_w2[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t6[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_t8[1];
    tk::shared_tile<float, 4, 1> turn0_f32_rows_1[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_t7[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_t9[1];
    tk::shared_tile<float, 4, 1> turn1_f32_rows_1[1];
    unsigned char unused[896];
    tk::pipeline<1> fs;
    tk::pipeline<2> xs;
};
static_assert(offsetof(filter_sums_shared, xs) == 224272);

__global__ void __launch_bounds__(384, 1) filter_sums_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap Z_map, const __grid_constant__ CUtensorMap D_map,
    const tk::tensor_argument<float, 4> Part, int B, int H, int L, int LF, int batch) {
    extern __shared__ __align__(1024) unsigned char memory[];
    filter_sums_shared& shared = *reinterpret_cast<filter_sums_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Turn_map, Z_map, D_map);
        shared.fs.init(1, 8);
        shared.xs.init(2, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv_long_backward.tk:39: role producer(1 warp) {
        tk::registers_at_most<56>();
        const int q_tiles = tk::tiles(LF, 128);
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            const bool elected = warp == 8 && tk::elect_one();
            tk::cursor<1> fs_next;
            tk::cursor<2> xs_next_2;
            const int program = blockIdx.x;
            const int q = program % q_tiles * 128;
            const int h = program / q_tiles % H;
            const int p = program / (q_tiles * H);

            // fft_conv_long_backward.tk:29: let blocks = L // 64;
            const int blocks = L / 64;

            // fft_conv_long_backward.tk:40: produce fs {
            shared.fs.wait_empty(fs_next);
            if (elected) shared.fs.expect(fs_next, 57344);

            // fft_conv_long_backward.tk:41: left_re = tma_load(F[2, :, :]); left_im = ..
            if (elected) {
                tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage],
                             2, 0, 0);
                tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage],
                             3, 0, 0);
                tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4,
                             0, 0);
                tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5,
                             0, 0);
            }

            // fft_conv_long_backward.tk:42: minus = tma_load(F[6, :, :]); turn_re = ..
            if (elected) {
                tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage],
                             6, 0, 0);
                tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map,
                             shared.fs.full[fs_next.stage], 0, 0, 0);
                tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map,
                             shared.fs.full[fs_next.stage], 1, 0, 0);
            }
            // fft_conv_long_backward.tk:40
            fs_next.advance();

            // fft_conv_long_backward.tk:44: for b in p * batch..min((p + 1) * batch, B) {
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv_long_backward.tk:45: for i in (if CAUSAL { blocks - 2 * q.index } ..
                for (int i = 0; i < blocks - 2 * (q / 128); i += 1) {
                    // fft_conv_long_backward.tk:46: let k = i + 2 * q.index;
                    const int k = i + 2 * (q / 128);

                    // fft_conv_long_backward.tk:47: let j0 = (if CAUSAL { k } else { k % blocks ..
                    const int j0 = k * 64;

                    // fft_conv_long_backward.tk:48: let j1 = (if CAUSAL { min(k + 1, blocks - 1) ..
                    const int j1 = tk::min(k + 1, blocks - 1) * 64;

                    // fft_conv_long_backward.tk:49: let j2 = (if CAUSAL { min(k + 2, blocks - 1) ..
                    const int j2 = tk::min(k + 2, blocks - 1) * 64;

                    // fft_conv_long_backward.tk:55: w1 = where(CAUSAL and k + 1 >= blocks, 0.0, ..
                    tk::stripe<float, 1, 1, 32, 1, 1> t0;
                    tk::fill(t0, k + 1 >= blocks ? 0.0f : 1.0f);
                    tk::stripe<float, 1, 1, 32, 1, 1> t1;
                    tk::fill(t1, k + 2 >= blocks ? 0.0f : 1.0f);

                    // fft_conv_long_backward.tk:50: produce xs {
                    shared.xs.wait_empty(xs_next_2);
                    if (elected) shared.xs.expect(xs_next_2, 65536);

                    // fft_conv_long_backward.tk:51: z_re = tma_load(Z[0, b, h, i * 64 +: 64, ..
                    if (elected) {
                        tk::tma_load(shared.xs_z_re[xs_next_2.stage], Z_map,
                                     shared.xs.full[xs_next_2.stage], 0, b, h, i * 64, 0);
                        tk::tma_load(shared.xs_z_im[xs_next_2.stage], Z_map,
                                     shared.xs.full[xs_next_2.stage], 1, b, h, i * 64, 0);
                    }

                    // fft_conv_long_backward.tk:52: d0_re = tma_load(D[0, b, h, j0 +: 64, :]); ..
                    if (elected) {
                        tk::tma_load(shared.xs_d0_re[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 0, b, h, j0, 0);
                        tk::tma_load(shared.xs_d0_im[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 1, b, h, j0, 0);
                    }

                    // fft_conv_long_backward.tk:53: d1_re = tma_load(D[0, b, h, j1 +: 64, :]); ..
                    if (elected) {
                        tk::tma_load(shared.xs_d1_re[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 0, b, h, j1, 0);
                        tk::tma_load(shared.xs_d1_im[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 1, b, h, j1, 0);
                    }

                    // fft_conv_long_backward.tk:54: d2_re = tma_load(D[0, b, h, j2 +: 64, :]); ..
                    if (elected) {
                        tk::tma_load(shared.xs_d2_re[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 0, b, h, j2, 0);
                        tk::tma_load(shared.xs_d2_im[xs_next_2.stage], D_map,
                                     shared.xs.full[xs_next_2.stage], 1, b, h, j2, 0);
                    }
                    // fft_conv_long_backward.tk:55
                    tk::store_shared(shared.xs_w1[xs_next_2.stage], t0, thread);
                    tk::store_shared(shared.xs_w2[xs_next_2.stage], t1, thread);
                    // fft_conv_long_backward.tk:50
                    shared.xs.publish(xs_next_2, tk::ordinary_alone{});
                    xs_next_2.advance();
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv_long_backward.tk:60: role turn0(1 warpgroup) {
        tk::registers_at_least<224>();
        const int q_tiles = tk::tiles(LF, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        tk::cursor<2> xs_next_2;
        const int program = blockIdx.x;
        const int q = program % q_tiles * 128;
        const int h = program / q_tiles % H;
        const int p = program / (q_tiles * H);

        // fft_conv_long_backward.tk:29: let blocks = L // 64;
        const int blocks = L / 64;

        // fft_conv_long_backward.tk:61: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long_backward.tk:62: var all: fft_conv.complex = { re = 0, im = 0 };
        tk::fragment<float, 64, 64> all_re;
        tk::zero(all_re);
        tk::fragment<float, 64, 64> all_im;
        tk::zero(all_im);

        // fft_conv_long_backward.tk:63: for b in p * batch..min((p + 1) * batch, B) {
        tk::fragment<tk::f16, 64, 64> y;
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::fragment<tk::f16, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> y_6;
        for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
            // fft_conv_long_backward.tk:64: for i in (if CAUSAL { blocks - 2 * q.index } else { ..
            for (int i = 0; i < blocks - 2 * (q / 128); i += 1) {
                // fft_conv_long_backward.tk:65: let x = consume xs;
                const tk::cursor<2> x = shared.xs.take(xs_next_2);

                // fft_conv_long_backward.tk:66: add_conjugate(inout all, x.z_re, x.z_im, ..
                tk::row_fragment<float, 1> t0;
                tk::load_shared(t0, shared.xs_w1[x.stage], thread);
                const float w1 = t0.cell(0);

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(y, shared.xs_z_re[x.stage], thread);

                // fft_conv_long_backward.tk:13: let a = f32(fft_conv.copied(z_re));
                tk::fragment<float, 64, 64> a = tk::convert<float>(y);
                // fft_conv.tk:26
                tk::load_shared(y_2, shared.xs_z_im[x.stage], thread);

                // fft_conv_long_backward.tk:14: let b = f32(fft_conv.copied(z_im));
                tk::fragment<float, 64, 64> b_2 = tk::convert<float>(y_2);
                // fft_conv.tk:26
                tk::load_shared(y_3, shared.xs_d0_re[x.stage], thread);
                tk::load_shared(y_4, shared.xs_d1_im[x.stage], thread);

                // fft_conv_long_backward.tk:15: let c = fft_conv.copied(x_re) * u + ..
                tk::fragment<float, 64, 64> c;
                tk::map(c, [&](tk::f16 y_3, tk::f16 y_4) {
                    return tk::fma(float(y_3), 1.0f, float(y_4) * w1);
                }, y_3, y_4);
                // fft_conv.tk:26
                tk::load_shared(y_5, shared.xs_d0_im[x.stage], thread);
                tk::load_shared(y_6, shared.xs_d1_re[x.stage], thread);
                shared.xs.release_after_loads(x);

                // fft_conv_long_backward.tk:16: let d = fft_conv.copied(x_im) * u - ..
                tk::fragment<float, 64, 64> d;
                tk::map(d, [&](tk::f16 y_5, tk::f16 y_6) {
                    return tk::fma(float(y_5), 1.0f, -(float(y_6) * w1));
                }, y_5, y_6);

                // fft_conv_long_backward.tk:17: sums.re += a * c;
                tk::map(all_re, [](float all_re, float a, float c) {
                    return tk::fma(a, c, all_re);
                }, all_re, a, c);

                // fft_conv_long_backward.tk:18: sums.re += b * d;
                tk::map(all_re, [](float all_re, float b_2, float d) {
                    return tk::fma(b_2, d, all_re);
                }, all_re, b_2, d);

                // fft_conv_long_backward.tk:19: sums.im += a * d;
                tk::map(all_im, [](float all_im, float a, float d) {
                    return tk::fma(a, d, all_im);
                }, all_im, a, d);

                // fft_conv_long_backward.tk:20: sums.im -= b * c;
                tk::map(all_im, [](float all_im, float b_2, float c) {
                    return tk::fma(-b_2, c, all_im);
                }, all_im, b_2, c);
            }
        }

        // fft_conv_long_backward.tk:69: let most = max(max(max(abs(all.re), abs(all.im)), axis = ..
        tk::fragment<float, 64, 64> t1;
        tk::map(t1, [](float all_re, float all_im) {
            return tk::max(tk::abs(all_re), tk::abs(all_im));
        }, all_re, all_im);
        tk::column_fragment<float, 64> t2;
        tk::fold_rows(t2, t1, tk::maximum{}, thread);
        tk::finish_rows(t2, tk::maximum{});
        tk::row_fragment<float, 1> most;
        tk::reduce_columns(most, t2, shared.turn0_f32_rows_1[0], tk::maximum{}, thread, 2);

        // fft_conv_long_backward.tk:70: let a = where(most > 0, most, 1);
        tk::row_fragment<float, 1> a_2;
        tk::map(a_2, [](float most) { return most > 0.0f ? most : 1.0f; }, most);

        // fft_conv_long_backward.tk:71: let scaled: fft_conv.half = { re = f16(all.re / a), im = ..
        tk::fragment<tk::f16, 64, 64> scaled_re;
        tk::map(scaled_re, [](float all_re, float a_2) { return tk::divide(all_re, a_2); },
                all_re, a_2);
        tk::fragment<tk::f16, 64, 64> scaled_im;
        tk::map(scaled_im, [](float all_im, float a_2) { return tk::divide(all_im, a_2); },
                all_im, a_2);

        // fft_conv.tk:44: var x = mma(z.re, re);
        tk::fragment<float, 64, 64> x_2;
        tk::mma_async(x_2, scaled_re, shared.fs_re[f.stage], tk::accumulate_never{});

        // fft_conv.tk:45: x += mma(z.im, minus);
        tk::mma_async(x_2, scaled_im, shared.fs_im[f.stage]);

        // fft_conv.tk:46: var y = mma(z.re, im);
        tk::fragment<float, 64, 64> y_7;
        tk::mma_async(y_7, scaled_re, shared.fs_minus[f.stage], tk::accumulate_never{});

        // fft_conv.tk:47: y += mma(z.im, re);
        tk::mma_async(y_7, scaled_im, shared.fs_re[f.stage]);
        // fft_conv.tk:26
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::load_shared(a_3, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::load_shared(b_3, shared.fs_turn_im[f.stage], thread);
        tk::mma_wait<0>(x_2, y_7, scaled_re, scaled_im);

        // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, turn_im);
        tk::fragment<tk::f16, 64, 64> t_re;
        tk::map(t_re, [](float x_2, tk::f16 a_3, float y_7, tk::f16 b_3) {
            return tk::fma(x_2, float(a_3), y_7 * float(b_3));
        }, x_2, a_3, y_7, b_3);
        tk::fragment<tk::f16, 64, 64> t_im;
        tk::map(t_im, [](float y_7, tk::f16 a_3, float x_2, tk::f16 b_3) {
            return tk::fma(y_7, float(a_3), -(x_2 * float(b_3)));
        }, y_7, a_3, x_2, b_3);

        // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_t6[0], t_re, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        tk::fragment<float, 64, 64> g;
        tk::mma_async(g, shared.fs_left_re[f.stage], shared.turn0_t6[0], tk::accumulate_never{});

        // fft_conv.tk:62: y += mma(left_im, shared(t.im));
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_t8[0], t_im, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        tk::mma_async(g, shared.fs_left_im[f.stage], shared.turn0_t8[0]);
        tk::mma_wait<0>(g);
        shared.fs.release_after_loads(f, tk::ordinary_alone{});

        // fft_conv_long_backward.tk:73: store(Part[p, h, q.start +: 64, :], g * (a * 64));
        tk::fragment<float, 64, 64> t9;
        tk::map(t9, [](float g, float a_2) { return g * (a_2 * 64.0f); }, g, a_2);
        tk::store_global(tk::slice(Part, {p, h, q, 0}, LF - q, 64), t9, thread);
    } else {
        // fft_conv_long_backward.tk:75: role turn1(1 warpgroup) {
        tk::registers_at_least<224>();
        const int q_tiles = tk::tiles(LF, 128);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        tk::cursor<2> xs_next_2;
        const int program = blockIdx.x;
        const int q = program % q_tiles * 128;
        const int h = program / q_tiles % H;
        const int p = program / (q_tiles * H);

        // fft_conv_long_backward.tk:29: let blocks = L // 64;
        const int blocks = L / 64;

        // fft_conv_long_backward.tk:76: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv_long_backward.tk:77: var all: fft_conv.complex = { re = 0, im = 0 };
        tk::fragment<float, 64, 64> all_re;
        tk::zero(all_re);
        tk::fragment<float, 64, 64> all_im;
        tk::zero(all_im);

        // fft_conv_long_backward.tk:78: for b in p * batch..min((p + 1) * batch, B) {
        tk::fragment<tk::f16, 64, 64> y;
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::fragment<tk::f16, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> y_6;
        for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
            // fft_conv_long_backward.tk:79: for i in (if CAUSAL { blocks - 2 * q.index } else { ..
            for (int i = 0; i < blocks - 2 * (q / 128); i += 1) {
                // fft_conv_long_backward.tk:80: let x = consume xs;
                const tk::cursor<2> x = shared.xs.take(xs_next_2);

                // fft_conv_long_backward.tk:81: add_conjugate(inout all, x.z_re, x.z_im, ..
                tk::row_fragment<float, 1> t0;
                tk::load_shared(t0, shared.xs_w1[x.stage], thread);
                const float w1 = t0.cell(0);
                tk::row_fragment<float, 1> t1;
                tk::load_shared(t1, shared.xs_w2[x.stage], thread);
                const float w2 = t1.cell(0);

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(y, shared.xs_z_re[x.stage], thread);

                // fft_conv_long_backward.tk:13: let a = f32(fft_conv.copied(z_re));
                tk::fragment<float, 64, 64> a = tk::convert<float>(y);
                // fft_conv.tk:26
                tk::load_shared(y_2, shared.xs_z_im[x.stage], thread);

                // fft_conv_long_backward.tk:14: let b = f32(fft_conv.copied(z_im));
                tk::fragment<float, 64, 64> b_2 = tk::convert<float>(y_2);
                // fft_conv.tk:26
                tk::load_shared(y_3, shared.xs_d1_re[x.stage], thread);
                tk::load_shared(y_4, shared.xs_d2_im[x.stage], thread);

                // fft_conv_long_backward.tk:15: let c = fft_conv.copied(x_re) * u + ..
                tk::fragment<float, 64, 64> c;
                tk::map(c, [&](tk::f16 y_3, tk::f16 y_4) {
                    return tk::fma(float(y_3), w1, float(y_4) * w2);
                }, y_3, y_4);
                // fft_conv.tk:26
                tk::load_shared(y_5, shared.xs_d1_im[x.stage], thread);
                tk::load_shared(y_6, shared.xs_d2_re[x.stage], thread);
                shared.xs.release_after_loads(x);

                // fft_conv_long_backward.tk:16: let d = fft_conv.copied(x_im) * u - ..
                tk::fragment<float, 64, 64> d;
                tk::map(d, [&](tk::f16 y_5, tk::f16 y_6) {
                    return tk::fma(float(y_5), w1, -(float(y_6) * w2));
                }, y_5, y_6);

                // fft_conv_long_backward.tk:17: sums.re += a * c;
                tk::map(all_re, [](float all_re, float a, float c) {
                    return tk::fma(a, c, all_re);
                }, all_re, a, c);

                // fft_conv_long_backward.tk:18: sums.re += b * d;
                tk::map(all_re, [](float all_re, float b_2, float d) {
                    return tk::fma(b_2, d, all_re);
                }, all_re, b_2, d);

                // fft_conv_long_backward.tk:19: sums.im += a * d;
                tk::map(all_im, [](float all_im, float a, float d) {
                    return tk::fma(a, d, all_im);
                }, all_im, a, d);

                // fft_conv_long_backward.tk:20: sums.im -= b * c;
                tk::map(all_im, [](float all_im, float b_2, float c) {
                    return tk::fma(-b_2, c, all_im);
                }, all_im, b_2, c);
            }
        }

        // fft_conv_long_backward.tk:84: let most = max(max(max(abs(all.re), abs(all.im)), axis = ..
        tk::fragment<float, 64, 64> t2;
        tk::map(t2, [](float all_re, float all_im) {
            return tk::max(tk::abs(all_re), tk::abs(all_im));
        }, all_re, all_im);
        tk::column_fragment<float, 64> t3;
        tk::fold_rows(t3, t2, tk::maximum{}, thread);
        tk::finish_rows(t3, tk::maximum{});
        tk::row_fragment<float, 1> most;
        tk::reduce_columns(most, t3, shared.turn1_f32_rows_1[0], tk::maximum{}, thread, 4);

        // fft_conv_long_backward.tk:85: let a = where(most > 0, most, 1);
        tk::row_fragment<float, 1> a_2;
        tk::map(a_2, [](float most) { return most > 0.0f ? most : 1.0f; }, most);

        // fft_conv_long_backward.tk:86: let scaled: fft_conv.half = { re = f16(all.re / a), im = ..
        tk::fragment<tk::f16, 64, 64> scaled_re;
        tk::map(scaled_re, [](float all_re, float a_2) { return tk::divide(all_re, a_2); },
                all_re, a_2);
        tk::fragment<tk::f16, 64, 64> scaled_im;
        tk::map(scaled_im, [](float all_im, float a_2) { return tk::divide(all_im, a_2); },
                all_im, a_2);

        // fft_conv.tk:44: var x = mma(z.re, re);
        tk::fragment<float, 64, 64> x_2;
        tk::mma_async(x_2, scaled_re, shared.fs_re[f.stage], tk::accumulate_never{});

        // fft_conv.tk:45: x += mma(z.im, minus);
        tk::mma_async(x_2, scaled_im, shared.fs_im[f.stage]);

        // fft_conv.tk:46: var y = mma(z.re, im);
        tk::fragment<float, 64, 64> y_7;
        tk::mma_async(y_7, scaled_re, shared.fs_minus[f.stage], tk::accumulate_never{});

        // fft_conv.tk:47: y += mma(z.im, re);
        tk::mma_async(y_7, scaled_im, shared.fs_re[f.stage]);
        // fft_conv.tk:26
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::load_shared(a_3, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::load_shared(b_3, shared.fs_turn_im[f.stage], thread);
        tk::mma_wait<0>(x_2, y_7, scaled_re, scaled_im);

        // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, turn_im);
        tk::fragment<tk::f16, 64, 64> t_re;
        tk::map(t_re, [](float x_2, tk::f16 a_3, float y_7, tk::f16 b_3) {
            return tk::fma(x_2, float(a_3), y_7 * float(b_3));
        }, x_2, a_3, y_7, b_3);
        tk::fragment<tk::f16, 64, 64> t_im;
        tk::map(t_im, [](float y_7, tk::f16 a_3, float x_2, tk::f16 b_3) {
            return tk::fma(y_7, float(a_3), -(x_2 * float(b_3)));
        }, y_7, a_3, x_2, b_3);

        // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_t7[0], t_re, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        tk::fragment<float, 64, 64> g;
        tk::mma_async(g, shared.fs_left_re[f.stage], shared.turn1_t7[0], tk::accumulate_never{});

        // fft_conv.tk:62: y += mma(left_im, shared(t.im));
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_t9[0], t_im, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        tk::mma_async(g, shared.fs_left_im[f.stage], shared.turn1_t9[0]);
        tk::mma_wait<0>(g);
        shared.fs.release_after_loads(f, tk::ordinary_alone{});

        // fft_conv_long_backward.tk:88: store(Part[p, h, q.start + 64 +: 64, :], g * (a * 64));
        tk::fragment<float, 64, 64> t10;
        tk::map(t10, [](float g, float a_2) { return g * (a_2 * 64.0f); }, g, a_2);
        tk::store_global(tk::slice(Part, {p, h, q + 64, 0}, LF - (q + 64), 64), t10, thread);
    }
}

// sums_of_parts: kernel sums_of_parts.
// 128 threads, 48 registers each.
__global__ void __launch_bounds__(128, 10) sums_of_parts_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 3> Sum, int P,
    int H, int L) {
    tk::wait_for_previous_kernel();

    const int r_tiles = tk::tiles(L, 16);

    // fft_conv_long_backward.tk:92: kernel sums_of_parts(Part: f32[P, H, L, 64], out Sum: f32[H, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % r_tiles * 16;
    const int h = program / r_tiles;

    // fft_conv_long_backward.tk:95: var total: f32[16, 64] = 0;
    tk::stripe<float, 16, 64, 128, 16, 4> total;
    tk::zero(total);

    // fft_conv_long_backward.tk:96: for p in P pipelined(2) { total += load(Part[p, h, r, :]); }
    #pragma unroll 2
    for (int p = 0; p < P; p += 1) {
        tk::stripe<float, 16, 64, 128, 16, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(Part, {p, h, r, 0}, L - r, 64), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // fft_conv_long_backward.tk:97: store(Sum[h, r, :], total);
    tk::store_vectors(tk::dense_slice(Sum, {h, r, 0}, L - r, 64), total, thread);
}

// sums_of_parts_general: kernel sums_of_parts; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) sums_of_parts_general_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 3> Sum, int P,
    int H, int L) {
    tk::wait_for_previous_kernel();

    const int r_tiles = tk::tiles(L, 16);

    // fft_conv_long_backward.tk:92: kernel sums_of_parts(Part: f32[P, H, L, 64], out Sum: f32[H, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % r_tiles * 16;
    const int h = program / r_tiles;

    // fft_conv_long_backward.tk:95: var total: f32[16, 64] = 0;
    tk::stripe<float, 16, 64, 128, 32, 2> total;
    tk::zero(total);

    // fft_conv_long_backward.tk:96: for p in P pipelined(2) { total += load(Part[p, h, r, :]); }
    for (int p = 0; p < P; p += 1) {
        tk::stripe<float, 16, 64, 128, 32, 2> t0;
        tk::load_global(t0, tk::slice(Part, {p, h, r, 0}, L - r, 64), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // fft_conv_long_backward.tk:97: store(Sum[h, r, :], total);
    tk::store_global(tk::slice(Sum, {h, r, 0}, L - r, 64), total, thread);
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

// fft_conv_long_levels: kernel fft_conv_long.levels.
// 128 threads, 96 registers each, 1024 bytes of shared memory.
struct fft_conv_long_levels_shared {
    tk::shared_tile<float, 4, 64> levels_f32_rows_64[1];
};

__global__ void __launch_bounds__(128, 5) fft_conv_long_levels_kernel(
    const tk::tensor_argument<const float, 3> Filter, const tk::tensor_argument<float, 1> Most,
    const tk::tensor_argument<float, 1> Bound, int H, int LF) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_levels_shared& shared = *reinterpret_cast<fft_conv_long_levels_shared*>(memory);

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

// fft_conv_long_levels_general: kernel fft_conv_long.levels; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct fft_conv_long_levels_general_shared {
    tk::shared_tile<float, 4, 64> levels_f32_rows_64[1];
};

__global__ void __launch_bounds__(128, 1) fft_conv_long_levels_general_kernel(
    const tk::tensor_argument<const float, 3> Filter, const tk::tensor_argument<float, 1> Most,
    const tk::tensor_argument<float, 1> Bound, int H, int LF) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_levels_general_shared& shared =
        *reinterpret_cast<fft_conv_long_levels_general_shared*>(memory);

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

// fft_conv_long_spectra_CAUSAL_true: kernel fft_conv_long.spectra with CAUSAL = true.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 229408 bytes of shared memory.
struct fft_conv_long_spectra_CAUSAL_true_shared {
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
static_assert(offsetof(fft_conv_long_spectra_CAUSAL_true_shared, hs) == 229392);

__global__ void __launch_bounds__(384, 1) fft_conv_long_spectra_CAUSAL_true_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const __grid_constant__ CUtensorMap G_map, const tk::tensor_argument<const float, 1> Most,
    const tk::tensor_argument<const float, 1> Bound, int H, int LG, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_spectra_CAUSAL_true_shared& shared =
        *reinterpret_cast<fft_conv_long_spectra_CAUSAL_true_shared*>(memory);

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

// fft_conv_long_spectra_CAUSAL_true_general: kernel fft_conv_long.spectra with CAUSAL = true; any
// strides and alignment.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 213024 bytes of shared memory.
struct fft_conv_long_spectra_CAUSAL_true_general_shared {
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
static_assert(offsetof(fft_conv_long_spectra_CAUSAL_true_general_shared, hs) == 213008);

__global__ void __launch_bounds__(384, 1) fft_conv_long_spectra_CAUSAL_true_general_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const tk::tensor_argument<const float, 1> Most, const tk::tensor_argument<const float, 1> Bound,
    const tk::tensor_argument<tk::f16, 4> G, int H, int LG, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_spectra_CAUSAL_true_general_shared& shared =
        *reinterpret_cast<fft_conv_long_spectra_CAUSAL_true_general_shared*>(memory);

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

// fft_conv_long_transforms_T_bf16_GATE_IN_false: kernel fft_conv_long.transforms with T = bf16,
// GATE_IN = false.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 139344 bytes of shared memory.
struct fft_conv_long_transforms_T_bf16_GATE_IN_false_shared {
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
static_assert(offsetof(fft_conv_long_transforms_T_bf16_GATE_IN_false_shared, us1) == 139312);

__global__ void __launch_bounds__(384, 1) fft_conv_long_transforms_T_bf16_GATE_IN_false_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap U_map, const __grid_constant__ CUtensorMap Z_map, int B,
    int H, int L, int heads) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_transforms_T_bf16_GATE_IN_false_shared& shared =
        *reinterpret_cast<fft_conv_long_transforms_T_bf16_GATE_IN_false_shared*>(memory);

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

// fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false: kernel
// fft_conv_long.sums with T = bf16, CAUSAL = true, BACK = true, GATE_OUT = false, NEIGHBOURS =
// false, J = 1.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 229424 bytes of shared memory.
struct fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_shared {
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
static_assert(offsetof(
                  fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_shared,
                  xs) == 229392);

__global__ void __launch_bounds__(384, 1) fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap Z_map,
    const __grid_constant__ CUtensorMap Y_map, const tk::tensor_argument<const float, 1> Bound,
    int B, int H, int L, int LG, int heads) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_shared& shared =
        *reinterpret_cast<fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_shared*>(
        memory);

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
                    for (int i = q; i < tk::min(q + reach, blocks); i += 1) {
                        // fft_conv_long.tk:193: let d0 = min((2 * blocks + (if BACK { i - q * J ..
                        const int d0 = tk::min(tk::remainder(2 * blocks + (i - q), blocks),
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
                for (int i = q; i < tk::min(q + reach, blocks); i += 1) {
                    // fft_conv_long.tk:221: let x = consume xs;
                    const tk::cursor<2> x = shared.xs.take(xs_next);

                    // fft_conv_long.tk:222: if not CAUSAL or (if BACK { i < q * J + reach } else ..
                    if (i < q + reach) {
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
                for (int i = q; i < tk::min(q + reach, blocks); i += 1) {
                    // fft_conv_long.tk:238: let x = consume xs;
                    const tk::cursor<2> x = shared.xs.take(xs_next);

                    // fft_conv_long.tk:239: if not CAUSAL or (if BACK { i >= q * J + J - 1 } ..
                    if (i >= q) {
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

tk::status launch_fft_conv_long_levels(const tk::launch_site& site, const tk::tensor& Filter,
                                       const tk::tensor& Most, const tk::tensor& Bound, int64_t H,
                                       int64_t LF) {
    return tk::run<fft_conv_long_levels_kernel>(site, sizeof(fft_conv_long_levels_shared),
                                                tk::kernel_shape(128).overlapping(), H, Filter,
                                                Most, Bound, H, LF);
}

tk::status launch_fft_conv_long_levels_general(const tk::launch_site& site,
                                               const tk::tensor& Filter, const tk::tensor& Most,
                                               const tk::tensor& Bound, int64_t H, int64_t LF) {
    return tk::run<fft_conv_long_levels_general_kernel>(
        site, sizeof(fft_conv_long_levels_general_shared), tk::kernel_shape(128).overlapping(), H,
        Filter, Most, Bound, H, LF);
}

tk::status launch_fft_conv_long_spectra_CAUSAL_true(
    const tk::launch_site& site, const tk::tensor& Filter, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Rest, const tk::tensor& Most, const tk::tensor& Bound,
    const tk::tensor& G, int64_t H, int64_t LG, float sign) {
    return tk::run<fft_conv_long_spectra_CAUSAL_true_kernel>(
        site, sizeof(fft_conv_long_spectra_CAUSAL_true_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::ceil_div(LG, 128), H), tk::box{F, {1, 64, 64}, 128},
        tk::box{Rest, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{Filter, {1, 64, 32}, 128}, tk::box{G, {1, 1, 64, 64}, 128}, Most, Bound, H, LG,
        sign);
}

tk::status launch_fft_conv_long_spectra_CAUSAL_true_general(
    const tk::launch_site& site, const tk::tensor& Filter, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Rest, const tk::tensor& Most, const tk::tensor& Bound,
    const tk::tensor& G, int64_t H, int64_t LG, float sign) {
    return tk::run<fft_conv_long_spectra_CAUSAL_true_general_kernel>(
        site, sizeof(fft_conv_long_spectra_CAUSAL_true_general_shared),
        tk::kernel_shape(384).overlapping(), tk::multiply(tk::ceil_div(LG, 128), H),
        tk::box{F, {1, 64, 64}, 128}, tk::box{Rest, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Filter, {1, 64, 32}, 128}, Most, Bound, G, H, LG,
        sign);
}

tk::status launch_fft_conv_long_transforms_T_bf16_GATE_IN_false(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& F, const tk::tensor& Turn,
    const tk::tensor& Z, int64_t B, int64_t H, int64_t L, int32_t heads) {
    return tk::run<fft_conv_long_transforms_T_bf16_GATE_IN_false_kernel>(
        site, sizeof(fft_conv_long_transforms_T_bf16_GATE_IN_false_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0), B),
        tk::box{F, {1, 64, 64}, 128}, tk::box{Turn, {1, 64, 64}, 128},
        tk::box{U, {1, 1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128}, B, H, L, heads);
}

tk::status launch_fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false(
    const tk::launch_site& site, const tk::tensor& Z, const tk::tensor& G, const tk::tensor& Bound,
    const tk::tensor& F, const tk::tensor& Turn, const tk::tensor& Y, int64_t B, int64_t H,
    int64_t L, int64_t LG, int32_t heads) {
    return tk::run<fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_kernel>(
        site,
        sizeof(
            fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                     tk::larger(tk::ceil_div(B, 2), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{G, {1, 1, 64, 64}, 128},
        tk::box{Z, {1, 1, 1, 64, 64}, 128}, tk::box{Y, {1, 1, 64, 64}, 128}, Bound, B, H, L, LG,
        heads);
}

tk::status launch_filter_sums(const tk::launch_site& site, const tk::tensor& Z, const tk::tensor& D,
                              const tk::tensor& F, const tk::tensor& Turn, const tk::tensor& Part,
                              int64_t B, int64_t H, int64_t L, int64_t LF, int32_t batch) {
    return tk::run<filter_sums_kernel>(
        site, sizeof(filter_sums_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(LF, 128), H),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128},
        tk::box{D, {1, 1, 1, 64, 64}, 128}, Part, B, H, L, LF, batch);
}

tk::status launch_sums_of_parts(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& Sum, int64_t P, int64_t H, int64_t L) {
    return tk::run<sums_of_parts_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                         tk::multiply(tk::ceil_div(L, 16), H), Part, Sum, P, H, L);
}

tk::status launch_sums_of_parts_general(const tk::launch_site& site, const tk::tensor& Part,
                                        const tk::tensor& Sum, int64_t P, int64_t H, int64_t L) {
    return tk::run<sums_of_parts_general_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                                 tk::multiply(tk::ceil_div(L, 16), H), Part, Sum, P,
                                                 H, L);
}

}  // namespace

extern "C" {
int filter_sums(const DLTensor* Z_given, const DLTensor* D_given, const DLTensor* F_given,
                const DLTensor* Turn_given, DLTensor* Part_given, int32_t batch, void*, size_t,
                cudaStream_t stream) {
    tk::arguments call{"filter_sums"};
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_f16, 5, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f16, 5, tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Z.shape[1];
    const int64_t H = Z.shape[2];
    const int64_t L = Z.shape[3];
    const int64_t LF = Part.shape[2];
    call.require({
        tk::fixed_extent(Z, 0, 2), tk::fixed_extent(Z, 4, 64), tk::fixed_extent(D, 0, 2),
        tk::same_extent("B", Z, 1, D, 1), tk::same_extent("H", Z, 2, D, 2),
        tk::same_extent("L", Z, 3, D, 3), tk::fixed_extent(D, 4, 64), tk::fixed_extent(F, 0, 7),
        tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2),
        tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
        tk::same_extent("H", Z, 2, Part, 1), tk::fixed_extent(Part, 3, 64),
        tk::extents_fit({{"B", B}, {"H", H}, {"L", L}, {"LF", LF}}),
        tk::that(1 <= int64_t{batch},
                 "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                 {int64_t{batch}}),
        tk::that(Part.shape[0] == tk::ceil_div(B, int64_t{batch}),
                 "axis 0 of `Part` is {}; it must be `ceil_div(B, batch)`, which is {}",
                 {Part.shape[0], tk::ceil_div(B, int64_t{batch})}),
        tk::that(int64_t{batch} > 0, "`filter_sums` requires `batch > 0`"),
        tk::that(L >= 64, "`filter_sums` requires `L >= 64`"),
        tk::that(L % 64 == 0, "`filter_sums` requires `L % 64 == 0`"),
        tk::that(LF % 64 == 0, "`filter_sums` requires `LF % 64 == 0`"),
        tk::that(LF <= L, "`filter_sums` requires `LF <= L`"),
        tk::that(0 < int64_t{batch}, "`batch` is at least 1, because `filter_sums` divides by it"),
        tk::suits_tma_load(Z), tk::suits_tma_load(D), tk::suits_tma_load(F),
        tk::suits_tma_load(Turn), tk::grid_fits(tk::multiply(tk::ceil_div(LF, 128), H), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(LF, 128), H),
                         tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), 2147483648),
        tk::fits("p*batch",
                 tk::larger(0, tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1, int64_t{batch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1, int64_t{batch})),
                 "`p*batch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1,
                                              int64_t{batch}))}),
        tk::fits("(p + 1)*batch",
                 tk::larger(int64_t{batch},
                            tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1, int64_t{batch}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{batch},
                             tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1, int64_t{batch})),
                 "`(p + 1)*batch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{batch},
                                 tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1,
                                              int64_t{batch}))}),
        tk::fits("k*64", (tk::floor_div(L, 64) - 1 + 2 * tk::floor_div(LF - 1, 128)) * 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<filter_sums_kernel>(
        site, sizeof(filter_sums_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(LF, 128), H),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Z, {1, 1, 1, 64, 64}, 128},
        tk::box{D, {1, 1, 1, 64, 64}, 128}, Part, B, H, L, LF, batch));
}
TK_NO_WORKSPACE(filter_sums, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, int32_t)

int sums_of_parts(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"sums_of_parts"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    const int64_t H = Part.shape[1];
    const int64_t L = Part.shape[2];
    call.require(
        {tk::fixed_extent(Part, 3, 64), tk::same_extent("H", Part, 1, Sum, 0),
         tk::same_extent("L", Part, 2, Sum, 1), tk::fixed_extent(Sum, 2, 64),
         tk::extents_fit({{"P", P}, {"H", H}, {"L", L}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(L, 16), H), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(L, 16), H);
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(Sum)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<sums_of_parts_kernel, sums_of_parts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Part, Sum, P, H, L));
}
TK_NO_WORKSPACE(sums_of_parts, const DLTensor*, DLTensor*)

int fft_conv_long_backward(const DLTensor* U_given, const DLTensor* Filter_given,
                           const DLTensor* GateIn_given, const DLTensor* GateOut_given,
                           const DLTensor* dY_given, DLTensor* dU_given, DLTensor* dFilter_given,
                           DLTensor* F_given, DLTensor* Turn_given, DLTensor* Rest_given,
                           DLTensor* G_given, DLTensor* Most_given, DLTensor* Bound_given,
                           DLTensor* Z_given, DLTensor* D_given, DLTensor* Part_given,
                           int32_t heads, int32_t batch, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"fft_conv_long_backward"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 4,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dFilter = call.take("dFilter", dFilter_given, tk::dtype_f32, 3,
                                         tk::access::write);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Bound = call.take("Bound", Bound_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_f16, 5, tk::access::write);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f16, 5, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
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
         tk::fixed_extent(GateOut, 3, 64), tk::same_extent("B", U, 0, dY, 0),
         tk::same_extent("H", U, 1, dY, 1), tk::same_extent("L", U, 2, dY, 2),
         tk::fixed_extent(dY, 3, 64), tk::same_extent("B", U, 0, dU, 0),
         tk::same_extent("H", U, 1, dU, 1), tk::same_extent("L", U, 2, dU, 2),
         tk::fixed_extent(dU, 3, 64), tk::same_extent("H", U, 1, dFilter, 0),
         tk::same_extent("LF", Filter, 1, dFilter, 1), tk::fixed_extent(dFilter, 2, 64),
         tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64),
         tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
         tk::fixed_extent(Rest, 0, 6), tk::fixed_extent(Rest, 1, 64), tk::fixed_extent(Rest, 2, 64),
         tk::fixed_extent(G, 0, 2), tk::same_extent("H", U, 1, G, 1), tk::fixed_extent(G, 3, 64),
         tk::same_extent("H", U, 1, Most, 0), tk::same_extent("H", U, 1, Bound, 0),
         tk::fixed_extent(Z, 0, 2), tk::same_extent("B", U, 0, Z, 1),
         tk::same_extent("H", U, 1, Z, 2), tk::same_extent("L", U, 2, Z, 3),
         tk::fixed_extent(Z, 4, 64), tk::fixed_extent(D, 0, 2), tk::same_extent("B", U, 0, D, 1),
         tk::same_extent("H", U, 1, D, 2), tk::same_extent("L", U, 2, D, 3),
         tk::fixed_extent(D, 4, 64), tk::same_extent("H", U, 1, Part, 1),
         tk::same_extent("LF", Filter, 1, Part, 2), tk::fixed_extent(Part, 3, 64),
         tk::extents_fit({{"B", B}, {"H", H}, {"L", L}, {"LF", LF}, {"BI", BI}, {"BO", BO}}),
         tk::that(G.shape[2] == tk::smaller(LF + 64, L),
                  "axis 2 of `G` is {}; it must be `min(LF + 64, L)`, which is {}",
                  {G.shape[2], tk::smaller(LF + 64, L)}),
         tk::that(1 <= int64_t{batch},
                  "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                  {int64_t{batch}}),
         tk::that(Part.shape[0] == tk::ceil_div(B, int64_t{batch}),
                  "axis 0 of `Part` is {}; it must be `ceil_div(B, batch)`, which is {}",
                  {Part.shape[0], tk::ceil_div(B, int64_t{batch})}),
         tk::that(int64_t{heads} > 0, "`fft_conv_long_backward` requires `heads > 0`"),
         tk::that(int64_t{batch} > 0, "`fft_conv_long_backward` requires `batch > 0`"),
         tk::that(L >= 64, "`fft_conv_long_backward` requires `L >= 64`"),
         tk::that(L % 64 == 0, "`fft_conv_long_backward` requires `L % 64 == 0`"),
         tk::that(LF >= 64, "`fft_conv_long_backward` requires `LF >= 64`"),
         tk::that(LF % 64 == 0, "`fft_conv_long_backward` requires `LF % 64 == 0`"),
         tk::that(LF <= L,
                  "`fft_conv_long_backward` requires `if CAUSAL { LF <= L } else { LF == L }`"),
         tk::that(0 < int64_t{batch},
                  "`batch` is at least 1, because `fft_conv_long_backward` divides by it")});
    // fft_conv_long.spectra(Filter, F, Turn, Rest, Most, Bound, G, -1.0)
    call.require({
        tk::that(tk::smaller(LF + 64, L) < 2147221504,
                 "`min(LF + 64, L)` is {}; extents must be less than 2147221504",
                 {tk::smaller(LF + 64, L)}),
        tk::that(tk::smaller(LF + 64, L) % 64 == 0,
                 "`spectra` requires `(min(LF + 64, L)) % 64 == 0`"),
        tk::that(tk::smaller(LF + 64, L) >= LF, "`spectra` requires `(min(LF + 64, L)) >= LF`"),
        tk::grid_fits(tk::multiply(tk::ceil_div(tk::smaller(LF + 64, L), 128), H), 2147483648)});
    // fft_conv_long.transforms(U, GateIn, F, Turn, Z, heads)
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
    // fft_conv_long.transforms(dY, GateOut, F, Turn, D, heads)
    call.require({tk::suits_tma_load(dY), tk::suits_tma_store(D)});
    // fft_conv_long.sums(D, G, Bound, GateIn, F, Turn, dU, heads)
    call.require(
        {tk::that(tk::smaller(LF + 64, L) >= 64, "`sums` requires `(min(LF + 64, L)) >= 64`"),
         tk::that(tk::smaller(LF + 64, L) <= L,
                  "`sums` requires `if CAUSAL { (min(LF + 64, L)) <= L } else { (min(LF + 64, L)) == L }`"),
         tk::that(0 < tk::floor_div(L, 64), "`L/64` is at least 1, because `sums` divides by it"),
         tk::suits_tma_load(G), tk::suits_tma_store(dU),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(H, int64_t{heads}), 0),
                          tk::larger(tk::ceil_div(B, 2), 0)), 2147483648),
         tk::that(1 <= tk::floor_div(L, 64),
                  "`(2*blocks + (i - q))%blocks` divides by `blocks`, which is {}: it must be at least 1",
                  {tk::floor_div(L, 64)})});
    // filter_sums(Z, D, F, Turn, Part, batch)
    call.require({
        tk::grid_fits(tk::multiply(tk::ceil_div(LF, 128), H), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(LF, 128), H),
                         tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), 2147483648),
        tk::fits("p*batch",
                 tk::larger(0, tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1, int64_t{batch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1, int64_t{batch})),
                 "`p*batch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1,
                                              int64_t{batch}))}),
        tk::fits("(p + 1)*batch",
                 tk::larger(int64_t{batch},
                            tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1, int64_t{batch}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{batch},
                             tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1, int64_t{batch})),
                 "`(p + 1)*batch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{batch},
                                 tk::multiply(tk::ceil_div(B, int64_t{batch}) - 1 + 1,
                                              int64_t{batch}))}),
        tk::fits("k*64", (tk::floor_div(L, 64) - 1 + 2 * tk::floor_div(LF - 1, 128)) * 64)});
    // sums_of_parts(Part, dFilter)
    call.require({
        tk::that(tk::ceil_div(B, int64_t{batch}) < 2147221504,
                 "`ceil_div(B, batch)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(B, int64_t{batch})}),
        tk::grid_fits(tk::multiply(tk::ceil_div(LF, 16), H), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // fft_conv.tables(F, Turn, Rest, 64, 8, 1)
    const bool choice_1 = tk::hold({tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest)});

    // fft_conv_long.levels(Filter, Most, Bound)
    const bool choice_2 = tk::hold({tk::suits_fast(Filter)});

    // fft_conv_long.spectra(Filter, F, Turn, Rest, Most, Bound, G, -1.0)
    tk::selection choice_3{call};
    choice_3.candidate();  // fft_conv_long_spectra_CAUSAL_true
    choice_3.prefer(
        {tk::suits_fast(Filter), tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest),
         tk::suits_fast(G)});
    choice_3.offer();
    choice_3.candidate(true);  // fft_conv_long_spectra_CAUSAL_true_general
    choice_3.require(
        {tk::suits_tma_load(Filter), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
         tk::suits_tma_load(Rest)});
    choice_3.offer();
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    // sums_of_parts(Part, dFilter)
    const bool choice_8 = tk::hold({tk::suits_fast(Part), tk::suits_fast(dFilter)});

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
        TK_FINISH_IF_FAILED(launch_fft_conv_long_levels(site, Filter, Most, Bound, H, LF));
    } else {
        TK_FINISH_IF_FAILED(launch_fft_conv_long_levels_general(site, Filter, Most, Bound, H, LF));
    }
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_fft_conv_long_spectra_CAUSAL_true(
            site, Filter, tk::read_only(F), tk::read_only(Turn), tk::read_only(Rest),
            tk::read_only(Most), tk::read_only(Bound), G, H, tk::smaller(LF + 64, L),
            static_cast<float>(-1.0f)));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_fft_conv_long_spectra_CAUSAL_true_general(
            site, Filter, tk::read_only(F), tk::read_only(Turn), tk::read_only(Rest),
            tk::read_only(Most), tk::read_only(Bound), G, H, tk::smaller(LF + 64, L),
            static_cast<float>(-1.0f)));
    }
    TK_FINISH_IF_FAILED(launch_fft_conv_long_transforms_T_bf16_GATE_IN_false(
        site, U, tk::read_only(F), tk::read_only(Turn), Z, B, H, L, heads));
    TK_FINISH_IF_FAILED(launch_fft_conv_long_transforms_T_bf16_GATE_IN_false(
        site, dY, tk::read_only(F), tk::read_only(Turn), D, B, H, L, heads));
    TK_FINISH_IF_FAILED(
        launch_fft_conv_long_sums_T_bf16_CAUSAL_true_BACK_true_GATE_OUT_false_NEIGHBOURS_false(
            site, tk::read_only(D), tk::read_only(G), tk::read_only(Bound), tk::read_only(F),
            tk::read_only(Turn), dU, B, H, L, tk::smaller(LF + 64, L), heads));
    TK_FINISH_IF_FAILED(
        launch_filter_sums(site, tk::read_only(Z), tk::read_only(D), tk::read_only(F),
                           tk::read_only(Turn), Part, B, H, L, LF, batch));
    if (choice_8) {
        TK_FINISH_IF_FAILED(launch_sums_of_parts(
            site, tk::read_only(Part), dFilter, tk::ceil_div(B, int64_t{batch}), H, LF));
    } else {
        TK_FINISH_IF_FAILED(launch_sums_of_parts_general(
            site, tk::read_only(Part), dFilter, tk::ceil_div(B, int64_t{batch}), H, LF));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(fft_conv_long_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t)
}  // extern "C"
