// Made by tkc from based_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/gather.cuh"
#include "tk/tk.cuh"

// based_step: kernel based_step with T = bf16, TS = f32, F = 16, NORM = true, INDEXED = false, BV =
// 32, R = 192.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct based_step_shared {
    tk::shared_tile<float, 4, 32> based_step_f32_rows_32[1];
    tk::shared_tile<float, 4, 1> based_step_f32_rows_1[1];
};
static_assert(offsetof(based_step_shared, based_step_f32_rows_1) == 512);

__global__ void __launch_bounds__(128, 2) based_step_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int DV, int S, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    based_step_shared& shared = *reinterpret_cast<based_step_shared*>(memory);

    tk::wait_for_previous_kernel();

    // based_step.tk:19: kernel based_step<T: dtype = bf16, TS: dtype = f32, F: int = 16, NORM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // based_step.tk:26: let slot   = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // based_step.tk:29: let f = features<F>(f32(column(load(K[b, h, first]))), ..
    tk::stripe<tk::bf16, 192, 1, 128, 4, 8> t0;
    tk::load_global(t0,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(K, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return i % 16;
    }), thread);
    tk::stripe<tk::bf16, 192, 1, 128, 4, 8> t1;
    tk::load_global(t1,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(K, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return (i + i / 16) % 16;
    }), thread);
    tk::stripe<float, 192, 1, 128, 4, 8> f;
    tk::map(f, thread, [](int row, int, tk::bf16 t0, tk::bf16 t1) {
        const int x_2 = row / 16;
        const float x_3 = float(t0);
        return x_2 <= 8 ? x_3 * float(t1) : x_2 == 9 ? x_3 : row == 160 ? 1.0f : 0.0f;
    }, t0, t1);

    // based_step.tk:30: let g = weights<F>(features<F>(f32(column(load(Q[b, h, first]))), ..
    tk::stripe<tk::bf16, 192, 1, 128, 4, 8> t2;
    tk::load_global(t2,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(Q, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return i % 16;
    }), thread);
    tk::stripe<tk::bf16, 192, 1, 128, 4, 8> t3;
    tk::load_global(t3,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(Q, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return (i + i / 16) % 16;
    }), thread);
    tk::stripe<float, 192, 1, 128, 4, 8> g;
    tk::map(g, thread, [&](int row, int, tk::bf16 t2, tk::bf16 t3) {
        const int x_2 = row / 16;
        const bool x_3 = x_2 <= 8;
        const float x_4 = float(t2);
        const bool x_5 = x_2 == 9;
        const float x_6 = x_3 ? x_4 * float(t3) : x_5 ? x_4 : row == 160 ? 1.0f : 0.0f;
        return x_3 ? x_6 * (scale * scale) * (x_2 == 0 || x_2 == 8 ? 0.5f : 1.0f) : x_5
            ? x_6 * scale : x_6;
    }, t2, t3);

    // based_step.tk:31: let z = column(load(Sums[slot, h, :])) + f;
    tk::stripe<float, 192, 1, 128, 4, 8> t4;
    tk::load_global(t4, tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 192 : 0, 1),
                    thread);
    tk::stripe<float, 192, 1, 128, 4, 8> z;
    tk::map(z, [](float t4, float f) { return t4 + f; }, t4, f);

    // based_step.tk:32: store(Sums[slot, h, :], z);
    tk::barrier_sync(1, 128);
    tk::store_global(tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 192 : 0, 1), z,
                     thread);

    // based_step.tk:33: let n = if NORM { 1 / (sum(g * z, axis = 0) + eps) } else { 1.0 };
    tk::stripe<float, 192, 1, 128, 4, 8> t5;
    tk::map(t5, [](float g, float z) { return g * z; }, g, z);
    tk::stripe<float, 1, 1, 128, 4, 8> t6;
    tk::reduce_columns(t6, t5, shared.based_step_f32_rows_1[0], tk::plus{}, thread, 1);
    tk::stripe<float, 1, 1, 128, 4, 8> n;
    tk::map(n, [&](float t6) { return tk::divide(1.0f, t6 + eps); }, t6);

    // based_step.tk:34: for c in DV by BV pipelined(3) {
    #pragma unroll 3
    for (int c = 0; c < DV; c += 32) {
        // based_step.tk:35: let s = load(State[slot, h, :, c]) + f * load(V[b, h, c]);
        tk::stripe<float, 192, 32, 128, 4, 8> t7;
        tk::load_vectors_in_order(
            t7, tk::vector_slice(State, {slot, h, 0, c}, slot < S ? 192 : 0, DV - c), thread);
        tk::stripe<tk::bf16, 1, 32, 128, 4, 8> t8;
        tk::load_vectors(t8, tk::vector_slice<tk::no_axis, 2>(V, {b, h, c}, 1, DV - c), thread);
        tk::stripe<float, 192, 32, 128, 4, 8> s;
        tk::map(s, [](float t7, float f, tk::bf16 t8) { return tk::fma(f, float(t8), t7); },
                t7, f, t8);

        // based_step.tk:36: store(State[slot, h, :, c], TS(s));
        tk::store_vectors(tk::vector_slice(State, {slot, h, 0, c}, slot < S ? 192 : 0, DV - c), s,
                          thread);

        // based_step.tk:37: store(O[b, h, c], T(sum(g * s, axis = 0) * n));
        tk::stripe<float, 192, 32, 128, 4, 8> t9;
        tk::map(t9, [](float g, float s) { return g * s; }, g, s);
        tk::stripe<float, 1, 32, 128, 4, 8> t10;
        tk::reduce_columns(t10, t9, shared.based_step_f32_rows_32[0], tk::plus{}, thread, 1);
        tk::stripe<tk::bf16, 1, 32, 128, 4, 8> t11;
        tk::map(t11, [](float t10, float n) { return t10 * n; }, t10, n);
        tk::store_vectors(tk::vector_slice<tk::no_axis, 2>(O, {b, h, c}, 1, DV - c), t11, thread);
    }
}

