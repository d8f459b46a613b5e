// Made by tkc from moe_routing.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/tk.cuh"

// count_part: kernel count_part of moe_routing.tk with E = 256, TOP = 8, ROWS = 32.
//
// Roles:
//   count_part   8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 8192 bytes:
//    offset   bytes  what
//         0    8192  1 x i32[8, 256], rows that the warps of role count_part exchange
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct count_part_shared {
    tk::shared_tile<int, 8, 256> count_part_i32_rows_256[1];
};
static_assert(offsetof(count_part_shared, count_part_i32_rows_256) == 0);

__global__ void __launch_bounds__(256, 3) count_part_kernel(
    const tk::tensor_argument<const int, 2> Index, const tk::tensor_argument<int, 2> Part, int T) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_part_shared& shared = *reinterpret_cast<count_part_shared*>(memory);

    // moe_routing.tk:6: kernel count_part<E: int = 256, TOP: int = 8, ROWS: int = 32>(Index: i32[T,
    // TOP], out Part: i32[ceil_div(T, ROWS), E])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program * 32;

    // moe_routing.tk:9: var hits: i32[ROWS, E] = 0;
    tk::stripe<int, 32, 256, 256, 32, 4> hits;
    tk::map(hits, thread, [](int, int) { return 0; });

    // moe_routing.tk:10: for i in TOP {
    for (int i = 0; i < 8; i += 1) {
        // moe_routing.tk:11: hits += pad(where(load(Index[t, i +: 1]) == col_index(hits), 1, 0),
        // axis = 0, with = 0);
        tk::stripe<int, 32, 1, 256, 32, 4> t0;
        const tk::global_tile<const int> Index_tile{tk::address(Index, t, i), Index.stride[0],
                                                    Index.stride[1], T - t, 8 - i};
        tk::load_global(t0, Index_tile, thread);
        tk::map(hits, thread, [&](int row, int col, int hits, int t0) {
            return hits + (row < T - t ? (t0 == col ? 1 : 0) : 0);
        }, hits, t0);
    }

    // moe_routing.tk:13: store(Part[t.index, :], sum(hits, axis = 0));
    tk::stripe<int, 1, 256, 256, 32, 4> t1;
    tk::reduce_columns(t1, hits, shared.count_part_i32_rows_256[0], tk::plus{}, thread, 1);
    const tk::global_tile<int> Part_tile{tk::address(Part, t / 32, 0), 0, 1, 1,
                                         t / 32 < tk::divide_up(T, 32) ? 256 : 0};
    tk::store_vectors(Part_tile, t1, thread);
}

// count_part_general: kernel count_part of moe_routing.tk with E = 256, TOP = 8, ROWS = 32, for
// tensors of any strides and alignment.
//
// Roles:
//   count_part   8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 8192 bytes:
//    offset   bytes  what
//         0    8192  1 x i32[8, 256], rows that the warps of role count_part exchange
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct count_part_general_shared {
    tk::shared_tile<int, 8, 256> count_part_i32_rows_256[1];
};
static_assert(offsetof(count_part_general_shared, count_part_i32_rows_256) == 0);

__global__ void __launch_bounds__(256, 1) count_part_general_kernel(
    const tk::tensor_argument<const int, 2> Index, const tk::tensor_argument<int, 2> Part, int T) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_part_general_shared& shared = *reinterpret_cast<count_part_general_shared*>(memory);

    // moe_routing.tk:6: kernel count_part<E: int = 256, TOP: int = 8, ROWS: int = 32>(Index: i32[T,
    // TOP], out Part: i32[ceil_div(T, ROWS), E])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program * 32;

    // moe_routing.tk:9: var hits: i32[ROWS, E] = 0;
    tk::stripe<int, 32, 256, 256, 32, 2> hits;
    tk::map(hits, thread, [](int, int) { return 0; });

    // moe_routing.tk:10: for i in TOP {
    for (int i = 0; i < 8; i += 1) {
        // moe_routing.tk:11: hits += pad(where(load(Index[t, i +: 1]) == col_index(hits), 1, 0),
        // axis = 0, with = 0);
        tk::stripe<int, 32, 1, 256, 32, 2> t0;
        const tk::global_tile<const int> Index_tile{tk::address(Index, t, i), Index.stride[0],
                                                    Index.stride[1], T - t, 8 - i};
        tk::load_global(t0, Index_tile, thread);
        tk::map(hits, thread, [&](int row, int col, int hits, int t0) {
            return hits + (row < T - t ? (t0 == col ? 1 : 0) : 0);
        }, hits, t0);
    }

    // moe_routing.tk:13: store(Part[t.index, :], sum(hits, axis = 0));
    tk::stripe<int, 1, 256, 256, 32, 2> t1;
    tk::reduce_columns(t1, hits, shared.count_part_i32_rows_256[0], tk::plus{}, thread, 1);
    const tk::global_tile<int> Part_tile{tk::address(Part, t / 32, 0), 0, Part.stride[1], 1,
                                         t / 32 < tk::divide_up(T, 32) ? 256 : 0};
    tk::store_global(Part_tile, t1, thread);
}

