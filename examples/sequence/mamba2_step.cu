// Made by tkc from mamba2_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// mamba2_step: kernel mamba2_step with T = bf16, TDT = bf16, TS = f32, P = 64, N = 128, GATED =
// false, SOFTPLUS = true, INDEXED = false, ROWS = 32.
// 128 threads, 80 registers each: mamba2_step_kernel<6, 16, 8, true>.
// mamba2_step_general: kernel mamba2_step with T = bf16, TDT = bf16, TS = f32, P = 64, N = 128,
// GATED = false, SOFTPLUS = true, INDEXED = false, ROWS = 32; any strides and alignment.
// 128 threads, 255 registers each: mamba2_step_kernel<1, 32, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) mamba2_step_kernel(
    const tk::tensor_argument<const tk::bf16, 2> X, const tk::tensor_argument<const tk::bf16, 2> Dt,
    const tk::tensor_argument<const float, 1> A, const tk::tensor_argument<const tk::bf16, 3> Bm,
    const tk::tensor_argument<const tk::bf16, 3> C, const tk::tensor_argument<const float, 1> D,
    const tk::tensor_argument<const float, 1> bias, const tk::tensor_argument<float, 3> State,
    const tk::tensor_argument<tk::bf16, 2> Y, int B, int H, int GR, int S) {
    tk::wait_for_previous_kernel();

    const int r_tiles = tk::tiles(H * 64, 32);

    // mamba2_step.tk:9: kernel mamba2_step<T: dtype = bf16, TDT: dtype = bf16, TS: dtype = f32, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % r_tiles * 32;
    const int b = program / r_tiles;

    // mamba2_step.tk:17: let h     = r.start // P;
    const int h = r / 64;

    // mamba2_step.tk:18: let group = h // (H / GR);
    const int group = h / (H / GR);

    // mamba2_step.tk:19: let slot  = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // mamba2_step.tk:20: let s  = load(State[slot, r, :]);
    tk::stripe<float, 32, 128, 128, row_threads, vector> s;
    tk::load_slice_in_order<vectors>(
        s, tk::slice_if_dense<vectors>(State, {slot, r, 0}, slot < S ? H * 64 - r : 0, 128),
        thread);

    // mamba2_step.tk:21: let d  = f32(load(Dt[b, h +: 1])) + load(bias[h +: 1]);
    tk::stripe<tk::bf16, 1, 1, 128, row_threads, vector> t1;
    tk::load_global(t1, tk::slice<tk::no_axis, 1>(Dt, {b, h}, 1, H - h), thread);
    tk::stripe<float, 1, 1, 128, row_threads, vector> t2;
    tk::load_global(t2, tk::slice(bias, {h}, 1, H - h), thread);

    // mamba2_step.tk:22: let dt = if SOFTPLUS { activation.softplus(d) } else { d };
    tk::stripe<float, 1, 1, 128, row_threads, vector> dt;
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

    // mamba2_step.tk:23: let x  = f32(column(load(X[b, r])));
    tk::stripe<tk::bf16, 32, 1, 128, row_threads, vector> t3;
    tk::load_global(t3, tk::slice<1, tk::no_axis>(X, {b, r}, H * 64 - r, 1), thread);
    tk::stripe<float, 32, 1, 128, row_threads, vector> x;
    tk::map(x, [](tk::bf16 t3) { return float(t3); }, t3);

    // mamba2_step.tk:24: let y  = s * exp(dt * load(A[h +: 1])) + x * dt * load(Bm[b, group, :]);
    tk::stripe<float, 1, 1, 128, row_threads, vector> t4;
    tk::load_global(t4, tk::slice(A, {h}, 1, H - h), thread);
    tk::stripe<tk::bf16, 1, 128, 128, row_threads, vector> t5;
    tk::load_slice<vectors>(
        t5, tk::slice_if_dense<vectors, tk::no_axis, 2>(Bm, {b, group, 0}, 1, group < GR ? 128 : 0),
        thread);
    tk::stripe<float, 32, 128, 128, row_threads, vector> y;
    tk::map(y, [](float s, float dt, float t4, float x, tk::bf16 t5) {
        return tk::fma(s, tk::exp(dt * t4), x * dt * float(t5));
    }, s, dt, t4, x, t5);

    // mamba2_step.tk:25: store(State[slot, r, :], TS(y));
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors>(State, {slot, r, 0}, slot < S ? H * 64 - r : 0, 128), y,
        thread);

    // mamba2_step.tk:26: var o = sum(y * load(C[b, group, :]), axis = 1) + load(D[h +: 1]) * x;
    tk::stripe<tk::bf16, 1, 128, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(
        t6, tk::slice_if_dense<vectors, tk::no_axis, 2>(C, {b, group, 0}, 1, group < GR ? 128 : 0),
        thread);
    tk::stripe<float, 32, 128, 128, row_threads, vector> t7;
    tk::map(t7, [](float y, tk::bf16 t6) { return y * float(t6); }, y, t6);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t8;
    tk::fold_rows(t8, t7, tk::plus{}, thread);
    tk::finish_rows(t8, tk::plus{});
    tk::stripe<float, 1, 1, 128, row_threads, vector> t9;
    tk::load_global(t9, tk::slice(D, {h}, 1, H - h), thread);
    tk::stripe<float, 32, 1, 128, row_threads, vector> o;
    tk::map(o, [](tk::bf16 t3, float t9, float t8) { return tk::fma(t9, float(t3), t8); },
            t3, t9, t8);

    // mamba2_step.tk:28: store(Y[b, r], T(o));
    tk::stripe<tk::bf16, 32, 1, 128, row_threads, vector> t10;
    tk::map(t10, [](float o) { return o; }, o);
    tk::store_global(tk::slice<1, tk::no_axis>(Y, {b, r}, H * 64 - r, 1), t10, thread);
}

