// Made by tkc from swiglu.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// swiglu: kernel swiglu with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each.
struct swiglu_constants {
    static constexpr int blocks = 3, vector = 8;
    static constexpr bool vectors = true;
};
// swiglu_general: kernel swiglu with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each.
struct swiglu_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) swiglu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:5: kernel swiglu<BN: int = 2048, ROWS: int = 4>(Gate: bf16[M, N], Up: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:8: store(Y[m, n], bf16(activation.silu(f32(load(Gate[m, n]))) * load(Up[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t0;
    const tk::slice_tile<constants::vectors, const tk::bf16> Gate_tile{
        tk::address(Gate, m, n), Gate.stride[0], Gate.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t0, Gate_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t1;
    const tk::slice_tile<constants::vectors, const tk::bf16> Up_tile{
        tk::address(Up, m, n), Up.stride[0], Up.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t1, Up_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0);
        return tk::divide(x, 1.0f + tk::exp(-x)) * float(t1);
    }, t0, t1);
    const tk::slice_tile<constants::vectors, tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0],
                                                              Y.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(Y_tile, t2, thread);
}

// swiglu_backward: kernel swiglu_backward with BN = 2048, ROWS = 2.
// 256 threads, 80 registers each.
struct swiglu_backward_constants {
    static constexpr int blocks = 3, vector = 8;
    static constexpr bool vectors = true;
};
// swiglu_backward_general: kernel swiglu_backward with BN = 2048, ROWS = 2; any strides and
// alignment.
// 256 threads, 255 registers each.
struct swiglu_backward_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) swiglu_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> dGate,
    const tk::tensor_argument<tk::bf16, 2> dUp, int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:11: kernel swiglu_backward<BN: int = 2048, ROWS: int = 2>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // swiglu.tk:15: let dy   = load(dY[m, n]);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> dy;
    const tk::slice_tile<constants::vectors, const tk::bf16> dY_tile{
        tk::address(dY, m, n), dY.stride[0], dY.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(dy, dY_tile, thread);

    // swiglu.tk:16: let gate = f32(load(Gate[m, n]));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t1;
    const tk::slice_tile<constants::vectors, const tk::bf16> Gate_tile{
        tk::address(Gate, m, n), Gate.stride[0], Gate.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t1, Gate_tile, thread);

    // swiglu.tk:17: store(dGate[m, n], bf16(dy * activation.silu_slope(gate) * load(Up[m, n])));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t2;
    const tk::slice_tile<constants::vectors, const tk::bf16> Up_tile{
        tk::address(Up, m, n), Up.stride[0], Up.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t2, Up_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t3;
    tk::map(t3, [](tk::bf16 t1, tk::bf16 dy, tk::bf16 t2) {
        const float x = float(t1);
        const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
        return float(dy) * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f)) * float(t2);
    }, t1, dy, t2);
    const tk::slice_tile<constants::vectors, tk::bf16> dGate_tile{
        tk::address(dGate, m, n), dGate.stride[0], dGate.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(dGate_tile, t3, thread);

    // swiglu.tk:18: store(dUp[m, n],   bf16(dy * activation.silu(gate)));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t4;
    tk::map(t4, [](tk::bf16 t1, tk::bf16 dy) {
        const float x = float(t1);
        return float(dy) * tk::divide(x, 1.0f + tk::exp(-x));
    }, t1, dy);
    const tk::slice_tile<constants::vectors, tk::bf16> dUp_tile{
        tk::address(dUp, m, n), dUp.stride[0], dUp.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(dUp_tile, t4, thread);
}

// geglu: kernel geglu with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each.
struct geglu_constants {
    static constexpr int blocks = 3, vector = 8;
    static constexpr bool vectors = true;
};
// geglu_general: kernel geglu with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each.
struct geglu_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) geglu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:21: kernel geglu<BN: int = 2048, ROWS: int = 4>(Gate: bf16[M, N], Up: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:24: store(Y[m, n], bf16(activation.gelu(f32(load(Gate[m, n]))) * load(Up[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t0;
    const tk::slice_tile<constants::vectors, const tk::bf16> Gate_tile{
        tk::address(Gate, m, n), Gate.stride[0], Gate.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t0, Gate_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t1;
    const tk::slice_tile<constants::vectors, const tk::bf16> Up_tile{
        tk::address(Up, m, n), Up.stride[0], Up.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t1, Up_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0);
        return 0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x))) *
            float(t1);
    }, t0, t1);
    const tk::slice_tile<constants::vectors, tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0],
                                                              Y.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(Y_tile, t2, thread);
}

