// Made by tkc from quantise.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// quantise: kernel quantise with C = 4096, ROWS = 2.
// 256 threads, 64 registers each, 1024 bytes of shared memory: quantise_kernel<4, 16, true>.
// quantise_general: kernel quantise with C = 4096, ROWS = 2; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: quantise_kernel<1, 4, false>.
struct quantise_shared {
    tk::shared_tile<float, 1, 8> quantise_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) quantise_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 1> Scale, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    quantise_shared& shared = *reinterpret_cast<quantise_shared*>(memory);

    tk::wait_for_previous_kernel();

    // quantise.tk:6: kernel quantise<C: int = 4096, ROWS: int = rows.fit(C, 8192)>(X: bf16[R, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // quantise.tk:9: let q = quantise.rows(f32(load(X[r, :])));
    tk::stripe<tk::bf16, 2, 4096, 256, 128, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 4096), thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 2, 4096, 256, 128, vector> t1;
    tk::map(t1, [](tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 2, 1, 256, 128, vector> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{}, shared.quantise_f32_parts[0], thread, 1);

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 2, 1, 256, 128, vector> scale;
    tk::map(scale, [](float top) { return top == 0.0f ? 1.0f : tk::divide(top, 448.0f); }, top);
    // quantise.tk:9
    tk::stripe<tk::fp8_e4m3, 2, 4096, 256, 128, vector> q_cells;
    tk::map(q_cells, [](tk::bf16 t0, float scale) { return tk::divide(float(t0), scale); },
            t0, scale);

    // quantise.tk:10: store(Y[r, :], q.cells);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 4096), q_cells, thread);

    // quantise.tk:11: store(Scale[r], q.scale);
    tk::store_global(tk::slice<0, tk::no_axis>(Scale, {r}, R - r, 1), scale, thread);
}

// quantise_blocks: kernel quantise_blocks with G = 128, ROWS = 16.
// 256 threads, 48 registers each: quantise_blocks_kernel<5, 8, 16, true>.
// quantise_blocks_general: kernel quantise_blocks with G = 128, ROWS = 16; any strides and
// alignment.
// 256 threads, 255 registers each: quantise_blocks_kernel<1, 32, 4, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) quantise_blocks_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::fp8_e4m3, 2> Y,
    const tk::tensor_argument<float, 2> Scale, int R, int C) {
    tk::wait_for_previous_kernel();

    const int g_tiles = tk::tiles(C, 128);

    // quantise.tk:14: kernel quantise_blocks<G: int = 128, ROWS: int = 16>(X: bf16[R, C], out Y: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int g = program % g_tiles * 128;
    const int r = program / g_tiles * 16;

    // quantise.tk:18: let q = quantise.rows(f32(load(X[r, g])));
    tk::stripe<tk::bf16, 16, 128, 256, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, g}, R - r, C - g), thread);

    // <std.quantise>:11: let top   = max(abs(x), axis = 1);
    tk::stripe<float, 16, 128, 256, row_threads, vector> t1;
    tk::map(t1, [](tk::bf16 t0) { return tk::abs(float(t0)); }, t0);
    tk::stripe<float, 16, 1, 256, row_threads, vector> top;
    tk::fold_rows(top, t1, tk::maximum{}, thread);
    tk::finish_rows(top, tk::maximum{});

    // <std.quantise>:12: let scale = where(top == 0, 1.0, top / 448);
    tk::stripe<float, 16, 1, 256, row_threads, vector> scale;
    tk::map(scale, [](float top) { return top == 0.0f ? 1.0f : tk::divide(top, 448.0f); }, top);
    // quantise.tk:18
    tk::stripe<tk::fp8_e4m3, 16, 128, 256, row_threads, vector> q_cells;
    tk::map(q_cells, [](tk::bf16 t0, float scale) { return tk::divide(float(t0), scale); },
            t0, scale);

    // quantise.tk:19: store(Y[r, g], q.cells);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {r, g}, R - r, C - g), q_cells,
                             thread);

    // quantise.tk:20: store(Scale[r, g.index +: 1], q.scale);
    tk::store_global(tk::slice(Scale, {r, g / 128}, R - r, C / 128 - g / 128), scale, thread);
}

