// Made by tkc from softmax.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// softmax: kernel softmax of softmax.tk with C = 1024, ROWS = 8.
//
// Roles:
//   softmax      8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_shared {
};

__global__ void __launch_bounds__(256, 4) softmax_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y,
    int R) {
    // softmax.tk:7: kernel softmax<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], out
    // Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax.tk:10: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 8> x = tk::convert<float>(t0);

    // softmax.tk:11: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 8> e;
    tk::map(e, thread, [](int, int, tk::bf16 t0, float t1) {
        return tk::exp(float(t0) - t1);
    }, t0, t1);

    // softmax.tk:12: store(Y[r, :], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t3, thread);
}

// softmax_general: kernel softmax of softmax.tk with C = 1024, ROWS = 8, for tensors of any strides
// and alignment.
//
// Roles:
//   softmax      8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_general_shared {
};

__global__ void __launch_bounds__(256, 1) softmax_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y,
    int R) {
    // softmax.tk:7: kernel softmax<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], out
    // Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax.tk:10: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 2> x = tk::convert<float>(t0);

    // softmax.tk:11: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 2> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 2> e;
    tk::map(e, thread, [](int, int, tk::bf16 t0, float t1) {
        return tk::exp(float(t0) - t1);
    }, t0, t1);

    // softmax.tk:12: store(Y[r, :], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, 2> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 2> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t3, thread);
}

// softmax_backward: kernel softmax_backward of softmax.tk with C = 1024, ROWS = 4.
//
// Roles:
//   softmax_backward 8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_backward made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_backward_shared {
    tk::shared_tile<float, 1, 8> softmax_backward_f32_parts[1];
};
static_assert(offsetof(softmax_backward_shared, softmax_backward_f32_parts) == 0);

__global__ void __launch_bounds__(256, 4) softmax_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY, const tk::tensor_argument<const tk::bf16, 2> Y,
    const tk::tensor_argument<tk::bf16, 2> dX, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_backward_shared& shared = *reinterpret_cast<softmax_backward_shared*>(memory);

    // softmax.tk:15: kernel softmax_backward<C: int = 1024, ROWS: int = rows.fit(C, 4096)>(dY:
    // bf16[R, C], Y: bf16[R, C], out dX: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // softmax.tk:18: let y  = f32(load(Y[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 8> t0;
    const tk::global_tile<const tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, Y_tile, thread);

    // softmax.tk:19: let dy = load(dY[r, :]);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 8> dy;
    const tk::global_tile<const tk::bf16> dY_tile{tk::address(dY, r, 0), dY.stride[0], 1, R - r,
                                                  1024};
    tk::load_vectors(dy, dY_tile, thread);

    // softmax.tk:20: store(dX[r, :], bf16(y * (dy - sum(y * dy, axis = 1))));
    tk::stripe<float, 4, 1024, 256, 64, 8> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 dy) {
        return float(t0) * float(dy);
    }, t0, dy);
    tk::stripe<float, 4, 1, 256, 64, 8> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.softmax_backward_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 8> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, tk::bf16 dy, float t3) {
        return float(t0) * (float(dy) - t3);
    }, t0, dy, t3);
    const tk::global_tile<tk::bf16> dX_tile{tk::address(dX, r, 0), dX.stride[0], 1, R - r, 1024};
    tk::store_vectors(dX_tile, t4, thread);
}

// softmax_backward_general: kernel softmax_backward of softmax.tk with C = 1024, ROWS = 4, for
// tensors of any strides and alignment.
//
// Roles:
//   softmax_backward 8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0      32  1 x f32[1, 8], what the warps of softmax_backward made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct softmax_backward_general_shared {
    tk::shared_tile<float, 1, 8> softmax_backward_f32_parts[1];
};
static_assert(offsetof(softmax_backward_general_shared, softmax_backward_f32_parts) == 0);

__global__ void __launch_bounds__(256, 1) softmax_backward_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY, const tk::tensor_argument<const tk::bf16, 2> Y,
    const tk::tensor_argument<tk::bf16, 2> dX, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_backward_general_shared& shared =
        *reinterpret_cast<softmax_backward_general_shared*>(memory);

    // softmax.tk:15: kernel softmax_backward<C: int = 1024, ROWS: int = rows.fit(C, 4096)>(dY:
    // bf16[R, C], Y: bf16[R, C], out dX: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // softmax.tk:18: let y  = f32(load(Y[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 2> t0;
    const tk::global_tile<const tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, Y_tile, thread);

    // softmax.tk:19: let dy = load(dY[r, :]);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 2> dy;
    const tk::global_tile<const tk::bf16> dY_tile{tk::address(dY, r, 0), dY.stride[0], dY.stride[1],
                                                  R - r, 1024};
    tk::load_global(dy, dY_tile, thread);

    // softmax.tk:20: store(dX[r, :], bf16(y * (dy - sum(y * dy, axis = 1))));
    tk::stripe<float, 4, 1024, 256, 64, 2> t2;
    tk::map(t2, thread, [](int, int, tk::bf16 t0, tk::bf16 dy) {
        return float(t0) * float(dy);
    }, t0, dy);
    tk::stripe<float, 4, 1, 256, 64, 2> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.softmax_backward_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, 2> t4;
    tk::map(t4, thread, [](int, int, tk::bf16 t0, tk::bf16 dy, float t3) {
        return float(t0) * (float(dy) - t3);
    }, t0, dy, t3);
    const tk::global_tile<tk::bf16> dX_tile{tk::address(dX, r, 0), dX.stride[0], dX.stride[1],
                                            R - r, 1024};
    tk::store_global(dX_tile, t4, thread);
}

