// Made by tkc from rope_pairs.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/exchange.cuh"
#include "tk/tk.cuh"

// rope_pairs: kernel rope_pairs of rope_pairs.tk with D = 128, G = 1, BT = 16.
//
// Roles:
//   rope_pairs   4 warps (warps 0 to 3), 128 registers a thread
// 128 threads a block, launched with 128 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rope_pairs_shared {
};

__global__ void __launch_bounds__(128, 4) rope_pairs_kernel(
    const tk::tensor_argument<const tk::bf16, 4> QKV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> Q,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int T, int HKV) {
    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:5: kernel rope_pairs<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:11: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, 16, 8> f;
    const tk::global_tile<const float> Freqs_tile{tk::address(Freqs, t, 0), Freqs.stride[0], 1,
                                                  T - t, 128};
    tk::load_vectors(f, Freqs_tile, thread);

    // rope_pairs.tk:12: for i in G { store(Q[b, G * h + i, t, :],
    // bf16(rope.turn_pairs(f32(load(QKV[b, t, G * h + i, :])), f))); }
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t1;
        const tk::global_tile<const tk::bf16> QKV_tile{tk::address(QKV, b, t, h + i, 0),
                                                       QKV.stride[1], 1,
                                                       h + i < 3 * HKV ? T - t : 0, 128};
        tk::load_vectors(t1, QKV_tile, thread);

        // <std.rope>:25: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, 16, 8> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:26: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) *
        // where(first, -g, f);
        tk::stripe<float, 16, 128, 128, 16, 8> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, 16, 8> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:12, continued
        tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? -g : f));
        }, t1, f, g, t4);
        const tk::global_tile<tk::bf16> Q_tile{tk::address(Q, b, h + i, t, 0), Q.stride[2], 1,
                                               h + i < HKV ? T - t : 0, 128};
        tk::store_vectors(Q_tile, t5, thread);
    }

    // rope_pairs.tk:13: store(K[b, h, t, :], bf16(rope.turn_pairs(f32(load(QKV[b, t, G * HKV + h,
    // :])), f)));
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t6;
    const tk::global_tile<const tk::bf16> QKV_tile{tk::address(QKV, b, t, HKV + h, 0),
                                                   QKV.stride[1], 1, HKV + h < 3 * HKV ? T - t : 0,
                                                   128};
    tk::load_vectors(t6, QKV_tile, thread);
    // <std.rope>:25, continued
    tk::stripe<float, 16, 128, 128, 16, 8> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:26, continued
    tk::stripe<float, 16, 128, 128, 16, 8> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, 16, 8> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:13, continued
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? -g_2 : f));
    }, t6, f, g_2, t9);
    const tk::global_tile<tk::bf16> K_tile{tk::address(K, b, h, t, 0), K.stride[2], 1, T - t, 128};
    tk::store_vectors(K_tile, t10, thread);

    // rope_pairs.tk:14: store(V[b, h, t, :], load(QKV[b, t, (G + 1) * HKV + h, :]));
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t11;
    const tk::global_tile<const tk::bf16> QKV_tile_2{tk::address(QKV, b, t, 2 * HKV + h, 0),
                                                     QKV.stride[1], 1,
                                                     2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::load_vectors(t11, QKV_tile_2, thread);
    const tk::global_tile<tk::bf16> V_tile{tk::address(V, b, h, t, 0), V.stride[2], 1, T - t, 128};
    tk::store_vectors(V_tile, t11, thread);
}

// rope_pairs_general: kernel rope_pairs of rope_pairs.tk with D = 128, G = 1, BT = 16, for tensors
// of any strides and alignment.
//
// Roles:
//   rope_pairs   4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rope_pairs_general_shared {
};

