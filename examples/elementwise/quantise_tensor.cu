// Made by tkc from quantise_tensor.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// most: kernel most with T = bf16, BM = 16, BN = 512.
// 256 threads, 64 registers each, 1024 bytes of shared memory: most_kernel<4, 8, true>.
// most_general: kernel most with T = bf16, BM = 16, BN = 512; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: most_kernel<1, 2, false>.
struct most_shared {
    tk::shared_tile<float, 8, 1> most_f32_rows_1[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) most_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<float, 2> Most, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    most_shared& shared = *reinterpret_cast<most_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 512);

    // quantise_tensor.tk:10: kernel most<T: dtype = bf16, BM: int = 16, BN: int = 512>(X: T[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 512;
    const int m = program / n_tiles * 16;

    // quantise_tensor.tk:13: store(Most[m.index, n.index], largest(f32(load(X[m, n]))));
    tk::stripe<tk::bf16, 16, 512, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 16, 512, 256, 32, vector> t1;
    tk::map(t1, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 16, 1, 256, 32, vector> t2;
    tk::fold_rows(t2, t1, tk::maximum{}, thread);
    tk::finish_rows(t2, tk::maximum{});
    tk::stripe<float, 16, 1, 256, 32, vector> t3;
    tk::map(t3, thread, [&](int row, int, float t2) { return row < M - m ? t2 : -INFINITY; }, t2);
    tk::stripe<float, 1, 1, 256, 32, vector> t4;
    tk::reduce_columns(t4, t3, shared.most_f32_rows_1[0], tk::maximum{}, thread, 1);
    // quantise_tensor.tk:13
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 16, n / 512}, 1,
                                  m / 16 < tk::divide_up(M, 16) ? tk::divide_up(N, 512) - n / 512
                                  : 0), t4, thread);
}

// scale_of: kernel scale_of.
// 256 threads, 48 registers each, 1024 bytes of shared memory: scale_of_kernel<5, 4, true>.
// scale_of_general: kernel scale_of; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: scale_of_kernel<1, 2, false>.
struct scale_of_shared {
    tk::shared_tile<float, 8, 1> scale_of_f32_rows_1[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) scale_of_kernel(
    const tk::tensor_argument<const float, 2> Parts, const tk::tensor_argument<float, 1> Scale,
    int P, int Q, float end) {
    extern __shared__ __align__(1024) unsigned char memory[];
    scale_of_shared& shared = *reinterpret_cast<scale_of_shared*>(memory);

    tk::wait_for_previous_kernel();

    // quantise_tensor.tk:17: kernel scale_of(Parts: f32[P, Q], end: f32, out Scale: f32[1])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int i = program;

    // quantise_tensor.tk:21: var top: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 32, vector> top;
    tk::zero(top);

    // quantise_tensor.tk:22: for p in P by 16, q in Q by 128 { top = max(top, ..
    for (int p = 0; p < P; p += 16) {
        for (int q = 0; q < Q; q += 128) {
            tk::stripe<float, 16, 128, 256, 32, vector> t0;
            tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Parts, {p, q}, P - p, Q - q),
                                    thread);

            // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis ..
            tk::stripe<float, 16, 128, 256, 32, vector> t1;
            tk::map(t1, thread, [&](int, int col, float t0) {
                return col < Q - q ? tk::abs(t0) : -INFINITY;
            }, t0);
            tk::stripe<float, 16, 1, 256, 32, vector> t2;
            tk::fold_rows(t2, t1, tk::maximum{}, thread);
            tk::finish_rows(t2, tk::maximum{});
            tk::stripe<float, 16, 1, 256, 32, vector> t3;
            tk::map(t3, thread, [&](int row, int, float t2) {
                return row < P - p ? t2 : -INFINITY;
            }, t2);
            tk::stripe<float, 1, 1, 256, 32, vector> t4;
            tk::reduce_columns(t4, t3, shared.scale_of_f32_rows_1[0], tk::maximum{}, thread, 1);
            // quantise_tensor.tk:22
            tk::map(top, [](float top, float t4) { return tk::max(top, t4); }, top, t4);
        }
    }

    // quantise_tensor.tk:23: store(Scale[i +: 1], where(top == 0, 1.0, top / end));
    tk::stripe<float, 1, 1, 256, 32, vector> t5;
    tk::map(t5, [&](float top) { return top == 0.0f ? 1.0f : tk::divide(top, end); }, top);
    tk::store_global(tk::slice(Scale, {i}, 1, 1 - i), t5, thread);
}

