// Made by tkc from dropout_norm.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// dropout_add_layernorm: kernel dropout_add_layernorm with C = 1024, ROWS = 4.
// 256 threads, 48 registers each, 1024 bytes of shared memory: dropout_add_layernorm_kernel<5, 8,
// true>.
// dropout_add_layernorm_general: kernel dropout_add_layernorm with C = 1024, ROWS = 4; any strides
// and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: dropout_add_layernorm_kernel<1, 2,
// false>.
struct dropout_add_layernorm_shared {
    tk::shared_tile<float, 1, 8> dropout_add_layernorm_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_add_layernorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Mean,
    const tk::tensor_argument<float, 1> Rstd, int R, float drop, long long seed, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    dropout_add_layernorm_shared& shared = *reinterpret_cast<dropout_add_layernorm_shared*>(memory);

    tk::wait_for_previous_kernel();

    // dropout_norm.tk:8: kernel dropout_add_layernorm<C: int = 1024, ROWS: int = rows.fit(C, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // dropout_norm.tk:14: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);

    // <std.random>:13: let key = u32(seed) + 2654435769 * u32(seed // 4294967296);
    const unsigned key = unsigned(seed) + 2654435769u *
        unsigned(tk::divide_down(seed, 4294967296LL));

    // <std.random>:16: let c = key * 1664525 + 1013904223;
    const unsigned c = key * 1664525u + 1013904223u;

    // dropout_norm.tk:16: let z    = bf16(kept + load(Res[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(Res, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> z;
    tk::map(z, thread, [&](int row, int col, tk::bf16 t0, tk::bf16 t1) {
        const unsigned x_2 = unsigned(r + row) * 1664525u + 1013904223u;
        const unsigned x_3 = unsigned(col) * 1664525u + 1013904223u + x_2 * c;
        const unsigned x_4 = x_2 + c * x_3;
        const unsigned x_5 = c + x_3 * x_4;
        return (float(((x_3 ^ (x_3 >> 16)) + (x_4 ^ (x_4 >> 16)) * (x_5 ^ (x_5 >> 16))) >> 8) *
                5.9604645e-08f >= drop ? tk::divide(float(t0), 1.0f - drop) : 0.0f) + float(t1);
    }, t0, t1);

    // dropout_norm.tk:17: store(Z[r, :], z);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Z, {r, 0}, R - r, 1024), z, thread);

    // <std.norm>:10: fn mean(x: f32[M, N], columns: i32) -> f32[M, 1] { return sum(x, axis = 1) ..
    tk::stripe<float, 4, 1024, 256, 64, vector> t2 = tk::convert<float>(z);
    tk::stripe<float, 4, 1, 256, 64, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.dropout_add_layernorm_f32_parts[0], thread, 1);

    // dropout_norm.tk:18: let mean = norm.mean(f32(z), C);
    tk::stripe<float, 4, 1, 256, 64, vector> mean;
    tk::map(mean, [](float t3) { return tk::divide(t3, 1024.0f); }, t3);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 4, 1024, 256, 64, vector> t4;
    tk::map(t4, [](tk::bf16 z, float mean) {
        const float x_2 = float(z) - mean;
        return x_2 * x_2;
    }, z, mean);
    tk::stripe<float, 4, 1, 256, 64, vector> t5;
    tk::fold_rows(t5, t4, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{}, shared.dropout_add_layernorm_f32_parts[0], thread, 1);

    // dropout_norm.tk:20: let rstd = norm.rstd(d, C, eps);
    tk::stripe<float, 4, 1, 256, 64, vector> rstd;
    tk::map(rstd, [&](float t5) { return tk::rsqrt(tk::divide(t5, 1024.0f) + eps); }, t5);

    // dropout_norm.tk:21: store(Y[r, :], bf16(d * rstd * load(W[:]) + load(Bias[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 64, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 1, 1024, 256, 64, vector> t7;
    tk::load_slice<vectors>(t7, tk::slice_if_dense<vectors>(Bias, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t8;
    tk::map(t8, [](tk::bf16 z, float mean, float rstd, tk::bf16 t6, tk::bf16 t7) {
        return tk::fma((float(z) - mean) * rstd, float(t6), float(t7));
    }, z, mean, rstd, t6, t7);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t8, thread);

    // dropout_norm.tk:22: store(Mean[r], mean);
    tk::store_global(tk::slice<0, tk::no_axis>(Mean, {r}, R - r, 1), mean, thread);

    // dropout_norm.tk:23: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

// dropout_add_rmsnorm: kernel dropout_add_rmsnorm with C = 1024, ROWS = 4.
// 256 threads, 48 registers each, 1024 bytes of shared memory: dropout_add_rmsnorm_kernel<5, 8,
// true>.
// dropout_add_rmsnorm_general: kernel dropout_add_rmsnorm with C = 1024, ROWS = 4; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: dropout_add_rmsnorm_kernel<1, 2,
// false>.
struct dropout_add_rmsnorm_shared {
    tk::shared_tile<float, 1, 8> dropout_add_rmsnorm_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_add_rmsnorm_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<tk::bf16, 2> Z,
    const tk::tensor_argument<tk::bf16, 2> Y, const tk::tensor_argument<float, 1> Rstd, int R,
    float drop, long long seed, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    dropout_add_rmsnorm_shared& shared = *reinterpret_cast<dropout_add_rmsnorm_shared*>(memory);

    tk::wait_for_previous_kernel();

    // dropout_norm.tk:26: kernel dropout_add_rmsnorm<C: int = 1024, ROWS: int = rows.fit(C, 4096)>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // dropout_norm.tk:32: let x    = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);

    // <std.random>:13: let key = u32(seed) + 2654435769 * u32(seed // 4294967296);
    const unsigned key = unsigned(seed) + 2654435769u *
        unsigned(tk::divide_down(seed, 4294967296LL));

    // <std.random>:16: let c = key * 1664525 + 1013904223;
    const unsigned c = key * 1664525u + 1013904223u;

    // dropout_norm.tk:34: let z    = bf16(kept + load(Res[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(Res, {r, 0}, R - r, 1024), thread);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> z;
    tk::map(z, thread, [&](int row, int col, tk::bf16 t0, tk::bf16 t1) {
        const unsigned x_2 = unsigned(r + row) * 1664525u + 1013904223u;
        const unsigned x_3 = unsigned(col) * 1664525u + 1013904223u + x_2 * c;
        const unsigned x_4 = x_2 + c * x_3;
        const unsigned x_5 = c + x_3 * x_4;
        return (float(((x_3 ^ (x_3 >> 16)) + (x_4 ^ (x_4 >> 16)) * (x_5 ^ (x_5 >> 16))) >> 8) *
                5.9604645e-08f >= drop ? tk::divide(float(t0), 1.0f - drop) : 0.0f) + float(t1);
    }, t0, t1);

    // dropout_norm.tk:35: store(Z[r, :], z);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Z, {r, 0}, R - r, 1024), z, thread);

    // <std.norm>:16: fn rstd(x: f32[M, N], columns: i32, eps: f32) -> f32[M, 1] { return ..
    tk::stripe<float, 4, 1024, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 z) {
        const float x_2 = float(z);
        return x_2 * x_2;
    }, z);
    tk::stripe<float, 4, 1, 256, 64, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.dropout_add_rmsnorm_f32_parts[0], thread, 1);

    // dropout_norm.tk:36: let rstd = norm.rstd(f32(z), C, eps);
    tk::stripe<float, 4, 1, 256, 64, vector> rstd;
    tk::map(rstd, [&](float t3) { return tk::rsqrt(tk::divide(t3, 1024.0f) + eps); }, t3);

    // dropout_norm.tk:37: store(Y[r, :], bf16(z * rstd * load(W[:])));
    tk::stripe<tk::bf16, 1, 1024, 256, 64, vector> t4;
    tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t5;
    tk::map(t5, [](tk::bf16 z, float rstd, tk::bf16 t4) { return float(z) * rstd * float(t4); },
            z, rstd, t4);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t5, thread);

    // dropout_norm.tk:38: store(Rstd[r], rstd);
    tk::store_global(tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), rstd, thread);
}

