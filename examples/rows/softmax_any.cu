// Made by tkc from softmax_any.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// softmax_any: kernel softmax_any with W = 1024, ROWS = 8.
// 256 threads, 64 registers each: softmax_any_kernel<4, 8, true>.
// softmax_any_general: kernel softmax_any with W = 1024, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: softmax_any_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_any_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    tk::wait_for_previous_kernel();

    // softmax_any.tk:5: kernel softmax_any<schedule W: int = 1024, schedule ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, 0}, R - r, C), thread);
    tk::stripe<float, 8, 1024, 256, 32, vector> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) { return col < C ? float(t0) : -INFINITY; },
            t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, vector> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{});
    tk::stripe<float, 8, 1024, 256, 32, vector> e;
    tk::map(e, [](float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 8, 1, 256, 32, vector> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{});
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t3;
    tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {r, 0}, R - r, C), t3, thread);
}

// softmax_any_4096: kernel softmax_any with W = 4096, ROWS = 2.
// 256 threads, 64 registers each, 1024 bytes of shared memory: softmax_any_4096_kernel<4, 8, true>.
// softmax_any_4096_general: kernel softmax_any with W = 4096, ROWS = 2; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_any_4096_kernel<1, 2,
// false>.
struct softmax_any_4096_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_any_4096_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_4096_shared& shared = *reinterpret_cast<softmax_any_4096_shared*>(memory);

    tk::wait_for_previous_kernel();

    // softmax_any.tk:5: kernel softmax_any<schedule W: int = 1024, schedule ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 2;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, 0}, R - r, C), thread);
    tk::stripe<float, 2, 4096, 256, 128, vector> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) { return col < C ? float(t0) : -INFINITY; },
            t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 2, 1, 256, 128, vector> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 2, 4096, 256, 128, vector> e;
    tk::map(e, [](float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 2, 1, 256, 128, vector> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 2, 4096, 256, 128, vector> t3;
    tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {r, 0}, R - r, C), t3, thread);
}

// softmax_any_8192: kernel softmax_any with W = 8192, ROWS = 1.
// 256 threads, 64 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<4, 8192, 8,
// true>.
// softmax_any_8192_general: kernel softmax_any with W = 8192, ROWS = 1; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<1, 8192, 2,
// false>.
// softmax_any_16384: kernel softmax_any with W = 16384, ROWS = 1.
// 256 threads, 128 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<2, 16384,
// 8, true>.
// softmax_any_16384_general: kernel softmax_any with W = 16384, ROWS = 1; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<1, 16384,
// 4, false>.
// softmax_any_32768: kernel softmax_any with W = 32768, ROWS = 1.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<1, 32768,
// 8, true>.
// softmax_any_32768_general: kernel softmax_any with W = 32768, ROWS = 1; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_any_8192_kernel<1, 32768,
// 8, false>.
struct softmax_any_8192_shared {
    tk::shared_tile<float, 1, 8> softmax_any_f32_parts[1];
};

template <int blocks, int W, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_any_8192_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_8192_shared& shared = *reinterpret_cast<softmax_any_8192_shared*>(memory);

    tk::wait_for_previous_kernel();

    // softmax_any.tk:5: kernel softmax_any<schedule W: int = 1024, schedule ROWS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, W, 256, 256, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, 0}, R - r, C), thread);
    tk::stripe<float, 1, W, 256, 256, vector> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) { return col < C ? float(t0) : -INFINITY; },
            t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 256, 256, vector> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows(t1, tk::maximum{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<float, 1, W, 256, 256, vector> e;
    tk::map(e, [](float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 256, 256, vector> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows(t2, tk::plus{}, shared.softmax_any_f32_parts[0], thread, 1);
    tk::stripe<tk::bf16, 1, W, 256, 256, vector> t3;
    tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {r, 0}, R - r, C), t3, thread);
}

// softmax_any_131072: kernel softmax_any with W = 131072, ROWS = 1.
// 256 threads, 255 registers each, 33792 bytes of shared memory; persistent.
struct softmax_any_131072_shared {
    tk::shared_tile<int, 1, 132> softmax_any_exchange[1];
    tk::shared_tile<tk::bf16, 1, 16384> softmax_any_t0_ahead[1];
};
static_assert(offsetof(softmax_any_131072_shared, softmax_any_t0_ahead) == 640);

__global__ void __launch_bounds__(256, 1) softmax_any_131072_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_131072_shared& shared = *reinterpret_cast<softmax_any_131072_shared*>(memory);

    if (threadIdx.x == 0) tk::init_row_exchange(shared.softmax_any_exchange[0]);
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    // softmax_any.tk:5: kernel softmax_any<schedule W: int = 1024, schedule ROWS: int = ..
    const int thread = int(tk::cluster_rank()) * 256 + int(threadIdx.x);
    int meetings = 0;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    const auto request_t0 = [&](int wanted) {
        if (wanted < R) {
            const int r = wanted;
            tk::prefetch_start<tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8>>(
                shared.softmax_any_t0_ahead[0], tk::vector_slice(X, {r, 0}, R - r, C), thread);
        }
        tk::prefetch_commit();
    };
    request_t0(int(blockIdx.x / 8));
    for (int program = int(blockIdx.x / 8); program < R; program += int(gridDim.x / 8)) {
        const int r = program;
        tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8> t0;
        tk::prefetch_wait<0>(t0, shared.softmax_any_t0_ahead[0], thread);
        request_t0(program + int(gridDim.x / 8));
        tk::stripe<float, 1, 131072, 2048, 2048, 8> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < C ? float(t0) : -INFINITY;
        }, t0);

        // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
        tk::stripe<float, 1, 1, 2048, 2048, 8> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows_of_cluster<8>(t1, tk::maximum{}, shared.softmax_any_exchange[0], meetings,
                                      thread);
        tk::stripe<float, 1, 131072, 2048, 2048, 8> e;
        tk::map(e, [](float x, float t1) { return tk::exp(x - t1); }, x, t1);

        // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
        tk::stripe<float, 1, 1, 2048, 2048, 8> t2;
        tk::fold_rows(t2, e, tk::plus{}, thread);
        tk::finish_rows_of_cluster<8>(t2, tk::plus{}, shared.softmax_any_exchange[0], meetings,
                                      thread);
        tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 8> t3;
        tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
        tk::store_vectors(tk::vector_slice(Y, {r, 0}, R - r, C), t3, thread);
    }
}

