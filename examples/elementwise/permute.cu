// Made by tkc from permute.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// nchw_to_nhwc: kernel nchw_to_nhwc of permute.tk with BC = 64, BP = 64.
//
// Roles:
//   nchw_to_nhwc 4 warps (warps 0 to 3), 56 registers a thread
// 128 threads a block, launched with 56 registers each.
//
// Shared memory, 9216 bytes:
//    offset   bytes  what
//         0    8448  1 x i32[1, 2112], a tile that role nchw_to_nhwc transposes
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct nchw_to_nhwc_shared {
    tk::shared_tile<int, 1, 2112> nchw_to_nhwc_turned[1];
};
static_assert(offsetof(nchw_to_nhwc_shared, nchw_to_nhwc_turned) == 0);

__global__ void __launch_bounds__(128, 9) nchw_to_nhwc_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int N,
    int C, int H, int W) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nchw_to_nhwc_shared& shared = *reinterpret_cast<nchw_to_nhwc_shared*>(memory);

    const int w_tiles = tk::tiles(W, 64);
    const int c_tiles = tk::tiles(C, 64);

    // permute.tk:3: kernel nchw_to_nhwc<BC: int = 64, BP: int = 64>(X: bf16[N, C, H, W], out Y:
    // bf16[N, H, W, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int w = program % w_tiles * 64;
    const int c = program / w_tiles % c_tiles * 64;
    const int h = program / (w_tiles * c_tiles) % H;
    const int n = program / (w_tiles * c_tiles * H);

    // permute.tk:6: store(Y[n, h, w, c], load(X[n, c, h, w]).T);
    tk::stripe<tk::bf16, 64, 64, 128, 8, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, n, c, h, w), X.stride[1], 1, C - c,
                                                 W - w};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<tk::bf16, 64, 64, 128, 8, 8> t1;
    tk::transpose(t1, t0, shared.nchw_to_nhwc_turned[0], thread, 1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, n, h, w, c), Y.stride[2], 1, W - w,
                                           C - c};
    tk::store_vectors(Y_tile, t1, thread);
}

// nchw_to_nhwc_general: kernel nchw_to_nhwc of permute.tk with BC = 64, BP = 64, for tensors of any
// strides and alignment.
//
// Roles:
//   nchw_to_nhwc 4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 9216 bytes:
//    offset   bytes  what
//         0    8448  1 x i32[1, 2112], a tile that role nchw_to_nhwc transposes
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct nchw_to_nhwc_general_shared {
    tk::shared_tile<int, 1, 2112> nchw_to_nhwc_turned[1];
};
static_assert(offsetof(nchw_to_nhwc_general_shared, nchw_to_nhwc_turned) == 0);

__global__ void __launch_bounds__(128, 1) nchw_to_nhwc_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int N,
    int C, int H, int W) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nchw_to_nhwc_general_shared& shared = *reinterpret_cast<nchw_to_nhwc_general_shared*>(memory);

    const int w_tiles = tk::tiles(W, 64);
    const int c_tiles = tk::tiles(C, 64);

    // permute.tk:3: kernel nchw_to_nhwc<BC: int = 64, BP: int = 64>(X: bf16[N, C, H, W], out Y:
    // bf16[N, H, W, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int w = program % w_tiles * 64;
    const int c = program / w_tiles % c_tiles * 64;
    const int h = program / (w_tiles * c_tiles) % H;
    const int n = program / (w_tiles * c_tiles * H);

    // permute.tk:6: store(Y[n, h, w, c], load(X[n, c, h, w]).T);
    tk::stripe<tk::bf16, 64, 64, 128, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, n, c, h, w), X.stride[1],
                                                 X.stride[3], C - c, W - w};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 64, 64, 128, 32, 2> t1;
    tk::transpose(t1, t0, shared.nchw_to_nhwc_turned[0], thread, 1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, n, h, w, c), Y.stride[2], Y.stride[3],
                                           W - w, C - c};
    tk::store_global(Y_tile, t1, thread);
}

// transpose: kernel transpose of permute.tk with BM = 64, BN = 64.
//
// Roles:
//   transpose    4 warps (warps 0 to 3), 56 registers a thread
// 128 threads a block, launched with 56 registers each.
//
// Shared memory, 9216 bytes:
//    offset   bytes  what
//         0    8448  1 x i32[1, 2112], a tile that role transpose transposes
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct transpose_shared {
    tk::shared_tile<int, 1, 2112> transpose_turned[1];
};
static_assert(offsetof(transpose_shared, transpose_turned) == 0);

