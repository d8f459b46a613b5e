// Made by tkc from causal_conv_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// causal_conv_step: kernel causal_conv_step with T = bf16, TW = bf16, W = 4, SILU = true, INDEXED =
// false, BC = 256.
// 32 threads, 104 registers each: causal_conv_step_kernel<19, 8, true>.
// causal_conv_step_general: kernel causal_conv_step with T = bf16, TW = bf16, W = 4, SILU = true,
// INDEXED = false, BC = 256; any strides and alignment.
// 32 threads, 255 registers each: causal_conv_step_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(32, blocks) causal_conv_step_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X,
    const tk::tensor_argument<const tk::bf16, 2> Weight,
    const tk::tensor_argument<const tk::bf16, 1> Bias, const tk::tensor_argument<tk::bf16, 3> State,
    const tk::tensor_argument<tk::bf16, 2> Y, int B, int C, int CB, int S, int L) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(C, 256);
    const int warp = tk::warp_index();

    // causal_conv_step.tk:7: kernel causal_conv_step<T: dtype = bf16, TW: dtype = T, W: int = 4, ..
    if (warp == 0) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int c = program % c_tiles * 256;
        const int b = program / c_tiles;

        // causal_conv_step.tk:13: let slot = if INDEXED { Slot[b] } else { b };
        const int slot = b;

        // causal_conv_step.tk:14: let w: causal_conv.weights<BC> = {
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {0, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t1;
        tk::load_slice<vectors>(
            t1, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {1, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t2;
        tk::load_slice<vectors>(
            t2, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {2, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t3;
        tk::load_slice<vectors>(
            t3, tk::slice_if_vectors<vectors, tk::no_axis, 1>(Weight, {3, c}, 1, C - c), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t4;
        tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(Bias, {c}, 1, CB - c), thread);
        tk::stripe<float, 1, 256, 32, 32, vector> z;
        tk::map(z, [](tk::bf16 t4) { return float(t4); }, t4);

        // causal_conv_step.tk:18: let x = load(X[b, c]);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> x;
        tk::load_slice<vectors>(
            x, tk::slice_if_vectors<vectors, tk::no_axis, 1>(X, {b, c}, 1, C - c), thread);

        // causal_conv_step.tk:19: let z = causal_conv.before_activation<W>(w, load(State[slot, L ..
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t6;
        tk::load_slice_in_order<vectors>(
            t6,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, L - 3, c}, 1,
                                                          L - 3 > -1 && L - 3 < L
                                                          ? (slot < S ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t7;
        tk::load_slice_in_order<vectors>(
            t7,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, L - 2, c}, 1,
                                                          L - 2 > -1 && L - 2 < L
                                                          ? (slot < S ? C - c : 0) : 0), thread);
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t8;
        tk::load_slice_in_order<vectors>(
            t8,
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, L - 1, c}, 1,
                                                          L - 1 > -1 && L - 1 < L
                                                          ? (slot < S ? C - c : 0) : 0), thread);

        // causal_conv.tk:16: if W > 3 { z += w.w0 * x0; }
        tk::map(z, [](tk::bf16 t0, tk::bf16 t6, float z) {
            return tk::fma(float(t0), float(t6), z);
        }, t0, t6, z);

        // causal_conv.tk:17: if W > 2 { z += w.w1 * x1; }
        tk::map(z, [](tk::bf16 t1, tk::bf16 t7, float z) {
            return tk::fma(float(t1), float(t7), z);
        }, t1, t7, z);

        // causal_conv_step.tk:20: store(Y[b, c], T(if SILU { activation.silu(z) } else { z }));
        tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t9;
        tk::map(t9, [](tk::bf16 t3, tk::bf16 x, tk::bf16 t2, tk::bf16 t8, float z) {
            const float x_2 = tk::fma(float(t3), float(x), tk::fma(float(t2), float(t8), z));
            return tk::divide(x_2, 1.0f + tk::exp(-x_2));
        }, t3, x, t2, t8, z);
        tk::store_slice<vectors>(tk::slice_if_vectors<vectors, tk::no_axis, 1>(Y, {b, c}, 1, C - c),
                                 t9, thread);

        // causal_conv_step.tk:21: for i in L - 1 { store(State[slot, i, c], load(State[slot, i + ..
        for (int i = 0; i < L - 1; i += 1) {
            tk::stripe<tk::bf16, 1, 256, 32, 32, vector> t10;
            tk::load_slice_in_order<vectors>(
                t10,
                tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, i + 1, c}, 1,
                                                              i + 1 < L ? (slot < S ? C - c : 0)
                                                              : 0), thread);
            tk::store_slice<vectors>(
                tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, i, c}, 1,
                                                              i < L ? (slot < S ? C - c : 0) : 0),
                t10, thread);
        }

        // causal_conv_step.tk:22: store(State[slot, L - 1, c], x);
        tk::store_slice<vectors>(
            tk::slice_if_vectors<vectors, tk::no_axis, 2>(State, {slot, L - 1, c}, 1,
                                                          L - 1 > -1 && L - 1 < L
                                                          ? (slot < S ? C - c : 0) : 0), x, thread);
    }
}

extern "C" {
int causal_conv_step(const DLTensor* X_given, const DLTensor* Weight_given,
                     const DLTensor* Bias_given, const DLTensor* Slot_given, DLTensor* State_given,
                     DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"causal_conv_step"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Weight = call.take("Weight", Weight_given, tk::dtype_bf16, 2,
                                        tk::access::read);
    const tk::tensor Bias = call.take("Bias", Bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t C = X.shape[1];
    const int64_t CB = Bias.shape[0];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    const int64_t L = State.shape[1];
    call.require(
        {tk::fixed_extent(Weight, 0, 4), tk::same_extent("C", X, 1, Weight, 1),
         tk::same_extent("C", X, 1, State, 2), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("C", X, 1, Y, 1),
         tk::extents_fit({{"B", B}, {"C", C}, {"CB", CB}, {"BS", BS}, {"S", S}, {"L", L}}),
         tk::that(L >= 3, "`causal_conv_step` requires `L >= W - 1`"),
         tk::that(CB == 0 || CB == C, "`causal_conv_step` requires `CB == 0 or CB == C`"),
         tk::that(S >= B, "`causal_conv_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(C, 256), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(C, 256), B);
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Weight, "C"),
         tk::suits_fast(Bias, "CB"), tk::suits_fast(State, "C"), tk::suits_fast(Y, "C")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<causal_conv_step_kernel<19, 8, true>, causal_conv_step_kernel<1, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(32).overlapping(), programs, X, Weight, Bias,
            State, Y, B, C, CB, S, L));
}
TK_NO_WORKSPACE(causal_conv_step, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
