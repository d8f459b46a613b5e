// Made by tkc from residual_in_place.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// add_in_place: kernel add_in_place with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: add_in_place_kernel<3, 8, true>.
// add_in_place_general: kernel add_in_place with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: add_in_place_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) add_in_place_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 2> Y, int M,
    int N, float alpha) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // residual_in_place.tk:4: kernel add_in_place<BN: int = 2048, ROWS: int = 4>(inout X: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // residual_in_place.tk:7: store(X[m, n], bf16(f32(load(X[m, n])) + alpha * load(Y[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice_in_order<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n),
                                     thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [&](tk::bf16 t0, tk::bf16 t1) { return tk::fma(alpha, float(t1), float(t0)); },
            t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), t2, thread);
}

// rmsnorm_in_place: kernel rmsnorm_in_place with C = 4096, ROWS = 2.
// 256 threads, 64 registers each, 1024 bytes of shared memory: rmsnorm_in_place_kernel<4, 8, true>.
// rmsnorm_in_place_general: kernel rmsnorm_in_place with C = 4096, ROWS = 2; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: rmsnorm_in_place_kernel<1, 2,
// false>.
struct rmsnorm_in_place_shared {
    tk::shared_tile<float, 1, 8> rmsnorm_in_place_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) rmsnorm_in_place_kernel(
    const tk::tensor_argument<tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 1> W, int R,
    float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rmsnorm_in_place_shared& shared = *reinterpret_cast<rmsnorm_in_place_shared*>(memory);

    tk::wait_for_previous_kernel();

    // residual_in_place.tk:10: kernel rmsnorm_in_place<C: int = 4096, ROWS: int = 2>(inout X: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // residual_in_place.tk:13: let x  = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, vector> t0;
    tk::load_slice_in_order<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 4096),
                                     thread);

    // residual_in_place.tk:14: let ms = sum(x * x, axis = 1) * (1.0 / C);
    tk::stripe<float, 2, 4096, 256, 128, vector> t1;
    tk::map(t1, [](tk::bf16 t0) {
        const float x_2 = float(t0);
        return x_2 * x_2;
    }, t0);
    tk::stripe<float, 2, 1, 256, 128, vector> t2;
    tk::fold_rows(t2, t1, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.rmsnorm_in_place_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 1, 256, 128, vector> ms;
    tk::map(ms, [](float t2) { return t2 * tk::divide(1.0f, 4096.0f); }, t2);

    // residual_in_place.tk:15: store(X[r, :], bf16(x * rsqrt(ms + eps) * load(W[:])));
    tk::stripe<tk::bf16, 1, 4096, 256, 128, vector> t3;
    tk::load_slice<vectors>(t3, tk::slice_if_dense<vectors>(W, {0}, 1, 4096), thread);
    tk::stripe<float, 2, 1, 256, 128, vector> t5;
    tk::map(t5, [&](float ms) { return tk::rsqrt(ms + eps); }, ms);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, vector> t4;
    tk::map(t4, [](tk::bf16 t0, float t5, tk::bf16 t3) { return float(t0) * t5 * float(t3); },
            t0, t5, t3);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 4096), t4, thread);
}

extern "C" {
int add_in_place(DLTensor* X_given, const DLTensor* Y_given, float alpha, void*, size_t,
                 cudaStream_t stream) {
    tk::arguments call{"add_in_place"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::read);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<add_in_place_kernel<3, 8, true>, add_in_place_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Y, M, N,
            alpha));
}
TK_NO_WORKSPACE(add_in_place, DLTensor*, const DLTensor*, float)

int rmsnorm_in_place(DLTensor* X_given, const DLTensor* W_given, float eps, void*, size_t,
                     cudaStream_t stream) {
    tk::arguments call{"rmsnorm_in_place"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 1, tk::access::read);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 4096), tk::fixed_extent(W, 0, 4096), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(W)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rmsnorm_in_place_kernel<4, 8, true>, rmsnorm_in_place_kernel<1, 2, false>>(
            fast ? 0 : 1, site, sizeof(rmsnorm_in_place_shared),
            tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 2), X, W, R, eps));
}
TK_NO_WORKSPACE(rmsnorm_in_place, DLTensor*, const DLTensor*, float)
}  // extern "C"
