// Made by tkc from topk.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// topk: kernel topk of topk.tk with E = 256, TOP = 8, ROWS = 8.
//
// Roles:
//   topk         8 warps (warps 0 to 7), 48 registers a thread
// 256 threads a block, launched with 48 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct topk_shared {
};

__global__ void __launch_bounds__(256, 5) topk_kernel(
    const tk::tensor_argument<const float, 2> Logits, const tk::tensor_argument<int, 2> Index,
    const tk::tensor_argument<float, 2> Weight, int R) {
    // topk.tk:3: kernel topk<E: int = 256, TOP: int = 8, ROWS: int = 8>(Logits: f32[R, E], out
    // Index: i32[R, TOP], out Weight: f32[R, TOP])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // topk.tk:6: var x = load(Logits[r, :]);
    tk::stripe<float, 8, 256, 256, 32, 4> x;
    const tk::global_tile<const float> Logits_tile{tk::address(Logits, r, 0), Logits.stride[0], 1,
                                                   R - r, 256};
    tk::load_vectors(x, Logits_tile, thread);

    // topk.tk:7: var best: f32[ROWS, TOP] = -inf;
    tk::stripe<float, 8, 8, 256, 32, 4> best;
    tk::fill(best, -INFINITY);

    // topk.tk:8: var who:  i32[ROWS, TOP] = 0;
    tk::stripe<int, 8, 8, 256, 32, 4> who;
    tk::map(who, thread, [](int, int) { return 0; });

    // topk.tk:9: for t in TOP {
    for (int t = 0; t < 8; t += 1) {
        // topk.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 8, 1, 256, 32, 4> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{});

        // topk.tk:11: let at    = min(where(x == value, col_index(x), E), axis = 1);
        tk::stripe<int, 8, 256, 256, 32, 4> t2;
        tk::map(t2, thread, [](int, int col, float x, float value) {
            return x == value ? col : 256;
        }, x, value);
        tk::stripe<int, 8, 1, 256, 32, 4> at;
        tk::fold_rows(at, t2, tk::minimum{}, thread);
        tk::finish_rows(at, tk::minimum{});

        // topk.tk:12: best = where(col_index(best) == t, value, best);
        tk::map(best, thread, [&](int, int col, float value, float best) {
            return col == t ? value : best;
        }, value, best);

        // topk.tk:13: who  = where(col_index(who) == t, at, who);
        tk::map(who, thread, [&](int, int col, int at, int who) {
            return col == t ? at : who;
        }, at, who);

        // topk.tk:14: x    = where(col_index(x) == at, -inf, x);
        tk::map(x, thread, [](int, int col, int at, float x) {
            return col == at ? -INFINITY : x;
        }, at, x);
    }

    // topk.tk:16: let w = exp(best - max(best, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 4> t4;
    tk::fold_rows(t4, best, tk::maximum{}, thread);
    tk::finish_rows(t4, tk::maximum{});
    tk::stripe<float, 8, 8, 256, 32, 4> w;
    tk::map(w, thread, [](int, int, float best, float t4) { return tk::exp(best - t4); }, best, t4);

    // topk.tk:17: store(Index[r, :], who);
    const tk::global_tile<int> Index_tile{tk::address(Index, r, 0), Index.stride[0], 1, R - r, 8};
    tk::store_vectors(Index_tile, who, thread);

    // topk.tk:18: store(Weight[r, :], w / sum(w, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 4> t5;
    tk::fold_rows(t5, w, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::stripe<float, 8, 8, 256, 32, 4> t6;
    tk::map(t6, thread, [](int, int, float w, float t5) { return tk::divide(w, t5); }, w, t5);
    const tk::global_tile<float> Weight_tile{tk::address(Weight, r, 0), Weight.stride[0], 1, R - r,
                                             8};
    tk::store_vectors(Weight_tile, t6, thread);
}

// topk_general: kernel topk of topk.tk with E = 256, TOP = 8, ROWS = 8, for tensors of any strides
// and alignment.
//
// Roles:
//   topk         8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct topk_general_shared {
};