// keep_most: kernel keep_most.
// 256 threads, 48 registers each, 1024 bytes of shared memory: keep_most_kernel<5, 4, true>.
// keep_most_general: kernel keep_most; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: keep_most_kernel<1, 2, false>.
struct keep_most_shared {
    tk::shared_tile<float, 8, 1> keep_most_f32_rows_1[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) keep_most_kernel(
    const tk::tensor_argument<const float, 2> Parts, const tk::tensor_argument<float, 2> Most,
    int P, int Q, int I, int H, int i) {
    extern __shared__ __align__(1024) unsigned char memory[];
    keep_most_shared& shared = *reinterpret_cast<keep_most_shared*>(memory);

    tk::wait_for_previous_kernel();

    // quantise_tensor.tk:34: kernel keep_most(Parts: f32[P, Q], i: i32, inout Most: f32[I, H])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int j = program;

    // quantise_tensor.tk:38: var top = load(Most[i, j +: 1]);
    tk::stripe<float, 1, 1, 256, 32, vector> top;
    tk::load_global(top, tk::slice<tk::no_axis, 1>(Most, {i, j}, 1, i > -1 && i < I ? H - j : 0),
                    thread);

    // quantise_tensor.tk:39: for p in P by 16, q in Q by 128 { top = max(top, ..
    for (int p = 0; p < P; p += 16) {
        for (int q = 0; q < Q; q += 128) {
            tk::stripe<float, 16, 128, 256, 32, vector> t1;
            tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Parts, {p, q}, P - p, Q - q),
                                    thread);

            // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis ..
            tk::stripe<float, 16, 128, 256, 32, vector> t2;
            tk::map(t2, thread, [&](int, int col, float t1) {
                return col < Q - q ? tk::abs(t1) : -INFINITY;
            }, t1);
            tk::stripe<float, 16, 1, 256, 32, vector> t3;
            tk::fold_rows(t3, t2, tk::maximum{}, thread);
            tk::finish_rows(t3, tk::maximum{});
            tk::stripe<float, 16, 1, 256, 32, vector> t4;
            tk::map(t4, thread, [&](int row, int, float t3) {
                return row < P - p ? t3 : -INFINITY;
            }, t3);
            tk::stripe<float, 1, 1, 256, 32, vector> t5;
            tk::reduce_columns(t5, t4, shared.keep_most_f32_rows_1[0], tk::maximum{}, thread, 1);
            // quantise_tensor.tk:39
            tk::map(top, [](float top, float t5) { return tk::max(top, t5); }, top, t5);
        }
    }

    // quantise_tensor.tk:40: store(Most[i, j +: 1], top);
    tk::barrier_sync(1, 256);
    tk::store_global(tk::slice<tk::no_axis, 1>(Most, {i, j}, 1, i > -1 && i < I ? H - j : 0), top,
                     thread);
}