__global__ void __launch_bounds__(128, 9) transpose_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    transpose_shared& shared = *reinterpret_cast<transpose_shared*>(memory);

    const int n_tiles = tk::tiles(N, 64);

    // permute.tk:9: kernel transpose<BM: int = 64, BN: int = 64>(X: bf16[M, N], out Y: bf16[N, M])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 64;

    // permute.tk:12: store(Y[n, m], load(X[m, n]).T);
    tk::stripe<tk::bf16, 64, 64, 128, 8, 8> t0;
    const tk::vector_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], 1, M - m,
                                                 N - n};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<tk::bf16, 64, 64, 128, 8, 8> t1;
    tk::transpose(t1, t0, shared.transpose_turned[0], thread, 1);
    const tk::vector_tile<tk::bf16> Y_tile{tk::address(Y, n, m), Y.stride[0], 1, N - n, M - m};
    tk::store_vectors(Y_tile, t1, thread);
}

// transpose_general: kernel transpose of permute.tk with BM = 64, BN = 64, for tensors of any
// strides and alignment.
//
// Roles:
//   transpose    4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 9216 bytes:
//    offset   bytes  what
//         0    8448  1 x i32[1, 2112], a tile that role transpose transposes
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct transpose_general_shared {
    tk::shared_tile<int, 1, 2112> transpose_turned[1];
};
static_assert(offsetof(transpose_general_shared, transpose_turned) == 0);

__global__ void __launch_bounds__(128, 1) transpose_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    transpose_general_shared& shared = *reinterpret_cast<transpose_general_shared*>(memory);

    const int n_tiles = tk::tiles(N, 64);

    // permute.tk:9: kernel transpose<BM: int = 64, BN: int = 64>(X: bf16[M, N], out Y: bf16[N, M])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 64;
    const int m = program / n_tiles * 64;

    // permute.tk:12: store(Y[n, m], load(X[m, n]).T);
    tk::stripe<tk::bf16, 64, 64, 128, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, m, n), X.stride[0], X.stride[1],
                                                 M - m, N - n};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<tk::bf16, 64, 64, 128, 32, 2> t1;
    tk::transpose(t1, t0, shared.transpose_turned[0], thread, 1);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, n, m), Y.stride[0], Y.stride[1], N - n,
                                           M - m};
    tk::store_global(Y_tile, t1, thread);
}

// bthd_to_bhtd: kernel bthd_to_bhtd of permute.tk with D = 128, BT = 64.
//
// Roles:
//   bthd_to_bhtd 4 warps (warps 0 to 3), 48 registers a thread
// 128 threads a block, launched with 48 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bthd_to_bhtd_shared {
};

__global__ void __launch_bounds__(128, 10) bthd_to_bhtd_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int T, int H) {
    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:16: kernel bthd_to_bhtd<D: int = 128, BT: int = 64>(X: bf16[B, T, H, D], out Y:
    // bf16[B, H, T, D])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:19: store(Y[b, h, t, :], load(X[b, t, h, :]));
    tk::stripe<tk::bf16, 64, 128, 128, 16, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, b, t, h, 0), X.stride[1], 1, T - t,
                                                 128};
    tk::load_vectors(t0, X_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, b, h, t, 0), Y.stride[2], 1, T - t, 128};
    tk::store_vectors(Y_tile, t0, thread);
}

// bthd_to_bhtd_general: kernel bthd_to_bhtd of permute.tk with D = 128, BT = 64, for tensors of any
// strides and alignment.
//
// Roles:
//   bthd_to_bhtd 4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bthd_to_bhtd_general_shared {
};

__global__ void __launch_bounds__(128, 1) bthd_to_bhtd_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int T, int H) {
    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:16: kernel bthd_to_bhtd<D: int = 128, BT: int = 64>(X: bf16[B, T, H, D], out Y:
    // bf16[B, H, T, D])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:19: store(Y[b, h, t, :], load(X[b, t, h, :]));
    tk::stripe<tk::bf16, 64, 128, 128, 32, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, b, t, h, 0), X.stride[1],
                                                 X.stride[3], T - t, 128};
    tk::load_global(t0, X_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, b, h, t, 0), Y.stride[2], Y.stride[3],
                                           T - t, 128};
    tk::store_global(Y_tile, t0, thread);
}

