// Made by tkc from rope.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/tk.cuh"

// rope: kernel rope with D = 128, G = 1, BT = 16.
// 128 threads, 128 registers each.
struct rope_constants {
    static constexpr int blocks = 4, row_threads = 16, vector = 8;
    static constexpr bool vectors = true;
};
// rope_general: kernel rope with D = 128, G = 1, BT = 16; any strides and alignment.
// 128 threads, 255 registers each.
struct rope_general_constants {
    static constexpr int blocks = 1, row_threads = 32, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(128, constants::blocks) rope_kernel(
    const tk::tensor_argument<const tk::bf16, 4> QKV, const tk::tensor_argument<const float, 2> Cos,
    const tk::tensor_argument<const float, 2> Sin, const tk::tensor_argument<tk::bf16, 4> Q,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int T, int HKV) {
    const int t_tiles = tk::tiles(T, 16);

    // rope.tk:5: kernel rope<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope.tk:11: let c = load(Cos[t, :]);
    tk::stripe<float, 16, 64, 128, constants::row_threads, constants::vector> c;
    const tk::global_tile<const float> Cos_tile{tk::address(Cos, t, 0), Cos.stride[0],
                                                constants::vectors ? 1 : Cos.stride[1], T - t, 64};
    tk::load_slice<constants::vectors>(c, Cos_tile, thread);

    // rope.tk:12: let s = load(Sin[t, :]);
    tk::stripe<float, 16, 64, 128, constants::row_threads, constants::vector> s;
    const tk::global_tile<const float> Sin_tile{tk::address(Sin, t, 0), Sin.stride[0],
                                                constants::vectors ? 1 : Sin.stride[1], T - t, 64};
    tk::load_slice<constants::vectors>(s, Sin_tile, thread);

    // rope.tk:13: for i in G {
    for (int i = 0; i < 1; i += 1) {
        // rope.tk:14: let x = f32(load(QKV[b, t, G * h + i, 0 +: D/2]));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t2;
        const tk::global_tile<const tk::bf16> QKV_tile{
            tk::address(QKV, b, t, h + i, 0), QKV.stride[1], constants::vectors ? 1 : QKV.stride[3],
            h + i < 3 * HKV ? T - t : 0, 128};
        tk::load_slice<constants::vectors>(t2, QKV_tile, thread);

        // rope.tk:15: let y = f32(load(QKV[b, t, G * h + i, D/2 +: D/2]));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t3;
        const tk::global_tile<const tk::bf16> QKV_tile_2{
            tk::address(QKV, b, t, h + i, 64), QKV.stride[1],
            constants::vectors ? 1 : QKV.stride[3], h + i < 3 * HKV ? T - t : 0, 128 - 64};
        tk::load_slice<constants::vectors>(t3, QKV_tile_2, thread);

        // rope.tk:17: store(Q[b, G * h + i, t, 0 +: D/2],   bf16(r.x));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t4;
        tk::map(t4, [](tk::bf16 t3, tk::bf16 t2, float c, float s) {
            return tk::fma(float(t2), c, -(float(t3) * s));
        }, t3, t2, c, s);
        const tk::global_tile<tk::bf16> Q_tile{tk::address(Q, b, h + i, t, 0), Q.stride[2],
                                               constants::vectors ? 1 : Q.stride[3],
                                               h + i < HKV ? T - t : 0, 128};
        tk::store_slice<constants::vectors>(Q_tile, t4, thread);

        // rope.tk:18: store(Q[b, G * h + i, t, D/2 +: D/2], bf16(r.y));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t5;
        tk::map(t5, [](tk::bf16 t3, float c, tk::bf16 t2, float s) {
            return tk::fma(float(t3), c, float(t2) * s);
        }, t3, c, t2, s);
        const tk::global_tile<tk::bf16> Q_tile_2{tk::address(Q, b, h + i, t, 64), Q.stride[2],
                                                 constants::vectors ? 1 : Q.stride[3],
                                                 h + i < HKV ? T - t : 0, 128 - 64};
        tk::store_slice<constants::vectors>(Q_tile_2, t5, thread);
    }

    // rope.tk:20: let x = f32(load(QKV[b, t, G * HKV + h, 0 +: D/2]));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t6;
    const tk::global_tile<const tk::bf16> QKV_tile{
        tk::address(QKV, b, t, HKV + h, 0), QKV.stride[1], constants::vectors ? 1 : QKV.stride[3],
        HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::load_slice<constants::vectors>(t6, QKV_tile, thread);

    // rope.tk:21: let y = f32(load(QKV[b, t, G * HKV + h, D/2 +: D/2]));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t7;
    const tk::global_tile<const tk::bf16> QKV_tile_2{
        tk::address(QKV, b, t, HKV + h, 64), QKV.stride[1], constants::vectors ? 1 : QKV.stride[3],
        HKV + h < 3 * HKV ? T - t : 0, 128 - 64};
    tk::load_slice<constants::vectors>(t7, QKV_tile_2, thread);

    // rope.tk:23: store(K[b, h, t, 0 +: D/2],   bf16(r.x));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t8;
    tk::map(t8, [](tk::bf16 t7, tk::bf16 t6, float c, float s) {
        return tk::fma(float(t6), c, -(float(t7) * s));
    }, t7, t6, c, s);
    const tk::global_tile<tk::bf16> K_tile{tk::address(K, b, h, t, 0), K.stride[2],
                                           constants::vectors ? 1 : K.stride[3], T - t, 128};
    tk::store_slice<constants::vectors>(K_tile, t8, thread);

    // rope.tk:24: store(K[b, h, t, D/2 +: D/2], bf16(r.y));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t9;
    tk::map(t9, [](tk::bf16 t7, float c, tk::bf16 t6, float s) {
        return tk::fma(float(t7), c, float(t6) * s);
    }, t7, c, t6, s);
    const tk::global_tile<tk::bf16> K_tile_2{tk::address(K, b, h, t, 64), K.stride[2],
                                             constants::vectors ? 1 : K.stride[3], T - t, 128 - 64};
    tk::store_slice<constants::vectors>(K_tile_2, t9, thread);

    // rope.tk:25: store(V[b, h, t, :], load(QKV[b, t, (G + 1) * HKV + h, :]));
    tk::stripe<tk::bf16, 16, 128, 128, constants::row_threads, constants::vector> t10;
    const tk::global_tile<const tk::bf16> QKV_tile_3{
        tk::address(QKV, b, t, 2 * HKV + h, 0), QKV.stride[1],
        constants::vectors ? 1 : QKV.stride[3], 2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::load_slice<constants::vectors>(t10, QKV_tile_3, thread);
    const tk::global_tile<tk::bf16> V_tile{tk::address(V, b, h, t, 0), V.stride[2],
                                           constants::vectors ? 1 : V.stride[3], T - t, 128};
    tk::store_slice<constants::vectors>(V_tile, t10, thread);
}

// rope_backward: kernel rope_backward with D = 128, G = 1, BT = 16.
// 128 threads, 128 registers each.
struct rope_backward_constants {
    static constexpr int blocks = 4, row_threads = 16, vector = 8;
    static constexpr bool vectors = true;
};
// rope_backward_general: kernel rope_backward with D = 128, G = 1, BT = 16; any strides and
// alignment.
// 128 threads, 255 registers each.
struct rope_backward_general_constants {
    static constexpr int blocks = 1, row_threads = 32, vector = 2;
    static constexpr bool vectors = false;
};

template <class constants>
__global__ void __launch_bounds__(128, constants::blocks) rope_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dQ,
    const tk::tensor_argument<const tk::bf16, 4> dK,
    const tk::tensor_argument<const tk::bf16, 4> dV, const tk::tensor_argument<const float, 2> Cos,
    const tk::tensor_argument<const float, 2> Sin, const tk::tensor_argument<tk::bf16, 4> dQKV,
    int B, int HKV, int T) {
    const int t_tiles = tk::tiles(T, 16);

    // rope.tk:28: kernel rope_backward<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope.tk:35: let c = load(Cos[t, :]);
    tk::stripe<float, 16, 64, 128, constants::row_threads, constants::vector> c;
    const tk::global_tile<const float> Cos_tile{tk::address(Cos, t, 0), Cos.stride[0],
                                                constants::vectors ? 1 : Cos.stride[1], T - t, 64};
    tk::load_slice<constants::vectors>(c, Cos_tile, thread);

    // rope.tk:36: let s = load(Sin[t, :]);
    tk::stripe<float, 16, 64, 128, constants::row_threads, constants::vector> s;
    const tk::global_tile<const float> Sin_tile{tk::address(Sin, t, 0), Sin.stride[0],
                                                constants::vectors ? 1 : Sin.stride[1], T - t, 64};
    tk::load_slice<constants::vectors>(s, Sin_tile, thread);

    // rope.tk:37: for i in G {
    for (int i = 0; i < 1; i += 1) {
        // rope.tk:38: let x = f32(load(dQ[b, G * h + i, t, 0 +: D/2]));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t2;
        const tk::global_tile<const tk::bf16> dQ_tile{tk::address(dQ, b, h + i, t, 0), dQ.stride[2],
                                                      constants::vectors ? 1 : dQ.stride[3],
                                                      h + i < HKV ? T - t : 0, 128};
        tk::load_slice<constants::vectors>(t2, dQ_tile, thread);

        // rope.tk:39: let y = f32(load(dQ[b, G * h + i, t, D/2 +: D/2]));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t3;
        const tk::global_tile<const tk::bf16> dQ_tile_2{
            tk::address(dQ, b, h + i, t, 64), dQ.stride[2], constants::vectors ? 1 : dQ.stride[3],
            h + i < HKV ? T - t : 0, 128 - 64};
        tk::load_slice<constants::vectors>(t3, dQ_tile_2, thread);

        // rope.tk:41: store(dQKV[b, t, G * h + i, 0 +: D/2],   bf16(r.x));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t4;
        tk::map(t4, [](tk::bf16 t3, tk::bf16 t2, float c, float s) {
            return tk::fma(float(t2), c, float(t3) * s);
        }, t3, t2, c, s);
        const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, h + i, 0), dQKV.stride[1],
                                                  constants::vectors ? 1 : dQKV.stride[3],
                                                  h + i < 3 * HKV ? T - t : 0, 128};
        tk::store_slice<constants::vectors>(dQKV_tile, t4, thread);

        // rope.tk:42: store(dQKV[b, t, G * h + i, D/2 +: D/2], bf16(r.y));
        tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t5;
        tk::map(t5, [](tk::bf16 t3, float c, tk::bf16 t2, float s) {
            return tk::fma(float(t3), c, -(float(t2) * s));
        }, t3, c, t2, s);
        const tk::global_tile<tk::bf16> dQKV_tile_2{
            tk::address(dQKV, b, t, h + i, 64), dQKV.stride[1],
            constants::vectors ? 1 : dQKV.stride[3], h + i < 3 * HKV ? T - t : 0, 128 - 64};
        tk::store_slice<constants::vectors>(dQKV_tile_2, t5, thread);
    }