// dequantise: kernel dequantise with BN = 2048, ROWS = 4.
// 256 threads, 48 registers each: dequantise_kernel<5, 16, true>.
// dequantise_general: kernel dequantise with BN = 2048, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each: dequantise_kernel<1, 4, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) dequantise_kernel(
    const tk::tensor_argument<const tk::fp8_e4m3, 2> X,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<tk::bf16, 2> Y,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 2048);

    // quantise.tk:23: kernel dequantise<BN: int = 2048, ROWS: int = 4>(X: fp8_e4m3[M, N], Scale: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 2048;
    const int m = program / n_tiles * 4;

    // quantise.tk:26: store(Y[m, n], bf16(f32(load(X[m, n])) * column(load(Scale[m]))));
    tk::stripe<tk::fp8_e4m3, 4, 2048, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {m, n}, M - m, N - n), thread);
    tk::stripe<float, 4, 1, 256, 64, vector> t1;
    tk::load_global(t1, tk::slice<0, tk::no_axis>(Scale, {m}, M - m, 1), thread);
    tk::stripe<tk::bf16, 4, 2048, 256, 64, vector> t2;
    tk::map(t2, [](tk::fp8_e4m3 t0, float t1) { return float(t0) * t1; }, t0, t1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {m, n}, M - m, N - n), t2, thread);
}

extern "C" {
int quantise(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*, size_t,
             cudaStream_t stream) {
    tk::arguments call{"quantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 4096), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 4096), tk::same_extent("R", X, 0, Scale, 0),
         tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<quantise_kernel<4, 16, true>, quantise_kernel<1, 4, false>>(
        fast ? 0 : 1, site, sizeof(quantise_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 2), X, Y, Scale, R));
}
TK_NO_WORKSPACE(quantise, const DLTensor*, DLTensor*, DLTensor*)

int quantise_blocks(const DLTensor* X_given, DLTensor* Y_given, DLTensor* Scale_given, void*,
                    size_t, cudaStream_t stream) {
    tk::arguments call{"quantise_blocks"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_fp8_e4m3, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::same_extent("R", X, 0, Scale, 0), tk::extents_fit({{"R", R}, {"C", C}}),
         tk::that(Scale.shape[1] == tk::floor_div(C, 128),
                  "axis 1 of `Scale` is {}; it must be `C/128`, which is {}",
                  {Scale.shape[1], tk::floor_div(C, 128)}),
         tk::that(C % 128 == 0, "`C/128` is an extent, but {} is no multiple of 128", {C}),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 128), tk::ceil_div(R, 16));
    const bool fast =
        tk::hold({tk::suits_fast(X, "C"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<quantise_blocks_kernel<5, 8, 16, true>>(
            site, 0, tk::kernel_shape(256).overlapping(), programs, X, Y, Scale, R, C));
    }
    return tk::finish(tk::run<quantise_blocks_kernel<1, 32, 4, false>>(
        site, 0, tk::kernel_shape(256).overlapping(), programs, X, Y, Scale, R, C));
}
TK_NO_WORKSPACE(quantise_blocks, const DLTensor*, DLTensor*, DLTensor*)

int dequantise(const DLTensor* X_given, const DLTensor* Scale_given, DLTensor* Y_given, void*,
               size_t, cudaStream_t stream) {
    tk::arguments call{"dequantise"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_fp8_e4m3, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t N = X.shape[1];
    call.require(
        {tk::same_extent("M", X, 0, Scale, 0), tk::same_extent("M", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::extents_fit({{"M", M}, {"N", N}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 2048), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(X, "N"), tk::whole_vectors(X, 16), tk::suits_fast(Y, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<dequantise_kernel<5, 16, true>, dequantise_kernel<1, 4, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Scale, Y, M,
            N));
}
TK_NO_WORKSPACE(dequantise, const DLTensor*, const DLTensor*, DLTensor*)
}  // extern "C"