// scales_of_history: kernel scales_of_history with H = 16.
// 32 threads, 64 registers each: scales_of_history_kernel<32, 4, 4, true>.
// scales_of_history_general: kernel scales_of_history with H = 16; any strides and alignment.
// 32 threads, 255 registers each: scales_of_history_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) scales_of_history_kernel(
    const tk::tensor_argument<const float, 1> end, const tk::tensor_argument<float, 2> Most,
    const tk::tensor_argument<float, 1> Scale, const tk::tensor_argument<float, 1> Now, int I) {
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // quantise_tensor.tk:45: kernel scales_of_history<H: int = 16>(end: f32[I], inout Most: ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int i = program;

        // quantise_tensor.tk:48: let held  = load(Most[i.start, :]);
        tk::stripe<float, 1, 16, 32, row_threads, vector> held;
        tk::load_slice_in_order<vectors>(
            held, tk::slice_if_dense<vectors, tk::no_axis, 1>(Most, {i, 0}, 1, 16), thread);

        // quantise_tensor.tk:49: let top   = max(held, axis = 1);
        tk::stripe<float, 1, 1, 32, row_threads, vector> top;
        tk::fold_rows(top, held, tk::maximum{}, thread);
        tk::finish_rows(top, tk::maximum{});

        // quantise_tensor.tk:50: let scale = where(top == 0, load(Scale[i]), top / load(end[i]));
        tk::stripe<float, 1, 1, 32, row_threads, vector> t2;
        tk::load_global(t2, tk::slice(Scale, {i}, 1, I - i), thread);
        tk::stripe<float, 1, 1, 32, row_threads, vector> t3;
        tk::load_global(t3, tk::slice(end, {i}, 1, I - i), thread);
        tk::stripe<float, 1, 1, 32, row_threads, vector> scale;
        tk::map(scale, [](float top, float t2, float t3) {
            return top == 0.0f ? t2 : tk::divide(top, t3);
        }, top, t2, t3);

        // quantise_tensor.tk:51: store(Scale[i], scale);
        tk::barrier_sync(1, 32);
        tk::store_global(tk::slice(Scale, {i}, 1, I - i), scale, thread);

        // quantise_tensor.tk:52: store(Now[i], scale);
        tk::store_global(tk::slice(Now, {i}, 1, I - i), scale, thread);

        // quantise_tensor.tk:53: store(Most[i.start, :], load(Most[i.start, -1 +: H]));
        tk::stripe<float, 1, 16, 32, row_threads, vector> t4;
        tk::load_global(t4,
                        tk::clipped(
                            tk::slice_if_dense<vectors, tk::no_axis, 1>(Most, {i, -1}, 1, 16 - -1),
                            0, 0 - -1), thread);
        tk::barrier_sync(1, 32);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors, tk::no_axis, 1>(Most, {i, 0}, 1, 16),
                                 t4, thread);
    }
}

// quantise_tensor: kernel quantise_tensor with T = bf16, Q = fp8_e4m3, BM = 16, BN = 512.
// 256 threads, 64 registers each, 1024 bytes of shared memory: quantise_tensor_kernel<4, 16, true>.
// quantise_tensor_general: kernel quantise_tensor with T = bf16, Q = fp8_e4m3, BM = 16, BN = 512;
// any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: quantise_tensor_kernel<1, 4,
// false>.
struct quantise_tensor_shared {
    tk::shared_tile<float, 8, 1> quantise_tensor_f32_rows_1[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) quantise_tensor_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const float, 1> scale,
    const tk::tensor_argument<tk::fp8_e4m3, 2> Y, const tk::tensor_argument<float, 2> Most, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_tensor_shared& shared = *reinterpret_cast<quantise_tensor_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 512);

    // quantise_tensor.tk:57: kernel quantise_tensor<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 512;
    const int m = program / n_tiles * 16;

    // quantise_tensor.tk:61: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 16, 512, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:62: store(Y[m, n], Q(x * (1 / scale[0])));
    tk::stripe<tk::fp8_e4m3, 16, 512, 256, 32, vector> t1;
    tk::map(t1, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t1, thread);

    // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 16, 512, 256, 32, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 16, 1, 256, 32, vector> t3;
    tk::fold_rows(t3, t2, tk::maximum{}, thread);
    tk::finish_rows(t3, tk::maximum{});
    tk::stripe<float, 16, 1, 256, 32, vector> t4;
    tk::map(t4, thread, [&](int row, int, float t3) { return row < M - m ? t3 : -INFINITY; }, t3);
    tk::stripe<float, 1, 1, 256, 32, vector> t5;
    tk::reduce_columns(t5, t4, shared.quantise_tensor_f32_rows_1[0], tk::maximum{}, thread, 1);

    // quantise_tensor.tk:63: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 16, n / 512}, 1,
                                  m / 16 < tk::divide_up(M, 16) ? tk::divide_up(N, 512) - n / 512
                                  : 0), t5, thread);
}

