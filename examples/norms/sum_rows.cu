// Made by tkc from sum_rows.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// sum_rows: kernel sum_rows with BC = 32, BN = 64.
// 256 threads, 48 registers each, 1024 bytes of shared memory.
struct sum_rows_shared {
    tk::shared_tile<float, 8, 32> sum_rows_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 5) sum_rows_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 1> Sum, int N,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sum_rows_shared& shared = *reinterpret_cast<sum_rows_shared*>(memory);

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

// sum_rows_general: kernel sum_rows with BC = 32, BN = 64; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct sum_rows_general_shared {
    tk::shared_tile<float, 8, 32> sum_rows_f32_rows_32[1];
};

__global__ void __launch_bounds__(256, 1) sum_rows_general_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 1> Sum, int N,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    sum_rows_general_shared& shared = *reinterpret_cast<sum_rows_general_shared*>(memory);

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

extern "C" {
int sum_rows(const DLTensor* X_given, DLTensor* Sum_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"sum_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sum = call.take("Sum", Sum_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    call.require({tk::same_extent("C", X, 1, Sum, 0), tk::extents_fit({{"N", N}, {"C", C}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::hold({tk::suits_fast(X, "C"), tk::whole_vectors(X, 4), tk::suits_fast(Sum, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<sum_rows_kernel>(
            site, sizeof(sum_rows_shared), tk::kernel_shape(256).overlapping(), tk::ceil_div(C, 32),
            X, Sum, N, C));
    }
    return tk::finish(tk::run<sum_rows_general_kernel>(
        site, sizeof(sum_rows_general_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(C, 32), X, Sum, N, C));
}
TK_NO_WORKSPACE(sum_rows, const DLTensor*, DLTensor*)
}  // extern "C"
