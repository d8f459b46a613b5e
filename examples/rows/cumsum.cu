// Made by tkc from cumsum.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// cumsum_rows: kernel cumsum_rows with C = 1024, ROWS = 4.
// 256 threads, 48 registers each, 1024 bytes of shared memory: cumsum_rows_kernel<4, 5, 4, true>.
// cumsum_rows_general: kernel cumsum_rows with C = 1024, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: cumsum_rows_kernel<8, 1, 2, false>.
template <int rows>
struct cumsum_rows_shared {
    tk::shared_tile<float, rows, 8> cumsum_rows_f32_scan[1];
};

template <int rows, int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) cumsum_rows_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 2> Y, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cumsum_rows_shared<rows>& shared = *reinterpret_cast<cumsum_rows_shared<rows>*>(memory);

    tk::wait_for_previous_kernel();

    // cumsum.tk:3: kernel cumsum_rows<C: int = 1024, ROWS: int = 4>(X: f32[R, C], out Y: f32[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:6: store(Y[r, :], cumsum(load(X[r, :]), axis = 1));
    tk::stripe<float, 4, 1024, 256, 64, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(X, {r, 0}, R - r, 1024), thread);
    tk::stripe<float, 4, 1024, 256, 64, vector> t1;
    tk::running_sums(t1, t0, shared.cumsum_rows_f32_scan[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Y, {r, 0}, R - r, 1024), t1, thread);
}

// offsets: kernel offsets with C = 1024, ROWS = 4.
// 256 threads, 64 registers each, 1024 bytes of shared memory: offsets_kernel<4, 4, 4, true>.
// offsets_general: kernel offsets with C = 1024, ROWS = 4; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: offsets_kernel<8, 1, 2, false>.
template <int rows>
struct offsets_shared {
    tk::shared_tile<int, rows, 8> offsets_i32_scan[1];
    tk::shared_tile<int, 1, 8> offsets_i32_parts[1];
};
static_assert(offsetof(offsets_shared<4>, offsets_i32_parts) == 128);
static_assert(offsetof(offsets_shared<8>, offsets_i32_parts) == 256);

template <int rows, int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) offsets_kernel(
    const tk::tensor_argument<const int, 2> Lengths, const tk::tensor_argument<int, 2> Start,
    const tk::tensor_argument<int, 1> Total, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    offsets_shared<rows>& shared = *reinterpret_cast<offsets_shared<rows>*>(memory);

    tk::wait_for_previous_kernel();

    // cumsum.tk:9: kernel offsets<C: int = 1024, ROWS: int = 4>(Lengths: i32[R, C], out Start: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:12: let x = load(Lengths[r, :]);
    tk::stripe<int, 4, 1024, 256, 64, vector> x;
    tk::load_slice<vectors>(x, tk::slice_if_dense<vectors>(Lengths, {r, 0}, R - r, 1024), thread);

    // cumsum.tk:13: store(Start[r, :], cumsum(x, axis = 1) - x);
    tk::stripe<int, 4, 1024, 256, 64, vector> t1;
    tk::running_sums(t1, x, shared.offsets_i32_scan[0], thread, 1);
    tk::stripe<int, 4, 1024, 256, 64, vector> t2;
    tk::map(t2, [](int t1, int x) { return tk::wrapping_subtract(t1, x); }, t1, x);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Start, {r, 0}, R - r, 1024), t2, thread);

    // cumsum.tk:14: store(Total[r], sum(x, axis = 1));
    tk::stripe<int, 4, 1, 256, 64, vector> t3;
    tk::fold_rows(t3, x, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.offsets_i32_parts[0], thread, 1);
    tk::store_global(tk::slice<0, tk::no_axis>(Total, {r}, R - r, 1), t3, thread);
}

extern "C" {
int cumsum_rows(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"cumsum_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    call.require(
        {tk::fixed_extent(X, 1, 1024), tk::same_extent("R", X, 0, Y, 0),
         tk::fixed_extent(Y, 1, 1024), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<cumsum_rows_kernel<4, 5, 4, true>>(
            site, sizeof(cumsum_rows_shared<4>), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 4), X, Y, R));
    }
    return tk::finish(tk::run<cumsum_rows_kernel<8, 1, 2, false>>(
        site, sizeof(cumsum_rows_shared<8>), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(R, 4), X, Y, R));
}
TK_NO_WORKSPACE(cumsum_rows, const DLTensor*, DLTensor*)

int offsets(const DLTensor* Lengths_given, DLTensor* Start_given, DLTensor* Total_given, void*,
            size_t, cudaStream_t stream) {
    tk::arguments call{"offsets"};
    const tk::tensor Lengths = call.take("Lengths", Lengths_given, tk::dtype_i32, 2,
                                         tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = Lengths.shape[0];
    call.require(
        {tk::fixed_extent(Lengths, 1, 1024), tk::same_extent("R", Lengths, 0, Start, 0),
         tk::fixed_extent(Start, 1, 1024), tk::same_extent("R", Lengths, 0, Total, 0),
         tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Lengths), tk::suits_fast(Start)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<offsets_kernel<4, 4, 4, true>>(
            site, sizeof(offsets_shared<4>), tk::kernel_shape(256).overlapping(),
            tk::ceil_div(R, 4), Lengths, Start, Total, R));
    }
    return tk::finish(tk::run<offsets_kernel<8, 1, 2, false>>(
        site, sizeof(offsets_shared<8>), tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 4),
        Lengths, Start, Total, R));
}
TK_NO_WORKSPACE(offsets, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