// based_step_general: kernel based_step with T = bf16, TS = f32, F = 16, NORM = true, INDEXED =
// false, BV = 32, R = 192; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory.
struct based_step_general_shared {
    tk::shared_tile<float, 4, 32> based_step_f32_rows_32[1];
    tk::shared_tile<float, 4, 1> based_step_f32_rows_1[1];
};
static_assert(offsetof(based_step_general_shared, based_step_f32_rows_1) == 512);

__global__ void __launch_bounds__(128, 1) based_step_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int DV, int S, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    based_step_general_shared& shared = *reinterpret_cast<based_step_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // based_step.tk:19: kernel based_step<T: dtype = bf16, TS: dtype = f32, F: int = 16, NORM: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // based_step.tk:26: let slot   = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // based_step.tk:29: let f = features<F>(f32(column(load(K[b, h, first]))), ..
    tk::stripe<tk::bf16, 192, 1, 128, 8, 4> t0;
    tk::load_global(t0,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(K, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return i % 16;
    }), thread);
    tk::stripe<tk::bf16, 192, 1, 128, 8, 4> t1;
    tk::load_global(t1,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(K, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return (i + i / 16) % 16;
    }), thread);
    tk::stripe<float, 192, 1, 128, 8, 4> f;
    tk::map(f, thread, [](int row, int, tk::bf16 t0, tk::bf16 t1) {
        const int x_2 = row / 16;
        const float x_3 = float(t0);
        return x_2 <= 8 ? x_3 * float(t1) : x_2 == 9 ? x_3 : row == 160 ? 1.0f : 0.0f;
    }, t0, t1);

    // based_step.tk:30: let g = weights<F>(features<F>(f32(column(load(Q[b, h, first]))), ..
    tk::stripe<tk::bf16, 192, 1, 128, 8, 4> t2;
    tk::load_global(t2,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(Q, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return i % 16;
    }), thread);
    tk::stripe<tk::bf16, 192, 1, 128, 8, 4> t3;
    tk::load_global(t3,
                    tk::gathered_rows(tk::slice<2, tk::no_axis>(Q, {b, h, 0}, 192, 1), 16,
                                      [&](int i) {
        return (i + i / 16) % 16;
    }), thread);
    tk::stripe<float, 192, 1, 128, 8, 4> g;
    tk::map(g, thread, [&](int row, int, tk::bf16 t2, tk::bf16 t3) {
        const int x_2 = row / 16;
        const bool x_3 = x_2 <= 8;
        const float x_4 = float(t2);
        const bool x_5 = x_2 == 9;
        const float x_6 = x_3 ? x_4 * float(t3) : x_5 ? x_4 : row == 160 ? 1.0f : 0.0f;
        return x_3 ? x_6 * (scale * scale) * (x_2 == 0 || x_2 == 8 ? 0.5f : 1.0f) : x_5
            ? x_6 * scale : x_6;
    }, t2, t3);

    // based_step.tk:31: let z = column(load(Sums[slot, h, :])) + f;
    tk::stripe<float, 192, 1, 128, 8, 4> t4;
    tk::load_global(t4, tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 192 : 0, 1),
                    thread);
    tk::stripe<float, 192, 1, 128, 8, 4> z;
    tk::map(z, [](float t4, float f) { return t4 + f; }, t4, f);

    // based_step.tk:32: store(Sums[slot, h, :], z);
    tk::barrier_sync(1, 128);
    tk::store_global(tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 192 : 0, 1), z,
                     thread);

    // based_step.tk:33: let n = if NORM { 1 / (sum(g * z, axis = 0) + eps) } else { 1.0 };
    tk::stripe<float, 192, 1, 128, 8, 4> t5;
    tk::map(t5, [](float g, float z) { return g * z; }, g, z);
    tk::stripe<float, 1, 1, 128, 8, 4> t6;
    tk::reduce_columns(t6, t5, shared.based_step_f32_rows_1[0], tk::plus{}, thread, 1);
    tk::stripe<float, 1, 1, 128, 8, 4> n;
    tk::map(n, [&](float t6) { return tk::divide(1.0f, t6 + eps); }, t6);

    // based_step.tk:34: for c in DV by BV pipelined(3) {
    for (int c = 0; c < DV; c += 32) {
        // based_step.tk:35: let s = load(State[slot, h, :, c]) + f * load(V[b, h, c]);
        tk::stripe<float, 192, 32, 128, 8, 4> t7;
        tk::load_global(t7, tk::slice(State, {slot, h, 0, c}, slot < S ? 192 : 0, DV - c), thread);
        tk::stripe<tk::bf16, 1, 32, 128, 8, 4> t8;
        tk::load_global(t8, tk::slice<tk::no_axis, 2>(V, {b, h, c}, 1, DV - c), thread);
        tk::stripe<float, 192, 32, 128, 8, 4> s;
        tk::map(s, [](float t7, float f, tk::bf16 t8) { return tk::fma(f, float(t8), t7); },
                t7, f, t8);

        // based_step.tk:36: store(State[slot, h, :, c], TS(s));
        tk::store_global(tk::slice(State, {slot, h, 0, c}, slot < S ? 192 : 0, DV - c), s, thread);

        // based_step.tk:37: store(O[b, h, c], T(sum(g * s, axis = 0) * n));
        tk::stripe<float, 192, 32, 128, 8, 4> t9;
        tk::map(t9, [](float g, float s) { return g * s; }, g, s);
        tk::stripe<float, 1, 32, 128, 8, 4> t10;
        tk::reduce_columns(t10, t9, shared.based_step_f32_rows_32[0], tk::plus{}, thread, 1);
        tk::stripe<tk::bf16, 1, 32, 128, 8, 4> t11;
        tk::map(t11, [](float t10, float n) { return t10 * n; }, t10, n);
        tk::store_global(tk::slice<tk::no_axis, 2>(O, {b, h, c}, 1, DV - c), t11, thread);
    }
}

