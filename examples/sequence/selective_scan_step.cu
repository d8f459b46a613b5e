// Made by tkc from selective_scan_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// selective_scan_step: kernel selective_scan_step with T = bf16, TD = bf16, TB = bf16, TS = f32, N
// = 16, GATED = false, SOFTPLUS = true, INDEXED = false, ROWS = 128.
// 128 threads, 72 registers each: selective_scan_step_kernel<7, 128, 2, 8, true>.
// selective_scan_step_general: kernel selective_scan_step with T = bf16, TD = bf16, TB = bf16, TS =
// f32, N = 16, GATED = false, SOFTPLUS = true, INDEXED = false, ROWS = 128; any strides and
// alignment.
// 128 threads, 255 registers each: selective_scan_step_kernel<1, 128, 8, 2, false>.
// selective_scan_step_narrow: kernel selective_scan_step with T = bf16, TD = bf16, TB = bf16, TS =
// f32, N = 16, GATED = false, SOFTPLUS = true, INDEXED = false, ROWS = 32.
// 128 threads, 56 registers each: selective_scan_step_kernel<9, 32, 2, 8, true>.
// selective_scan_step_narrow_general: kernel selective_scan_step with T = bf16, TD = bf16, TB =
// bf16, TS = f32, N = 16, GATED = false, SOFTPLUS = true, INDEXED = false, ROWS = 32; any strides
// and alignment.
// 128 threads, 255 registers each: selective_scan_step_kernel<1, 32, 8, 2, false>.
template <int blocks, int ROWS, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) selective_scan_step_kernel(
    const tk::tensor_argument<const tk::bf16, 3> X, const tk::tensor_argument<const tk::bf16, 3> Dt,
    const tk::tensor_argument<const float, 3> A, const tk::tensor_argument<const tk::bf16, 3> Bm,
    const tk::tensor_argument<const tk::bf16, 3> C, const tk::tensor_argument<const float, 2> D,
    const tk::tensor_argument<const float, 2> bias, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<tk::bf16, 3> Y, int B, int G, int CG, int S) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(CG, ROWS);

    // selective_scan_step.tk:9: kernel selective_scan_step<T: dtype = bf16, TD: dtype = T, TB: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * ROWS;
    const int g = program / d_tiles % G;
    const int b = program / (d_tiles * G);

    // selective_scan_step.tk:17: let slot = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // selective_scan_step.tk:18: let h  = load(State[slot, g, d, :]);
    tk::stripe<float, ROWS, 16, 128, row_threads, vector> h;
    tk::load_slice_in_order<vectors>(
        h, tk::slice_if_dense<vectors>(State, {slot, g, d, 0}, slot < S ? CG - d : 0, 16), thread);

    // selective_scan_step.tk:19: let s  = f32(column(load(Dt[b, g, d]))) + column(load(bias[g, ..
    tk::stripe<tk::bf16, ROWS, 1, 128, row_threads, vector> t1;
    tk::load_global(t1, tk::slice<2, tk::no_axis>(Dt, {b, g, d}, CG - d, 1), thread);
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> t2;
    tk::load_global(t2, tk::slice<1, tk::no_axis>(bias, {g, d}, CG - d, 1), thread);

    // selective_scan_step.tk:20: let dt = if SOFTPLUS { activation.softplus(s) } else { s };
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> dt;
    tk::map(dt, [](tk::bf16 t1, float t2) {
        const float x_2 = float(t1) + t2;
        const float x_3 = tk::exp(-tk::abs(x_2));
        const float x_4 = tk::divide(x_3, 2.0f + x_3);
        const float x_5 = x_4 * x_4;
        return tk::fma(2.0f * x_4,
                       tk::fma(x_5,
                               tk::fma(x_5,
                                       tk::fma(x_5,
                                               tk::fma(x_5,
                                                       tk::fma(x_5,
                                                               tk::fma(x_5, tk::divide(1.0f, 13.0f),
                                                                       tk::divide(1.0f, 11.0f)),
                                                               tk::divide(1.0f, 9.0f)),
                                                       tk::divide(1.0f, 7.0f)),
                                               tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)),
                               1.0f), tk::max(x_2, 0.0f));
    }, t1, t2);

    // selective_scan_step.tk:21: let x  = f32(column(load(X[b, g, d])));
    tk::stripe<tk::bf16, ROWS, 1, 128, row_threads, vector> t3;
    tk::load_global(t3, tk::slice<2, tk::no_axis>(X, {b, g, d}, CG - d, 1), thread);
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> x;
    tk::map(x, [](tk::bf16 t3) { return float(t3); }, t3);

    // selective_scan_step.tk:22: let n  = h * exp(dt * load(A[g, d, :])) + x * dt * load(Bm[b, ..
    tk::stripe<float, ROWS, 16, 128, row_threads, vector> t4;
    tk::load_slice<vectors>(t4, tk::slice_if_dense<vectors>(A, {g, d, 0}, CG - d, 16), thread);
    tk::stripe<tk::bf16, 1, 16, 128, row_threads, vector> t5;
    tk::load_slice<vectors>(t5, tk::slice_if_dense<vectors, tk::no_axis, 2>(Bm, {b, g, 0}, 1, 16),
                            thread);
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> t0;
    tk::map(t0, [](float x, float dt) { return x * dt; }, x, dt);
    tk::stripe<float, ROWS, 16, 128, row_threads, vector> n;
    tk::map(n, [](float h, float dt, float t4, float t0, tk::bf16 t5) {
        return tk::fma(h, tk::exp(dt * t4), t0 * float(t5));
    }, h, dt, t4, t0, t5);

    // selective_scan_step.tk:23: store(State[slot, g, d, :], TS(n));
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors>(State, {slot, g, d, 0}, slot < S ? CG - d : 0, 16), n, thread);

    // selective_scan_step.tk:24: var y = sum(n * load(C[b, g, :]), axis = 1) + column(load(D[g, ..
    tk::stripe<tk::bf16, 1, 16, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_dense<vectors, tk::no_axis, 2>(C, {b, g, 0}, 1, 16),
                            thread);
    tk::stripe<float, ROWS, 16, 128, row_threads, vector> t7;
    tk::map(t7, [](float n, tk::bf16 t6) { return n * float(t6); }, n, t6);
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> t8;
    tk::fold_rows(t8, t7, tk::plus{}, thread);
    tk::finish_rows(t8, tk::plus{});
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> t9;
    tk::load_global(t9, tk::slice<1, tk::no_axis>(D, {g, d}, CG - d, 1), thread);
    tk::stripe<float, ROWS, 1, 128, row_threads, vector> y;
    tk::map(y, [](tk::bf16 t3, float t9, float t8) { return tk::fma(t9, float(t3), t8); },
            t3, t9, t8);

    // selective_scan_step.tk:26: store(Y[b, g, d], T(y));
    tk::stripe<tk::bf16, ROWS, 1, 128, row_threads, vector> t10;
    tk::map(t10, [](float y) { return y; }, y);
    tk::store_global(tk::slice<2, tk::no_axis>(Y, {b, g, d}, CG - d, 1), t10, thread);
}

