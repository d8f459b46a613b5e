// Made by tkc from swiglu.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// swiglu: kernel swiglu with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: swiglu_kernel<3, 8, true>.
// swiglu_general: kernel swiglu with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: swiglu_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) swiglu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:5: kernel swiglu<BN: int = 2048, ROWS: int = 4>(Gate: bf16[M, N], Up: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:8: store(Y[m, n], bf16(activation.silu(f32(load(Gate[m, n]))) * load(Up[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Gate, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Up, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0);
        return tk::divide(x, 1.0f + tk::exp(-x)) * float(t1);
    }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

// swiglu_backward: kernel swiglu_backward with BN = 2048, ROWS = 2.
// 256 threads, 80 registers each: swiglu_backward_kernel<3, 8, true>.
// swiglu_backward_general: kernel swiglu_backward with BN = 2048, ROWS = 2; any strides and
// alignment.
// 256 threads, 255 registers each: swiglu_backward_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) swiglu_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> dGate,
    const tk::tensor_argument<tk::bf16, 2> dUp, int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:11: kernel swiglu_backward<BN: int = 2048, ROWS: int = 2>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // swiglu.tk:15: let dy   = load(dY[m, n]);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> dy;
    tk::load_slice<vectors>(dy, tk::slice_if_vectors<vectors>(dY, {m, n}, M - m, N - n), thread);

    // swiglu.tk:16: let gate = f32(load(Gate[m, n]));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Gate, {m, n}, M - m, N - n), thread);

    // swiglu.tk:17: store(dGate[m, n], bf16(dy * activation.silu_slope(gate) * load(Up[m, n])));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_vectors<vectors>(Up, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t3;
    tk::map(t3, [](tk::bf16 t1, tk::bf16 dy, tk::bf16 t2) {
        const float x = float(t1);
        const float x_2 = tk::divide(1.0f, 1.0f + tk::exp(-x));
        return float(dy) * (x_2 * tk::fma(x, 1.0f - x_2, 1.0f)) * float(t2);
    }, t1, dy, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dGate, {m, n}, M - m, N - n), t3,
                             thread);

    // swiglu.tk:18: store(dUp[m, n],   bf16(dy * activation.silu(gate)));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t4;
    tk::map(t4, [](tk::bf16 t1, tk::bf16 dy) {
        const float x = float(t1);
        return float(dy) * tk::divide(x, 1.0f + tk::exp(-x));
    }, t1, dy);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dUp, {m, n}, M - m, N - n), t4, thread);
}

// geglu: kernel geglu with BN = 2048, ROWS = 4.
// 256 threads, 80 registers each: geglu_kernel<3, 8, true>.
// geglu_general: kernel geglu with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: geglu_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) geglu_kernel(
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:21: kernel geglu<BN: int = 2048, ROWS: int = 4>(Gate: bf16[M, N], Up: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:24: store(Y[m, n], bf16(activation.gelu(f32(load(Gate[m, n]))) * load(Up[m, n])));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Gate, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Up, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 t1) {
        const float x = float(t0);
        return 0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x))) *
            float(t1);
    }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

// geglu_backward: kernel geglu_backward with BN = 2048, ROWS = 2.
// 256 threads, 80 registers each: geglu_backward_kernel<3, 8, true>.
// geglu_backward_general: kernel geglu_backward with BN = 2048, ROWS = 2; any strides and
// alignment.
// 256 threads, 255 registers each: geglu_backward_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) geglu_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY,
    const tk::tensor_argument<const tk::bf16, 2> Gate,
    const tk::tensor_argument<const tk::bf16, 2> Up, const tk::tensor_argument<tk::bf16, 2> dGate,
    const tk::tensor_argument<tk::bf16, 2> dUp, int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:27: kernel geglu_backward<BN: int = 2048, ROWS: int = 2>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 2;

    // swiglu.tk:31: let dy   = load(dY[m, n]);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> dy;
    tk::load_slice<vectors>(dy, tk::slice_if_vectors<vectors>(dY, {m, n}, M - m, N - n), thread);

    // swiglu.tk:32: let gate = f32(load(Gate[m, n]));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(Gate, {m, n}, M - m, N - n), thread);

    // swiglu.tk:33: store(dGate[m, n], bf16(dy * activation.gelu_slope(gate) * load(Up[m, n])));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t2;
    tk::load_slice<vectors>(t2, tk::slice_if_vectors<vectors>(Up, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t3;
    tk::map(t3, [](tk::bf16 t1, tk::bf16 dy, tk::bf16 t2) {
        const float x = float(t1);
        const float x_2 = tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x));
        return float(dy) *
            tk::fma(0.5f, 1.0f + x_2,
                    0.5f * x * tk::fma(-x_2, x_2, 1.0f) *
                    tk::fma(0.107032225f * x, x, 0.7978846f)) * float(t2);
    }, t1, dy, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dGate, {m, n}, M - m, N - n), t3,
                             thread);

    // swiglu.tk:34: store(dUp[m, n],   bf16(dy * activation.gelu(gate)));
    tk::stripe<tk::bf16, 2, 2048, 256, 128, vector> t4;
    tk::map(t4, [](tk::bf16 t1, tk::bf16 dy) {
        const float x = float(t1);
        return float(dy) *
            (0.5f * x * (1.0f + tk::tanh(0.7978846f * tk::fma(0.044715f * x * x, x, x))));
    }, t1, dy);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(dUp, {m, n}, M - m, N - n), t4, thread);
}