    // rope.tk:44: let x = f32(load(dK[b, h, t, 0 +: D/2]));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t6;
    const tk::global_tile<const tk::bf16> dK_tile{tk::address(dK, b, h, t, 0), dK.stride[2],
                                                  constants::vectors ? 1 : dK.stride[3], T - t,
                                                  128};
    tk::load_slice<constants::vectors>(t6, dK_tile, thread);

    // rope.tk:45: let y = f32(load(dK[b, h, t, D/2 +: D/2]));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t7;
    const tk::global_tile<const tk::bf16> dK_tile_2{tk::address(dK, b, h, t, 64), dK.stride[2],
                                                    constants::vectors ? 1 : dK.stride[3], T - t,
                                                    128 - 64};
    tk::load_slice<constants::vectors>(t7, dK_tile_2, thread);

    // rope.tk:47: store(dQKV[b, t, G * HKV + h, 0 +: D/2],   bf16(r.x));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t8;
    tk::map(t8, [](tk::bf16 t7, tk::bf16 t6, float c, float s) {
        return tk::fma(float(t6), c, float(t7) * s);
    }, t7, t6, c, s);
    const tk::global_tile<tk::bf16> dQKV_tile{tk::address(dQKV, b, t, HKV + h, 0), dQKV.stride[1],
                                              constants::vectors ? 1 : dQKV.stride[3],
                                              HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_slice<constants::vectors>(dQKV_tile, t8, thread);

    // rope.tk:48: store(dQKV[b, t, G * HKV + h, D/2 +: D/2], bf16(r.y));
    tk::stripe<tk::bf16, 16, 64, 128, constants::row_threads, constants::vector> t9;
    tk::map(t9, [](tk::bf16 t7, float c, tk::bf16 t6, float s) {
        return tk::fma(float(t7), c, -(float(t6) * s));
    }, t7, c, t6, s);
    const tk::global_tile<tk::bf16> dQKV_tile_2{
        tk::address(dQKV, b, t, HKV + h, 64), dQKV.stride[1],
        constants::vectors ? 1 : dQKV.stride[3], HKV + h < 3 * HKV ? T - t : 0, 128 - 64};
    tk::store_slice<constants::vectors>(dQKV_tile_2, t9, thread);

    // rope.tk:49: store(dQKV[b, t, (G + 1) * HKV + h, :], load(dV[b, h, t, :]));
    tk::stripe<tk::bf16, 16, 128, 128, constants::row_threads, constants::vector> t10;
    const tk::global_tile<const tk::bf16> dV_tile{tk::address(dV, b, h, t, 0), dV.stride[2],
                                                  constants::vectors ? 1 : dV.stride[3], T - t,
                                                  128};
    tk::load_slice<constants::vectors>(t10, dV_tile, thread);
    const tk::global_tile<tk::bf16> dQKV_tile_3{
        tk::address(dQKV, b, t, 2 * HKV + h, 0), dQKV.stride[1],
        constants::vectors ? 1 : dQKV.stride[3], 2 * HKV + h < 3 * HKV ? T - t : 0, 128};
    tk::store_slice<constants::vectors>(dQKV_tile_3, t10, thread);
}

#include "tk/host/launcher.h"

namespace {
tk::status run_rope(const DLTensor* QKV_given, const DLTensor* Cos_given, const DLTensor* Sin_given,
                    DLTensor* Q_given, DLTensor* K_given, DLTensor* V_given, cudaStream_t stream) {
    tk::arguments call{"rope"};
    const tk::tensor QKV = call.take("QKV", QKV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Cos = call.take("Cos", Cos_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sin = call.take("Sin", Sin_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = QKV.shape[0];
    const int64_t T = QKV.shape[1];
    const int64_t HKV = Q.shape[1];
    call.require(
        {tk::fixed_extent(QKV, 3, 128), tk::same_extent("T", QKV, 1, Cos, 0),
         tk::fixed_extent(Cos, 1, 64), tk::same_extent("T", QKV, 1, Sin, 0),
         tk::fixed_extent(Sin, 1, 64), tk::same_extent("B", QKV, 0, Q, 0),
         tk::same_extent("T", QKV, 1, Q, 2), tk::fixed_extent(Q, 3, 128),
         tk::same_extent("B", QKV, 0, K, 0), tk::same_extent("HKV", Q, 1, K, 1),
         tk::same_extent("T", QKV, 1, K, 2), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", QKV, 0, V, 0), tk::same_extent("HKV", Q, 1, V, 1),
         tk::same_extent("T", QKV, 1, V, 2), tk::fixed_extent(V, 3, 128),
         tk::extents_fit({{"B", B}, {"T", T}, {"HKV", HKV}}), tk::fits("3*HKV", 3 * HKV),
         tk::that(QKV.shape[2] == 3 * HKV, "axis 2 of `QKV` is {}; it must be `3*HKV`, which is {}",
                  {QKV.shape[2], 3 * HKV}),
         tk::grid_fits(tk::multiply(HKV, tk::ceil_div(T, 16)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 2147483648),
         tk::fits("HKV + h", HKV + (HKV - 1)), tk::fits("2*HKV", 2 * HKV),
         tk::fits("2*HKV + h", 2 * HKV + (HKV - 1))});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(QKV), tk::suits_fast(Cos), tk::suits_fast(Sin), tk::suits_fast(Q),
         tk::suits_fast(K), tk::suits_fast(V)});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<rope_kernel<rope_constants>>(site, 0, tk::kernel_shape(128), programs, QKV,
                                                    Cos, Sin, Q, K, V, B, T, HKV);
    }
    return tk::run<rope_kernel<rope_general_constants>>(site, 0, tk::kernel_shape(128), programs,
                                                        QKV, Cos, Sin, Q, K, V, B, T, HKV);
}

tk::status run_rope_backward(const DLTensor* dQ_given, const DLTensor* dK_given,
                             const DLTensor* dV_given, const DLTensor* Cos_given,
                             const DLTensor* Sin_given, DLTensor* dQKV_given, cudaStream_t stream) {
    tk::arguments call{"rope_backward"};
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Cos = call.take("Cos", Cos_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sin = call.take("Sin", Sin_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dQKV = call.take("dQKV", dQKV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = dQ.shape[0];
    const int64_t HKV = dQ.shape[1];
    const int64_t T = dQ.shape[2];
    call.require(
        {tk::fixed_extent(dQ, 3, 128), tk::same_extent("B", dQ, 0, dK, 0),
         tk::same_extent("HKV", dQ, 1, dK, 1), tk::same_extent("T", dQ, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", dQ, 0, dV, 0),
         tk::same_extent("HKV", dQ, 1, dV, 1), tk::same_extent("T", dQ, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("T", dQ, 2, Cos, 0),
         tk::fixed_extent(Cos, 1, 64), tk::same_extent("T", dQ, 2, Sin, 0),
         tk::fixed_extent(Sin, 1, 64), tk::same_extent("B", dQ, 0, dQKV, 0),
         tk::same_extent("T", dQ, 2, dQKV, 1), tk::fixed_extent(dQKV, 3, 128),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"T", T}}), tk::fits("3*HKV", 3 * HKV),
         tk::that(dQKV.shape[2] == 3 * HKV,
                  "axis 2 of `dQKV` is {}; it must be `3*HKV`, which is {}",
                  {dQKV.shape[2], 3 * HKV}),
         tk::grid_fits(tk::multiply(HKV, tk::ceil_div(T, 16)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B), 2147483648),
         tk::fits("HKV + h", HKV + (HKV - 1)), tk::fits("2*HKV", 2 * HKV),
         tk::fits("2*HKV + h", 2 * HKV + (HKV - 1))});
    if (!call.ok()) return call.result();
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(dQ), tk::suits_fast(dK), tk::suits_fast(dV), tk::suits_fast(Cos),
         tk::suits_fast(Sin), tk::suits_fast(dQKV)});

    const tk::launch_scope site{call.device(), stream};
    TK_RETURN_IF_FAILED(site.result());
    if (fast) {
        return tk::run<rope_backward_kernel<rope_backward_constants>>(
            site, 0, tk::kernel_shape(128), programs, dQ, dK, dV, Cos, Sin, dQKV, B, HKV, T);
    }
    return tk::run<rope_backward_kernel<rope_backward_general_constants>>(
        site, 0, tk::kernel_shape(128), programs, dQ, dK, dV, Cos, Sin, dQKV, B, HKV, T);
}

}  // namespace

extern "C" {
int rope(const DLTensor* QKV_given, const DLTensor* Cos_given, const DLTensor* Sin_given,
         DLTensor* Q_given, DLTensor* K_given, DLTensor* V_given, void*, size_t,
         cudaStream_t stream) {
    return tk::finish(run_rope(QKV_given, Cos_given, Sin_given, Q_given, K_given, V_given, stream));
}
TK_NO_WORKSPACE(rope, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)

int rope_backward(const DLTensor* dQ_given, const DLTensor* dK_given, const DLTensor* dV_given,
                  const DLTensor* Cos_given, const DLTensor* Sin_given, DLTensor* dQKV_given, void*,
                  size_t, cudaStream_t stream) {
    return tk::finish(
        run_rope_backward(dQ_given, dK_given, dV_given, Cos_given, Sin_given, dQKV_given, stream));
}
TK_NO_WORKSPACE(rope_backward, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
