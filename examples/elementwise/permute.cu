// Made by tkc from permute.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// nchw_to_nhwc: kernel nchw_to_nhwc with BC = 64, BP = 64.
// 128 threads, 56 registers each, 9216 bytes of shared memory: nchw_to_nhwc_kernel<9, 8, 8, true>.
// nchw_to_nhwc_general: kernel nchw_to_nhwc with BC = 64, BP = 64; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: nchw_to_nhwc_kernel<1, 32, 2,
// false>.
struct nchw_to_nhwc_shared {
    tk::shared_tile<int, 1, 2112> nchw_to_nhwc_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nchw_to_nhwc_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int N,
    int C, int H, int W) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nchw_to_nhwc_shared& shared = *reinterpret_cast<nchw_to_nhwc_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int w_tiles = tk::tiles(W, 64);
    const int c_tiles = tk::tiles(C, 64);

    // permute.tk:3: kernel nchw_to_nhwc<BC: int = 64, BP: int = 64>(X: bf16[N, C, H, W], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int w = program % w_tiles * 64;
    const int c = program / w_tiles % c_tiles * 64;
    const int h = program / (w_tiles * c_tiles) % H;
    const int n = program / (w_tiles * c_tiles * H);

    // permute.tk:6: store(Y[n, h, w, c], load(X[n, c, h, w]).T);
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors, 1, 3>(X, {n, c, h, w}, C - c, W - w),
                            thread);
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t1;
    tk::transpose(t1, t0, shared.nchw_to_nhwc_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {n, h, w, c}, W - w, C - c), t1,
                             thread);
}

// transpose: kernel transpose with BM = 64, BN = 64.
// 128 threads, 48 registers each, 9216 bytes of shared memory: transpose_kernel<10, 8, 8, true>.
// transpose_general: kernel transpose with BM = 64, BN = 64; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: transpose_kernel<1, 32, 2, false>.
struct transpose_shared {
    tk::shared_tile<int, 1, 2112> transpose_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) transpose_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    transpose_shared& shared = *reinterpret_cast<transpose_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 64);

    // permute.tk:9: kernel transpose<BM: int = 64, BN: int = 64>(X: bf16[M, N], out Y: bf16[N, M])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 64;

    // permute.tk:12: store(Y[n, m], load(X[m, n]).T);
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 64, 64, 128, row_threads, vector> t1;
    tk::transpose(t1, t0, shared.transpose_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {n, m}, N - n, M - m), t1, thread);
}

// bthd_to_bhtd: kernel bthd_to_bhtd with D = 128, BT = 64.
// 128 threads, 48 registers each: bthd_to_bhtd_kernel<10, 16, 8, true>.
// bthd_to_bhtd_general: kernel bthd_to_bhtd with D = 128, BT = 64; any strides and alignment.
// 128 threads, 255 registers each: bthd_to_bhtd_kernel<1, 32, 4, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) bthd_to_bhtd_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int T, int H) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:16: kernel bthd_to_bhtd<D: int = 128, BT: int = 64>(X: bf16[B, T, H, D], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:19: store(Y[b, h, t, :], load(X[b, t, h, :]));
    tk::stripe<tk::bf16, 64, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors, 1, 3>(X, {b, t, h, 0}, T - t, 128),
                            thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {b, h, t, 0}, T - t, 128), t0, thread);
}

// bhtd_to_bthd: kernel bhtd_to_bthd with D = 128, BT = 64.
// 128 threads, 48 registers each: bhtd_to_bthd_kernel<10, 16, 8, true>.
// bhtd_to_bthd_general: kernel bhtd_to_bthd with D = 128, BT = 64; any strides and alignment.
// 128 threads, 255 registers each: bhtd_to_bthd_kernel<1, 32, 4, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) bhtd_to_bthd_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int H, int T) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:22: kernel bhtd_to_bthd<D: int = 128, BT: int = 64>(X: bf16[B, H, T, D], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:25: store(Y[b, t, h, :], load(X[b, h, t, :]));
    tk::stripe<tk::bf16, 64, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {b, h, t, 0}, T - t, 128), thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(Y, {b, t, h, 0}, T - t, 128), t0,
                             thread);
}

extern "C" {
int nchw_to_nhwc(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"nchw_to_nhwc"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t H = X.shape[2];
    const int64_t W = X.shape[3];
    call.require(
        {tk::same_extent("N", X, 0, Y, 0), tk::same_extent("H", X, 2, Y, 1),
         tk::same_extent("W", X, 3, Y, 2), tk::same_extent("C", X, 1, Y, 3),
         tk::extents_fit({{"N", N}, {"C", C}, {"H", H}, {"W", W}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H),
                       2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H),
                          N), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N);
    const bool fast = tk::hold(
        {tk::suits_fast(X, "W"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C"),
         tk::whole_vectors(Y, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<nchw_to_nhwc_kernel<9, 8, 8, true>, nchw_to_nhwc_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, sizeof(nchw_to_nhwc_shared), tk::kernel_shape(128).overlapping(),
            programs, X, Y, N, C, H, W));
}
TK_NO_WORKSPACE(nchw_to_nhwc, const DLTensor*, DLTensor*)

int transpose(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"transpose"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("N", X, 1, Y, 0), tk::same_extent("M", X, 0, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "M"),
         tk::whole_vectors(Y, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<transpose_kernel<10, 8, 8, true>, transpose_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, sizeof(transpose_shared), tk::kernel_shape(128).overlapping(),
            programs, X, Y, M, N));
}
TK_NO_WORKSPACE(transpose, const DLTensor*, DLTensor*)

int bthd_to_bhtd(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"bthd_to_bhtd"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t T = X.shape[1];
    const int64_t H = X.shape[2];
    call.require(
        {tk::fixed_extent(X, 3, 128), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("H", X, 2, Y, 1), tk::same_extent("T", X, 1, Y, 2),
         tk::fixed_extent(Y, 3, 128), tk::extents_fit({{"B", B}, {"T", T}, {"H", H}}),
         tk::grid_fits(tk::multiply(H, tk::ceil_div(T, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<bthd_to_bhtd_kernel<10, 16, 8, true>, bthd_to_bhtd_kernel<1, 32, 4, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, X, Y, B, T, H));
}
TK_NO_WORKSPACE(bthd_to_bhtd, const DLTensor*, DLTensor*)

int bhtd_to_bthd(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"bhtd_to_bthd"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t H = X.shape[1];
    const int64_t T = X.shape[2];
    call.require(
        {tk::fixed_extent(X, 3, 128), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("T", X, 2, Y, 1), tk::same_extent("H", X, 1, Y, 2),
         tk::fixed_extent(Y, 3, 128), tk::extents_fit({{"B", B}, {"H", H}, {"T", T}}),
         tk::grid_fits(tk::multiply(H, tk::ceil_div(T, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<bhtd_to_bthd_kernel<10, 16, 8, true>, bhtd_to_bthd_kernel<1, 32, 4, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, X, Y, B, H, T));
}
TK_NO_WORKSPACE(bhtd_to_bthd, const DLTensor*, DLTensor*)
}  // extern "C"
