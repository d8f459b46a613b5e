// Made by tkc from quantise.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// quantise: kernel quantise with C = 4096, ROWS = 2.
// 256 threads, 64 registers each, 1024 bytes of shared memory.
struct quantise_constants {
    static constexpr int blocks = 4, vector = 16;
    static constexpr bool vectors = true;
};
// quantise_general: kernel quantise with C = 4096, ROWS = 2; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct quantise_general_constants {
    static constexpr int blocks = 1, vector = 4;
    static constexpr bool vectors = false;
};

template <class constants>
struct quantise_shared {
    tk::shared_tile<float, 1, 8> quantise_f32_parts[1];
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) quantise_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 1> Scale, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_shared<constants>& shared = *reinterpret_cast<quantise_shared<constants>*>(memory);

    // quantise.tk:6: kernel quantise<C: int = 4096, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // quantise.tk:9: let q = quantise.rows(f32(load(X[r, :])));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, constants::vector> t0;
    const tk::global_tile<const tk::bf16> X_tile{tk::address(X, r, 0), X.stride[0],
                                                 constants::vectors ? 1 : X.stride[1], R - r, 4096};
    tk::load_slice<constants::vectors>(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 2, 4096, 256, 128, constants::vector> t1;
    tk::map(t1, [](tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 2, 1, 256, 128, constants::vector> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{}, shared.quantise_f32_parts[0], thread, 1);

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 2, 1, 256, 128, constants::vector> scale;
    tk::map(scale, [](float top) { return top == 0.0f ? 1.0f : tk::divide(top, 448.0f); }, top);
    // quantise.tk:9
    tk::stripe<tk::fp8_e4m3, 2, 4096, 256, 128, constants::vector> q_cells;
    tk::map(q_cells, [](tk::bf16 t0, float scale) { return tk::divide(float(t0), scale); },
            t0, scale);

    // quantise.tk:10: store(Y[r, :], q.cells);
    const tk::global_tile<tk::fp8_e4m3> Y_tile{tk::address(Y, r, 0), Y.stride[0],
                                               constants::vectors ? 1 : Y.stride[1], R - r, 4096};
    tk::store_slice<constants::vectors>(Y_tile, q_cells, thread);

    // quantise.tk:11: store(Scale[r], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r), Scale.stride[0], 0, R - r, 1};
    tk::store_global(Scale_tile, scale, thread);
}

// quantise_blocks: kernel quantise_blocks with G = 128, ROWS = 16.
// 256 threads, 64 registers each.
struct quantise_blocks_constants {
    static constexpr int blocks = 4, row_threads = 8, vector = 16;
    static constexpr bool vectors = true;
};
// quantise_blocks_general: kernel quantise_blocks with G = 128, ROWS = 16; any strides and
// alignment.
// 256 threads, 255 registers each.
struct quantise_blocks_general_constants {
    static constexpr int blocks = 1, row_threads = 32, vector = 4;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) quantise_blocks_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 2> Scale, int R, int C) {
    const int g_tiles = tk::tiles(C, 128);

    // quantise.tk:14: kernel quantise_blocks<G: int = 128, ROWS: int = 16>(X: bf16[R, C], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % g_tiles * 128;
    const int r = program / g_tiles * 16;

    // quantise.tk:18: let q = quantise.rows(f32(load(X[r, g])));
    tk::stripe<tk::bf16, 16, 128, 256, constants::row_threads, constants::vector> t0;
    const tk::slice_tile<constants::vectors, const tk::bf16> X_tile{
        tk::address(X, r, g), X.stride[0], X.stride[1], R - r, C - g};
    tk::load_slice<constants::vectors>(t0, X_tile, thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 16, 128, 256, constants::row_threads, constants::vector> t1;
    tk::map(t1, [](tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 16, 1, 256, constants::row_threads, constants::vector> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{});

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 16, 1, 256, constants::row_threads, constants::vector> scale;
    tk::map(scale, [](float top) { return top == 0.0f ? 1.0f : tk::divide(top, 448.0f); }, top);
    // quantise.tk:18
    tk::stripe<tk::fp8_e4m3, 16, 128, 256, constants::row_threads, constants::vector> q_cells;
    tk::map(q_cells, [](tk::bf16 t0, float scale) { return tk::divide(float(t0), scale); },
            t0, scale);

    // quantise.tk:19: store(Y[r, g], q.cells);
    const tk::slice_tile<constants::vectors, tk::fp8_e4m3> Y_tile{tk::address(Y, r, g), Y.stride[0],
                                                                  Y.stride[1], R - r, C - g};
    tk::store_slice<constants::vectors>(Y_tile, q_cells, thread);

    // quantise.tk:20: store(Scale[r, g.index +: 1], q.scale);
    const tk::global_tile<float> Scale_tile{tk::address(Scale, r, g / 128), Scale.stride[0],
                                            Scale.stride[1], R - r, C / 128 - g / 128};
    tk::store_global(Scale_tile, scale, thread);
}

// dequantise: kernel dequantise with BN = 2048, ROWS = 4.
// 256 threads, 64 registers each.
struct dequantise_constants {
    static constexpr int blocks = 4, vector = 16;
    static constexpr bool vectors = true;
};
// dequantise_general: kernel dequantise with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each.
struct dequantise_general_constants {
    static constexpr int blocks = 1, vector = 4;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(256, constants::blocks) dequantise_kernel(
    const tk::tensor_argument<const tk::fp8_e4m3, 2> X,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    const int n_tiles = tk::tiles(N, 2048);

    // quantise.tk:23: kernel dequantise<BN: int = 2048, ROWS: int = 4>(X: fp8_e4m3[M, N], Scale: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // quantise.tk:26: store(Y[m, n], bf16(f32(load(X[m, n])) * column(load(Scale[m]))));
    tk::stripe<tk::fp8_e4m3, 4, 2048, 256, 64, constants::vector> t0;
    const tk::slice_tile<constants::vectors, const tk::fp8_e4m3> X_tile{
        tk::address(X, m, n), X.stride[0], X.stride[1], M - m, N - n};
    tk::load_slice<constants::vectors>(t0, X_tile, thread);
    tk::stripe<float, 4, 1, 256, 64, constants::vector> t1;
    const tk::global_tile<const float> Scale_tile{tk::address(Scale, m), Scale.stride[0], 0, M - m,
                                                  1};
    tk::load_global(t1, Scale_tile, thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, constants::vector> t2;
    tk::map(t2, [](tk::fp8_e4m3 t0, float t1) { return float(t0) * t1; }, t0, t1);
    const tk::slice_tile<constants::vectors, tk::bf16> Y_tile{tk::address(Y, m, n), Y.stride[0],
                                                              Y.stride[1], M - m, N - n};
    tk::store_slice<constants::vectors>(Y_tile, t2, thread);
}

#include "tk/host/launcher.h"

namespace {
tk::status run_quantise(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given,
                        cudaStream_t stream) {
    tk::arguments call{"quantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 4096), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 4096), tk::same_extent("R", X, 0, Scale, 0),
         tk::extents_fit({{"R", R}})});
    if (!call.ok()) return call.result();
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<quantise_kernel<quantise_constants>>(
            site, sizeof(quantise_shared<quantise_constants>), tk::kernel_shape(256),
            tk::ceil_div(R, 2), X, Y, Scale, R);
    }
    return tk::run<quantise_kernel<quantise_general_constants>>(
        site, sizeof(quantise_shared<quantise_general_constants>), tk::kernel_shape(256),
        tk::ceil_div(R, 2), X, Y, Scale, R);
}

tk::status run_quantise_blocks(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given,
                               cudaStream_t stream) {
    tk::arguments call{"quantise_blocks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::same_extent("R", X, 0, Scale, 0), tk::extents_fit({{"R", R}, {"C", C}}),
         tk::that(C % 128 == 0, "`C/128` is an extent, but {} is no multiple of 128", {C}),
         tk::that(Scale.shape[1] == tk::floor_div(C, 128),
                  "axis 1 of `Scale` is {}; it must be `C/128`, which is {}",
                  {Scale.shape[1], tk::floor_div(C, 128)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16));
    const bool fast =
        tk::hold({tk::suits_fast(X, "C"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "C")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<quantise_blocks_kernel<quantise_blocks_constants>>(
            site, 0, tk::kernel_shape(256), programs, X, Y, Scale, R, C);
    }
    return tk::run<quantise_blocks_kernel<quantise_blocks_general_constants>>(
        site, 0, tk::kernel_shape(256), programs, X, Y, Scale, R, C);
}

tk::status run_dequantise(const DLTensor* X_given, const DLTensor* Scale_given, DLTensor* Y_given,
                          cudaStream_t stream) {
    tk::arguments call{"dequantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Scale, 0), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<dequantise_kernel<dequantise_constants>>(site, 0, tk::kernel_shape(256),
                                                                programs, X, Scale, Y, M, N);
    }
    return tk::run<dequantise_kernel<dequantise_general_constants>>(site, 0, tk::kernel_shape(256),
                                                                    programs, X, Scale, Y, M, N);
}

}  // namespace

extern "C" {
int quantise(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*, size_t,
             cudaStream_t stream) {
    return tk::finish(run_quantise(X_given, Y_given, Scale_given, stream));
}
TK_NO_WORKSPACE(quantise, const DLTensor*, DLTensor*, DLTensor*)

int quantise_blocks(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*,
                    size_t, cudaStream_t stream) {
    return tk::finish(run_quantise_blocks(X_given, Y_given, Scale_given, stream));
}
TK_NO_WORKSPACE(quantise_blocks, const DLTensor*, DLTensor*, DLTensor*)

int dequantise(const DLTensor* X_given, const DLTensor* Scale_given, DLTensor* Y_given, void*,
               size_t, cudaStream_t stream) {
    return tk::finish(run_dequantise(X_given, Scale_given, Y_given, stream));
}
TK_NO_WORKSPACE(dequantise, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
