// Made by tkc from argmax.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/argmax.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// argmax_rows: kernel argmax_rows with BV = 4096.
// 128 threads, 80 registers each, 1024 bytes of shared memory: argmax_rows_kernel<6, 8, true>.
// argmax_rows_general: kernel argmax_rows with BV = 4096; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory: argmax_rows_kernel<1, 2, false>.
struct argmax_rows_shared {
    tk::shared_tile<int, 1, 8> argmax_rows_places[1];
    tk::shared_tile<float, 1, 4> argmax_rows_f32_parts[1];
};
static_assert(offsetof(argmax_rows_shared, argmax_rows_f32_parts) == 128);

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) argmax_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<int, 1> Index, int R,
    int V) {
    extern __shared__ __align__(1024) unsigned char memory[];
    argmax_rows_shared& shared = *reinterpret_cast<argmax_rows_shared*>(memory);

    tk::wait_for_previous_kernel();

    // argmax.tk:2: kernel argmax_rows<BV: int = 4096>(X: bf16[R, V], out Index: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // argmax.tk:6: var best: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 128, 128, vector> best;
    tk::fill(best, -INFINITY);

    // argmax.tk:7: var who:  i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 128, vector> who;
    tk::map(who, []() { return 0; });

    // argmax.tk:8: for v in V by BV {
    for (int v = 0; v < V; v += 4096) {
        // argmax.tk:9: let x     = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 4096, 128, 128, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, v}, R - r, V - v), thread);
        tk::stripe<float, 1, 4096, 128, 128, vector> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // argmax.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 1, 1, 128, 128, vector> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{}, shared.argmax_rows_f32_parts[0], thread, 1);

        // argmax.tk:11: who  = where(value > best, v.start + argmax(x, axis = 1), who);
        tk::stripe<int, 1, 1, 128, 128, vector> t2;
        tk::locate_in_rows(t2, x, tk::maximum{}, shared.argmax_rows_places[0], thread, 1);
        tk::map(who, [&](float value, float best, int t2, int who) {
            return value > best ? tk::wrapping_add(v, t2) : who;
        }, value, best, t2, who);

        // argmax.tk:12: best = max(best, value);
        tk::map(best, [](float best, float value) { return tk::max(best, value); }, best, value);
    }

    // argmax.tk:14: store(Index[r], who);
    tk::store_global(tk::slice(Index, {r}, 1, R - r), who, thread);
}

extern "C" {
int argmax_rows(const DLTensor* X_given, DLTensor* Index_given, void*, size_t,
                cudaStream_t stream) {
    tk::arguments call{"argmax_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Index, 0), tk::extents_fit({{"R", R}, {"V", V}}),
         tk::that(V > 0, "`argmax_rows` requires `V > 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X, "V"), tk::whole_vectors(X, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<argmax_rows_kernel<6, 8, true>, argmax_rows_kernel<1, 2, false>>(
            fast ? 0 : 1, site, sizeof(argmax_rows_shared), tk::kernel_shape(128).overlapping(), R,
            X, Index, R, V));
}
TK_NO_WORKSPACE(argmax_rows, const DLTensor*, DLTensor*)
}  // extern "C"
