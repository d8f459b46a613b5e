// Made by tkc from cumsum.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// cumsum_rows: kernel cumsum_rows of cumsum.tk with C = 1024, ROWS = 4.
//
// Roles:
//   cumsum_rows  8 warps (warps 0 to 7), 64 registers a thread
// 256 threads a block, launched with 64 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0     128  1 x f32[4, 8], running sums of the warps of cumsum_rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cumsum_rows_shared {
    tk::shared_tile<float, 4, 8> cumsum_rows_f32_scan[1];
};
static_assert(offsetof(cumsum_rows_shared, cumsum_rows_f32_scan) == 0);

__global__ void __launch_bounds__(256, 4) cumsum_rows_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 2> Y, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cumsum_rows_shared& shared = *reinterpret_cast<cumsum_rows_shared*>(memory);

    // cumsum.tk:3: kernel cumsum_rows<C: int = 1024, ROWS: int = 4>(X: f32[R, C], out Y: f32[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:6: store(Y[r, :], cumsum(load(X[r, :]), axis = 1));
    tk::stripe<float, 4, 1024, 256, 64, 4> t0;
    const tk::global_tile<const float> X_tile{tk::address(X, r, 0), X.stride[0], 1, R - r, 1024};
    tk::load_vectors(t0, X_tile, thread);
    tk::stripe<float, 4, 1024, 256, 64, 4> t1;
    tk::running_sums(t1, t0, shared.cumsum_rows_f32_scan[0], thread, 1);
    const tk::global_tile<float> Y_tile{tk::address(Y, r, 0), Y.stride[0], 1, R - r, 1024};
    tk::store_vectors(Y_tile, t1, thread);
}

// cumsum_rows_general: kernel cumsum_rows of cumsum.tk with C = 1024, ROWS = 4, for tensors of any
// strides and alignment.
//
// Roles:
//   cumsum_rows  8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 1024 bytes:
//    offset   bytes  what
//         0     256  1 x f32[8, 8], running sums of the warps of cumsum_rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct cumsum_rows_general_shared {
    tk::shared_tile<float, 8, 8> cumsum_rows_f32_scan[1];
};
static_assert(offsetof(cumsum_rows_general_shared, cumsum_rows_f32_scan) == 0);

__global__ void __launch_bounds__(256, 1) cumsum_rows_general_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<float, 2> Y, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    cumsum_rows_general_shared& shared = *reinterpret_cast<cumsum_rows_general_shared*>(memory);

    // cumsum.tk:3: kernel cumsum_rows<C: int = 1024, ROWS: int = 4>(X: f32[R, C], out Y: f32[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:6: store(Y[r, :], cumsum(load(X[r, :]), axis = 1));
    tk::stripe<float, 4, 1024, 256, 64, 2> t0;
    const tk::global_tile<const float> X_tile{tk::address(X, r, 0), X.stride[0], X.stride[1], R - r,
                                              1024};
    tk::load_global(t0, X_tile, thread);
    tk::stripe<float, 4, 1024, 256, 64, 2> t1;
    tk::running_sums(t1, t0, shared.cumsum_rows_f32_scan[0], thread, 1);
    const tk::global_tile<float> Y_tile{tk::address(Y, r, 0), Y.stride[0], Y.stride[1], R - r,
                                        1024};
    tk::store_global(Y_tile, t1, thread);
}

// offsets: kernel offsets of cumsum.tk with C = 1024, ROWS = 4.
//
// Roles:
//   offsets      8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 2048 bytes:
//    offset   bytes  what
//         0     128  1 x i32[4, 8], running sums of the warps of offsets
//      1024      32  1 x i32[1, 8], what the warps of offsets made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct offsets_shared {
    tk::shared_tile<int, 4, 8> offsets_i32_scan[1];
    unsigned char unused[896];
    tk::shared_tile<int, 1, 8> offsets_i32_parts[1];
};
static_assert(offsetof(offsets_shared, offsets_i32_scan) == 0);
static_assert(offsetof(offsets_shared, offsets_i32_parts) == 1024);