__global__ void __launch_bounds__(128, 1) rope_pairs_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> QKV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> Q,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int T, int HKV) {
    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:5: kernel rope_pairs<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:11: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, 32, 2> f;
    const tk::global_tile<const float> Freqs_tile{tk::address(Freqs, t, 0), Freqs.stride[0],
                                                  Freqs.stride[1], T - t, 128};
    tk::load_global(f, Freqs_tile, thread);

    // rope_pairs.tk:12: for i in G { store(Q[b, G * h + i, t, :],
    // bf16(rope.turn_pairs(f32(load(QKV[b, t, G * h + i, :])), f))); }
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t1;
        const tk::global_tile<const tk::bf16> QKV_tile{tk::address(QKV, b, t, h + i, 0),
                                                       QKV.stride[1], QKV.stride[3],
                                                       h + i < 3 * HKV ? T - t : 0, 128};
        tk::load_global(t1, QKV_tile, thread);

        // <std.rope>:25: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, 32, 2> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:26: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) *
        // where(first, -g, f);
        tk::stripe<float, 16, 128, 128, 32, 2> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, 32, 2> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:12, continued
        tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? -g : f));
        }, t1, f, g, t4);
        const tk::global_tile<tk::bf16> Q_tile{tk::address(Q, b, h + i, t, 0), Q.stride[2],
                                               Q.stride[3], h + i < HKV ? T - t : 0, 128};
        tk::store_global(Q_tile, t5, thread);
    }

    // rope_pairs.tk:13: store(K[b, h, t, :], bf16(rope.turn_pairs(f32(load(QKV[b, t, G * HKV + h,
    // :])), f)));
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t6;
    const tk::global_tile<const tk::bf16> QKV_tile{tk::address(QKV, b, t, HKV + h, 0),
                                                   QKV.stride[1], QKV.stride[3],
                                                   HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::load_global(t6, QKV_tile, thread);
    // <std.rope>:25, continued
    tk::stripe<float, 16, 128, 128, 32, 2> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:26, continued
    tk::stripe<float, 16, 128, 128, 32, 2> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, 32, 2> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:13, continued
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? -g_2 : f));
    }, t6, f, g_2, t9);
    const tk::global_tile<tk::bf16> K_tile{tk::address(K, b, h, t, 0), K.stride[2], K.stride[3],
                                           T - t, 128};
    tk::store_global(K_tile, t10, thread);

    // rope_pairs.tk:14: store(V[b, h, t, :], load(QKV[b, t, (G + 1) * HKV + h, :]));
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t11;
    const tk::global_tile<const tk::bf16> QKV_tile_2{tk::address(QKV, b, t, 2 * HKV + h, 0),
                                                     QKV.stride[1], QKV.stride[3],
                                                     2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::load_global(t11, QKV_tile_2, thread);
    const tk::global_tile<tk::bf16> V_tile{tk::address(V, b, h, t, 0), V.stride[2], V.stride[3],
                                           T - t, 128};
    tk::store_global(V_tile, t11, thread);
}

// rope_pairs_backward: kernel rope_pairs_backward of rope_pairs.tk with D = 128, G = 1, BT = 16.
//
// Roles:
//   rope_pairs_backward 4 warps (warps 0 to 3), 128 registers a thread
// 128 threads a block, launched with 128 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rope_pairs_backward_shared {
};