// softmax_any_131072_general: kernel softmax_any with W = 131072, ROWS = 1; any strides and
// alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory.
struct softmax_any_131072_general_shared {
    tk::shared_tile<int, 1, 132> softmax_any_exchange[1];
};

__global__ void __launch_bounds__(256, 1) softmax_any_131072_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_any_131072_general_shared& shared =
        *reinterpret_cast<softmax_any_131072_general_shared*>(memory);

    if (threadIdx.x == 0) tk::init_row_exchange(shared.softmax_any_exchange[0]);
    tk::cluster_sync();
    tk::wait_for_previous_kernel();

    // softmax_any.tk:5: kernel softmax_any<schedule W: int = 1024, schedule ROWS: int = ..
    const int thread = int(tk::cluster_rank()) * 256 + int(threadIdx.x);
    int meetings = 0;
    const int program = int(blockIdx.x / 8);
    const int r = program;

    // softmax_any.tk:9: let x = pad(f32(load(X[r, 0 +: W])), axis = 1, with = -inf);
    tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 4> t0;
    tk::load_global(t0, tk::slice(X, {r, 0}, R - r, C), thread);
    tk::stripe<float, 1, 131072, 2048, 2048, 4> x;
    tk::map(x, thread, [&](int, int col, tk::bf16 t0) { return col < C ? float(t0) : -INFINITY; },
            t0);

    // softmax_any.tk:10: let e = exp(x - max(x, axis = 1));
    tk::stripe<float, 1, 1, 2048, 2048, 4> t1;
    tk::fold_rows(t1, x, tk::maximum{}, thread);
    tk::finish_rows_of_cluster<8>(t1, tk::maximum{}, shared.softmax_any_exchange[0], meetings,
                                  thread);
    tk::stripe<float, 1, 131072, 2048, 2048, 4> e;
    tk::map(e, [](float x, float t1) { return tk::exp(x - t1); }, x, t1);

    // softmax_any.tk:11: store(Y[r, 0 +: W], bf16(e / sum(e, axis = 1)));
    tk::stripe<float, 1, 1, 2048, 2048, 4> t2;
    tk::fold_rows(t2, e, tk::plus{}, thread);
    tk::finish_rows_of_cluster<8>(t2, tk::plus{}, shared.softmax_any_exchange[0], meetings, thread);
    tk::stripe<tk::bf16, 1, 131072, 2048, 2048, 4> t3;
    tk::map(t3, [](float e, float t2) { return tk::divide(e, t2); }, e, t2);
    tk::store_global(tk::slice(Y, {r, 0}, R - r, C), t3, thread);
}

