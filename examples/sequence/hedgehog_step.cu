// Made by tkc from hedgehog_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// token: kernel token with T = bf16, D = 128, DV = 128, F = 64, INDEXED = false, L = 64.
// 256 threads, 128 registers each, 3072 bytes of shared memory: token_kernel<2, 8, 8, true>.
// token_general: kernel token with T = bf16, D = 128, DV = 128, F = 64, INDEXED = false, L = 64;
// any strides and alignment.
// 256 threads, 255 registers each, 3072 bytes of shared memory: token_kernel<1, 32, 2, false>.
struct token_shared {
    tk::shared_tile<float, 8, 64> token_f32_rows_64[1];
    tk::shared_tile<int, 1, 65> token_turned[1];
    tk::shared_tile<float, 8, 1> token_f32_rows_1[1];
};
static_assert(offsetof(token_shared, token_f32_rows_1) == 2432);

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) token_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<const tk::bf16, 3> WQ,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<const float, 4> State,
    const tk::tensor_argument<const float, 3> Sums, const tk::tensor_argument<tk::bf16, 4> Keys,
    const tk::tensor_argument<tk::bf16, 4> Values, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int S, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    token_shared& shared = *reinterpret_cast<token_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hedgehog_step.tk:21: kernel token<T: dtype = bf16, D: int = 128, DV: int = 128, F: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // hedgehog_step.tk:29: let slot   = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // hedgehog_step.tk:30: let before = max(Tokens[b], 0);
    const int before = tk::max(tk::cell(Tokens, b), 0);

    // hedgehog_step.tk:31: let place  = before % L;
    const int place = before % 64;

    // hedgehog_step.tk:32: var s0: f32[L, 1] = 0;
    tk::stripe<float, 64, 1, 256, row_threads, vector> s0;
    tk::zero(s0);

    // hedgehog_step.tk:33: var s1: f32[L, 1] = 0;
    tk::stripe<float, 64, 1, 256, row_threads, vector> s1;
    tk::zero(s1);

    // hedgehog_step.tk:34: var s2: f32[1, 1] = 0;
    tk::stripe<float, 1, 1, 256, row_threads, vector> s2;
    tk::zero(s2);

    // hedgehog_step.tk:35: var x: f32[64, F] = 0;
    tk::stripe<float, 64, 64, 256, row_threads, vector> x;
    tk::zero(x);

    // hedgehog_step.tk:36: for c in D by 64 {
    for (int c = 0; c < 128; c += 64) {
        // hedgehog_step.tk:37: let q = f32(load(Q[b, h, c]));
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, tk::no_axis, 2>(Q, {b, h, c}, 1, 128 - c), thread);
        tk::stripe<float, 1, 64, 256, row_threads, vector> q;
        tk::map(q, [](tk::bf16 t0) { return float(t0); }, t0);

        // hedgehog_step.tk:38: s0 += sum(load(Keys[slot, 0 +: L, h, c]) * q, axis = 1);
        tk::stripe<tk::bf16, 64, 64, 256, row_threads, vector> t1;
        tk::load_slice_in_order<vectors>(t1,
                                         tk::slice_if_dense<vectors, 1, 3>(Keys, {slot, 0, h, c},
                                                                           slot < S ? 128 : 0,
                                                                           128 - c), thread);
        tk::stripe<float, 64, 64, 256, row_threads, vector> t2;
        tk::map(t2, [](tk::bf16 t1, float q) { return float(t1) * q; }, t1, q);
        tk::stripe<float, 64, 1, 256, row_threads, vector> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(s0, [](float s0, float t3) { return s0 + t3; }, s0, t3);

        // hedgehog_step.tk:39: s1 += sum(load(Keys[slot, L +: L, h, c]) * q, axis = 1);
        tk::stripe<tk::bf16, 64, 64, 256, row_threads, vector> t4;
        tk::load_slice_in_order<vectors>(t4,
                                         tk::slice_if_dense<vectors, 1, 3>(Keys, {slot, 64, h, c},
                                                                           slot < S ? 128 - 64 : 0,
                                                                           128 - c), thread);
        tk::stripe<float, 64, 64, 256, row_threads, vector> t5;
        tk::map(t5, [](tk::bf16 t4, float q) { return float(t4) * q; }, t4, q);
        tk::stripe<float, 64, 1, 256, row_threads, vector> t6;
        tk::fold_rows(t6, t5, tk::plus{}, thread);
        tk::map(s1, [](float s1, float t6) { return s1 + t6; }, s1, t6);

        // hedgehog_step.tk:40: s2 += sum(load(K[b, h, c]) * q, axis = 1);
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t7;
        tk::load_slice<vectors>(
            t7, tk::slice_if_dense<vectors, tk::no_axis, 2>(K, {b, h, c}, 1, 128 - c), thread);
        tk::stripe<float, 1, 64, 256, row_threads, vector> t8;
        tk::map(t8, [](tk::bf16 t0, tk::bf16 t7) { return float(t7) * float(t0); }, t0, t7);
        tk::stripe<float, 1, 1, 256, row_threads, vector> t9;
        tk::fold_rows(t9, t8, tk::plus{}, thread);
        tk::map(s2, [](float s2, float t9) { return s2 + t9; }, s2, t9);

        // hedgehog_step.tk:41: x  += load(WQ[h, c, :]) * f32(column(load(Q[b, h, c])));
        tk::stripe<tk::bf16, 64, 64, 256, row_threads, vector> t10;
        tk::load_slice<vectors>(t10, tk::slice_if_dense<vectors>(WQ, {h, c, 0}, 128 - c, 64),
                                thread);
        tk::stripe<tk::bf16, 64, 1, 256, row_threads, vector> t11;
        tk::load_global(t11, tk::slice_if_dense<vectors, 2, tk::no_axis>(Q, {b, h, c}, 128 - c, 1),
                        thread);
        tk::stripe<float, 64, 1, 256, row_threads, vector> t15;
        tk::map(t15, [](tk::bf16 t11) { return float(t11); }, t11);
        tk::map(x, [](tk::bf16 t10, float t15, float x) { return tk::fma(float(t10), t15, x); },
                t10, t15, x);
    }

    // hedgehog_step.tk:43: let y0 = where(before >= L, s0, -inf);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t35 = s0;
    tk::finish_rows(t35, tk::plus{});
    tk::stripe<float, 64, 1, 256, row_threads, vector> y0;
    tk::map(y0, [&](float t35) { return before >= 64 ? t35 : -INFINITY; }, t35);

    // hedgehog_step.tk:44: let y1 = where(row_index(s1) < place, s1, -inf);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t36 = s1;
    tk::finish_rows(t36, tk::plus{});
    tk::stripe<float, 64, 1, 256, row_threads, vector> y1;
    tk::map(y1, thread, [&](int row, int, float t36) { return row < place ? t36 : -INFINITY; },
            t36);

    // hedgehog_step.tk:45: let most = max(max(max(y0, axis = 0), max(y1, axis = 0)), s2);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t12;
    tk::reduce_columns(t12, y0, shared.token_f32_rows_1[0], tk::maximum{}, thread, 1);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t13;
    tk::reduce_columns(t13, y1, shared.token_f32_rows_1[0], tk::maximum{}, thread, 1);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t37 = s2;
    tk::finish_rows(t37, tk::plus{});
    tk::stripe<float, 1, 1, 256, row_threads, vector> most;
    tk::map(most, [](float t12, float t13, float t37) { return tk::max(tk::max(t12, t13), t37); },
            t12, t13, t37);

    // hedgehog_step.tk:46: let e0 = exp2((y0 - most) * (scale * LOG2E)) * Beta[h];
    tk::stripe<float, 64, 1, 256, row_threads, vector> e0;
    tk::map(e0, [&](float y0, float most) {
        return tk::exp2((y0 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y0, most);

    // hedgehog_step.tk:47: let e1 = exp2((y1 - most) * (scale * LOG2E)) * Beta[h];
    tk::stripe<float, 64, 1, 256, row_threads, vector> e1;
    tk::map(e1, [&](float y1, float most) {
        return tk::exp2((y1 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y1, most);

    // hedgehog_step.tk:48: let e2 = exp2((s2 - most) * (scale * LOG2E)) * Beta[h];
    tk::stripe<float, 1, 1, 256, row_threads, vector> e2;
    tk::map(e2, [&](float t37, float most) {
        return tk::exp2((t37 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, t37, most);

    // hedgehog_step.tk:49: let f = sum(x, axis = 0).T;
    tk::stripe<float, 1, 64, 256, row_threads, vector> t14;
    tk::reduce_columns(t14, x, shared.token_f32_rows_64[0], tk::plus{}, thread, 1);
    tk::stripe<float, 64, 1, 256, row_threads, vector> f;
    tk::transpose(f, t14, shared.token_turned[0], thread, 1);

    // hedgehog_step.tk:12: let e = exp2((x - max(x, axis = 0)) * LOG2E);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t16;
    tk::reduce_columns(t16, f, shared.token_f32_rows_1[0], tk::maximum{}, thread, 1);
    tk::stripe<float, 64, 1, 256, row_threads, vector> e;
    tk::map(e, [](float f, float t16) { return tk::exp2((f - t16) * 1.442695f); }, f, t16);

    // hedgehog_step.tk:13: return max(e / sum(e, axis = 0), 0.000001);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t17;
    tk::reduce_columns(t17, e, shared.token_f32_rows_1[0], tk::plus{}, thread, 1);

    // hedgehog_step.tk:50: let p = of_column(f) * Alpha[h];
    tk::stripe<float, 64, 1, 256, row_threads, vector> p;
    tk::map(p, [&](float e, float t17) {
        return tk::max(tk::divide(e, t17), 1e-06f) * tk::cell(Alpha, h);
    }, e, t17);
    // hedgehog_step.tk:12
    tk::stripe<float, 64, 1, 256, row_threads, vector> t18;
    tk::map(t18, [](float f) { return -f; }, f);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t19;
    tk::reduce_columns(t19, t18, shared.token_f32_rows_1[0], tk::maximum{}, thread, 1);
    tk::stripe<float, 64, 1, 256, row_threads, vector> e_2;
    tk::map(e_2, [](float f, float t19) { return tk::exp2((-f - t19) * 1.442695f); }, f, t19);
    // hedgehog_step.tk:13
    tk::stripe<float, 1, 1, 256, row_threads, vector> t20;
    tk::reduce_columns(t20, e_2, shared.token_f32_rows_1[0], tk::plus{}, thread, 1);

    // hedgehog_step.tk:51: let n = of_column(-f) * Alpha[h];
    tk::stripe<float, 64, 1, 256, row_threads, vector> n;
    tk::map(n, [&](float e_2, float t20) {
        return tk::max(tk::divide(e_2, t20), 1e-06f) * tk::cell(Alpha, h);
    }, e_2, t20);

    // hedgehog_step.tk:52: let z = sum(e0 + e1 + p * column(load(Sums[slot, h, 0 +: F])) + n * ..
    tk::stripe<float, 64, 1, 256, row_threads, vector> t21;
    tk::load_global(t21, tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 128 : 0, 1),
                    thread);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t22;
    tk::load_global(t22, tk::slice<2, tk::no_axis>(Sums, {slot, h, 64}, slot < S ? 128 - 64 : 0, 1),
                    thread);
    tk::stripe<float, 64, 1, 256, row_threads, vector> t23;
    tk::map(t23, [](float e0, float e1, float p, float t21, float n, float t22) {
        return tk::fma(n, t22, tk::fma(p, t21, e0 + e1));
    }, e0, e1, p, t21, n, t22);
    tk::stripe<float, 1, 1, 256, row_threads, vector> t24;
    tk::reduce_columns(t24, t23, shared.token_f32_rows_1[0], tk::plus{}, thread, 1);
    tk::stripe<float, 1, 1, 256, row_threads, vector> z;
    tk::map(z, [](float t24, float e2) { return t24 + e2; }, t24, e2);

    // hedgehog_step.tk:53: for c in DV by 64 {
    for (int c = 0; c < 128; c += 64) {
        // hedgehog_step.tk:54: let near = e0 * load(Values[slot, 0 +: L, h, c]) + e1 * ..
        tk::stripe<tk::bf16, 64, 64, 256, row_threads, vector> t25;
        tk::load_slice_in_order<vectors>(t25,
                                         tk::slice_if_dense<vectors, 1, 3>(Values, {slot, 0, h, c},
                                                                           slot < S ? 128 : 0,
                                                                           128 - c), thread);
        tk::stripe<tk::bf16, 64, 64, 256, row_threads, vector> t26;
        tk::load_slice_in_order<vectors>(t26,
                                         tk::slice_if_dense<vectors, 1, 3>(Values, {slot, 64, h, c},
                                                                           slot < S ? 128 - 64 : 0,
                                                                           128 - c), thread);

        // hedgehog_step.tk:55: let far  = p * load(State[slot, h, 0 +: F, c]) + n * ..
        tk::stripe<float, 64, 64, 256, row_threads, vector> t27;
        tk::load_slice<vectors>(t27,
                                tk::slice_if_dense<vectors>(State, {slot, h, 0, c},
                                                            slot < S ? 128 : 0, 128 - c), thread);
        tk::stripe<float, 64, 64, 256, row_threads, vector> t28;
        tk::load_slice<vectors>(t28,
                                tk::slice_if_dense<vectors>(State, {slot, h, 64, c},
                                                            slot < S ? 128 - 64 : 0, 128 - c),
                                thread);

        // hedgehog_step.tk:56: store(O[b, h, c], T((sum(near + far, axis = 0) + e2 * load(V[b, ..
        tk::stripe<float, 64, 64, 256, row_threads, vector> t29;
        tk::map(t29,
                [](float p, float t27, float n, float t28, float e0, tk::bf16 t25, float e1,
                   tk::bf16 t26) {
            return tk::fma(e0, float(t25), e1 * float(t26)) + tk::fma(p, t27, n * t28);
        }, p, t27, n, t28, e0, t25, e1, t26);
        tk::stripe<float, 1, 64, 256, row_threads, vector> t30;
        tk::reduce_columns(t30, t29, shared.token_f32_rows_64[0], tk::plus{}, thread, 1);
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t31;
        tk::load_slice<vectors>(
            t31, tk::slice_if_dense<vectors, tk::no_axis, 2>(V, {b, h, c}, 1, 128 - c), thread);
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t32;
        tk::map(t32, [&](float t30, float e2, tk::bf16 t31, float z) {
            return tk::divide(tk::fma(e2, float(t31), t30), z + eps);
        }, t30, e2, t31, z);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 2>(O, {b, h, c}, 1, 128 - c), t32, thread);
    }

    // hedgehog_step.tk:58: for c in D by 64 { store(Keys[slot, L + place, h, c], load(K[b, h, ..
    for (int c = 0; c < 128; c += 64) {
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t33;
        tk::load_slice<vectors>(
            t33, tk::slice_if_dense<vectors, tk::no_axis, 2>(K, {b, h, c}, 1, 128 - c), thread);
        tk::barrier_sync(1, 256);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 3>(Keys, {slot, 64 + place, h, c}, 1,
                                                        64 + place < 128 ? (slot < S ? 128 - c : 0)
                                                        : 0), t33, thread);
    }

    // hedgehog_step.tk:59: for c in DV by 64 { store(Values[slot, L + place, h, c], load(V[b, h, ..
    for (int c = 0; c < 128; c += 64) {
        tk::stripe<tk::bf16, 1, 64, 256, row_threads, vector> t34;
        tk::load_slice<vectors>(
            t34, tk::slice_if_dense<vectors, tk::no_axis, 2>(V, {b, h, c}, 1, 128 - c), thread);
        tk::barrier_sync(1, 256);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 3>(Values, {slot, 64 + place, h, c}, 1,
                                                        64 + place < 128 ? (slot < S ? 128 - c : 0)
                                                        : 0), t34, thread);
    }
}

// whole_block: kernel whole_block with T = bf16, D = 128, DV = 128, F = 64, INDEXED = false, L =
// 64.
// 128 threads, 255 registers each, 66560 bytes of shared memory.
struct whole_block_shared {
    tk::shared_tile<tk::bf16, 64, 128> whole_block_t1[1];
    tk::shared_tile<tk::bf16, 128, 64> whole_block_t3[1];
    tk::shared_tile<tk::bf16, 64, 64> whole_block_fp[1];
    tk::shared_tile<tk::bf16, 64, 64> whole_block_fm[1];
    tk::shared_tile<tk::bf16, 64, 32> whole_block_w[2];
    tk::shared_tile<float, 4, 64> whole_block_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 32> whole_block_Keys[1];
    tk::shared_tile<tk::bf16, 64, 32> whole_block_Values[1];
};
static_assert(offsetof(whole_block_shared, whole_block_Values) == 62464);

__global__ void __launch_bounds__(128, 1) whole_block_kernel(
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Values_map,
    const tk::tensor_argument<const tk::bf16, 3> WK, const tk::tensor_argument<const int, 1> Tokens,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums,
    const tk::tensor_argument<tk::bf16, 4> Keys, const tk::tensor_argument<tk::bf16, 4> Values,
    int H, int B, int S) {
    extern __shared__ __align__(1024) unsigned char memory[];
    whole_block_shared& shared = *reinterpret_cast<whole_block_shared*>(memory);

    if (threadIdx.x == 0) tk::tma_prefetch_maps(Keys_map, Values_map);
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // hedgehog_step.tk:62: kernel whole_block<T: dtype = bf16, D: int = 128, DV: int = 128, F: ..
    const int thread = tk::warpgroup_thread();
    const bool leader = warp % 4 == 0 && tk::elect_one();
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // hedgehog_step.tk:70: let slot   = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // hedgehog_step.tk:71: let before = max(Tokens[b], 0);
    const int before = tk::max(tk::cell(Tokens, b), 0);

    // hedgehog_step.tk:72: if before % L == L - 1 {
    if (before % 64 == 63) {
        // hedgehog_step.tk:73: if before >= L {
        if (before >= 64) {
            // hedgehog_step.tk:74: let y = mma(load(Keys[slot, 0 +: L, h, :]), load(WK[h, :, :]));
            tk::fragment<tk::bf16, 64, 128> t0;
            tk::load_global(
                t0, tk::dense_slice<1, 3>(Keys, {slot, 0, h, 0}, slot < S ? 128 : 0, 128), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_t1[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 128, 64> t2;
            tk::load_global(t2, tk::slice(WK, {h, 0, 0}, 128, 64), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_t3[0], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.whole_block_t1[0], shared.whole_block_t3[0],
                          tk::accumulate_never{});
            tk::mma_wait<0>(y);

            // hedgehog_step.tk:17: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, y, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float y, float t5) { return tk::exp2((y - t5) * 1.442695f); }, y, t5);

            // hedgehog_step.tk:18: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, e, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});

            // hedgehog_step.tk:75: let fp = shared(T(of_rows(y)));
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, [](float e, float t6) { return tk::max(tk::divide(e, t6), 1e-06f); },
                    e, t6);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_fp[0], t7, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            // hedgehog_step.tk:17
            tk::fragment<float, 64, 64> t9;
            tk::map(t9, [](float y) { return -y; }, y);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, t9, tk::maximum{}, thread);
            tk::finish_rows(t10, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t9, float t10) { return tk::exp2((t9 - t10) * 1.442695f); },
                    t9, t10);
            // hedgehog_step.tk:18
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e_2, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});

            // hedgehog_step.tk:76: let fm = shared(T(of_rows(-y)));
            tk::fragment<tk::bf16, 64, 64> t12;
            tk::map(t12, [](float e_2, float t11) { return tk::max(tk::divide(e_2, t11), 1e-06f); },
                    e_2, t11);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_fm[0], t12, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // hedgehog_step.tk:77: store(Sums[slot, h, 0 +: F], load(Sums[slot, h, 0 +: F]) + ..
            tk::row_fragment<float, 64> t14;
            tk::load_global(
                t14, tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::load_shared(t4, shared.whole_block_fp[0], thread);
            tk::fragment<float, 64, 64> t15 = tk::convert<float>(t4);
            tk::row_fragment<float, 64> t16;
            tk::reduce_columns(t16, t15, shared.whole_block_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t17;
            tk::map(t17, [](float t14, float t16) { return t14 + t16; }, t14, t16);
            tk::barrier_sync(2, 128);
            tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0),
                             t17, thread);

            // hedgehog_step.tk:78: store(Sums[slot, h, F +: F], load(Sums[slot, h, F +: F]) + ..
            tk::row_fragment<float, 64> t18;
            tk::load_global(t18,
                            tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1,
                                                      slot < S ? 128 - 64 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::load_shared(t8, shared.whole_block_fm[0], thread);
            tk::fragment<float, 64, 64> t19 = tk::convert<float>(t8);
            tk::row_fragment<float, 64> t20;
            tk::reduce_columns(t20, t19, shared.whole_block_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t21;
            tk::map(t21, [](float t18, float t20) { return t18 + t20; }, t18, t20);
            tk::barrier_sync(2, 128);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1, slot < S ? 128 - 64 : 0), t21,
                thread);

            // hedgehog_step.tk:79: for c in DV by 32 {
            tk::barrier_sync(2, 128);
            for (int c = 0; c < 128; c += 32) {
                // hedgehog_step.tk:80: let w = shared(load(Values[slot, 0 +: L, h, c]));
                tk::fragment<tk::bf16, 64, 32> t22;
                tk::load_global(t22,
                                tk::dense_slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0,
                                                      128 - c), thread);
                tk::store_shared(shared.whole_block_w[c / 32 % 2], t22, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // hedgehog_step.tk:81: store(State[slot, h, 0 +: F, c], load(State[slot, h, 0 +: ..
                tk::fragment<float, 64, 32> t24;
                tk::load_global(t24, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                thread);
                tk::fragment<float, 64, 32> t25;
                tk::mma_async(t25, tk::transposed(shared.whole_block_fp[0]),
                              shared.whole_block_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t25);
                tk::fragment<float, 64, 32> t26;
                tk::map(t26, [](float t24, float t25) { return t24 + t25; }, t24, t25);
                tk::store_global(tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                 t26, thread);

                // hedgehog_step.tk:82: store(State[slot, h, F +: F, c], load(State[slot, h, F +: ..
                tk::fragment<float, 64, 32> t27;
                tk::load_global(t27,
                                tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0,
                                          128 - c), thread);
                tk::fragment<float, 64, 32> t28;
                tk::mma_async(t28, tk::transposed(shared.whole_block_fm[0]),
                              shared.whole_block_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t28);
                tk::fragment<float, 64, 32> t29;
                tk::map(t29, [](float t27, float t28) { return t27 + t28; }, t27, t28);
                tk::store_global(
                    tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c), t29,
                    thread);
            }
        }

        // hedgehog_step.tk:85: for c in D by 32 { store(Keys[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::fragment<tk::bf16, 64, 32> t30;
            tk::load_global(t30,
                            tk::dense_slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                                  128 - c), thread);
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 32; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.whole_block_Keys[0], t30, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Keys_map, shared.whole_block_Keys[0], slot, 0, h, c + panel);
                }
            }
        }

        // hedgehog_step.tk:86: for c in DV by 32 { store(Values[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::fragment<tk::bf16, 64, 32> t31;
            tk::load_global(t31,
                            tk::dense_slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                                  128 - c), thread);
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 32; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.whole_block_Values[0], t31, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Values_map, shared.whole_block_Values[0], slot, 0, h, c + panel);
                }
            }
        }
    }

    if (leader) tk::tma_store_wait_read<0>();
}

