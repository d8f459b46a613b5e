// Made by tkc from rwkv7_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/tk.cuh"

// rwkv7_step: kernel rwkv7_step with T = bf16, TG = f32, TS = f32, DK = 64, INDEXED = false, BV =
// 32.
// 128 threads, 72 registers each, 1024 bytes of shared memory: rwkv7_step_kernel<7, 4, 8, true>.
// rwkv7_step_general: kernel rwkv7_step with T = bf16, TG = f32, TS = f32, DK = 64, INDEXED =
// false, BV = 32; any strides and alignment.
// 128 threads, 255 registers each, 1024 bytes of shared memory: rwkv7_step_kernel<1, 16, 2, false>.
struct rwkv7_step_shared {
    tk::shared_tile<float, 4, 32> rwkv7_step_f32_rows_32[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) rwkv7_step_kernel(
    const tk::tensor_argument<const tk::bf16, 3> R, const tk::tensor_argument<const float, 3> W,
    const tk::tensor_argument<const tk::bf16, 3> K, const tk::tensor_argument<const tk::bf16, 3> V,
    const tk::tensor_argument<const tk::bf16, 3> A, const tk::tensor_argument<const tk::bf16, 3> Bs,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int DV, int S, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    rwkv7_step_shared& shared = *reinterpret_cast<rwkv7_step_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(DV, 32);

    // rwkv7_step.tk:7: kernel rwkv7_step<T: dtype = bf16, TG: dtype = f32, TS: dtype = f32, DK: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 32;
    const int h = program / c_tiles % H;
    const int b = program / (c_tiles * H);

    // rwkv7_step.tk:14: let slot = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // rwkv7_step.tk:15: let s = f32(load(State[slot, h, :, c]));
    tk::stripe<float, 64, 32, 128, row_threads, vector> s;
    tk::load_slice_in_order<vectors>(
        s, tk::slice_if_vectors<vectors>(State, {slot, h, 0, c}, slot < S ? 64 : 0, DV - c),
        thread);

    // rwkv7_step.tk:16: let u = sum(s * column(load(A[b, h, :])), axis = 0);
    tk::stripe<tk::bf16, 64, 1, 128, row_threads, vector> t1;
    tk::load_global(t1, tk::slice<2, tk::no_axis>(A, {b, h, 0}, 64, 1), thread);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t0;
    tk::map(t0, [](tk::bf16 t1) { return float(t1); }, t1);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t2;
    tk::map(t2, [](float s, float t0) { return s * t0; }, s, t0);
    tk::stripe<float, 1, 32, 128, row_threads, vector> u;
    tk::reduce_columns(u, t2, shared.rwkv7_step_f32_rows_32[0], tk::plus{}, thread, 1);

    // rwkv7_step.tk:17: let x = s * exp(f32(column(load(W[b, h, :])))) + f32(column(load(Bs[b, ..
    tk::stripe<float, 64, 1, 128, row_threads, vector> t4;
    tk::load_global(t4, tk::slice<2, tk::no_axis>(W, {b, h, 0}, 64, 1), thread);
    tk::stripe<tk::bf16, 64, 1, 128, row_threads, vector> t5;
    tk::load_global(t5, tk::slice<2, tk::no_axis>(Bs, {b, h, 0}, 64, 1), thread);
    tk::stripe<tk::bf16, 64, 1, 128, row_threads, vector> t6;
    tk::load_global(t6, tk::slice<2, tk::no_axis>(K, {b, h, 0}, 64, 1), thread);
    tk::stripe<tk::bf16, 1, 32, 128, row_threads, vector> t7;
    tk::load_slice<vectors>(
        t7, tk::slice_if_vectors<vectors, tk::no_axis, 2>(V, {b, h, c}, 1, DV - c), thread);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t3;
    tk::map(t3, [](tk::bf16 t6) { return float(t6); }, t6);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t12;
    tk::map(t12, [](float t4) { return tk::exp(t4); }, t4);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t13;
    tk::map(t13, [](tk::bf16 t5) { return float(t5); }, t5);
    tk::stripe<float, 64, 32, 128, row_threads, vector> x;
    tk::map(x, [](float t3, tk::bf16 t7, float s, float t12, float t13, float u) {
        return tk::fma(t3, float(t7), tk::fma(s, t12, t13 * u));
    }, t3, t7, s, t12, t13, u);

    // rwkv7_step.tk:18: store(State[slot, h, :, c], TS(x));
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(State, {slot, h, 0, c}, slot < S ? 64 : 0, DV - c), x,
        thread);

