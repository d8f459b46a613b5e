// Made by tkc from rmsnorm.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// rmsnorm: kernel rmsnorm with C = 1024, ROWS = 8.
// 256 threads, 64 registers each: rmsnorm_kernel<4, 8, true>.
// rmsnorm_general: kernel rmsnorm with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: rmsnorm_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) rmsnorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, int R, float eps) {
    tk::wait_for_previous_kernel();

    // rmsnorm.tk:6: kernel rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:9: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t1;
    tk::map(t1, [](tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, vector> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:10: store(Y[r, :], bf16(x * norm.rstd(x, C, eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<float, 8, 1, 256, 32, vector> t5;
    tk::map(t5, [&](float t2) { return tk::rsqrt(tk::divide(t2, 1024.0f) + eps); }, t2);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t4;
    tk::map(t4, [](tk::bf16 t0, float t5, tk::bf16 t3) { return float(t0) * t5 * float(t3); },
            t0, t5, t3);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t4, thread);
}

// rmsnorm_train: kernel rmsnorm_train with C = 1024, ROWS = 8.
// 256 threads, 64 registers each: rmsnorm_train_kernel<4, 8, true>.
// rmsnorm_train_general: kernel rmsnorm_train with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: rmsnorm_train_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) rmsnorm_train_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    tk::wait_for_previous_kernel();

    // rmsnorm.tk:13: kernel rmsnorm_train<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:17: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t1;
    tk::map(t1, [](tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 8, 1, 256, 32, vector> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});

    // rmsnorm.tk:18: let rstd = norm.rstd(x, C, eps);
    tk::stripe<float, 8, 1, 256, 32, vector> rstd;
    tk::map(rstd, [&](float t2) { return tk::rsqrt(tk::divide(t2, 1024.0f) + eps); }, t2);

    // rmsnorm.tk:19: store(Y[r, :], bf16(x * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t4;
    tk::map(t4, [](tk::bf16 t0, float rstd, tk::bf16 t3) { return float(t0) * rstd * float(t3); },
            t0, rstd, t3);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t4, thread);

    // rmsnorm.tk:20: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

// add_rmsnorm: kernel add_rmsnorm with C = 1024, ROWS = 8.
// 256 threads, 80 registers each: add_rmsnorm_kernel<3, 8, true>.
// add_rmsnorm_general: kernel add_rmsnorm with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: add_rmsnorm_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) add_rmsnorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    tk::wait_for_previous_kernel();

    // rmsnorm.tk:23: kernel add_rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // rmsnorm.tk:27: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(Res, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> z;
    tk::map(z, [](tk::bf16 t0, tk::bf16 t1) { return float(t0) + float(t1); }, t0, t1);

    // rmsnorm.tk:28: store(Z[r, :], z);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Z, {r, 0}, R - r, 1024), z, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t2;
    tk::map(t2, [](tk::bf16 z) {
        const float x = float(z);
        return x * x;
    }, z);
    tk::stripe<float, 8, 1, 256, 32, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // rmsnorm.tk:29: let rstd = norm.rstd(f32(z), C, eps);
    tk::stripe<float, 8, 1, 256, 32, vector> rstd;
    tk::map(rstd, [&](float t3) { return tk::rsqrt(tk::divide(t3, 1024.0f) + eps); }, t3);

    // rmsnorm.tk:30: store(Y[r, :], bf16(z * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t4;
    tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t5;
    tk::map(t5, [](tk::bf16 z, float rstd, tk::bf16 t4) { return float(z) * rstd * float(t4); },
            z, rstd, t4);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t5, thread);

    // rmsnorm.tk:31: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

extern "C" {
int rmsnorm(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given, float eps, void*,
            size_t, cudaStream_t stream) {
    tk::arguments call{"rmsnorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", X, 0, Y, 0), tk::fixed_extent(Y, 1, 1024),
         tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::all_hold({tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<rmsnorm_kernel<4, 8, true>, rmsnorm_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), tk::ceil_div(R, 8), X,
        W, Y, R, eps));
}
TK_NO_WORKSPACE(rmsnorm, const DLTensor*, const DLTensor*, DLTensor*, float)

int rmsnorm_train(const DLTensor* X_given, const DLTensor* W_given, DLTensor* Y_given,
                  DLTensor* Rstd_given, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rmsnorm_train"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", X, 0, Y, 0), tk::fixed_extent(Y, 1, 1024),
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::all_hold({tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rmsnorm_train_kernel<4, 8, true>, rmsnorm_train_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), tk::ceil_div(R, 8),
            X, W, Y, Rstd, R, eps));
}
TK_NO_WORKSPACE(rmsnorm_train, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)

int add_rmsnorm(const DLTensor* X_given, const DLTensor* Res_given, const DLTensor* W_given,
                DLTensor* Z_given, DLTensor* Y_given, DLTensor* Rstd_given, float eps, void*,
                size_t, cudaStream_t stream) {
    tk::arguments call{"add_rmsnorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::same_extent("R", X, 0, Res, 0),
         tk::fixed_extent(Res, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", X, 0, Z, 0), tk::fixed_extent(Z, 1, 1024),
         tk::same_extent("R", X, 0, Y, 0), tk::fixed_extent(Y, 1, 1024),
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::all_hold(
        {tk::suits_fast(X), tk::suits_fast(Res), tk::suits_fast(W), tk::suits_fast(Z),
         tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<add_rmsnorm_kernel<3, 8, true>, add_rmsnorm_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), tk::ceil_div(R, 8),
            X, Res, W, Z, Y, Rstd, R, eps));
}
TK_NO_WORKSPACE(add_rmsnorm, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float)
}  // extern "C"