// count_all: kernel count_all of moe_routing.tk with E = 256, ROWS = 16.
//
// Roles:
//   count_all    8 warps (warps 0 to 7), 80 registers a thread
// 256 threads a block, launched with 80 registers each.
//
// Shared memory, 8192 bytes:
//    offset   bytes  what
//         0    8192  1 x i32[8, 256], rows that the warps of role count_all exchange
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct count_all_shared {
    tk::shared_tile<int, 8, 256> count_all_i32_rows_256[1];
};
static_assert(offsetof(count_all_shared, count_all_i32_rows_256) == 0);

__global__ void __launch_bounds__(256, 3) count_all_kernel(
    const tk::tensor_argument<const int, 2> Part, const tk::tensor_argument<int, 1> Count,
    const tk::tensor_argument<int, 1> Start, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_all_shared& shared = *reinterpret_cast<count_all_shared*>(memory);

    // moe_routing.tk:16: kernel count_all<E: int = 256, ROWS: int = 16>(Part: i32[P, E], out Count:
    // i32[E], out Start: i32[E])
    const int thread = int(threadIdx.x);

    // moe_routing.tk:19: var sums: i32[ROWS, E] = 0;
    tk::stripe<int, 16, 256, 256, 32, 4> sums;
    tk::map(sums, thread, [](int, int) { return 0; });

    // moe_routing.tk:20: for p in P by ROWS { sums += load(Part[p, :]); }
    for (int p = 0; p < P; p += 16) {
        tk::stripe<int, 16, 256, 256, 32, 4> t0;
        const tk::global_tile<const int> Part_tile{tk::address(Part, p, 0), Part.stride[0], 1,
                                                   P - p, 256};
        tk::load_vectors(t0, Part_tile, thread);
        tk::map(sums, thread, [](int, int, int sums, int t0) { return sums + t0; }, sums, t0);
    }

    // moe_routing.tk:21: let count = sum(sums, axis = 0);
    tk::stripe<int, 1, 256, 256, 32, 4> count;
    tk::reduce_columns(count, sums, shared.count_all_i32_rows_256[0], tk::plus{}, thread, 1);

    // moe_routing.tk:22: store(Count[:], count);
    const tk::global_tile<int> Count_tile{tk::address(Count, 0), 0, 1, 1, 256};
    tk::store_vectors(Count_tile, count, thread);

    // moe_routing.tk:23: store(Start[:], cumsum(count, axis = 1) - count);
    tk::stripe<int, 1, 256, 256, 32, 4> t2;
    tk::running_sums(t2, count, thread);
    tk::stripe<int, 1, 256, 256, 32, 4> t3;
    tk::map(t3, thread, [](int, int, int t2, int count) { return t2 - count; }, t2, count);
    const tk::global_tile<int> Start_tile{tk::address(Start, 0), 0, 1, 1, 256};
    tk::store_vectors(Start_tile, t3, thread);
}

// count_all_general: kernel count_all of moe_routing.tk with E = 256, ROWS = 16, for tensors of any
// strides and alignment.
//
// Roles:
//   count_all    8 warps (warps 0 to 7), 255 registers a thread
// 256 threads a block, launched with 255 registers each.
//
// Shared memory, 8192 bytes:
//    offset   bytes  what
//         0    8192  1 x i32[8, 256], rows that the warps of role count_all exchange
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct count_all_general_shared {
    tk::shared_tile<int, 8, 256> count_all_i32_rows_256[1];
};
static_assert(offsetof(count_all_general_shared, count_all_i32_rows_256) == 0);