__global__ void __launch_bounds__(128, 4) rope_pairs_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dQ,
    const tk::tensor_argument<const tk::bf16, 4> dK,
    const tk::tensor_argument<const tk::bf16, 4> dV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> dQKV,
    int B, int HKV, int T) {
    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:17: kernel rope_pairs_backward<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:24: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, 16, 8> f;
    const tk::global_tile<const float> Freqs_tile{tk::address(Freqs, t, 0), Freqs.stride[0], 1,
                                                  T - t, 128};
    tk::load_vectors(f, Freqs_tile, thread);

    // rope_pairs.tk:25: for i in G { store(dQKV[b, t, G * h + i, :],
    // bf16(rope.back_pairs(f32(load(dQ[b, G * h + i, t, :])), f))); }
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t1;
        const tk::global_tile<const tk::bf16> dQ_tile{tk::address(dQ, b, h + i, t, 0), dQ.stride[2],
                                                      1, h + i < HKV ? T - t : 0, 128};
        tk::load_vectors(t1, dQ_tile, thread);

        // <std.rope>:31: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, 16, 8> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:32: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) *
        // where(first, g, -f);
        tk::stripe<float, 16, 128, 128, 16, 8> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, 16, 8> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:25, continued
        tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? g : -f));
        }, t1, f, g, t4);
        const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, h + i, 0), dQKV.stride[1],
                                                  1, h + i < 3 * HKV ? T - t : 0, 128};
        tk::store_vectors(dQKV_tile, t5, thread);
    }

    // rope_pairs.tk:26: store(dQKV[b, t, G * HKV + h, :], bf16(rope.back_pairs(f32(load(dK[b, h, t,
    // :])), f)));
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t6;
    const tk::global_tile<const tk::bf16> dK_tile{tk::address(dK, b, h, t, 0), dK.stride[2], 1,
                                                  T - t, 128};
    tk::load_vectors(t6, dK_tile, thread);
    // <std.rope>:31, continued
    tk::stripe<float, 16, 128, 128, 16, 8> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:32, continued
    tk::stripe<float, 16, 128, 128, 16, 8> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, 16, 8> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:26, continued
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? g_2 : -f));
    }, t6, f, g_2, t9);
    const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, HKV + h, 0), dQKV.stride[1],
                                              1, HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_vectors(dQKV_tile, t10, thread);

    // rope_pairs.tk:27: store(dQKV[b, t, (G + 1) * HKV + h, :], load(dV[b, h, t, :]));
    tk::stripe<tk::bf16, 16, 128, 128, 16, 8> t11;
    const tk::global_tile<const tk::bf16> dV_tile{tk::address(dV, b, h, t, 0), dV.stride[2], 1,
                                                  T - t, 128};
    tk::load_vectors(t11, dV_tile, thread);
    const tk::global_tile<tk::bf16> dQKV_tile_2{tk::address(dQKV, b, t, 2 * HKV + h, 0),
                                                dQKV.stride[1], 1,
                                                2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_vectors(dQKV_tile_2, t11, thread);
}

// rope_pairs_backward_general: kernel rope_pairs_backward of rope_pairs.tk with D = 128, G = 1, BT
// = 16, for tensors of any strides and alignment.
//
// Roles:
//   rope_pairs_backward 4 warps (warps 0 to 3), 255 registers a thread
// 128 threads a block, launched with 255 registers each.
//
// Shared memory, 0 bytes:
//    offset   bytes  what
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct rope_pairs_backward_general_shared {
};