// whole_block_general: kernel whole_block with T = bf16, D = 128, DV = 128, F = 64, INDEXED =
// false, L = 64; any strides and alignment.
// 128 threads, 255 registers each, 58368 bytes of shared memory.
struct whole_block_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> whole_block_t1[1];
    tk::shared_tile<tk::bf16, 128, 64> whole_block_t3[1];
    tk::shared_tile<tk::bf16, 64, 64> whole_block_fp[1];
    tk::shared_tile<tk::bf16, 64, 64> whole_block_fm[1];
    tk::shared_tile<tk::bf16, 64, 32> whole_block_w[2];
    tk::shared_tile<float, 4, 64> whole_block_f32_rows_64[1];
};
static_assert(offsetof(whole_block_general_shared, whole_block_f32_rows_64) == 57344);

__global__ void __launch_bounds__(128, 1) whole_block_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> WK, const tk::tensor_argument<const int, 1> Tokens,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums,
    const tk::tensor_argument<tk::bf16, 4> Keys, const tk::tensor_argument<tk::bf16, 4> Values,
    int H, int B, int S) {
    extern __shared__ __align__(1024) unsigned char memory[];
    whole_block_general_shared& shared = *reinterpret_cast<whole_block_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hedgehog_step.tk:62: kernel whole_block<T: dtype = bf16, D: int = 128, DV: int = 128, F: ..
    const int thread = tk::warpgroup_thread();
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // hedgehog_step.tk:70: let slot   = if INDEXED { Slot[b] } else { b };
    const int slot = b;

    // hedgehog_step.tk:71: let before = max(Tokens[b], 0);
    const int before = tk::max(tk::cell(Tokens, b), 0);

    // hedgehog_step.tk:72: if before % L == L - 1 {
    if (before % 64 == 63) {
        // hedgehog_step.tk:73: if before >= L {
        if (before >= 64) {
            // hedgehog_step.tk:74: let y = mma(load(Keys[slot, 0 +: L, h, :]), load(WK[h, :, :]));
            tk::fragment<tk::bf16, 64, 128> t0;
            tk::load_global(t0, tk::slice<1, 3>(Keys, {slot, 0, h, 0}, slot < S ? 128 : 0, 128),
                            thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_t1[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 128, 64> t2;
            tk::load_global(t2, tk::slice(WK, {h, 0, 0}, 128, 64), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_t3[0], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.whole_block_t1[0], shared.whole_block_t3[0],
                          tk::accumulate_never{});
            tk::mma_wait<0>(y);

            // hedgehog_step.tk:17: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t5;
            tk::fold_rows(t5, y, tk::maximum{}, thread);
            tk::finish_rows(t5, tk::maximum{});
            tk::fragment<float, 64, 64> e;
            tk::map(e, [](float y, float t5) { return tk::exp2((y - t5) * 1.442695f); }, y, t5);

            // hedgehog_step.tk:18: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t6;
            tk::fold_rows(t6, e, tk::plus{}, thread);
            tk::finish_rows(t6, tk::plus{});

            // hedgehog_step.tk:75: let fp = shared(T(of_rows(y)));
            tk::fragment<tk::bf16, 64, 64> t7;
            tk::map(t7, [](float e, float t6) { return tk::max(tk::divide(e, t6), 1e-06f); },
                    e, t6);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_fp[0], t7, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            // hedgehog_step.tk:17
            tk::fragment<float, 64, 64> t9;
            tk::map(t9, [](float y) { return -y; }, y);
            tk::column_fragment<float, 64> t10;
            tk::fold_rows(t10, t9, tk::maximum{}, thread);
            tk::finish_rows(t10, tk::maximum{});
            tk::fragment<float, 64, 64> e_2;
            tk::map(e_2, [](float t9, float t10) { return tk::exp2((t9 - t10) * 1.442695f); },
                    t9, t10);
            // hedgehog_step.tk:18
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, e_2, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});

            // hedgehog_step.tk:76: let fm = shared(T(of_rows(-y)));
            tk::fragment<tk::bf16, 64, 64> t12;
            tk::map(t12, [](float e_2, float t11) { return tk::max(tk::divide(e_2, t11), 1e-06f); },
                    e_2, t11);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.whole_block_fm[0], t12, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // hedgehog_step.tk:77: store(Sums[slot, h, 0 +: F], load(Sums[slot, h, 0 +: F]) + ..
            tk::row_fragment<float, 64> t14;
            tk::load_global(
                t14, tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t4;
            tk::load_shared(t4, shared.whole_block_fp[0], thread);
            tk::fragment<float, 64, 64> t15 = tk::convert<float>(t4);
            tk::row_fragment<float, 64> t16;
            tk::reduce_columns(t16, t15, shared.whole_block_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t17;
            tk::map(t17, [](float t14, float t16) { return t14 + t16; }, t14, t16);
            tk::barrier_sync(2, 128);
            tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0),
                             t17, thread);

            // hedgehog_step.tk:78: store(Sums[slot, h, F +: F], load(Sums[slot, h, F +: F]) + ..
            tk::row_fragment<float, 64> t18;
            tk::load_global(t18,
                            tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1,
                                                      slot < S ? 128 - 64 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::load_shared(t8, shared.whole_block_fm[0], thread);
            tk::fragment<float, 64, 64> t19 = tk::convert<float>(t8);
            tk::row_fragment<float, 64> t20;
            tk::reduce_columns(t20, t19, shared.whole_block_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t21;
            tk::map(t21, [](float t18, float t20) { return t18 + t20; }, t18, t20);
            tk::barrier_sync(2, 128);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1, slot < S ? 128 - 64 : 0), t21,
                thread);

            // hedgehog_step.tk:79: for c in DV by 32 {
            tk::barrier_sync(2, 128);
            for (int c = 0; c < 128; c += 32) {
                // hedgehog_step.tk:80: let w = shared(load(Values[slot, 0 +: L, h, c]));
                tk::fragment<tk::bf16, 64, 32> t22;
                tk::load_global(t22,
                                tk::slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0,
                                                128 - c), thread);
                tk::store_shared(shared.whole_block_w[c / 32 % 2], t22, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // hedgehog_step.tk:81: store(State[slot, h, 0 +: F, c], load(State[slot, h, 0 +: ..
                tk::fragment<float, 64, 32> t24;
                tk::load_global(t24, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                thread);
                tk::fragment<float, 64, 32> t25;
                tk::mma_async(t25, tk::transposed(shared.whole_block_fp[0]),
                              shared.whole_block_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t25);
                tk::fragment<float, 64, 32> t26;
                tk::map(t26, [](float t24, float t25) { return t24 + t25; }, t24, t25);
                tk::store_global(tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                 t26, thread);

                // hedgehog_step.tk:82: store(State[slot, h, F +: F, c], load(State[slot, h, F +: ..
                tk::fragment<float, 64, 32> t27;
                tk::load_global(t27,
                                tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0,
                                          128 - c), thread);
                tk::fragment<float, 64, 32> t28;
                tk::mma_async(t28, tk::transposed(shared.whole_block_fm[0]),
                              shared.whole_block_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t28);
                tk::fragment<float, 64, 32> t29;
                tk::map(t29, [](float t27, float t28) { return t27 + t28; }, t27, t28);
                tk::store_global(
                    tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c), t29,
                    thread);
            }
        }

        // hedgehog_step.tk:85: for c in D by 32 { store(Keys[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::fragment<tk::bf16, 64, 32> t30;
            tk::load_global(t30,
                            tk::slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                            128 - c), thread);
            tk::store_global(tk::slice<1, 3>(Keys, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                             t30, thread);
        }

        // hedgehog_step.tk:86: for c in DV by 32 { store(Values[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::fragment<tk::bf16, 64, 32> t31;
            tk::load_global(t31,
                            tk::slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                            128 - c), thread);
            tk::store_global(tk::slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                             t31, thread);
        }
    }
}

