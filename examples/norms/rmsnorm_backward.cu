// Made by tkc from rmsnorm_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// rmsnorm_backward_rows: kernel rmsnorm_backward_rows with C = 1024, ROWS = 2, CHUNK = 128.
// 256 threads, 64 registers each, 33792 bytes of shared memory: rmsnorm_backward_rows_kernel<4, 8,
// true>.
// rmsnorm_backward_rows_general: kernel rmsnorm_backward_rows with C = 1024, ROWS = 2, CHUNK = 128;
// any strides and alignment.
// 256 threads, 255 registers each, 33792 bytes of shared memory: rmsnorm_backward_rows_kernel<1, 2,
// false>.
struct rmsnorm_backward_rows_shared {
    tk::shared_tile<float, 8, 1024> rmsnorm_backward_rows_f32_rows_1024[1];
    tk::shared_tile<float, 1, 8> rmsnorm_backward_rows_f32_parts[1];
};
static_assert(offsetof(rmsnorm_backward_rows_shared, rmsnorm_backward_rows_f32_parts) == 32768);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) rmsnorm_backward_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY, const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<const float, 1> Rstd,
    const tk::tensor_argument<tk::bf16, 2> dX, const tk::tensor_argument<float, 2> Part, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rmsnorm_backward_rows_shared& shared = *reinterpret_cast<rmsnorm_backward_rows_shared*>(memory);

    tk::wait_for_previous_kernel();

    // rmsnorm_backward.tk:8: kernel rmsnorm_backward_rows<C: int = 1024, ROWS: int = rows.fit(C, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program * 128;

    // rmsnorm_backward.tk:13: let w = load(W[:]);
    tk::stripe<tk::bf16, 1, 1024, 256, 128, vector> w;
    tk::load_slice<vectors>(w, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);

    // rmsnorm_backward.tk:14: var dw: f32[ROWS, C] = 0;
    tk::stripe<float, 2, 1024, 256, 128, vector> dw;
    tk::zero(dw);

    // rmsnorm_backward.tk:15: for r in c.start..c.end by ROWS {
    for (int r = c; r < c + 128; r += 2) {
        // rmsnorm_backward.tk:16: let dy   = load(dY[r, :]);
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> dy;
        tk::load_slice<vectors>(dy, tk::slice_if_dense<vectors>(dY, {r, 0}, R - r, 1024), thread);

        // rmsnorm_backward.tk:17: let rstd = column(load(Rstd[r]));
        tk::stripe<float, 2, 1, 256, 128, vector> rstd;
        tk::load_global(rstd, tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), thread);

        // rmsnorm_backward.tk:18: let xhat = load(X[r, :]) * rstd;
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);

        // rmsnorm_backward.tk:20: store(dX[r, :], bf16((g - xhat * (sum(g * xhat, axis = 1) / ..
        tk::stripe<float, 2, 1024, 256, 128, vector> t4;
        tk::map(t4, [](tk::bf16 dy, tk::bf16 w, tk::bf16 t3, float rstd) {
            return float(dy) * float(w) * (float(t3) * rstd);
        }, dy, w, t3, rstd);
        tk::stripe<float, 2, 1, 256, 128, vector> t5;
        tk::fold_rows(t5, t4, tk::plus{}, thread);
        tk::finish_rows(t5, tk::plus{}, shared.rmsnorm_backward_rows_f32_parts[0], thread, 1);
        tk::stripe<float, 2, 1, 256, 128, vector> t0;
        tk::map(t0, [](float t5) { return tk::divide(t5, 1024.0f); }, t5);
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> t6;
        tk::map(t6, [](tk::bf16 t3, float rstd, float t0, tk::bf16 dy, tk::bf16 w) {
            return tk::fma(-(float(t3) * rstd), t0, float(dy) * float(w)) * rstd;
        }, t3, rstd, t0, dy, w);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dX, {r, 0}, R - r, 1024), t6, thread);

        // rmsnorm_backward.tk:21: dw += dy * xhat;
        tk::map(dw, [](tk::bf16 t3, float rstd, tk::bf16 dy, float dw) {
            return tk::fma(float(dy), float(t3) * rstd, dw);
        }, t3, rstd, dy, dw);
    }

    // rmsnorm_backward.tk:23: store(Part[c.index, :], sum(dw, axis = 0));
    tk::stripe<float, 1, 1024, 256, 128, vector> t7;
    tk::reduce_columns(t7, dw, shared.rmsnorm_backward_rows_f32_rows_1024[0], tk::plus{}, thread,
                       1);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, tk::no_axis, 1>(Part, {c / 128, 0}, 1,
                                                    c / 128 < tk::divide_up(R, 128) ? 1024 : 0), t7,
        thread);
}