// silu_rows: kernel silu_rows with BN = 2048, ROWS = 4.
// 256 threads, 64 registers each: silu_rows_kernel<4, 8, true>.
// silu_rows_general: kernel silu_rows with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: silu_rows_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) silu_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int M,
    int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // swiglu.tk:37: kernel silu_rows<BN: int = 2048, ROWS: int = 4>(X: bf16[M, N], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // swiglu.tk:40: store(Y[m, n], bf16(activation.silu(f32(load(X[m, n])))));
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t1;
    tk::map(t1, [](tk::bf16 t0) {
        const float x = float(t0);
        return tk::divide(x, 1.0f + tk::exp(-x));
    }, t0);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t1, thread);
}

extern "C" {
int swiglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"swiglu"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    call.require(
        {tk::same_extent("M", Gate, 0, Up, 0), tk::same_extent("N", Gate, 1, Up, 1),
         tk::same_extent("M", Gate, 0, Y, 0), tk::same_extent("N", Gate, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::all_hold(
        {tk::suits_fast(Gate, "N"), tk::whole_vectors(Gate, 8), tk::suits_fast(Up, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<swiglu_kernel<3, 8, true>, swiglu_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), programs, Gate, Up, Y,
        M, N));
}
TK_NO_WORKSPACE(swiglu, const DLTensor*, const DLTensor*, DLTensor*)

int swiglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given, const DLTensor* Up_given,
                    DLTensor* dGate_given, DLTensor* dUp_given, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"swiglu_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dUp = call.take("dUp", dUp_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = dY.shape[0];
    const int64_t N = dY.shape[1];
    call.require(
        {tk::same_extent("M", dY, 0, Gate, 0), tk::same_extent("N", dY, 1, Gate, 1),
         tk::same_extent("M", dY, 0, Up, 0), tk::same_extent("N", dY, 1, Up, 1),
         tk::same_extent("M", dY, 0, dGate, 0), tk::same_extent("N", dY, 1, dGate, 1),
         tk::same_extent("M", dY, 0, dUp, 0), tk::same_extent("N", dY, 1, dUp, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    const bool fast = tk::all_hold(
        {tk::suits_fast(dY, "N"), tk::whole_vectors(dY, 8), tk::suits_fast(Gate, "N"),
         tk::suits_fast(Up, "N"), tk::suits_fast(dGate, "N"), tk::suits_fast(dUp, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<swiglu_backward_kernel<3, 8, true>, swiglu_backward_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), programs, dY, Gate,
            Up, dGate, dUp, M, N));
}
TK_NO_WORKSPACE(swiglu_backward, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int geglu(const DLTensor* Gate_given, const DLTensor* Up_given, DLTensor* Y_given, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"geglu"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    call.require(
        {tk::same_extent("M", Gate, 0, Up, 0), tk::same_extent("N", Gate, 1, Up, 1),
         tk::same_extent("M", Gate, 0, Y, 0), tk::same_extent("N", Gate, 1, Y, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast = tk::all_hold(
        {tk::suits_fast(Gate, "N"), tk::whole_vectors(Gate, 8), tk::suits_fast(Up, "N"),
         tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<geglu_kernel<3, 8, true>, geglu_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), programs, Gate, Up, Y,
        M, N));
}
TK_NO_WORKSPACE(geglu, const DLTensor*, const DLTensor*, DLTensor*)

int geglu_backward(const DLTensor* dY_given, const DLTensor* Gate_given, const DLTensor* Up_given,
                   DLTensor* dGate_given, DLTensor* dUp_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"geglu_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Up = call.take("Up", Up_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dGate = call.take("dGate", dGate_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor dUp = call.take("dUp", dUp_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = dY.shape[0];
    const int64_t N = dY.shape[1];
    call.require(
        {tk::same_extent("M", dY, 0, Gate, 0), tk::same_extent("N", dY, 1, Gate, 1),
         tk::same_extent("M", dY, 0, Up, 0), tk::same_extent("N", dY, 1, Up, 1),
         tk::same_extent("M", dY, 0, dGate, 0), tk::same_extent("N", dY, 1, dGate, 1),
         tk::same_extent("M", dY, 0, dUp, 0), tk::same_extent("N", dY, 1, dUp, 1),
         tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 2));
    const bool fast = tk::all_hold(
        {tk::suits_fast(dY, "N"), tk::whole_vectors(dY, 8), tk::suits_fast(Gate, "N"),
         tk::suits_fast(Up, "N"), tk::suits_fast(dGate, "N"), tk::suits_fast(dUp, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<geglu_backward_kernel<3, 8, true>, geglu_backward_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), programs, dY, Gate,
            Up, dGate, dUp, M, N));
}
TK_NO_WORKSPACE(geglu_backward, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int silu_rows(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"silu_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
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
        tk::all_hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<silu_rows_kernel<4, 8, true>, silu_rows_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).programmatic_launch(), programs, X, Y, M, N));
}
TK_NO_WORKSPACE(silu_rows, const DLTensor*, DLTensor*)
}  // extern "C"