// quantise_both: kernel quantise_both with T = bf16, Q = fp8_e4m3, BM = 64, BN = 128.
// 256 threads, 128 registers each, 9216 bytes of shared memory: quantise_both_kernel<2, 8, 16,
// true>.
// quantise_both_general: kernel quantise_both with T = bf16, Q = fp8_e4m3, BM = 64, BN = 128; any
// strides and alignment.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_kernel<1, 32, 4,
// false>.
struct quantise_both_shared {
    tk::shared_tile<int, 1, 2112> quantise_both_turned[1];
    tk::shared_tile<float, 8, 1> quantise_both_f32_rows_1[1];
};
static_assert(offsetof(quantise_both_shared, quantise_both_f32_rows_1) == 8448);

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) quantise_both_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const float, 1> scale,
    const tk::tensor_argument<tk::fp8_e4m3, 2> Y, const tk::tensor_argument<tk::fp8_e4m3, 2> Turned,
    const tk::tensor_argument<float, 2> Most, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_both_shared& shared = *reinterpret_cast<quantise_both_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 128);

    // quantise_tensor.tk:66: kernel quantise_both<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: int ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 128;
    const int m = program / n_tiles * 64;

    // quantise_tensor.tk:70: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 64, 128, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:71: let q = Q(x * (1 / scale[0]));
    tk::stripe<tk::fp8_e4m3, 64, 128, 256, row_threads, vector> q;
    tk::map(q, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);

    // quantise_tensor.tk:72: store(Y[m, n], q);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), q, thread);

    // quantise_tensor.tk:73: store(Turned[n, m], q.T);
    tk::stripe<tk::fp8_e4m3, 128, 64, 256, row_threads, vector> t1;
    tk::transpose(t1, q, shared.quantise_both_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Turned, {n, m}, N - n, M - m), t1,
                             thread);

    // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 64, 128, 256, row_threads, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t3;
    tk::fold_rows(t3, t2, tk::maximum{}, thread);
    tk::finish_rows(t3, tk::maximum{});
    tk::stripe<float, 64, 1, 256, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int, float t3) { return row < M - m ? t3 : -INFINITY; }, t3);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t5;
    tk::reduce_columns(t5, t4, shared.quantise_both_f32_rows_1[0], tk::maximum{}, thread, 1);

    // quantise_tensor.tk:74: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 64, n / 128}, 1,
                                  m / 64 < tk::divide_up(M, 64) ? tk::divide_up(N, 128) - n / 128
                                  : 0), t5, thread);
}

