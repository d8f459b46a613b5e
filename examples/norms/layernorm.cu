// Made by tkc from layernorm.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// layernorm: kernel layernorm with C = 1024, ROWS = 8.
// 256 threads, 64 registers each: layernorm_kernel<4, 8, true>.
// layernorm_general: kernel layernorm with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: layernorm_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) layernorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Y,
    const tk::tensor_argument<float, 1> Mean, const tk::tensor_argument<float, 1> Rstd, int R,
    float eps) {
    tk::wait_for_previous_kernel();

    // layernorm.tk:6: kernel layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:10: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
    tk::stripe<float, 8, 1024, 256, 32, vector> x = tk::convert<float>(t0);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) ..
    tk::stripe<float, 8, 1, 256, 32, vector> t1;
    tk::fold_rows(t1, x, tk::plus{}, thread);
    tk::finish_rows(t1, tk::plus{});

    // layernorm.tk:11: let mean = norm.mean(x, C);
    tk::stripe<float, 8, 1, 256, 32, vector> mean;
    tk::map(mean, [](float t1) { return tk::divide(t1, 1024.0f); }, t1);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t2;
    tk::map(t2, [](tk::bf16 t0, float mean) {
        const float x_2 = float(t0) - mean;
        return x_2 * x_2;
    }, t0, mean);
    tk::stripe<float, 8, 1, 256, 32, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:13: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, vector> rstd;
    tk::map(rstd, [&](float t3) { return tk::rsqrt(tk::divide(t3, 1024.0f) + eps); }, t3);

    // layernorm.tk:14: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t4;
    tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t5;
    tk::load_slice<vectors>(t5, tk::slice_if_dense<vectors>(Bias, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t6;
    tk::map(t6, [](tk::bf16 t0, float mean, float rstd, tk::bf16 t4, tk::bf16 t5) {
        return tk::fma((float(t0) - mean) * rstd, float(t4), float(t5));
    }, t0, mean, rstd, t4, t5);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t6, thread);

    // layernorm.tk:15: store(Mean[r], mean);
    tk::store_global(tk::slice<0, tk::no_axis>(Mean, {r}, R - r, 1), mean, thread);

    // layernorm.tk:16: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

// add_layernorm: kernel add_layernorm with C = 1024, ROWS = 8.
// 256 threads, 80 registers each: add_layernorm_kernel<3, 8, true>.
// add_layernorm_general: kernel add_layernorm with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: add_layernorm_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) add_layernorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Mean,
    const tk::tensor_argument<float, 1> Rstd, int R, float eps) {
    tk::wait_for_previous_kernel();

    // layernorm.tk:19: kernel add_layernorm<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // layernorm.tk:24: let z    = bf16(f32(load(X[r, :])) + load(Res[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(Res, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> z;
    tk::map(z, [](tk::bf16 t0, tk::bf16 t1) { return float(t0) + float(t1); }, t0, t1);

    // layernorm.tk:25: store(Z[r, :], z);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Z, {r, 0}, R - r, 1024), z, thread);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t2 = tk::convert<float>(z);
    tk::stripe<float, 8, 1, 256, 32, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{});

    // layernorm.tk:26: let mean = norm.mean(f32(z), C);
    tk::stripe<float, 8, 1, 256, 32, vector> mean;
    tk::map(mean, [](float t3) { return tk::divide(t3, 1024.0f); }, t3);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 8, 1024, 256, 32, vector> t4;
    tk::map(t4, [](tk::bf16 z, float mean) {
        const float x = float(z) - mean;
        return x * x;
    }, z, mean);
    tk::stripe<float, 8, 1, 256, 32, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});

    // layernorm.tk:28: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 8, 1, 256, 32, vector> rstd;
    tk::map(rstd, [&](float t5) { return tk::rsqrt(tk::divide(t5, 1024.0f) + eps); }, t5);

    // layernorm.tk:29: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 32, vector> t7;
    tk::load_slice<vectors>(t7, tk::slice_if_dense<vectors>(Bias, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t8;
    tk::map(t8, [](tk::bf16 z, float mean, float rstd, tk::bf16 t6, tk::bf16 t7) {
        return tk::fma((float(z) - mean) * rstd, float(t6), float(t7));
    }, z, mean, rstd, t6, t7);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t8, thread);

    // layernorm.tk:30: store(Mean[r], mean);
    tk::store_global(tk::slice<0, tk::no_axis>(Mean, {r}, R - r, 1), mean, thread);

    // layernorm.tk:31: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

extern "C" {
int layernorm(const DLTensor* X_given, const DLTensor* W_given, const DLTensor* Bias_given,
              DLTensor* Y_given, DLTensor* Mean_given, DLTensor* Rstd_given, float eps, void*,
              size_t, cudaStream_t stream) {
    tk::arguments call{"layernorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::fixed_extent(Bias, 0, 1024), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 1024), tk::same_extent("R", X, 0, Mean, 0),
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::hold({tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(Bias), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<layernorm_kernel<4, 8, true>, layernorm_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), X, W, Bias,
        Y, Mean, Rstd, R, eps));
}
TK_NO_WORKSPACE(layernorm, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)

int add_layernorm(const DLTensor* X_given, const DLTensor* Res_given, const DLTensor* W_given,
                  const DLTensor* Bias_given, DLTensor* Z_given, DLTensor* Y_given,
                  DLTensor* Mean_given, DLTensor* Rstd_given, float eps, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"add_layernorm"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::same_extent("R", X, 0, Res, 0),
         tk::fixed_extent(Res, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::fixed_extent(Bias, 0, 1024), tk::same_extent("R", X, 0, Z, 0),
         tk::fixed_extent(Z, 1, 1024), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 1024), tk::same_extent("R", X, 0, Mean, 0),
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(X), tk::suits_fast(Res), tk::suits_fast(W), tk::suits_fast(Bias),
         tk::suits_fast(Z), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<add_layernorm_kernel<3, 8, true>, add_layernorm_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), X, Res,
            W, Bias, Z, Y, Mean, Rstd, R, eps));
}
TK_NO_WORKSPACE(add_layernorm, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
