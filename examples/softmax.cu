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
    // softmax.tk:4: kernel softmax<C: int = 1024, ROWS: int = max(8192 / C, 1)>(X: bf16[R, C], out
    // Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax.tk:7: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 8> x = tk::convert<float>(t0);

    // softmax.tk:8: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 8> e;
    tk::map(e, thread, [](int, int, tk::bf16 t0, float t1) {
        return tk::exp(float(t0) - t1);
    }, t0, t1);

    // softmax.tk:9: store(Y[r, :], bf16(e / sum(e, axis = 1)));
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
    // softmax.tk:4: kernel softmax<C: int = 1024, ROWS: int = max(8192 / C, 1)>(X: bf16[R, C], out
    // Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax.tk:7: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1],
                                                 R - r, 1024};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 8, 1024, 256, 32, 8> x = tk::convert<float>(t0);

    // softmax.tk:8: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 8> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, 8> e;
    tk::map(e, thread, [](int, int, tk::bf16 t0, float t1) {
        return tk::exp(float(t0) - t1);
    }, t0, t1);

    // softmax.tk:9: store(Y[r, :], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, 8> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, 8> t3;
    tk::map(t3, thread, [](int, int, float e, float t2) { return tk::divide(e, t2); }, e, t2);
    const tk::global_tile<tk::bf16> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                           1024};
    tk::store_global(Y_tile, t3, thread);
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
    call.require(R < 2147418112, "`R` is {}; extents must be less than 2147418112", {R});
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
}  // extern "C"