// quantise_both_e5m2: kernel quantise_both with T = bf16, Q = fp8_e5m2, BM = 64, BN = 128.
// 256 threads, 128 registers each, 9216 bytes of shared memory: quantise_both_e5m2_kernel<2, 8, 16,
// true>.
// quantise_both_e5m2_general: kernel quantise_both with T = bf16, Q = fp8_e5m2, BM = 64, BN = 128;
// any strides and alignment.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_e5m2_kernel<1, 32, 4,
// false>.
struct quantise_both_e5m2_shared {
    tk::shared_tile<int, 1, 2112> quantise_both_turned[1];
    tk::shared_tile<float, 8, 1> quantise_both_f32_rows_1[1];
};
static_assert(offsetof(quantise_both_e5m2_shared, quantise_both_f32_rows_1) == 8448);

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) quantise_both_e5m2_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const float, 1> scale,
    const tk::tensor_argument<tk::fp8_e5m2, 2> Y, const tk::tensor_argument<tk::fp8_e5m2, 2> Turned,
    const tk::tensor_argument<float, 2> Most, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_both_e5m2_shared& shared = *reinterpret_cast<quantise_both_e5m2_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 128);

    // quantise_tensor.tk:66: kernel quantise_both<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: int ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 128;
    const int m = program / n_tiles * 64;

    // quantise_tensor.tk:70: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 64, 128, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:71: let q = Q(x * (1 / scale[0]));
    tk::stripe<tk::fp8_e5m2, 64, 128, 256, row_threads, vector> q;
    tk::map(q, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);

    // quantise_tensor.tk:72: store(Y[m, n], q);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), q, thread);

    // quantise_tensor.tk:73: store(Turned[n, m], q.T);
    tk::stripe<tk::fp8_e5m2, 128, 64, 256, row_threads, vector> t1;
    tk::transpose(t1, q, shared.quantise_both_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Turned, {n, m}, N - n, M - m), t1,
                             thread);

    // quantise_tensor.tk:7: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 64, 128, 256, row_threads, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t3;
    tk::fold_rows(t3, t2, tk::maximum{}, thread);
    tk::finish_rows(t3, tk::maximum{});
    tk::stripe<float, 64, 1, 256, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int, float t3) { return row < M - m ? t3 : -INFINITY; }, t3);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t5;
    tk::reduce_columns(t5, t4, shared.quantise_both_f32_rows_1[0], tk::maximum{}, thread, 1);

    // quantise_tensor.tk:74: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 64, n / 128}, 1,
                                  m / 64 < tk::divide_up(M, 64) ? tk::divide_up(N, 128) - n / 128
                                  : 0), t5, thread);
}

namespace {
tk::status launch_most(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Most,
                       int64_t M, int64_t N) {
    return tk::run<most_kernel<4, 8, true>>(
        site, sizeof(most_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16)), X, Most, M, N);
}

tk::status launch_most_general(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Most, int64_t M, int64_t N) {
    return tk::run<most_kernel<1, 2, false>>(
        site, sizeof(most_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16)), X, Most, M, N);
}

tk::status launch_scale_of(const tk::launch_site& site, const tk::tensor& Parts,
                           const tk::tensor& Scale, int64_t P, int64_t Q, float end) {
    return tk::run<scale_of_kernel<5, 4, true>>(site, sizeof(scale_of_shared),
                                                tk::kernel_shape(256).overlapping(), 1, Parts,
                                                Scale, P, Q, end);
}

tk::status launch_scale_of_general(const tk::launch_site& site, const tk::tensor& Parts,
                                   const tk::tensor& Scale, int64_t P, int64_t Q, float end) {
    return tk::run<scale_of_kernel<1, 2, false>>(site, sizeof(scale_of_shared),
                                                 tk::kernel_shape(256).overlapping(), 1, Parts,
                                                 Scale, P, Q, end);
}

}  // namespace

extern "C" {
int most(const DLTensor* X_given, DLTensor* Most_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"most"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(Most.shape[0] == tk::ceil_div(M, 16),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 16)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 16)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 512),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 512)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 512)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16));
    const bool fast = tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<most_kernel<4, 8, true>, most_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(most_shared), tk::kernel_shape(256).overlapping(), programs, X,
        Most, M, N));
}
TK_NO_WORKSPACE(most, const DLTensor*, DLTensor*)

