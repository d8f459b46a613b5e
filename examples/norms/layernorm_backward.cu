// Made by tkc from layernorm_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// layernorm_backward_rows: kernel layernorm_backward_rows with C = 1024, ROWS = 2, CHUNK = 128.
// 256 threads, 64 registers each, 33792 bytes of shared memory: layernorm_backward_rows_kernel<4,
// 8, true>.
// layernorm_backward_rows_general: kernel layernorm_backward_rows with C = 1024, ROWS = 2, CHUNK =
// 128; any strides and alignment.
// 256 threads, 255 registers each, 33792 bytes of shared memory: layernorm_backward_rows_kernel<1,
// 2, false>.
struct layernorm_backward_rows_shared {
    tk::shared_tile<float, 8, 1024> layernorm_backward_rows_f32_rows_1024[1];
    tk::shared_tile<float, 1, 8> layernorm_backward_rows_f32_parts[1];
};
static_assert(offsetof(layernorm_backward_rows_shared, layernorm_backward_rows_f32_parts) == 32768);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) layernorm_backward_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY, const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 1> W, const tk::tensor_argument<const float, 1> Mean,
    const tk::tensor_argument<const float, 1> Rstd, const tk::tensor_argument<tk::bf16, 2> dX,
    const tk::tensor_argument<float, 2> PartW, const tk::tensor_argument<float, 2> PartB, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    layernorm_backward_rows_shared& shared =
        *reinterpret_cast<layernorm_backward_rows_shared*>(memory);

    tk::wait_for_previous_kernel();

    // layernorm_backward.tk:8: kernel layernorm_backward_rows<C: int = 1024, ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program * 128;

    // layernorm_backward.tk:14: let w = load(W[:]);
    tk::stripe<tk::bf16, 1, 1024, 256, 128, vector> w;
    tk::load_slice<vectors>(w, tk::slice_if_dense<vectors>(W, {0}, 1, 1024), thread);

    // layernorm_backward.tk:15: var dw: f32[ROWS, C] = 0;
    tk::stripe<float, 2, 1024, 256, 128, vector> dw;
    tk::zero(dw);

    // layernorm_backward.tk:16: var db: f32[ROWS, C] = 0;
    tk::stripe<float, 2, 1024, 256, 128, vector> db;
    tk::zero(db);

    // layernorm_backward.tk:17: for r in c.start..c.end by ROWS {
    for (int r = c; r < c + 128; r += 2) {
        // layernorm_backward.tk:18: let dy   = load(dY[r, :]);
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> dy;
        tk::load_slice<vectors>(dy, tk::slice_if_dense<vectors>(dY, {r, 0}, R - r, 1024), thread);

        // layernorm_backward.tk:19: let rstd = column(load(Rstd[r]));
        tk::stripe<float, 2, 1, 256, 128, vector> rstd;
        tk::load_global(rstd, tk::slice<0, tk::no_axis>(Rstd, {r}, R - r, 1), thread);

        // layernorm_backward.tk:20: let xhat = (load(X[r, :]) - column(load(Mean[r]))) * rstd;
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
        tk::stripe<float, 2, 1, 256, 128, vector> t4;
        tk::load_global(t4, tk::slice<0, tk::no_axis>(Mean, {r}, R - r, 1), thread);

        // layernorm_backward.tk:21: let g    = f32(dy) * w;
        tk::stripe<float, 2, 1024, 256, 128, vector> g;
        tk::map(g, [](tk::bf16 dy, tk::bf16 w) { return float(dy) * float(w); }, dy, w);

        // layernorm_backward.tk:22: let c1   = sum(g * xhat, axis = 1) / C;
        tk::stripe<float, 2, 1024, 256, 128, vector> t5;
        tk::map(t5, [](tk::bf16 dy, tk::bf16 w, tk::bf16 t3, float t4, float rstd) {
            return float(dy) * float(w) * ((float(t3) - t4) * rstd);
        }, dy, w, t3, t4, rstd);
        tk::stripe<float, 2, 1, 256, 128, vector> t6;
        tk::fold_rows(t6, t5, tk::plus{}, thread);
        tk::finish_rows(t6, tk::plus{}, shared.layernorm_backward_rows_f32_parts[0], thread, 1);
        tk::stripe<float, 2, 1, 256, 128, vector> c1;
        tk::map(c1, [](float t6) { return tk::divide(t6, 1024.0f); }, t6);

        // layernorm_backward.tk:23: let c2   = sum(g, axis = 1) / C;
        tk::stripe<float, 2, 1, 256, 128, vector> t7;
        tk::fold_rows(t7, g, tk::plus{}, thread);
        tk::finish_rows(t7, tk::plus{}, shared.layernorm_backward_rows_f32_parts[0], thread, 1);
        tk::stripe<float, 2, 1, 256, 128, vector> c2;
        tk::map(c2, [](float t7) { return tk::divide(t7, 1024.0f); }, t7);

        // layernorm_backward.tk:24: store(dX[r, :], bf16((g - xhat * c1 - c2) * rstd));
        tk::stripe<tk::bf16, 2, 1024, 256, 128, vector> t8;
        tk::map(t8,
                [](tk::bf16 dy, tk::bf16 w, tk::bf16 t3, float t4, float rstd, float c1, float c2) {
            return (tk::fma(-((float(t3) - t4) * rstd), c1, float(dy) * float(w)) - c2) * rstd;
        }, dy, w, t3, t4, rstd, c1, c2);
        tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dX, {r, 0}, R - r, 1024), t8, thread);

        // layernorm_backward.tk:25: dw += dy * xhat;
        tk::map(dw, [](tk::bf16 t3, float t4, float rstd, tk::bf16 dy, float dw) {
            return tk::fma(float(dy), (float(t3) - t4) * rstd, dw);
        }, t3, t4, rstd, dy, dw);

        // layernorm_backward.tk:26: db += dy;
        tk::map(db, [](float db, tk::bf16 dy) { return db + float(dy); }, db, dy);
    }

    // layernorm_backward.tk:28: store(PartW[c.index, :], sum(dw, axis = 0));
    tk::stripe<float, 1, 1024, 256, 128, vector> t9;
    tk::reduce_columns(t9, dw, shared.layernorm_backward_rows_f32_rows_1024[0], tk::plus{}, thread,
                       1);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, tk::no_axis, 1>(PartW, {c / 128, 0}, 1,
                                                    c / 128 < tk::divide_up(R, 128) ? 1024 : 0), t9,
        thread);

    // layernorm_backward.tk:29: store(PartB[c.index, :], sum(db, axis = 0));
    tk::stripe<float, 1, 1024, 256, 128, vector> t10;
    tk::reduce_columns(t10, db, shared.layernorm_backward_rows_f32_rows_1024[0], tk::plus{}, thread,
                       1);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, tk::no_axis, 1>(PartB, {c / 128, 0}, 1,
                                                    c / 128 < tk::divide_up(R, 128) ? 1024 : 0),
        t10, thread);
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
tk::status launch_layernorm_backward_rows(
    const tk::launch_site& site, const tk::tensor& dY, const tk::tensor& X, const tk::tensor& W,
    const tk::tensor& Mean, const tk::tensor& Rstd, const tk::tensor& dX, const tk::tensor& PartW,
    const tk::tensor& PartB, int64_t R) {
    return tk::run<layernorm_backward_rows_kernel<4, 8, true>>(
        site, sizeof(layernorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Mean, Rstd, dX, PartW, PartB, R);
}

tk::status launch_layernorm_backward_rows_general(
    const tk::launch_site& site, const tk::tensor& dY, const tk::tensor& X, const tk::tensor& W,
    const tk::tensor& Mean, const tk::tensor& Rstd, const tk::tensor& dX, const tk::tensor& PartW,
    const tk::tensor& PartB, int64_t R) {
    return tk::run<layernorm_backward_rows_kernel<1, 2, false>>(
        site, sizeof(layernorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Mean, Rstd, dX, PartW, PartB, R);
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
int layernorm_backward_rows(const DLTensor* dY_given, const DLTensor* X_given,
                            const DLTensor* W_given, const DLTensor* Mean_given,
                            const DLTensor* Rstd_given, DLTensor* dX_given, DLTensor* PartW_given,
                            DLTensor* PartB_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"layernorm_backward_rows"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor PartW = call.take("PartW", PartW_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor PartB = call.take("PartB", PartB_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = dY.shape[0];
    call.require(
        {tk::fixed_extent(dY, 1, 1024), tk::same_extent("R", dY, 0, X, 0),
         tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", dY, 0, Mean, 0), tk::same_extent("R", dY, 0, Rstd, 0),
         tk::same_extent("R", dY, 0, dX, 0), tk::fixed_extent(dX, 1, 1024),
         tk::fixed_extent(PartW, 1, 1024), tk::fixed_extent(PartB, 1, 1024),
         tk::extents_fit({{"R", R}}),
         tk::that(PartW.shape[0] == tk::ceil_div(R, 128),
                  "axis 0 of `PartW` is {}; it must be `ceil_div(R, 128)`, which is {}",
                  {PartW.shape[0], tk::ceil_div(R, 128)}),
         tk::that(PartB.shape[0] == tk::ceil_div(R, 128),
                  "axis 0 of `PartB` is {}; it must be `ceil_div(R, 128)`, which is {}",
                  {PartB.shape[0], tk::ceil_div(R, 128)})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(dY), tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(dX),
         tk::suits_fast(PartW), tk::suits_fast(PartB)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<layernorm_backward_rows_kernel<4, 8, true>>(
            site, sizeof(layernorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 128), dY, X, W, Mean, Rstd, dX, PartW, PartB, R));
    }
    return tk::finish(tk::run<layernorm_backward_rows_kernel<1, 2, false>>(
        site, sizeof(layernorm_backward_rows_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 128), dY, X, W, Mean, Rstd, dX, PartW, PartB, R));
}
TK_NO_WORKSPACE(layernorm_backward_rows, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int layernorm_backward(const DLTensor* dY_given, const DLTensor* X_given, const DLTensor* W_given,
                       const DLTensor* Mean_given, const DLTensor* Rstd_given, DLTensor* dX_given,
                       DLTensor* dW_given, DLTensor* dB_given, DLTensor* PartW_given,
                       DLTensor* PartB_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"layernorm_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Mean = call.take("Mean", Mean_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Rstd = call.take("Rstd", Rstd_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dW = call.take("dW", dW_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor dB = call.take("dB", dB_given, tk::dtype_f32, 1, tk::access::write);
    const tk::tensor PartW = call.take("PartW", PartW_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor PartB = call.take("PartB", PartB_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = dY.shape[0];
    call.require(
        {tk::fixed_extent(dY, 1, 1024), tk::same_extent("R", dY, 0, X, 0),
         tk::fixed_extent(X, 1, 1024), tk::fixed_extent(W, 0, 1024),
         tk::same_extent("R", dY, 0, Mean, 0), tk::same_extent("R", dY, 0, Rstd, 0),
         tk::same_extent("R", dY, 0, dX, 0), tk::fixed_extent(dX, 1, 1024),
         tk::fixed_extent(dW, 0, 1024), tk::fixed_extent(dB, 0, 1024),
         tk::fixed_extent(PartW, 1, 1024), tk::fixed_extent(PartB, 1, 1024),
         tk::extents_fit({{"R", R}}),
         tk::that(PartW.shape[0] == tk::ceil_div(R, 128),
                  "axis 0 of `PartW` is {}; it must be `ceil_div(R, 128)`, which is {}",
                  {PartW.shape[0], tk::ceil_div(R, 128)}),
         tk::that(PartB.shape[0] == tk::ceil_div(R, 128),
                  "axis 0 of `PartB` is {}; it must be `ceil_div(R, 128)`, which is {}",
                  {PartB.shape[0], tk::ceil_div(R, 128)})});
    // sum_rows.sum_rows(PartW, dW)
    call.require({
        tk::that(tk::ceil_div(R, 128) < 2147221504,
                 "`ceil_div(R, 128)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(R, 128)})});
    if (!call.ok()) return tk::finish(call.result());

    // layernorm_backward_rows(dY, X, W, Mean, Rstd, dX, PartW, PartB)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(dY), tk::suits_fast(X), tk::suits_fast(W), tk::suits_fast(dX),
         tk::suits_fast(PartW), tk::suits_fast(PartB)});

    // sum_rows.sum_rows(PartW, dW)
    const bool choice_2 = tk::hold(
        {tk::that(PartW.stride[1] == 1), tk::that(PartW.address % 16 == 0),
         tk::that(PartW.stride[0] % 4 == 0 && 0 < PartW.stride[0] &&
                  PartW.stride[0] < 274877906944), tk::suits_fast(dW)});

    // sum_rows.sum_rows(PartB, dB)
    const bool choice_3 = tk::hold(
        {tk::that(PartB.stride[1] == 1), tk::that(PartB.address % 16 == 0),
         tk::that(PartB.stride[0] % 4 == 0 && 0 < PartB.stride[0] &&
                  PartB.stride[0] < 274877906944), tk::suits_fast(dB)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_layernorm_backward_rows(site, dY, X, W, Mean, Rstd, dX, PartW, PartB, R));
    } else {
        TK_FINISH_IF_FAILED(launch_layernorm_backward_rows_general(
            site, dY, X, W, Mean, Rstd, dX, PartW, PartB, R));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_sum_rows_sum_rows(site, tk::read_only(PartW), dW, tk::ceil_div(R, 128), 1024));
    } else {
        TK_FINISH_IF_FAILED(launch_sum_rows_sum_rows_general(
            site, tk::read_only(PartW), dW, tk::ceil_div(R, 128), 1024));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_sum_rows_sum_rows(site, tk::read_only(PartB), dB, tk::ceil_div(R, 128), 1024));
    } else {
        TK_FINISH_IF_FAILED(launch_sum_rows_sum_rows_general(
            site, tk::read_only(PartB), dB, tk::ceil_div(R, 128), 1024));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(layernorm_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)
}  // extern "C"
