// Made by tkc from kimi_delta_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// kimi_delta_step: kernel kimi_delta_step with T = bf16, TG = f32, TB = f32, TS = f32, DK = 128,
// INDEXED = false, BV = 32.
// 128 threads, 96 registers each, 1024 bytes of shared memory: kimi_delta_step_kernel<5, 4, 8,
// true>.
// kimi_delta_step_general: kernel kimi_delta_step with T = bf16, TG = f32, TB = f32, TS = f32, DK =
// 128, INDEXED = false, BV = 32; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory: kimi_delta_step_kernel<1, 16, 2,
// false>.
struct kimi_delta_step_shared {
    tk::shared_tile<float, 4, 32> kimi_delta_step_f32_rows_32[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) kimi_delta_step_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<const float, 3> G,
    const tk::tensor_argument<const float, 2> Beta, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<tk::bf16, 3> O, int B, int H, int DV, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    kimi_delta_step_shared& shared = *reinterpret_cast<kimi_delta_step_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(DV, 32);

    // kimi_delta_step.tk:7: kernel kimi_delta_step<T: dtype = bf16, TG: dtype = f32, TB: dtype = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 32;
    const int h = program / c_tiles % H;
    const int b = program / (c_tiles * H);

    // kimi_delta_step.tk:15: let slot = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // kimi_delta_step.tk:16: let k = f32(column(load(K[b, h, :])));
    tk::stripe<tk::bf16, 128, 1, 128, row_threads, vector> t0;
    tk::load_global(t0, tk::slice<2, tk::no_axis>(K, {b, h, 0}, 128, 1), thread);
    tk::stripe<float, 128, 1, 128, row_threads, vector> k;
    tk::map(k, [](tk::bf16 t0) { return float(t0); }, t0);

    // kimi_delta_step.tk:17: let s = load(State[slot, h, :, c]) * exp(f32(column(load(G[b, h, ..
    tk::stripe<float, 128, 32, 128, row_threads, vector> t1;
    tk::load_slice_in_order<vectors>(
        t1, tk::slice_if_vectors<vectors>(State, {slot, h, 0, c}, slot < S ? 128 : 0, DV - c),
        thread);
    tk::stripe<float, 128, 1, 128, row_threads, vector> t2;
    tk::load_global(t2, tk::slice<2, tk::no_axis>(G, {b, h, 0}, 128, 1), thread);
    tk::stripe<float, 128, 1, 128, row_threads, vector> t11;
    tk::map(t11, [](float t2) { return tk::exp(t2); }, t2);
    tk::stripe<float, 128, 32, 128, row_threads, vector> s;
    tk::map(s, [](float t1, float t11) { return t1 * t11; }, t1, t11);

    // kimi_delta_step.tk:18: let u = (load(V[b, h, c]) - sum(s * k, axis = 0)) * load(Beta[b, h ..
    tk::stripe<tk::bf16, 1, 32, 128, row_threads, vector> t3;
    tk::load_slice<vectors>(
        t3, tk::slice_if_vectors<vectors, tk::no_axis, 2>(V, {b, h, c}, 1, DV - c), thread);
    tk::stripe<float, 128, 32, 128, row_threads, vector> t4;
    tk::map(t4, [](float s, float k) { return s * k; }, s, k);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t5;
    tk::reduce_columns(t5, t4, shared.kimi_delta_step_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::stripe<float, 1, 1, 128, row_threads, vector> t6;
    tk::load_global(t6, tk::slice<tk::no_axis, 1>(Beta, {b, h}, 1, H - h), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> u;
    tk::map(u, [](tk::bf16 t3, float t5, float t6) { return (float(t3) - t5) * t6; }, t3, t5, t6);

    // kimi_delta_step.tk:19: let x = s + k * u;
    tk::stripe<float, 128, 32, 128, row_threads, vector> x;
    tk::map(x, [](float s, float k, float u) { return tk::fma(k, u, s); }, s, k, u);

    // kimi_delta_step.tk:20: store(State[slot, h, :, c], TS(x));
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(State, {slot, h, 0, c}, slot < S ? 128 : 0, DV - c), x,
        thread);

    // kimi_delta_step.tk:21: store(O[b, h, c], T(sum(x * column(load(Q[b, h, :])), axis = 0) * ..
    tk::stripe<tk::bf16, 128, 1, 128, row_threads, vector> t7;
    tk::load_global(t7, tk::slice<2, tk::no_axis>(Q, {b, h, 0}, 128, 1), thread);
    tk::stripe<float, 128, 1, 128, row_threads, vector> t12;
    tk::map(t12, [](tk::bf16 t7) { return float(t7); }, t7);
    tk::stripe<float, 128, 32, 128, row_threads, vector> t8;
    tk::map(t8, [](float x, float t12) { return x * t12; }, x, t12);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t9;
    tk::reduce_columns(t9, t8, shared.kimi_delta_step_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::stripe<tk::bf16, 1, 32, 128, row_threads, vector> t10;
    tk::map(t10, [&](float t9) { return t9 * scale; }, t9);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors, tk::no_axis, 2>(O, {b, h, c}, 1, DV - c),
                             t10, thread);
}

extern "C" {
int kimi_delta_step(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                    const DLTensor* G_given, const DLTensor* Beta_given, const DLTensor* Slot_given,
                    DLTensor* State_given, DLTensor* O_given, float scale, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"kimi_delta_step"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t DV = V.shape[2];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 2, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("H", Q, 1, K, 1), tk::fixed_extent(K, 2, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("H", Q, 1, V, 1),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 1, G, 1),
         tk::fixed_extent(G, 2, 128), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("H", Q, 1, Beta, 1), tk::same_extent("H", Q, 1, State, 1),
         tk::fixed_extent(State, 2, 128), tk::same_extent("DV", V, 2, State, 3),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("DV", V, 2, O, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"DV", DV}, {"BS", BS}, {"S", S}}),
         tk::that(S >= B, "`kimi_delta_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 32), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 32), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(DV, 32), H), B);
    const bool fast = tk::hold(
        {tk::suits_fast(V, "DV"), tk::whole_vectors(V, 8), tk::suits_fast(State, "DV"),
         tk::suits_fast(O, "DV")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<kimi_delta_step_kernel<5, 4, 8, true>>(
            site, sizeof(kimi_delta_step_shared), tk::kernel_shape(128).overlapping(), programs, Q,
            K, V, G, Beta, State, O, B, H, DV, S, scale));
    }
    return tk::finish(tk::run<kimi_delta_step_kernel<1, 16, 2, false>>(
        site, sizeof(kimi_delta_step_shared), tk::kernel_shape(128).overlapping(), programs, Q, K,
        V, G, Beta, State, O, B, H, DV, S, scale));
}
TK_NO_WORKSPACE(kimi_delta_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
