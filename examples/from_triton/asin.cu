// Made by tkc from asin.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// asin: kernel asin with BN = 4096.
// 256 threads, 48 registers each: asin_kernel<5, 4, true>.
// asin_general: kernel asin with BN = 4096; any strides and alignment.
// 256 threads, 255 registers each: asin_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) asin_kernel(
    const tk::tensor_argument<const float, 1> X, const tk::tensor_argument<float, 1> Y, int N) {
    tk::wait_for_previous_kernel();

    // asin.tk:13: kernel asin<BN: int = 4096>(X: f32[N], out Y: f32[N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program * 4096;

    // asin.tk:16: store(Y[n], asinf(load(X[n])));
    tk::stripe<float, 1, 4096, 256, 256, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {n}, 1, N - n), thread);
    tk::stripe<float, 1, 4096, 256, 256, vector> t1;
    tk::map(t1, [](float t0) { return asinf(t0); }, t0);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {n}, 1, N - n), t1, thread);
}

extern "C" {
int asin_(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"asin"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = X.shape[0];
    call.require({tk::same_extent("N", X, 0, Y, 0), tk::extents_fit({{"N", N}})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::ceil_div(N, 4096);
    const bool fast = tk::hold({tk::suits_fast(X, "N"), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<asin_kernel<5, 4, true>, asin_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Y, N));
}
TK_NO_WORKSPACE(asin_, const DLTensor*, DLTensor*)
}  // extern "C"