extern "C" {
int mamba2_step(const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
                const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* Slot_given,
                DLTensor* State_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"mamba2_step"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t H = Dt.shape[1];
    const int64_t GR = Bm.shape[1];
    const int64_t BZ = Z.shape[0];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Dt, 0), tk::same_extent("H", Dt, 1, A, 0),
         tk::same_extent("B", X, 0, Bm, 0), tk::fixed_extent(Bm, 2, 128),
         tk::same_extent("B", X, 0, C, 0), tk::same_extent("GR", Bm, 1, C, 1),
         tk::fixed_extent(C, 2, 128), tk::same_extent("H", Dt, 1, D, 0),
         tk::same_extent("H", Dt, 1, bias, 0), tk::fixed_extent(State, 2, 128),
         tk::same_extent("B", X, 0, Y, 0),
         tk::extents_fit({{"B", B}, {"H", H}, {"GR", GR}, {"BZ", BZ}, {"BS", BS}, {"S", S}}),
         tk::fits("H*64", H * 64),
         tk::that(X.shape[1] == H * 64, "axis 1 of `X` is {}; it must be `H*64`, which is {}",
                  {X.shape[1], H * 64}),
         tk::that(Z.shape[1] == H * 64, "axis 1 of `Z` is {}; it must be `H*64`, which is {}",
                  {Z.shape[1], H * 64}),
         tk::that(State.shape[1] == H * 64,
                  "axis 1 of `State` is {}; it must be `H*64`, which is {}",
                  {State.shape[1], H * 64}),
         tk::that(Y.shape[1] == H * 64, "axis 1 of `Y` is {}; it must be `H*64`, which is {}",
                  {Y.shape[1], H * 64}),
         tk::that(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::that(tk::floor_mod(H, GR) == 0, "`mamba2_step` requires `H % GR == 0`"),
         tk::that(S >= B, "`mamba2_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::that(0 < GR, "`GR` is at least 1, because `mamba2_step` divides by it"),
         tk::that(0 < tk::floor_div(H, GR),
                  "`H/GR` is at least 1, because `mamba2_step` divides by it"),
         tk::fits("H*64 + 31", H * 64 + 31),
         tk::grid_fits(tk::larger(tk::ceil_div(H * 64, 32), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(H * 64, 32), 0), B), 2147483648),
         tk::that(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)})});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::larger(tk::ceil_div(H * 64, 32), 0), B);
    const bool fast = tk::hold({tk::suits_fast(Bm), tk::suits_fast(C), tk::suits_fast(State)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<mamba2_step_kernel<6, 16, 8, true>, mamba2_step_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, X, Dt, A, Bm, C,
            D, bias, State, Y, B, H, GR, S));
}
TK_NO_WORKSPACE(mamba2_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*)
}  // extern "C"