// sum_rows_sum_rows: kernel sum_rows.sum_rows with BC = 32, BN = 64.
// 256 threads, 48 registers each, 1024 bytes of shared memory.
struct sum_rows_sum_rows_shared {
    tk::shared_tile<float, 8, 32> sum_rows_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 5) sum_rows_sum_rows_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 1> Sum, int N,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sum_rows_sum_rows_shared& shared = *reinterpret_cast<sum_rows_sum_rows_shared*>(memory);

    tk::wait_for_previous_kernel();

    // sum_rows.tk:3: kernel sum_rows<BC: int = 32, BN: int = 64>(X: f32[N, C], out Sum: f32[C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program * 32;

    // sum_rows.tk:6: var total: f32[BN, BC] = 0;
    tk::stripe<float, 64, 32, 256, 8, 4> total;
    tk::zero(total);

    // sum_rows.tk:7: for n in N by BN pipelined(2) { total += load(X[n, c]); }
    #pragma unroll 2
    for (int n = 0; n < N; n += 64) {
        tk::stripe<float, 64, 32, 256, 8, 4> t0;
        tk::load_vectors(t0, tk::vector_slice(X, {n, c}, N - n, C - c), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // sum_rows.tk:8: store(Sum[c], sum(total, axis = 0));
    tk::stripe<float, 1, 32, 256, 8, 4> t1;
    tk::reduce_columns(t1, total, shared.sum_rows_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::store_vectors(tk::vector_slice(Sum, {c}, 1, C - c), t1, thread);
}

// sum_rows_sum_rows_general: kernel sum_rows.sum_rows with BC = 32, BN = 64; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct sum_rows_sum_rows_general_shared {
    tk::shared_tile<float, 8, 32> sum_rows_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 1) sum_rows_sum_rows_general_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 1> Sum, int N,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sum_rows_sum_rows_general_shared& shared =
        *reinterpret_cast<sum_rows_sum_rows_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // sum_rows.tk:3: kernel sum_rows<BC: int = 32, BN: int = 64>(X: f32[N, C], out Sum: f32[C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program * 32;

    // sum_rows.tk:6: var total: f32[BN, BC] = 0;
    tk::stripe<float, 64, 32, 256, 16, 2> total;
    tk::zero(total);

    // sum_rows.tk:7: for n in N by BN pipelined(2) { total += load(X[n, c]); }
    for (int n = 0; n < N; n += 64) {
        tk::stripe<float, 64, 32, 256, 16, 2> t0;
        tk::load_global(t0, tk::slice(X, {n, c}, N - n, C - c), thread);
        tk::map(total, [](float total, float t0) { return total + t0; }, total, t0);
    }

    // sum_rows.tk:8: store(Sum[c], sum(total, axis = 0));
    tk::stripe<float, 1, 32, 256, 16, 2> t1;
    tk::reduce_columns(t1, total, shared.sum_rows_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::store_global(tk::slice(Sum, {c}, 1, C - c), t1, thread);
}

namespace {
tk::status launch_rmsnorm_backward_rows(
    const tk::launch_site& site, const tk::tensor& dY, const tk::tensor& X, const tk::tensor& W,
    const tk::tensor& Rstd, const tk::tensor& dX, const tk::tensor& Part, int64_t R) {
    return tk::run<rmsnorm_backward_rows_kernel<4, 8, true>>(
        site, sizeof(rmsnorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Rstd, dX, Part, R);
}

tk::status launch_rmsnorm_backward_rows_general(
    const tk::launch_site& site, const tk::tensor& dY, const tk::tensor& X, const tk::tensor& W,
    const tk::tensor& Rstd, const tk::tensor& dX, const tk::tensor& Part, int64_t R) {
    return tk::run<rmsnorm_backward_rows_kernel<1, 2, false>>(
        site, sizeof(rmsnorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Rstd, dX, Part, R);
}

tk::status launch_sum_rows_sum_rows(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& Sum, int64_t N, int64_t C) {
    return tk::run<sum_rows_sum_rows_kernel>(site, sizeof(sum_rows_sum_rows_shared),
                                             tk::kernel_shape(256).overlapping(),
                                             tk::ceil_div(C, 32), X, Sum, N, C);
}

tk::status launch_sum_rows_sum_rows_general(const tk::launch_site& site, const tk::tensor& X,
                                            const tk::tensor& Sum, int64_t N, int64_t C) {
    return tk::run<sum_rows_sum_rows_general_kernel>(site, sizeof(sum_rows_sum_rows_general_shared),
                                                     tk::kernel_shape(256).overlapping(),
                                                     tk::ceil_div(C, 32), X, Sum, N, C);
}

}  // namespace

extern "C" {
int rmsnorm_backward_rows(const DLTensor* dY_given, const DLTensor* X_given,
                          const DLTensor* W_given, const DLTensor* Rstd_given, DLTensor* dX_given,
                          DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rmsnorm_backward_rows"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = dY.shape[0];
    call.require({
        tk::fixed_extent(dY, 1, 1024), tk::same_extent("R", dY, 0, X, 0),
        tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
        tk::same_extent("R", dY, 0, Rstd, 0), tk::same_extent("R", dY, 0, dX, 0),
        tk::fixed_extent(dX, 1, 1024), tk::fixed_extent(Part, 1, 1024), tk::extents_fit({{"R", R}}),
        tk::that(Part.shape[0] == tk::ceil_div(R, 128),
                 "axis 0 of `Part` is {}; it must be `ceil_div(R, 128)`, which is {}",
                 {Part.shape[0], tk::ceil_div(R, 128)})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(dY), tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(dX),
         tk::suits_fast(Part)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<rmsnorm_backward_rows_kernel<4, 8, true>>(
            site, sizeof(rmsnorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 128), dY, X, W, Rstd, dX, Part, R));
    }
    return tk::finish(tk::run<rmsnorm_backward_rows_kernel<1, 2, false>>(
        site, sizeof(rmsnorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Rstd, dX, Part, R));
}
TK_NO_WORKSPACE(rmsnorm_backward_rows, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)

int rmsnorm_backward(const DLTensor* dY_given, const DLTensor* X_given, const DLTensor* W_given,
                     const DLTensor* Rstd_given, DLTensor* dX_given, DLTensor* dW_given,
                     DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rmsnorm_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dW = call.take("dW", dW_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = dY.shape[0];
    call.require(
        {tk::fixed_extent(dY, 1, 1024), tk::same_extent("R", dY, 0, X, 0),
         tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", dY, 0, Rstd, 0), tk::same_extent("R", dY, 0, dX, 0),
         tk::fixed_extent(dX, 1, 1024), tk::fixed_extent(dW, 0, 1024),
         tk::fixed_extent(Part, 1, 1024), tk::extents_fit({{"R", R}}),
         tk::that(Part.shape[0] == tk::ceil_div(R, 128),
                  "axis 0 of `Part` is {}; it must be `ceil_div(R, 128)`, which is {}",
                  {Part.shape[0], tk::ceil_div(R, 128)})});
    // sum_rows.sum_rows(Part, dW)
    call.require({
        tk::that(tk::ceil_div(R, 128) < 2147221504,
                 "`ceil_div(R, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(R, 128)})});
    if (!call.ok()) return tk::finish(call.result());

    // rmsnorm_backward_rows(dY, X, W, Rstd, dX, Part)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(dY), tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(dX),
         tk::suits_fast(Part)});

    // sum_rows.sum_rows(Part, dW)
    const bool choice_2 = tk::hold(
        {tk::that(Part.stride[1] == 1), tk::that(Part.address % 16 == 0),
         tk::that(Part.stride[0] % 4 == 0 && 0 < Part.stride[0] && Part.stride[0] < 274877906944),
         tk::suits_fast(dW)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_rmsnorm_backward_rows(site, dY, X, W, Rstd, dX, Part, R));
    } else {
        TK_FINISH_IF_FAILED(
            launch_rmsnorm_backward_rows_general(site, dY, X, W, Rstd, dX, Part, R));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_sum_rows_sum_rows(site, tk::read_only(Part), dW, tk::ceil_div(R, 128), 1024));
    } else {
        TK_FINISH_IF_FAILED(launch_sum_rows_sum_rows_general(
            site, tk::read_only(Part), dW, tk::ceil_div(R, 128), 1024));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(rmsnorm_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
