// Made by tkc from low_memory_dropout.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// dropout_masked: kernel dropout_masked with BN = 4096.
// 256 threads, 64 registers each: dropout_masked_kernel<4, 4, true>.
// dropout_masked_general: kernel dropout_masked with BN = 4096; any strides and alignment.
// 256 threads, 255 registers each: dropout_masked_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_masked_kernel(
    const tk::tensor_argument<const float, 1> X, const tk::tensor_argument<const int, 1> Keep,
    const tk::tensor_argument<float, 1> Y, int N, float p) {
    tk::wait_for_previous_kernel();

    // low_memory_dropout.tk:4: kernel dropout_masked<BN: int = 4096>(X: f32[N], Keep: i32[N], p: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program * 4096;

    // low_memory_dropout.tk:8: store(Y[n], where(load(Keep[n]) != 0, load(X[n]) / (1 - p), 0));
    tk::stripe<int, 1, 4096, 256, 256, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Keep, {n}, 1, N - n), thread);
    tk::stripe<float, 1, 4096, 256, 256, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_dense<vectors>(X, {n}, 1, N - n), thread);
    tk::stripe<float, 1, 4096, 256, 256, vector> t2;
    tk::map(t2, [&](int t0, float t1) { return t0 != 0 ? tk::divide(t1, 1.0f - p) : 0.0f; },
            t0, t1);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {n}, 1, N - n), t2, thread);
}

// dropout_seeded: kernel dropout_seeded with BN = 4096.
// 256 threads, 48 registers each: dropout_seeded_kernel<5, 4, true>.
// dropout_seeded_general: kernel dropout_seeded with BN = 4096; any strides and alignment.
// 256 threads, 255 registers each: dropout_seeded_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_seeded_kernel(
    const tk::tensor_argument<const float, 1> X, const tk::tensor_argument<float, 1> Y, int N,
    float p, long long seed) {
    tk::wait_for_previous_kernel();

    // low_memory_dropout.tk:11: kernel dropout_seeded<BN: int = 4096>(X: f32[N], p: f32, seed: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program * 4096;

    // low_memory_dropout.tk:15: let x = load(X[n]);
    tk::stripe<float, 1, 4096, 256, 256, vector> x;
    tk::load_slice<vectors>(x, tk::slice_if_dense<vectors>(X, {n}, 1, N - n), thread);

    // <std.random>:13: let key = u32(seed) + 2654435769 * u32(seed // 4294967296);
    const unsigned key = unsigned(seed) + 2654435769u *
        unsigned(tk::divide_down(seed, 4294967296LL));

    // <std.random>:16: let c = key * 1664525 + 1013904223;
    const unsigned c = key * 1664525u + 1013904223u;

    // low_memory_dropout.tk:16: store(Y[n], random.dropout(x, p, seed, row_index(x), n.start + ..
    tk::stripe<float, 1, 4096, 256, 256, vector> t1;
    tk::map(t1, thread, [&](int, int col, float x) {
        const unsigned x_2 = unsigned(n + col) * 1664525u + 1013904223u + 1013904223u * c;
        const unsigned x_3 = 1013904223u + c * x_2;
        const unsigned x_4 = c + x_2 * x_3;
        return float(((x_2 ^ (x_2 >> 16)) + (x_3 ^ (x_3 >> 16)) * (x_4 ^ (x_4 >> 16))) >> 8) *
            5.9604645e-08f >= p ? tk::divide(x, 1.0f - p) : 0.0f;
    }, x);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {n}, 1, N - n), t1, thread);
}

extern "C" {
int dropout_masked(const DLTensor* X_given, const DLTensor* Keep_given, DLTensor* Y_given, float p,
                   void*, size_t, cudaStream_t stream) {
    tk::arguments call{"dropout_masked"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Keep = call.take("Keep", Keep_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    call.require(
        {tk::same_extent("N", X, 0, Keep, 0), tk::same_extent("N", X, 0, Y, 0),
         tk::extents_fit({{"N", N}}), tk::that(p >= 0.0f, "`dropout_masked` requires `p >= 0`"),
         tk::that(p < 1.0f, "`dropout_masked` requires `p < 1`")});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::ceil_div(N, 4096);
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::suits_fast(Keep, "N"), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<dropout_masked_kernel<4, 4, true>, dropout_masked_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Keep, Y, N,
            p));
}
TK_NO_WORKSPACE(dropout_masked, const DLTensor*, const DLTensor*, DLTensor*, float)

int dropout_seeded(const DLTensor* X_given, DLTensor* Y_given, float p, int64_t seed, void*, size_t,
                   cudaStream_t stream) {
    tk::arguments call{"dropout_seeded"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    call.require(
        {tk::same_extent("N", X, 0, Y, 0), tk::extents_fit({{"N", N}}),
         tk::that(p >= 0.0f, "`dropout_seeded` requires `p >= 0`"),
         tk::that(p < 1.0f, "`dropout_seeded` requires `p < 1`")});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::ceil_div(N, 4096);
    const bool fast = tk::hold({tk::suits_fast(X, "N"), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<dropout_seeded_kernel<5, 4, true>, dropout_seeded_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Y, N, p,
            seed));
}
TK_NO_WORKSPACE(dropout_seeded, const DLTensor*, DLTensor*, float, int64_t)
}  // extern "C"
