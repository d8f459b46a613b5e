// Made by tkc from rope_pairs.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/exchange.cuh"
#include "tk/tk.cuh"

// rope_pairs: kernel rope_pairs with D = 128, G = 1, BT = 16.
// 128 threads, 96 registers each: rope_pairs_kernel<5, 16, 8, true>.
// rope_pairs_general: kernel rope_pairs with D = 128, G = 1, BT = 16; any strides and alignment.
// 128 threads, 255 registers each: rope_pairs_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rope_pairs_kernel(
    const tk::tensor_argument<const tk::bf16, 4> QKV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> Q,
    const tk::tensor_argument<tk::bf16, 4> K, const tk::tensor_argument<tk::bf16, 4> V, int B,
    int T, int HKV) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:5: kernel rope_pairs<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:11: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, row_threads, vector> f;
    tk::load_slice<vectors>(f, tk::slice_if_dense<vectors>(Freqs, {t, 0}, T - t, 128), thread);

    // rope_pairs.tk:12: for i in G { store(Q[b, G * h + i, t, :], ..
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
        tk::load_slice<vectors>(t1,
                                tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, h + i, 0},
                                                                  h + i < 3 * HKV ? T - t : 0, 128),
                                thread);

        // <std.rope>:25: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, row_threads, vector> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:26: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) * ..
        tk::stripe<float, 16, 128, 128, row_threads, vector> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, row_threads, vector> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:12
        tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? -g : f));
        }, t1, f, g, t4);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors>(Q, {b, h + i, t, 0}, h + i < HKV ? T - t : 0, 128), t5,
            thread);
    }

    // rope_pairs.tk:13: store(K[b, h, t, :], bf16(rope.turn_pairs(f32(load(QKV[b, t, G * HKV + ..
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6,
                            tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, HKV + h, 0},
                                                              HKV + h < 3 * HKV ? T - t : 0, 128),
                            thread);
    // <std.rope>:25
    tk::stripe<float, 16, 128, 128, row_threads, vector> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:26
    tk::stripe<float, 16, 128, 128, row_threads, vector> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, row_threads, vector> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:13
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? -g_2 : f));
    }, t6, f, g_2, t9);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(K, {b, h, t, 0}, T - t, 128), t10, thread);

    // rope_pairs.tk:14: store(V[b, h, t, :], load(QKV[b, t, (G + 1) * HKV + h, :]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t11;
    tk::load_slice<vectors>(t11,
                            tk::slice_if_dense<vectors, 1, 3>(QKV, {b, t, 2 * HKV + h, 0},
                                                              2 * HKV + h < 3 * HKV ? T - t : 0,
                                                              128), thread);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors>(V, {b, h, t, 0}, T - t, 128), t11, thread);
}

