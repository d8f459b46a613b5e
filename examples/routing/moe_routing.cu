// Made by tkc from moe_routing.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// count_part: kernel count_part with E = 256, TOP = 8, ROWS = 32.
// 256 threads, 64 registers each, 8192 bytes of shared memory: count_part_kernel<4, 4, true>.
// count_part_general: kernel count_part with E = 256, TOP = 8, ROWS = 32; any strides and
// alignment.
// 256 threads, 255 registers each, 8192 bytes of shared memory: count_part_kernel<1, 2, false>.
struct count_part_shared {
    tk::shared_tile<int, 8, 256> count_part_i32_rows_256[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) count_part_kernel(
    const tk::tensor_argument<const int, 2> Index, const tk::tensor_argument<int, 2> Part, int T) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_part_shared& shared = *reinterpret_cast<count_part_shared*>(memory);

    tk::wait_for_previous_kernel();

    // moe_routing.tk:6: kernel count_part<E: int = 256, TOP: int = 8, ROWS: int = 32>(Index: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program * 32;

    // moe_routing.tk:9: var hits: i32[ROWS, E] = 0;
    tk::stripe<int, 32, 256, 256, 32, vector> hits;
    tk::map(hits, []() { return 0; });

    // moe_routing.tk:10: for i in TOP {
    for (int i = 0; i < 8; i += 1) {
        // moe_routing.tk:11: hits += pad(where(load(Index[t, i +: 1]) == col_index(hits), 1, 0), ..
        tk::stripe<int, 32, 1, 256, 32, vector> t0;
        tk::load_global(t0, tk::slice(Index, {t, i}, T - t, 8 - i), thread);
        tk::map(hits, thread, [&](int row, int col, int hits, int t0) {
            return tk::wrapping_add(hits, row < T - t ? (t0 == col ? 1 : 0) : 0);
        }, hits, t0);
    }

    // moe_routing.tk:13: store(Part[t.index, :], sum(hits, axis = 0));
    tk::stripe<int, 1, 256, 256, 32, vector> t1;
    tk::reduce_columns(t1, hits, shared.count_part_i32_rows_256[0], tk::plus{}, thread, 1);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, tk::no_axis, 1>(Part, {t / 32, 0}, 1,
                                                    t / 32 < tk::divide_up(T, 32) ? 256 : 0), t1,
        thread);
}

// count_all: kernel count_all with E = 256, ROWS = 16.
// 256 threads, 48 registers each, 8192 bytes of shared memory: count_all_kernel<5, 4, true>.
// count_all_general: kernel count_all with E = 256, ROWS = 16; any strides and alignment.
// 256 threads, 255 registers each, 8192 bytes of shared memory: count_all_kernel<1, 2, false>.
struct count_all_shared {
    tk::shared_tile<int, 8, 256> count_all_i32_rows_256[1];
};

template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) count_all_kernel(
    const tk::tensor_argument<const int, 2> Part, const tk::tensor_argument<int, 1> Count,
    const tk::tensor_argument<int, 1> Start, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_all_shared& shared = *reinterpret_cast<count_all_shared*>(memory);

    tk::wait_for_previous_kernel();

    // moe_routing.tk:16: kernel count_all<E: int = 256, ROWS: int = 16>(Part: i32[P, E], out ..
    const int thread = int(threadIdx.x);

    // moe_routing.tk:19: var sums: i32[ROWS, E] = 0;
    tk::stripe<int, 16, 256, 256, 32, vector> sums;
    tk::map(sums, []() { return 0; });

    // moe_routing.tk:20: for p in P by ROWS { sums += load(Part[p, :]); }
    for (int p = 0; p < P; p += 16) {
        tk::stripe<int, 16, 256, 256, 32, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_dense<vectors>(Part, {p, 0}, P - p, 256), thread);
        tk::map(sums, [](int sums, int t0) { return tk::wrapping_add(sums, t0); }, sums, t0);
    }

    // moe_routing.tk:21: let count = sum(sums, axis = 0);
    tk::stripe<int, 1, 256, 256, 32, vector> count;
    tk::reduce_columns(count, sums, shared.count_all_i32_rows_256[0], tk::plus{}, thread, 1);

    // moe_routing.tk:22: store(Count[:], count);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Count, {0}, 1, 256), count, thread);

    // moe_routing.tk:23: store(Start[:], cumsum(count, axis = 1) - count);
    tk::stripe<int, 1, 256, 256, 32, vector> t2;
    tk::running_sums(t2, count, thread);
    tk::stripe<int, 1, 256, 256, 32, vector> t3;
    tk::map(t3, [](int t2, int count) { return tk::wrapping_subtract(t2, count); }, t2, count);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(Start, {0}, 1, 256), t3, thread);
}