// geglu_backward: kernel geglu_backward with BN = 2048, ROWS = 2.
// 256 threads, 80 registers each.
struct geglu_backward_constants {
    static constexpr int blocks = 3, vector = 8;
    static constexpr bool vectors = true;
};
// geglu_backward_general: kernel geglu_backward with BN = 2048, ROWS = 2; any strides and
// alignment.
// 256 threads, 255 registers each.
struct geglu_backward_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) geglu_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> dGate,
    const tk::tensor_argument<tk::bf16, 2> dUp, int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:27: kernel geglu_backward<BN: int = 2048, ROWS: int = 2>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // swiglu.tk:31: let dy   = load(dY[m, n]);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> dy;
    const tk::slice_tile<constants::vectors, const tk::bf16> dY_tile{
        tk::address(dY, m, n), dY.stride[0], dY.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(dy, dY_tile, thread);

    // swiglu.tk:32: let gate = f32(load(Gate[m, n]));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t1;
    const tk::slice_tile<constants::vectors, const tk::bf16> Gate_tile{
        tk::address(Gate, m, n), Gate.stride[0], Gate.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t1, Gate_tile, thread);

    // swiglu.tk:33: store(dGate[m, n], bf16(dy * activation.gelu_slope(gate) * load(Up[m, n])));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t2;
    const tk::slice_tile<constants::vectors, const tk::bf16> Up_tile{
        tk::address(Up, m, n), Up.stride[0], Up.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t2, Up_tile, thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t3;
    tk::map(t3, [](tk::bf16 t1, tk::bf16 dy, tk::bf16 t2) {
        const float x = float(t1);
        const float x_2 = tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x));
        return float(dy) *
            tk::fma(0.5f, 1.0f + x_2,
                    0.5f * x * tk::fma(-x_2, x_2, 1.0f) *
                    tk::fma(0.107032225f * x, x, 0.7978846f)) * float(t2);
    }, t1, dy, t2);
    const tk::slice_tile<constants::vectors, tk::bf16> dGate_tile{
        tk::address(dGate, m, n), dGate.stride[0], dGate.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(dGate_tile, t3, thread);

    // swiglu.tk:34: store(dUp[m, n],   bf16(dy * activation.gelu(gate)));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, constants::vector> t4;
    tk::map(t4, [](tk::bf16 t1, tk::bf16 dy) {
        const float x = float(t1);
        return float(dy) *
            (0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x))));
    }, t1, dy);
    const tk::slice_tile<constants::vectors, tk::bf16> dUp_tile{
        tk::address(dUp, m, n), dUp.stride[0], dUp.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(dUp_tile, t4, thread);
}

// silu_rows: kernel silu_rows with BN = 2048, ROWS = 4.
// 256 threads, 64 registers each.
struct silu_rows_constants {
    static constexpr int blocks = 4, vector = 8;
    static constexpr bool vectors = true;
};
// silu_rows_general: kernel silu_rows with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each.
struct silu_rows_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) silu_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:37: kernel silu_rows<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:40: store(Y[m, n], bf16(activation.silu(f32(load(X[m, n])))));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t0;
    const tk::slice_tile<constants::vectors, const tk::bf16> X_tile{
        tk::address(X, m, n), X.stride[0], X.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t0, X_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t1;
    tk::map(t1, [](tk::bf16 t0) {
        const float x = float(t0);
        return tk::divide(x, 1.0f + tk::exp(-x));
    }, t0);
    const tk::slice_tile<constants::vectors, tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0],
                                                              Y.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(Y_tile, t1, thread);
}

#include "tk/host/launcher.h"