__global__ void __launch_bounds__(256, 1) topk_general_kernel(
    const tk::tensor_argument<const float, 2> Logits, const tk::tensor_argument<int, 2> Index,
    const tk::tensor_argument<float, 2> Weight, int R) {
    // topk.tk:3: kernel topk<E: int = 256, TOP: int = 8, ROWS: int = 8>(Logits: f32[R, E], out
    // Index: i32[R, TOP], out Weight: f32[R, TOP])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // topk.tk:6: var x = load(Logits[r, :]);
    tk::stripe<float, 8, 256, 256, 32, 2> x;
    const tk::global_tile<const float> Logits_tile{tk::address(Logits, r, 0), Logits.stride[0],
                                                   Logits.stride[1], R - r, 256};
    tk::load_global(x, Logits_tile, thread);

    // topk.tk:7: var best: f32[ROWS, TOP] = -inf;
    tk::stripe<float, 8, 8, 256, 32, 2> best;
    tk::fill(best, -INFINITY);

    // topk.tk:8: var who:  i32[ROWS, TOP] = 0;
    tk::stripe<int, 8, 8, 256, 32, 2> who;
    tk::map(who, thread, [](int, int) { return 0; });

    // topk.tk:9: for t in TOP {
    for (int t = 0; t < 8; t += 1) {
        // topk.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 8, 1, 256, 32, 2> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{});

        // topk.tk:11: let at    = min(where(x == value, col_index(x), E), axis = 1);
        tk::stripe<int, 8, 256, 256, 32, 2> t2;
        tk::map(t2, thread, [](int, int col, float x, float value) {
            return x == value ? col : 256;
        }, x, value);
        tk::stripe<int, 8, 1, 256, 32, 2> at;
        tk::fold_rows(at, t2, tk::minimum{}, thread);
        tk::finish_rows(at, tk::minimum{});

        // topk.tk:12: best = where(col_index(best) == t, value, best);
        tk::map(best, thread, [&](int, int col, float value, float best) {
            return col == t ? value : best;
        }, value, best);

        // topk.tk:13: who  = where(col_index(who) == t, at, who);
        tk::map(who, thread, [&](int, int col, int at, int who) {
            return col == t ? at : who;
        }, at, who);

        // topk.tk:14: x    = where(col_index(x) == at, -inf, x);
        tk::map(x, thread, [](int, int col, int at, float x) {
            return col == at ? -INFINITY : x;
        }, at, x);
    }

    // topk.tk:16: let w = exp(best - max(best, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 2> t4;
    tk::fold_rows(t4, best, tk::maximum{}, thread);
    tk::finish_rows(t4, tk::maximum{});
    tk::stripe<float, 8, 8, 256, 32, 2> w;
    tk::map(w, thread, [](int, int, float best, float t4) { return tk::exp(best - t4); }, best, t4);

    // topk.tk:17: store(Index[r, :], who);
    const tk::global_tile<int> Index_tile{tk::address(Index, r, 0), Index.stride[0],
                                          Index.stride[1], R - r, 8};
    tk::store_global(Index_tile, who, thread);

    // topk.tk:18: store(Weight[r, :], w / sum(w, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, 2> t5;
    tk::fold_rows(t5, w, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::stripe<float, 8, 8, 256, 32, 2> t6;
    tk::map(t6, thread, [](int, int, float w, float t5) { return tk::divide(w, t5); }, w, t5);
    const tk::global_tile<float> Weight_tile{tk::address(Weight, r, 0), Weight.stride[0],
                                             Weight.stride[1], R - r, 8};
    tk::store_global(Weight_tile, t6, thread);
}

#include "tk/host/launcher.h"

namespace {
// topk: E = 256, TOP = 8, ROWS = 8
tk::status launch_topk(const tk::launch_site& site, const tk::tensor& Logits,
                       const tk::tensor& Index, const tk::tensor& Weight, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&topk_kernel),
                                    static_cast<int>(sizeof(topk_shared)), {}, {}};
    return tk::launch_kernel(kernel, topk_kernel, site, programs, 256,
                             tk::cells<const float, 2>(Logits), tk::cells<int, 2>(Index),
                             tk::cells<float, 2>(Weight), static_cast<int>(R));
}

// topk_general: E = 256, TOP = 8, ROWS = 8
tk::status launch_topk_general(const tk::launch_site& site, const tk::tensor& Logits,
                               const tk::tensor& Index, const tk::tensor& Weight, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&topk_general_kernel),
                                    static_cast<int>(sizeof(topk_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, topk_general_kernel, site, programs, 256,
                             tk::cells<const float, 2>(Logits), tk::cells<int, 2>(Index),
                             tk::cells<float, 2>(Weight), static_cast<int>(R));
}

tk::status run_topk(const DLTensor* Logits_given, DLTensor* Index_given, DLTensor* Weight_given,
                    cudaStream_t stream) {
    tk::arguments call{"topk"};
    const tk::tensor Logits = call.take("Logits", Logits_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_f32, 2,
                                        tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t R = Logits.shape[0];

    call.require(Logits.shape[1] == 256, "axis 1 of `Logits` is {}; this kernel is made for 256",
                 {Logits.shape[1]});
    call.require(Index.shape[0] == R,
                 "`R` is {} in axis 0 of `Logits`, but {} in axis 0 of `Index`",
                 {R, Index.shape[0]});
    call.require(Index.shape[1] == 8, "axis 1 of `Index` is {}; this kernel is made for 8",
                 {Index.shape[1]});
    call.require(Weight.shape[0] == R,
                 "`R` is {} in axis 0 of `Logits`, but {} in axis 0 of `Weight`",
                 {R, Weight.shape[0]});
    call.require(Weight.shape[1] == 8, "axis 1 of `Weight` is {}; this kernel is made for 8",
                 {Weight.shape[1]});
    call.require(R < 2147221504, "`R` is {}; extents must be less than 2147221504", {R});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // topk
    choice.prefer(Logits.stride[1] == 1);
    choice.prefer(Logits.address % 16 == 0);
    choice.prefer(Logits.stride[0] % 4 == 0 && 0 < Logits.stride[0] &&
                  Logits.stride[0] < 274877906944);
    choice.prefer(Index.stride[1] == 1);
    choice.prefer(Index.address % 16 == 0);
    choice.prefer(Index.stride[0] % 4 == 0 && 0 < Index.stride[0] &&
                  Index.stride[0] < 274877906944);
    choice.prefer(Weight.stride[1] == 1);
    choice.prefer(Weight.address % 16 == 0);
    choice.prefer(Weight.stride[0] % 4 == 0 && 0 < Weight.stride[0] &&
                  Weight.stride[0] < 274877906944);
    choice.offer(tk::ceil_div(R, 8), 2834);
    choice.candidate(true);  // topk_general
    choice.offer(tk::ceil_div(R, 8), 2834);
    if (choice.best() == 0) return launch_topk(site, Logits, Index, Weight, R);
    if (choice.best() == 1) return launch_topk_general(site, Logits, Index, Weight, R);
    return choice.result();
}

}  // namespace

extern "C" {
int topk(const DLTensor* Logits_given, DLTensor* Index_given, DLTensor* Weight_given, void*, size_t,
         cudaStream_t stream) {
    return tk::finish(run_topk(Logits_given, Index_given, Weight_given, stream));
}

size_t topk_workspace(const DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* topk_error() {
    return tk::last_sentence;
}
}  // extern "C"