#include "tk/host/launcher.h"

namespace {
// softmax: C = 1024, ROWS = 8
tk::status launch_softmax(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                          int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_kernel),
                                    static_cast<int>(sizeof(softmax_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R));
}

// softmax_general: C = 1024, ROWS = 8
tk::status launch_softmax_general(const tk::launch_site& site, const tk::tensor& X,
                                  const tk::tensor& Y, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_general_kernel),
                                    static_cast<int>(sizeof(softmax_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(X), tk::cells<tk::bf16, 2>(Y),
                             static_cast<int>(R));
}

tk::status run_softmax(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"softmax"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 8), 4508);
    choice.candidate(true);  // softmax_general
    choice.offer(tk::ceil_div(R, 8), 4508);
    if (choice.best() == 0) return launch_softmax(site, X, Y, R);
    if (choice.best() == 1) return launch_softmax_general(site, X, Y, R);
    return choice.result();
}

// softmax_backward: C = 1024, ROWS = 4
tk::status launch_softmax_backward(const tk::launch_site& site, const tk::tensor& dY,
                                   const tk::tensor& Y, const tk::tensor& dX, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_backward_kernel),
                                    static_cast<int>(sizeof(softmax_backward_shared)), {}, {}};
    return tk::launch_kernel(kernel, softmax_backward_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(dY), tk::cells<const tk::bf16, 2>(Y),
                             tk::cells<tk::bf16, 2>(dX), static_cast<int>(R));
}

// softmax_backward_general: C = 1024, ROWS = 4
tk::status launch_softmax_backward_general(const tk::launch_site& site, const tk::tensor& dY,
                                           const tk::tensor& Y, const tk::tensor& dX, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&softmax_backward_general_kernel),
                                    static_cast<int>(sizeof(softmax_backward_general_shared)), {},
                                    {}};
    return tk::launch_kernel(kernel, softmax_backward_general_kernel, site, programs, 256,
                             tk::cells<const tk::bf16, 2>(dY), tk::cells<const tk::bf16, 2>(Y),
                             tk::cells<tk::bf16, 2>(dX), static_cast<int>(R));
}

tk::status run_softmax_backward(const DLTensor* dY_given, const DLTensor* Y_given,
                                DLTensor* dX_given, cudaStream_t stream) {
    tk::arguments call{"softmax_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = dY.shape[0];

    call.require(dY.shape[1] == 1024, "axis 1 of `dY` is {}; this kernel is made for 1024",
                 {dY.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `dY`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(dX.shape[0] == R, "`R` is {} in axis 0 of `dY`, but {} in axis 0 of `dX`",
                 {R, dX.shape[0]});
    call.require(dX.shape[1] == 1024, "axis 1 of `dX` is {}; this kernel is made for 1024",
                 {dX.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // softmax_backward
    choice.prefer(dY.stride[1] == 1);
    choice.prefer(dY.address % 16 == 0);
    choice.prefer(dY.stride[0] % 8 == 0 && 0 < dY.stride[0] && dY.stride[0] < 549755813888);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice.prefer(dX.stride[1] == 1);
    choice.prefer(dX.address % 16 == 0);
    choice.prefer(dX.stride[0] % 8 == 0 && 0 < dX.stride[0] && dX.stride[0] < 549755813888);
    choice.offer(tk::ceil_div(R, 4), 3324);
    choice.candidate(true);  // softmax_backward_general
    choice.offer(tk::ceil_div(R, 4), 3324);
    if (choice.best() == 0) return launch_softmax_backward(site, dY, Y, dX, R);
    if (choice.best() == 1) return launch_softmax_backward_general(site, dY, Y, dX, R);
    return choice.result();
}

}  // namespace

extern "C" {
int softmax(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_softmax(X_given, Y_given, stream));
}

size_t softmax_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_error() {
    return tk::last_sentence;
}

int softmax_backward(const DLTensor* dY_given, const DLTensor* Y_given, DLTensor* dX_given, void*,
                     size_t, cudaStream_t stream) {
    return tk::finish(run_softmax_backward(dY_given, Y_given, dX_given, stream));
}

size_t softmax_backward_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* softmax_backward_error() {
    return tk::last_sentence;
}
}  // extern "C"