__global__ void __launch_bounds__(256, 3) offsets_kernel(
    const tk::tensor_argument<const int, 2> Lengths, const tk::tensor_argument<int, 2> Start,
    const tk::tensor_argument<int, 1> Total, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    offsets_shared& shared = *reinterpret_cast<offsets_shared*>(memory);

    // cumsum.tk:9: kernel offsets<C: int = 1024, ROWS: int = 4>(Lengths: i32[R, C], out Start:
    // i32[R, C], out Total: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:12: let x = load(Lengths[r, :]);
    tk::stripe<int, 4, 1024, 256, 64, 4> x;
    const tk::global_tile<const int> Lengths_tile{tk::address(Lengths, r, 0), Lengths.stride[0], 1,
                                                  R - r, 1024};
    tk::load_vectors(x, Lengths_tile, thread);

    // cumsum.tk:13: store(Start[r, :], cumsum(x, axis = 1) - x);
    tk::stripe<int, 4, 1024, 256, 64, 4> t1;
    tk::running_sums(t1, x, shared.offsets_i32_scan[0], thread, 1);
    tk::stripe<int, 4, 1024, 256, 64, 4> t2;
    tk::map(t2, thread, [](int, int, int t1, int x) { return t1 - x; }, t1, x);
    const tk::global_tile<int> Start_tile{tk::address(Start, r, 0), Start.stride[0], 1, R - r,
                                          1024};
    tk::store_vectors(Start_tile, t2, thread);

    // cumsum.tk:14: store(Total[r], sum(x, axis = 1));
    tk::stripe<int, 4, 1, 256, 64, 4> t3;
    tk::fold_rows(t3, x, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.offsets_i32_parts[0], thread, 1);
    const tk::global_tile<int> Total_tile{tk::address(Total, r), Total.stride[0], 0, R - r, 1};
    tk::store_global(Total_tile, t3, thread);
}

// offsets_general: kernel offsets of cumsum.tk with C = 1024, ROWS = 4, for tensors of any strides
// and alignment.
//
// Roles:
//   offsets      8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 2048 bytes:
//    offset   bytes  what
//         0     256  1 x i32[8, 8], running sums of the warps of offsets
//      1024      32  1 x i32[1, 8], what the warps of offsets made of rows
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct offsets_general_shared {
    tk::shared_tile<int, 8, 8> offsets_i32_scan[1];
    unsigned char unused[768];
    tk::shared_tile<int, 1, 8> offsets_i32_parts[1];
};
static_assert(offsetof(offsets_general_shared, offsets_i32_scan) == 0);
static_assert(offsetof(offsets_general_shared, offsets_i32_parts) == 1024);

__global__ void __launch_bounds__(256, 1) offsets_general_kernel(
    const tk::tensor_argument<const int, 2> Lengths, const tk::tensor_argument<int, 2> Start,
    const tk::tensor_argument<int, 1> Total, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    offsets_general_shared& shared = *reinterpret_cast<offsets_general_shared*>(memory);

    // cumsum.tk:9: kernel offsets<C: int = 1024, ROWS: int = 4>(Lengths: i32[R, C], out Start:
    // i32[R, C], out Total: i32[R])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 4;

    // cumsum.tk:12: let x = load(Lengths[r, :]);
    tk::stripe<int, 4, 1024, 256, 64, 2> x;
    const tk::global_tile<const int> Lengths_tile{tk::address(Lengths, r, 0), Lengths.stride[0],
                                                  Lengths.stride[1], R - r, 1024};
    tk::load_global(x, Lengths_tile, thread);

    // cumsum.tk:13: store(Start[r, :], cumsum(x, axis = 1) - x);
    tk::stripe<int, 4, 1024, 256, 64, 2> t1;
    tk::running_sums(t1, x, shared.offsets_i32_scan[0], thread, 1);
    tk::stripe<int, 4, 1024, 256, 64, 2> t2;
    tk::map(t2, thread, [](int, int, int t1, int x) { return t1 - x; }, t1, x);
    const tk::global_tile<int> Start_tile{tk::address(Start, r, 0), Start.stride[0],
                                          Start.stride[1], R - r, 1024};
    tk::store_global(Start_tile, t2, thread);

    // cumsum.tk:14: store(Total[r], sum(x, axis = 1));
    tk::stripe<int, 4, 1, 256, 64, 2> t3;
    tk::fold_rows(t3, x, tk::plus{}, thread);
    tk::finish_rows(t3, tk::plus{}, shared.offsets_i32_parts[0], thread, 1);
    const tk::global_tile<int> Total_tile{tk::address(Total, r), Total.stride[0], 0, R - r, 1};
    tk::store_global(Total_tile, t3, thread);
}

#include "tk/host/launcher.h"

namespace {
// cumsum_rows: C = 1024, ROWS = 4
tk::status launch_cumsum_rows(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Y,
                              int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&cumsum_rows_kernel),
                                    static_cast<int>(sizeof(cumsum_rows_shared)), {}, {}};
    return tk::launch_kernel(kernel, cumsum_rows_kernel, site, programs, 256,
                             tk::cells<const float, 2>(X), tk::cells<float, 2>(Y),
                             static_cast<int>(R));
}

// cumsum_rows_general: C = 1024, ROWS = 4
tk::status launch_cumsum_rows_general(const tk::launch_site& site, const tk::tensor& X,
                                      const tk::tensor& Y, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&cumsum_rows_general_kernel),
                                    static_cast<int>(sizeof(cumsum_rows_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, cumsum_rows_general_kernel, site, programs, 256,
                             tk::cells<const float, 2>(X), tk::cells<float, 2>(Y),
                             static_cast<int>(R));
}