__global__ void __launch_bounds__(256, 1) count_all_general_kernel(
    const tk::tensor_argument<const int, 2> Part, const tk::tensor_argument<int, 1> Count,
    const tk::tensor_argument<int, 1> Start, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    count_all_general_shared& shared = *reinterpret_cast<count_all_general_shared*>(memory);

    // moe_routing.tk:16: kernel count_all<E: int = 256, ROWS: int = 16>(Part: i32[P, E], out Count:
    // i32[E], out Start: i32[E])
    const int thread = int(threadIdx.x);

    // moe_routing.tk:19: var sums: i32[ROWS, E] = 0;
    tk::stripe<int, 16, 256, 256, 32, 2> sums;
    tk::map(sums, thread, [](int, int) { return 0; });

    // moe_routing.tk:20: for p in P by ROWS { sums += load(Part[p, :]); }
    for (int p = 0; p < P; p += 16) {
        tk::stripe<int, 16, 256, 256, 32, 2> t0;
        const tk::global_tile<const int> Part_tile{tk::address(Part, p, 0), Part.stride[0],
                                                   Part.stride[1], P - p, 256};
        tk::load_global(t0, Part_tile, thread);
        tk::map(sums, thread, [](int, int, int sums, int t0) { return sums + t0; }, sums, t0);
    }

    // moe_routing.tk:21: let count = sum(sums, axis = 0);
    tk::stripe<int, 1, 256, 256, 32, 2> count;
    tk::reduce_columns(count, sums, shared.count_all_i32_rows_256[0], tk::plus{}, thread, 1);

    // moe_routing.tk:22: store(Count[:], count);
    const tk::global_tile<int> Count_tile{tk::address(Count, 0), 0, Count.stride[0], 1, 256};
    tk::store_global(Count_tile, count, thread);

    // moe_routing.tk:23: store(Start[:], cumsum(count, axis = 1) - count);
    tk::stripe<int, 1, 256, 256, 32, 2> t2;
    tk::running_sums(t2, count, thread);
    tk::stripe<int, 1, 256, 256, 32, 2> t3;
    tk::map(t3, thread, [](int, int, int t2, int count) { return t2 - count; }, t2, count);
    const tk::global_tile<int> Start_tile{tk::address(Start, 0), 0, Start.stride[0], 1, 256};
    tk::store_global(Start_tile, t3, thread);
}

// topk_topk_E_256_TOP_8: kernel topk.topk of topk.tk with E = 256, TOP = 8, ROWS = 8.
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
struct topk_topk_E_256_TOP_8_shared {
};

__global__ void __launch_bounds__(256, 5) topk_topk_E_256_TOP_8_kernel(
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

// topk_topk_E_256_TOP_8_general: kernel topk.topk of topk.tk with E = 256, TOP = 8, ROWS = 8, for
// tensors of any strides and alignment.
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
struct topk_topk_E_256_TOP_8_general_shared {
};

__global__ void __launch_bounds__(256, 1) topk_topk_E_256_TOP_8_general_kernel(
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
// count_part: E = 256, TOP = 8, ROWS = 32
tk::status launch_count_part(const tk::launch_site& site, const tk::tensor& Index,
                             const tk::tensor& Part, int64_t T) {
    const int64_t programs = tk::ceil_div(T, 32);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&count_part_kernel),
                                    static_cast<int>(sizeof(count_part_shared)), {}, {}};
    return tk::launch_kernel(kernel, count_part_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Index), tk::cells<int, 2>(Part),
                             static_cast<int>(T));
}

// count_part_general: E = 256, TOP = 8, ROWS = 32
tk::status launch_count_part_general(const tk::launch_site& site, const tk::tensor& Index,
                                     const tk::tensor& Part, int64_t T) {
    const int64_t programs = tk::ceil_div(T, 32);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&count_part_general_kernel),
                                    static_cast<int>(sizeof(count_part_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, count_part_general_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Index), tk::cells<int, 2>(Part),
                             static_cast<int>(T));
}