// bhtd_to_bthd: kernel bhtd_to_bthd of permute.tk with D = 128, BT = 64.
//
// Roles:
//   bhtd_to_bthd 4 warps (warps 0 to 3), 48 registers a thread
// 128 threads a block, launched with 48 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bhtd_to_bthd_shared {
};

__global__ void __launch_bounds__(128, 10) bhtd_to_bthd_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int H, int T) {
    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:22: kernel bhtd_to_bthd<D: int = 128, BT: int = 64>(X: bf16[B, H, T, D], out Y:
    // bf16[B, T, H, D])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:25: store(Y[b, t, h, :], load(X[b, h, t, :]));
    tk::stripe<tk::bf16, 64, 128, 128, 16, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, b, h, t, 0), X.stride[2], 1, T - t,
                                                 128};
    tk::load_vectors(t0, X_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, b, t, h, 0), Y.stride[1], 1, T - t, 128};
    tk::store_vectors(Y_tile, t0, thread);
}

// bhtd_to_bthd_general: kernel bhtd_to_bthd of permute.tk with D = 128, BT = 64, for tensors of any
// strides and alignment.
//
// Roles:
//   bhtd_to_bthd 4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct bhtd_to_bthd_general_shared {
};

__global__ void __launch_bounds__(128, 1) bhtd_to_bthd_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int H, int T) {
    const int t_tiles = tk::tiles(T, 64);

    // permute.tk:22: kernel bhtd_to_bthd<D: int = 128, BT: int = 64>(X: bf16[B, H, T, D], out Y:
    // bf16[B, T, H, D])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int t = program / H % t_tiles * 64;
    const int b = program / (H * t_tiles);

    // permute.tk:25: store(Y[b, t, h, :], load(X[b, h, t, :]));
    tk::stripe<tk::bf16, 64, 128, 128, 32, 4> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, b, h, t, 0), X.stride[2],
                                                 X.stride[3], T - t, 128};
    tk::load_global(t0, X_tile, thread);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, b, t, h, 0), Y.stride[1], Y.stride[3],
                                           T - t, 128};
    tk::store_global(Y_tile, t0, thread);
}

#include "tk/host/launcher.h"

namespace {
// nchw_to_nhwc: BC = 64, BP = 64
tk::status launch_nchw_to_nhwc(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Y, int64_t N, int64_t C, int64_t H, int64_t W) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&nchw_to_nhwc_kernel),
                                    static_cast<int>(sizeof(nchw_to_nhwc_shared)), {}, {}};
    return tk::launch_kernel(kernel, nchw_to_nhwc_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(N), static_cast<int>(C), static_cast<int>(H),
                             static_cast<int>(W));
}

// nchw_to_nhwc_general: BC = 64, BP = 64
tk::status launch_nchw_to_nhwc_general(const tk::launch_site& site, const tk::tensor& X,
                                       const tk::tensor& Y, int64_t N, int64_t C, int64_t H,
                                       int64_t W) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&nchw_to_nhwc_general_kernel),
                                    static_cast<int>(sizeof(nchw_to_nhwc_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, nchw_to_nhwc_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(N), static_cast<int>(C), static_cast<int>(H),
                             static_cast<int>(W));
}

tk::status run_nchw_to_nhwc(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"nchw_to_nhwc"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t N = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t H = X.shape[2];
    const int64_t W = X.shape[3];

    call.require(Y.shape[0] == N, "`N` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {N, Y.shape[0]});
    call.require(Y.shape[1] == H, "`H` is {} in axis 2 of `X`, but {} in axis 1 of `Y`",
                 {H, Y.shape[1]});
    call.require(Y.shape[2] == W, "`W` is {} in axis 3 of `X`, but {} in axis 2 of `Y`",
                 {W, Y.shape[2]});
    call.require(Y.shape[3] == C, "`C` is {} in axis 1 of `X`, but {} in axis 3 of `Y`",
                 {C, Y.shape[3]});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(C < 2147221504, "`C` is {}; extents must be less than 2147221504", {C});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(W < 2147221504, "`W` is {}; extents must be less than 2147221504", {W});
    call.require(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64))});
    call.require(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H) <
                 2147483648, "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H)});
    call.require(
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N) <
        2147483648, "the grid has {} programs; it must have less than 2147483648",
        {tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // nchw_to_nhwc
    choice.prefer(X.stride[3] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[2] % 8 == 0 && 0 < X.stride[2] && X.stride[2] < 549755813888);
    choice.prefer(X.stride[1] % 8 == 0 && 0 < X.stride[1] && X.stride[1] < 549755813888);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(W % 8 == 0);
    choice.prefer(Y.stride[3] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[2] % 8 == 0 && 0 < Y.stride[2] && Y.stride[2] < 549755813888);
    choice.prefer(Y.stride[1] % 8 == 0 && 0 < Y.stride[1] && Y.stride[1] < 549755813888);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.prefer(C % 8 == 0);
    choice.offer(
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N),
        2652);
    choice.candidate(true);  // nchw_to_nhwc_general
    choice.offer(
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(W, 64), tk::ceil_div(C, 64)), H), N),
        2652);
    if (choice.best() == 0) return launch_nchw_to_nhwc(site, X, Y, N, C, H, W);
    if (choice.best() == 1) return launch_nchw_to_nhwc_general(site, X, Y, N, C, H, W);
    return choice.result();
}

