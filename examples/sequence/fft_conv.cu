// Made by tkc from fft_conv.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/exchange.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// tables: kernel tables.
// 128 threads, 48 registers each: tables_kernel<10, 8, 8, true>.
// tables_general: kernel tables; any strides and alignment.
// 128 threads, 255 registers each: tables_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) tables_kernel(
    const tk::tensor_argument<tk::f16, 3> F, const tk::tensor_argument<tk::f16, 3> Turn, int n1,
    int root, int quarters) {
    // fft_conv.tk:69: kernel tables(n1: i32, root: i32, quarters: i32, out F: f16[7, 64, 64], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 16;

    // fft_conv.tk:81: store(F[0, r, :], f16(inside * cosine(a)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t0;
    tk::map(t0, thread, [&](int row, int col) {
        const int x_7 = r + row;
        const float x_8 = tk::divide(
            float(
                tk::wrapping_multiply(col % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, x_7 % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_7 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            tk::cos((x_8 - tk::round(x_8)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {0, r, 0}, 64 - r, 64), t0, thread);

    // fft_conv.tk:82: store(F[1, r, :], f16(inside * -sine(a)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t1;
    tk::map(t1, thread, [&](int row, int col) {
        const int x_7 = r + row;
        const float x_8 = tk::divide(
            float(
                tk::wrapping_multiply(col % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, x_7 % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_7 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            -tk::sin((x_8 - tk::round(x_8)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {1, r, 0}, 64 - r, 64), t1, thread);

    // fft_conv.tk:83: store(F[2, r, :], f16(inside * cosine(b)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t2;
    tk::map(t2, thread, [&](int row, int col) {
        const int x_7 = r + row;
        const float x_8 = tk::divide(
            float(
                tk::wrapping_multiply(x_7 % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, col % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_7 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            tk::cos((x_8 - tk::round(x_8)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {2, r, 0}, 64 - r, 64), t2, thread);

    // fft_conv.tk:84: store(F[3, r, :], f16(inside * -sine(b)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t3;
    tk::map(t3, thread, [&](int row, int col) {
        const int x_7 = r + row;
        const float x_8 = tk::divide(
            float(
                tk::wrapping_multiply(x_7 % n1,
                                      tk::wrapping_add(tk::wrapping_multiply(4, col % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(4, n1)));
        return (x_7 / n1 == col / n1 ? tk::divide(1.0f, float(root)) : 0.0f) *
            -tk::sin((x_8 - tk::round(x_8)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {3, r, 0}, 64 - r, 64), t3, thread);

    // fft_conv.tk:85: store(F[4, r, :], f16(cosine(c) / 8));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int col) {
        const float x_7 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return tk::divide(tk::cos((x_7 - tk::round(x_7)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {4, r, 0}, 64 - r, 64), t4, thread);

    // fft_conv.tk:86: store(F[5, r, :], f16(-sine(c) / 8));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t5;
    tk::map(t5, thread, [&](int row, int col) {
        const float x_7 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return tk::divide(-tk::sin((x_7 - tk::round(x_7)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {5, r, 0}, 64 - r, 64), t5, thread);

    // fft_conv.tk:87: store(F[6, r, :], f16(sine(c) / 8));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t6;
    tk::map(t6, thread, [&](int row, int col) {
        const float x_7 = tk::divide(float(tk::wrapping_multiply(r + row, col)), 64.0f);
        return tk::divide(tk::sin((x_7 - tk::round(x_7)) * 6.2831855f), 8.0f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(F, {6, r, 0}, 64 - r, 64), t6, thread);

    // fft_conv.tk:88: store(Turn[0, r, :], f16(cosine(t)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t7;
    tk::map(t7, thread, [&](int row, int col) {
        const float x_7 = tk::divide(
            float(
                tk::wrapping_multiply(col,
                                      tk::wrapping_add(tk::wrapping_multiply(4, (r + row) % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(256, n1)));
        return tk::cos((x_7 - tk::round(x_7)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Turn, {0, r, 0}, 64 - r, 64), t7, thread);

    // fft_conv.tk:89: store(Turn[1, r, :], f16(-sine(t)));
    tk::stripe<tk::f16, 16, 64, 128, row_threads, vector> t8;
    tk::map(t8, thread, [&](int row, int col) {
        const float x_7 = tk::divide(
            float(
                tk::wrapping_multiply(col,
                                      tk::wrapping_add(tk::wrapping_multiply(4, (r + row) % n1),
                                                       quarters))),
            float(tk::wrapping_multiply(256, n1)));
        return -tk::sin((x_7 - tk::round(x_7)) * 6.2831855f);
    });
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Turn, {1, r, 0}, 64 - r, 64), t8, thread);
}

// spectrum: kernel spectrum.
// 128 threads, 255 registers each, 74752 bytes of shared memory.
struct spectrum_shared {
    tk::shared_tile<tk::f16, 64, 64> spectrum_h[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t14[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t17[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t20[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t22[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t24[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t26[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t28[1];
    tk::shared_tile<int, 1, 128> spectrum_turned[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_K[1];
};
static_assert(offsetof(spectrum_shared, spectrum_K) == 66560);

__global__ void __launch_bounds__(128, 1) spectrum_kernel(
    const __grid_constant__ CUtensorMap K_map, const tk::tensor_argument<const float, 2> Filter,
    const tk::tensor_argument<const tk::f16, 3> F, const tk::tensor_argument<const tk::f16, 3> Turn,
    const tk::tensor_argument<float, 1> Scale, int Q, int n1, int root, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    spectrum_shared& shared = *reinterpret_cast<spectrum_shared*>(memory);

    if (threadIdx.x == 0) tk::tma_prefetch_maps(K_map);
    __syncthreads();

    const int warp = tk::warp_index();

    // fft_conv.tk:101: kernel spectrum(Filter: f32[Q, 64], F: f16[7, 64, 64], Turn: f16[2, 64, ..
    const int thread = tk::warpgroup_thread();
    const bool leader = warp % 4 == 0 && tk::elect_one();
    const int program = blockIdx.x;
    const int r = program * 64;

    // fft_conv.tk:106: let x = load(Filter[r, :]);
    tk::fragment<float, 64, 64> x;
    tk::load_global(x, tk::slice(Filter, {r, 0}, Q - r, 64), thread);

    // fft_conv.tk:95: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
    tk::fragment<float, 64, 64> t1;
    tk::map(t1, [](float x) { return tk::abs(x); }, x);
    tk::column_fragment<float, 64> t2;
    tk::fold_rows(t2, t1, tk::maximum{}, thread);
    tk::finish_rows(t2, tk::maximum{});

    // fft_conv.tk:93: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
    tk::column_fragment<float, 64> t3;
    tk::exchange_rows<0>(t3, t2);
    tk::column_fragment<float, 64> t4;
    tk::map(t4, [&](float t2, float t3) { return n1 > 1 ? tk::max(t2, t3) : t2; }, t2, t3);
    tk::column_fragment<float, 64> t5;
    tk::exchange_rows<1>(t5, t4);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> x_2;
    tk::map(x_2, [&](float t2, float t3, float t5) {
        const float x_7 = n1 > 1 ? tk::max(t2, t3) : t2;
        return n1 > 2 ? tk::max(x_7, t5) : x_7;
    }, t2, t3, t5);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t6;
    tk::exchange_rows<2>(t6, x_2);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> y;
    tk::map(y, [&](float x_2, float t6) { return n1 > 4 ? tk::max(x_2, t6) : x_2; }, x_2, t6);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t7;
    tk::exchange_rows<3>(t7, y);
    tk::column_fragment<float, 64> t8;
    tk::map(t8, [&](float y, float t7) { return n1 > 8 ? tk::max(y, t7) : y; }, y, t7);
    tk::column_fragment<float, 64> t9;
    tk::exchange_rows<4>(t9, t8, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:96: return step(step(step(y, n1, 3), n1, 4), n1, 5);
    tk::column_fragment<float, 64> x_3;
    tk::map(x_3, [&](float y, float t7, float t9) {
        const float x_7 = n1 > 8 ? tk::max(y, t7) : y;
        return n1 > 16 ? tk::max(x_7, t9) : x_7;
    }, y, t7, t9);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t10;
    tk::exchange_rows<5>(t10, x_3, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:108: let size = where(most > 0, most, 1);
    tk::column_fragment<float, 64> size;
    tk::map(size, [&](float x_3, float t10) {
        const float x_7 = n1 > 32 ? tk::max(x_3, t10) : x_3;
        return x_7 > 0.0f ? x_7 : 1.0f;
    }, x_3, t10);

    // fft_conv.tk:109: let h = shared(f16(x / size));
    tk::fragment<tk::f16, 64, 64> t11;
    tk::map(t11, [](float x, float size) { return tk::divide(x, size); }, x, size);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_h[0], t11, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:110: let z0: complex = { re = mma(load(F[0, :, :]), h), im = mma(load(F[1, :, ..
    tk::fragment<tk::f16, 64, 64> t13;
    tk::load_global(t13, tk::slice(F, {0, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t14[0], t13, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<float, 64, 64> z0_re;
    tk::mma_async(z0_re, shared.spectrum_t14[0], shared.spectrum_h[0], tk::accumulate_never{});
    tk::fragment<tk::f16, 64, 64> t16;
    tk::load_global(t16, tk::slice(F, {1, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t17[0], t16, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<float, 64, 64> z0_im;
    tk::mma_async(z0_im, shared.spectrum_t17[0], shared.spectrum_h[0], tk::accumulate_never{});

    // fft_conv.tk:111: let z1 = times(z0, shared(load(Turn[0, :, :])), shared(load(Turn[1, :, ..
    tk::fragment<tk::f16, 64, 64> t19;
    tk::load_global(t19, tk::slice(Turn, {0, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t20[0], t19, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t21;
    tk::load_global(t21, tk::slice(Turn, {1, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t22[0], t21, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:23: var y: f16[64, 64] = x;
    tk::fragment<tk::f16, 64, 64> y_2;
    tk::load_shared(y_2, shared.spectrum_t20[0], thread);

    // fft_conv.tk:28: let a = copied(re);
    tk::fragment<tk::f16, 64, 64> a = y_2;
    // fft_conv.tk:23
    tk::fragment<tk::f16, 64, 64> y_3;
    tk::load_shared(y_3, shared.spectrum_t22[0], thread);

    // fft_conv.tk:29: let b = copied(im);
    tk::fragment<tk::f16, 64, 64> b = y_3;
    tk::mma_wait<0>(z0_re, z0_im);
    // fft_conv.tk:111
    tk::fragment<tk::f16, 64, 64> z1_re;
    tk::map(z1_re, [](float z0_re, tk::f16 a, float z0_im, tk::f16 b) {
        return tk::fma(z0_re, float(a), -(z0_im * float(b)));
    }, z0_re, a, z0_im, b);
    tk::fragment<tk::f16, 64, 64> z1_im;
    tk::map(z1_im, [](float z0_re, tk::f16 b, float z0_im, tk::f16 a) {
        return tk::fma(z0_re, float(b), z0_im * float(a));
    }, z0_re, b, z0_im, a);

    // fft_conv.tk:112: let z = right(z1, shared(load(F[4, :, :])), shared(load(F[5, :, :])), ..
    tk::fragment<tk::f16, 64, 64> t23;
    tk::load_global(t23, tk::slice(F, {4, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t24[0], t23, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t25;
    tk::load_global(t25, tk::slice(F, {5, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t26[0], t25, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t27;
    tk::load_global(t27, tk::slice(F, {6, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t28[0], t27, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:41: var x = mma(z.re, re);
    tk::fragment<float, 64, 64> x_4;
    tk::mma_async(x_4, z1_re, shared.spectrum_t24[0], tk::accumulate_never{});

    // fft_conv.tk:42: x += mma(z.im, minus);
    tk::mma_async(x_4, z1_im, shared.spectrum_t28[0]);

    // fft_conv.tk:43: var y = mma(z.re, im);
    tk::fragment<float, 64, 64> y_4;
    tk::mma_async(y_4, z1_re, shared.spectrum_t26[0], tk::accumulate_never{});

    // fft_conv.tk:44: y += mma(z.im, re);
    tk::mma_async(y_4, z1_im, shared.spectrum_t24[0]);
    tk::mma_wait<2>(x_4);
    // fft_conv.tk:112
    tk::fragment<float, 64, 64> z_re = x_4;
    tk::mma_wait<0>(y_4, z1_re, z1_im);
    tk::fragment<float, 64, 64> z_im = y_4;
    // fft_conv.tk:95
    tk::fragment<float, 64, 64> t31;
    tk::map(t31, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
            z_re, z_im);
    tk::column_fragment<float, 64> t32;
    tk::fold_rows(t32, t31, tk::maximum{}, thread);
    tk::finish_rows(t32, tk::maximum{});
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t33;
    tk::exchange_rows<0>(t33, t32);
    tk::column_fragment<float, 64> t34;
    tk::map(t34, [&](float t32, float t33) { return n1 > 1 ? tk::max(t32, t33) : t32; }, t32, t33);
    tk::column_fragment<float, 64> t35;
    tk::exchange_rows<1>(t35, t34);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> x_5;
    tk::map(x_5, [&](float t32, float t33, float t35) {
        const float x_7 = n1 > 1 ? tk::max(t32, t33) : t32;
        return n1 > 2 ? tk::max(x_7, t35) : x_7;
    }, t32, t33, t35);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t36;
    tk::exchange_rows<2>(t36, x_5);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> y_5;
    tk::map(y_5, [&](float x_5, float t36) { return n1 > 4 ? tk::max(x_5, t36) : x_5; }, x_5, t36);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t37;
    tk::exchange_rows<3>(t37, y_5);
    tk::column_fragment<float, 64> t38;
    tk::map(t38, [&](float y_5, float t37) { return n1 > 8 ? tk::max(y_5, t37) : y_5; }, y_5, t37);
    tk::column_fragment<float, 64> t39;
    tk::exchange_rows<4>(t39, t38, shared.spectrum_turned[0], thread, 2);
    // fft_conv.tk:96
    tk::column_fragment<float, 64> x_6;
    tk::map(x_6, [&](float y_5, float t37, float t39) {
        const float x_7 = n1 > 8 ? tk::max(y_5, t37) : y_5;
        return n1 > 16 ? tk::max(x_7, t39) : x_7;
    }, y_5, t37, t39);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t40;
    tk::exchange_rows<5>(t40, x_6, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:113: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
    tk::column_fragment<float, 64> top;
    tk::map(top, [&](float x_6, float t40) { return n1 > 32 ? tk::max(x_6, t40) : x_6; }, x_6, t40);

    // fft_conv.tk:114: let down = 1.0 / where(top > 0, top, 1);
    tk::column_fragment<float, 64> down;
    tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

    // fft_conv.tk:115: store(K[0, r, :], f16(z.re * down));
    #pragma unroll
    for (int panel = 0; panel < 64; panel += 64) {
        tk::fragment<tk::f16, 64, 64> t41;
        tk::map(t41, [](float z_re, float down) { return z_re * down; }, z_re, down);
        tk::store_shared(shared.spectrum_K[0], t41, thread);
        tk::fence_async();
        tk::barrier_sync(1, 128);
        if (leader) tk::tma_store(K_map, shared.spectrum_K[0], 0, r, panel);
    }

    // fft_conv.tk:116: store(K[1, r, :], f16(z.im * (down * sign)));
    tk::column_fragment<float, 64> t0;
    tk::map(t0, [&](float down) { return down * sign; }, down);
    #pragma unroll
    for (int panel = 0; panel < 64; panel += 64) {
        if (leader) tk::tma_store_wait_read<0>();
        tk::barrier_sync(1, 128);
        tk::fragment<tk::f16, 64, 64> t42;
        tk::map(t42, [](float z_im, float t0) { return z_im * t0; }, z_im, t0);
        tk::store_shared(shared.spectrum_K[0], t42, thread);
        tk::fence_async();
        tk::barrier_sync(1, 128);
        if (leader) tk::tma_store(K_map, shared.spectrum_K[0], 1, r, panel);
    }

    // fft_conv.tk:117: store(Scale[r], top * size * (f32(8 * root * root * root) / f32(n1)));
    tk::column_fragment<float, 64> t43;
    tk::map(t43, [&](float top, float size) {
        return top * size * tk::divide(
            float(
                tk::wrapping_multiply(tk::wrapping_multiply(tk::wrapping_multiply(8, root), root),
                                      root)), float(n1));
    }, top, size);
    tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r}, Q - r, 1), t43, thread);

    if (leader) tk::tma_store_wait_read<0>();
}

// spectrum_general: kernel spectrum; any strides and alignment.
// 128 threads, 255 registers each, 66560 bytes of shared memory.
struct spectrum_general_shared {
    tk::shared_tile<tk::f16, 64, 64> spectrum_h[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t14[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t17[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t20[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t22[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t24[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t26[1];
    tk::shared_tile<tk::f16, 64, 64> spectrum_t28[1];
    tk::shared_tile<int, 1, 128> spectrum_turned[1];
};
static_assert(offsetof(spectrum_general_shared, spectrum_turned) == 65536);

__global__ void __launch_bounds__(128, 1) spectrum_general_kernel(
    const tk::tensor_argument<const float, 2> Filter, const tk::tensor_argument<const tk::f16, 3> F,
    const tk::tensor_argument<const tk::f16, 3> Turn, const tk::tensor_argument<tk::f16, 3> K,
    const tk::tensor_argument<float, 1> Scale, int Q, int n1, int root, float sign) {
    extern __shared__ __align__(1024) unsigned char memory[];
    spectrum_general_shared& shared = *reinterpret_cast<spectrum_general_shared*>(memory);

    // fft_conv.tk:101: kernel spectrum(Filter: f32[Q, 64], F: f16[7, 64, 64], Turn: f16[2, 64, ..
    const int thread = tk::warpgroup_thread();
    const int program = blockIdx.x;
    const int r = program * 64;

    // fft_conv.tk:106: let x = load(Filter[r, :]);
    tk::fragment<float, 64, 64> x;
    tk::load_global(x, tk::slice(Filter, {r, 0}, Q - r, 64), thread);

    // fft_conv.tk:95: let y = step(step(step(max(x, axis = 1), n1, 0), n1, 1), n1, 2);
    tk::fragment<float, 64, 64> t1;
    tk::map(t1, [](float x) { return tk::abs(x); }, x);
    tk::column_fragment<float, 64> t2;
    tk::fold_rows(t2, t1, tk::maximum{}, thread);
    tk::finish_rows(t2, tk::maximum{});

    // fft_conv.tk:93: fn step(x: f32[64, 1], n1: i32, const b: int) -> f32[64, 1] { return ..
    tk::column_fragment<float, 64> t3;
    tk::exchange_rows<0>(t3, t2);
    tk::column_fragment<float, 64> t4;
    tk::map(t4, [&](float t2, float t3) { return n1 > 1 ? tk::max(t2, t3) : t2; }, t2, t3);
    tk::column_fragment<float, 64> t5;
    tk::exchange_rows<1>(t5, t4);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> x_2;
    tk::map(x_2, [&](float t2, float t3, float t5) {
        const float x_7 = n1 > 1 ? tk::max(t2, t3) : t2;
        return n1 > 2 ? tk::max(x_7, t5) : x_7;
    }, t2, t3, t5);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t6;
    tk::exchange_rows<2>(t6, x_2);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> y;
    tk::map(y, [&](float x_2, float t6) { return n1 > 4 ? tk::max(x_2, t6) : x_2; }, x_2, t6);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t7;
    tk::exchange_rows<3>(t7, y);
    tk::column_fragment<float, 64> t8;
    tk::map(t8, [&](float y, float t7) { return n1 > 8 ? tk::max(y, t7) : y; }, y, t7);
    tk::column_fragment<float, 64> t9;
    tk::exchange_rows<4>(t9, t8, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:96: return step(step(step(y, n1, 3), n1, 4), n1, 5);
    tk::column_fragment<float, 64> x_3;
    tk::map(x_3, [&](float y, float t7, float t9) {
        const float x_7 = n1 > 8 ? tk::max(y, t7) : y;
        return n1 > 16 ? tk::max(x_7, t9) : x_7;
    }, y, t7, t9);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t10;
    tk::exchange_rows<5>(t10, x_3, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:108: let size = where(most > 0, most, 1);
    tk::column_fragment<float, 64> size;
    tk::map(size, [&](float x_3, float t10) {
        const float x_7 = n1 > 32 ? tk::max(x_3, t10) : x_3;
        return x_7 > 0.0f ? x_7 : 1.0f;
    }, x_3, t10);

    // fft_conv.tk:109: let h = shared(f16(x / size));
    tk::fragment<tk::f16, 64, 64> t11;
    tk::map(t11, [](float x, float size) { return tk::divide(x, size); }, x, size);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_h[0], t11, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:110: let z0: complex = { re = mma(load(F[0, :, :]), h), im = mma(load(F[1, :, ..
    tk::fragment<tk::f16, 64, 64> t13;
    tk::load_global(t13, tk::slice(F, {0, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t14[0], t13, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<float, 64, 64> z0_re;
    tk::mma_async(z0_re, shared.spectrum_t14[0], shared.spectrum_h[0], tk::accumulate_never{});
    tk::fragment<tk::f16, 64, 64> t16;
    tk::load_global(t16, tk::slice(F, {1, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t17[0], t16, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<float, 64, 64> z0_im;
    tk::mma_async(z0_im, shared.spectrum_t17[0], shared.spectrum_h[0], tk::accumulate_never{});

    // fft_conv.tk:111: let z1 = times(z0, shared(load(Turn[0, :, :])), shared(load(Turn[1, :, ..
    tk::fragment<tk::f16, 64, 64> t19;
    tk::load_global(t19, tk::slice(Turn, {0, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t20[0], t19, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t21;
    tk::load_global(t21, tk::slice(Turn, {1, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t22[0], t21, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:23: var y: f16[64, 64] = x;
    tk::fragment<tk::f16, 64, 64> y_2;
    tk::load_shared(y_2, shared.spectrum_t20[0], thread);

    // fft_conv.tk:28: let a = copied(re);
    tk::fragment<tk::f16, 64, 64> a = y_2;
    // fft_conv.tk:23
    tk::fragment<tk::f16, 64, 64> y_3;
    tk::load_shared(y_3, shared.spectrum_t22[0], thread);

    // fft_conv.tk:29: let b = copied(im);
    tk::fragment<tk::f16, 64, 64> b = y_3;
    tk::mma_wait<0>(z0_re, z0_im);
    // fft_conv.tk:111
    tk::fragment<tk::f16, 64, 64> z1_re;
    tk::map(z1_re, [](float z0_re, tk::f16 a, float z0_im, tk::f16 b) {
        return tk::fma(z0_re, float(a), -(z0_im * float(b)));
    }, z0_re, a, z0_im, b);
    tk::fragment<tk::f16, 64, 64> z1_im;
    tk::map(z1_im, [](float z0_re, tk::f16 b, float z0_im, tk::f16 a) {
        return tk::fma(z0_re, float(b), z0_im * float(a));
    }, z0_re, b, z0_im, a);

    // fft_conv.tk:112: let z = right(z1, shared(load(F[4, :, :])), shared(load(F[5, :, :])), ..
    tk::fragment<tk::f16, 64, 64> t23;
    tk::load_global(t23, tk::slice(F, {4, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t24[0], t23, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t25;
    tk::load_global(t25, tk::slice(F, {5, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t26[0], t25, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);
    tk::fragment<tk::f16, 64, 64> t27;
    tk::load_global(t27, tk::slice(F, {6, 0, 0}, 64, 64), thread);
    tk::barrier_sync(2, 128);
    tk::store_shared(shared.spectrum_t28[0], t27, thread);
    tk::fence_async();
    tk::barrier_sync(2, 128);

    // fft_conv.tk:41: var x = mma(z.re, re);
    tk::fragment<float, 64, 64> x_4;
    tk::mma_async(x_4, z1_re, shared.spectrum_t24[0], tk::accumulate_never{});

    // fft_conv.tk:42: x += mma(z.im, minus);
    tk::mma_async(x_4, z1_im, shared.spectrum_t28[0]);

    // fft_conv.tk:43: var y = mma(z.re, im);
    tk::fragment<float, 64, 64> y_4;
    tk::mma_async(y_4, z1_re, shared.spectrum_t26[0], tk::accumulate_never{});

    // fft_conv.tk:44: y += mma(z.im, re);
    tk::mma_async(y_4, z1_im, shared.spectrum_t24[0]);
    tk::mma_wait<2>(x_4);
    // fft_conv.tk:112
    tk::fragment<float, 64, 64> z_re = x_4;
    tk::mma_wait<0>(y_4, z1_re, z1_im);
    tk::fragment<float, 64, 64> z_im = y_4;
    // fft_conv.tk:95
    tk::fragment<float, 64, 64> t31;
    tk::map(t31, [](float z_re, float z_im) { return tk::max(tk::abs(z_re), tk::abs(z_im)); },
            z_re, z_im);
    tk::column_fragment<float, 64> t32;
    tk::fold_rows(t32, t31, tk::maximum{}, thread);
    tk::finish_rows(t32, tk::maximum{});
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t33;
    tk::exchange_rows<0>(t33, t32);
    tk::column_fragment<float, 64> t34;
    tk::map(t34, [&](float t32, float t33) { return n1 > 1 ? tk::max(t32, t33) : t32; }, t32, t33);
    tk::column_fragment<float, 64> t35;
    tk::exchange_rows<1>(t35, t34);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> x_5;
    tk::map(x_5, [&](float t32, float t33, float t35) {
        const float x_7 = n1 > 1 ? tk::max(t32, t33) : t32;
        return n1 > 2 ? tk::max(x_7, t35) : x_7;
    }, t32, t33, t35);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t36;
    tk::exchange_rows<2>(t36, x_5);
    // fft_conv.tk:95
    tk::column_fragment<float, 64> y_5;
    tk::map(y_5, [&](float x_5, float t36) { return n1 > 4 ? tk::max(x_5, t36) : x_5; }, x_5, t36);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t37;
    tk::exchange_rows<3>(t37, y_5);
    tk::column_fragment<float, 64> t38;
    tk::map(t38, [&](float y_5, float t37) { return n1 > 8 ? tk::max(y_5, t37) : y_5; }, y_5, t37);
    tk::column_fragment<float, 64> t39;
    tk::exchange_rows<4>(t39, t38, shared.spectrum_turned[0], thread, 2);
    // fft_conv.tk:96
    tk::column_fragment<float, 64> x_6;
    tk::map(x_6, [&](float y_5, float t37, float t39) {
        const float x_7 = n1 > 8 ? tk::max(y_5, t37) : y_5;
        return n1 > 16 ? tk::max(x_7, t39) : x_7;
    }, y_5, t37, t39);
    // fft_conv.tk:93
    tk::column_fragment<float, 64> t40;
    tk::exchange_rows<5>(t40, x_6, shared.spectrum_turned[0], thread, 2);

    // fft_conv.tk:113: let top = largest_of_heads(max(abs(z.re), abs(z.im)), n1);
    tk::column_fragment<float, 64> top;
    tk::map(top, [&](float x_6, float t40) { return n1 > 32 ? tk::max(x_6, t40) : x_6; }, x_6, t40);

    // fft_conv.tk:114: let down = 1.0 / where(top > 0, top, 1);
    tk::column_fragment<float, 64> down;
    tk::map(down, [](float top) { return tk::divide(1.0f, top > 0.0f ? top : 1.0f); }, top);

    // fft_conv.tk:115: store(K[0, r, :], f16(z.re * down));
    tk::fragment<tk::f16, 64, 64> t41;
    tk::map(t41, [](float z_re, float down) { return z_re * down; }, z_re, down);
    tk::store_global(tk::slice(K, {0, r, 0}, Q - r, 64), t41, thread);

    // fft_conv.tk:116: store(K[1, r, :], f16(z.im * (down * sign)));
    tk::column_fragment<float, 64> t0;
    tk::map(t0, [&](float down) { return down * sign; }, down);
    tk::fragment<tk::f16, 64, 64> t42;
    tk::map(t42, [](float z_im, float t0) { return z_im * t0; }, z_im, t0);
    tk::store_global(tk::slice(K, {1, r, 0}, Q - r, 64), t42, thread);

    // fft_conv.tk:117: store(Scale[r], top * size * (f32(8 * root * root * root) / f32(n1)));
    tk::column_fragment<float, 64> t43;
    tk::map(t43, [&](float top, float size) {
        return top * size * tk::divide(
            float(
                tk::wrapping_multiply(tk::wrapping_multiply(tk::wrapping_multiply(8, root), root),
                                      root)), float(n1));
    }, top, size);
    tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r}, Q - r, 1), t43, thread);
}

// convolve: kernel convolve with T = bf16, GATE_IN = false, GATE_OUT = false.
// producer0: 1 warp, 24 registers a thread; producer1: 1 warp, 24 registers a thread; turn0: 1
// warpgroup, 240 registers a thread; turn1: 1 warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 231536 bytes of shared memory.
struct convolve_shared {
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
static_assert(offsetof(convolve_shared, us1) == 231520);

__global__ void __launch_bounds__(384, 1) convolve_kernel(
    const __grid_constant__ CUtensorMap F_map, const __grid_constant__ CUtensorMap Turn_map,
    const __grid_constant__ CUtensorMap Scale_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap U_map, const __grid_constant__ CUtensorMap Y_map, int B,
    int R, int tiles, int batch) {
    extern __shared__ __align__(1024) unsigned char memory[];
    convolve_shared& shared = *reinterpret_cast<convolve_shared*>(memory);

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

    const int warp = tk::warp_index();

    if (warp >= 8) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        // fft_conv.tk:136: role producer0(1 warp) {
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> fs_next, us0_next;
            tk::cursor<2> ks0_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv.tk:137: produce fs {
            shared.fs.begin(fs_next, 40960);

            // fft_conv.tk:138: re = tma_load(F[4, :, :]); im = tma_load(F[5, :, :]); minus = ..
            tk::tma_load(shared.fs_re[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 4, 0,
                         0);
            tk::tma_load(shared.fs_im[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 5, 0,
                         0);
            tk::tma_load(shared.fs_minus[fs_next.stage], F_map, shared.fs.full[fs_next.stage], 6, 0,
                         0);

            // fft_conv.tk:139: turn_re = tma_load(Turn[0, :, :]); turn_im = tma_load(Turn[1, :, ..
            tk::tma_load(shared.fs_turn_re[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         0, 0, 0);
            tk::tma_load(shared.fs_turn_im[fs_next.stage], Turn_map, shared.fs.full[fs_next.stage],
                         1, 0, 0);
            // fft_conv.tk:137
            fs_next.advance();

            // fft_conv.tk:141: produce ks0 { re = tma_load(F[0, :, :]); im = tma_load(F[1, :, ..
            shared.ks0.begin(ks0_next, 16640);
            tk::tma_load(shared.ks0_re[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.ks0_im[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                         shared.ks0.full[ks0_next.stage], 0);
            ks0_next.advance();

            // fft_conv.tk:142: produce ks0 { re = tma_load(F[2, :, :]); im = tma_load(F[3, :, ..
            shared.ks0.begin(ks0_next, 16640);
            tk::tma_load(shared.ks0_re[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.ks0_im[ks0_next.stage], F_map, shared.ks0.full[ks0_next.stage], 3,
                         0, 0);
            tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                         shared.ks0.full[ks0_next.stage], 0);
            ks0_next.advance();

            // fft_conv.tk:143: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv.tk:144: produce ks0 {
                shared.ks0.begin(ks0_next, 16640);

                // fft_conv.tk:145: re = tma_load(K[0, 2 * r.start +: 64, :]); im = tma_load(K[1, ..
                tk::tma_load(shared.ks0_re[ks0_next.stage], K_map, shared.ks0.full[ks0_next.stage],
                             0, 2 * r, 0);
                tk::tma_load(shared.ks0_im[ks0_next.stage], K_map, shared.ks0.full[ks0_next.stage],
                             1, 2 * r, 0);

                // fft_conv.tk:146: scale = column(tma_load(Scale[2 * r.start +: 64]));
                tk::tma_load(shared.ks0_scale[ks0_next.stage], Scale_map,
                             shared.ks0.full[ks0_next.stage], 2 * r);
                // fft_conv.tk:144
                ks0_next.advance();

                // fft_conv.tk:148: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv.tk:149: produce us0 = tma_load(U[b, 2 * r.start +: 64, :]);
                    shared.us0.begin(us0_next, 8192);
                    tk::tma_load(shared.us0_tile[us0_next.stage], U_map,
                                 shared.us0.full[us0_next.stage], b, 2 * r, 0);
                    us0_next.advance();
                }
            }
        }
        // fft_conv.tk:155: role producer1(1 warp) {
        if (warp == 9 && tk::elect_one()) {
            tk::cursor<2> ks1_next;
            tk::cursor<1> us1_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles;
            const int p = program / c_tiles;

            // fft_conv.tk:156: produce ks1 { re = tma_load(F[0, :, :]); im = tma_load(F[1, :, ..
            shared.ks1.begin(ks1_next, 16640);
            tk::tma_load(shared.ks1_re[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 0,
                         0, 0);
            tk::tma_load(shared.ks1_im[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 1,
                         0, 0);
            tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                         shared.ks1.full[ks1_next.stage], 0);
            ks1_next.advance();

            // fft_conv.tk:157: produce ks1 { re = tma_load(F[2, :, :]); im = tma_load(F[3, :, ..
            shared.ks1.begin(ks1_next, 16640);
            tk::tma_load(shared.ks1_re[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 2,
                         0, 0);
            tk::tma_load(shared.ks1_im[ks1_next.stage], F_map, shared.ks1.full[ks1_next.stage], 3,
                         0, 0);
            tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                         shared.ks1.full[ks1_next.stage], 0);
            ks1_next.advance();

            // fft_conv.tk:158: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
            #pragma unroll 1
            for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
                // fft_conv.tk:159: produce ks1 {
                shared.ks1.begin(ks1_next, 16640);

                // fft_conv.tk:160: re = tma_load(K[0, 2 * r.start + 64 +: 64, :]); im = ..
                tk::tma_load(shared.ks1_re[ks1_next.stage], K_map, shared.ks1.full[ks1_next.stage],
                             0, 2 * r + 64, 0);
                tk::tma_load(shared.ks1_im[ks1_next.stage], K_map, shared.ks1.full[ks1_next.stage],
                             1, 2 * r + 64, 0);

                // fft_conv.tk:161: scale = column(tma_load(Scale[2 * r.start + 64 +: 64]));
                tk::tma_load(shared.ks1_scale[ks1_next.stage], Scale_map,
                             shared.ks1.full[ks1_next.stage], 2 * r + 64);
                // fft_conv.tk:159
                ks1_next.advance();

                // fft_conv.tk:163: for b in p * batch..min((p + 1) * batch, B) {
                #pragma unroll 1
                for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                    // fft_conv.tk:164: produce us1 = tma_load(U[b, 2 * r.start + 64 +: 64, :]);
                    shared.us1.begin(us1_next, 8192);
                    tk::tma_load(shared.us1_tile[us1_next.stage], U_map,
                                 shared.us1.full[us1_next.stage], b, 2 * r + 64, 0);
                    us1_next.advance();
                }
            }
        }
    } else if (warp < 4) {
        // fft_conv.tk:170: role turn0(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next, us0_next;
        tk::cursor<2> ks0_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv.tk:171: let m = consume ks0;
        const tk::cursor<2> m = shared.ks0.take(ks0_next);

        // fft_conv.tk:23: var y: f16[64, 64] = x;
        tk::fragment<tk::f16, 64, 64> y;
        tk::load_shared(y, shared.ks0_re[m.stage], thread);

        // fft_conv.tk:172: let left_re = copied(m.re);
        tk::fragment<tk::f16, 64, 64> left_re = y;
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::load_shared(y_2, shared.ks0_im[m.stage], thread);
        shared.ks0.release_after_loads(m);

        // fft_conv.tk:173: let left_im = copied(m.im);
        tk::fragment<tk::f16, 64, 64> left_im = y_2;

        // fft_conv.tk:174: let t = consume ks0;
        const tk::cursor<2> t = shared.ks0.take(ks0_next);
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::load_shared(y_3, shared.ks0_re[t.stage], thread);

        // fft_conv.tk:175: let back_re = copied(t.re);
        tk::fragment<tk::f16, 64, 64> back_re = y_3;
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::load_shared(y_4, shared.ks0_im[t.stage], thread);
        shared.ks0.release_after_loads(t);

        // fft_conv.tk:176: let back_im = copied(t.im);
        tk::fragment<tk::f16, 64, 64> back_im = y_4;

        // fft_conv.tk:177: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:178: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> y_6;
        tk::fragment<float, 64, 64> x;
        tk::fragment<float, 64, 64> y_7;
        tk::fragment<tk::f16, 64, 64> y_8;
        tk::fragment<tk::f16, 64, 64> y_9;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_10;
        tk::fragment<tk::f16, 64, 64> y_11;
        tk::fragment<tk::f16, 64, 64> y_12;
        tk::fragment<float, 64, 64> y_13;
        tk::fragment<float, 64, 64> y_14;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv.tk:179: let k = consume ks0;
            const tk::cursor<2> k = shared.ks0.take(ks0_next);

            // fft_conv.tk:180: for b in p * batch..min((p + 1) * batch, B) {
            tk::barrier_sync(2, 128);
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv.tk:181: var u = f32(consume us0);
                const tk::cursor<1> us0_element = shared.us0.take(us0_next);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.us0_tile[us0_element.stage], thread);
                shared.us0.release_after_loads(us0_element);
                u = tk::convert<float>(t1);

                // fft_conv.tk:183: let v = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn0_v[tk::remainder(b, 2)], t0, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // fft_conv.tk:50: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<tk::f16, 64, 64> left_re_again = tk::renewed(left_re);
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, left_re_again, shared.turn0_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 64> left_im_again = tk::renewed(left_im);
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, left_im_again, shared.turn0_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                // fft_conv.tk:23
                tk::load_shared(y_5, shared.fs_turn_re[f.stage], thread);

                // fft_conv.tk:28: let a = copied(re);
                tk::fragment<tk::f16, 64, 64> a = y_5;
                // fft_conv.tk:23
                tk::load_shared(y_6, shared.fs_turn_im[f.stage], thread);

                // fft_conv.tk:29: let b = copied(im);
                tk::fragment<tk::f16, 64, 64> b_2 = y_6;
                tk::mma_wait<0>(z_re, z_im, left_re_again, left_im_again);

                // fft_conv.tk:41: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(x, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:42: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(x, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:43: var y = mma(z.re, im);
                tk::mma_async(y_7, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:44: y += mma(z.im, re);
                tk::mma_async(y_7, t6, shared.fs_re[f.stage]);
                // fft_conv.tk:23
                tk::load_shared(y_8, shared.ks0_re[k.stage], thread);
                // fft_conv.tk:28
                tk::fragment<tk::f16, 64, 64> a_2 = y_8;
                // fft_conv.tk:23
                tk::load_shared(y_9, shared.ks0_im[k.stage], thread);
                // fft_conv.tk:29
                tk::fragment<tk::f16, 64, 64> b_3 = y_9;
                tk::mma_wait<0>(x, y_7, t4, t6);
                // fft_conv.tk:41
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, [](float x, tk::f16 a_2, float y_7, tk::f16 b_3) {
                    return tk::fma(x, float(a_2), -(y_7 * float(b_3)));
                }, x, a_2, y_7, b_3);
                tk::mma_async(x_2, t10, shared.fs_re[f.stage], tk::accumulate_never{});
                // fft_conv.tk:42
                tk::fragment<tk::f16, 64, 64> t12;
                tk::map(t12, [](float x, tk::f16 b_3, float y_7, tk::f16 a_2) {
                    return tk::fma(x, float(b_3), y_7 * float(a_2));
                }, x, b_3, y_7, a_2);
                tk::mma_async(x_2, t12, shared.fs_im[f.stage]);
                // fft_conv.tk:43
                tk::mma_async(y_10, t10, shared.fs_minus[f.stage], tk::accumulate_never{});
                // fft_conv.tk:44
                tk::mma_async(y_10, t12, shared.fs_re[f.stage]);
                // fft_conv.tk:23
                tk::load_shared(y_11, shared.fs_turn_re[f.stage], thread);

                // fft_conv.tk:34: let a = copied(re);
                tk::fragment<tk::f16, 64, 64> a_3 = y_11;
                // fft_conv.tk:23
                tk::load_shared(y_12, shared.fs_turn_im[f.stage], thread);

                // fft_conv.tk:35: let b = copied(im);
                tk::fragment<tk::f16, 64, 64> b_4 = y_12;
                tk::mma_wait<0>(x_2, y_10, t10, t12);

                // fft_conv.tk:57: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re_2;
                tk::map(t_re_2, [](float x_2, tk::f16 a_3, float y_10, tk::f16 b_4) {
                    return tk::fma(x_2, float(a_3), y_10 * float(b_4));
                }, x_2, a_3, y_10, b_4);
                tk::fragment<tk::f16, 64, 64> t_im_2;
                tk::map(t_im_2, [](float y_10, tk::f16 a_3, float x_2, tk::f16 b_4) {
                    return tk::fma(y_10, float(a_3), -(x_2 * float(b_4)));
                }, y_10, a_3, x_2, b_4);

                // fft_conv.tk:58: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn0_t16[tk::remainder(b, 2)], t_re_2, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::fragment<tk::f16, 64, 64> back_re_again = tk::renewed(back_re);
                tk::mma_async(y_13, back_re_again, shared.turn0_t16[tk::remainder(b, 2)],
                              tk::accumulate_never{});

                // fft_conv.tk:59: y += mma(left_im, shared(t.im));
                tk::store_shared(shared.turn0_t18[tk::remainder(b, 2)], t_im_2, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::fragment<tk::f16, 64, 64> back_im_again = tk::renewed(back_im);
                tk::mma_async(y_13, back_im_again, shared.turn0_t18[tk::remainder(b, 2)]);
                tk::mma_wait<0>(y_13, back_re_again, back_im_again);

                // fft_conv.tk:184: var y = inverse(times(forward(v, left_re, left_im, f.re, ..
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ks0_scale[k.stage], row, 0);
                });
                tk::map(y_14, [](float y_13, float t2) { return y_13 * t2; }, y_13, t2);

                // fft_conv.tk:187: tma_store(Y[b, 2 * r.start +: 64, :], T(y));
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
        // fft_conv.tk:191: role turn1(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::divide_up(R, 128 * tiles);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<1> fs_next, us1_next;
        tk::cursor<2> ks1_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles;
        const int p = program / c_tiles;

        // fft_conv.tk:192: let m = consume ks1;
        const tk::cursor<2> m = shared.ks1.take(ks1_next);

        // fft_conv.tk:23: var y: f16[64, 64] = x;
        tk::fragment<tk::f16, 64, 64> y;
        tk::load_shared(y, shared.ks1_re[m.stage], thread);

        // fft_conv.tk:193: let left_re = copied(m.re);
        tk::fragment<tk::f16, 64, 64> left_re = y;
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_2;
        tk::load_shared(y_2, shared.ks1_im[m.stage], thread);
        shared.ks1.release_after_loads(m);

        // fft_conv.tk:194: let left_im = copied(m.im);
        tk::fragment<tk::f16, 64, 64> left_im = y_2;

        // fft_conv.tk:195: let t = consume ks1;
        const tk::cursor<2> t = shared.ks1.take(ks1_next);
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_3;
        tk::load_shared(y_3, shared.ks1_re[t.stage], thread);

        // fft_conv.tk:196: let back_re = copied(t.re);
        tk::fragment<tk::f16, 64, 64> back_re = y_3;
        // fft_conv.tk:23
        tk::fragment<tk::f16, 64, 64> y_4;
        tk::load_shared(y_4, shared.ks1_im[t.stage], thread);
        shared.ks1.release_after_loads(t);

        // fft_conv.tk:197: let back_im = copied(t.im);
        tk::fragment<tk::f16, 64, 64> back_im = y_4;

        // fft_conv.tk:198: let f = consume fs;
        const tk::cursor<1> f = shared.fs.take(fs_next);

        // fft_conv.tk:199: for r in c * (64 * tiles)..(c + 1) * (64 * tiles) by 64 {
        tk::fragment<float, 64, 64> u;
        tk::fragment<tk::f16, 64, 64> y_5;
        tk::fragment<tk::f16, 64, 64> y_6;
        tk::fragment<float, 64, 64> x;
        tk::fragment<float, 64, 64> y_7;
        tk::fragment<tk::f16, 64, 64> y_8;
        tk::fragment<tk::f16, 64, 64> y_9;
        tk::fragment<float, 64, 64> x_2;
        tk::fragment<float, 64, 64> y_10;
        tk::fragment<tk::f16, 64, 64> y_11;
        tk::fragment<tk::f16, 64, 64> y_12;
        tk::fragment<float, 64, 64> y_13;
        tk::fragment<float, 64, 64> y_14;
        for (int r = c * (64 * tiles); r < (c + 1) * (64 * tiles); r += 64) {
            // fft_conv.tk:200: let k = consume ks1;
            const tk::cursor<2> k = shared.ks1.take(ks1_next);

            // fft_conv.tk:201: for b in p * batch..min((p + 1) * batch, B) {
            tk::barrier_sync(4, 128);
            for (int b = p * batch; b < tk::min((p + 1) * batch, B); b += 1) {
                // fft_conv.tk:202: var u = f32(consume us1);
                const tk::cursor<1> us1_element = shared.us1.take(us1_next);
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::load_shared(t1, shared.us1_tile[us1_element.stage], thread);
                shared.us1.release_after_loads(us1_element);
                u = tk::convert<float>(t1);

                // fft_conv.tk:204: let v = shared(f16(u));
                tk::fragment<tk::f16, 64, 64> t0 = tk::convert<tk::f16>(u);
                tk::store_shared(shared.turn1_v[tk::remainder(b, 2)], t0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);

                // fft_conv.tk:50: let z: complex = { re = mma(left_re, u), im = mma(left_im, u) };
                tk::fragment<tk::f16, 64, 64> left_re_again = tk::renewed(left_re);
                tk::fragment<float, 64, 64> z_re;
                tk::mma_async(z_re, left_re_again, shared.turn1_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 64> left_im_again = tk::renewed(left_im);
                tk::fragment<float, 64, 64> z_im;
                tk::mma_async(z_im, left_im_again, shared.turn1_v[tk::remainder(b, 2)],
                              tk::accumulate_never{});
                // fft_conv.tk:23
                tk::load_shared(y_5, shared.fs_turn_re[f.stage], thread);

                // fft_conv.tk:28: let a = copied(re);
                tk::fragment<tk::f16, 64, 64> a = y_5;
                // fft_conv.tk:23
                tk::load_shared(y_6, shared.fs_turn_im[f.stage], thread);

                // fft_conv.tk:29: let b = copied(im);
                tk::fragment<tk::f16, 64, 64> b_2 = y_6;
                tk::mma_wait<0>(z_re, z_im, left_re_again, left_im_again);

                // fft_conv.tk:41: var x = mma(z.re, re);
                tk::fragment<tk::f16, 64, 64> t4;
                tk::map(t4, [](float z_re, tk::f16 a, float z_im, tk::f16 b_2) {
                    return tk::fma(z_re, float(a), -(z_im * float(b_2)));
                }, z_re, a, z_im, b_2);
                tk::mma_async(x, t4, shared.fs_re[f.stage], tk::accumulate_never{});

                // fft_conv.tk:42: x += mma(z.im, minus);
                tk::fragment<tk::f16, 64, 64> t6;
                tk::map(t6, [](float z_re, tk::f16 b_2, float z_im, tk::f16 a) {
                    return tk::fma(z_re, float(b_2), z_im * float(a));
                }, z_re, b_2, z_im, a);
                tk::mma_async(x, t6, shared.fs_minus[f.stage]);

                // fft_conv.tk:43: var y = mma(z.re, im);
                tk::mma_async(y_7, t4, shared.fs_im[f.stage], tk::accumulate_never{});

                // fft_conv.tk:44: y += mma(z.im, re);
                tk::mma_async(y_7, t6, shared.fs_re[f.stage]);
                // fft_conv.tk:23
                tk::load_shared(y_8, shared.ks1_re[k.stage], thread);
                // fft_conv.tk:28
                tk::fragment<tk::f16, 64, 64> a_2 = y_8;
                // fft_conv.tk:23
                tk::load_shared(y_9, shared.ks1_im[k.stage], thread);
                // fft_conv.tk:29
                tk::fragment<tk::f16, 64, 64> b_3 = y_9;
                tk::mma_wait<0>(x, y_7, t4, t6);
                // fft_conv.tk:41
                tk::fragment<tk::f16, 64, 64> t10;
                tk::map(t10, [](float x, tk::f16 a_2, float y_7, tk::f16 b_3) {
                    return tk::fma(x, float(a_2), -(y_7 * float(b_3)));
                }, x, a_2, y_7, b_3);
                tk::mma_async(x_2, t10, shared.fs_re[f.stage], tk::accumulate_never{});
                // fft_conv.tk:42
                tk::fragment<tk::f16, 64, 64> t12;
                tk::map(t12, [](float x, tk::f16 b_3, float y_7, tk::f16 a_2) {
                    return tk::fma(x, float(b_3), y_7 * float(a_2));
                }, x, b_3, y_7, a_2);
                tk::mma_async(x_2, t12, shared.fs_im[f.stage]);
                // fft_conv.tk:43
                tk::mma_async(y_10, t10, shared.fs_minus[f.stage], tk::accumulate_never{});
                // fft_conv.tk:44
                tk::mma_async(y_10, t12, shared.fs_re[f.stage]);
                // fft_conv.tk:23
                tk::load_shared(y_11, shared.fs_turn_re[f.stage], thread);

                // fft_conv.tk:34: let a = copied(re);
                tk::fragment<tk::f16, 64, 64> a_3 = y_11;
                // fft_conv.tk:23
                tk::load_shared(y_12, shared.fs_turn_im[f.stage], thread);

                // fft_conv.tk:35: let b = copied(im);
                tk::fragment<tk::f16, 64, 64> b_4 = y_12;
                tk::mma_wait<0>(x_2, y_10, t10, t12);

                // fft_conv.tk:57: let t = times_conjugate(right(z, re, minus, im), turn_re, ..
                tk::fragment<tk::f16, 64, 64> t_re_2;
                tk::map(t_re_2, [](float x_2, tk::f16 a_3, float y_10, tk::f16 b_4) {
                    return tk::fma(x_2, float(a_3), y_10 * float(b_4));
                }, x_2, a_3, y_10, b_4);
                tk::fragment<tk::f16, 64, 64> t_im_2;
                tk::map(t_im_2, [](float y_10, tk::f16 a_3, float x_2, tk::f16 b_4) {
                    return tk::fma(y_10, float(a_3), -(x_2 * float(b_4)));
                }, y_10, a_3, x_2, b_4);

                // fft_conv.tk:58: var y = mma(left_re, shared(t.re));
                tk::store_shared(shared.turn1_t16[tk::remainder(b, 2)], t_re_2, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::f16, 64, 64> back_re_again = tk::renewed(back_re);
                tk::mma_async(y_13, back_re_again, shared.turn1_t16[tk::remainder(b, 2)],
                              tk::accumulate_never{});

                // fft_conv.tk:59: y += mma(left_im, shared(t.im));
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.turn1_t18[0], t_im_2, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::f16, 64, 64> back_im_again = tk::renewed(back_im);
                tk::mma_async(y_13, back_im_again, shared.turn1_t18[0]);
                tk::mma_wait<0>(y_13, back_re_again, back_im_again);

                // fft_conv.tk:205: var y = inverse(times(forward(v, left_re, left_im, f.re, ..
                tk::column_fragment<float, 64> t2;
                tk::map(t2, thread, [&](int row, int) {
                    return tk::get(shared.ks1_scale[k.stage], row, 0);
                });
                tk::map(y_14, [](float y_13, float t2) { return y_13 * t2; }, y_13, t2);

                // fft_conv.tk:208: tma_store(Y[b, 2 * r.start + 64 +: 64, :], T(y));
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
tk::status launch_tables(const tk::launch_site& site, const tk::tensor& F, const tk::tensor& Turn,
                         int32_t n1, int32_t root, int32_t quarters) {
    return tk::run<tables_kernel<10, 8, 8, true>>(site, 0, tk::kernel_shape(128), 4, F, Turn, n1,
                                                  root, quarters);
}

tk::status launch_tables_general(const tk::launch_site& site, const tk::tensor& F,
                                 const tk::tensor& Turn, int32_t n1, int32_t root,
                                 int32_t quarters) {
    return tk::run<tables_kernel<1, 32, 2, false>>(site, 0, tk::kernel_shape(128), 4, F, Turn, n1,
                                                   root, quarters);
}

tk::status launch_spectrum(const tk::launch_site& site, const tk::tensor& Filter,
                           const tk::tensor& F, const tk::tensor& Turn, const tk::tensor& K,
                           const tk::tensor& Scale, int64_t Q, int32_t n1, int32_t root,
                           float sign) {
    return tk::run<spectrum_kernel>(site, sizeof(spectrum_shared), tk::kernel_shape(128),
                                    tk::ceil_div(Q, 64), tk::box{K, {1, 64, 64}, 128}, Filter, F,
                                    Turn, Scale, Q, n1, root, sign);
}

tk::status launch_spectrum_general(const tk::launch_site& site, const tk::tensor& Filter,
                                   const tk::tensor& F, const tk::tensor& Turn, const tk::tensor& K,
                                   const tk::tensor& Scale, int64_t Q, int32_t n1, int32_t root,
                                   float sign) {
    return tk::run<spectrum_general_kernel>(site, sizeof(spectrum_general_shared),
                                            tk::kernel_shape(128), tk::ceil_div(Q, 64), Filter, F,
                                            Turn, K, Scale, Q, n1, root, sign);
}

tk::status launch_convolve(const tk::launch_site& site, const tk::tensor& U, const tk::tensor& F,
                           const tk::tensor& Turn, const tk::tensor& K, const tk::tensor& Scale,
                           const tk::tensor& Y, int64_t B, int64_t R, int32_t tiles,
                           int32_t batch) {
    return tk::run<convolve_kernel>(
        site, sizeof(convolve_shared), tk::kernel_shape(384),
        tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Scale, {64}, 0}, tk::box{K, {1, 64, 64}, 128},
        tk::box{U, {1, 64, 64}, 128}, tk::box{Y, {1, 64, 64}, 128}, B, R, tiles, batch);
}

}  // namespace

extern "C" {
int tables(DLTensor* F_given, DLTensor* Turn_given, int32_t n1, int32_t root, int32_t quarters,
           void*, size_t, cudaStream_t stream) {
    tk::arguments call{"tables"};
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    call.require(
        {tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64), tk::fixed_extent(F, 2, 64),
         tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64), tk::fixed_extent(Turn, 2, 64),
         tk::that(int64_t{n1} >= 1, "`tables` requires `n1 >= 1`"),
         tk::that(int64_t{n1} <= 64, "`tables` requires `n1 <= 64`"),
         tk::that(int64_t{root} >= 1, "`tables` requires `root >= 1`"),
         tk::that(int64_t{quarters} >= 0, "`tables` requires `quarters >= 0`"),
         tk::that(int64_t{quarters} <= 1, "`tables` requires `quarters <= 1`"),
         tk::that(1 <= int64_t{n1},
                  "`(r + row)/n1` divides by `n1`, which is {}: it must be at least 1",
                  {int64_t{n1}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(F), tk::suits_fast(Turn)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<tables_kernel<10, 8, 8, true>, tables_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128), 4, F, Turn, n1, root, quarters));
}
TK_NO_WORKSPACE(tables, DLTensor*, DLTensor*, int32_t, int32_t, int32_t)

int spectrum(const DLTensor* Filter_given, const DLTensor* F_given, const DLTensor* Turn_given,
             DLTensor* K_given, DLTensor* Scale_given, int32_t n1, int32_t root, float sign, void*,
             size_t, cudaStream_t stream) {
    tk::arguments call{"spectrum"};
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t Q = Filter.shape[0];
    call.require(
        {tk::fixed_extent(Filter, 1, 64), tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64),
         tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64),
         tk::fixed_extent(Turn, 2, 64), tk::fixed_extent(K, 0, 2),
         tk::same_extent("Q", Filter, 0, K, 1), tk::fixed_extent(K, 2, 64),
         tk::same_extent("Q", Filter, 0, Scale, 0), tk::extents_fit({{"Q", Q}}),
         tk::that(int64_t{n1} >= 1, "`spectrum` requires `n1 >= 1`"),
         tk::that(int64_t{n1} <= 64, "`spectrum` requires `n1 <= 64`"),
         tk::that(int64_t{root} >= 1, "`spectrum` requires `root >= 1`"),
         tk::that(int64_t{root} <= 8, "`spectrum` requires `root <= 8`"),
         tk::that(Q % 64 == 0, "`spectrum` requires `Q % 64 == 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(K)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<spectrum_kernel>(
            site, sizeof(spectrum_shared), tk::kernel_shape(128), tk::ceil_div(Q, 64),
            tk::box{K, {1, 64, 64}, 128}, Filter, F, Turn, Scale, Q, n1, root, sign));
    }
    return tk::finish(tk::run<spectrum_general_kernel>(
        site, sizeof(spectrum_general_shared), tk::kernel_shape(128), tk::ceil_div(Q, 64), Filter,
        F, Turn, K, Scale, Q, n1, root, sign));
}
TK_NO_WORKSPACE(spectrum, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t, float)

int convolve(const DLTensor* U_given, const DLTensor* GateIn_given, const DLTensor* GateOut_given,
             const DLTensor* F_given, const DLTensor* Turn_given, const DLTensor* K_given,
             const DLTensor* Scale_given, DLTensor* Y_given, int32_t tiles, int32_t batch, void*,
             size_t, cudaStream_t stream) {
    tk::arguments call{"convolve"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_f16, 3, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = U.shape[0];
    const int64_t R = U.shape[1];
    const int64_t BI = GateIn.shape[0];
    const int64_t BO = GateOut.shape[0];
    const int64_t Q = K.shape[1];
    call.require({
        tk::fixed_extent(U, 2, 64), tk::same_extent("R", U, 1, GateIn, 1),
        tk::fixed_extent(GateIn, 2, 64), tk::same_extent("R", U, 1, GateOut, 1),
        tk::fixed_extent(GateOut, 2, 64), tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64),
        tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64),
        tk::fixed_extent(Turn, 2, 64), tk::fixed_extent(K, 0, 2), tk::fixed_extent(K, 2, 64),
        tk::same_extent("Q", K, 1, Scale, 0), tk::same_extent("B", U, 0, Y, 0),
        tk::same_extent("R", U, 1, Y, 1), tk::fixed_extent(Y, 2, 64),
        tk::extents_fit({{"B", B}, {"R", R}, {"BI", BI}, {"BO", BO}, {"Q", Q}}),
        tk::fits("128*tiles", 128 * int64_t{tiles}),
        tk::that(-2147483648 <= 128 * int64_t{tiles},
                 "`128*tiles` reaches {}; it must fit in 32 bits", {128 * int64_t{tiles}}),
        tk::that(int64_t{tiles} > 0, "`convolve` requires `tiles > 0`"),
        tk::that(int64_t{batch} > 0, "`convolve` requires `batch > 0`"),
        tk::that(Q >= R, "`convolve` requires `Q >= R`"),
        tk::that(0 < 128 * int64_t{tiles},
                 "`128*tiles` is at least 1, because `convolve` divides by it"),
        tk::that(0 < int64_t{batch}, "`batch` is at least 1, because `convolve` divides by it"),
        tk::suits_tma_load(U), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
        tk::suits_tma_load(K), tk::suits_tma_load(Scale, "Q"), tk::suits_tma_store(Y),
        tk::that(1 <= 128 * int64_t{tiles},
                 "`ceil_div(R, 128*tiles)` divides by `128*tiles`, which is {}: it must be at least 1",
                 {128 * int64_t{tiles}}),
        tk::grid_fits(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0), 2147483648),
        tk::that(1 <= int64_t{batch},
                 "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                 {int64_t{batch}}),
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
        tk::fits("2*r",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1)),
        tk::that(-2147483648 <=
                 2 *
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`2*r` reaches {}; it must fit in 32 bits",
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
        tk::fits("2*r + 64",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1) + 64)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<convolve_kernel>(
        site, sizeof(convolve_shared), tk::kernel_shape(384),
        tk::multiply(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0),
                     tk::larger(tk::ceil_div(B, int64_t{batch}), 0)), tk::box{F, {1, 64, 64}, 128},
        tk::box{Turn, {1, 64, 64}, 128}, tk::box{Scale, {64}, 0}, tk::box{K, {1, 64, 64}, 128},
        tk::box{U, {1, 64, 64}, 128}, tk::box{Y, {1, 64, 64}, 128}, B, R, tiles, batch));
}
TK_NO_WORKSPACE(convolve, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, int32_t, int32_t)

int fft_conv(const DLTensor* U_given, const DLTensor* Filter_given, const DLTensor* GateIn_given,
             const DLTensor* GateOut_given, DLTensor* Y_given, DLTensor* F_given,
             DLTensor* Turn_given, DLTensor* K_given, DLTensor* Scale_given, int32_t tiles,
             int32_t batch, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"fft_conv"};
    const tk::tensor U = call.take("U", U_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Filter = call.take("Filter", Filter_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor GateIn = call.take("GateIn", GateIn_given, tk::dtype_bf16, 3,
                                        tk::access::read);
    const tk::tensor GateOut = call.take("GateOut", GateOut_given, tk::dtype_bf16, 3,
                                         tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor F = call.take("F", F_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Turn = call.take("Turn", Turn_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_f16, 3, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
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
         tk::same_extent("B", U, 0, Y, 0), tk::same_extent("R", U, 1, Y, 1),
         tk::fixed_extent(Y, 2, 64), tk::fixed_extent(F, 0, 7), tk::fixed_extent(F, 1, 64),
         tk::fixed_extent(F, 2, 64), tk::fixed_extent(Turn, 0, 2), tk::fixed_extent(Turn, 1, 64),
         tk::fixed_extent(Turn, 2, 64), tk::fixed_extent(K, 0, 2),
         tk::same_extent("Q", Filter, 0, K, 1), tk::fixed_extent(K, 2, 64),
         tk::same_extent("Q", Filter, 0, Scale, 0),
         tk::extents_fit({{"B", B}, {"R", R}, {"Q", Q}, {"BI", BI}, {"BO", BO}}),
         tk::that(int64_t{tiles} > 0, "`fft_conv` requires `tiles > 0`"),
         tk::that(int64_t{batch} > 0, "`fft_conv` requires `batch > 0`"),
         tk::that(Q % 64 == 0, "`fft_conv` requires `Q % 64 == 0`"),
         tk::that(Q >= R, "`fft_conv` requires `Q >= R`")});
    // convolve(U, GateIn, GateOut, F, Turn, K, Scale, Y, tiles, batch)
    call.require({
        tk::fits("128*tiles", 128 * int64_t{tiles}),
        tk::that(-2147483648 <= 128 * int64_t{tiles},
                 "`128*tiles` reaches {}; it must fit in 32 bits", {128 * int64_t{tiles}}),
        tk::that(0 < 128 * int64_t{tiles},
                 "`128*tiles` is at least 1, because `convolve` divides by it"),
        tk::that(0 < int64_t{batch}, "`batch` is at least 1, because `convolve` divides by it"),
        tk::suits_tma_load(U), tk::suits_tma_load(F), tk::suits_tma_load(Turn),
        tk::suits_tma_load(K), tk::suits_tma_load(Scale, "Q"), tk::suits_tma_store(Y),
        tk::that(1 <= 128 * int64_t{tiles},
                 "`ceil_div(R, 128*tiles)` divides by `128*tiles`, which is {}: it must be at least 1",
                 {128 * int64_t{tiles}}),
        tk::grid_fits(tk::larger(tk::ceil_div(R, 128 * int64_t{tiles}), 0), 2147483648),
        tk::that(1 <= int64_t{batch},
                 "`ceil_div(B, batch)` divides by `batch`, which is {}: it must be at least 1",
                 {int64_t{batch}}),
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
        tk::fits("2*r",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1)),
        tk::that(-2147483648 <=
                 2 *
                 tk::smaller(0,
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1,
                                          64 * int64_t{tiles})),
                 "`2*r` reaches {}; it must fit in 32 bits",
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
        tk::fits("2*r + 64",
                 2 *
                 (tk::larger(64 * int64_t{tiles},
                             tk::multiply(tk::ceil_div(R, 128 * int64_t{tiles}) - 1 + 1,
                                          64 * int64_t{tiles})) - 1) + 64)});
    if (!call.ok()) return tk::finish(call.result());

    // tables(F, Turn, 64, 8, 1)
    const bool choice_1 = tk::hold({tk::suits_fast(F), tk::suits_fast(Turn)});

    // spectrum(Filter, F, Turn, K, Scale, 64, 8, 1.0)
    const bool choice_2 = tk::hold({tk::suits_fast(K)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_tables(site, F, Turn, static_cast<int32_t>(64), static_cast<int32_t>(8),
                          static_cast<int32_t>(1)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_tables_general(site, F, Turn, static_cast<int32_t>(64), static_cast<int32_t>(8),
                                  static_cast<int32_t>(1)));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_spectrum(
            site, Filter, tk::read_only(F), tk::read_only(Turn), K, Scale, Q,
            static_cast<int32_t>(64), static_cast<int32_t>(8), static_cast<float>(1.0f)));
    } else {
        TK_FINISH_IF_FAILED(launch_spectrum_general(
            site, Filter, tk::read_only(F), tk::read_only(Turn), K, Scale, Q,
            static_cast<int32_t>(64), static_cast<int32_t>(8), static_cast<float>(1.0f)));
    }
    TK_FINISH_IF_FAILED(
        launch_convolve(site, U, tk::read_only(F), tk::read_only(Turn), tk::read_only(K),
                        tk::read_only(Scale), Y, B, R, tiles, batch));
    return tk::finish({});
}
TK_NO_WORKSPACE(fft_conv, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)
}  // extern "C"
