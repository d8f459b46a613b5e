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

    const int n_tiles = tk::tiles(N, 512);

    // quantise_tensor.tk:11: kernel most<T: dtype = bf16, BM: int = 16, BN: int = 512>(X: T[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 512;
    const int m = program / n_tiles * 16;

    // quantise_tensor.tk:14: store(Most[m.index, n.index], largest(f32(load(X[m, n]))));
    tk::stripe<tk::bf16, 16, 512, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:8: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
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
    // quantise_tensor.tk:14
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 16, n / 512}, 1,
                                  m / 16 < tk::divide_up(M, 16) ? tk::divide_up(N, 512) - n / 512
                                  : 0), t4, thread);
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

    const int n_tiles = tk::tiles(N, 512);

    // quantise_tensor.tk:18: kernel quantise_tensor<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 512;
    const int m = program / n_tiles * 16;

    // quantise_tensor.tk:22: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 16, 512, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:23: store(Y[m, n], Q(x * (1 / scale[0])));
    tk::stripe<tk::fp8_e4m3, 16, 512, 256, 32, vector> t1;
    tk::map(t1, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t1, thread);

    // quantise_tensor.tk:8: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
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

    // quantise_tensor.tk:24: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 16, n / 512}, 1,
                                  m / 16 < tk::divide_up(M, 16) ? tk::divide_up(N, 512) - n / 512
                                  : 0), t5, thread);
}

// quantise_both: kernel quantise_both with T = bf16, Q = fp8_e4m3, BM = 128, BN = 64.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_kernel<8, 16, true>.
// quantise_both_general: kernel quantise_both with T = bf16, Q = fp8_e4m3, BM = 128, BN = 64; any
// strides and alignment.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_kernel<32, 4, false>.
struct quantise_both_shared {
    tk::shared_tile<int, 1, 2176> quantise_both_turned[1];
    tk::shared_tile<float, 8, 1> quantise_both_f32_rows_1[1];
};
static_assert(offsetof(quantise_both_shared, quantise_both_f32_rows_1) == 8704);

template <int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, 1) quantise_both_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const float, 1> scale,
    const tk::tensor_argument<tk::fp8_e4m3, 2> Y, const tk::tensor_argument<tk::fp8_e4m3, 2> Turned,
    const tk::tensor_argument<float, 2> Most, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_both_shared& shared = *reinterpret_cast<quantise_both_shared*>(memory);

    const int n_tiles = tk::tiles(N, 64);

    // quantise_tensor.tk:27: kernel quantise_both<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: int ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 128;

    // quantise_tensor.tk:31: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 128, 64, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:32: let q = Q(x * (1 / scale[0]));
    tk::stripe<tk::fp8_e4m3, 128, 64, 256, row_threads, vector> q;
    tk::map(q, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);

    // quantise_tensor.tk:33: store(Y[m, n], q);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), q, thread);

    // quantise_tensor.tk:34: store(Turned[n, m], q.T);
    tk::stripe<tk::fp8_e4m3, 64, 128, 256, row_threads, vector> t1;
    tk::transpose(t1, q, shared.quantise_both_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Turned, {n, m}, N - n, M - m), t1,
                             thread);

    // quantise_tensor.tk:8: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 128, 64, 256, row_threads, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 128, 1, 256, row_threads, vector> t3;
    tk::fold_rows(t3, t2, tk::maximum{}, thread);
    tk::finish_rows(t3, tk::maximum{});
    tk::stripe<float, 128, 1, 256, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int, float t3) { return row < M - m ? t3 : -INFINITY; }, t3);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t5;
    tk::reduce_columns(t5, t4, shared.quantise_both_f32_rows_1[0], tk::maximum{}, thread, 1);

    // quantise_tensor.tk:35: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 128, n / 64}, 1,
                                  m / 128 < tk::divide_up(M, 128) ? tk::divide_up(N, 64) - n / 64
                                  : 0), t5, thread);
}

// quantise_both_e5m2: kernel quantise_both with T = bf16, Q = fp8_e5m2, BM = 128, BN = 64.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_e5m2_kernel<8, 16,
// true>.
// quantise_both_e5m2_general: kernel quantise_both with T = bf16, Q = fp8_e5m2, BM = 128, BN = 64;
// any strides and alignment.
// 256 threads, 255 registers each, 9216 bytes of shared memory: quantise_both_e5m2_kernel<32, 4,
// false>.
struct quantise_both_e5m2_shared {
    tk::shared_tile<int, 1, 2176> quantise_both_turned[1];
    tk::shared_tile<float, 8, 1> quantise_both_f32_rows_1[1];
};
static_assert(offsetof(quantise_both_e5m2_shared, quantise_both_f32_rows_1) == 8704);

