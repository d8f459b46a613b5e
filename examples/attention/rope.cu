// Made by tkc from rope.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// rope: kernel rope with D = 128, G = 1, BT = 16.
// 128 threads, 96 registers each: rope_kernel<5, 16, 8, true>.
// rope_general: kernel rope with D = 128, G = 1, BT = 16; any strides and alignment.
// 128 threads, 255 registers each: rope_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rope_kernel(
    const tk::tensor_argument<const tk::bf16, 4> QKV, const tk::tensor_argument<const float, 2> Cos,
    const tk::tensor_argument<const float, 2> Sin, const tk::tensor_argument<tk::bf16, 4> Q,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int T, int HKV) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 16);

    // rope.tk:5: kernel rope<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope.tk:11: let c = load(Cos[t, :]);
    tk::stripe<float, 16, 64, 128, row_threads, vector> c;
    tk::load_slice<vectors>(c, tk::slice_if_dense<vectors>(Cos, {t, 0}, T - t, 64), thread);

    // rope.tk:12: let s = load(Sin[t, :]);
    tk::stripe<float, 16, 64, 128, row_threads, vector> s;
    tk::load_slice<vectors>(s, tk::slice_if_dense<vectors>(Sin, {t, 0}, T - t, 64), thread);

    // rope.tk:13: for i in G {
    for (int i = 0; i < 1; i += 1) {
        // rope.tk:14: let x = f32(load(QKV[b, t, G * h + i, 0 +: D / 2]));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t2;
        tk::load_slice<vectors>(t2,
                                tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, h + i, 0},
                                                                  h + i < 3 * HKV ? T - t : 0, 128),
                                thread);

        // rope.tk:15: let y = f32(load(QKV[b, t, G * h + i, D / 2 +: D / 2]));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t3;
        tk::load_slice<vectors>(t3,
                                tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, h + i, 64},
                                                                  h + i < 3 * HKV ? T - t : 0,
                                                                  128 - 64), thread);

        // rope.tk:17: store(Q[b, G * h + i, t, 0 +: D / 2],     bf16(r.x));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t4;
        tk::map(t4, [](tk::bf16 t3, tk::bf16 t2, float c, float s) {
            return tk::fma(float(t2), c, -(float(t3) * s));
        }, t3, t2, c, s);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(Q, {b, h + i, t, 0}, h + i < HKV ? T - t : 0, 128), t4,
            thread);

        // rope.tk:18: store(Q[b, G * h + i, t, D / 2 +: D / 2], bf16(r.y));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t5;
        tk::map(t5, [](tk::bf16 t3, float c, tk::bf16 t2, float s) {
            return tk::fma(float(t3), c, float(t2) * s);
        }, t3, c, t2, s);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(Q, {b, h + i, t, 64}, h + i < HKV ? T - t : 0, 128 - 64),
            t5, thread);
    }

    // rope.tk:20: let x = f32(load(QKV[b, t, G * HKV + h, 0 +: D / 2]));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6,
                            tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, HKV + h, 0},
                                                              HKV + h < 3 * HKV ? T - t : 0, 128),
                            thread);

    // rope.tk:21: let y = f32(load(QKV[b, t, G * HKV + h, D / 2 +: D / 2]));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t7;
    tk::load_slice<vectors>(t7,
                            tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, HKV + h, 64},
                                                              HKV + h < 3 * HKV ? T - t : 0,
                                                              128 - 64), thread);

    // rope.tk:23: store(K[b, h, t, 0 +: D / 2],     bf16(r.x));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t8;
    tk::map(t8, [](tk::bf16 t7, tk::bf16 t6, float c, float s) {
        return tk::fma(float(t6), c, -(float(t7) * s));
    }, t7, t6, c, s);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(K, {b, h, t, 0}, T - t, 128), t8, thread);

    // rope.tk:24: store(K[b, h, t, D / 2 +: D / 2], bf16(r.y));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t9;
    tk::map(t9, [](tk::bf16 t7, float c, tk::bf16 t6, float s) {
        return tk::fma(float(t7), c, float(t6) * s);
    }, t7, c, t6, s);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(K, {b, h, t, 64}, T - t, 128 - 64), t9,
                             thread);

    // rope.tk:25: store(V[b, h, t, :], load(QKV[b, t, (G + 1) * HKV + h, :]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t10;
    tk::load_slice<vectors>(t10,
                            tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, 2 * HKV + h, 0},
                                                              2 * HKV + h < 3 * HKV ? T - t : 0,
                                                              128), thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(V, {b, h, t, 0}, T - t, 128), t10, thread);
}