int scale_of(const DLTensor* Parts_given, DLTensor* Scale_given, float end, void*, size_t,
             cudaStream_t stream) {
    tk::arguments call{"scale_of"};
    const tk::tensor Parts = call.take("Parts", Parts_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Parts.shape[0];
    const int64_t Q = Parts.shape[1];
    call.require(
        {tk::fixed_extent(Scale, 0, 1), tk::extents_fit({{"P", P}, {"Q", Q}}),
         tk::that(end > 0.0f, "`scale_of` requires `end > 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Parts, "Q"), tk::whole_vectors(Parts, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<scale_of_kernel<5, 4, true>, scale_of_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(scale_of_shared), tk::kernel_shape(256).overlapping(), 1, Parts,
        Scale, P, Q, end));
}
TK_NO_WORKSPACE(scale_of, const DLTensor*, DLTensor*, float)

int keep_most(const DLTensor* Parts_given, DLTensor* Most_given, int32_t i, void*, size_t,
              cudaStream_t stream) {
    tk::arguments call{"keep_most"};
    const tk::tensor Parts = call.take("Parts", Parts_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Parts.shape[0];
    const int64_t Q = Parts.shape[1];
    const int64_t I = Most.shape[0];
    const int64_t H = Most.shape[1];
    call.require(
        {tk::extents_fit({{"P", P}, {"Q", Q}, {"I", I}, {"H", H}}),
         tk::that(int64_t{i} >= 0, "`keep_most` requires `i >= 0`"),
         tk::that(int64_t{i} < I, "`keep_most` requires `i < I`"),
         tk::that(H > 0, "`keep_most` requires `H > 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Parts, "Q"), tk::whole_vectors(Parts, 4)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<keep_most_kernel<5, 4, true>, keep_most_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(keep_most_shared), tk::kernel_shape(256).overlapping(), 1, Parts,
        Most, P, Q, I, H, i));
}
TK_NO_WORKSPACE(keep_most, const DLTensor*, DLTensor*, int32_t)

int scales_of_history(const DLTensor* end_given, DLTensor* Most_given, DLTensor* Scale_given,
                      DLTensor* Now_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"scales_of_history"};
    const tk::tensor end = call.take("end", end_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Now = call.take("Now", Now_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t I = end.shape[0];
    call.require(
        {tk::same_extent("I", end, 0, Most, 0), tk::fixed_extent(Most, 1, 16),
         tk::same_extent("I", end, 0, Scale, 0), tk::same_extent("I", end, 0, Now, 0),
         tk::extents_fit({{"I", I}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Most)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<scales_of_history_kernel<32, 4, 4, true>>(
            site, 0, tk::kernel_shape(32).overlapping(), I, end, Most, Scale, Now, I));
    }
    return tk::finish(tk::run<scales_of_history_kernel<1, 8, 2, false>>(
        site, 0, tk::kernel_shape(32).overlapping(), I, end, Most, Scale, Now, I));
}
TK_NO_WORKSPACE(scales_of_history, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int quantise_tensor(const DLTensor* X_given, const DLTensor* scale_given, DLTensor* Y_given,
                    DLTensor* Most_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"quantise_tensor"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor scale = call.take("scale", scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::fixed_extent(scale, 0, 1), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(Most.shape[0] == tk::ceil_div(M, 16),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 16)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 16)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 512),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 512)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 512)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16));
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<quantise_tensor_kernel<4, 16, true>, quantise_tensor_kernel<1, 4, false>>(
            fast ? 0 : 1, site, sizeof(quantise_tensor_shared), tk::kernel_shape(256).overlapping(),
            programs, X, scale, Y, Most, M, N));
}
TK_NO_WORKSPACE(quantise_tensor, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int quantise_both(const DLTensor* X_given, const DLTensor* scale_given, DLTensor* Y_given,
                  DLTensor* Turned_given, DLTensor* Most_given, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"quantise_both"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor scale = call.take("scale", scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_fp8_e4m3, 2,
                                        tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::fixed_extent(scale, 0, 1), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::same_extent("N", X, 1, Turned, 0),
         tk::same_extent("M", X, 0, Turned, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(Most.shape[0] == tk::ceil_div(M, 64),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 64)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 64)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 128),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 128)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 64));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N"),
         tk::suits_fast(Turned, "M"), tk::whole_vectors(Turned, 16)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<quantise_both_kernel<2, 8, 16, true>, quantise_both_kernel<1, 32, 4, false>>(
            fast ? 0 : 1, site, sizeof(quantise_both_shared), tk::kernel_shape(256).overlapping(),
            programs, X, scale, Y, Turned, Most, M, N));
}
TK_NO_WORKSPACE(quantise_both, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int quantise_both_e5m2(const DLTensor* X_given, const DLTensor* scale_given, DLTensor* Y_given,
                       DLTensor* Turned_given, DLTensor* Most_given, void*, size_t,
                       cudaStream_t stream) {
    tk::arguments call{"quantise_both_e5m2"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor scale = call.take("scale", scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e5m2, 2, tk::access::write);
    const tk::tensor Turned = call.take("Turned", Turned_given, tk::dtype_fp8_e5m2, 2,
                                        tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::fixed_extent(scale, 0, 1), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::same_extent("N", X, 1, Turned, 0),
         tk::same_extent("M", X, 0, Turned, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(Most.shape[0] == tk::ceil_div(M, 64),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 64)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 64)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 128),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 128)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 128)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 128), tk::ceil_div(M, 64));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N"),
         tk::suits_fast(Turned, "M"), tk::whole_vectors(Turned, 16)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<quantise_both_e5m2_kernel<2, 8, 16, true>>(
            site, sizeof(quantise_both_e5m2_shared), tk::kernel_shape(256).overlapping(), programs,
            X, scale, Y, Turned, Most, M, N));
    }
    return tk::finish(tk::run<quantise_both_e5m2_kernel<1, 32, 4, false>>(
        site, sizeof(quantise_both_e5m2_shared), tk::kernel_shape(256).overlapping(), programs, X,
        scale, Y, Turned, Most, M, N));
}
TK_NO_WORKSPACE(quantise_both_e5m2, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)