// transpose: BM = 64, BN = 64
tk::status launch_transpose(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                            int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&transpose_kernel),
                                    static_cast<int>(sizeof(transpose_shared)), {}, {}};
    return tk::launch_kernel(kernel, transpose_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N));
}

// transpose_general: BM = 64, BN = 64
tk::status launch_transpose_general(const tk::launch_site& site, const tk::tensor& X,
                                    const tk::tensor& Y, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&transpose_general_kernel),
                                    static_cast<int>(sizeof(transpose_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, transpose_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(M), static_cast<int>(N));
}

tk::status run_transpose(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"transpose"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];

    call.require(Y.shape[0] == N, "`N` is {} in axis 1 of `X`, but {} in axis 0 of `Y`",
                 {N, Y.shape[0]});
    call.require(Y.shape[1] == M, "`M` is {} in axis 0 of `X`, but {} in axis 1 of `Y`",
                 {M, Y.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // transpose
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(N % 8 == 0);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.prefer(M % 8 == 0);
    choice.offer(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), 2652);
    choice.candidate(true);  // transpose_general
    choice.offer(tk::multiply(tk::ceil_div(N, 64), tk::ceil_div(M, 64)), 2652);
    if (choice.best() == 0) return launch_transpose(site, X, Y, M, N);
    if (choice.best() == 1) return launch_transpose_general(site, X, Y, M, N);
    return choice.result();
}

// bthd_to_bhtd: D = 128, BT = 64
tk::status launch_bthd_to_bhtd(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Y, int64_t B, int64_t T, int64_t H) {
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bthd_to_bhtd_kernel),
                                    static_cast<int>(sizeof(bthd_to_bhtd_shared)), {}, {}};
    return tk::launch_kernel(kernel, bthd_to_bhtd_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(B), static_cast<int>(T), static_cast<int>(H));
}

// bthd_to_bhtd_general: D = 128, BT = 64
tk::status launch_bthd_to_bhtd_general(const tk::launch_site& site, const tk::tensor& X,
                                       const tk::tensor& Y, int64_t B, int64_t T, int64_t H) {
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bthd_to_bhtd_general_kernel),
                                    static_cast<int>(sizeof(bthd_to_bhtd_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, bthd_to_bhtd_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(B), static_cast<int>(T), static_cast<int>(H));
}

tk::status run_bthd_to_bhtd(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"bthd_to_bhtd"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = X.shape[0];
    const int64_t T = X.shape[1];
    const int64_t H = X.shape[2];

    call.require(X.shape[3] == 128, "axis 3 of `X` is {}; this kernel is made for 128",
                 {X.shape[3]});
    call.require(Y.shape[0] == B, "`B` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {B, Y.shape[0]});
    call.require(Y.shape[1] == H, "`H` is {} in axis 2 of `X`, but {} in axis 1 of `Y`",
                 {H, Y.shape[1]});
    call.require(Y.shape[2] == T, "`T` is {} in axis 1 of `X`, but {} in axis 2 of `Y`",
                 {T, Y.shape[2]});
    call.require(Y.shape[3] == 128, "axis 3 of `Y` is {}; this kernel is made for 128",
                 {Y.shape[3]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(tk::multiply(H, tk::ceil_div(T, 64)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(H, tk::ceil_div(T, 64))});
    call.require(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // bthd_to_bhtd
    choice.prefer(X.stride[3] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[2] % 8 == 0 && 0 < X.stride[2] && X.stride[2] < 549755813888);
    choice.prefer(X.stride[1] % 8 == 0 && 0 < X.stride[1] && X.stride[1] < 549755813888);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Y.stride[3] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[2] % 8 == 0 && 0 < Y.stride[2] && Y.stride[2] < 549755813888);
    choice.prefer(Y.stride[1] % 8 == 0 && 0 < Y.stride[1] && Y.stride[1] < 549755813888);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 3548);
    choice.candidate(true);  // bthd_to_bhtd_general
    choice.offer(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 3548);
    if (choice.best() == 0) return launch_bthd_to_bhtd(site, X, Y, B, T, H);
    if (choice.best() == 1) return launch_bthd_to_bhtd_general(site, X, Y, B, T, H);
    return choice.result();
}

// bhtd_to_bthd: D = 128, BT = 64
tk::status launch_bhtd_to_bthd(const tk::launch_site& site, const tk::tensor& X,
                               const tk::tensor& Y, int64_t B, int64_t H, int64_t T) {
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bhtd_to_bthd_kernel),
                                    static_cast<int>(sizeof(bhtd_to_bthd_shared)), {}, {}};
    return tk::launch_kernel(kernel, bhtd_to_bthd_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(B), static_cast<int>(H), static_cast<int>(T));
}