// topk_topk_E_256_TOP_8: kernel topk.topk with E = 256, TOP = 8, ROWS = 8.
// 256 threads, 48 registers each: topk_topk_E_256_TOP_8_kernel<5, 4, true>.
// topk_topk_E_256_TOP_8_general: kernel topk.topk with E = 256, TOP = 8, ROWS = 8; any strides and
// alignment.
// 256 threads, 255 registers each: topk_topk_E_256_TOP_8_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) topk_topk_E_256_TOP_8_kernel(
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

namespace {
tk::status launch_topk_topk_E_256_TOP_8(const tk::launch_site& site, const tk::tensor& Logits,
                                        const tk::tensor& Index, const tk::tensor& Weight,
                                        int64_t R) {
    return tk::run<topk_topk_E_256_TOP_8_kernel<5, 4, true>>(
        site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), Logits, Index, Weight, R);
}

tk::status launch_topk_topk_E_256_TOP_8_general(const tk::launch_site& site,
                                                const tk::tensor& Logits, const tk::tensor& Index,
                                                const tk::tensor& Weight, int64_t R) {
    return tk::run<topk_topk_E_256_TOP_8_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(256).overlapping(), tk::ceil_div(R, 8), Logits, Index, Weight, R);
}

tk::status launch_count_part(const tk::launch_site& site, const tk::tensor& Index,
                             const tk::tensor& Part, int64_t T) {
    return tk::run<count_part_kernel<4, 4, true>>(site, sizeof(count_part_shared),
                                                  tk::kernel_shape(256).overlapping(),
                                                  tk::ceil_div(T, 32), Index, Part, T);
}

tk::status launch_count_part_general(const tk::launch_site& site, const tk::tensor& Index,
                                     const tk::tensor& Part, int64_t T) {
    return tk::run<count_part_kernel<1, 2, false>>(site, sizeof(count_part_shared),
                                                   tk::kernel_shape(256).overlapping(),
                                                   tk::ceil_div(T, 32), Index, Part, T);
}

tk::status launch_count_all(const tk::launch_site& site, const tk::tensor& Part,
                            const tk::tensor& Count, const tk::tensor& Start, int64_t P) {
    return tk::run<count_all_kernel<5, 4, true>>(site, sizeof(count_all_shared),
                                                 tk::kernel_shape(256).overlapping(), 1, Part,
                                                 Count, Start, P);
}

tk::status launch_count_all_general(const tk::launch_site& site, const tk::tensor& Part,
                                    const tk::tensor& Count, const tk::tensor& Start, int64_t P) {
    return tk::run<count_all_kernel<1, 2, false>>(site, sizeof(count_all_shared),
                                                  tk::kernel_shape(256).overlapping(), 1, Part,
                                                  Count, Start, P);
}

}  // namespace