int scale_now(const DLTensor* X_given, DLTensor* Scale_given, DLTensor* Most_given, float end,
              void*, size_t, cudaStream_t stream) {
    tk::arguments call{"scale_now"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Most = call.take("Most", Most_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::fixed_extent(Scale, 0, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(Most.shape[0] == tk::ceil_div(M, 16),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 16)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 16)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 512),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 512)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 512)})});
    // most(X, Most)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 512), tk::ceil_div(M, 16)), 2147483648)});
    // scale_of(Most, Scale, end)
    call.require({
        tk::that(tk::ceil_div(M, 16) < 2147221504,
                 "`ceil_div(M, 16)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(M, 16)}),
        tk::that(tk::ceil_div(N, 512) < 2147221504,
                 "`ceil_div(N, 512)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 512)}), tk::that(end > 0.0f, "`scale_of` requires `end > 0`")});
    if (!call.ok()) return tk::finish(call.result());

    // most(X, Most)
    const bool choice_1 = tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 8)});

    // scale_of(Most, Scale, end)
    const bool choice_2 = tk::hold(
        {tk::that(Most.stride[1] == 1), tk::that(Most.address % 16 == 0),
         tk::that(Most.stride[0] % 4 == 0 && 0 < Most.stride[0] && Most.stride[0] < 274877906944),
         tk::that(tk::ceil_div(N, 512) % 4 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_most(site, X, Most, M, N));
    } else {
        TK_FINISH_IF_FAILED(launch_most_general(site, X, Most, M, N));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_scale_of(
            site, tk::read_only(Most), Scale, tk::ceil_div(M, 16), tk::ceil_div(N, 512), end));
    } else {
        TK_FINISH_IF_FAILED(launch_scale_of_general(
            site, tk::read_only(Most), Scale, tk::ceil_div(M, 16), tk::ceil_div(N, 512), end));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(scale_now, const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