extern "C" {
int dropout_add_layernorm(const DLTensor* X_given, const DLTensor* Res_given,
                          const DLTensor* W_given, const DLTensor* Bias_given, DLTensor* Z_given,
                          DLTensor* Y_given, DLTensor* Mean_given, DLTensor* Rstd_given, float drop,
                          int64_t seed, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"dropout_add_layernorm"};
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
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}}),
         tk::that(drop >= 0.0f, "`dropout_add_layernorm` requires `drop >= 0`"),
         tk::that(drop < 1.0f, "`dropout_add_layernorm` requires `drop < 1`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(X), tk::suits_fast(Res), tk::suits_fast(W), tk::suits_fast(Bias),
         tk::suits_fast(Z), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<dropout_add_layernorm_kernel<5, 8, true>>(
            site, sizeof(dropout_add_layernorm_shared), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 4), X, Res, W, Bias, Z, Y, Mean, Rstd, R, drop, seed, eps));
    }
    return tk::finish(tk::run<dropout_add_layernorm_kernel<1, 2, false>>(
        site, sizeof(dropout_add_layernorm_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 4), X, Res, W, Bias, Z, Y, Mean, Rstd, R, drop, seed, eps));
}
TK_NO_WORKSPACE(dropout_add_layernorm, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, int64_t, float)

int dropout_add_rmsnorm(const DLTensor* X_given, const DLTensor* Res_given, const DLTensor* W_given,
                        DLTensor* Z_given, DLTensor* Y_given, DLTensor* Rstd_given, float drop,
                        int64_t seed, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"dropout_add_rmsnorm"};
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
         tk::same_extent("R", X, 0, Rstd, 0), tk::extents_fit({{"R", R}}),
         tk::that(drop >= 0.0f, "`dropout_add_rmsnorm` requires `drop >= 0`"),
         tk::that(drop < 1.0f, "`dropout_add_rmsnorm` requires `drop < 1`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(X), tk::suits_fast(Res), tk::suits_fast(W), tk::suits_fast(Z),
         tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<dropout_add_rmsnorm_kernel<5, 8, true>>(
            site, sizeof(dropout_add_rmsnorm_shared), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 4), X, Res, W, Z, Y, Rstd, R, drop, seed, eps));
    }
    return tk::finish(tk::run<dropout_add_rmsnorm_kernel<1, 2, false>>(
        site, sizeof(dropout_add_rmsnorm_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 4), X, Res, W, Z, Y, Rstd, R, drop, seed, eps));
}
TK_NO_WORKSPACE(dropout_add_rmsnorm, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float, int64_t, float)
}  // extern "C"
