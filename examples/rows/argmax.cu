// Made by tkc from argmax.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/argmax.cuh"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// argmax_rows: kernel argmax_rows with BV = 4096.
// 128 threads, 80 registers each, 2048 bytes of shared memory.
struct argmax_rows_constants {
    static constexpr int blocks = 6, vector = 8;
    static constexpr bool vectors = true;
};
// argmax_rows_general: kernel argmax_rows with BV = 4096; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory.
struct argmax_rows_general_constants {
    static constexpr int blocks = 1, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
struct argmax_rows_shared {
    tk::shared_tile<int, 1, 8> argmax_rows_places[1];
    unsigned char unused[896];
    tk::shared_tile<float, 1, 4> argmax_rows_f32_parts[1];
};
static_assert(offsetof(argmax_rows_shared<argmax_rows_constants>, argmax_rows_f32_parts) == 1024);
static_assert(offsetof(argmax_rows_shared<argmax_rows_general_constants>, argmax_rows_f32_parts) ==
              1024);

template <class constants>
__global__ void __launch_bounds__(128, constants::blocks) argmax_rows_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<int, 1> Index, int R,
    int V) {
    extern __shared__ __align__(1024) unsigned char memory[];
    argmax_rows_shared<constants>& shared =
        *reinterpret_cast<argmax_rows_shared<constants>*>(memory);

    // argmax.tk:2: kernel argmax_rows<BV: int = 4096>(X: bf16[R, V], out Index: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // argmax.tk:6: var best: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 128, 128, constants::vector> best;
    tk::fill(best, -INFINITY);

    // argmax.tk:7: var who:  i32[1, 1] = 0;
    tk::stripe<int, 1, 1, 128, 128, constants::vector> who;
    tk::map(who, []() { return 0; });

    // argmax.tk:8: for v in V by BV {
    for (int v = 0; v < V; v += 4096) {
        // argmax.tk:9: let x     = pad(f32(load(X[r, v])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 4096, 128, 128, constants::vector> t0;
        const tk::slice_tile<constants::vectors, const tk::bf16> X_tile{
            tk::address(X, r, v), X.stride[0], X.stride[1], R - r, V - v};
        tk::load_slice<constants::vectors>(t0, X_tile, thread);
        tk::stripe<float, 1, 4096, 128, 128, constants::vector> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < V - v ? float(t0) : -INFINITY;
        }, t0);

        // argmax.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 1, 1, 128, 128, constants::vector> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{}, shared.argmax_rows_f32_parts[0], thread, 1);

        // argmax.tk:11: who  = where(value > best, v.start + argmax(x, axis = 1), who);
        tk::stripe<int, 1, 1, 128, 128, constants::vector> t2;
        tk::locate_in_rows(t2, x, tk::maximum{}, shared.argmax_rows_places[0], thread, 1);
        tk::map(who, [&](float value, float best, int t2, int who) {
            return value > best ? v + t2 : who;
        }, value, best, t2, who);

        // argmax.tk:12: best = max(best, value);
        tk::map(best, [](float best, float value) { return tk::max(best, value); }, best, value);
    }

    // argmax.tk:14: store(Index[r], who);
    const tk::global_tile<int> Index_tile{tk::address(Index, r), 0, Index.stride[0], 1, R - r};
    tk::store_global(Index_tile, who, thread);
}

#include "tk/host/launcher.h"

namespace {
tk::status run_argmax_rows(const DLTensor* X_given, DLTensor* Index_given, cudaStream_t stream) {
    tk::arguments call{"argmax_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t V = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Index, 0), tk::extents_fit({{"R", R}, {"V", V}}),
         tk::that(V > 0, "`argmax_rows` requires `V > 0`")});
    if (!call.ok()) return call.result();
    const bool fast = tk::hold({tk::suits_fast(X, "V"), tk::whole_vectors(X, 8)});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<argmax_rows_kernel<argmax_rows_constants>>(
            site, sizeof(argmax_rows_shared<argmax_rows_constants>), tk::kernel_shape(128), R, X,
            Index, R, V);
    }
    return tk::run<argmax_rows_kernel<argmax_rows_general_constants>>(
        site, sizeof(argmax_rows_shared<argmax_rows_general_constants>), tk::kernel_shape(128), R,
        X, Index, R, V);
}

}  // namespace

extern "C" {
int argmax_rows(const DLTensor* X_given, DLTensor* Index_given, void*, size_t,
                cudaStream_t stream) {
    return tk::finish(run_argmax_rows(X_given, Index_given, stream));
}
TK_NO_WORKSPACE(argmax_rows, const DLTensor*, DLTensor*)
}  // extern "C"
