// Made by tkc from residual.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// bias: kernel bias with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: bias_kernel<3, 8, true>.
// bias_general: kernel bias with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: bias_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) bias_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:5: kernel bias<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: bf16[N], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:8: store(Y[m, n], bf16(f32(load(X[m, n])) + load(Bias[n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Bias, {n}, 1, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) { return float(t0) + float(t1); }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

// residual: kernel residual with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: residual_kernel<3, 8, true>.
// residual_general: kernel residual with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: residual_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) residual_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:11: kernel residual<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Res: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:14: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * load(X[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Res, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [&](tk::bf16 t0, tk::bf16 t1) { return tk::fma(alpha, float(t1), float(t0)); },
            t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

// bias_gelu: kernel bias_gelu with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: bias_gelu_kernel<3, 8, true>.
// bias_gelu_general: kernel bias_gelu with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: bias_gelu_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) bias_gelu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:17: kernel bias_gelu<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Bias: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual.tk:20: store(Y[m, n], bf16(activation.gelu(f32(load(X[m, n])) + load(Bias[n]))));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Bias, {n}, 1, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0) + float(t1);
        return 0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x)));
    }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

// bias_residual: kernel bias_residual with BN = 2048, ROWS = 2.
// 256 threads, 64 registers each: bias_residual_kernel<4, 8, true>.
// bias_residual_general: kernel bias_residual with BN = 2048, ROWS = 2; any strides and alignment.
// 256 threads, 255 registers each: bias_residual_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) bias_residual_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> Bias,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N, float alpha) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // residual.tk:23: kernel bias_residual<BN: int = 2048, ROWS: int = 2>(X: bf16[M, N], Bias: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // residual.tk:26: store(Y[m, n], bf16(f32(load(Res[m, n])) + alpha * (f32(load(X[m, n])) + ..
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Res, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 1, 2048, 256, 128, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_vectors<vectors>(Bias, {n}, 1, N - n), thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t3;
    tk::map(t3, [&](tk::bf16 t0, tk::bf16 t1, tk::bf16 t2) {
        return tk::fma(alpha, float(t1) + float(t2), float(t0));
    }, t0, t1, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t3, thread);
}

extern "C" {
int bias(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"bias"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("N", X, 1, Bias, 0), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Bias, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<bias_kernel<3, 8, true>, bias_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Bias, Y, M, N));
}
TK_NO_WORKSPACE(bias, const DLTensor*, const DLTensor*, DLTensor*)

int residual(const DLTensor* X_given, const DLTensor* Res_given, DLTensor* Y_given, float alpha,
             void*, size_t, cudaStream_t stream) {
    tk::arguments call{"residual"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Res, 0), tk::same_extent("N", X, 1, Res, 1),
         tk::same_extent("M", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Res, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<residual_kernel<3, 8, true>, residual_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Res, Y, M, N,
        alpha));
}
TK_NO_WORKSPACE(residual, const DLTensor*, const DLTensor*, DLTensor*, float)

int bias_gelu(const DLTensor* X_given, const DLTensor* Bias_given, DLTensor* Y_given, void*, size_t,
              cudaStream_t stream) {
    tk::arguments call{"bias_gelu"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("N", X, 1, Bias, 0), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Bias, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<bias_gelu_kernel<3, 8, true>, bias_gelu_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Bias, Y, M, N));
}
TK_NO_WORKSPACE(bias_gelu, const DLTensor*, const DLTensor*, DLTensor*)

int bias_residual(const DLTensor* X_given, const DLTensor* Bias_given, const DLTensor* Res_given,
                  DLTensor* Y_given, float alpha, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"bias_residual"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("N", X, 1, Bias, 0), tk::same_extent("M", X, 0, Res, 0),
         tk::same_extent("N", X, 1, Res, 1), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Bias, "N"),
         tk::suits_fast(Res, "N"), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<bias_residual_kernel<4, 8, true>, bias_residual_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Bias, Res, Y,
            M, N, alpha));
}
TK_NO_WORKSPACE(bias_residual, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, float)
}  // extern "C"
