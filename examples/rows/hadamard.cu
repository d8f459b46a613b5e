// Made by tkc from hadamard.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/exchange.cuh"
#include "tk/tk.cuh"

// hadamard: kernel hadamard with T = bf16, C = 4096, ROWS = 2.
// 128 threads, 168 registers each, 33792 bytes of shared memory.
struct hadamard_shared {
    tk::shared_tile<int, 1, 8194> hadamard_turned[1];
};

__global__ void __launch_bounds__(128, 3) hadamard_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hadamard_shared& shared = *reinterpret_cast<hadamard_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hadamard.tk:14: kernel hadamard<T: dtype = bf16, C: int = 4096, schedule ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program * 2;

    // hadamard.tk:18: let x0 = f32(load(X[m, :]));
    tk::stripe<tk::bf16, 2, 4096, 128, 64, 8> t0;
    tk::load_vectors(t0, tk::dense_slice(X, {m, 0}, M - m, 4096), thread);
    tk::stripe<float, 2, 4096, 128, 64, 8> x0 = tk::convert<float>(t0);

    // hadamard.tk:10: let y = exchange(x, axis = 1, bit = b);
    tk::stripe<float, 2, 4096, 128, 64, 8> y;
    tk::exchange_columns<0>(y, x0);

    // hadamard.tk:19: let x3 = step(step(step(x0, 0), 1), 2);
    tk::stripe<float, 2, 4096, 128, 64, 8> x;
    tk::map(x, thread, [](int, int col, tk::bf16 t0, float y) {
        return tk::fma(float(t0), ((col >> 0) & 1) == 0 ? 1.0f : -1.0f, y);
    }, t0, y);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_2;
    tk::exchange_columns<1>(y_2, x);
    // hadamard.tk:19
    tk::stripe<float, 2, 4096, 128, 64, 8> x_2;
    tk::map(x_2, thread, [](int, int col, float x, float y_2) {
        return tk::fma(x, ((col >> 1) & 1) == 0 ? 1.0f : -1.0f, y_2);
    }, x, y_2);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_3;
    tk::exchange_columns<2>(y_3, x_2);
    // hadamard.tk:19
    tk::stripe<float, 2, 4096, 128, 64, 8> x3;
    tk::map(x3, thread, [](int, int col, float x_2, float y_3) {
        return tk::fma(x_2, ((col >> 2) & 1) == 0 ? 1.0f : -1.0f, y_3);
    }, x_2, y_3);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_4;
    tk::exchange_columns<3>(y_4, x3);

    // hadamard.tk:20: let x6 = step(step(step(x3, 3), 4), 5);
    tk::stripe<float, 2, 4096, 128, 64, 8> x_3;
    tk::map(x_3, thread, [](int, int col, float x3, float y_4) {
        return tk::fma(x3, ((col >> 3) & 1) == 0 ? 1.0f : -1.0f, y_4);
    }, x3, y_4);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_5;
    tk::exchange_columns<4>(y_5, x_3);
    // hadamard.tk:20
    tk::stripe<float, 2, 4096, 128, 64, 8> x_4;
    tk::map(x_4, thread, [](int, int col, float x_3, float y_5) {
        return tk::fma(x_3, ((col >> 4) & 1) == 0 ? 1.0f : -1.0f, y_5);
    }, x_3, y_5);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_6;
    tk::exchange_columns<5>(y_6, x_4);
    // hadamard.tk:20
    tk::stripe<float, 2, 4096, 128, 64, 8> x6;
    tk::map(x6, thread, [](int, int col, float x_4, float y_6) {
        return tk::fma(x_4, ((col >> 5) & 1) == 0 ? 1.0f : -1.0f, y_6);
    }, x_4, y_6);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_7;
    tk::exchange_columns<6>(y_7, x6);

    // hadamard.tk:21: let x9 = step(step(step(x6, 6), 7), 8);
    tk::stripe<float, 2, 4096, 128, 64, 8> x_5;
    tk::map(x_5, thread, [](int, int col, float x6, float y_7) {
        return tk::fma(x6, ((col >> 6) & 1) == 0 ? 1.0f : -1.0f, y_7);
    }, x6, y_7);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_8;
    tk::exchange_columns<7>(y_8, x_5);
    // hadamard.tk:21
    tk::stripe<float, 2, 4096, 128, 64, 8> x_6;
    tk::map(x_6, thread, [](int, int col, float x_5, float y_8) {
        return tk::fma(x_5, ((col >> 7) & 1) == 0 ? 1.0f : -1.0f, y_8);
    }, x_5, y_8);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_9;
    tk::exchange_columns<8>(y_9, x_6, shared.hadamard_turned[0], thread, 1);
    // hadamard.tk:21
    tk::stripe<float, 2, 4096, 128, 64, 8> x9;
    tk::map(x9, thread, [](int, int col, float x_6, float y_9) {
        return tk::fma(x_6, ((col >> 8) & 1) == 0 ? 1.0f : -1.0f, y_9);
    }, x_6, y_9);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_10;
    tk::exchange_columns<9>(y_10, x9);

    // hadamard.tk:22: let x12 = step(step(step(x9, 9), 10), 11);
    tk::stripe<float, 2, 4096, 128, 64, 8> x_7;
    tk::map(x_7, thread, [](int, int col, float x9, float y_10) {
        return tk::fma(x9, ((col >> 9) & 1) == 0 ? 1.0f : -1.0f, y_10);
    }, x9, y_10);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_11;
    tk::exchange_columns<10>(y_11, x_7);
    // hadamard.tk:22
    tk::stripe<float, 2, 4096, 128, 64, 8> x_8;
    tk::map(x_8, thread, [](int, int col, float x_7, float y_11) {
        return tk::fma(x_7, ((col >> 10) & 1) == 0 ? 1.0f : -1.0f, y_11);
    }, x_7, y_11);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 8> y_12;
    tk::exchange_columns<11>(y_12, x_8);

    // hadamard.tk:24: store(Y[m, :], T(x14 * scale));
    tk::stripe<tk::bf16, 2, 4096, 128, 64, 8> t13;
    tk::map(t13, thread, [&](int, int col, float x_8, float y_12) {
        return tk::fma(x_8, ((col >> 11) & 1) == 0 ? 1.0f : -1.0f, y_12) * scale;
    }, x_8, y_12);
    tk::store_vectors(tk::dense_slice(Y, {m, 0}, M - m, 4096), t13, thread);
}