tk::status run_count_part(const DLTensor* Index_given, DLTensor* Part_given, cudaStream_t stream) {
    tk::arguments call{"count_part"};
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t T = Index.shape[0];

    call.require(Index.shape[1] == 8, "axis 1 of `Index` is {}; this kernel is made for 8",
                 {Index.shape[1]});
    call.require(Part.shape[1] == 256, "axis 1 of `Part` is {}; this kernel is made for 256",
                 {Part.shape[1]});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(Part.shape[0] == tk::ceil_div(T, 32),
                 "axis 0 of `Part` is {}; it must be `ceil_div(T, 32)`, which is {}",
                 {Part.shape[0], tk::ceil_div(T, 32)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // count_part
    choice.prefer(Part.stride[1] == 1);
    choice.prefer(Part.address % 16 == 0);
    choice.prefer(Part.stride[0] % 4 == 0 && 0 < Part.stride[0] && Part.stride[0] < 274877906944);
    choice.offer(tk::ceil_div(T, 32), 4764);
    choice.candidate(true);  // count_part_general
    choice.offer(tk::ceil_div(T, 32), 4764);
    if (choice.best() == 0) return launch_count_part(site, Index, Part, T);
    if (choice.best() == 1) return launch_count_part_general(site, Index, Part, T);
    return choice.result();
}

// count_all: E = 256, ROWS = 16
tk::status launch_count_all(const tk::launch_site& site, const tk::tensor& Part,
                            const tk::tensor& Count, const tk::tensor& Start, int64_t P) {
    const int64_t programs = 1;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&count_all_kernel),
                                    static_cast<int>(sizeof(count_all_shared)), {}, {}};
    return tk::launch_kernel(kernel, count_all_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Part), tk::cells<int, 1>(Count),
                             tk::cells<int, 1>(Start), static_cast<int>(P));
}

// count_all_general: E = 256, ROWS = 16
tk::status launch_count_all_general(const tk::launch_site& site, const tk::tensor& Part,
                                    const tk::tensor& Count, const tk::tensor& Start, int64_t P) {
    const int64_t programs = 1;
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&count_all_general_kernel),
                                    static_cast<int>(sizeof(count_all_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, count_all_general_kernel, site, programs, 256,
                             tk::cells<const int, 2>(Part), tk::cells<int, 1>(Count),
                             tk::cells<int, 1>(Start), static_cast<int>(P));
}

tk::status run_count_all(const DLTensor* Part_given, DLTensor* Count_given, DLTensor* Start_given,
                         cudaStream_t stream) {
    tk::arguments call{"count_all"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t P = Part.shape[0];

    call.require(Part.shape[1] == 256, "axis 1 of `Part` is {}; this kernel is made for 256",
                 {Part.shape[1]});
    call.require(Count.shape[0] == 256, "axis 0 of `Count` is {}; this kernel is made for 256",
                 {Count.shape[0]});
    call.require(Start.shape[0] == 256, "axis 0 of `Start` is {}; this kernel is made for 256",
                 {Start.shape[0]});
    call.require(P < 2147221504, "`P` is {}; extents must be less than 2147221504", {P});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // count_all
    choice.prefer(Part.stride[1] == 1);
    choice.prefer(Part.address % 16 == 0);
    choice.prefer(Part.stride[0] % 4 == 0 && 0 < Part.stride[0] && Part.stride[0] < 274877906944);
    choice.prefer(Count.stride[0] == 1);
    choice.prefer(Count.address % 16 == 0);
    choice.prefer(Start.stride[0] == 1);
    choice.prefer(Start.address % 16 == 0);
    choice.offer(1, 1666 + 1056 * tk::ceil_div(P, 16));
    choice.candidate(true);  // count_all_general
    choice.offer(1, 1666 + 1056 * tk::ceil_div(P, 16));
    if (choice.best() == 0) return launch_count_all(site, Part, Count, Start, P);
    if (choice.best() == 1) return launch_count_all_general(site, Part, Count, Start, P);
    return choice.result();
}

// topk_topk_E_256_TOP_8: E = 256, TOP = 8, ROWS = 8
tk::status launch_topk_topk_E_256_TOP_8(const tk::launch_site& site, const tk::tensor& Logits,
                                        const tk::tensor& Index, const tk::tensor& Weight,
                                        int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&topk_topk_E_256_TOP_8_kernel),
                                    static_cast<int>(sizeof(topk_topk_E_256_TOP_8_shared)), {}, {}};
    return tk::launch_kernel(kernel, topk_topk_E_256_TOP_8_kernel, site, programs, 256,
                             tk::cells<const float, 2>(Logits), tk::cells<int, 2>(Index),
                             tk::cells<float, 2>(Weight), static_cast<int>(R));
}

