// Made by tkc from fft_conv_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/exchange.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// filter_gradients: kernel filter_gradients with T = bf16, GATE_IN = false, GATE_OUT = false.
// producer0: 1 warp, 24 registers a thread; producer1: 1 warp, 24 registers a thread; turn0: 1
// warpgroup, 240 registers a thread; turn1: 1 warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 231488 bytes of shared memory.
struct filter_gradients_shared {
    tk::shared_tile<tk::f16, 64, 64> ls_re[1];
    tk::shared_tile<tk::f16, 64, 64> ls_im[1];
    tk::shared_tile<tk::f16, 64, 64> ls_back_re[1];
    tk::shared_tile<tk::f16, 64, 64> ls_back_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_minus[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::bf16, 64, 64> us0_u[1];
    tk::shared_tile<tk::bf16, 64, 64> us0_d[1];
    tk::shared_tile<tk::bf16, 64, 64> us1_u[1];
    tk::shared_tile<tk::bf16, 64, 64> us1_d[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_x[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_y[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_zr[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_zi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_t36[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t38[2];
    tk::shared_tile<int, 1, 128> turn0_turned[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_x[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_y[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_zr[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_zi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_t36[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_t38[1];
    tk::shared_tile<int, 1, 128> turn1_turned[1];
    unsigned char unused[512];
    tk::pipeline<1> ls;
    tk::pipeline<1> fs;
    tk::pipeline<1> us0;
    tk::pipeline<1> us1;
};
static_assert(offsetof(filter_gradients_shared, us1) == 231472);

__global__ void __launch_bounds__(384, 1) filter_gradients_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap U_map, const __grid_constant__ CUtensorMap dY_map,
    const tk::tensor_argument<float, 3> Part, int B, int R, int n1, int root, int tiles,
    int batch) {
    extern __shared__ __align__(1024) unsigned char memory[];
    filter_gradients_shared& shared = *reinterpret_cast<filter_gradients_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Turn_map, U_map, dY_map);
        shared.ls.init(1, 8);
        shared.fs.init(1, 8);
        shared.us0.init(1, 4);
        shared.us1.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        // fft_conv_backward.tk:31: role producer0(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, ls_next, us0_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv_backward.tk:32: produce ls { re = tma_load(F[0, :, :]); im = ..
            shared.ls.begin(ls_next, 32768);
            tk::tma_load(shared.ls_re[ls_next.stage], F_map, shared.ls.full[ls_next.stage], 0, 0,
                         0);
            tk::tma_load(shared.ls_im[ls_next.stage], F_map, shared.ls.full[ls_next.stage], 1, 0,
                         0);
            tk::tma_load(shared.ls_back_re[ls_next.stage], F_map, shared.ls.full[ls_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.ls_back_im[ls_next.stage], F_map, shared.ls.full[ls_next.stage], 3,
                         0, 0);
            ls_next.advance();

            // fft_conv_backward.tk:33: produce fs {
            shared.fs.begin(fs_next, 40960);

            // fft_conv_backward.tk:34: re = tma_load(F[4, :, :]); im = tma_load(F[5, :, :]); ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 6, 0,
                         0);

            // fft_conv_backward.tk:35: turn_re = tma_load(Turn[0, :, :]); turn_im = ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            // fft_conv_backward.tk:33
            fs_next.advance();

            // fft_conv_backward.tk:37: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv_backward.tk:38: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv_backward.tk:39: produce us0 { u = tma_load(U[b, 2 * r.start +: ..
                    shared.us0.begin(us0_next, 16384);
                    tk::tma_load(shared.us0_u[us0_next.stage], U_map,
                                 shared.us0.full[us0_next.stage], b, 2 * r, 0);
                    tk::tma_load(shared.us0_d[us0_next.stage], dY_map,
                                 shared.us0.full[us0_next.stage], b, 2 * r, 0);
                    us0_next.advance();
                }
            }
        }
        // fft_conv_backward.tk:45: role producer1(1 warp) {
        if (warp == 9 && tk::elect_one()) {
            tk::cursor<1> us1_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv_backward.tk:46: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv_backward.tk:47: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv_backward.tk:48: produce us1 { u = tma_load(U[b, 2 * r.start + 64 ..
                    shared.us1.begin(us1_next, 16384);
                    tk::tma_load(shared.us1_u[us1_next.stage], U_map,
                                 shared.us1.full[us1_next.stage], b, 2 * r + 64, 0);
                    tk::tma_load(shared.us1_d[us1_next.stage], dY_map,
                                 shared.us1.full[us1_next.stage], b, 2 * r + 64, 0);
                    us1_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv_backward.tk:54: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> ls_next, us0_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv_backward.tk:29: let size = f32(8 * root * root * root) / f32(n1);
        const float size = tk::divide(float(8 * root * root * root), float(n1));

        // fft_conv_backward.tk:55: let s = consume ls;
        const tk::cursor<1> s = shared.ls.take(ls_next);

        // fft_conv_backward.tk:56: let f = consume fs;
        shared.fs.wait_full(s);

        // fft_conv_backward.tk:57: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<float, 64, 64> d;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> z_re_2;
        tk::fragment<float, 64, 64> z_im_2;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::fragment<float, 64, 64> w_re;
        tk::fragment<float, 64, 64> w_im;
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::fragment<tk::f16, 64, 64> b_4;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv_backward.tk:58: var all: fft_conv.complex = { re = 0, im = 0 };
            tk::fragment<float, 64, 64> all_re;
            tk::zero(all_re);
            tk::fragment<float, 64, 64> all_im;
            tk::zero(all_im);

            // fft_conv_backward.tk:59: for b in p * batch..min((p + 1) * batch, B) {
            tk::barrier_sync(2, 128);
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv_backward.tk:60: let given = consume us0;
                const tk::cursor<1> given = shared.us0.take(us0_next);

                // fft_conv_backward.tk:61: var u = f32(given.u);
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::load_shared(t3, shared.us0_u[given.stage], thread);
                u = tk::convert<float>(t3);

                // fft_conv_backward.tk:63: let x = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn0_x[tk::remainder(b, 2)], t0, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // fft_conv_backward.tk:64: var d = f32(given.d);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_shared(t4, shared.us0_d[given.stage], thread);
                shared.us0.release_after_loads(given);
                d = tk::convert<float>(t4);

                // fft_conv_backward.tk:66: let y = shared(f16(d));
                tk::fragment<tk::f16, 64, 64> t2 = tk::convert<tk::f16>(d);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.turn0_y[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, shared.ls_re[s.stage], shared.turn0_x[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, shared.ls_im[s.stage], shared.turn0_x[tk::remainder(b, 2)],
                              tk::accumulate_never{});

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(a, shared.fs_turn_re[s.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[s.stage], thread);
                tk::mma_wait<0>(z_re, z_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(z_re_2, t6, shared.fs_re[s.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t8;
                tk::map(t8, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(z_re_2, t8, shared.fs_minus[s.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(z_im_2, t6, shared.fs_im[s.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(z_im_2, t8, shared.fs_re[s.stage]);
                tk::mma_wait<2>(z_re_2);

                // fft_conv_backward.tk:68: let zr = shared(f16(z.re));
                tk::fragment<tk::f16, 64, 64> t12 = tk::convert<tk::f16>(z_re_2);
                tk::hold_waits(warp);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.turn0_zr[0], t12, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_wait<0>(z_im_2, t6, t8);

                // fft_conv_backward.tk:69: let zi = shared(f16(z.im));
                tk::fragment<tk::f16, 64, 64> t14 = tk::convert<tk::f16>(z_im_2);
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.turn0_zi[0], t14, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                // fft_conv.tk:53
                tk::fragment<float, 64, 64> z_re_3;
                tk::mma_async(z_re_3, shared.ls_re[s.stage], shared.turn0_y[0],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im_3;
                tk::mma_async(z_im_3, shared.ls_im[s.stage], shared.turn0_y[0],
                              tk::accumulate_never{});
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.fs_turn_re[s.stage], thread);
                tk::load_shared(b_3, shared.fs_turn_im[s.stage], thread);
                tk::mma_wait<0>(z_re_3, z_im_3);
                // fft_conv.tk:44
                tk::fragment<tk::f16, 64, 64> t18;
                tk::map(t18, [](float z_re_3, tk::f16 a_2, float z_im_3, tk::f16 b_3) {
                    return tk::fma(z_re_3, float(a_2), -(z_im_3 * float(b_3)));
                }, z_re_3, a_2, z_im_3, b_3);
                tk::mma_async(w_re, t18, shared.fs_re[s.stage], tk::accumulate_never{});
                // fft_conv.tk:45
                tk::fragment<tk::f16, 64, 64> t20;
                tk::map(t20, [](float z_re_3, tk::f16 b_3, float z_im_3, tk::f16 a_2) {
                    return tk::fma(z_re_3, float(b_3), z_im_3 * float(a_2));
                }, z_re_3, b_3, z_im_3, a_2);
                tk::mma_async(w_re, t20, shared.fs_minus[s.stage]);
                // fft_conv.tk:46
                tk::mma_async(w_im, t18, shared.fs_im[s.stage], tk::accumulate_never{});
                // fft_conv.tk:47
                tk::mma_async(w_im, t20, shared.fs_re[s.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_3, shared.turn0_zr[0], thread);
                tk::load_shared(b_4, shared.turn0_zi[0], thread);
                tk::mma_wait<0>(w_re, w_im, t18, t20);

                // fft_conv_backward.tk:13: sums.re += w.re * a + w.im * b;
                tk::map(all_re, [](float all_re, float w_re, tk::f16 a_3, float w_im, tk::f16 b_4) {
                    return all_re + tk::fma(w_re, float(a_3), w_im * float(b_4));
                }, all_re, w_re, a_3, w_im, b_4);

                // fft_conv_backward.tk:14: sums.im += w.im * a - w.re * b;
                tk::map(all_im, [](float all_im, float w_im, tk::f16 a_3, float w_re, tk::f16 b_4) {
                    return all_im + tk::fma(w_im, float(a_3), -(w_re * float(b_4)));
                }, all_im, w_im, a_3, w_re, b_4);
            }

            // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
            tk::fragment<float, 64, 64> t24;
            tk::map(t24, [](float all_re, float all_im) {
                return tk::max(tk::abs(all_re), tk::abs(all_im));
            }, all_re, all_im);
            tk::column_fragment<float, 64> t25;
            tk::fold_rows(t25, t24, tk::maximum{}, thread);
            tk::finish_rows(t25, tk::maximum{});

            // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { ..
            tk::column_fragment<float, 64> t26;
            tk::exchange_rows<0>(t26, t25);
            tk::column_fragment<float, 64> t27;
            tk::map(t27, [&](float t25, float t26) { return n1 > 1 ? tk::max(t25, t26) : t25; },
                    t25, t26);
            tk::column_fragment<float, 64> t28;
            tk::exchange_rows<1>(t28, t27);
            // fft_conv.tk:141
            tk::column_fragment<float, 64> x_4;
            tk::map(x_4, [&](float t25, float t26, float t28) {
                const float x_7 = n1 > 1 ? tk::max(t25, t26) : t25;
                return n1 > 2 ? tk::max(x_7, t28) : x_7;
            }, t25, t26, t28);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t29;
            tk::exchange_rows<2>(t29, x_4);
            // fft_conv.tk:141
            tk::column_fragment<float, 64> y_10;
            tk::map(y_10, [&](float x_4, float t29) { return n1 > 4 ? tk::max(x_4, t29) : x_4; },
                    x_4, t29);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t30;
            tk::exchange_rows<3>(t30, y_10);
            tk::column_fragment<float, 64> t31;
            tk::map(t31, [&](float y_10, float t30) { return n1 > 8 ? tk::max(y_10, t30) : y_10; },
                    y_10, t30);
            tk::column_fragment<float, 64> t32;
            tk::exchange_rows<4>(t32, t31, shared.turn0_turned[0], thread, 2);

            // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
            tk::column_fragment<float, 64> x_5;
            tk::map(x_5, [&](float y_10, float t30, float t32) {
                const float x_7 = n1 > 8 ? tk::max(y_10, t30) : y_10;
                return n1 > 16 ? tk::max(x_7, t32) : x_7;
            }, y_10, t30, t32);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t33;
            tk::exchange_rows<5>(t33, x_5, shared.turn0_turned[0], thread, 2);

            // fft_conv_backward.tk:74: let a = where(most > 0, most, 1);
            tk::column_fragment<float, 64> a_4;
            tk::map(a_4, [&](float x_5, float t33) {
                const float x_7 = n1 > 32 ? tk::max(x_5, t33) : x_5;
                return x_7 > 0.0f ? x_7 : 1.0f;
            }, x_5, t33);

            // fft_conv_backward.tk:75: let scaled: fft_conv.half = { re = f16(all.re / a), im = ..
            tk::fragment<tk::f16, 64, 64> scaled_re;
            tk::map(scaled_re, [](float all_re, float a_4) { return tk::divide(all_re, a_4); },
                    all_re, a_4);
            tk::fragment<tk::f16, 64, 64> scaled_im;
            tk::map(scaled_im, [](float all_im, float a_4) { return tk::divide(all_im, a_4); },
                    all_im, a_4);
            // fft_conv.tk:44
            tk::fragment<float, 64, 64> x_6;
            tk::mma_async(x_6, scaled_re, shared.fs_re[s.stage], tk::accumulate_never{});
            // fft_conv.tk:45
            tk::mma_async(x_6, scaled_im, shared.fs_im[s.stage]);
            // fft_conv.tk:46
            tk::fragment<float, 64, 64> y_11;
            tk::mma_async(y_11, scaled_re, shared.fs_minus[s.stage], tk::accumulate_never{});
            // fft_conv.tk:47
            tk::mma_async(y_11, scaled_im, shared.fs_re[s.stage]);
            // fft_conv.tk:26
            tk::fragment<tk::f16, 64, 64> a_5;
            tk::load_shared(a_5, shared.fs_turn_re[s.stage], thread);
            tk::fragment<tk::f16, 64, 64> b_5;
            tk::load_shared(b_5, shared.fs_turn_im[s.stage], thread);
            tk::mma_wait<0>(x_6, y_11, scaled_re, scaled_im);

            // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, turn_im);
            tk::fragment<tk::f16, 64, 64> t_re;
            tk::map(t_re, [](float x_6, tk::f16 a_5, float y_11, tk::f16 b_5) {
                return tk::fma(x_6, float(a_5), y_11 * float(b_5));
            }, x_6, a_5, y_11, b_5);
            tk::fragment<tk::f16, 64, 64> t_im;
            tk::map(t_im, [](float y_11, tk::f16 a_5, float x_6, tk::f16 b_5) {
                return tk::fma(y_11, float(a_5), -(x_6 * float(b_5)));
            }, y_11, a_5, x_6, b_5);

            // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
            tk::store_shared(shared.turn0_t36[tk::remainder(tk::divide_down(r, 64), 2)], t_re,
                             thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 64> g;
            tk::mma_async(g, shared.ls_back_re[s.stage],
                          shared.turn0_t36[tk::remainder(tk::divide_down(r, 64), 2)],
                          tk::accumulate_never{});

            // fft_conv.tk:62: y += mma(left_im, shared(t.im));
            tk::store_shared(shared.turn0_t38[tk::remainder(tk::divide_down(r, 64), 2)], t_im,
                             thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::mma_async(g, shared.ls_back_im[s.stage],
                          shared.turn0_t38[tk::remainder(tk::divide_down(r, 64), 2)]);

            // fft_conv_backward.tk:77: store(Part[p, 2 * r.start +: 64, :], g * (a * size));
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float a_4) { return a_4 * size; }, a_4);
            tk::mma_wait<0>(g);
            tk::fragment<float, 64, 64> t39;
            tk::map(t39, [](float g, float t1) { return g * t1; }, g, t1);
            tk::store_global(
                tk::clipped(tk::slice(Part, {p, 2 * r, 0}, R - 2 * r, 64), 0 - 2 * r, 0), t39,
                thread);
        }
        shared.fs.release_after_loads(s);
        shared.ls.release(s);
    } else {
        // fft_conv_backward.tk:80: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> ls_next, us1_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv_backward.tk:29: let size = f32(8 * root * root * root) / f32(n1);
        const float size = tk::divide(float(8 * root * root * root), float(n1));

        // fft_conv_backward.tk:81: let s = consume ls;
        const tk::cursor<1> s = shared.ls.take(ls_next);

        // fft_conv_backward.tk:82: let f = consume fs;
        shared.fs.wait_full(s);

        // fft_conv_backward.tk:83: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<float, 64, 64> d;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> z_re_2;
        tk::fragment<float, 64, 64> z_im_2;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::fragment<float, 64, 64> w_re;
        tk::fragment<float, 64, 64> w_im;
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::fragment<tk::f16, 64, 64> b_4;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv_backward.tk:84: var all: fft_conv.complex = { re = 0, im = 0 };
            tk::fragment<float, 64, 64> all_re;
            tk::zero(all_re);
            tk::fragment<float, 64, 64> all_im;
            tk::zero(all_im);

            // fft_conv_backward.tk:85: for b in p * batch..min((p + 1) * batch, B) {
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv_backward.tk:86: let given = consume us1;
                const tk::cursor<1> given = shared.us1.take(us1_next);

                // fft_conv_backward.tk:87: var u = f32(given.u);
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::load_shared(t3, shared.us1_u[given.stage], thread);
                u = tk::convert<float>(t3);

                // fft_conv_backward.tk:89: let x = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_x[0], t0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // fft_conv_backward.tk:90: var d = f32(given.d);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_shared(t4, shared.us1_d[given.stage], thread);
                shared.us1.release_after_loads(given);
                d = tk::convert<float>(t4);

                // fft_conv_backward.tk:92: let y = shared(f16(d));
                tk::fragment<tk::f16, 64, 64> t2 = tk::convert<tk::f16>(d);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_y[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, shared.ls_re[s.stage], shared.turn1_x[0],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, shared.ls_im[s.stage], shared.turn1_x[0],
                              tk::accumulate_never{});

                // fft_conv.tk:26: var y: f16[64, 64] = x;
                tk::load_shared(a, shared.fs_turn_re[s.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[s.stage], thread);
                tk::mma_wait<0>(z_re, z_im);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(z_re_2, t6, shared.fs_re[s.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t8;
                tk::map(t8, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(z_re_2, t8, shared.fs_minus[s.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(z_im_2, t6, shared.fs_im[s.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(z_im_2, t8, shared.fs_re[s.stage]);
                tk::mma_wait<2>(z_re_2);

                // fft_conv_backward.tk:94: let zr = shared(f16(z.re));
                tk::fragment<tk::f16, 64, 64> t12 = tk::convert<tk::f16>(z_re_2);
                tk::hold_waits(warp);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_zr[0], t12, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<0>(z_im_2, t6, t8);

                // fft_conv_backward.tk:95: let zi = shared(f16(z.im));
                tk::fragment<tk::f16, 64, 64> t14 = tk::convert<tk::f16>(z_im_2);
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_zi[0], t14, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                // fft_conv.tk:53
                tk::fragment<float, 64, 64> z_re_3;
                tk::mma_async(z_re_3, shared.ls_re[s.stage], shared.turn1_y[0],
                              tk::accumulate_never{});
                tk::fragment<float, 64, 64> z_im_3;
                tk::mma_async(z_im_3, shared.ls_im[s.stage], shared.turn1_y[0],
                              tk::accumulate_never{});
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.fs_turn_re[s.stage], thread);
                tk::load_shared(b_3, shared.fs_turn_im[s.stage], thread);
                tk::mma_wait<0>(z_re_3, z_im_3);
                // fft_conv.tk:44
                tk::fragment<tk::f16, 64, 64> t18;
                tk::map(t18, [](float z_re_3, tk::f16 a_2, float z_im_3, tk::f16 b_3) {
                    return tk::fma(z_re_3, float(a_2), -(z_im_3 * float(b_3)));
                }, z_re_3, a_2, z_im_3, b_3);
                tk::mma_async(w_re, t18, shared.fs_re[s.stage], tk::accumulate_never{});
                // fft_conv.tk:45
                tk::fragment<tk::f16, 64, 64> t20;
                tk::map(t20, [](float z_re_3, tk::f16 b_3, float z_im_3, tk::f16 a_2) {
                    return tk::fma(z_re_3, float(b_3), z_im_3 * float(a_2));
                }, z_re_3, b_3, z_im_3, a_2);
                tk::mma_async(w_re, t20, shared.fs_minus[s.stage]);
                // fft_conv.tk:46
                tk::mma_async(w_im, t18, shared.fs_im[s.stage], tk::accumulate_never{});
                // fft_conv.tk:47
                tk::mma_async(w_im, t20, shared.fs_re[s.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_3, shared.turn1_zr[0], thread);
                tk::load_shared(b_4, shared.turn1_zi[0], thread);
                tk::mma_wait<0>(w_re, w_im, t18, t20);

                // fft_conv_backward.tk:13: sums.re += w.re * a + w.im * b;
                tk::map(all_re, [](float all_re, float w_re, tk::f16 a_3, float w_im, tk::f16 b_4) {
                    return all_re + tk::fma(w_re, float(a_3), w_im * float(b_4));
                }, all_re, w_re, a_3, w_im, b_4);

                // fft_conv_backward.tk:14: sums.im += w.im * a - w.re * b;
                tk::map(all_im, [](float all_im, float w_im, tk::f16 a_3, float w_re, tk::f16 b_4) {
                    return all_im + tk::fma(w_im, float(a_3), -(w_re * float(b_4)));
                }, all_im, w_im, a_3, w_re, b_4);
            }

            // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
            tk::fragment<float, 64, 64> t24;
            tk::map(t24, [](float all_re, float all_im) {
                return tk::max(tk::abs(all_re), tk::abs(all_im));
            }, all_re, all_im);
            tk::column_fragment<float, 64> t25;
            tk::fold_rows(t25, t24, tk::maximum{}, thread);
            tk::finish_rows(t25, tk::maximum{});

            // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { ..
            tk::column_fragment<float, 64> t26;
            tk::exchange_rows<0>(t26, t25);
            tk::column_fragment<float, 64> t27;
            tk::map(t27, [&](float t25, float t26) { return n1 > 1 ? tk::max(t25, t26) : t25; },
                    t25, t26);
            tk::column_fragment<float, 64> t28;
            tk::exchange_rows<1>(t28, t27);
            // fft_conv.tk:141
            tk::column_fragment<float, 64> x_4;
            tk::map(x_4, [&](float t25, float t26, float t28) {
                const float x_7 = n1 > 1 ? tk::max(t25, t26) : t25;
                return n1 > 2 ? tk::max(x_7, t28) : x_7;
            }, t25, t26, t28);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t29;
            tk::exchange_rows<2>(t29, x_4);
            // fft_conv.tk:141
            tk::column_fragment<float, 64> y_10;
            tk::map(y_10, [&](float x_4, float t29) { return n1 > 4 ? tk::max(x_4, t29) : x_4; },
                    x_4, t29);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t30;
            tk::exchange_rows<3>(t30, y_10);
            tk::column_fragment<float, 64> t31;
            tk::map(t31, [&](float y_10, float t30) { return n1 > 8 ? tk::max(y_10, t30) : y_10; },
                    y_10, t30);
            tk::column_fragment<float, 64> t32;
            tk::exchange_rows<4>(t32, t31, shared.turn1_turned[0], thread, 4);

            // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
            tk::column_fragment<float, 64> x_5;
            tk::map(x_5, [&](float y_10, float t30, float t32) {
                const float x_7 = n1 > 8 ? tk::max(y_10, t30) : y_10;
                return n1 > 16 ? tk::max(x_7, t32) : x_7;
            }, y_10, t30, t32);
            // fft_conv.tk:139
            tk::column_fragment<float, 64> t33;
            tk::exchange_rows<5>(t33, x_5, shared.turn1_turned[0], thread, 4);

            // fft_conv_backward.tk:100: let a = where(most > 0, most, 1);
            tk::column_fragment<float, 64> a_4;
            tk::map(a_4, [&](float x_5, float t33) {
                const float x_7 = n1 > 32 ? tk::max(x_5, t33) : x_5;
                return x_7 > 0.0f ? x_7 : 1.0f;
            }, x_5, t33);

            // fft_conv_backward.tk:101: let scaled: fft_conv.half = { re = f16(all.re / a), im = ..
            tk::fragment<tk::f16, 64, 64> scaled_re;
            tk::map(scaled_re, [](float all_re, float a_4) { return tk::divide(all_re, a_4); },
                    all_re, a_4);
            tk::fragment<tk::f16, 64, 64> scaled_im;
            tk::map(scaled_im, [](float all_im, float a_4) { return tk::divide(all_im, a_4); },
                    all_im, a_4);
            // fft_conv.tk:44
            tk::fragment<float, 64, 64> x_6;
            tk::mma_async(x_6, scaled_re, shared.fs_re[s.stage], tk::accumulate_never{});
            // fft_conv.tk:45
            tk::mma_async(x_6, scaled_im, shared.fs_im[s.stage]);
            // fft_conv.tk:46
            tk::fragment<float, 64, 64> y_11;
            tk::mma_async(y_11, scaled_re, shared.fs_minus[s.stage], tk::accumulate_never{});
            // fft_conv.tk:47
            tk::mma_async(y_11, scaled_im, shared.fs_re[s.stage]);
            // fft_conv.tk:26
            tk::fragment<tk::f16, 64, 64> a_5;
            tk::load_shared(a_5, shared.fs_turn_re[s.stage], thread);
            tk::fragment<tk::f16, 64, 64> b_5;
            tk::load_shared(b_5, shared.fs_turn_im[s.stage], thread);
            tk::mma_wait<0>(x_6, y_11, scaled_re, scaled_im);

            // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, turn_im);
            tk::fragment<tk::f16, 64, 64> t_re;
            tk::map(t_re, [](float x_6, tk::f16 a_5, float y_11, tk::f16 b_5) {
                return tk::fma(x_6, float(a_5), y_11 * float(b_5));
            }, x_6, a_5, y_11, b_5);
            tk::fragment<tk::f16, 64, 64> t_im;
            tk::map(t_im, [](float y_11, tk::f16 a_5, float x_6, tk::f16 b_5) {
                return tk::fma(y_11, float(a_5), -(x_6 * float(b_5)));
            }, y_11, a_5, x_6, b_5);

            // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.turn1_t36[0], t_re, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::fragment<float, 64, 64> g;
            tk::mma_async(g, shared.ls_back_re[s.stage], shared.turn1_t36[0],
                          tk::accumulate_never{});

            // fft_conv.tk:62: y += mma(left_im, shared(t.im));
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.turn1_t38[0], t_im, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_async(g, shared.ls_back_im[s.stage], shared.turn1_t38[0]);

            // fft_conv_backward.tk:103: store(Part[p, 2 * r.start + 64 +: 64, :], g * (a * size));
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float a_4) { return a_4 * size; }, a_4);
            tk::mma_wait<0>(g);
            tk::fragment<float, 64, 64> t39;
            tk::map(t39, [](float g, float t1) { return g * t1; }, g, t1);
            tk::store_global(
                tk::clipped(tk::slice(Part, {p, 2 * r + 64, 0}, R - (2 * r + 64), 64),
                            0 - (2 * r + 64), 0), t39, thread);
        }
        shared.fs.release_after_loads(s);
        shared.ls.release(s);
    }
}

// sums_of_parts: kernel sums_of_parts.
// 128 threads, 48 registers each.
__global__ void __launch_bounds__(128, 10) sums_of_parts_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<float, 2> Sum, int P,
    int R) {
    tk::wait_for_previous_kernel();

    // fft_conv_backward.tk:108: kernel sums_of_parts(Part: f32[P, R, 64], out Sum: f32[R, 64])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 16;

    // fft_conv_backward.tk:111: var total: f32[16, 64] = 0;
    tk::stripe<float, 16, 64, 128, 16, 4> total;
    tk::zero(total);

    // fft_conv_backward.tk:112: for p in P pipelined(2) { total += load(Part[p, r, :]); }
    #pragma unroll 2
    for (int p = 0; p < P; p += 1) {
        tk::stripe<float, 16, 64, 128, 16, 4> t0;
        tk::load_vectors(t0, tk::dense_slice(Part, {p, r, 0}, R - r, 64), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // fft_conv_backward.tk:113: store(Sum[r, :], total);
    tk::store_vectors(tk::dense_slice(Sum, {r, 0}, R - r, 64), total, thread);
}

// sums_of_parts_general: kernel sums_of_parts; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) sums_of_parts_general_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<float, 2> Sum, int P,
    int R) {
    tk::wait_for_previous_kernel();

    // fft_conv_backward.tk:108: kernel sums_of_parts(Part: f32[P, R, 64], out Sum: f32[R, 64])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 16;

    // fft_conv_backward.tk:111: var total: f32[16, 64] = 0;
    tk::stripe<float, 16, 64, 128, 32, 2> total;
    tk::zero(total);

    // fft_conv_backward.tk:112: for p in P pipelined(2) { total += load(Part[p, r, :]); }
    for (int p = 0; p < P; p += 1) {
        tk::stripe<float, 16, 64, 128, 32, 2> t0;
        tk::load_global(t0, tk::slice(Part, {p, r, 0}, R - r, 64), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // fft_conv_backward.tk:113: store(Sum[r, :], total);
    tk::store_global(tk::slice(Sum, {r, 0}, R - r, 64), total, thread);
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

// fft_conv_spectrum: kernel fft_conv.spectrum.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 182320 bytes of shared memory.
struct fft_conv_spectrum_shared {
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
    tk::shared_tile<float, 64, 64> hs0_tile[1];
    tk::shared_tile<float, 64, 64> hs1_tile[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_lo[1];
    tk::shared_tile<int, 1, 128> turn0_turned[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_lo[1];
    tk::shared_tile<int, 1, 128> turn1_turned[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_K[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_K[1];
    tk::pipeline<1> fs;
    tk::pipeline<1> hs0;
    tk::pipeline<1> hs1;
};
static_assert(offsetof(fft_conv_spectrum_shared, hs1) == 182304);

__global__ void __launch_bounds__(384, 1) fft_conv_spectrum_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const __grid_constant__ CUtensorMap K_map, const tk::tensor_argument<float, 1> Scale, int Q,
    int n1, int root, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_spectrum_shared& shared = *reinterpret_cast<fft_conv_spectrum_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Rest_map, Turn_map, Filter_map, K_map);
        shared.fs.init(1, 8);
        shared.hs0.init(1, 4);
        shared.hs1.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv.tk:159: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, hs0_next, hs1_next;
            const int program = blockIdx.x;
            const int r = program * 128;

            // fft_conv.tk:160: produce fs {
            shared.fs.begin(fs_next, 98304);

            // fft_conv.tk:161: left_re = tma_load(F[0, :, :]); left_re_rest = tma_load(Rest[0, ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.fs_left_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 0, 0, 0);

            // fft_conv.tk:162: left_im = tma_load(F[1, :, :]); left_im_rest = tma_load(Rest[1, ..
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.fs_left_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 1, 0, 0);

            // fft_conv.tk:163: re = tma_load(F[4, :, :]); re_rest = tma_load(Rest[2, :, :]); im ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_re_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         2, 0, 0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_im_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         3, 0, 0);

            // fft_conv.tk:164: turn_re = tma_load(Turn[0, :, :]); turn_re_rest = ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 4, 0, 0);

            // fft_conv.tk:165: turn_im = tma_load(Turn[1, :, :]); turn_im_rest = ..
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            tk::tma_load(shared.fs_turn_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 5, 0, 0);
            // fft_conv.tk:160
            fs_next.advance();

            // fft_conv.tk:167: produce hs0 = tma_load(Filter[r.start +: 64, :]);
            shared.hs0.begin(hs0_next, 16384);
            tk::tma_load(shared.hs0_tile[hs0_next.stage], Filter_map,
                         shared.hs0.full[hs0_next.stage], r, 0);
            hs0_next.advance();

            // fft_conv.tk:168: produce hs1 = tma_load(Filter[r.start + 64 +: 64, :]);
            shared.hs1.begin(hs1_next, 16384);
            tk::tma_load(shared.hs1_tile[hs1_next.stage], Filter_map,
                         shared.hs1.full[hs1_next.stage], r + 64, 0);
            hs1_next.advance();
        }
    } else if (warp < 4) {
        // fft_conv.tk:170: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int r = program * 128;

        // fft_conv.tk:171: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:172: var x: f32[64, 64] = consume hs0;
        shared.hs0.wait_full(f);
        tk::fragment<float, 64, 64> x;
        tk::load_shared(x, shared.hs0_tile[f.stage], thread);
        shared.hs0.release_after_loads(f);

        // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
        tk::fragment<float, 64, 64> t0;
        tk::map(t0, [](float x) { return tk::abs(x); }, x);
        tk::column_fragment<float, 64> t1;
        tk::fold_rows(t1, t0, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{});

        // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
        tk::column_fragment<float, 64> t2;
        tk::exchange_rows<0>(t2, t1);
        tk::column_fragment<float, 64> t3;
        tk::map(t3, [&](float t1, float t2) { return n1 > 1 ? tk::max(t1, t2) : t1; }, t1, t2);
        tk::column_fragment<float, 64> t4;
        tk::exchange_rows<1>(t4, t3);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_2;
        tk::map(x_2, [&](float t1, float t2, float t4) {
            const float x_13 = n1 > 1 ? tk::max(t1, t2) : t1;
            return n1 > 2 ? tk::max(x_13, t4) : x_13;
        }, t1, t2, t4);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t5;
        tk::exchange_rows<2>(t5, x_2);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y;
        tk::map(y, [&](float x_2, float t5) { return n1 > 4 ? tk::max(x_2, t5) : x_2; }, x_2, t5);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t6;
        tk::exchange_rows<3>(t6, y);
        tk::column_fragment<float, 64> t7;
        tk::map(t7, [&](float y, float t6) { return n1 > 8 ? tk::max(y, t6) : y; }, y, t6);
        tk::column_fragment<float, 64> t8;
        tk::exchange_rows<4>(t8, t7, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
        tk::column_fragment<float, 64> x_3;
        tk::map(x_3, [&](float y, float t6, float t8) {
            const float x_13 = n1 > 8 ? tk::max(y, t6) : y;
            return n1 > 16 ? tk::max(x_13, t8) : x_13;
        }, y, t6, t8);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t9;
        tk::exchange_rows<5>(t9, x_3, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:174: let size = where(most > 0, most, 1);
        tk::column_fragment<float, 64> size;
        tk::map(size, [&](float x_3, float t9) {
            const float x_13 = n1 > 32 ? tk::max(x_3, t9) : x_3;
            return x_13 > 0.0f ? x_13 : 1.0f;
        }, x_3, t9);

        // fft_conv.tk:175: x = x / size;
        tk::map(x, [](float x, float size) { return tk::divide(x, size); }, x, size);

        // fft_conv.tk:176: let hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t10 = tk::convert<tk::f16>(x);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_hi[0], t10, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:177: let lo = shared(rest(x));
        tk::fragment<tk::f16, 64, 64> t12;
        tk::map(t12, [](float x, tk::f16 t10) { return x - float(t10); }, x, t10);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_lo[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn0_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn0_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_lo[0]);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t13;
        tk::load_shared(t13, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t14;
        tk::load_shared(t14, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t13, tk::f16 t14) { return float(t13) + float(t14); }, t13, t14);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t15;
        tk::load_shared(t15, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t16;
        tk::load_shared(t16, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t15, tk::f16 t16) { return float(t15) + float(t16); }, t15, t16);
        tk::mma_wait<0>(a, b);

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
        tk::fragment<float, 64, 64> z_re;
        tk::mma_async(z_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(z_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(z_re, [](float z_re, float x_8) { return z_re - x_8; }, z_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> z_im;
        tk::mma_async(z_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(z_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(z_im, [](float z_im, float x_10) { return z_im + x_10; }, z_im, x_10);
        // fft_conv.tk:141
        tk::fragment<float, 64, 64> t20;
        tk::map(t20, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
                z_re, z_im);
        tk::column_fragment<float, 64> t21;
        tk::fold_rows(t21, t20, tk::maximum{}, thread);
        tk::finish_rows(t21, tk::maximum{});
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t22;
        tk::exchange_rows<0>(t22, t21);
        tk::column_fragment<float, 64> t23;
        tk::map(t23, [&](float t21, float t22) { return n1 > 1 ? tk::max(t21, t22) : t21; },
                t21, t22);
        tk::column_fragment<float, 64> t24;
        tk::exchange_rows<1>(t24, t23);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_11;
        tk::map(x_11, [&](float t21, float t22, float t24) {
            const float x_13 = n1 > 1 ? tk::max(t21, t22) : t21;
            return n1 > 2 ? tk::max(x_13, t24) : x_13;
        }, t21, t22, t24);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t25;
        tk::exchange_rows<2>(t25, x_11);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y_3;
        tk::map(y_3, [&](float x_11, float t25) { return n1 > 4 ? tk::max(x_11, t25) : x_11; },
                x_11, t25);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t26;
        tk::exchange_rows<3>(t26, y_3);
        tk::column_fragment<float, 64> t27;
        tk::map(t27, [&](float y_3, float t26) { return n1 > 8 ? tk::max(y_3, t26) : y_3; },
                y_3, t26);
        tk::column_fragment<float, 64> t28;
        tk::exchange_rows<4>(t28, t27, shared.turn0_turned[0], thread, 2);
        // fft_conv.tk:142
        tk::column_fragment<float, 64> x_12;
        tk::map(x_12, [&](float y_3, float t26, float t28) {
            const float x_13 = n1 > 8 ? tk::max(y_3, t26) : y_3;
            return n1 > 16 ? tk::max(x_13, t28) : x_13;
        }, y_3, t26, t28);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t29;
        tk::exchange_rows<5>(t29, x_12, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:181: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
        tk::column_fragment<float, 64> top;
        tk::map(top, [&](float x_12, float t29) { return n1 > 32 ? tk::max(x_12, t29) : x_12; },
                x_12, t29);

        // fft_conv.tk:182: let down = 1.0 / where(top > 0, top, 1);
        tk::column_fragment<float, 64> down;
        tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

        // fft_conv.tk:183: store(K[0, r.start +: 64, :], f16(z.re * down));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::fragment<tk::f16, 64, 64> t30;
            tk::map(t30, [](float z_re, float down) { return z_re * down; }, z_re, down);
            tk::store_shared(shared.turn0_K[0], t30, thread);
            tk::fence_async();
            tk::barrier_sync(1, 128);
            if (leader) tk::tma_store(K_map, shared.turn0_K[0], 0, r, panel);
        }

        // fft_conv.tk:184: store(K[1, r.start +: 64, :], f16(z.im * (down * sign)));
        tk::column_fragment<float, 64> t11;
        tk::map(t11, [&](float down) { return down * sign; }, down);
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(1, 128);
            tk::fragment<tk::f16, 64, 64> t31;
            tk::map(t31, [](float z_im, float t11) { return z_im * t11; }, z_im, t11);
            tk::store_shared(shared.turn0_K[0], t31, thread);
            tk::fence_async();
            tk::barrier_sync(1, 128);
            if (leader) tk::tma_store(K_map, shared.turn0_K[0], 1, r, panel);
        }

        // fft_conv.tk:185: store(Scale[r.start +: 64], top * size * (f32(8 * root * root * root) ..
        tk::column_fragment<float, 64> t32;
        tk::map(t32, [&](float top, float size) {
            return top * size * tk::divide(
                float(
                    tk::wrapping_multiply(
                        tk::wrapping_multiply(tk::wrapping_multiply(8, root), root), root)),
                float(n1));
        }, top, size);
        tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r}, Q - r, 1), t32, thread);

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // fft_conv.tk:187: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int r = program * 128;

        // fft_conv.tk:188: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:189: var x: f32[64, 64] = consume hs1;
        shared.hs1.wait_full(f);
        tk::fragment<float, 64, 64> x;
        tk::load_shared(x, shared.hs1_tile[f.stage], thread);
        shared.hs1.release_after_loads(f);

        // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
        tk::fragment<float, 64, 64> t0;
        tk::map(t0, [](float x) { return tk::abs(x); }, x);
        tk::column_fragment<float, 64> t1;
        tk::fold_rows(t1, t0, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{});

        // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
        tk::column_fragment<float, 64> t2;
        tk::exchange_rows<0>(t2, t1);
        tk::column_fragment<float, 64> t3;
        tk::map(t3, [&](float t1, float t2) { return n1 > 1 ? tk::max(t1, t2) : t1; }, t1, t2);
        tk::column_fragment<float, 64> t4;
        tk::exchange_rows<1>(t4, t3);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_2;
        tk::map(x_2, [&](float t1, float t2, float t4) {
            const float x_13 = n1 > 1 ? tk::max(t1, t2) : t1;
            return n1 > 2 ? tk::max(x_13, t4) : x_13;
        }, t1, t2, t4);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t5;
        tk::exchange_rows<2>(t5, x_2);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y;
        tk::map(y, [&](float x_2, float t5) { return n1 > 4 ? tk::max(x_2, t5) : x_2; }, x_2, t5);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t6;
        tk::exchange_rows<3>(t6, y);
        tk::column_fragment<float, 64> t7;
        tk::map(t7, [&](float y, float t6) { return n1 > 8 ? tk::max(y, t6) : y; }, y, t6);
        tk::column_fragment<float, 64> t8;
        tk::exchange_rows<4>(t8, t7, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
        tk::column_fragment<float, 64> x_3;
        tk::map(x_3, [&](float y, float t6, float t8) {
            const float x_13 = n1 > 8 ? tk::max(y, t6) : y;
            return n1 > 16 ? tk::max(x_13, t8) : x_13;
        }, y, t6, t8);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t9;
        tk::exchange_rows<5>(t9, x_3, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:191: let size = where(most > 0, most, 1);
        tk::column_fragment<float, 64> size;
        tk::map(size, [&](float x_3, float t9) {
            const float x_13 = n1 > 32 ? tk::max(x_3, t9) : x_3;
            return x_13 > 0.0f ? x_13 : 1.0f;
        }, x_3, t9);

        // fft_conv.tk:192: x = x / size;
        tk::map(x, [](float x, float size) { return tk::divide(x, size); }, x, size);

        // fft_conv.tk:193: let hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t10 = tk::convert<tk::f16>(x);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_hi[0], t10, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:194: let lo = shared(rest(x));
        tk::fragment<tk::f16, 64, 64> t12;
        tk::map(t12, [](float x, tk::f16 t10) { return x - float(t10); }, x, t10);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_lo[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn1_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn1_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_lo[0]);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t13;
        tk::load_shared(t13, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t14;
        tk::load_shared(t14, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t13, tk::f16 t14) { return float(t13) + float(t14); }, t13, t14);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t15;
        tk::load_shared(t15, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t16;
        tk::load_shared(t16, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t15, tk::f16 t16) { return float(t15) + float(t16); }, t15, t16);
        tk::mma_wait<0>(a, b);

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
        tk::fragment<float, 64, 64> z_re;
        tk::mma_async(z_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(z_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(z_re, [](float z_re, float x_8) { return z_re - x_8; }, z_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> z_im;
        tk::mma_async(z_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(z_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(z_im, [](float z_im, float x_10) { return z_im + x_10; }, z_im, x_10);
        // fft_conv.tk:141
        tk::fragment<float, 64, 64> t20;
        tk::map(t20, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
                z_re, z_im);
        tk::column_fragment<float, 64> t21;
        tk::fold_rows(t21, t20, tk::maximum{}, thread);
        tk::finish_rows(t21, tk::maximum{});
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t22;
        tk::exchange_rows<0>(t22, t21);
        tk::column_fragment<float, 64> t23;
        tk::map(t23, [&](float t21, float t22) { return n1 > 1 ? tk::max(t21, t22) : t21; },
                t21, t22);
        tk::column_fragment<float, 64> t24;
        tk::exchange_rows<1>(t24, t23);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_11;
        tk::map(x_11, [&](float t21, float t22, float t24) {
            const float x_13 = n1 > 1 ? tk::max(t21, t22) : t21;
            return n1 > 2 ? tk::max(x_13, t24) : x_13;
        }, t21, t22, t24);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t25;
        tk::exchange_rows<2>(t25, x_11);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y_3;
        tk::map(y_3, [&](float x_11, float t25) { return n1 > 4 ? tk::max(x_11, t25) : x_11; },
                x_11, t25);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t26;
        tk::exchange_rows<3>(t26, y_3);
        tk::column_fragment<float, 64> t27;
        tk::map(t27, [&](float y_3, float t26) { return n1 > 8 ? tk::max(y_3, t26) : y_3; },
                y_3, t26);
        tk::column_fragment<float, 64> t28;
        tk::exchange_rows<4>(t28, t27, shared.turn1_turned[0], thread, 4);
        // fft_conv.tk:142
        tk::column_fragment<float, 64> x_12;
        tk::map(x_12, [&](float y_3, float t26, float t28) {
            const float x_13 = n1 > 8 ? tk::max(y_3, t26) : y_3;
            return n1 > 16 ? tk::max(x_13, t28) : x_13;
        }, y_3, t26, t28);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t29;
        tk::exchange_rows<5>(t29, x_12, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:198: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
        tk::column_fragment<float, 64> top;
        tk::map(top, [&](float x_12, float t29) { return n1 > 32 ? tk::max(x_12, t29) : x_12; },
                x_12, t29);

        // fft_conv.tk:199: let down = 1.0 / where(top > 0, top, 1);
        tk::column_fragment<float, 64> down;
        tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

        // fft_conv.tk:200: store(K[0, r.start + 64 +: 64, :], f16(z.re * down));
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            tk::fragment<tk::f16, 64, 64> t30;
            tk::map(t30, [](float z_re, float down) { return z_re * down; }, z_re, down);
            tk::store_shared(shared.turn1_K[0], t30, thread);
            tk::fence_async();
            tk::barrier_sync(3, 128);
            if (leader) tk::tma_store(K_map, shared.turn1_K[0], 0, r + 64, panel);
        }

        // fft_conv.tk:201: store(K[1, r.start + 64 +: 64, :], f16(z.im * (down * sign)));
        tk::column_fragment<float, 64> t11;
        tk::map(t11, [&](float down) { return down * sign; }, down);
        #pragma unroll
        for (int panel = 0; panel < 64; panel += 64) {
            if (leader) tk::tma_store_wait_read<0>();
            tk::barrier_sync(3, 128);
            tk::fragment<tk::f16, 64, 64> t31;
            tk::map(t31, [](float z_im, float t11) { return z_im * t11; }, z_im, t11);
            tk::store_shared(shared.turn1_K[0], t31, thread);
            tk::fence_async();
            tk::barrier_sync(3, 128);
            if (leader) tk::tma_store(K_map, shared.turn1_K[0], 1, r + 64, panel);
        }

        // fft_conv.tk:202: store(Scale[r.start + 64 +: 64], top * size * (f32(8 * root * root * ..
        tk::column_fragment<float, 64> t32;
        tk::map(t32, [&](float top, float size) {
            return top * size * tk::divide(
                float(
                    tk::wrapping_multiply(
                        tk::wrapping_multiply(tk::wrapping_multiply(8, root), root), root)),
                float(n1));
        }, top, size);
        tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r + 64}, Q - (r + 64), 1), t32, thread);

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// fft_conv_spectrum_general: kernel fft_conv.spectrum; any strides and alignment.
// producer: 1 warp, 24 registers a thread; turn0: 1 warpgroup, 240 registers a thread; turn1: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 165936 bytes of shared memory.
struct fft_conv_spectrum_general_shared {
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
    tk::shared_tile<float, 64, 64> hs0_tile[1];
    tk::shared_tile<float, 64, 64> hs1_tile[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_lo[1];
    tk::shared_tile<int, 1, 128> turn0_turned[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_hi[1];
    tk::shared_tile<tk::f16, 64, 64> turn1_lo[1];
    tk::shared_tile<int, 1, 128> turn1_turned[1];
    unsigned char unused[512];
    tk::pipeline<1> fs;
    tk::pipeline<1> hs0;
    tk::pipeline<1> hs1;
};
static_assert(offsetof(fft_conv_spectrum_general_shared, hs1) == 165920);

__global__ void __launch_bounds__(384, 1) fft_conv_spectrum_general_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Turn_map, const __grid_constant__ CUtensorMap Filter_map,
    const tk::tensor_argument<tk::f16, 3> K, const tk::tensor_argument<float, 1> Scale, int Q,
    int n1, int root, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_spectrum_general_shared& shared =
        *reinterpret_cast<fft_conv_spectrum_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Rest_map, Turn_map, Filter_map);
        shared.fs.init(1, 8);
        shared.hs0.init(1, 4);
        shared.hs1.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // fft_conv.tk:159: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, hs0_next, hs1_next;
            const int program = blockIdx.x;
            const int r = program * 128;

            // fft_conv.tk:160: produce fs {
            shared.fs.begin(fs_next, 98304);

            // fft_conv.tk:161: left_re = tma_load(F[0, :, :]); left_re_rest = tma_load(Rest[0, ..
            tk::tma_load(shared.fs_left_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.fs_left_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 0, 0, 0);

            // fft_conv.tk:162: left_im = tma_load(F[1, :, :]); left_im_rest = tma_load(Rest[1, ..
            tk::tma_load(shared.fs_left_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.fs_left_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 1, 0, 0);

            // fft_conv.tk:163: re = tma_load(F[4, :, :]); re_rest = tma_load(Rest[2, :, :]); im ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_re_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         2, 0, 0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_im_rest[fs_next.stage], Rest_map, shared.fs.full[fs_next.stage],
                         3, 0, 0);

            // fft_conv.tk:164: turn_re = tma_load(Turn[0, :, :]); turn_re_rest = ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_re_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 4, 0, 0);

            // fft_conv.tk:165: turn_im = tma_load(Turn[1, :, :]); turn_im_rest = ..
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            tk::tma_load(shared.fs_turn_im_rest[fs_next.stage], Rest_map,
                         shared.fs.full[fs_next.stage], 5, 0, 0);
            // fft_conv.tk:160
            fs_next.advance();

            // fft_conv.tk:167: produce hs0 = tma_load(Filter[r.start +: 64, :]);
            shared.hs0.begin(hs0_next, 16384);
            tk::tma_load(shared.hs0_tile[hs0_next.stage], Filter_map,
                         shared.hs0.full[hs0_next.stage], r, 0);
            hs0_next.advance();

            // fft_conv.tk:168: produce hs1 = tma_load(Filter[r.start + 64 +: 64, :]);
            shared.hs1.begin(hs1_next, 16384);
            tk::tma_load(shared.hs1_tile[hs1_next.stage], Filter_map,
                         shared.hs1.full[hs1_next.stage], r + 64, 0);
            hs1_next.advance();
        }
    } else if (warp < 4) {
        // fft_conv.tk:170: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int r = program * 128;

        // fft_conv.tk:171: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:172: var x: f32[64, 64] = consume hs0;
        shared.hs0.wait_full(f);
        tk::fragment<float, 64, 64> x;
        tk::load_shared(x, shared.hs0_tile[f.stage], thread);
        shared.hs0.release_after_loads(f);

        // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
        tk::fragment<float, 64, 64> t0;
        tk::map(t0, [](float x) { return tk::abs(x); }, x);
        tk::column_fragment<float, 64> t1;
        tk::fold_rows(t1, t0, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{});

        // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
        tk::column_fragment<float, 64> t2;
        tk::exchange_rows<0>(t2, t1);
        tk::column_fragment<float, 64> t3;
        tk::map(t3, [&](float t1, float t2) { return n1 > 1 ? tk::max(t1, t2) : t1; }, t1, t2);
        tk::column_fragment<float, 64> t4;
        tk::exchange_rows<1>(t4, t3);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_2;
        tk::map(x_2, [&](float t1, float t2, float t4) {
            const float x_13 = n1 > 1 ? tk::max(t1, t2) : t1;
            return n1 > 2 ? tk::max(x_13, t4) : x_13;
        }, t1, t2, t4);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t5;
        tk::exchange_rows<2>(t5, x_2);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y;
        tk::map(y, [&](float x_2, float t5) { return n1 > 4 ? tk::max(x_2, t5) : x_2; }, x_2, t5);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t6;
        tk::exchange_rows<3>(t6, y);
        tk::column_fragment<float, 64> t7;
        tk::map(t7, [&](float y, float t6) { return n1 > 8 ? tk::max(y, t6) : y; }, y, t6);
        tk::column_fragment<float, 64> t8;
        tk::exchange_rows<4>(t8, t7, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
        tk::column_fragment<float, 64> x_3;
        tk::map(x_3, [&](float y, float t6, float t8) {
            const float x_13 = n1 > 8 ? tk::max(y, t6) : y;
            return n1 > 16 ? tk::max(x_13, t8) : x_13;
        }, y, t6, t8);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t9;
        tk::exchange_rows<5>(t9, x_3, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:174: let size = where(most > 0, most, 1);
        tk::column_fragment<float, 64> size;
        tk::map(size, [&](float x_3, float t9) {
            const float x_13 = n1 > 32 ? tk::max(x_3, t9) : x_3;
            return x_13 > 0.0f ? x_13 : 1.0f;
        }, x_3, t9);

        // fft_conv.tk:175: x = x / size;
        tk::map(x, [](float x, float size) { return tk::divide(x, size); }, x, size);

        // fft_conv.tk:176: let hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t10 = tk::convert<tk::f16>(x);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_hi[0], t10, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:177: let lo = shared(rest(x));
        tk::fragment<tk::f16, 64, 64> t12;
        tk::map(t12, [](float x, tk::f16 t10) { return x - float(t10); }, x, t10);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.turn0_lo[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn0_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn0_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn0_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn0_lo[0]);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t13;
        tk::load_shared(t13, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t14;
        tk::load_shared(t14, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t13, tk::f16 t14) { return float(t13) + float(t14); }, t13, t14);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t15;
        tk::load_shared(t15, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t16;
        tk::load_shared(t16, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t15, tk::f16 t16) { return float(t15) + float(t16); }, t15, t16);
        tk::mma_wait<0>(a, b);

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
        tk::fragment<float, 64, 64> z_re;
        tk::mma_async(z_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(z_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(z_re, [](float z_re, float x_8) { return z_re - x_8; }, z_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> z_im;
        tk::mma_async(z_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(z_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(z_im, [](float z_im, float x_10) { return z_im + x_10; }, z_im, x_10);
        // fft_conv.tk:141
        tk::fragment<float, 64, 64> t20;
        tk::map(t20, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
                z_re, z_im);
        tk::column_fragment<float, 64> t21;
        tk::fold_rows(t21, t20, tk::maximum{}, thread);
        tk::finish_rows(t21, tk::maximum{});
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t22;
        tk::exchange_rows<0>(t22, t21);
        tk::column_fragment<float, 64> t23;
        tk::map(t23, [&](float t21, float t22) { return n1 > 1 ? tk::max(t21, t22) : t21; },
                t21, t22);
        tk::column_fragment<float, 64> t24;
        tk::exchange_rows<1>(t24, t23);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_11;
        tk::map(x_11, [&](float t21, float t22, float t24) {
            const float x_13 = n1 > 1 ? tk::max(t21, t22) : t21;
            return n1 > 2 ? tk::max(x_13, t24) : x_13;
        }, t21, t22, t24);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t25;
        tk::exchange_rows<2>(t25, x_11);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y_3;
        tk::map(y_3, [&](float x_11, float t25) { return n1 > 4 ? tk::max(x_11, t25) : x_11; },
                x_11, t25);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t26;
        tk::exchange_rows<3>(t26, y_3);
        tk::column_fragment<float, 64> t27;
        tk::map(t27, [&](float y_3, float t26) { return n1 > 8 ? tk::max(y_3, t26) : y_3; },
                y_3, t26);
        tk::column_fragment<float, 64> t28;
        tk::exchange_rows<4>(t28, t27, shared.turn0_turned[0], thread, 2);
        // fft_conv.tk:142
        tk::column_fragment<float, 64> x_12;
        tk::map(x_12, [&](float y_3, float t26, float t28) {
            const float x_13 = n1 > 8 ? tk::max(y_3, t26) : y_3;
            return n1 > 16 ? tk::max(x_13, t28) : x_13;
        }, y_3, t26, t28);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t29;
        tk::exchange_rows<5>(t29, x_12, shared.turn0_turned[0], thread, 2);

        // fft_conv.tk:181: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
        tk::column_fragment<float, 64> top;
        tk::map(top, [&](float x_12, float t29) { return n1 > 32 ? tk::max(x_12, t29) : x_12; },
                x_12, t29);

        // fft_conv.tk:182: let down = 1.0 / where(top > 0, top, 1);
        tk::column_fragment<float, 64> down;
        tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

        // fft_conv.tk:183: store(K[0, r.start +: 64, :], f16(z.re * down));
        tk::fragment<tk::f16, 64, 64> t30;
        tk::map(t30, [](float z_re, float down) { return z_re * down; }, z_re, down);
        tk::store_global(tk::slice(K, {0, r, 0}, Q - r, 64), t30, thread);

        // fft_conv.tk:184: store(K[1, r.start +: 64, :], f16(z.im * (down * sign)));
        tk::column_fragment<float, 64> t11;
        tk::map(t11, [&](float down) { return down * sign; }, down);
        tk::fragment<tk::f16, 64, 64> t31;
        tk::map(t31, [](float z_im, float t11) { return z_im * t11; }, z_im, t11);
        tk::store_global(tk::slice(K, {1, r, 0}, Q - r, 64), t31, thread);

        // fft_conv.tk:185: store(Scale[r.start +: 64], top * size * (f32(8 * root * root * root) ..
        tk::column_fragment<float, 64> t32;
        tk::map(t32, [&](float top, float size) {
            return top * size * tk::divide(
                float(
                    tk::wrapping_multiply(
                        tk::wrapping_multiply(tk::wrapping_multiply(8, root), root), root)),
                float(n1));
        }, top, size);
        tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r}, Q - r, 1), t32, thread);
    } else {
        // fft_conv.tk:187: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> fs_next;
        const int program = blockIdx.x;
        const int r = program * 128;

        // fft_conv.tk:188: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:189: var x: f32[64, 64] = consume hs1;
        shared.hs1.wait_full(f);
        tk::fragment<float, 64, 64> x;
        tk::load_shared(x, shared.hs1_tile[f.stage], thread);
        shared.hs1.release_after_loads(f);

        // fft_conv.tk:141: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
        tk::fragment<float, 64, 64> t0;
        tk::map(t0, [](float x) { return tk::abs(x); }, x);
        tk::column_fragment<float, 64> t1;
        tk::fold_rows(t1, t0, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{});

        // fft_conv.tk:139: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
        tk::column_fragment<float, 64> t2;
        tk::exchange_rows<0>(t2, t1);
        tk::column_fragment<float, 64> t3;
        tk::map(t3, [&](float t1, float t2) { return n1 > 1 ? tk::max(t1, t2) : t1; }, t1, t2);
        tk::column_fragment<float, 64> t4;
        tk::exchange_rows<1>(t4, t3);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_2;
        tk::map(x_2, [&](float t1, float t2, float t4) {
            const float x_13 = n1 > 1 ? tk::max(t1, t2) : t1;
            return n1 > 2 ? tk::max(x_13, t4) : x_13;
        }, t1, t2, t4);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t5;
        tk::exchange_rows<2>(t5, x_2);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y;
        tk::map(y, [&](float x_2, float t5) { return n1 > 4 ? tk::max(x_2, t5) : x_2; }, x_2, t5);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t6;
        tk::exchange_rows<3>(t6, y);
        tk::column_fragment<float, 64> t7;
        tk::map(t7, [&](float y, float t6) { return n1 > 8 ? tk::max(y, t6) : y; }, y, t6);
        tk::column_fragment<float, 64> t8;
        tk::exchange_rows<4>(t8, t7, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:142: return step(step(step(y, n1, 3), n1, 4), n1, 5);
        tk::column_fragment<float, 64> x_3;
        tk::map(x_3, [&](float y, float t6, float t8) {
            const float x_13 = n1 > 8 ? tk::max(y, t6) : y;
            return n1 > 16 ? tk::max(x_13, t8) : x_13;
        }, y, t6, t8);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t9;
        tk::exchange_rows<5>(t9, x_3, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:191: let size = where(most > 0, most, 1);
        tk::column_fragment<float, 64> size;
        tk::map(size, [&](float x_3, float t9) {
            const float x_13 = n1 > 32 ? tk::max(x_3, t9) : x_3;
            return x_13 > 0.0f ? x_13 : 1.0f;
        }, x_3, t9);

        // fft_conv.tk:192: x = x / size;
        tk::map(x, [](float x, float size) { return tk::divide(x, size); }, x, size);

        // fft_conv.tk:193: let hi = shared(f16(x));
        tk::fragment<tk::f16, 64, 64> t10 = tk::convert<tk::f16>(x);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_hi[0], t10, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:194: let lo = shared(rest(x));
        tk::fragment<tk::f16, 64, 64> t12;
        tk::map(t12, [](float x, tk::f16 t10) { return x - float(t10); }, x, t10);
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.turn1_lo[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // fft_conv.tk:114: var x = mma(a, b);
        tk::fragment<float, 64, 64> a;
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_hi[0], tk::accumulate_never{});

        // fft_conv.tk:115: x += mma(a_rest, b);
        tk::mma_async(a, shared.fs_left_re_rest[f.stage], shared.turn1_hi[0]);

        // fft_conv.tk:116: x += mma(a, b_rest);
        tk::mma_async(a, shared.fs_left_re[f.stage], shared.turn1_lo[0]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> b;
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_hi[0], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(b, shared.fs_left_im_rest[f.stage], shared.turn1_hi[0]);
        // fft_conv.tk:116
        tk::mma_async(b, shared.fs_left_im[f.stage], shared.turn1_lo[0]);

        // fft_conv.tk:123: let c = f32(turn_re) + turn_re_rest;
        tk::fragment<tk::f16, 64, 64> t13;
        tk::load_shared(t13, shared.fs_turn_re[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t14;
        tk::load_shared(t14, shared.fs_turn_re_rest[f.stage], thread);
        tk::fragment<float, 64, 64> c;
        tk::map(c, [](tk::f16 t13, tk::f16 t14) { return float(t13) + float(t14); }, t13, t14);

        // fft_conv.tk:124: let d = f32(turn_im) + turn_im_rest;
        tk::fragment<tk::f16, 64, 64> t15;
        tk::load_shared(t15, shared.fs_turn_im[f.stage], thread);
        tk::fragment<tk::f16, 64, 64> t16;
        tk::load_shared(t16, shared.fs_turn_im_rest[f.stage], thread);
        tk::fragment<float, 64, 64> d;
        tk::map(d, [](tk::f16 t15, tk::f16 t16) { return float(t15) + float(t16); }, t15, t16);
        tk::mma_wait<0>(a, b);

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
        tk::fragment<float, 64, 64> z_re;
        tk::mma_async(z_re, u_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_re, u_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_re, u_hi, shared.fs_re_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_8;
        tk::mma_async(x_8, v_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_8, v_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_8, v_hi, shared.fs_im_rest[f.stage]);
        tk::mma_wait<0>(z_re, x_8, u_hi, u_lo, v_hi, v_lo);

        // fft_conv.tk:132: x -= product(v_hi, v_lo, im, im_rest);
        tk::map(z_re, [](float z_re, float x_8) { return z_re - x_8; }, z_re, x_8);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> z_im;
        tk::mma_async(z_im, u_hi, shared.fs_im[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(z_im, u_lo, shared.fs_im[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(z_im, u_hi, shared.fs_im_rest[f.stage]);
        // fft_conv.tk:114
        tk::fragment<float, 64, 64> x_10;
        tk::mma_async(x_10, v_hi, shared.fs_re[f.stage], tk::accumulate_never{});
        // fft_conv.tk:115
        tk::mma_async(x_10, v_lo, shared.fs_re[f.stage]);
        // fft_conv.tk:116
        tk::mma_async(x_10, v_hi, shared.fs_re_rest[f.stage]);
        tk::mma_wait<0>(z_im, x_10, u_hi, u_lo, v_hi, v_lo);
        shared.fs.release_after_loads(f);

        // fft_conv.tk:134: y += product(v_hi, v_lo, re, re_rest);
        tk::map(z_im, [](float z_im, float x_10) { return z_im + x_10; }, z_im, x_10);
        // fft_conv.tk:141
        tk::fragment<float, 64, 64> t20;
        tk::map(t20, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
                z_re, z_im);
        tk::column_fragment<float, 64> t21;
        tk::fold_rows(t21, t20, tk::maximum{}, thread);
        tk::finish_rows(t21, tk::maximum{});
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t22;
        tk::exchange_rows<0>(t22, t21);
        tk::column_fragment<float, 64> t23;
        tk::map(t23, [&](float t21, float t22) { return n1 > 1 ? tk::max(t21, t22) : t21; },
                t21, t22);
        tk::column_fragment<float, 64> t24;
        tk::exchange_rows<1>(t24, t23);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> x_11;
        tk::map(x_11, [&](float t21, float t22, float t24) {
            const float x_13 = n1 > 1 ? tk::max(t21, t22) : t21;
            return n1 > 2 ? tk::max(x_13, t24) : x_13;
        }, t21, t22, t24);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t25;
        tk::exchange_rows<2>(t25, x_11);
        // fft_conv.tk:141
        tk::column_fragment<float, 64> y_3;
        tk::map(y_3, [&](float x_11, float t25) { return n1 > 4 ? tk::max(x_11, t25) : x_11; },
                x_11, t25);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t26;
        tk::exchange_rows<3>(t26, y_3);
        tk::column_fragment<float, 64> t27;
        tk::map(t27, [&](float y_3, float t26) { return n1 > 8 ? tk::max(y_3, t26) : y_3; },
                y_3, t26);
        tk::column_fragment<float, 64> t28;
        tk::exchange_rows<4>(t28, t27, shared.turn1_turned[0], thread, 4);
        // fft_conv.tk:142
        tk::column_fragment<float, 64> x_12;
        tk::map(x_12, [&](float y_3, float t26, float t28) {
            const float x_13 = n1 > 8 ? tk::max(y_3, t26) : y_3;
            return n1 > 16 ? tk::max(x_13, t28) : x_13;
        }, y_3, t26, t28);
        // fft_conv.tk:139
        tk::column_fragment<float, 64> t29;
        tk::exchange_rows<5>(t29, x_12, shared.turn1_turned[0], thread, 4);

        // fft_conv.tk:198: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
        tk::column_fragment<float, 64> top;
        tk::map(top, [&](float x_12, float t29) { return n1 > 32 ? tk::max(x_12, t29) : x_12; },
                x_12, t29);

        // fft_conv.tk:199: let down = 1.0 / where(top > 0, top, 1);
        tk::column_fragment<float, 64> down;
        tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

        // fft_conv.tk:200: store(K[0, r.start + 64 +: 64, :], f16(z.re * down));
        tk::fragment<tk::f16, 64, 64> t30;
        tk::map(t30, [](float z_re, float down) { return z_re * down; }, z_re, down);
        tk::store_global(tk::slice(K, {0, r + 64, 0}, Q - (r + 64), 64), t30, thread);

        // fft_conv.tk:201: store(K[1, r.start + 64 +: 64, :], f16(z.im * (down * sign)));
        tk::column_fragment<float, 64> t11;
        tk::map(t11, [&](float down) { return down * sign; }, down);
        tk::fragment<tk::f16, 64, 64> t31;
        tk::map(t31, [](float z_im, float t11) { return z_im * t11; }, z_im, t11);
        tk::store_global(tk::slice(K, {1, r + 64, 0}, Q - (r + 64), 64), t31, thread);

        // fft_conv.tk:202: store(Scale[r.start + 64 +: 64], top * size * (f32(8 * root * root * ..
        tk::column_fragment<float, 64> t32;
        tk::map(t32, [&](float top, float size) {
            return top * size * tk::divide(
                float(
                    tk::wrapping_multiply(
                        tk::wrapping_multiply(tk::wrapping_multiply(8, root), root), root)),
                float(n1));
        }, top, size);
        tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r + 64}, Q - (r + 64), 1), t32, thread);
    }
}

// fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false: kernel fft_conv.convolve with T = bf16,
// GATE_IN = false, GATE_OUT = false.
// producer0: 1 warp, 24 registers a thread; producer1: 1 warp, 24 registers a thread; turn0: 1
// warpgroup, 240 registers a thread; turn1: 1 warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 231536 bytes of shared memory.
struct fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_shared {
    tk::shared_tile<tk::f16, 64, 64> fs_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_im[1];
    tk::shared_tile<tk::f16, 64, 64> fs_minus[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_re[1];
    tk::shared_tile<tk::f16, 64, 64> fs_turn_im[1];
    tk::shared_tile<tk::f16, 64, 64> ks0_re[2];
    tk::shared_tile<tk::f16, 64, 64> ks0_im[2];
    tk::shared_tile<float, 64, 1> ks0_scale[2];
    tk::shared_tile<tk::bf16, 64, 64> us0_tile[1];
    tk::shared_tile<tk::f16, 64, 64> ks1_re[2];
    tk::shared_tile<tk::f16, 64, 64> ks1_im[2];
    tk::shared_tile<float, 64, 1> ks1_scale[2];
    tk::shared_tile<tk::bf16, 64, 64> us1_tile[1];
    tk::shared_tile<tk::f16, 64, 64> turn0_v[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t16[2];
    tk::shared_tile<tk::f16, 64, 64> turn0_t18[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_v[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_t16[2];
    tk::shared_tile<tk::f16, 64, 64> turn1_t18[1];
    tk::shared_tile<tk::bf16, 64, 64> turn0_Y[1];
    tk::shared_tile<tk::bf16, 64, 64> turn1_Y[1];
    tk::pipeline<1> fs;
    tk::pipeline<2> ks0;
    tk::pipeline<1> us0;
    tk::pipeline<2> ks1;
    tk::pipeline<1> us1;
};
static_assert(offsetof(fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_shared, us1) ==
              231520);

__global__ void __launch_bounds__(384, 1) fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap Scale_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap U_map, const __grid_constant__ CUtensorMap Y_map, int B,
    int R, int tiles, int batch) {
    extern __shared__ __align__(1024) unsigned char memory[];
    fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_shared& shared =
        *reinterpret_cast<fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(F_map, Turn_map, Scale_map, K_map, U_map, Y_map);
        shared.fs.init(1, 8);
        shared.ks0.init(1, 4);
        shared.us0.init(1, 4);
        shared.ks1.init(1, 4);
        shared.us1.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        // fft_conv.tk:222: role producer0(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, us0_next;
            tk::cursor<2> ks0_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv.tk:223: produce fs {
            shared.fs.begin(fs_next, 40960);

            // fft_conv.tk:224: re = tma_load(F[4, :, :]); im = tma_load(F[5, :, :]); minus = ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 6, 0,
                         0);

            // fft_conv.tk:225: turn_re = tma_load(Turn[0, :, :]); turn_im = tma_load(Turn[1, :, ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            // fft_conv.tk:223
            fs_next.advance();

            // fft_conv.tk:227: produce ks0 { re = tma_load(F[0, :, :]); im = tma_load(F[1, :, ..
            shared.ks0.begin(ks0_next, 16640);
            tk::tma_load(shared.ks0_re[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.ks0_im[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                         shared.ks0.full[ks0_next.stage], 0);
            ks0_next.advance();

            // fft_conv.tk:228: produce ks0 { re = tma_load(F[2, :, :]); im = tma_load(F[3, :, ..
            shared.ks0.begin(ks0_next, 16640);
            tk::tma_load(shared.ks0_re[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.ks0_im[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 3,
                         0, 0);
            tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                         shared.ks0.full[ks0_next.stage], 0);
            ks0_next.advance();

            // fft_conv.tk:229: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv.tk:230: produce ks0 {
                shared.ks0.begin(ks0_next, 16640);

                // fft_conv.tk:231: re = tma_load(K[0, 2 * r.start +: 64, :]); im = tma_load(K[1, ..
                tk::tma_load(shared.ks0_re[ks0_next.stage], K_map, shared.ks0.full[ks0_next.stage],
                             0, 2 * r, 0);
                tk::tma_load(shared.ks0_im[ks0_next.stage], K_map, shared.ks0.full[ks0_next.stage],
                             1, 2 * r, 0);

                // fft_conv.tk:232: scale = column(tma_load(Scale[2 * r.start +: 64]));
                tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                             shared.ks0.full[ks0_next.stage], 2 * r);
                // fft_conv.tk:230
                ks0_next.advance();

                // fft_conv.tk:234: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv.tk:235: produce us0 = tma_load(U[b, 2 * r.start +: 64, :]);
                    shared.us0.begin(us0_next, 8192);
                    tk::tma_load(shared.us0_tile[us0_next.stage], U_map,
                                 shared.us0.full[us0_next.stage], b, 2 * r, 0);
                    us0_next.advance();
                }
            }
        }
        // fft_conv.tk:241: role producer1(1 warp) {
        if (warp == 9 && tk::elect_one()) {
            tk::cursor<2> ks1_next;
            tk::cursor<1> us1_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv.tk:242: produce ks1 { re = tma_load(F[0, :, :]); im = tma_load(F[1, :, ..
            shared.ks1.begin(ks1_next, 16640);
            tk::tma_load(shared.ks1_re[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.ks1_im[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                         shared.ks1.full[ks1_next.stage], 0);
            ks1_next.advance();

            // fft_conv.tk:243: produce ks1 { re = tma_load(F[2, :, :]); im = tma_load(F[3, :, ..
            shared.ks1.begin(ks1_next, 16640);
            tk::tma_load(shared.ks1_re[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.ks1_im[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 3,
                         0, 0);
            tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                         shared.ks1.full[ks1_next.stage], 0);
            ks1_next.advance();

            // fft_conv.tk:244: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv.tk:245: produce ks1 {
                shared.ks1.begin(ks1_next, 16640);

                // fft_conv.tk:246: re = tma_load(K[0, 2 * r.start + 64 +: 64, :]); im = ..
                tk::tma_load(shared.ks1_re[ks1_next.stage], K_map, shared.ks1.full[ks1_next.stage],
                             0, 2 * r + 64, 0);
                tk::tma_load(shared.ks1_im[ks1_next.stage], K_map, shared.ks1.full[ks1_next.stage],
                             1, 2 * r + 64, 0);

                // fft_conv.tk:247: scale = column(tma_load(Scale[2 * r.start + 64 +: 64]));
                tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                             shared.ks1.full[ks1_next.stage], 2 * r + 64);
                // fft_conv.tk:245
                ks1_next.advance();

                // fft_conv.tk:249: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv.tk:250: produce us1 = tma_load(U[b, 2 * r.start + 64 +: 64, :]);
                    shared.us1.begin(us1_next, 8192);
                    tk::tma_load(shared.us1_tile[us1_next.stage], U_map,
                                 shared.us1.full[us1_next.stage], b, 2 * r + 64, 0);
                    us1_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv.tk:256: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next, us0_next;
        tk::cursor<2> ks0_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv.tk:257: let m = consume ks0;
        const tk::cursor<2> m = shared.ks0.take(ks0_next);

        // fft_conv.tk:26: var y: f16[64, 64] = x;
        tk::fragment<tk::f16, 64, 64> left_re;
        tk::load_shared(left_re, shared.ks0_re[m.stage], thread);
        tk::fragment<tk::f16, 64, 64> left_im;
        tk::load_shared(left_im, shared.ks0_im[m.stage], thread);
        shared.ks0.release_after_loads(m);

        // fft_conv.tk:260: let t = consume ks0;
        const tk::cursor<2> t = shared.ks0.take(ks0_next);
        // fft_conv.tk:26
        tk::fragment<tk::f16, 64, 64> back_re;
        tk::load_shared(back_re, shared.ks0_re[t.stage], thread);
        tk::fragment<tk::f16, 64, 64> back_im;
        tk::load_shared(back_im, shared.ks0_im[t.stage], thread);
        shared.ks0.release_after_loads(t);

        // fft_conv.tk:263: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:264: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> x;
        tk::fragment<float, 64, 64> y_7;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_10;
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::fragment<tk::f16, 64, 64> b_4;
        tk::fragment<float, 64, 64> y_13;
        tk::fragment<float, 64, 64> y_14;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv.tk:265: let k = consume ks0;
            const tk::cursor<2> k = shared.ks0.take(ks0_next);

            // fft_conv.tk:266: for b in p * batch..min((p + 1) * batch, B) {
            tk::barrier_sync(2, 128);
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv.tk:267: var u = f32(consume us0);
                const tk::cursor<1> us0_element = shared.us0.take(us0_next);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.us0_tile[us0_element.stage], thread);
                shared.us0.release_after_loads(us0_element);
                u = tk::convert<float>(t1);

                // fft_conv.tk:269: let v = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn0_v[tk::remainder(b, 2)], t0, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<tk::f16, 64, 64> left_re_again = tk::renewed(left_re);
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, left_re_again, shared.turn0_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 64> left_im_again = tk::renewed(left_im);
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, left_im_again, shared.turn0_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                // fft_conv.tk:26
                tk::load_shared(a, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(z_re, z_im, left_re_again, left_im_again);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(x, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(x, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(y_7, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(y_7, t6, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.ks0_re[k.stage], thread);
                tk::load_shared(b_3, shared.ks0_im[k.stage], thread);
                tk::mma_wait<0>(x, y_7, t4, t6);
                // fft_conv.tk:44
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, [](float x, tk::f16 a_2, float y_7, tk::f16 b_3) {
                    return tk::fma(x, float(a_2), -(y_7 * float(b_3)));
                }, x, a_2, y_7, b_3);
                tk::mma_async(x_2, t10, shared.fs_re[f.stage], tk::accumulate_never{});
                // fft_conv.tk:45
                tk::fragment<tk::f16, 64, 64> t12;
                tk::map(t12, [](float x, tk::f16 b_3, float y_7, tk::f16 a_2) {
                    return tk::fma(x, float(b_3), y_7 * float(a_2));
                }, x, b_3, y_7, a_2);
                tk::mma_async(x_2, t12, shared.fs_im[f.stage]);
                // fft_conv.tk:46
                tk::mma_async(y_10, t10, shared.fs_minus[f.stage], tk::accumulate_never{});
                // fft_conv.tk:47
                tk::mma_async(y_10, t12, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_3, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_4, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(x_2, y_10, t10, t12);

                // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re_2;
                tk::map(t_re_2, [](float x_2, tk::f16 a_3, float y_10, tk::f16 b_4) {
                    return tk::fma(x_2, float(a_3), y_10 * float(b_4));
                }, x_2, a_3, y_10, b_4);
                tk::fragment<tk::f16, 64, 64> t_im_2;
                tk::map(t_im_2, [](float y_10, tk::f16 a_3, float x_2, tk::f16 b_4) {
                    return tk::fma(y_10, float(a_3), -(x_2 * float(b_4)));
                }, y_10, a_3, x_2, b_4);

                // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn0_t16[tk::remainder(b, 2)], t_re_2, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::fragment<tk::f16, 64, 64> back_re_again = tk::renewed(back_re);
                tk::mma_async(y_13, back_re_again, shared.turn0_t16[tk::remainder(b, 2)],
                              tk::accumulate_never{});

                // fft_conv.tk:62: y += mma(left_im, shared(t.im));
                tk::store_shared(shared.turn0_t18[tk::remainder(b, 2)], t_im_2, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::fragment<tk::f16, 64, 64> back_im_again = tk::renewed(back_im);
                tk::mma_async(y_13, back_im_again, shared.turn0_t18[tk::remainder(b, 2)]);
                tk::mma_wait<0>(y_13, back_re_again, back_im_again);

                // fft_conv.tk:270: var y = inverse(times(forward(v, left_re, left_im, f.re, ..
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ks0_scale[k.stage], row, 0);
                });
                tk::map(y_14, [](float y_13, float t2) { return y_13 * t2; }, y_13, t2);

                // fft_conv.tk:273: tma_store(Y[b, 2 * r.start +: 64, :], T(y));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::store_shared(shared.turn0_Y[0], tk::convert<tk::bf16>(y_14), thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(Y_map, shared.turn0_Y[0], b, 2 * r, panel);
                }
            }
            shared.ks0.release_after_loads(k);
        }
        shared.fs.release_after_loads(f);

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // fft_conv.tk:277: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next, us1_next;
        tk::cursor<2> ks1_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv.tk:278: let m = consume ks1;
        const tk::cursor<2> m = shared.ks1.take(ks1_next);

        // fft_conv.tk:26: var y: f16[64, 64] = x;
        tk::fragment<tk::f16, 64, 64> left_re;
        tk::load_shared(left_re, shared.ks1_re[m.stage], thread);
        tk::fragment<tk::f16, 64, 64> left_im;
        tk::load_shared(left_im, shared.ks1_im[m.stage], thread);
        shared.ks1.release_after_loads(m);

        // fft_conv.tk:281: let t = consume ks1;
        const tk::cursor<2> t = shared.ks1.take(ks1_next);
        // fft_conv.tk:26
        tk::fragment<tk::f16, 64, 64> back_re;
        tk::load_shared(back_re, shared.ks1_re[t.stage], thread);
        tk::fragment<tk::f16, 64, 64> back_im;
        tk::load_shared(back_im, shared.ks1_im[t.stage], thread);
        shared.ks1.release_after_loads(t);

        // fft_conv.tk:284: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:285: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> a;
        tk::fragment<tk::f16, 64, 64> b_2;
        tk::fragment<float, 64, 64> x;
        tk::fragment<float, 64, 64> y_7;
        tk::fragment<tk::f16, 64, 64> a_2;
        tk::fragment<tk::f16, 64, 64> b_3;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_10;
        tk::fragment<tk::f16, 64, 64> a_3;
        tk::fragment<tk::f16, 64, 64> b_4;
        tk::fragment<float, 64, 64> y_13;
        tk::fragment<float, 64, 64> y_14;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv.tk:286: let k = consume ks1;
            const tk::cursor<2> k = shared.ks1.take(ks1_next);

            // fft_conv.tk:287: for b in p * batch..min((p + 1) * batch, B) {
            tk::barrier_sync(4, 128);
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv.tk:288: var u = f32(consume us1);
                const tk::cursor<1> us1_element = shared.us1.take(us1_next);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.us1_tile[us1_element.stage], thread);
                shared.us1.release_after_loads(us1_element);
                u = tk::convert<float>(t1);

                // fft_conv.tk:290: let v = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn1_v[tk::remainder(b, 2)], t0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // fft_conv.tk:53: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<tk::f16, 64, 64> left_re_again = tk::renewed(left_re);
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, left_re_again, shared.turn1_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 64> left_im_again = tk::renewed(left_im);
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, left_im_again, shared.turn1_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                // fft_conv.tk:26
                tk::load_shared(a, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_2, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(z_re, z_im, left_re_again, left_im_again);

                // fft_conv.tk:44: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(x, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:45: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(x, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:46: var y = mma(z.re, im);
                tk::mma_async(y_7, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:47: y += mma(z.im, re);
                tk::mma_async(y_7, t6, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_2, shared.ks1_re[k.stage], thread);
                tk::load_shared(b_3, shared.ks1_im[k.stage], thread);
                tk::mma_wait<0>(x, y_7, t4, t6);
                // fft_conv.tk:44
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, [](float x, tk::f16 a_2, float y_7, tk::f16 b_3) {
                    return tk::fma(x, float(a_2), -(y_7 * float(b_3)));
                }, x, a_2, y_7, b_3);
                tk::mma_async(x_2, t10, shared.fs_re[f.stage], tk::accumulate_never{});
                // fft_conv.tk:45
                tk::fragment<tk::f16, 64, 64> t12;
                tk::map(t12, [](float x, tk::f16 b_3, float y_7, tk::f16 a_2) {
                    return tk::fma(x, float(b_3), y_7 * float(a_2));
                }, x, b_3, y_7, a_2);
                tk::mma_async(x_2, t12, shared.fs_im[f.stage]);
                // fft_conv.tk:46
                tk::mma_async(y_10, t10, shared.fs_minus[f.stage], tk::accumulate_never{});
                // fft_conv.tk:47
                tk::mma_async(y_10, t12, shared.fs_re[f.stage]);
                // fft_conv.tk:26
                tk::load_shared(a_3, shared.fs_turn_re[f.stage], thread);
                tk::load_shared(b_4, shared.fs_turn_im[f.stage], thread);
                tk::mma_wait<0>(x_2, y_10, t10, t12);

                // fft_conv.tk:60: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re_2;
                tk::map(t_re_2, [](float x_2, tk::f16 a_3, float y_10, tk::f16 b_4) {
                    return tk::fma(x_2, float(a_3), y_10 * float(b_4));
                }, x_2, a_3, y_10, b_4);
                tk::fragment<tk::f16, 64, 64> t_im_2;
                tk::map(t_im_2, [](float y_10, tk::f16 a_3, float x_2, tk::f16 b_4) {
                    return tk::fma(y_10, float(a_3), -(x_2 * float(b_4)));
                }, y_10, a_3, x_2, b_4);

                // fft_conv.tk:61: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn1_t16[tk::remainder(b, 2)], t_re_2, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::f16, 64, 64> back_re_again = tk::renewed(back_re);
                tk::mma_async(y_13, back_re_again, shared.turn1_t16[tk::remainder(b, 2)],
                              tk::accumulate_never{});

                // fft_conv.tk:62: y += mma(left_im, shared(t.im));
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_t18[0], t_im_2, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::f16, 64, 64> back_im_again = tk::renewed(back_im);
                tk::mma_async(y_13, back_im_again, shared.turn1_t18[0]);
                tk::mma_wait<0>(y_13, back_re_again, back_im_again);

                // fft_conv.tk:291: var y = inverse(times(forward(v, left_re, left_im, f.re, ..
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ks1_scale[k.stage], row, 0);
                });
                tk::map(y_14, [](float y_13, float t2) { return y_13 * t2; }, y_13, t2);

                // fft_conv.tk:294: tma_store(Y[b, 2 * r.start + 64 +: 64, :], T(y));
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(3, 128);
                    tk::store_shared(shared.turn1_Y[0], tk::convert<tk::bf16>(y_14), thread);
                    tk::fence_async();
                    tk::barrier_sync(3, 128);
                    if (leader) tk::tma_store(Y_map, shared.turn1_Y[0], b, 2 * r + 64, panel);
                }
            }
            shared.ks1.release_after_loads(k);
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

tk::status launch_fft_conv_spectrum(
    const tk::launch_site& site, const tk::tensor& Filter, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Rest, const tk::tensor& K, const tk::tensor& Scale,
    int64_t Q, int32_t n1, int32_t root, float sign) {
    return tk::run<fft_conv_spectrum_kernel>(
        site, sizeof(fft_conv_spectrum_shared), tk::kernel_shape(384).overlapping(),
        tk::ceil_div(Q, 128), tk::box{F, {1, 64, 64}, 128}, tk::box{Rest, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Filter, {64, 32}, 128},
        tk::box{K, {1, 64, 64}, 128}, Scale, Q, n1, root, sign);
}

tk::status launch_fft_conv_spectrum_general(
    const tk::launch_site& site, const tk::tensor& Filter, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Rest, const tk::tensor& K, const tk::tensor& Scale,
    int64_t Q, int32_t n1, int32_t root, float sign) {
    return tk::run<fft_conv_spectrum_general_kernel>(
        site, sizeof(fft_conv_spectrum_general_shared), tk::kernel_shape(384).overlapping(),
        tk::ceil_div(Q, 128), tk::box{F, {1, 64, 64}, 128}, tk::box{Rest, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Filter, {64, 32}, 128}, K, Scale, Q, n1, root,
        sign);
}

tk::status launch_fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& F, const tk::tensor& Turn,
    const tk::tensor& K, const tk::tensor& Scale, const tk::tensor& Y, int64_t B, int64_t R,
    int32_t tiles, int32_t batch) {
    return tk::run<fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_kernel>(
        site, sizeof(fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false_shared),
        tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Scale, {64}, 0}, tk::box{K, {1, 64, 64}, 128},
        tk::box{U, {1, 64, 64}, 128}, tk::box{Y, {1, 64, 64}, 128}, B, R, tiles, batch);
}

tk::status launch_filter_gradients(
    const tk::launch_site& site, const tk::tensor& U, const tk::tensor& dY, const tk::tensor& F,
    const tk::tensor& Turn, const tk::tensor& Part, int64_t B, int64_t R, int32_t n1, int32_t root,
    int32_t tiles, int32_t batch) {
    return tk::run<filter_gradients_kernel>(
        site, sizeof(filter_gradients_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{U, {1, 64, 64}, 128},
        tk::box{dY, {1, 64, 64}, 128}, Part, B, R, n1, root, tiles, batch);
}

tk::status launch_sums_of_parts(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& Sum, int64_t P, int64_t R) {
    return tk::run<sums_of_parts_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                         tk::ceil_div(R, 16), Part, Sum, P, R);
}

tk::status launch_sums_of_parts_general(const tk::launch_site& site, const tk::tensor& Part,
                                        const tk::tensor& Sum, int64_t P, int64_t R) {
    return tk::run<sums_of_parts_general_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                                 tk::ceil_div(R, 16), Part, Sum, P, R);
}

}  // namespace

extern "C" {
int filter_gradients(const DLTensor* U_given, const DLTensor* GateIn_given,
                     const DLTensor* GateOut_given, const DLTensor* dY_given,
                     const DLTensor* F_given, const DLTensor* Turn_given, DLTensor* Part_given,
                     int32_t n1, int32_t root, int32_t tiles, int32_t batch, void*, size_t,
                     cudaStream_t stream) {
    tk::arguments call{"filter_gradients"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t R = U.shape[1];
    const int64_t BI = GateIn.shape[0];
    const int64_t BO = GateOut.shape[0];
    call.require({
        tk::fixed_extent(U, 2, 64), tk::same_extent("R", U, 1, GateIn, 1),
        tk::fixed_extent(GateIn, 2, 64), tk::same_extent("R", U, 1, GateOut, 1),
        tk::fixed_extent(GateOut, 2, 64), tk::same_extent("B", U, 0, dY, 0),
        tk::same_extent("R", U, 1, dY, 1), tk::fixed_extent(dY, 2, 64), tk::fixed_extent(F, 0, 7),
        tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2),
        tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
        tk::same_extent("R", U, 1, Part, 1), tk::fixed_extent(Part, 2, 64),
        tk::extents_fit({{"B", B}, {"R", R}, {"BI", BI}, {"BO", BO}}),
        tk::that(1 <= int64_t{batch},
                 "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                 {int64_t{batch}}),
        tk::that(Part.shape[0] == tk::ceil_div(B, int64_t{batch}),
                 "axis 0 of `Part` is {}; it must be `ceil_div(B, batch)`, which is {}",
                 {Part.shape[0], tk::ceil_div(B, int64_t{batch})}),
        tk::fits("128*tiles", 128 * int64_t{tiles}),
        tk::that(-2147483648 <= 128 * int64_t{tiles},
                 "`128*tiles` reaches {}; it must fit in 32 bits", {128 * int64_t{tiles}}),
        tk::that(int64_t{n1} >= 1, "`filter_gradients` requires `n1 >= 1`"),
        tk::that(int64_t{n1} <= 64, "`filter_gradients` requires `n1 <= 64`"),
        tk::that(int64_t{root} >= 1, "`filter_gradients` requires `root >= 1`"),
        tk::that(int64_t{root} <= 8, "`filter_gradients` requires `root <= 8`"),
        tk::that(int64_t{tiles} > 0, "`filter_gradients` requires `tiles > 0`"),
        tk::that(int64_t{batch} > 0, "`filter_gradients` requires `batch > 0`"),
        tk::that(0 < int64_t{batch},
                 "`batch` is at least 1, because `filter_gradients` divides by it"),
        tk::that(0 < 128 * int64_t{tiles},
                 "`128*tiles` is at least 1, because `filter_gradients` divides by it"),
        tk::suits_tma_load(U), tk::suits_tma_load(dY), tk::suits_tma_load(F),
        tk::suits_tma_load(Turn),
        tk::that(1 <= 128 * int64_t{tiles},
                 "`ceil_div(R, 128*tiles)` divides by `128*tiles`, which is {}: it must be at least 1",
                 {128 * int64_t{tiles}}),
        tk::grid_fits(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                         tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), 2147483648),
        tk::fits("8*root", 8 * int64_t{root}),
        tk::that(-2147483648 <= 8 * int64_t{root}, "`8*root` reaches {}; it must fit in 32 bits",
                 {8 * int64_t{root}}),
        tk::fits("8*root*root", tk::multiply(8 * int64_t{root}, int64_t{root})),
        tk::that(-2147483648 <= tk::multiply(8 * int64_t{root}, int64_t{root}),
                 "`8*root*root` reaches {}; it must fit in 32 bits",
                 {tk::multiply(8 * int64_t{root}, int64_t{root})}),
        tk::fits("8*root*root*root",
                 tk::multiply(tk::multiply(8 * int64_t{root}, int64_t{root}), int64_t{root})),
        tk::that(-2147483648 <=
                 tk::multiply(tk::multiply(8 * int64_t{root}, int64_t{root}), int64_t{root}),
                 "`8*root*root*root` reaches {}; it must fit in 32 bits",
                 {tk::multiply(tk::multiply(8 * int64_t{root}, int64_t{root}), int64_t{root})}),
        tk::fits("64*tiles", 64 * int64_t{tiles}),
        tk::that(-2147483648 <= 64 * int64_t{tiles},
                 "`64*tiles` reaches {}; it must fit in 32 bits", {64 * int64_t{tiles}}),
        tk::fits("c*(64*tiles)",
                 tk::larger(0,
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                         64 * int64_t{tiles}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`c*(64*tiles)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                              64 * int64_t{tiles}))}),
        tk::fits("(c + 1)*(64*tiles)",
                 tk::larger(64 * int64_t{tiles},
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                         64 * int64_t{tiles}))),
        tk::that(-2147483648 <=
                 tk::smaller(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})),
                 "`(c + 1)*(64*tiles)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(64 * int64_t{tiles},
                                 tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                              64 * int64_t{tiles}))}),
        tk::fits("(c + 1)*(64*tiles) + 63",
                 tk::larger(64 * int64_t{tiles},
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                         64 * int64_t{tiles})) + 63),
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
        tk::fits("2*r.start",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1)),
        tk::that(-2147483648 <=
                 2 *
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`2*r.start` reaches {}; it must fit in 32 bits",
                 {2 *
                  tk::smaller(0,
                              tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                           64 * int64_t{tiles}))}),
        tk::fits("2*r.start + 64",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1) + 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<filter_gradients_kernel>(
        site, sizeof(filter_gradients_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{U, {1, 64, 64}, 128},
        tk::box{dY, {1, 64, 64}, 128}, Part, B, R, n1, root, tiles, batch));
}
TK_NO_WORKSPACE(filter_gradients, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, int32_t, int32_t,
                int32_t, int32_t)

int sums_of_parts(const DLTensor* Part_given, DLTensor* Sum_given, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"sums_of_parts"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    const int64_t R = Part.shape[1];
    call.require(
        {tk::fixed_extent(Part, 2, 64), tk::same_extent("R", Part, 1, Sum, 0),
         tk::fixed_extent(Sum, 1, 64), tk::extents_fit({{"P", P}, {"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(Sum)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<sums_of_parts_kernel, sums_of_parts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), tk::ceil_div(R, 16), Part, Sum,
        P, R));
}
TK_NO_WORKSPACE(sums_of_parts, const DLTensor*, DLTensor*)

int fft_conv_backward(const DLTensor* U_given, const DLTensor* Filter_given,
                      const DLTensor* GateIn_given, const DLTensor* GateOut_given,
                      const DLTensor* dY_given, DLTensor* dU_given, DLTensor* dFilter_given,
                      DLTensor* F_given, DLTensor* Turn_given, DLTensor* Rest_given,
                      DLTensor* K_given, DLTensor* Scale_given, DLTensor* Part_given, int32_t tiles,
                      int32_t batch, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"fft_conv_backward"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor dU = call.take("dU", dU_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor dFilter = call.take("dFilter", dFilter_given, tk::dtype_f32, 2,
                                         tk::access::write);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t R = U.shape[1];
    const int64_t Q = Filter.shape[0];
    const int64_t BI = GateIn.shape[0];
    const int64_t BO = GateOut.shape[0];
    call.require(
        {tk::fixed_extent(U, 2, 64), tk::fixed_extent(Filter, 1, 64),
         tk::same_extent("R", U, 1, GateIn, 1), tk::fixed_extent(GateIn, 2, 64),
         tk::same_extent("R", U, 1, GateOut, 1), tk::fixed_extent(GateOut, 2, 64),
         tk::same_extent("B", U, 0, dY, 0), tk::same_extent("R", U, 1, dY, 1),
         tk::fixed_extent(dY, 2, 64), tk::same_extent("B", U, 0, dU, 0),
         tk::same_extent("R", U, 1, dU, 1), tk::fixed_extent(dU, 2, 64),
         tk::same_extent("R", U, 1, dFilter, 0), tk::fixed_extent(dFilter, 1, 64),
         tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64),
         tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
         tk::fixed_extent(Rest, 0, 6), tk::fixed_extent(Rest, 1, 64), tk::fixed_extent(Rest, 2, 64),
         tk::fixed_extent(K, 0, 2), tk::same_extent("Q", Filter, 0, K, 1),
         tk::fixed_extent(K, 2, 64), tk::same_extent("Q", Filter, 0, Scale, 0),
         tk::same_extent("R", U, 1, Part, 1), tk::fixed_extent(Part, 2, 64),
         tk::extents_fit({{"B", B}, {"R", R}, {"Q", Q}, {"BI", BI}, {"BO", BO}}),
         tk::that(1 <= int64_t{batch},
                  "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                  {int64_t{batch}}),
         tk::that(Part.shape[0] == tk::ceil_div(B, int64_t{batch}),
                  "axis 0 of `Part` is {}; it must be `ceil_div(B, batch)`, which is {}",
                  {Part.shape[0], tk::ceil_div(B, int64_t{batch})}),
         tk::that(int64_t{tiles} > 0, "`fft_conv_backward` requires `tiles > 0`"),
         tk::that(int64_t{batch} > 0, "`fft_conv_backward` requires `batch > 0`"),
         tk::that(Q % 128 == 0, "`fft_conv_backward` requires `Q % 128 == 0`"),
         tk::that(Q >= R, "`fft_conv_backward` requires `Q >= R`"),
         tk::that(0 < int64_t{batch},
                  "`batch` is at least 1, because `fft_conv_backward` divides by it")});
    // fft_conv.convolve(dY, GateOut, GateIn, F, Turn, K, Scale, dU, tiles, batch)
    call.require({
        tk::fits("128*tiles", 128 * int64_t{tiles}),
        tk::that(-2147483648 <= 128 * int64_t{tiles},
                 "`128*tiles` reaches {}; it must fit in 32 bits", {128 * int64_t{tiles}}),
        tk::that(0 < 128 * int64_t{tiles},
                 "`128*tiles` is at least 1, because `convolve` divides by it"),
        tk::suits_tma_load(dY), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
        tk::suits_tma_load(K), tk::suits_tma_load(Scale, "Q"), tk::suits_tma_store(dU),
        tk::that(1 <= 128 * int64_t{tiles},
                 "`ceil_div(R, 128*tiles)` divides by `128*tiles`, which is {}: it must be at least 1",
                 {128 * int64_t{tiles}}),
        tk::grid_fits(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                         tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), 2147483648),
        tk::fits("64*tiles", 64 * int64_t{tiles}),
        tk::that(-2147483648 <= 64 * int64_t{tiles},
                 "`64*tiles` reaches {}; it must fit in 32 bits", {64 * int64_t{tiles}}),
        tk::fits("c*(64*tiles)",
                 tk::larger(0,
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                         64 * int64_t{tiles}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`c*(64*tiles)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                              64 * int64_t{tiles}))}),
        tk::fits("(c + 1)*(64*tiles)",
                 tk::larger(64 * int64_t{tiles},
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                         64 * int64_t{tiles}))),
        tk::that(-2147483648 <=
                 tk::smaller(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})),
                 "`(c + 1)*(64*tiles)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(64 * int64_t{tiles},
                                 tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                              64 * int64_t{tiles}))}),
        tk::fits("(c + 1)*(64*tiles) + 63",
                 tk::larger(64 * int64_t{tiles},
                            tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                         64 * int64_t{tiles})) + 63),
        tk::fits("2*r.start",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1)),
        tk::that(-2147483648 <=
                 2 *
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`2*r.start` reaches {}; it must fit in 32 bits",
                 {2 *
                  tk::smaller(0,
                              tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                           64 * int64_t{tiles}))}),
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
        tk::fits("2*r.start + 64",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1) + 64)});
    // filter_gradients(U, GateIn, GateOut, dY, F, Turn, Part, 64, 8, tiles, batch)
    call.require({tk::suits_tma_load(U)});
    // sums_of_parts(Part, dFilter)
    call.require({
        tk::that(tk::ceil_div(B, int64_t{batch}) < 2147221504,
                 "`ceil_div(B, batch)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(B, int64_t{batch})})});
    if (!call.ok()) return tk::finish(call.result());

    // fft_conv.tables(F, Turn, Rest, 64, 8, 1)
    const bool choice_1 = tk::hold({tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest)});

    // fft_conv.spectrum(Filter, F, Turn, Rest, K, Scale, 64, 8, -1.0)
    tk::selection choice_2{call};
    choice_2.candidate();  // fft_conv_spectrum
    choice_2.prefer(
        {tk::suits_fast(Filter), tk::suits_fast(F), tk::suits_fast(Turn), tk::suits_fast(Rest),
         tk::suits_fast(K)});
    choice_2.offer();
    choice_2.candidate(true);  // fft_conv_spectrum_general
    choice_2.require(
        {tk::suits_tma_load(Filter), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
         tk::suits_tma_load(Rest)});
    choice_2.offer();
    if (!choice_2.ok()) return tk::finish(choice_2.result());

    // sums_of_parts(Part, dFilter)
    const bool choice_5 = tk::hold({tk::suits_fast(Part), tk::suits_fast(dFilter)});

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
    if (choice_2.best(site) == 0) {
        TK_FINISH_IF_FAILED(launch_fft_conv_spectrum(
            site, Filter, tk::read_only(F), tk::read_only(Turn), tk::read_only(Rest), K, Scale, Q,
            static_cast<int32_t>(64), static_cast<int32_t>(8), static_cast<float>(-1.0f)));
    }
    if (choice_2.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_fft_conv_spectrum_general(
            site, Filter, tk::read_only(F), tk::read_only(Turn), tk::read_only(Rest), K, Scale, Q,
            static_cast<int32_t>(64), static_cast<int32_t>(8), static_cast<float>(-1.0f)));
    }
    TK_FINISH_IF_FAILED(launch_fft_conv_convolve_T_bf16_GATE_IN_false_GATE_OUT_false(
        site, dY, tk::read_only(F), tk::read_only(Turn), tk::read_only(K), tk::read_only(Scale), dU,
        B, R, tiles, batch));
    TK_FINISH_IF_FAILED(
        launch_filter_gradients(site, U, dY, tk::read_only(F), tk::read_only(Turn), Part, B, R,
                                static_cast<int32_t>(64), static_cast<int32_t>(8), tiles, batch));
    if (choice_5) {
        TK_FINISH_IF_FAILED(launch_sums_of_parts(
            site, tk::read_only(Part), dFilter, tk::ceil_div(B, int64_t{batch}), R));
    } else {
        TK_FINISH_IF_FAILED(launch_sums_of_parts_general(
            site, tk::read_only(Part), dFilter, tk::ceil_div(B, int64_t{batch}), R));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(fft_conv_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)
}  // extern "C"