tk::status run_cumsum_rows(const DLTensor* X_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{"cumsum_rows"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = X.shape[0];

    call.require(X.shape[1] == 1024, "axis 1 of `X` is {}; this kernel is made for 1024",
                 {X.shape[1]});
    call.require(Y.shape[0] == R, "`R` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {R, Y.shape[0]});
    call.require(Y.shape[1] == 1024, "axis 1 of `Y` is {}; this kernel is made for 1024",
                 {Y.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // cumsum_rows
    choice.prefer(X.stride[1] == 1);
    choice.prefer(X.address % 16 == 0);
    choice.prefer(X.stride[0] % 4 == 0 && 0 < X.stride[0] && X.stride[0] < 274877906944);
    choice.prefer(Y.stride[1] == 1);
    choice.prefer(Y.address % 16 == 0);
    choice.prefer(Y.stride[0] % 4 == 0 && 0 < Y.stride[0] && Y.stride[0] < 274877906944);
    choice.offer(tk::ceil_div(R, 4), 3612);
    choice.candidate(true);  // cumsum_rows_general
    choice.offer(tk::ceil_div(R, 4), 3612);
    if (choice.best() == 0) return launch_cumsum_rows(site, X, Y, R);
    if (choice.best() == 1) return launch_cumsum_rows_general(site, X, Y, R);
    return choice.result();
}

// offsets: C = 1024, ROWS = 4
tk::status launch_offsets(const tk::launch_site& site, const tk::tensor& Lengths,
                          const tk::tensor& Start, const tk::tensor& Total, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&offsets_kernel),
                                    static_cast<int>(sizeof(offsets_shared)), {}, {}};
    return tk::launch_kernel(kernel, offsets_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Lengths), tk::cells<int, 2>(Start),
                             tk::cells<int, 1>(Total), static_cast<int>(R));
}

// offsets_general: C = 1024, ROWS = 4
tk::status launch_offsets_general(const tk::launch_site& site, const tk::tensor& Lengths,
                                  const tk::tensor& Start, const tk::tensor& Total, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 4);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&offsets_general_kernel),
                                    static_cast<int>(sizeof(offsets_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, offsets_general_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Lengths), tk::cells<int, 2>(Start),
                             tk::cells<int, 1>(Total), static_cast<int>(R));
}

tk::status run_offsets(const DLTensor* Lengths_given, DLTensor* Start_given, DLTensor* Total_given,
                       cudaStream_t stream) {
    tk::arguments call{"offsets"};
    const tk::tensor Lengths = call.take("Lengths", Lengths_given, tk::dtype_i32, 2,
                                         tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Total = call.take("Total", Total_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = Lengths.shape[0];

    call.require(Lengths.shape[1] == 1024,
                 "axis 1 of `Lengths` is {}; this kernel is made for 1024", {Lengths.shape[1]});
    call.require(Start.shape[0] == R,
                 "`R` is {} in axis 0 of `Lengths`, but {} in axis 0 of `Start`",
                 {R, Start.shape[0]});
    call.require(Start.shape[1] == 1024, "axis 1 of `Start` is {}; this kernel is made for 1024",
                 {Start.shape[1]});
    call.require(Total.shape[0] == R,
                 "`R` is {} in axis 0 of `Lengths`, but {} in axis 0 of `Total`",
                 {R, Total.shape[0]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // offsets
    choice.prefer(Lengths.stride[1] == 1);
    choice.prefer(Lengths.address % 16 == 0);
    choice.prefer(Lengths.stride[0] % 4 == 0 && 0 < Lengths.stride[0] &&
                  Lengths.stride[0] < 274877906944);
    choice.prefer(Start.stride[1] == 1);
    choice.prefer(Start.address % 16 == 0);
    choice.prefer(Start.stride[0] % 4 == 0 && 0 < Start.stride[0] &&
                  Start.stride[0] < 274877906944);
    choice.offer(tk::ceil_div(R, 4), 3677);
    choice.candidate(true);  // offsets_general
    choice.offer(tk::ceil_div(R, 4), 3677);
    if (choice.best() == 0) return launch_offsets(site, Lengths, Start, Total, R);
    if (choice.best() == 1) return launch_offsets_general(site, Lengths, Start, Total, R);
    return choice.result();
}

}  // namespace

extern "C" {
int cumsum_rows(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_cumsum_rows(X_given, Y_given, stream));
}

size_t cumsum_rows_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* cumsum_rows_error() {
    return tk::last_sentence;
}

int offsets(const DLTensor* Lengths_given, DLTensor* Start_given, DLTensor* Total_given, void*,
            size_t, cudaStream_t stream) {
    return tk::finish(run_offsets(Lengths_given, Start_given, Total_given, stream));
}

size_t offsets_workspace(const DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* offsets_error() {
    return tk::last_sentence;
}
}  // extern "C"