// topk_topk_E_256_TOP_8_general: E = 256, TOP = 8, ROWS = 8
tk::status launch_topk_topk_E_256_TOP_8_general(const tk::launch_site& site,
                                                const tk::tensor& Logits, const tk::tensor& Index,
                                                const tk::tensor& Weight, int64_t R) {
    const int64_t programs = tk::ceil_div(R, 8);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&topk_topk_E_256_TOP_8_general_kernel),
        static_cast<int>(sizeof(topk_topk_E_256_TOP_8_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, topk_topk_E_256_TOP_8_general_kernel, site, programs, 256,
                             tk::cells<const float, 2>(Logits), tk::cells<int, 2>(Index),
                             tk::cells<float, 2>(Weight), static_cast<int>(R));
}

tk::status run_moe_routing(const DLTensor* Logits_given, DLTensor* Part_given,
                           DLTensor* Index_given, DLTensor* Weight_given, DLTensor* Count_given,
                           DLTensor* Start_given, cudaStream_t stream) {
    tk::arguments call{"moe_routing"};
    const tk::tensor Logits = call.take("Logits", Logits_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Index = call.take("Index", Index_given, tk::dtype_i32, 2, tk::access::write);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_f32, 2,
                                        tk::access::write);
    const tk::tensor Count = call.take("Count", Count_given, tk::dtype_i32, 1, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_i32, 1, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t T = Logits.shape[0];

    call.require(Logits.shape[1] == 256, "axis 1 of `Logits` is {}; this kernel is made for 256",
                 {Logits.shape[1]});
    call.require(Part.shape[1] == 256, "axis 1 of `Part` is {}; this kernel is made for 256",
                 {Part.shape[1]});
    call.require(Index.shape[0] == T,
                 "`T` is {} in axis 0 of `Logits`, but {} in axis 0 of `Index`",
                 {T, Index.shape[0]});
    call.require(Index.shape[1] == 8, "axis 1 of `Index` is {}; this kernel is made for 8",
                 {Index.shape[1]});
    call.require(Weight.shape[0] == T,
                 "`T` is {} in axis 0 of `Logits`, but {} in axis 0 of `Weight`",
                 {T, Weight.shape[0]});
    call.require(Weight.shape[1] == 8, "axis 1 of `Weight` is {}; this kernel is made for 8",
                 {Weight.shape[1]});
    call.require(Count.shape[0] == 256, "axis 0 of `Count` is {}; this kernel is made for 256",
                 {Count.shape[0]});
    call.require(Start.shape[0] == 256, "axis 0 of `Start` is {}; this kernel is made for 256",
                 {Start.shape[0]});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(Part.shape[0] == tk::ceil_div(T, 32),
                 "axis 0 of `Part` is {}; it must be `ceil_div(T, 32)`, which is {}",
                 {Part.shape[0], tk::ceil_div(T, 32)});
    // topk.topk(Logits, Index, Weight)
    // count_part(Index, Part)
    // count_all(Part, Count, Start)
    call.require(tk::ceil_div(T, 32) < 2147221504,
                 "`ceil_div(T, 32)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(T, 32)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // topk.topk(Logits, Index, Weight)
    tk::selection choice_1{call.function(), site};
    choice_1.candidate();  // topk_topk_E_256_TOP_8
    choice_1.prefer(Logits.stride[1] == 1);
    choice_1.prefer(Logits.address % 16 == 0);
    choice_1.prefer(Logits.stride[0] % 4 == 0 && 0 < Logits.stride[0] &&
                    Logits.stride[0] < 274877906944);
    choice_1.prefer(Index.stride[1] == 1);
    choice_1.prefer(Index.address % 16 == 0);
    choice_1.prefer(Index.stride[0] % 4 == 0 && 0 < Index.stride[0] &&
                    Index.stride[0] < 274877906944);
    choice_1.prefer(Weight.stride[1] == 1);
    choice_1.prefer(Weight.address % 16 == 0);
    choice_1.prefer(Weight.stride[0] % 4 == 0 && 0 < Weight.stride[0] &&
                    Weight.stride[0] < 274877906944);
    choice_1.offer(tk::ceil_div(T, 8), 2834);
    choice_1.candidate(true);  // topk_topk_E_256_TOP_8_general
    choice_1.offer(tk::ceil_div(T, 8), 2834);
    if (choice_1.best() < 0) return choice_1.result();

    // count_part(Index, Part)
    tk::selection choice_2{call.function(), site};
    choice_2.candidate();  // count_part
    choice_2.prefer(Part.stride[1] == 1);
    choice_2.prefer(Part.address % 16 == 0);
    choice_2.prefer(Part.stride[0] % 4 == 0 && 0 < Part.stride[0] && Part.stride[0] < 274877906944);
    choice_2.offer(tk::ceil_div(T, 32), 4764);
    choice_2.candidate(true);  // count_part_general
    choice_2.offer(tk::ceil_div(T, 32), 4764);
    if (choice_2.best() < 0) return choice_2.result();

    // count_all(Part, Count, Start)
    tk::selection choice_3{call.function(), site};
    choice_3.candidate();  // count_all
    choice_3.prefer(Part.stride[1] == 1);
    choice_3.prefer(Part.address % 16 == 0);
    choice_3.prefer(Part.stride[0] % 4 == 0 && 0 < Part.stride[0] && Part.stride[0] < 274877906944);
    choice_3.prefer(Count.stride[0] == 1);
    choice_3.prefer(Count.address % 16 == 0);
    choice_3.prefer(Start.stride[0] == 1);
    choice_3.prefer(Start.address % 16 == 0);
    choice_3.offer(1, 1666 + 1056 * tk::ceil_div(tk::ceil_div(T, 32), 16));
    choice_3.candidate(true);  // count_all_general
    choice_3.offer(1, 1666 + 1056 * tk::ceil_div(tk::ceil_div(T, 32), 16));
    if (choice_3.best() < 0) return choice_3.result();

    if (choice_1.best() == 0) {
        TK_RETURN_IF_FAILED(launch_topk_topk_E_256_TOP_8(site, Logits, Index, Weight, T));
    }
    if (choice_1.best() == 1) {
        TK_RETURN_IF_FAILED(launch_topk_topk_E_256_TOP_8_general(site, Logits, Index, Weight, T));
    }
    if (choice_2.best() == 0) {
        TK_RETURN_IF_FAILED(launch_count_part(site, tk::read_only(Index), Part, T));
    }
    if (choice_2.best() == 1) {
        TK_RETURN_IF_FAILED(launch_count_part_general(site, tk::read_only(Index), Part, T));
    }
    if (choice_3.best() == 0) {
        TK_RETURN_IF_FAILED(
            launch_count_all(site, tk::read_only(Part), Count, Start, tk::ceil_div(T, 32)));
    }
    if (choice_3.best() == 1) {
        TK_RETURN_IF_FAILED(
            launch_count_all_general(site, tk::read_only(Part), Count, Start, tk::ceil_div(T, 32)));
    }
    return {};
}

}  // namespace

extern "C" {
int count_part(const DLTensor* Index_given, DLTensor* Part_given, void*, size_t,
               cudaStream_t stream) {
    return tk::finish(run_count_part(Index_given, Part_given, stream));
}

size_t count_part_workspace(const DLTensor*, DLTensor*) {
    return 0;
}

const char* count_part_error() {
    return tk::last_sentence;
}

int count_all(const DLTensor* Part_given, DLTensor* Count_given, DLTensor* Start_given, void*,
              size_t, cudaStream_t stream) {
    return tk::finish(run_count_all(Part_given, Count_given, Start_given, stream));
}

size_t count_all_workspace(const DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* count_all_error() {
    return tk::last_sentence;
}

int moe_routing(const DLTensor* Logits_given, DLTensor* Part_given, DLTensor* Index_given,
                DLTensor* Weight_given, DLTensor* Count_given, DLTensor* Start_given, void*, size_t,
                cudaStream_t stream) {
    return tk::finish(
        run_moe_routing(Logits_given, Part_given, Index_given, Weight_given, Count_given,
                        Start_given, stream));
}

size_t moe_routing_workspace(const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                             DLTensor*) {
    return 0;
}

const char* moe_routing_error() {
    return tk::last_sentence;
}
}  // extern "C"