template <int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, 1) quantise_both_e5m2_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const float, 1> scale,
    const tk::tensor_argument<tk::fp8_e5m2, 2> Y, const tk::tensor_argument<tk::fp8_e5m2, 2> Turned,
    const tk::tensor_argument<float, 2> Most, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_both_e5m2_shared& shared = *reinterpret_cast<quantise_both_e5m2_shared*>(memory);

    const int n_tiles = tk::tiles(N, 64);

    // quantise_tensor.tk:27: kernel quantise_both<T: dtype = bf16, Q: dtype = fp8_e4m3, BM: int ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 128;

    // quantise_tensor.tk:31: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 128, 64, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // quantise_tensor.tk:32: let q = Q(x * (1 / scale[0]));
    tk::stripe<tk::fp8_e5m2, 128, 64, 256, row_threads, vector> q;
    tk::map(q, [&](tk::bf16 t0) { return float(t0) * tk::divide(1.0f, tk::cell(scale, 0)); }, t0);

    // quantise_tensor.tk:33: store(Y[m, n], q);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), q, thread);

    // quantise_tensor.tk:34: store(Turned[n, m], q.T);
    tk::stripe<tk::fp8_e5m2, 64, 128, 256, row_threads, vector> t1;
    tk::transpose(t1, q, shared.quantise_both_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Turned, {n, m}, N - n, M - m), t1,
                             thread);

    // quantise_tensor.tk:8: return max(pad(max(pad(abs(x), axis = 1, with = -inf), axis = 1), ..
    tk::stripe<float, 128, 64, 256, row_threads, vector> t2;
    tk::map(t2, thread, [&](int, int col, tk::bf16 t0) {
        return col < N - n ? tk::abs(float(t0)) : -INFINITY;
    }, t0);
    tk::stripe<float, 128, 1, 256, row_threads, vector> t3;
    tk::fold_rows(t3, t2, tk::maximum{}, thread);
    tk::finish_rows(t3, tk::maximum{});
    tk::stripe<float, 128, 1, 256, row_threads, vector> t4;
    tk::map(t4, thread, [&](int row, int, float t3) { return row < M - m ? t3 : -INFINITY; }, t3);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t5;
    tk::reduce_columns(t5, t4, shared.quantise_both_f32_rows_1[0], tk::maximum{}, thread, 1);

    // quantise_tensor.tk:35: store(Most[m.index, n.index], largest(x));
    tk::store_global(
        tk::slice<tk::no_axis, 1>(Most, {m / 128, n / 64}, 1,
                                  m / 128 < tk::divide_up(M, 128) ? tk::divide_up(N, 64) - n / 64
                                  : 0), t5, thread);
}

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
        fast ? 0 : 1, site, sizeof(most_shared), tk::kernel_shape(256), programs, X, Most, M, N));
}
TK_NO_WORKSPACE(most, const DLTensor*, DLTensor*)

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
            fast ? 0 : 1, site, sizeof(quantise_tensor_shared), tk::kernel_shape(256), programs, X,
            scale, Y, Most, M, N));
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
         tk::that(Most.shape[0] == tk::ceil_div(M, 128),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 128)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 128)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 128));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N"),
         tk::suits_fast(Turned, "M"), tk::whole_vectors(Turned, 16)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<quantise_both_kernel<8, 16, true>, quantise_both_kernel<32, 4, false>>(
            fast ? 0 : 1, site, sizeof(quantise_both_shared), tk::kernel_shape(256), programs, X,
            scale, Y, Turned, Most, M, N));
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
         tk::that(Most.shape[0] == tk::ceil_div(M, 128),
                  "axis 0 of `Most` is {}; it must be `ceil_div(M, 128)`, which is {}",
                  {Most.shape[0], tk::ceil_div(M, 128)}),
         tk::that(Most.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Most` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Most.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 128)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 128));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N"),
         tk::suits_fast(Turned, "M"), tk::whole_vectors(Turned, 16)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<quantise_both_e5m2_kernel<8, 16, true>>(
            site, sizeof(quantise_both_e5m2_shared), tk::kernel_shape(256), programs, X, scale, Y,
            Turned, Most, M, N));
    }
    return tk::finish(tk::run<quantise_both_e5m2_kernel<32, 4, false>>(
        site, sizeof(quantise_both_e5m2_shared), tk::kernel_shape(256), programs, X, scale, Y,
        Turned, Most, M, N));
}
TK_NO_WORKSPACE(quantise_both_e5m2, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)
}  // extern "C"
