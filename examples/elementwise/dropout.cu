// Made by tkc from dropout.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// dropout_add: kernel dropout_add with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: dropout_add_kernel<3, 8, true>.
// dropout_add_general: kernel dropout_add with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: dropout_add_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_add_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Res, const tk::tensor_argument<tk::bf16, 2> Z,
    int M, int N, float drop, long long seed) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // dropout.tk:5: kernel dropout_add<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], Res: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // dropout.tk:9: let x = f32(load(X[m, n]));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);

    // <std.random>:13: let key = u32(seed) + 2654435769 * u32(seed // 4294967296);
    const unsigned key = unsigned(seed) + 2654435769u *
        unsigned(tk::divide_down(seed, 4294967296LL));

    // <std.random>:16: let c = key * 1664525 + 1013904223;
    const unsigned c = key * 1664525u + 1013904223u;

    // dropout.tk:11: store(Z[m, n], bf16(y + load(Res[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Res, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, thread, [&](int row, int col, tk::bf16 t0, tk::bf16 t1) {
        const unsigned x_2 = unsigned(m + row) * 1664525u + 1013904223u;
        const unsigned x_3 = unsigned(n + col) * 1664525u + 1013904223u + x_2 * c;
        const unsigned x_4 = x_2 + c * x_3;
        const unsigned x_5 = c + x_3 * x_4;
        return (float(((x_3 ^ (x_3 >> 16)) + (x_4 ^ (x_4 >> 16)) * (x_5 ^ (x_5 >> 16))) >> 8) *
                5.9604645e-08f >= drop ? tk::divide(float(t0), 1.0f - drop) : 0.0f) + float(t1);
    }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Z, {m, n}, M - m, N - n), t2, thread);
}

// dropout_backward: kernel dropout_backward with BN = 2048, ROWS = 4.
// 256 threads, 64 registers each: dropout_backward_kernel<4, 8, true>.
// dropout_backward_general: kernel dropout_backward with BN = 2048, ROWS = 4; any strides and
// alignment.
// 256 threads, 255 registers each: dropout_backward_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dropout_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dZ, const tk::tensor_argument<tk::bf16, 2> dX,
    int M, int N, float drop, long long seed) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // dropout.tk:14: kernel dropout_backward<BN: int = 2048, ROWS: int = 4>(dZ: bf16[M, N], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // dropout.tk:18: let d = f32(load(dZ[m, n]));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(dZ, {m, n}, M - m, N - n), thread);

    // <std.random>:13: let key = u32(seed) + 2654435769 * u32(seed // 4294967296);
    const unsigned key = unsigned(seed) + 2654435769u *
        unsigned(tk::divide_down(seed, 4294967296LL));

    // <std.random>:16: let c = key * 1664525 + 1013904223;
    const unsigned c = key * 1664525u + 1013904223u;

    // dropout.tk:19: store(dX[m, n], bf16(random.dropout(d, drop, seed, m.start + row_index(d), ..
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::map(t1, thread, [&](int row, int col, tk::bf16 t0) {
        const unsigned x = unsigned(m + row) * 1664525u + 1013904223u;
        const unsigned x_2 = unsigned(n + col) * 1664525u + 1013904223u + x * c;
        const unsigned x_3 = x + c * x_2;
        const unsigned x_4 = c + x_2 * x_3;
        return float(((x_2 ^ (x_2 >> 16)) + (x_3 ^ (x_3 >> 16)) * (x_4 ^ (x_4 >> 16))) >> 8) *
            5.9604645e-08f >= drop ? tk::divide(float(t0), 1.0f - drop) : 0.0f;
    }, t0);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dX, {m, n}, M - m, N - n), t1, thread);
}

extern "C" {
int dropout_add(const DLTensor* X_given, const DLTensor* Res_given, DLTensor* Z_given, float drop,
                int64_t seed, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"dropout_add"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Res = call.take("Res", Res_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Res, 0), tk::same_extent("N", X, 1, Res, 1),
         tk::same_extent("M", X, 0, Z, 0), tk::same_extent("N", X, 1, Z, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(drop >= 0.0f, "`dropout_add` requires `drop >= 0`"),
         tk::that(drop < 1.0f, "`dropout_add` requires `drop < 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Res, "N"),
         tk::suits_fast(Z, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<dropout_add_kernel<3, 8, true>, dropout_add_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Res, Z, M, N,
            drop, seed));
}
TK_NO_WORKSPACE(dropout_add, const DLTensor*, const DLTensor*, DLTensor*, float, int64_t)

int dropout_backward(const DLTensor* dZ_given, DLTensor* dX_given, float drop, int64_t seed, void*,
                     size_t, cudaStream_t stream) {
    tk::arguments call{"dropout_backward"};
    const tk::tensor dZ = call.take("dZ", dZ_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = dZ.shape[0];
    const int64_t N = dZ.shape[1];
    call.require(
        {tk::same_extent("M", dZ, 0, dX, 0), tk::same_extent("N", dZ, 1, dX, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::that(drop >= 0.0f, "`dropout_backward` requires `drop >= 0`"),
         tk::that(drop < 1.0f, "`dropout_backward` requires `drop < 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(dZ, "N"), tk::whole_vectors(dZ, 8), tk::suits_fast(dX, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<dropout_backward_kernel<4, 8, true>, dropout_backward_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, dZ, dX, M, N,
            drop, seed));
}
TK_NO_WORKSPACE(dropout_backward, const DLTensor*, DLTensor*, float, int64_t)
}  // extern "C"