namespace {
tk::status launch_token(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                        const tk::tensor& V, const tk::tensor& WQ, const tk::tensor& Alpha,
                        const tk::tensor& Beta, const tk::tensor& Tokens, const tk::tensor& State,
                        const tk::tensor& Sums, const tk::tensor& Keys, const tk::tensor& Values,
                        const tk::tensor& O, int64_t B, int64_t H, int64_t S, float scale,
                        float eps) {
    return tk::run<token_kernel<2, 8, 8, true>>(
        site, sizeof(token_shared), tk::kernel_shape(256).overlapping(), tk::multiply(H, B), Q, K,
        V, WQ, Alpha, Beta, Tokens, State, Sums, Keys, Values, O, B, H, S, scale, eps);
}

tk::status launch_token_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& WQ, const tk::tensor& Alpha, const tk::tensor& Beta, const tk::tensor& Tokens,
    const tk::tensor& State, const tk::tensor& Sums, const tk::tensor& Keys,
    const tk::tensor& Values, const tk::tensor& O, int64_t B, int64_t H, int64_t S, float scale,
    float eps) {
    return tk::run<token_kernel<1, 32, 2, false>>(
        site, sizeof(token_shared), tk::kernel_shape(256).overlapping(), tk::multiply(H, B), Q, K,
        V, WQ, Alpha, Beta, Tokens, State, Sums, Keys, Values, O, B, H, S, scale, eps);
}