__global__ void __launch_bounds__(128, 1) rope_pairs_backward_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dQ,
    const tk::tensor_argument<const tk::bf16, 4> dK,
    const tk::tensor_argument<const tk::bf16, 4> dV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> dQKV,
    int B, int HKV, int T) {
    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:17: kernel rope_pairs_backward<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:24: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, 32, 2> f;
    const tk::global_tile<const float> Freqs_tile{tk::address(Freqs, t, 0), Freqs.stride[0],
                                                  Freqs.stride[1], T - t, 128};
    tk::load_global(f, Freqs_tile, thread);

    // rope_pairs.tk:25: for i in G { store(dQKV[b, t, G * h + i, :],
    // bf16(rope.back_pairs(f32(load(dQ[b, G * h + i, t, :])), f))); }
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t1;
        const tk::global_tile<const tk::bf16> dQ_tile{tk::address(dQ, b, h + i, t, 0), dQ.stride[2],
                                                      dQ.stride[3], h + i < HKV ? T - t : 0, 128};
        tk::load_global(t1, dQ_tile, thread);

        // <std.rope>:31: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, 32, 2> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:32: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) *
        // where(first, g, -f);
        tk::stripe<float, 16, 128, 128, 32, 2> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, 32, 2> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:25, continued
        tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? g : -f));
        }, t1, f, g, t4);
        const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, h + i, 0), dQKV.stride[1],
                                                  dQKV.stride[3], h + i < 3 * HKV ? T - t : 0, 128};
        tk::store_global(dQKV_tile, t5, thread);
    }

    // rope_pairs.tk:26: store(dQKV[b, t, G * HKV + h, :], bf16(rope.back_pairs(f32(load(dK[b, h, t,
    // :])), f)));
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t6;
    const tk::global_tile<const tk::bf16> dK_tile{tk::address(dK, b, h, t, 0), dK.stride[2],
                                                  dK.stride[3], T - t, 128};
    tk::load_global(t6, dK_tile, thread);
    // <std.rope>:31, continued
    tk::stripe<float, 16, 128, 128, 32, 2> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:32, continued
    tk::stripe<float, 16, 128, 128, 32, 2> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, 32, 2> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:26, continued
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? g_2 : -f));
    }, t6, f, g_2, t9);
    const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, HKV + h, 0), dQKV.stride[1],
                                              dQKV.stride[3], HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_global(dQKV_tile, t10, thread);

    // rope_pairs.tk:27: store(dQKV[b, t, (G + 1) * HKV + h, :], load(dV[b, h, t, :]));
    tk::stripe<tk::bf16, 16, 128, 128, 32, 2> t11;
    const tk::global_tile<const tk::bf16> dV_tile{tk::address(dV, b, h, t, 0), dV.stride[2],
                                                  dV.stride[3], T - t, 128};
    tk::load_global(t11, dV_tile, thread);
    const tk::global_tile<tk::bf16> dQKV_tile_2{tk::address(dQKV, b, t, 2 * HKV + h, 0),
                                                dQKV.stride[1], dQKV.stride[3],
                                                2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_global(dQKV_tile_2, t11, thread);
}

#include "tk/host/launcher.h"

namespace {
// rope_pairs: D = 128, G = 1, BT = 16
tk::status launch_rope_pairs(const tk::launch_site& site, const tk::tensor& QKV,
                             const tk::tensor& Freqs, const tk::tensor& Q, const tk::tensor& K,
                             const tk::tensor& V, int64_t B, int64_t T, int64_t HKV) {
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rope_pairs_kernel),
                                    static_cast<int>(sizeof(rope_pairs_shared)), {}, {}};
    return tk::launch_kernel(kernel, rope_pairs_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(QKV), tk::cells<const float, 2>(Freqs),
                             tk::cells<tk::bf16, 4>(Q), tk::cells<tk::bf16, 4>(K),
                             tk::cells<tk::bf16, 4>(V), static_cast<int>(B), static_cast<int>(T),
                             static_cast<int>(HKV));
}

// rope_pairs_general: D = 128, G = 1, BT = 16
tk::status launch_rope_pairs_general(const tk::launch_site& site, const tk::tensor& QKV,
                                     const tk::tensor& Freqs, const tk::tensor& Q,
                                     const tk::tensor& K, const tk::tensor& V, int64_t B, int64_t T,
                                     int64_t HKV) {
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rope_pairs_general_kernel),
                                    static_cast<int>(sizeof(rope_pairs_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, rope_pairs_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(QKV), tk::cells<const float, 2>(Freqs),
                             tk::cells<tk::bf16, 4>(Q), tk::cells<tk::bf16, 4>(K),
                             tk::cells<tk::bf16, 4>(V), static_cast<int>(B), static_cast<int>(T),
                             static_cast<int>(HKV));
}

