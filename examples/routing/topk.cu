// Made by tkc from topk.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// topk: kernel topk with E = 256, TOP = 8, ROWS = 8.
// 256 threads, 48 registers each: topk_kernel<5, 4, true>.
// topk_general: kernel topk with E = 256, TOP = 8, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: topk_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) topk_kernel(
    const tk::tensor_argument<const float, 2> Logits, const tk::tensor_argument<int, 2> Index,
    const tk::tensor_argument<float, 2> Weight, int R) {
    tk::wait_for_previous_kernel();

    // topk.tk:3: kernel topk<E: int = 256, TOP: int = 8, ROWS: int = 8>(Logits: f32[R, E], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program * 8;

    // topk.tk:6: var x = load(Logits[r, :]);
    tk::stripe<float, 8, 256, 256, 32, vector> x;
    tk::load_slice<vectors>(x, tk::slice_if_dense<vectors>(Logits, {r, 0}, R - r, 256), thread);

    // topk.tk:7: var best: f32[ROWS, TOP] = -inf;
    tk::stripe<float, 8, 8, 256, 32, vector> best;
    tk::fill(best, -INFINITY);

    // topk.tk:8: var who:  i32[ROWS, TOP] = 0;
    tk::stripe<int, 8, 8, 256, 32, vector> who;
    tk::map(who, []() { return 0; });

    // topk.tk:9: for t in TOP {
    for (int t = 0; t < 8; t += 1) {
        // topk.tk:10: let value = max(x, axis = 1);
        tk::stripe<float, 8, 1, 256, 32, vector> value;
        tk::fold_rows(value, x, tk::maximum{}, thread);
        tk::finish_rows(value, tk::maximum{});

        // topk.tk:11: let at    = min(where(x == value, col_index(x), E), axis = 1);
        tk::stripe<int, 8, 256, 256, 32, vector> t2;
        tk::map(t2, thread, [](int, int col, float x, float value) {
            return x == value ? col : 256;
        }, x, value);
        tk::stripe<int, 8, 1, 256, 32, vector> at;
        tk::fold_rows(at, t2, tk::minimum{}, thread);
        tk::finish_rows(at, tk::minimum{});

        // topk.tk:12: best = where(col_index(best) == t, value, best);
        tk::map(best, thread, [&](int, int col, float value, float best) {
            return col == t ? value : best;
        }, value, best);

        // topk.tk:13: who  = where(col_index(who) == t, at, who);
        tk::map(who, thread, [&](int, int col, int at, int who) { return col == t ? at : who; },
                at, who);

        // topk.tk:14: x    = where(col_index(x) == at, -inf, x);
        tk::map(x, thread, [](int, int col, int at, float x) { return col == at ? -INFINITY : x; },
                at, x);
    }

    // topk.tk:16: let w = exp(best - max(best, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, vector> t4;
    tk::fold_rows(t4, best, tk::maximum{}, thread);
    tk::finish_rows(t4, tk::maximum{});
    tk::stripe<float, 8, 8, 256, 32, vector> w;
    tk::map(w, [](float best, float t4) { return tk::exp(best - t4); }, best, t4);

    // topk.tk:17: store(Index[r, :], who);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Index, {r, 0}, R - r, 8), who, thread);

    // topk.tk:18: store(Weight[r, :], w / sum(w, axis = 1));
    tk::stripe<float, 8, 1, 256, 32, vector> t5;
    tk::fold_rows(t5, w, tk::plus{}, thread);
    tk::finish_rows(t5, tk::plus{});
    tk::stripe<float, 8, 8, 256, 32, vector> t6;
    tk::map(t6, [](float w, float t5) { return tk::divide(w, t5); }, w, t5);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Weight, {r, 0}, R - r, 8), t6, thread);
}

extern "C" {
int topk(const DLTensor* Logits_given, DLTensor* Index_given, DLTensor* Weight_given, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"topk"};
    const tk::tensor Logits = call.take("Logits", Logits_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_f32, 2,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = Logits.shape[0];
    call.require(
        {tk::fixed_extent(Logits, 1, 256), tk::same_extent("R", Logits, 0, Index, 0),
         tk::fixed_extent(Index, 1, 8), tk::same_extent("R", Logits, 0, Weight, 0),
         tk::fixed_extent(Weight, 1, 8), tk::extents_fit({{"R", R}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::hold({tk::suits_fast(Logits), tk::suits_fast(Index), tk::suits_fast(Weight)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<topk_kernel<5, 4, true>, topk_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), Logits,
        Index, Weight, R));
}
TK_NO_WORKSPACE(topk, const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