namespace {
tk::status run_swiglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given,
                      cudaStream_t stream) {
    tk::arguments call{"swiglu"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    call.require(
        {tk::same_extent("M", Gate, 0, Up, 0), tk::same_extent("N", Gate, 1, Up, 1),
         tk::same_extent("M", Gate, 0, Y, 0), tk::same_extent("N", Gate, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(Gate, "N"), tk::whole_vectors(Gate, 8), tk::suits_fast(Up, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<swiglu_kernel<swiglu_constants>>(site, 0, tk::kernel_shape(256), programs,
                                                        Gate, Up, Y, M, N);
    }
    return tk::run<swiglu_kernel<swiglu_general_constants>>(site, 0, tk::kernel_shape(256),
                                                            programs, Gate, Up, Y, M, N);
}

tk::status run_swiglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given,
                               const DLTensor* Up_given, DLTensor* dGate_given, DLTensor* dUp_given,
                               cudaStream_t stream) {
    tk::arguments call{"swiglu_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dUp = call.take("dUp", dUp_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = dY.shape[0];
    const int64_t N = dY.shape[1];
    call.require(
        {tk::same_extent("M", dY, 0, Gate, 0), tk::same_extent("N", dY, 1, Gate, 1),
         tk::same_extent("M", dY, 0, Up, 0), tk::same_extent("N", dY, 1, Up, 1),
         tk::same_extent("M", dY, 0, dGate, 0), tk::same_extent("N", dY, 1, dGate, 1),
         tk::same_extent("M", dY, 0, dUp, 0), tk::same_extent("N", dY, 1, dUp, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    const bool fast = tk::hold(
        {tk::suits_fast(dY, "N"), tk::whole_vectors(dY, 8), tk::suits_fast(Gate, "N"),
         tk::suits_fast(Up, "N"), tk::suits_fast(dGate, "N"), tk::suits_fast(dUp, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<swiglu_backward_kernel<swiglu_backward_constants>>(
            site, 0, tk::kernel_shape(256), programs, dY, Gate, Up, dGate, dUp, M, N);
    }
    return tk::run<swiglu_backward_kernel<swiglu_backward_general_constants>>(
        site, 0, tk::kernel_shape(256), programs, dY, Gate, Up, dGate, dUp, M, N);
}

tk::status run_geglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given,
                     cudaStream_t stream) {
    tk::arguments call{"geglu"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    call.require(
        {tk::same_extent("M", Gate, 0, Up, 0), tk::same_extent("N", Gate, 1, Up, 1),
         tk::same_extent("M", Gate, 0, Y, 0), tk::same_extent("N", Gate, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::hold(
        {tk::suits_fast(Gate, "N"), tk::whole_vectors(Gate, 8), tk::suits_fast(Up, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<geglu_kernel<geglu_constants>>(site, 0, tk::kernel_shape(256), programs,
                                                      Gate, Up, Y, M, N);
    }
    return tk::run<geglu_kernel<geglu_general_constants>>(site, 0, tk::kernel_shape(256), programs,
                                                          Gate, Up, Y, M, N);
}

tk::status run_geglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given,
                              const DLTensor* Up_given, DLTensor* dGate_given, DLTensor* dUp_given,
                              cudaStream_t stream) {
    tk::arguments call{"geglu_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dUp = call.take("dUp", dUp_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = dY.shape[0];
    const int64_t N = dY.shape[1];
    call.require(
        {tk::same_extent("M", dY, 0, Gate, 0), tk::same_extent("N", dY, 1, Gate, 1),
         tk::same_extent("M", dY, 0, Up, 0), tk::same_extent("N", dY, 1, Up, 1),
         tk::same_extent("M", dY, 0, dGate, 0), tk::same_extent("N", dY, 1, dGate, 1),
         tk::same_extent("M", dY, 0, dUp, 0), tk::same_extent("N", dY, 1, dUp, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    const bool fast = tk::hold(
        {tk::suits_fast(dY, "N"), tk::whole_vectors(dY, 8), tk::suits_fast(Gate, "N"),
         tk::suits_fast(Up, "N"), tk::suits_fast(dGate, "N"), tk::suits_fast(dUp, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<geglu_backward_kernel<geglu_backward_constants>>(
            site, 0, tk::kernel_shape(256), programs, dY, Gate, Up, dGate, dUp, M, N);
    }
    return tk::run<geglu_backward_kernel<geglu_backward_general_constants>>(
        site, 0, tk::kernel_shape(256), programs, dY, Gate, Up, dGate, dUp, M, N);
}

tk::status run_silu_rows(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"silu_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<silu_rows_kernel<silu_rows_constants>>(site, 0, tk::kernel_shape(256),
                                                              programs, X, Y, M, N);
    }
    return tk::run<silu_rows_kernel<silu_rows_general_constants>>(site, 0, tk::kernel_shape(256),
                                                                  programs, X, Y, M, N);
}

}  // namespace

extern "C" {
int swiglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given, void*, size_t,
           cudaStream_t stream) {
    return tk::finish(run_swiglu(Gate_given, Up_given, Y_given, stream));
}
TK_NO_WORKSPACE(swiglu, const DLTensor*, const DLTensor*, DLTensor*)

int swiglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given, const DLTensor* Up_given,
                    DLTensor* dGate_given, DLTensor* dUp_given, void*, size_t,
                    cudaStream_t stream) {
    return tk::finish(
        run_swiglu_backward(dY_given, Gate_given, Up_given, dGate_given, dUp_given, stream));
}
TK_NO_WORKSPACE(swiglu_backward, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int geglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given, void*, size_t,
          cudaStream_t stream) {
    return tk::finish(run_geglu(Gate_given, Up_given, Y_given, stream));
}
TK_NO_WORKSPACE(geglu, const DLTensor*, const DLTensor*, DLTensor*)

int geglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given, const DLTensor* Up_given,
                   DLTensor* dGate_given, DLTensor* dUp_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(
        run_geglu_backward(dY_given, Gate_given, Up_given, dGate_given, dUp_given, stream));
}
TK_NO_WORKSPACE(geglu_backward, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int silu_rows(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_silu_rows(X_given, Y_given, stream));
}
TK_NO_WORKSPACE(silu_rows, const DLTensor*, DLTensor*)
}  // extern "C"