tk::status run_rope_pairs(const DLTensor* QKV_given, const DLTensor* Freqs_given, DLTensor* Q_given,
                          DLTensor* K_given, DLTensor* V_given, cudaStream_t stream) {
    tk::arguments call{"rope_pairs"};
    const tk::tensor QKV = call.take("QKV", QKV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Freqs = call.take("Freqs", Freqs_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = QKV.shape[0];
    const int64_t T = QKV.shape[1];
    const int64_t HKV = Q.shape[1];

    call.require(QKV.shape[3] == 128, "axis 3 of `QKV` is {}; this kernel is made for 128",
                 {QKV.shape[3]});
    call.require(Freqs.shape[0] == T, "`T` is {} in axis 1 of `QKV`, but {} in axis 0 of `Freqs`",
                 {T, Freqs.shape[0]});
    call.require(Freqs.shape[1] == 128, "axis 1 of `Freqs` is {}; this kernel is made for 128",
                 {Freqs.shape[1]});
    call.require(Q.shape[0] == B, "`B` is {} in axis 0 of `QKV`, but {} in axis 0 of `Q`",
                 {B, Q.shape[0]});
    call.require(Q.shape[2] == T, "`T` is {} in axis 1 of `QKV`, but {} in axis 2 of `Q`",
                 {T, Q.shape[2]});
    call.require(Q.shape[3] == 128, "axis 3 of `Q` is {}; this kernel is made for 128",
                 {Q.shape[3]});
    call.require(K.shape[0] == B, "`B` is {} in axis 0 of `QKV`, but {} in axis 0 of `K`",
                 {B, K.shape[0]});
    call.require(K.shape[1] == HKV, "`HKV` is {} in axis 1 of `Q`, but {} in axis 1 of `K`",
                 {HKV, K.shape[1]});
    call.require(K.shape[2] == T, "`T` is {} in axis 1 of `QKV`, but {} in axis 2 of `K`",
                 {T, K.shape[2]});
    call.require(K.shape[3] == 128, "axis 3 of `K` is {}; this kernel is made for 128",
                 {K.shape[3]});
    call.require(V.shape[0] == B, "`B` is {} in axis 0 of `QKV`, but {} in axis 0 of `V`",
                 {B, V.shape[0]});
    call.require(V.shape[1] == HKV, "`HKV` is {} in axis 1 of `Q`, but {} in axis 1 of `V`",
                 {HKV, V.shape[1]});
    call.require(V.shape[2] == T, "`T` is {} in axis 1 of `QKV`, but {} in axis 2 of `V`",
                 {T, V.shape[2]});
    call.require(V.shape[3] == 128, "axis 3 of `V` is {}; this kernel is made for 128",
                 {V.shape[3]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(HKV < 2147221504, "`HKV` is {}; extents must be less than 2147221504", {HKV});
    call.require(3 * HKV < 2147483648, "`3*HKV` reaches {}; it must fit in 32 bits", {3 * HKV});
    call.require(QKV.shape[2] == 3 * HKV, "axis 2 of `QKV` is {}; it must be `3*HKV`, which is {}",
                 {QKV.shape[2], 3 * HKV});
    call.require(tk::multiply(HKV, tk::ceil_div(T, 16)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(HKV, tk::ceil_div(T, 16))});
    call.require(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B)});
    call.require(HKV + (HKV - 1) < 2147483648, "`HKV + h` reaches {}; it must fit in 32 bits",
                 {HKV + (HKV - 1)});
    call.require(2 * HKV < 2147483648, "`2*HKV` reaches {}; it must fit in 32 bits", {2 * HKV});
    call.require(2 * HKV + (HKV - 1) < 2147483648, "`2*HKV + h` reaches {}; it must fit in 32 bits",
                 {2 * HKV + (HKV - 1)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // rope_pairs
    choice.prefer(QKV.stride[3] == 1);
    choice.prefer(QKV.address % 16 == 0);
    choice.prefer(QKV.stride[2] % 8 == 0 && 0 < QKV.stride[2] && QKV.stride[2] < 549755813888);
    choice.prefer(QKV.stride[1] % 8 == 0 && 0 < QKV.stride[1] && QKV.stride[1] < 549755813888);
    choice.prefer(QKV.stride[0] % 8 == 0 && 0 < QKV.stride[0] && QKV.stride[0] < 549755813888);
    choice.prefer(Freqs.stride[1] == 1);
    choice.prefer(Freqs.address % 16 == 0);
    choice.prefer(Freqs.stride[0] % 4 == 0 && 0 < Freqs.stride[0] &&
                  Freqs.stride[0] < 274877906944);
    choice.prefer(Q.stride[3] == 1);
    choice.prefer(Q.address % 16 == 0);
    choice.prefer(Q.stride[2] % 8 == 0 && 0 < Q.stride[2] && Q.stride[2] < 549755813888);
    choice.prefer(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888);
    choice.prefer(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888);
    choice.prefer(K.stride[3] == 1);
    choice.prefer(K.address % 16 == 0);
    choice.prefer(K.stride[2] % 8 == 0 && 0 < K.stride[2] && K.stride[2] < 549755813888);
    choice.prefer(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888);
    choice.prefer(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888);
    choice.prefer(V.stride[3] == 1);
    choice.prefer(V.address % 16 == 0);
    choice.prefer(V.stride[2] % 8 == 0 && 0 < V.stride[2] && V.stride[2] < 549755813888);
    choice.prefer(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888);
    choice.prefer(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 3996);
    choice.candidate(true);  // rope_pairs_general
    choice.offer(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 3996);
    if (choice.best() == 0) return launch_rope_pairs(site, QKV, Freqs, Q, K, V, B, T, HKV);
    if (choice.best() == 1) return launch_rope_pairs_general(site, QKV, Freqs, Q, K, V, B, T, HKV);
    return choice.result();
}

// rope_pairs_backward: D = 128, G = 1, BT = 16
tk::status launch_rope_pairs_backward(const tk::launch_site& site, const tk::tensor& dQ,
                                      const tk::tensor& dK, const tk::tensor& dV,
                                      const tk::tensor& Freqs, const tk::tensor& dQKV, int64_t B,
                                      int64_t HKV, int64_t T) {
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&rope_pairs_backward_kernel),
                                    static_cast<int>(sizeof(rope_pairs_backward_shared)), {}, {}};
    return tk::launch_kernel(kernel, rope_pairs_backward_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(dQ), tk::cells<const tk::bf16, 4>(dK),
                             tk::cells<const tk::bf16, 4>(dV), tk::cells<const float, 2>(Freqs),
                             tk::cells<tk::bf16, 4>(dQKV), static_cast<int>(B),
                             static_cast<int>(HKV), static_cast<int>(T));
}

// rope_pairs_backward_general: D = 128, G = 1, BT = 16
tk::status launch_rope_pairs_backward_general(const tk::launch_site& site, const tk::tensor& dQ,
                                              const tk::tensor& dK, const tk::tensor& dV,
                                              const tk::tensor& Freqs, const tk::tensor& dQKV,
                                              int64_t B, int64_t HKV, int64_t T) {
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&rope_pairs_backward_general_kernel),
        static_cast<int>(sizeof(rope_pairs_backward_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, rope_pairs_backward_general_kernel, site, programs, 128,
                             tk::cells<const tk::bf16, 4>(dQ), tk::cells<const tk::bf16, 4>(dK),
                             tk::cells<const tk::bf16, 4>(dV), tk::cells<const float, 2>(Freqs),
                             tk::cells<tk::bf16, 4>(dQKV), static_cast<int>(B),
                             static_cast<int>(HKV), static_cast<int>(T));
}

tk::status run_rope_pairs_backward(const DLTensor* dQ_given, const DLTensor* dK_given,
                                   const DLTensor* dV_given, const DLTensor* Freqs_given,
                                   DLTensor* dQKV_given, cudaStream_t stream) {
    tk::arguments call{"rope_pairs_backward"};
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Freqs = call.take("Freqs", Freqs_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dQKV = call.take("dQKV", dQKV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = dQ.shape[0];
    const int64_t HKV = dQ.shape[1];
    const int64_t T = dQ.shape[2];

    call.require(dQ.shape[3] == 128, "axis 3 of `dQ` is {}; this kernel is made for 128",
                 {dQ.shape[3]});
    call.require(dK.shape[0] == B, "`B` is {} in axis 0 of `dQ`, but {} in axis 0 of `dK`",
                 {B, dK.shape[0]});
    call.require(dK.shape[1] == HKV, "`HKV` is {} in axis 1 of `dQ`, but {} in axis 1 of `dK`",
                 {HKV, dK.shape[1]});
    call.require(dK.shape[2] == T, "`T` is {} in axis 2 of `dQ`, but {} in axis 2 of `dK`",
                 {T, dK.shape[2]});
    call.require(dK.shape[3] == 128, "axis 3 of `dK` is {}; this kernel is made for 128",
                 {dK.shape[3]});
    call.require(dV.shape[0] == B, "`B` is {} in axis 0 of `dQ`, but {} in axis 0 of `dV`",
                 {B, dV.shape[0]});
    call.require(dV.shape[1] == HKV, "`HKV` is {} in axis 1 of `dQ`, but {} in axis 1 of `dV`",
                 {HKV, dV.shape[1]});
    call.require(dV.shape[2] == T, "`T` is {} in axis 2 of `dQ`, but {} in axis 2 of `dV`",
                 {T, dV.shape[2]});
    call.require(dV.shape[3] == 128, "axis 3 of `dV` is {}; this kernel is made for 128",
                 {dV.shape[3]});
    call.require(Freqs.shape[0] == T, "`T` is {} in axis 2 of `dQ`, but {} in axis 0 of `Freqs`",
                 {T, Freqs.shape[0]});
    call.require(Freqs.shape[1] == 128, "axis 1 of `Freqs` is {}; this kernel is made for 128",
                 {Freqs.shape[1]});
    call.require(dQKV.shape[0] == B, "`B` is {} in axis 0 of `dQ`, but {} in axis 0 of `dQKV`",
                 {B, dQKV.shape[0]});
    call.require(dQKV.shape[1] == T, "`T` is {} in axis 2 of `dQ`, but {} in axis 1 of `dQKV`",
                 {T, dQKV.shape[1]});
    call.require(dQKV.shape[3] == 128, "axis 3 of `dQKV` is {}; this kernel is made for 128",
                 {dQKV.shape[3]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(HKV < 2147221504, "`HKV` is {}; extents must be less than 2147221504", {HKV});
    call.require(T < 2147221504, "`T` is {}; extents must be less than 2147221504", {T});
    call.require(3 * HKV < 2147483648, "`3*HKV` reaches {}; it must fit in 32 bits", {3 * HKV});
    call.require(dQKV.shape[2] == 3 * HKV,
                 "axis 2 of `dQKV` is {}; it must be `3*HKV`, which is {}",
                 {dQKV.shape[2], 3 * HKV});
    call.require(tk::multiply(HKV, tk::ceil_div(T, 16)) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(HKV, tk::ceil_div(T, 16))});
    call.require(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B) < 2147483648,
                 "the grid has {} programs; it must have less than 2147483648",
                 {tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B)});
    call.require(HKV + (HKV - 1) < 2147483648, "`HKV + h` reaches {}; it must fit in 32 bits",
                 {HKV + (HKV - 1)});
    call.require(2 * HKV < 2147483648, "`2*HKV` reaches {}; it must fit in 32 bits", {2 * HKV});
    call.require(2 * HKV + (HKV - 1) < 2147483648, "`2*HKV + h` reaches {}; it must fit in 32 bits",
                 {2 * HKV + (HKV - 1)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // rope_pairs_backward
    choice.prefer(dQ.stride[3] == 1);
    choice.prefer(dQ.address % 16 == 0);
    choice.prefer(dQ.stride[2] % 8 == 0 && 0 < dQ.stride[2] && dQ.stride[2] < 549755813888);
    choice.prefer(dQ.stride[1] % 8 == 0 && 0 < dQ.stride[1] && dQ.stride[1] < 549755813888);
    choice.prefer(dQ.stride[0] % 8 == 0 && 0 < dQ.stride[0] && dQ.stride[0] < 549755813888);
    choice.prefer(dK.stride[3] == 1);
    choice.prefer(dK.address % 16 == 0);
    choice.prefer(dK.stride[2] % 8 == 0 && 0 < dK.stride[2] && dK.stride[2] < 549755813888);
    choice.prefer(dK.stride[1] % 8 == 0 && 0 < dK.stride[1] && dK.stride[1] < 549755813888);
    choice.prefer(dK.stride[0] % 8 == 0 && 0 < dK.stride[0] && dK.stride[0] < 549755813888);
    choice.prefer(dV.stride[3] == 1);
    choice.prefer(dV.address % 16 == 0);
    choice.prefer(dV.stride[2] % 8 == 0 && 0 < dV.stride[2] && dV.stride[2] < 549755813888);
    choice.prefer(dV.stride[1] % 8 == 0 && 0 < dV.stride[1] && dV.stride[1] < 549755813888);
    choice.prefer(dV.stride[0] % 8 == 0 && 0 < dV.stride[0] && dV.stride[0] < 549755813888);
    choice.prefer(Freqs.stride[1] == 1);
    choice.prefer(Freqs.address % 16 == 0);
    choice.prefer(Freqs.stride[0] % 4 == 0 && 0 < Freqs.stride[0] &&
                  Freqs.stride[0] < 274877906944);
    choice.prefer(dQKV.stride[3] == 1);
    choice.prefer(dQKV.address % 16 == 0);
    choice.prefer(dQKV.stride[2] % 8 == 0 && 0 < dQKV.stride[2] && dQKV.stride[2] < 549755813888);
    choice.prefer(dQKV.stride[1] % 8 == 0 && 0 < dQKV.stride[1] && dQKV.stride[1] < 549755813888);
    choice.prefer(dQKV.stride[0] % 8 == 0 && 0 < dQKV.stride[0] && dQKV.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 3996);
    choice.candidate(true);  // rope_pairs_backward_general
    choice.offer(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 3996);
    if (choice.best() == 0) {
        return launch_rope_pairs_backward(site, dQ, dK, dV, Freqs, dQKV, B, HKV, T);
    }
    if (choice.best() == 1) {
        return launch_rope_pairs_backward_general(site, dQ, dK, dV, Freqs, dQKV, B, HKV, T);
    }
    return choice.result();
}

}  // namespace

extern "C" {
int rope_pairs(const DLTensor* QKV_given, const DLTensor* Freqs_given, DLTensor* Q_given,
               DLTensor* K_given, DLTensor* V_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_rope_pairs(QKV_given, Freqs_given, Q_given, K_given, V_given, stream));
}

size_t rope_pairs_workspace(const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*) {
    return 0;
}

const char* rope_pairs_error() {
    return tk::last_sentence;
}

int rope_pairs_backward(const DLTensor* dQ_given, const DLTensor* dK_given,
                        const DLTensor* dV_given, const DLTensor* Freqs_given, DLTensor* dQKV_given,
                        void*, size_t, cudaStream_t stream) {
    return tk::finish(
        run_rope_pairs_backward(dQ_given, dK_given, dV_given, Freqs_given, dQKV_given, stream));
}

size_t rope_pairs_backward_workspace(const DLTensor*, const DLTensor*, const DLTensor*,
                                     const DLTensor*, DLTensor*) {
    return 0;
}

const char* rope_pairs_backward_error() {
    return tk::last_sentence;
}
}  // extern "C"