// rope_backward: kernel rope_backward with D = 128, G = 1, BT = 16.
// 128 threads, 96 registers each: rope_backward_kernel<5, 16, 8, true>.
// rope_backward_general: kernel rope_backward with D = 128, G = 1, BT = 16; any strides and
// alignment.
// 128 threads, 255 registers each: rope_backward_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rope_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dQ,
    const tk::tensor_argument<const tk::bf16, 4> dK,
    const tk::tensor_argument<const tk::bf16, 4> dV, const tk::tensor_argument<const float, 2> Cos,
    const tk::tensor_argument<const float, 2> Sin, const tk::tensor_argument<tk::bf16, 4> dQKV,
    int B, int HKV, int T) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 16);

    // rope.tk:28: kernel rope_backward<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope.tk:35: let c = load(Cos[t, :]);
    tk::stripe<float, 16, 64, 128, row_threads, vector> c;
    tk::load_slice<vectors>(c, tk::slice_if_dense<vectors>(Cos, {t, 0}, T - t, 64), thread);

    // rope.tk:36: let s = load(Sin[t, :]);
    tk::stripe<float, 16, 64, 128, row_threads, vector> s;
    tk::load_slice<vectors>(s, tk::slice_if_dense<vectors>(Sin, {t, 0}, T - t, 64), thread);

    // rope.tk:37: for i in G {
    for (int i = 0; i < 1; i += 1) {
        // rope.tk:38: let x = f32(load(dQ[b, G * h + i, t, 0 +: D / 2]));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t2;
        tk::load_slice<vectors>(t2,
                                tk::slice_if_dense<vectors>(dQ, {b, h + i, t, 0},
                                                            h + i < HKV ? T - t : 0, 128), thread);

        // rope.tk:39: let y = f32(load(dQ[b, G * h + i, t, D / 2 +: D / 2]));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t3;
        tk::load_slice<vectors>(t3,
                                tk::slice_if_dense<vectors>(dQ, {b, h + i, t, 64},
                                                            h + i < HKV ? T - t : 0, 128 - 64),
                                thread);

        // rope.tk:41: store(dQKV[b, t, G * h + i, 0 +: D / 2],     bf16(r.x));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t4;
        tk::map(t4, [](tk::bf16 t3, tk::bf16 t2, float c, float s) {
            return tk::fma(float(t2), c, float(t3) * s);
        }, t3, t2, c, s);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, h + i, 0}, h + i < 3 * HKV ? T - t : 0,
                                              128), t4, thread);

        // rope.tk:42: store(dQKV[b, t, G * h + i, D / 2 +: D / 2], bf16(r.y));
        tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t5;
        tk::map(t5, [](tk::bf16 t3, float c, tk::bf16 t2, float s) {
            return tk::fma(float(t3), c, -(float(t2) * s));
        }, t3, c, t2, s);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, h + i, 64}, h + i < 3 * HKV ? T - t : 0,
                                              128 - 64), t5, thread);
    }

    // rope.tk:44: let x = f32(load(dK[b, h, t, 0 +: D / 2]));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_dense<vectors>(dK, {b, h, t, 0}, T - t, 128), thread);

    // rope.tk:45: let y = f32(load(dK[b, h, t, D / 2 +: D / 2]));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t7;
    tk::load_slice<vectors>(t7, tk::slice_if_dense<vectors>(dK, {b, h, t, 64}, T - t, 128 - 64),
                            thread);

    // rope.tk:47: store(dQKV[b, t, G * HKV + h, 0 +: D / 2],     bf16(r.x));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t8;
    tk::map(t8, [](tk::bf16 t7, tk::bf16 t6, float c, float s) {
        return tk::fma(float(t6), c, float(t7) * s);
    }, t7, t6, c, s);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, HKV + h, 0}, HKV + h < 3 * HKV ? T - t : 0,
                                          128), t8, thread);

    // rope.tk:48: store(dQKV[b, t, G * HKV + h, D / 2 +: D / 2], bf16(r.y));
    tk::stripe<tk::bf16, 16, 64, 128, row_threads, vector> t9;
    tk::map(t9, [](tk::bf16 t7, float c, tk::bf16 t6, float s) {
        return tk::fma(float(t7), c, -(float(t6) * s));
    }, t7, c, t6, s);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, HKV + h, 64}, HKV + h < 3 * HKV ? T - t : 0,
                                          128 - 64), t9, thread);

    // rope.tk:49: store(dQKV[b, t, (G + 1) * HKV + h, :], load(dV[b, h, t, :]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t10;
    tk::load_slice<vectors>(t10, tk::slice_if_dense<vectors>(dV, {b, h, t, 0}, T - t, 128), thread);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, 2 * HKV + h, 0},
                                          2 * HKV + h < 3 * HKV ? T - t : 0, 128), t10, thread);
}

extern "C" {
int rope(const DLTensor* QKV_given, const DLTensor* Cos_given, const DLTensor* Sin_given,
         DLTensor* Q_given, DLTensor* K_given, DLTensor* V_given, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"rope"};
    const tk::tensor QKV = call.take("QKV", QKV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Cos = call.take("Cos", Cos_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sin = call.take("Sin", Sin_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
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
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(QKV), tk::suits_fast(Cos), tk::suits_fast(Sin), tk::suits_fast(Q),
         tk::suits_fast(K), tk::suits_fast(V)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<rope_kernel<5, 16, 8, true>, rope_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, QKV, Cos, Sin, Q, K,
        V, B, T, HKV));
}
TK_NO_WORKSPACE(rope, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)

int rope_backward(const DLTensor* dQ_given, const DLTensor* dK_given, const DLTensor* dV_given,
                  const DLTensor* Cos_given, const DLTensor* Sin_given, DLTensor* dQKV_given, void*,
                  size_t, cudaStream_t stream) {
    tk::arguments call{"rope_backward"};
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Cos = call.take("Cos", Cos_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Sin = call.take("Sin", Sin_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor dQKV = call.take("dQKV", dQKV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
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
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(HKV, tk::ceil_div(T, 16)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(dQ), tk::suits_fast(dK), tk::suits_fast(dV), tk::suits_fast(Cos),
         tk::suits_fast(Sin), tk::suits_fast(dQKV)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rope_backward_kernel<5, 16, 8, true>, rope_backward_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, dQ, dK, dV, Cos,
            Sin, dQKV, B, HKV, T));
}
TK_NO_WORKSPACE(rope_backward, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