extern "C" {
int count_part(const DLTensor* Index_given, DLTensor* Part_given, void*, size_t,
               cudaStream_t stream) {
    tk::arguments call{"count_part"};
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t T = Index.shape[0];
    call.require(
        {tk::fixed_extent(Index, 1, 8), tk::fixed_extent(Part, 1, 256), tk::extents_fit({{"T", T}}),
         tk::that(Part.shape[0] == tk::ceil_div(T, 32),
                  "axis 0 of `Part` is {}; it must be `ceil_div(T, 32)`, which is {}",
                  {Part.shape[0], tk::ceil_div(T, 32)})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Part)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<count_part_kernel<4, 4, true>, count_part_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(count_part_shared), tk::kernel_shape(256).overlapping(),
        tk::ceil_div(T, 32), Index, Part, T));
}
TK_NO_WORKSPACE(count_part, const DLTensor*, DLTensor*)

int count_all(const DLTensor* Part_given, DLTensor* Count_given, DLTensor* Start_given, void*,
              size_t, cudaStream_t stream) {
    tk::arguments call{"count_all"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    call.require(
        {tk::fixed_extent(Part, 1, 256), tk::fixed_extent(Count, 0, 256),
         tk::fixed_extent(Start, 0, 256), tk::extents_fit({{"P", P}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::hold({tk::suits_fast(Part), tk::suits_fast(Count), tk::suits_fast(Start)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<count_all_kernel<5, 4, true>, count_all_kernel<1, 2, false>>(
        fast ? 0 : 1, site, sizeof(count_all_shared), tk::kernel_shape(256).overlapping(), 1, Part,
        Count, Start, P));
}
TK_NO_WORKSPACE(count_all, const DLTensor*, DLTensor*, DLTensor*)

int moe_routing(const DLTensor* Logits_given, DLTensor* Index_given, DLTensor* Weight_given,
                DLTensor* Count_given, DLTensor* Start_given, DLTensor* Part_given, void*, size_t,
                cudaStream_t stream) {
    tk::arguments call{"moe_routing"};
    const tk::tensor Logits = call.take("Logits", Logits_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_f32, 2,
                                        tk::access::write);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t T = Logits.shape[0];
    call.require(
        {tk::fixed_extent(Logits, 1, 256), tk::same_extent("T", Logits, 0, Index, 0),
         tk::fixed_extent(Index, 1, 8), tk::same_extent("T", Logits, 0, Weight, 0),
         tk::fixed_extent(Weight, 1, 8), tk::fixed_extent(Count, 0, 256),
         tk::fixed_extent(Start, 0, 256), tk::fixed_extent(Part, 1, 256),
         tk::extents_fit({{"T", T}}),
         tk::that(Part.shape[0] == tk::ceil_div(T, 32),
                  "axis 0 of `Part` is {}; it must be `ceil_div(T, 32)`, which is {}",
                  {Part.shape[0], tk::ceil_div(T, 32)})});
    // count_all(Part, Count, Start)
    call.require({
        tk::that(tk::ceil_div(T, 32) < 2147221504,
                 "`ceil_div(T, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(T, 32)})});
    if (!call.ok()) return tk::finish(call.result());

    // topk.topk(Logits, Index, Weight)
    const bool choice_1 =
        tk::hold({tk::suits_fast(Logits), tk::suits_fast(Index), tk::suits_fast(Weight)});

    // count_part(Index, Part)
    const bool choice_2 = tk::hold({tk::suits_fast(Part)});

    // count_all(Part, Count, Start)
    const bool choice_3 =
        tk::hold({tk::suits_fast(Part), tk::suits_fast(Count), tk::suits_fast(Start)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_topk_topk_E_256_TOP_8(site, Logits, Index, Weight, T));
    } else {
        TK_FINISH_IF_FAILED(launch_topk_topk_E_256_TOP_8_general(site, Logits, Index, Weight, T));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_count_part(site, tk::read_only(Index), Part, T));
    } else {
        TK_FINISH_IF_FAILED(launch_count_part_general(site, tk::read_only(Index), Part, T));
    }
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_count_all(site, tk::read_only(Part), Count, Start, tk::ceil_div(T, 32)));
    } else {
        TK_FINISH_IF_FAILED(
            launch_count_all_general(site, tk::read_only(Part), Count, Start, tk::ceil_div(T, 32)));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(moe_routing, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