// softmax_long: kernel softmax_long with W = 16384.
// 256 threads, 128 registers each, 1024 bytes of shared memory: softmax_long_kernel<2, 8, true>.
// softmax_long_general: kernel softmax_long with W = 16384; any strides and alignment.
// 256 threads, 255 registers each, 1024 bytes of shared memory: softmax_long_kernel<1, 4, false>.
struct softmax_long_shared {
    tk::shared_tile<float, 1, 8> softmax_long_f32_parts[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) softmax_long_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<tk::bf16, 2> Y, int R,
    int C) {
    extern __shared__ __align__(1024) unsigned char memory[];
    softmax_long_shared& shared = *reinterpret_cast<softmax_long_shared*>(memory);

    tk::wait_for_previous_kernel();

    // softmax_any.tk:20: kernel softmax_long<W: int = 16384>(X: bf16[R, C], out Y: bf16[R, C])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program;

    // softmax_any.tk:24: var top: f32[1, 1] = -inf;
    tk::stripe<float, 1, 1, 256, 256, vector> top;
    tk::fill(top, -INFINITY);

    // softmax_any.tk:25: var all: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, 256, vector> all;
    tk::zero(all);

    // softmax_any.tk:26: for c in C by W {
    for (int c = 0; c < C; c += 16384) {
        // softmax_any.tk:27: let x    = pad(f32(load(X[r, c])), axis = 1, with = -inf);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(X, {r, c}, R - r, C - c), thread);
        tk::stripe<float, 1, 16384, 256, 256, vector> x;
        tk::map(x, thread, [&](int, int col, tk::bf16 t0) {
            return col < C - c ? float(t0) : -INFINITY;
        }, t0);

        // softmax_any.tk:28: let most = max(top, max(x, axis = 1));
        tk::stripe<float, 1, 1, 256, 256, vector> t1;
        tk::fold_rows(t1, x, tk::maximum{}, thread);
        tk::finish_rows(t1, tk::maximum{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::stripe<float, 1, 1, 256, 256, vector> most;
        tk::map(most, [](float top, float t1) { return tk::max(top, t1); }, top, t1);

        // softmax_any.tk:29: all = where(most == -inf, 0, all * exp(top - most) + sum(exp(x - ..
        tk::stripe<float, 1, 16384, 256, 256, vector> t2;
        tk::map(t2, [](float x, float most) { return tk::exp(x - most); }, x, most);
        tk::stripe<float, 1, 1, 256, 256, vector> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::finish_rows(t3, tk::plus{}, shared.softmax_long_f32_parts[0], thread, 1);
        tk::map(all, [](float most, float all, float top, float t3) {
            return most == -INFINITY ? 0.0f : tk::fma(all, tk::exp(top - most), t3);
        }, most, all, top, t3);

        // softmax_any.tk:30: top = most;
        top = most;
    }

    // softmax_any.tk:32: for c in C by W { store(Y[r, c], bf16(exp(f32(load(X[r, c])) - top) / ..
    for (int c = 0; c < C; c += 16384) {
        tk::stripe<tk::bf16, 1, 16384, 256, 256, vector> t4;
        tk::load_slice<vectors>(t4, tk::slice_if_vectors<vectors>(X, {r, c}, R - r, C - c), thread);
        tk::stripe<tk::bf16, 1, 16384, 256, 256, vector> t5;
        tk::map(t5, [](tk::bf16 t4, float top, float all) {
            return tk::divide(tk::exp(float(t4) - top), all);
        }, t4, top, all);
        tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Y, {r, c}, R - r, C - c), t5,
                                 thread);
    }
}