extern "C" {
int based_step(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
               const DLTensor* Slot_given, DLTensor* State_given, DLTensor* Sums_given,
               DLTensor* O_given, float scale, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"based_step"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t DV = V.shape[2];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 2, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("H", Q, 1, K, 1), tk::fixed_extent(K, 2, 16),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("H", Q, 1, V, 1),
         tk::same_extent("H", Q, 1, State, 1), tk::fixed_extent(State, 2, 192),
         tk::same_extent("DV", V, 2, State, 3), tk::same_extent("S", State, 0, Sums, 0),
         tk::same_extent("H", Q, 1, Sums, 1), tk::fixed_extent(Sums, 2, 192),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("DV", V, 2, O, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"DV", DV}, {"BS", BS}, {"S", S}}),
         tk::that(S >= B, "`based_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(V, "DV"), tk::whole_vectors(V, 8), tk::suits_fast(State, "DV"),
         tk::suits_fast(O, "DV")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<based_step_kernel>(
            site, sizeof(based_step_shared), tk::kernel_shape(128).overlapping(),
            tk::multiply(H, B), Q, K, V, State, Sums, O, B, H, DV, S, scale, eps));
    }
    return tk::finish(tk::run<based_step_general_kernel>(
        site, sizeof(based_step_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(H, B), Q, K, V, State, Sums, O, B, H, DV, S, scale, eps));
}
TK_NO_WORKSPACE(based_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
