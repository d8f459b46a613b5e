// Made by tkc from softmax.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// softmax: kernel softmax with C = 1024, ROWS = 8.
// 256 threads, 48 registers each: softmax_kernel<5, 8, true>.
// softmax_general: kernel softmax with C = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: softmax_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y,
    int R) {
    tk::wait_for_previous_kernel();

    // softmax.tk:7: kernel softmax<C: int = 1024, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, C], ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax.tk:10: let x = f32(load(X[r, :]));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
    tk::stripe<float, 8, 1024, 256, 32, vector> x = tk::convert<float>(t0);

    // softmax.tk:11: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, vector> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, vector> e;
    tk::map(e, [](tk::bf16 t0, float t1) { return tk::exp(float(t0) - t1); }, t0, t1);

    // softmax.tk:12: store(Y[r, :], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, vector> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t3;
    tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t3, thread);
}

// softmax_backward: kernel softmax_backward with C = 1024, ROWS = 4.
// 256 threads, 64 registers each, 1024 bytes of shared memory: softmax_backward_kernel<4, 8, true>.
// softmax_backward_general: kernel softmax_backward with C = 1024, ROWS = 4; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_backward_kernel<1, 2,
// false>.
struct softmax_backward_shared {
    tk::shared_tile<float, 1, 8> softmax_backward_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 2> dY, const tk::tensor_argument<const tk::bf16, 2> Y,
    const tk::tensor_argument<tk::bf16, 2> dX, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_backward_shared& shared = *reinterpret_cast<softmax_backward_shared*>(memory);

    tk::wait_for_previous_kernel();

    // softmax.tk:15: kernel softmax_backward<C: int = 1024, ROWS: int = rows.fit(C, 4096)>(dY: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // softmax.tk:18: let y  = f32(load(Y[r, :]));
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), thread);

    // softmax.tk:19: let dy = load(dY[r, :]);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> dy;
    tk::load_slice<vectors>(dy, tk::slice_if_dense<vectors>(dY, {r, 0}, R - r, 1024), thread);

    // softmax.tk:20: store(dX[r, :], bf16(y * (dy - sum(y * dy, axis = 1))));
    tk::stripe<float, 4, 1024, 256, 64, vector> t2;
    tk::map(t2, [](tk::bf16 t0, tk::bf16 dy) { return float(t0) * float(dy); }, t0, dy);
    tk::stripe<float, 4, 1, 256, 64, vector> t3;
    tk::fold_rows(t3, t2, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.softmax_backward_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 4, 1024, 256, 64, vector> t4;
    tk::map(t4, [](tk::bf16 t0, tk::bf16 dy, float t3) { return float(t0) * (float(dy) - t3); },
            t0, dy, t3);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(dX, {r, 0}, R - r, 1024), t4, thread);
}

extern "C" {
int softmax(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"softmax"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 1024), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<softmax_kernel<5, 8, true>, softmax_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), X, Y, R));
}
TK_NO_WORKSPACE(softmax, const DLTensor*, DLTensor*)

int softmax_backward(const DLTensor* dY_given, const DLTensor* Y_given, DLTensor* dX_given, void*,
                     size_t, cudaStream_t stream) {
    tk::arguments call{"softmax_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = dY.shape[0];
    call.require(
        {tk::fixed_extent(dY, 1, 1024), tk::same_extent("R", dY, 0, Y, 0),
         tk::fixed_extent(Y, 1, 1024), tk::same_extent("R", dY, 0, dX, 0),
         tk::fixed_extent(dX, 1, 1024), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(dY), tk::suits_fast(Y), tk::suits_fast(dX)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<softmax_backward_kernel<4, 8, true>, softmax_backward_kernel<1, 2, false>>(
            fast ? 0 : 1, site, sizeof(softmax_backward_shared),
            tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 4), dY, Y, dX, R));
}
TK_NO_WORKSPACE(softmax_backward, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