    // rwkv7_step.tk:19: store(O[b, h, c], T(sum(x * column(load(R[b, h, :])), axis = 0) * scale));
    tk::stripe<tk::bf16, 64, 1, 128, row_threads, vector> t8;
    tk::load_global(t8, tk::slice<2, tk::no_axis>(R, {b, h, 0}, 64, 1), thread);
    tk::stripe<float, 64, 1, 128, row_threads, vector> t14;
    tk::map(t14, [](tk::bf16 t8) { return float(t8); }, t8);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t9;
    tk::map(t9, [](float x, float t14) { return x * t14; }, x, t14);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t10;
    tk::reduce_columns(t10, t9, shared.rwkv7_step_f32_rows_32[0], tk::plus{}, thread, 1);
    tk::stripe<tk::bf16, 1, 32, 128, row_threads, vector> t11;
    tk::map(t11, [&](float t10) { return t10 * scale; }, t10);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors, tk::no_axis, 2>(O, {b, h, c}, 1, DV - c),
                             t11, thread);
}

extern "C" {
int rwkv7_step(const DLTensor* R_given, const DLTensor* W_given, const DLTensor* K_given,
               const DLTensor* V_given, const DLTensor* A_given, const DLTensor* Bs_given,
               const DLTensor* Slot_given, DLTensor* State_given, DLTensor* O_given, float scale,
               void*, size_t, cudaStream_t stream) {
    tk::arguments call{"rwkv7_step"};
    const tk::tensor R = call.take("R", R_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Bs = call.take("Bs", Bs_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = R.shape[0];
    const int64_t H = R.shape[1];
    const int64_t DV = V.shape[2];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(R, 2, 64), tk::same_extent("B", R, 0, W, 0),
         tk::same_extent("H", R, 1, W, 1), tk::fixed_extent(W, 2, 64),
         tk::same_extent("B", R, 0, K, 0), tk::same_extent("H", R, 1, K, 1),
         tk::fixed_extent(K, 2, 64), tk::same_extent("B", R, 0, V, 0),
         tk::same_extent("H", R, 1, V, 1), tk::same_extent("B", R, 0, A, 0),
         tk::same_extent("H", R, 1, A, 1), tk::fixed_extent(A, 2, 64),
         tk::same_extent("B", R, 0, Bs, 0), tk::same_extent("H", R, 1, Bs, 1),
         tk::fixed_extent(Bs, 2, 64), tk::same_extent("H", R, 1, State, 1),
         tk::fixed_extent(State, 2, 64), tk::same_extent("DV", V, 2, State, 3),
         tk::same_extent("B", R, 0, O, 0), tk::same_extent("H", R, 1, O, 1),
         tk::same_extent("DV", V, 2, O, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"DV", DV}, {"BS", BS}, {"S", S}}),
         tk::that(S >= B, "`rwkv7_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 32), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 32), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(DV, 32), H), B);
    const bool fast = tk::hold(
        {tk::suits_fast(V, "DV"), tk::whole_vectors(V, 8), tk::suits_fast(State, "DV"),
         tk::suits_fast(O, "DV")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<rwkv7_step_kernel<7, 4, 8, true>, rwkv7_step_kernel<1, 16, 2, false>>(
            fast ? 0 : 1, site, sizeof(rwkv7_step_shared), tk::kernel_shape(128).overlapping(),
            programs, R, W, K, V, A, Bs, State, O, B, H, DV, S, scale));
}
TK_NO_WORKSPACE(rwkv7_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