namespace {
int run_selective_scan_step(
    const char* function, tk::candidates offered, const DLTensor* X_given, const DLTensor* Dt_given,
    const DLTensor* A_given, const DLTensor* Bm_given, const DLTensor* C_given,
    const DLTensor* D_given, const DLTensor* Z_given, const DLTensor* bias_given,
    const DLTensor* Slot_given, DLTensor* State_given, DLTensor* Y_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t G = X.shape[1];
    const int64_t CG = X.shape[2];
    const int64_t BZ = Z.shape[0];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Dt, 0), tk::same_extent("G", X, 1, Dt, 1),
         tk::same_extent("CG", X, 2, Dt, 2), tk::same_extent("G", X, 1, A, 0),
         tk::same_extent("CG", X, 2, A, 1), tk::fixed_extent(A, 2, 16),
         tk::same_extent("B", X, 0, Bm, 0), tk::same_extent("G", X, 1, Bm, 1),
         tk::fixed_extent(Bm, 2, 16), tk::same_extent("B", X, 0, C, 0),
         tk::same_extent("G", X, 1, C, 1), tk::fixed_extent(C, 2, 16),
         tk::same_extent("G", X, 1, D, 0), tk::same_extent("CG", X, 2, D, 1),
         tk::same_extent("G", X, 1, Z, 1), tk::same_extent("CG", X, 2, Z, 2),
         tk::same_extent("G", X, 1, bias, 0), tk::same_extent("CG", X, 2, bias, 1),
         tk::same_extent("G", X, 1, State, 1), tk::same_extent("CG", X, 2, State, 2),
         tk::fixed_extent(State, 3, 16), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("G", X, 1, Y, 1), tk::same_extent("CG", X, 2, Y, 2),
         tk::extents_fit({{"B", B}, {"G", G}, {"CG", CG}, {"BZ", BZ}, {"BS", BS}, {"S", S}}),
         tk::that(S >= B,
                  "`selective_scan_step` requires `if INDEXED { BS >= B } else { S >= B }`")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // selective_scan_step
    choice.prefer(
        {tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(State)});
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), B), 3758, 2147483648);
    choice.candidate();  // selective_scan_step_narrow
    choice.prefer(
        {tk::suits_fast(A), tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(State)});
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2068, 2147483648);
    choice.candidate(true);  // selective_scan_step_general
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(CG, 128), G), 2147483648)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), B), 3758, 2147483648);
    choice.candidate(true);  // selective_scan_step_narrow_general
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(CG, 32), G), 2147483648)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), 2068, 2147483648);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<selective_scan_step_kernel<7, 128, 2, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), B), X, Dt, A, Bm, C, D, bias,
            State, Y, B, G, CG, S));
    }
    if (best == 1) {
        return tk::finish(tk::run<selective_scan_step_kernel<9, 32, 2, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), X, Dt, A, Bm, C, D, bias, State,
            Y, B, G, CG, S));
    }
    if (best == 2) {
        return tk::finish(tk::run<selective_scan_step_kernel<1, 128, 8, 2, false>>(
            site, 0, tk::kernel_shape(128).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(CG, 128), G), B), X, Dt, A, Bm, C, D, bias,
            State, Y, B, G, CG, S));
    }
    return tk::finish(tk::run<selective_scan_step_kernel<1, 32, 8, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(CG, 32), G), B), X, Dt, A, Bm, C, D, bias, State, Y,
        B, G, CG, S));
}

}  // namespace

extern "C" {
int selective_scan_step(const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
                        const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                        const DLTensor* Z_given, const DLTensor* bias_given,
                        const DLTensor* Slot_given, DLTensor* State_given, DLTensor* Y_given, void*,
                        size_t, cudaStream_t stream) {
    return run_selective_scan_step("selective_scan_step", {0, 1, 2, 3}, X_given, Dt_given, A_given,
                                   Bm_given, C_given, D_given, Z_given, bias_given, Slot_given,
                                   State_given, Y_given, stream);
}
TK_NO_WORKSPACE(selective_scan_step, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)

int selective_scan_step_narrow(
    const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
    const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* Slot_given,
    DLTensor* State_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    return run_selective_scan_step("selective_scan_step_narrow", {1, 3}, X_given, Dt_given, A_given,
                                   Bm_given, C_given, D_given, Z_given, bias_given, Slot_given,
                                   State_given, Y_given, stream);
}
TK_NO_WORKSPACE(selective_scan_step_narrow, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