tk::status launch_whole_block(const tk::launch_site& site, const tk::tensor& WK,
                              const tk::tensor& Tokens, const tk::tensor& State,
                              const tk::tensor& Sums, const tk::tensor& Keys,
                              const tk::tensor& Values, int64_t H, int64_t B, int64_t S) {
    return tk::run<whole_block_kernel>(
        site, sizeof(whole_block_shared), tk::kernel_shape(128).overlapping(), tk::multiply(H, B),
        tk::box{Keys, {1, 64, 1, 32}, 64}, tk::box{Values, {1, 64, 1, 32}, 64}, WK, Tokens, State,
        Sums, Keys, Values, H, B, S);
}

tk::status launch_whole_block_general(const tk::launch_site& site, const tk::tensor& WK,
                                      const tk::tensor& Tokens, const tk::tensor& State,
                                      const tk::tensor& Sums, const tk::tensor& Keys,
                                      const tk::tensor& Values, int64_t H, int64_t B, int64_t S) {
    return tk::run<whole_block_general_kernel>(
        site, sizeof(whole_block_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(H, B), WK, Tokens, State, Sums, Keys, Values, H, B, S);
}

}  // namespace

extern "C" {
int token(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
          const DLTensor* WQ_given, const DLTensor* Alpha_given, const DLTensor* Beta_given,
          const DLTensor* Tokens_given, const DLTensor* Slot_given, const DLTensor* State_given,
          const DLTensor* Sums_given, DLTensor* Keys_given, DLTensor* Values_given,
          DLTensor* O_given, float scale, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"token"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Values = call.take("Values", Values_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 2, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("H", Q, 1, K, 1), tk::fixed_extent(K, 2, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("H", Q, 1, V, 1),
         tk::fixed_extent(V, 2, 128), tk::same_extent("H", Q, 1, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 1, Alpha, 0), tk::same_extent("H", Q, 1, Beta, 0),
         tk::same_extent("B", Q, 0, Tokens, 0), tk::same_extent("H", Q, 1, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::same_extent("S", State, 0, Sums, 0), tk::same_extent("H", Q, 1, Sums, 1),
         tk::fixed_extent(Sums, 2, 128), tk::same_extent("S", State, 0, Keys, 0),
         tk::fixed_extent(Keys, 1, 128), tk::same_extent("H", Q, 1, Keys, 2),
         tk::fixed_extent(Keys, 3, 128), tk::same_extent("S", State, 0, Values, 0),
         tk::fixed_extent(Values, 1, 128), tk::same_extent("H", Q, 1, Values, 2),
         tk::fixed_extent(Values, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("H", Q, 1, O, 1), tk::fixed_extent(O, 2, 128),
         tk::extents_fit({{"B", B}, {"H", H}, {"BS", BS}, {"S", S}}),
         tk::that(scale > 0.0f, "`token` requires `scale > 0`"),
         tk::that(S >= B, "`token` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(WQ),
         tk::suits_fast(State), tk::suits_fast(Keys), tk::suits_fast(Values), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<token_kernel<2, 8, 8, true>, token_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(token_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(H, B), Q, K, V, WQ, Alpha, Beta, Tokens, State, Sums, Keys, Values, O, B, H, S,
        scale, eps));
}
TK_NO_WORKSPACE(token, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)

int whole_block(const DLTensor* WK_given, const DLTensor* Tokens_given, const DLTensor* Slot_given,
                DLTensor* State_given, DLTensor* Sums_given, DLTensor* Keys_given,
                DLTensor* Values_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"whole_block"};
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Values = call.take("Values", Values_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = WK.shape[0];
    const int64_t B = Tokens.shape[0];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(WK, 1, 128), tk::fixed_extent(WK, 2, 64),
         tk::same_extent("H", WK, 0, State, 1), tk::fixed_extent(State, 2, 128),
         tk::fixed_extent(State, 3, 128), tk::same_extent("S", State, 0, Sums, 0),
         tk::same_extent("H", WK, 0, Sums, 1), tk::fixed_extent(Sums, 2, 128),
         tk::same_extent("S", State, 0, Keys, 0), tk::fixed_extent(Keys, 1, 128),
         tk::same_extent("H", WK, 0, Keys, 2), tk::fixed_extent(Keys, 3, 128),
         tk::same_extent("S", State, 0, Values, 0), tk::fixed_extent(Values, 1, 128),
         tk::same_extent("H", WK, 0, Values, 2), tk::fixed_extent(Values, 3, 128),
         tk::extents_fit({{"H", H}, {"B", B}, {"BS", BS}, {"S", S}}),
         tk::that(S >= B, "`whole_block` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Keys), tk::suits_fast(Values)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<whole_block_kernel>(
            site, sizeof(whole_block_shared), tk::kernel_shape(128).overlapping(),
            tk::multiply(H, B), tk::box{Keys, {1, 64, 1, 32}, 64},
            tk::box{Values, {1, 64, 1, 32}, 64}, WK, Tokens, State, Sums, Keys, Values, H, B, S));
    }
    return tk::finish(tk::run<whole_block_general_kernel>(
        site, sizeof(whole_block_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(H, B), WK, Tokens, State, Sums, Keys, Values, H, B, S));
}
TK_NO_WORKSPACE(whole_block, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*)

int hedgehog_step(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                  const DLTensor* WQ_given, const DLTensor* WK_given, const DLTensor* Alpha_given,
                  const DLTensor* Beta_given, const DLTensor* Tokens_given,
                  const DLTensor* Slot_given, DLTensor* State_given, DLTensor* Sums_given,
                  DLTensor* Keys_given, DLTensor* Values_given, DLTensor* O_given, float scale,
                  float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"hedgehog_step"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WQ = call.take("WQ", WQ_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor WK = call.take("WK", WK_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Alpha = call.take("Alpha", Alpha_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Slot = call.take("Slot", Slot_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Values = call.take("Values", Values_given, tk::dtype_bf16, 4,
                                        tk::access::write);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t BS = Slot.shape[0];
    const int64_t S = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 2, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("H", Q, 1, K, 1), tk::fixed_extent(K, 2, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("H", Q, 1, V, 1),
         tk::fixed_extent(V, 2, 128), tk::same_extent("H", Q, 1, WQ, 0),
         tk::fixed_extent(WQ, 1, 128), tk::fixed_extent(WQ, 2, 64),
         tk::same_extent("H", Q, 1, WK, 0), tk::fixed_extent(WK, 1, 128),
         tk::fixed_extent(WK, 2, 64), tk::same_extent("H", Q, 1, Alpha, 0),
         tk::same_extent("H", Q, 1, Beta, 0), tk::same_extent("B", Q, 0, Tokens, 0),
         tk::same_extent("H", Q, 1, State, 1), tk::fixed_extent(State, 2, 128),
         tk::fixed_extent(State, 3, 128), tk::same_extent("S", State, 0, Sums, 0),
         tk::same_extent("H", Q, 1, Sums, 1), tk::fixed_extent(Sums, 2, 128),
         tk::same_extent("S", State, 0, Keys, 0), tk::fixed_extent(Keys, 1, 128),
         tk::same_extent("H", Q, 1, Keys, 2), tk::fixed_extent(Keys, 3, 128),
         tk::same_extent("S", State, 0, Values, 0), tk::fixed_extent(Values, 1, 128),
         tk::same_extent("H", Q, 1, Values, 2), tk::fixed_extent(Values, 3, 128),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::fixed_extent(O, 2, 128), tk::extents_fit({{"B", B}, {"H", H}, {"BS", BS}, {"S", S}}),
         tk::that(scale > 0.0f, "`hedgehog_step` requires `scale > 0`"),
         tk::that(S >= B, "`hedgehog_step` requires `if INDEXED { BS >= B } else { S >= B }`")});
    // token(Q, K, V, WQ, Alpha, Beta, Tokens, Slot, State, Sums, Keys, Values, O, scale, eps)
    call.require({tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // token(Q, K, V, WQ, Alpha, Beta, Tokens, Slot, State, Sums, Keys, Values, O, scale, eps)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(WQ),
         tk::suits_fast(State), tk::suits_fast(Keys), tk::suits_fast(Values), tk::suits_fast(O)});

    // whole_block(WK, Tokens, Slot, State, Sums, Keys, Values)
    const bool choice_2 = tk::hold({tk::suits_fast(Keys), tk::suits_fast(Values)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_token(site, Q, K, V, WQ, Alpha, Beta, Tokens, tk::read_only(State),
                         tk::read_only(Sums), Keys, Values, O, B, H, S, scale, eps));
    } else {
        TK_FINISH_IF_FAILED(
            launch_token_general(site, Q, K, V, WQ, Alpha, Beta, Tokens, tk::read_only(State),
                                 tk::read_only(Sums), Keys, Values, O, B, H, S, scale, eps));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_whole_block(site, WK, Tokens, State, Sums, Keys, Values, H, B, S));
    } else {
        TK_FINISH_IF_FAILED(
            launch_whole_block_general(site, WK, Tokens, State, Sums, Keys, Values, H, B, S));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(hedgehog_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