// bhtd_to_bthd_general: D = 128, BT = 64
tk::status launch_bhtd_to_bthd_general(const tk::launch_site& site, const tk::tensor& X,
                                       const tk::tensor& Y, int64_t B, int64_t H, int64_t T) {
    const int64_t programs = tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&bhtd_to_bthd_general_kernel),
                                    static_cast<int>(sizeof(bhtd_to_bthd_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, bhtd_to_bthd_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(X), tk::cells<tk::bf16, 4>(Y),
                             static_cast<int>(B), static_cast<int>(H), static_cast<int>(T));
}

tk::status run_bhtd_to_bthd(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"bhtd_to_bthd"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = X.shape[0];
    const int64_t H = X.shape[1];
    const int64_t T = X.shape[2];

    call.require(X.shape[3] == 128, "axis 3 of `X` is {}; this kernel is made for 128",
                 {X.shape[3]});
    call.require(Y.shape[0] == B, "`B` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {B, Y.shape[0]});
    call.require(Y.shape[1] == T, "`T` is {} in axis 2 of `X`, but {} in axis 1 of `Y`",
                 {T, Y.shape[1]});
    call.require(Y.shape[2] == H, "`H` is {} in axis 1 of `X`, but {} in axis 2 of `Y`",
                 {H, Y.shape[2]});
    call.require(Y.shape[3] == 128, "axis 3 of `Y` is {}; this kernel is made for 128",
                 {Y.shape[3]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(tk::multiply(H, tk::ceil_div(T, 64)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(H, tk::ceil_div(T, 64))});
    call.require(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // bhtd_to_bthd
    choice.prefer(X.stride[3] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[2] % 8 == 0 && 0 < X.stride[2] && X.stride[2] < 549755813888);
    choice.prefer(X.stride[1] % 8 == 0 && 0 < X.stride[1] && X.stride[1] < 549755813888);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Y.stride[3] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[2] % 8 == 0 && 0 < Y.stride[2] && Y.stride[2] < 549755813888);
    choice.prefer(Y.stride[1] % 8 == 0 && 0 < Y.stride[1] && Y.stride[1] < 549755813888);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 3548);
    choice.candidate(true);  // bhtd_to_bthd_general
    choice.offer(tk::multiply(tk::multiply(H, tk::ceil_div(T, 64)), B), 3548);
    if (choice.best() == 0) return launch_bhtd_to_bthd(site, X, Y, B, H, T);
    if (choice.best() == 1) return launch_bhtd_to_bthd_general(site, X, Y, B, H, T);
    return choice.result();
}

}  // namespace

extern "C" {
int nchw_to_nhwc(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_nchw_to_nhwc(X_given, Y_given, stream));
}

size_t nchw_to_nhwc_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* nchw_to_nhwc_error() {
    return tk::last_sentence;
}

int transpose(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_transpose(X_given, Y_given, stream));
}

size_t transpose_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* transpose_error() {
    return tk::last_sentence;
}

int bthd_to_bhtd(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_bthd_to_bhtd(X_given, Y_given, stream));
}

size_t bthd_to_bhtd_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* bthd_to_bhtd_error() {
    return tk::last_sentence;
}

int bhtd_to_bthd(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_bhtd_to_bthd(X_given, Y_given, stream));
}

size_t bhtd_to_bthd_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* bhtd_to_bthd_error() {
    return tk::last_sentence;
}
}  // extern "C"