namespace {
int run_softmax_any(const char* function, tk::candidates offered, const DLTensor* X_given,
                    DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::extents_fit({{"R", R}, {"C", C}})});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // softmax_any
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 1024, "`softmax_any` requires `C <= W`")});
    choice.offer(tk::ceil_div(R, 8), 4572);
    choice.candidate();  // softmax_any_4096
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 4096, "`softmax_any` requires `C <= W`")});
    choice.offer(tk::ceil_div(R, 2), 4572);
    choice.candidate();  // softmax_any_8192
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 8192, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 4572);
    choice.candidate();  // softmax_any_16384
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 16384, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 7644);
    choice.candidate();  // softmax_any_32768
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 32768, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 13788);
    choice.candidate();  // softmax_any_131072
    choice.prefer({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});
    choice.require({tk::check(C <= 131072, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 50652, 268427264);
    choice.candidate(true);  // softmax_any_general
    choice.require({tk::check(C <= 1024, "`softmax_any` requires `C <= W`")});
    choice.offer(tk::ceil_div(R, 8), 4572);
    choice.candidate(true);  // softmax_any_4096_general
    choice.require({tk::check(C <= 4096, "`softmax_any` requires `C <= W`")});
    choice.offer(tk::ceil_div(R, 2), 4572);
    choice.candidate(true);  // softmax_any_8192_general
    choice.require({tk::check(C <= 8192, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 4572);
    choice.candidate(true);  // softmax_any_16384_general
    choice.require({tk::check(C <= 16384, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 7644);
    choice.candidate(true);  // softmax_any_32768_general
    choice.require({tk::check(C <= 32768, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 13788);
    choice.candidate(true);  // softmax_any_131072_general
    choice.require({tk::check(C <= 131072, "`softmax_any` requires `C <= W`")});
    choice.offer(R, 50652, 268435456);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<softmax_any_kernel<4, 8, true>>(
            site, 0, tk::kernel_shape(256).programmatic_launch(), tk::ceil_div(R, 8), X, Y, R, C));
    }
    if (best == 1) {
        return tk::finish(tk::run<softmax_any_4096_kernel<4, 8, true>>(
            site, sizeof(softmax_any_4096_shared), tk::kernel_shape(256).programmatic_launch(),
            tk::ceil_div(R, 2), X, Y, R, C));
    }
    if (best == 2) {
        return tk::finish(tk::run<softmax_any_8192_kernel<4, 8192, 8, true>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    if (best == 3) {
        return tk::finish(tk::run<softmax_any_8192_kernel<2, 16384, 8, true>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    if (best == 4) {
        return tk::finish(tk::run<softmax_any_8192_kernel<1, 32768, 8, true>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    if (best == 5) {
        return tk::finish(tk::run<softmax_any_131072_kernel>(
            site, sizeof(softmax_any_131072_shared),
            tk::kernel_shape(256).in_clusters(8, 8).blocks_per_sm(1).programmatic_launch(), R, X, Y,
            R, C));
    }
    if (best == 6) {
        return tk::finish(tk::run<softmax_any_kernel<1, 2, false>>(
            site, 0, tk::kernel_shape(256).programmatic_launch(), tk::ceil_div(R, 8), X, Y, R, C));
    }
    if (best == 7) {
        return tk::finish(tk::run<softmax_any_4096_kernel<1, 2, false>>(
            site, sizeof(softmax_any_4096_shared), tk::kernel_shape(256).programmatic_launch(),
            tk::ceil_div(R, 2), X, Y, R, C));
    }
    if (best == 8) {
        return tk::finish(tk::run<softmax_any_8192_kernel<1, 8192, 2, false>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    if (best == 9) {
        return tk::finish(tk::run<softmax_any_8192_kernel<1, 16384, 4, false>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    if (best == 10) {
        return tk::finish(tk::run<softmax_any_8192_kernel<1, 32768, 8, false>>(
            site, sizeof(softmax_any_8192_shared), tk::kernel_shape(256).programmatic_launch(), R,
            X, Y, R, C));
    }
    return tk::finish(tk::run<softmax_any_131072_general_kernel>(
        site, sizeof(softmax_any_131072_general_shared),
        tk::kernel_shape(256).in_clusters(8, 8).programmatic_launch(), R, X, Y, R, C));
}

}  // namespace

extern "C" {
int softmax_any(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return run_softmax_any("softmax_any", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, X_given, Y_given,
                           stream);
}
TK_NO_WORKSPACE(softmax_any, const DLTensor*, DLTensor*)

int softmax_any_4096(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                     cudaStream_t stream) {
    return run_softmax_any("softmax_any_4096", {1, 7}, X_given, Y_given, stream);
}
TK_NO_WORKSPACE(softmax_any_4096, const DLTensor*, DLTensor*)

int softmax_any_8192(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                     cudaStream_t stream) {
    return run_softmax_any("softmax_any_8192", {2, 8}, X_given, Y_given, stream);
}
TK_NO_WORKSPACE(softmax_any_8192, const DLTensor*, DLTensor*)

int softmax_any_16384(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                      cudaStream_t stream) {
    return run_softmax_any("softmax_any_16384", {3, 9}, X_given, Y_given, stream);
}
TK_NO_WORKSPACE(softmax_any_16384, const DLTensor*, DLTensor*)

int softmax_any_32768(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                      cudaStream_t stream) {
    return run_softmax_any("softmax_any_32768", {4, 10}, X_given, Y_given, stream);
}
TK_NO_WORKSPACE(softmax_any_32768, const DLTensor*, DLTensor*)

int softmax_any_131072(const DLTensor* X_given, DLTensor* Y_given, void*, size_t,
                       cudaStream_t stream) {
    return run_softmax_any("softmax_any_131072", {5, 11}, X_given, Y_given, stream);
}
TK_NO_WORKSPACE(softmax_any_131072, const DLTensor*, DLTensor*)

int softmax_long(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"softmax_long"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Y, 0), tk::same_extent("C", X, 1, Y, 1),
         tk::extents_fit({{"R", R}, {"C", C}}),
         tk::check(C > 0, "`softmax_long` requires `C > 0`")});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::all_hold({tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Y, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<softmax_long_kernel<2, 8, true>, softmax_long_kernel<1, 4, false>>(
            fast ? 0 : 1, site, sizeof(softmax_long_shared),
            tk::kernel_shape(256).programmatic_launch(), R, X, Y, R, C));
}
TK_NO_WORKSPACE(softmax_long, const DLTensor*, DLTensor*)
}  // extern "C"