// rope_pairs_backward: kernel rope_pairs_backward with D = 128, G = 1, BT = 16.
// 128 threads, 96 registers each: rope_pairs_backward_kernel<5, 16, 8, true>.
// rope_pairs_backward_general: kernel rope_pairs_backward with D = 128, G = 1, BT = 16; any strides
// and alignment.
// 128 threads, 255 registers each: rope_pairs_backward_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rope_pairs_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dQ,
    const tk::tensor_argument<const tk::bf16, 4> dK,
    const tk::tensor_argument<const tk::bf16, 4> dV,
    const tk::tensor_argument<const float, 2> Freqs, const tk::tensor_argument<tk::bf16, 4> dQKV,
    int B, int HKV, int T) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(T, 16);

    // rope_pairs.tk:17: kernel rope_pairs_backward<D: int = 128, G: int = 1, BT: int = 16>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % HKV;
    const int t = program / HKV % t_tiles * 16;
    const int b = program / (HKV * t_tiles);

    // rope_pairs.tk:24: let f = load(Freqs[t, :]);
    tk::stripe<float, 16, 128, 128, row_threads, vector> f;
    tk::load_slice<vectors>(f, tk::slice_if_dense<vectors>(Freqs, {t, 0}, T - t, 128), thread);

    // rope_pairs.tk:25: for i in G { store(dQKV[b, t, G * h + i, :], ..
    for (int i = 0; i < 1; i += 1) {
        tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t1;
        tk::load_slice<vectors>(t1,
                                tk::slice_if_dense<vectors>(dQ, {b, h + i, t, 0},
                                                            h + i < HKV ? T - t : 0, 128), thread);

        // <std.rope>:31: let g     = exchange(f, axis = 1, bit = 0);
        tk::stripe<float, 16, 128, 128, row_threads, vector> g;
        tk::exchange_columns<0>(g, f);

        // <std.rope>:32: return x * where(first, f, g) + exchange(x, axis = 1, bit = 0) * ..
        tk::stripe<float, 16, 128, 128, row_threads, vector> t3 = tk::convert<float>(t1);
        tk::stripe<float, 16, 128, 128, row_threads, vector> t4;
        tk::exchange_columns<0>(t4, t3);
        // rope_pairs.tk:25
        tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t5;
        tk::map(t5, thread, [](int, int col, tk::bf16 t1, float f, float g, float t4) {
            const bool x = col % 2 == 0;
            return tk::fma(float(t1), x ? f : g, t4 * (x ? g : -f));
        }, t1, f, g, t4);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, h + i, 0}, h + i < 3 * HKV ? T - t : 0,
                                              128), t5, thread);
    }

    // rope_pairs.tk:26: store(dQKV[b, t, G * HKV + h, :], bf16(rope.back_pairs(f32(load(dK[b, h, ..
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_dense<vectors>(dK, {b, h, t, 0}, T - t, 128), thread);
    // <std.rope>:31
    tk::stripe<float, 16, 128, 128, row_threads, vector> g_2;
    tk::exchange_columns<0>(g_2, f);
    // <std.rope>:32
    tk::stripe<float, 16, 128, 128, row_threads, vector> t8 = tk::convert<float>(t6);
    tk::stripe<float, 16, 128, 128, row_threads, vector> t9;
    tk::exchange_columns<0>(t9, t8);
    // rope_pairs.tk:26
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t10;
    tk::map(t10, thread, [](int, int col, tk::bf16 t6, float f, float g_2, float t9) {
        const bool x = col % 2 == 0;
        return tk::fma(float(t6), x ? f : g_2, t9 * (x ? g_2 : -f));
    }, t6, f, g_2, t9);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, HKV + h, 0}, HKV + h < 3 * HKV ? T - t : 0,
                                          128), t10, thread);

    // rope_pairs.tk:27: store(dQKV[b, t, (G + 1) * HKV + h, :], load(dV[b, h, t, :]));
    tk::stripe<tk::bf16, 16, 128, 128, row_threads, vector> t11;
    tk::load_slice<vectors>(t11, tk::slice_if_dense<vectors>(dV, {b, h, t, 0}, T - t, 128), thread);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dQKV, {b, t, 2 * HKV + h, 0},
                                          2 * HKV + h < 3 * HKV ? T - t : 0, 128), t11, thread);
}

extern "C" {
int rope_pairs(const DLTensor* QKV_given, const DLTensor* Freqs_given, DLTensor* Q_given,
               DLTensor* K_given, DLTensor* V_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rope_pairs"};
    const tk::tensor QKV = call.take("QKV", QKV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Freqs = call.take("Freqs", Freqs_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = QKV.shape[0];
    const int64_t T = QKV.shape[1];
    const int64_t HKV = Q.shape[1];
    call.require(
        {tk::fixed_extent(QKV, 3, 128), tk::same_extent("T", QKV, 1, Freqs, 0),
         tk::fixed_extent(Freqs, 1, 128), tk::same_extent("B", QKV, 0, Q, 0),
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
        {tk::suits_fast(QKV), tk::suits_fast(Freqs), tk::suits_fast(Q), tk::suits_fast(K),
         tk::suits_fast(V)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rope_pairs_kernel<5, 16, 8, true>, rope_pairs_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, QKV, Freqs, Q, K,
            V, B, T, HKV));
}
TK_NO_WORKSPACE(rope_pairs, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int rope_pairs_backward(const DLTensor* dQ_given, const DLTensor* dK_given,
                        const DLTensor* dV_given, const DLTensor* Freqs_given, DLTensor* dQKV_given,
                        void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rope_pairs_backward"};
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Freqs = call.take("Freqs", Freqs_given, tk::dtype_f32, 2, tk::access::read);
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
         tk::fixed_extent(dV, 3, 128), tk::same_extent("T", dQ, 2, Freqs, 0),
         tk::fixed_extent(Freqs, 1, 128), tk::same_extent("B", dQ, 0, dQKV, 0),
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
        {tk::suits_fast(dQ), tk::suits_fast(dK), tk::suits_fast(dV), tk::suits_fast(Freqs),
         tk::suits_fast(dQKV)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<rope_pairs_backward_kernel<5, 16, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), programs, dQ, dK, dV, Freqs, dQKV, B, HKV,
            T));
    }
    return tk::finish(tk::run<rope_pairs_backward_kernel<1, 32, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), programs, dQ, dK, dV, Freqs, dQKV, B, HKV,
        T));
}
TK_NO_WORKSPACE(rope_pairs_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)
}  // extern "C"