// hadamard_general: kernel hadamard with T = bf16, C = 4096, ROWS = 2; any strides and alignment.
// 128 threads, 255 registers each, 33792 bytes of shared memory.
struct hadamard_general_shared {
    tk::shared_tile<int, 1, 8194> hadamard_turned[1];
};

__global__ void __launch_bounds__(128, 1) hadamard_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hadamard_general_shared& shared = *reinterpret_cast<hadamard_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hadamard.tk:14: kernel hadamard<T: dtype = bf16, C: int = 4096, schedule ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int m = program * 2;

    // hadamard.tk:18: let x0 = f32(load(X[m, :]));
    tk::stripe<tk::bf16, 2, 4096, 128, 64, 4> t0;
    tk::load_global(t0, tk::slice(X, {m, 0}, M - m, 4096), thread);
    tk::stripe<float, 2, 4096, 128, 64, 4> x0 = tk::convert<float>(t0);

    // hadamard.tk:10: let y = exchange(x, axis = 1, bit = b);
    tk::stripe<float, 2, 4096, 128, 64, 4> y;
    tk::exchange_columns<0>(y, x0);

    // hadamard.tk:19: let x3 = step(step(step(x0, 0), 1), 2);
    tk::stripe<float, 2, 4096, 128, 64, 4> x;
    tk::map(x, thread, [](int, int col, tk::bf16 t0, float y) {
        return tk::fma(float(t0), ((col >> 0) & 1) == 0 ? 1.0f : -1.0f, y);
    }, t0, y);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_2;
    tk::exchange_columns<1>(y_2, x);
    // hadamard.tk:19
    tk::stripe<float, 2, 4096, 128, 64, 4> x_2;
    tk::map(x_2, thread, [](int, int col, float x, float y_2) {
        return tk::fma(x, ((col >> 1) & 1) == 0 ? 1.0f : -1.0f, y_2);
    }, x, y_2);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_3;
    tk::exchange_columns<2>(y_3, x_2);
    // hadamard.tk:19
    tk::stripe<float, 2, 4096, 128, 64, 4> x3;
    tk::map(x3, thread, [](int, int col, float x_2, float y_3) {
        return tk::fma(x_2, ((col >> 2) & 1) == 0 ? 1.0f : -1.0f, y_3);
    }, x_2, y_3);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_4;
    tk::exchange_columns<3>(y_4, x3);

    // hadamard.tk:20: let x6 = step(step(step(x3, 3), 4), 5);
    tk::stripe<float, 2, 4096, 128, 64, 4> x_3;
    tk::map(x_3, thread, [](int, int col, float x3, float y_4) {
        return tk::fma(x3, ((col >> 3) & 1) == 0 ? 1.0f : -1.0f, y_4);
    }, x3, y_4);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_5;
    tk::exchange_columns<4>(y_5, x_3);
    // hadamard.tk:20
    tk::stripe<float, 2, 4096, 128, 64, 4> x_4;
    tk::map(x_4, thread, [](int, int col, float x_3, float y_5) {
        return tk::fma(x_3, ((col >> 4) & 1) == 0 ? 1.0f : -1.0f, y_5);
    }, x_3, y_5);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_6;
    tk::exchange_columns<5>(y_6, x_4);
    // hadamard.tk:20
    tk::stripe<float, 2, 4096, 128, 64, 4> x6;
    tk::map(x6, thread, [](int, int col, float x_4, float y_6) {
        return tk::fma(x_4, ((col >> 5) & 1) == 0 ? 1.0f : -1.0f, y_6);
    }, x_4, y_6);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_7;
    tk::exchange_columns<6>(y_7, x6);

    // hadamard.tk:21: let x9 = step(step(step(x6, 6), 7), 8);
    tk::stripe<float, 2, 4096, 128, 64, 4> x_5;
    tk::map(x_5, thread, [](int, int col, float x6, float y_7) {
        return tk::fma(x6, ((col >> 6) & 1) == 0 ? 1.0f : -1.0f, y_7);
    }, x6, y_7);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_8;
    tk::exchange_columns<7>(y_8, x_5, shared.hadamard_turned[0], thread, 1);
    // hadamard.tk:21
    tk::stripe<float, 2, 4096, 128, 64, 4> x_6;
    tk::map(x_6, thread, [](int, int col, float x_5, float y_8) {
        return tk::fma(x_5, ((col >> 7) & 1) == 0 ? 1.0f : -1.0f, y_8);
    }, x_5, y_8);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_9;
    tk::exchange_columns<8>(y_9, x_6);
    // hadamard.tk:21
    tk::stripe<float, 2, 4096, 128, 64, 4> x9;
    tk::map(x9, thread, [](int, int col, float x_6, float y_9) {
        return tk::fma(x_6, ((col >> 8) & 1) == 0 ? 1.0f : -1.0f, y_9);
    }, x_6, y_9);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_10;
    tk::exchange_columns<9>(y_10, x9);

    // hadamard.tk:22: let x12 = step(step(step(x9, 9), 10), 11);
    tk::stripe<float, 2, 4096, 128, 64, 4> x_7;
    tk::map(x_7, thread, [](int, int col, float x9, float y_10) {
        return tk::fma(x9, ((col >> 9) & 1) == 0 ? 1.0f : -1.0f, y_10);
    }, x9, y_10);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_11;
    tk::exchange_columns<10>(y_11, x_7);
    // hadamard.tk:22
    tk::stripe<float, 2, 4096, 128, 64, 4> x_8;
    tk::map(x_8, thread, [](int, int col, float x_7, float y_11) {
        return tk::fma(x_7, ((col >> 10) & 1) == 0 ? 1.0f : -1.0f, y_11);
    }, x_7, y_11);
    // hadamard.tk:10
    tk::stripe<float, 2, 4096, 128, 64, 4> y_12;
    tk::exchange_columns<11>(y_12, x_8);

    // hadamard.tk:24: store(Y[m, :], T(x14 * scale));
    tk::stripe<tk::bf16, 2, 4096, 128, 64, 4> t13;
    tk::map(t13, thread, [&](int, int col, float x_8, float y_12) {
        return tk::fma(x_8, ((col >> 11) & 1) == 0 ? 1.0f : -1.0f, y_12) * scale;
    }, x_8, y_12);
    tk::store_global(tk::slice(Y, {m, 0}, M - m, 4096), t13, thread);
}

extern "C" {
int hadamard(const DLTensor* X_given, DLTensor* Y_given, float scale, void*, size_t,
             cudaStream_t stream) {
    tk::arguments call{"hadamard"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 4096), tk::same_extent("M", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 4096), tk::extents_fit({{"M", M}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<hadamard_kernel>(
            site, sizeof(hadamard_shared), tk::kernel_shape(128).overlapping(), tk::ceil_div(M, 2),
            X, Y, M, scale));
    }
    return tk::finish(tk::run<hadamard_general_kernel>(
        site, sizeof(hadamard_general_shared), tk::kernel_shape(128).overlapping(),
        tk::ceil_div(M, 2), X, Y, M, scale));
}
TK_NO_WORKSPACE(hadamard, const DLTensor*, DLTensor*, float)
}  // extern "C"
