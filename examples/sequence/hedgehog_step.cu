// Made by tkc from hedgehog_step.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// hedgehog_step: kernel hedgehog_step with T = bf16, D = 128, DV = 128, F = 64, INDEXED = false, L
// = 64.
// 128 threads, 255 registers each, 75776 bytes of shared memory.
struct hedgehog_step_shared {
    tk::shared_tile<tk::bf16, 64, 128> hedgehog_step_t46[1];
    tk::shared_tile<tk::bf16, 128, 64> hedgehog_step_t48[1];
    tk::shared_tile<tk::bf16, 64, 64> hedgehog_step_fp[1];
    tk::shared_tile<tk::bf16, 64, 64> hedgehog_step_fm[1];
    tk::shared_tile<tk::bf16, 64, 32> hedgehog_step_w[2];
    tk::shared_tile<int, 1, 2112> hedgehog_step_turned[1];
    tk::shared_tile<float, 4, 64> hedgehog_step_f32_rows_64[1];
    tk::shared_tile<float, 4, 32> hedgehog_step_f32_rows_32[1];
    tk::shared_tile<float, 4, 1> hedgehog_step_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 32> hedgehog_step_Keys[1];
    tk::shared_tile<tk::bf16, 64, 32> hedgehog_step_Values[1];
};
static_assert(offsetof(hedgehog_step_shared, hedgehog_step_Values) == 71680);

__global__ void __launch_bounds__(128, 1) hedgehog_step_kernel(
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Values_map,
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<const tk::bf16, 3> WQ,
    const tk::tensor_argument<const tk::bf16, 3> WK,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, const tk::tensor_argument<tk::bf16, 4> Keys,
    const tk::tensor_argument<tk::bf16, 4> Values, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int S, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hedgehog_step_shared& shared = *reinterpret_cast<hedgehog_step_shared*>(memory);

    if (threadIdx.x == 0) tk::tma_prefetch_maps(Keys_map, Values_map);
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // hedgehog_step.tk:20: kernel hedgehog_step<T: dtype = bf16, D: int = 128, DV: int = 128, F: ..
    const int thread = tk::warpgroup_thread();
    const bool leader = warp % 4 == 0 && tk::elect_one();
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
    tk::column_fragment<float, 64> s0;
    tk::zero(s0);

    // hedgehog_step.tk:33: var s1: f32[L, 1] = 0;
    tk::column_fragment<float, 64> s1;
    tk::zero(s1);

    // hedgehog_step.tk:34: var s2: f32[1, 1] = 0;
    tk::row_fragment<float, 1> s2;
    tk::zero(s2);

    // hedgehog_step.tk:35: var x: f32[F, 1] = 0;
    tk::column_fragment<float, 64> x;
    tk::zero(x);

    // hedgehog_step.tk:36: for c in D by 64 {
    for (int c = 0; c < 128; c += 64) {
        // hedgehog_step.tk:38: s0 += sum(load(Keys[slot, 0 +: L, h, c]) * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t1;
        tk::load_global(
            t1, tk::dense_slice<1, 3>(Keys, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c), thread);
        tk::fragment<float, 64, 64> t2;
        tk::map(t2, thread, [&](int, int col, tk::bf16 t1) {
            return float(t1) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t1);
        tk::column_fragment<float, 64> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(s0, [](float s0, float t3) { return s0 + t3; }, s0, t3);

        // hedgehog_step.tk:39: s1 += sum(load(Keys[slot, L +: L, h, c]) * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t4;
        tk::load_global(t4,
                        tk::dense_slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                              128 - c), thread);
        tk::fragment<float, 64, 64> t5;
        tk::map(t5, thread, [&](int, int col, tk::bf16 t4) {
            return float(t4) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t4);
        tk::column_fragment<float, 64> t6;
        tk::fold_rows(t6, t5, tk::plus{}, thread);
        tk::map(s1, [](float s1, float t6) { return s1 + t6; }, s1, t6);

        // hedgehog_step.tk:40: s2 += sum(load(K[b, h, c]) * q, axis = 1);
        tk::row_fragment<float, 64> t8;
        tk::map(t8, thread, [&](int, int col) {
            return (b < B && h < H && c + col < 128 ? float(tk::cell(K, b, h, c + col)) : 0.0f) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        });
        tk::row_fragment<float, 1> t9;
        tk::fold_rows(t9, t8, tk::plus{}, thread);
        tk::map(s2, [](float s2, float t9) { return s2 + t9; }, s2, t9);

        // hedgehog_step.tk:41: x  += sum(load(WQ[h, c, :]).T * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t10;
        tk::load_global(t10, tk::slice(WQ, {h, c, 0}, 128 - c, 64), thread);
        tk::fragment<tk::bf16, 64, 64> t11;
        tk::transpose(t11, t10, shared.hedgehog_step_turned[0], thread, 2);
        tk::fragment<float, 64, 64> t12;
        tk::map(t12, thread, [&](int, int col, tk::bf16 t11) {
            return float(t11) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t11);
        tk::column_fragment<float, 64> t13;
        tk::fold_rows(t13, t12, tk::plus{}, thread);
        tk::map(x, [](float x, float t13) { return x + t13; }, x, t13);
    }

    // hedgehog_step.tk:43: let y0 = where(before >= L, s0, -inf);
    tk::column_fragment<float, 64> t58 = s0;
    tk::finish_rows(t58, tk::plus{});
    tk::column_fragment<float, 64> y0;
    tk::map(y0, [&](float t58) { return before >= 64 ? t58 : -INFINITY; }, t58);

    // hedgehog_step.tk:44: let y1 = where(row_index(s1) < place, s1, -inf);
    tk::column_fragment<float, 64> t68 = s1;
    tk::finish_rows(t68, tk::plus{});
    tk::column_fragment<float, 64> y1;
    tk::map(y1, thread, [&](int row, int, float t68) { return row < place ? t68 : -INFINITY; },
            t68);

    // hedgehog_step.tk:45: let most = max(max(max(y0, axis = 0), max(y1, axis = 0)), s2);
    tk::row_fragment<float, 1> t14;
    tk::reduce_columns(t14, y0, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::row_fragment<float, 1> t15;
    tk::reduce_columns(t15, y1, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::row_fragment<float, 1> t77 = s2;
    tk::finish_rows(t77, tk::plus{});
    tk::row_fragment<float, 1> most;
    tk::map(most, [](float t14, float t15, float t77) { return tk::max(tk::max(t14, t15), t77); },
            t14, t15, t77);

    // hedgehog_step.tk:46: let e0 = exp2((y0 - most) * (scale * LOG2E)) * Beta[h];
    tk::column_fragment<float, 64> e0;
    tk::map(e0, [&](float y0, float most) {
        return tk::exp2((y0 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y0, most);

    // hedgehog_step.tk:47: let e1 = exp2((y1 - most) * (scale * LOG2E)) * Beta[h];
    tk::column_fragment<float, 64> e1;
    tk::map(e1, [&](float y1, float most) {
        return tk::exp2((y1 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y1, most);

    // hedgehog_step.tk:48: let e2 = exp2((s2 - most) * (scale * LOG2E)) * Beta[h];
    tk::row_fragment<float, 1> e2;
    tk::map(e2, [&](float t77, float most) {
        return tk::exp2((t77 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, t77, most);

    // hedgehog_step.tk:11: let e = exp2((x - max(x, axis = 0)) * LOG2E);
    tk::column_fragment<float, 64> t78 = x;
    tk::finish_rows(t78, tk::plus{});
    tk::row_fragment<float, 1> t16;
    tk::reduce_columns(t16, t78, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::column_fragment<float, 64> e;
    tk::map(e, [](float t78, float t16) { return tk::exp2((t78 - t16) * 1.442695f); }, t78, t16);

    // hedgehog_step.tk:12: return max(e / sum(e, axis = 0), 0.000001);
    tk::row_fragment<float, 1> t17;
    tk::reduce_columns(t17, e, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);

    // hedgehog_step.tk:49: let p = of_column(x) * Alpha[h];
    tk::column_fragment<float, 64> p;
    tk::map(p, [&](float e, float t17) {
        return tk::max(tk::divide(e, t17), 1e-06f) * tk::cell(Alpha, h);
    }, e, t17);
    // hedgehog_step.tk:11
    tk::column_fragment<float, 64> t18;
    tk::map(t18, [](float x) { return -x; }, x);
    tk::column_fragment<float, 64> t79 = t18;
    tk::finish_rows(t79, tk::plus{});
    tk::row_fragment<float, 1> t19;
    tk::reduce_columns(t19, t79, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::column_fragment<float, 64> e_2;
    tk::map(e_2, [](float t78, float t19) { return tk::exp2((-t78 - t19) * 1.442695f); }, t78, t19);
    // hedgehog_step.tk:12
    tk::row_fragment<float, 1> t20;
    tk::reduce_columns(t20, e_2, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);

    // hedgehog_step.tk:50: let n = of_column(-x) * Alpha[h];
    tk::column_fragment<float, 64> n;
    tk::map(n, [&](float e_2, float t20) {
        return tk::max(tk::divide(e_2, t20), 1e-06f) * tk::cell(Alpha, h);
    }, e_2, t20);

    // hedgehog_step.tk:51: let z = sum(e0, axis = 0) + sum(e1, axis = 0) + e2 + sum(p * ..
    tk::row_fragment<float, 1> t21;
    tk::reduce_columns(t21, e0, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::row_fragment<float, 1> t22;
    tk::reduce_columns(t22, e1, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::column_fragment<float, 64> t23;
    tk::load_global(t23, tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 128 : 0, 1),
                    thread);
    tk::column_fragment<float, 64> t24;
    tk::map(t24, [](float p, float t23) { return p * t23; }, p, t23);
    tk::row_fragment<float, 1> t25;
    tk::reduce_columns(t25, t24, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::column_fragment<float, 64> t26;
    tk::load_global(t26, tk::slice<2, tk::no_axis>(Sums, {slot, h, 64}, slot < S ? 128 - 64 : 0, 1),
                    thread);
    tk::column_fragment<float, 64> t27;
    tk::map(t27, [](float n, float t26) { return n * t26; }, n, t26);
    tk::row_fragment<float, 1> t28;
    tk::reduce_columns(t28, t27, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::row_fragment<float, 1> z;
    tk::map(z, [](float t21, float t22, float e2, float t25, float t28) {
        return t21 + t22 + e2 + t25 + t28;
    }, t21, t22, e2, t25, t28);

    // hedgehog_step.tk:53: for c in DV by 32 {
    for (int c = 0; c < 128; c += 32) {
        // hedgehog_step.tk:54: var o = e2 * load(V[b, h, c]);
        tk::row_fragment<float, 32> o;
        tk::map(o, thread, [&](int, int col, float e2) {
            return e2 *
                (b < B && h < H && c + col < 128 ? float(tk::cell(V, b, h, c + col)) : 0.0f);
        }, e2);

        // hedgehog_step.tk:55: o += sum(e0 * load(Values[slot, 0 +: L, h, c]), axis = 0);
        tk::fragment<tk::bf16, 64, 32> t30;
        tk::load_global(t30,
                        tk::dense_slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t31;
        tk::map(t31, [](float e0, tk::bf16 t30) { return e0 * float(t30); }, e0, t30);
        tk::row_fragment<float, 32> t32;
        tk::reduce_columns(t32, t31, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t32) { return o + t32; }, o, t32);

        // hedgehog_step.tk:56: o += sum(e1 * load(Values[slot, L +: L, h, c]), axis = 0);
        tk::fragment<tk::bf16, 64, 32> t33;
        tk::load_global(t33,
                        tk::dense_slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                              128 - c), thread);
        tk::fragment<float, 64, 32> t34;
        tk::map(t34, [](float e1, tk::bf16 t33) { return e1 * float(t33); }, e1, t33);
        tk::row_fragment<float, 32> t35;
        tk::reduce_columns(t35, t34, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t35) { return o + t35; }, o, t35);

        // hedgehog_step.tk:57: o += sum(p * load(State[slot, h, 0 +: F, c]), axis = 0);
        tk::fragment<float, 64, 32> t36;
        tk::load_global(t36, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t37;
        tk::map(t37, [](float p, float t36) { return p * t36; }, p, t36);
        tk::row_fragment<float, 32> t38;
        tk::reduce_columns(t38, t37, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t38) { return o + t38; }, o, t38);

        // hedgehog_step.tk:58: o += sum(n * load(State[slot, h, F +: F, c]), axis = 0);
        tk::fragment<float, 64, 32> t39;
        tk::load_global(t39, tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t40;
        tk::map(t40, [](float n, float t39) { return n * t39; }, n, t39);
        tk::row_fragment<float, 32> t41;
        tk::reduce_columns(t41, t40, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t41) { return o + t41; }, o, t41);

        // hedgehog_step.tk:59: store(O[b, h, c], T(o / (z + eps)));
        tk::row_fragment<float, 32> t42;
        tk::map(t42, [&](float o, float z) { return float(tk::bf16(tk::divide(o, z + eps))); },
                o, z);
        tk::store_global(tk::slice<tk::no_axis, 2>(O, {b, h, c}, 1, 128 - c), t42, thread);
    }

    // hedgehog_step.tk:61: store(Keys[slot, L + place, h, :], load(K[b, h, :]));
    tk::row_fragment<float, 128> t43;
    tk::load_global(t43, tk::slice<tk::no_axis, 2>(K, {b, h, 0}, 1, 128), thread);
    tk::barrier_sync(2, 128);
    tk::store_global(
        tk::dense_slice<tk::no_axis, 3>(Keys, {slot, 64 + place, h, 0}, 1,
                                        64 + place < 128 ? (slot < S ? 128 : 0) : 0), t43, thread);

    // hedgehog_step.tk:62: store(Values[slot, L + place, h, :], load(V[b, h, :]));
    tk::row_fragment<float, 128> t44;
    tk::load_global(t44, tk::slice<tk::no_axis, 2>(V, {b, h, 0}, 1, 128), thread);
    tk::store_global(
        tk::dense_slice<tk::no_axis, 3>(Values, {slot, 64 + place, h, 0}, 1,
                                        64 + place < 128 ? (slot < S ? 128 : 0) : 0), t44, thread);

    // hedgehog_step.tk:63: if place == L - 1 {
    if (place == 63) {
        // hedgehog_step.tk:64: if before >= L {
        if (before >= 64) {
            // hedgehog_step.tk:65: let y = mma(load(Keys[slot, 0 +: L, h, :]), load(WK[h, :, :]));
            tk::fragment<tk::bf16, 64, 128> t45;
            tk::load_global(
                t45, tk::dense_slice<1, 3>(Keys, {slot, 0, h, 0}, slot < S ? 128 : 0, 128), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_t46[0], t45, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 128, 64> t47;
            tk::load_global(t47, tk::slice(WK, {h, 0, 0}, 128, 64), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_t48[0], t47, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.hedgehog_step_t46[0], shared.hedgehog_step_t48[0],
                          tk::accumulate_never{});
            tk::mma_wait<0>(y);

            // hedgehog_step.tk:16: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t50;
            tk::fold_rows(t50, y, tk::maximum{}, thread);
            tk::finish_rows(t50, tk::maximum{});
            tk::fragment<float, 64, 64> e_3;
            tk::map(e_3, [](float y, float t50) { return tk::exp2((y - t50) * 1.442695f); },
                    y, t50);

            // hedgehog_step.tk:17: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t51;
            tk::fold_rows(t51, e_3, tk::plus{}, thread);
            tk::finish_rows(t51, tk::plus{});

            // hedgehog_step.tk:66: let fp = shared(T(of_rows(y)));
            tk::fragment<tk::bf16, 64, 64> t52;
            tk::map(t52, [](float e_3, float t51) { return tk::max(tk::divide(e_3, t51), 1e-06f); },
                    e_3, t51);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_fp[0], t52, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            // hedgehog_step.tk:16
            tk::fragment<float, 64, 64> t54;
            tk::map(t54, [](float y) { return -y; }, y);
            tk::column_fragment<float, 64> t55;
            tk::fold_rows(t55, t54, tk::maximum{}, thread);
            tk::finish_rows(t55, tk::maximum{});
            tk::fragment<float, 64, 64> e_4;
            tk::map(e_4, [](float t54, float t55) { return tk::exp2((t54 - t55) * 1.442695f); },
                    t54, t55);
            // hedgehog_step.tk:17
            tk::column_fragment<float, 64> t56;
            tk::fold_rows(t56, e_4, tk::plus{}, thread);
            tk::finish_rows(t56, tk::plus{});

            // hedgehog_step.tk:67: let fm = shared(T(of_rows(-y)));
            tk::fragment<tk::bf16, 64, 64> t57;
            tk::map(t57, [](float e_4, float t56) { return tk::max(tk::divide(e_4, t56), 1e-06f); },
                    e_4, t56);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_fm[0], t57, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // hedgehog_step.tk:68: store(Sums[slot, h, 0 +: F], load(Sums[slot, h, 0 +: F]) + ..
            tk::row_fragment<float, 64> t59;
            tk::load_global(
                t59, tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t49;
            tk::load_shared(t49, shared.hedgehog_step_fp[0], thread);
            tk::fragment<float, 64, 64> t60 = tk::convert<float>(t49);
            tk::row_fragment<float, 64> t61;
            tk::reduce_columns(t61, t60, shared.hedgehog_step_f32_rows_64[0], tk::plus{}, thread,
                               2);
            tk::row_fragment<float, 64> t62;
            tk::map(t62, [](float t59, float t61) { return t59 + t61; }, t59, t61);
            tk::barrier_sync(2, 128);
            tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0),
                             t62, thread);

            // hedgehog_step.tk:69: store(Sums[slot, h, F +: F], load(Sums[slot, h, F +: F]) + ..
            tk::row_fragment<float, 64> t63;
            tk::load_global(t63,
                            tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1,
                                                      slot < S ? 128 - 64 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t53;
            tk::load_shared(t53, shared.hedgehog_step_fm[0], thread);
            tk::fragment<float, 64, 64> t64 = tk::convert<float>(t53);
            tk::row_fragment<float, 64> t65;
            tk::reduce_columns(t65, t64, shared.hedgehog_step_f32_rows_64[0], tk::plus{}, thread,
                               2);
            tk::row_fragment<float, 64> t66;
            tk::map(t66, [](float t63, float t65) { return t63 + t65; }, t63, t65);
            tk::barrier_sync(2, 128);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1, slot < S ? 128 - 64 : 0), t66,
                thread);

            // hedgehog_step.tk:70: for c in DV by 32 {
            tk::barrier_sync(2, 128);
            for (int c = 0; c < 128; c += 32) {
                // hedgehog_step.tk:71: let w = shared(load(Values[slot, 0 +: L, h, c]));
                tk::fragment<tk::bf16, 64, 32> t67;
                tk::load_global(t67,
                                tk::dense_slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0,
                                                      128 - c), thread);
                tk::store_shared(shared.hedgehog_step_w[c / 32 % 2], t67, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // hedgehog_step.tk:72: store(State[slot, h, 0 +: F, c], load(State[slot, h, 0 +: ..
                tk::fragment<float, 64, 32> t69;
                tk::load_global(t69, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                thread);
                tk::fragment<float, 64, 32> t70;
                tk::mma_async(t70, tk::transposed(shared.hedgehog_step_fp[0]),
                              shared.hedgehog_step_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t70);
                tk::fragment<float, 64, 32> t71;
                tk::map(t71, [](float t69, float t70) { return t69 + t70; }, t69, t70);
                tk::store_global(tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                 t71, thread);

                // hedgehog_step.tk:73: store(State[slot, h, F +: F, c], load(State[slot, h, F +: ..
                tk::fragment<float, 64, 32> t72;
                tk::load_global(t72,
                                tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0,
                                          128 - c), thread);
                tk::fragment<float, 64, 32> t73;
                tk::mma_async(t73, tk::transposed(shared.hedgehog_step_fm[0]),
                              shared.hedgehog_step_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t73);
                tk::fragment<float, 64, 32> t74;
                tk::map(t74, [](float t72, float t73) { return t72 + t73; }, t72, t73);
                tk::store_global(
                    tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c), t74,
                    thread);
            }
        }

        // hedgehog_step.tk:76: for c in D by 32 { store(Keys[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 64, 32> t75;
            tk::load_global(t75,
                            tk::dense_slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                                  128 - c), thread);
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 32; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.hedgehog_step_Keys[0], t75, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Keys_map, shared.hedgehog_step_Keys[0], slot, 0, h, c + panel);
                }
            }
        }

        // hedgehog_step.tk:77: for c in DV by 32 { store(Values[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 64, 32> t76;
            tk::load_global(t76,
                            tk::dense_slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                                  128 - c), thread);
            tk::fence_async_all();
            #pragma unroll
            for (int panel = 0; panel < 32; panel += 32) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.hedgehog_step_Values[0], t76, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Values_map, shared.hedgehog_step_Values[0], slot, 0, h,
                                  c + panel);
                }
            }
        }
    }

    if (leader) tk::tma_store_wait_read<0>();
}

// hedgehog_step_general: kernel hedgehog_step with T = bf16, D = 128, DV = 128, F = 64, INDEXED =
// false, L = 64; any strides and alignment.
// 128 threads, 255 registers each, 67584 bytes of shared memory.
struct hedgehog_step_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> hedgehog_step_t46[1];
    tk::shared_tile<tk::bf16, 128, 64> hedgehog_step_t48[1];
    tk::shared_tile<tk::bf16, 64, 64> hedgehog_step_fp[1];
    tk::shared_tile<tk::bf16, 64, 64> hedgehog_step_fm[1];
    tk::shared_tile<tk::bf16, 64, 32> hedgehog_step_w[2];
    tk::shared_tile<int, 1, 2112> hedgehog_step_turned[1];
    tk::shared_tile<float, 4, 64> hedgehog_step_f32_rows_64[1];
    tk::shared_tile<float, 4, 32> hedgehog_step_f32_rows_32[1];
    tk::shared_tile<float, 4, 1> hedgehog_step_f32_rows_1[1];
};
static_assert(offsetof(hedgehog_step_general_shared, hedgehog_step_f32_rows_1) == 67328);

__global__ void __launch_bounds__(128, 1) hedgehog_step_general_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Q, const tk::tensor_argument<const tk::bf16, 3> K,
    const tk::tensor_argument<const tk::bf16, 3> V, const tk::tensor_argument<const tk::bf16, 3> WQ,
    const tk::tensor_argument<const tk::bf16, 3> WK,
    const tk::tensor_argument<const float, 1> Alpha, const tk::tensor_argument<const float, 1> Beta,
    const tk::tensor_argument<const int, 1> Tokens, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, const tk::tensor_argument<tk::bf16, 4> Keys,
    const tk::tensor_argument<tk::bf16, 4> Values, const tk::tensor_argument<tk::bf16, 3> O, int B,
    int H, int S, float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hedgehog_step_general_shared& shared = *reinterpret_cast<hedgehog_step_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    // hedgehog_step.tk:20: kernel hedgehog_step<T: dtype = bf16, D: int = 128, DV: int = 128, F: ..
    const int thread = tk::warpgroup_thread();
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
    tk::column_fragment<float, 64> s0;
    tk::zero(s0);

    // hedgehog_step.tk:33: var s1: f32[L, 1] = 0;
    tk::column_fragment<float, 64> s1;
    tk::zero(s1);

    // hedgehog_step.tk:34: var s2: f32[1, 1] = 0;
    tk::row_fragment<float, 1> s2;
    tk::zero(s2);

    // hedgehog_step.tk:35: var x: f32[F, 1] = 0;
    tk::column_fragment<float, 64> x;
    tk::zero(x);

    // hedgehog_step.tk:36: for c in D by 64 {
    for (int c = 0; c < 128; c += 64) {
        // hedgehog_step.tk:38: s0 += sum(load(Keys[slot, 0 +: L, h, c]) * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t1;
        tk::load_global(t1, tk::slice<1, 3>(Keys, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 64> t2;
        tk::map(t2, thread, [&](int, int col, tk::bf16 t1) {
            return float(t1) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t1);
        tk::column_fragment<float, 64> t3;
        tk::fold_rows(t3, t2, tk::plus{}, thread);
        tk::map(s0, [](float s0, float t3) { return s0 + t3; }, s0, t3);

        // hedgehog_step.tk:39: s1 += sum(load(Keys[slot, L +: L, h, c]) * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t4;
        tk::load_global(
            t4, tk::slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0, 128 - c), thread);
        tk::fragment<float, 64, 64> t5;
        tk::map(t5, thread, [&](int, int col, tk::bf16 t4) {
            return float(t4) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t4);
        tk::column_fragment<float, 64> t6;
        tk::fold_rows(t6, t5, tk::plus{}, thread);
        tk::map(s1, [](float s1, float t6) { return s1 + t6; }, s1, t6);

        // hedgehog_step.tk:40: s2 += sum(load(K[b, h, c]) * q, axis = 1);
        tk::row_fragment<float, 64> t8;
        tk::map(t8, thread, [&](int, int col) {
            return (b < B && h < H && c + col < 128 ? float(tk::cell(K, b, h, c + col)) : 0.0f) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        });
        tk::row_fragment<float, 1> t9;
        tk::fold_rows(t9, t8, tk::plus{}, thread);
        tk::map(s2, [](float s2, float t9) { return s2 + t9; }, s2, t9);

        // hedgehog_step.tk:41: x  += sum(load(WQ[h, c, :]).T * q, axis = 1);
        tk::fragment<tk::bf16, 64, 64> t10;
        tk::load_global(t10, tk::slice(WQ, {h, c, 0}, 128 - c, 64), thread);
        tk::fragment<tk::bf16, 64, 64> t11;
        tk::transpose(t11, t10, shared.hedgehog_step_turned[0], thread, 2);
        tk::fragment<float, 64, 64> t12;
        tk::map(t12, thread, [&](int, int col, tk::bf16 t11) {
            return float(t11) *
                (b < B && h < H && c + col < 128 ? float(tk::cell(Q, b, h, c + col)) : 0.0f);
        }, t11);
        tk::column_fragment<float, 64> t13;
        tk::fold_rows(t13, t12, tk::plus{}, thread);
        tk::map(x, [](float x, float t13) { return x + t13; }, x, t13);
    }

    // hedgehog_step.tk:43: let y0 = where(before >= L, s0, -inf);
    tk::column_fragment<float, 64> t58 = s0;
    tk::finish_rows(t58, tk::plus{});
    tk::column_fragment<float, 64> y0;
    tk::map(y0, [&](float t58) { return before >= 64 ? t58 : -INFINITY; }, t58);

    // hedgehog_step.tk:44: let y1 = where(row_index(s1) < place, s1, -inf);
    tk::column_fragment<float, 64> t68 = s1;
    tk::finish_rows(t68, tk::plus{});
    tk::column_fragment<float, 64> y1;
    tk::map(y1, thread, [&](int row, int, float t68) { return row < place ? t68 : -INFINITY; },
            t68);

    // hedgehog_step.tk:45: let most = max(max(max(y0, axis = 0), max(y1, axis = 0)), s2);
    tk::row_fragment<float, 1> t14;
    tk::reduce_columns(t14, y0, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::row_fragment<float, 1> t15;
    tk::reduce_columns(t15, y1, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::row_fragment<float, 1> t77 = s2;
    tk::finish_rows(t77, tk::plus{});
    tk::row_fragment<float, 1> most;
    tk::map(most, [](float t14, float t15, float t77) { return tk::max(tk::max(t14, t15), t77); },
            t14, t15, t77);

    // hedgehog_step.tk:46: let e0 = exp2((y0 - most) * (scale * LOG2E)) * Beta[h];
    tk::column_fragment<float, 64> e0;
    tk::map(e0, [&](float y0, float most) {
        return tk::exp2((y0 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y0, most);

    // hedgehog_step.tk:47: let e1 = exp2((y1 - most) * (scale * LOG2E)) * Beta[h];
    tk::column_fragment<float, 64> e1;
    tk::map(e1, [&](float y1, float most) {
        return tk::exp2((y1 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, y1, most);

    // hedgehog_step.tk:48: let e2 = exp2((s2 - most) * (scale * LOG2E)) * Beta[h];
    tk::row_fragment<float, 1> e2;
    tk::map(e2, [&](float t77, float most) {
        return tk::exp2((t77 - most) * (scale * 1.442695f)) * tk::cell(Beta, h);
    }, t77, most);

    // hedgehog_step.tk:11: let e = exp2((x - max(x, axis = 0)) * LOG2E);
    tk::column_fragment<float, 64> t78 = x;
    tk::finish_rows(t78, tk::plus{});
    tk::row_fragment<float, 1> t16;
    tk::reduce_columns(t16, t78, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::column_fragment<float, 64> e;
    tk::map(e, [](float t78, float t16) { return tk::exp2((t78 - t16) * 1.442695f); }, t78, t16);

    // hedgehog_step.tk:12: return max(e / sum(e, axis = 0), 0.000001);
    tk::row_fragment<float, 1> t17;
    tk::reduce_columns(t17, e, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);

    // hedgehog_step.tk:49: let p = of_column(x) * Alpha[h];
    tk::column_fragment<float, 64> p;
    tk::map(p, [&](float e, float t17) {
        return tk::max(tk::divide(e, t17), 1e-06f) * tk::cell(Alpha, h);
    }, e, t17);
    // hedgehog_step.tk:11
    tk::column_fragment<float, 64> t18;
    tk::map(t18, [](float x) { return -x; }, x);
    tk::column_fragment<float, 64> t79 = t18;
    tk::finish_rows(t79, tk::plus{});
    tk::row_fragment<float, 1> t19;
    tk::reduce_columns(t19, t79, shared.hedgehog_step_f32_rows_1[0], tk::maximum{}, thread, 2);
    tk::column_fragment<float, 64> e_2;
    tk::map(e_2, [](float t78, float t19) { return tk::exp2((-t78 - t19) * 1.442695f); }, t78, t19);
    // hedgehog_step.tk:12
    tk::row_fragment<float, 1> t20;
    tk::reduce_columns(t20, e_2, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);

    // hedgehog_step.tk:50: let n = of_column(-x) * Alpha[h];
    tk::column_fragment<float, 64> n;
    tk::map(n, [&](float e_2, float t20) {
        return tk::max(tk::divide(e_2, t20), 1e-06f) * tk::cell(Alpha, h);
    }, e_2, t20);

    // hedgehog_step.tk:51: let z = sum(e0, axis = 0) + sum(e1, axis = 0) + e2 + sum(p * ..
    tk::row_fragment<float, 1> t21;
    tk::reduce_columns(t21, e0, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::row_fragment<float, 1> t22;
    tk::reduce_columns(t22, e1, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::column_fragment<float, 64> t23;
    tk::load_global(t23, tk::slice<2, tk::no_axis>(Sums, {slot, h, 0}, slot < S ? 128 : 0, 1),
                    thread);
    tk::column_fragment<float, 64> t24;
    tk::map(t24, [](float p, float t23) { return p * t23; }, p, t23);
    tk::row_fragment<float, 1> t25;
    tk::reduce_columns(t25, t24, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::column_fragment<float, 64> t26;
    tk::load_global(t26, tk::slice<2, tk::no_axis>(Sums, {slot, h, 64}, slot < S ? 128 - 64 : 0, 1),
                    thread);
    tk::column_fragment<float, 64> t27;
    tk::map(t27, [](float n, float t26) { return n * t26; }, n, t26);
    tk::row_fragment<float, 1> t28;
    tk::reduce_columns(t28, t27, shared.hedgehog_step_f32_rows_1[0], tk::plus{}, thread, 2);
    tk::row_fragment<float, 1> z;
    tk::map(z, [](float t21, float t22, float e2, float t25, float t28) {
        return t21 + t22 + e2 + t25 + t28;
    }, t21, t22, e2, t25, t28);

    // hedgehog_step.tk:53: for c in DV by 32 {
    for (int c = 0; c < 128; c += 32) {
        // hedgehog_step.tk:54: var o = e2 * load(V[b, h, c]);
        tk::row_fragment<float, 32> o;
        tk::map(o, thread, [&](int, int col, float e2) {
            return e2 *
                (b < B && h < H && c + col < 128 ? float(tk::cell(V, b, h, c + col)) : 0.0f);
        }, e2);

        // hedgehog_step.tk:55: o += sum(e0 * load(Values[slot, 0 +: L, h, c]), axis = 0);
        tk::fragment<tk::bf16, 64, 32> t30;
        tk::load_global(t30, tk::slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t31;
        tk::map(t31, [](float e0, tk::bf16 t30) { return e0 * float(t30); }, e0, t30);
        tk::row_fragment<float, 32> t32;
        tk::reduce_columns(t32, t31, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t32) { return o + t32; }, o, t32);

        // hedgehog_step.tk:56: o += sum(e1 * load(Values[slot, L +: L, h, c]), axis = 0);
        tk::fragment<tk::bf16, 64, 32> t33;
        tk::load_global(t33,
                        tk::slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t34;
        tk::map(t34, [](float e1, tk::bf16 t33) { return e1 * float(t33); }, e1, t33);
        tk::row_fragment<float, 32> t35;
        tk::reduce_columns(t35, t34, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t35) { return o + t35; }, o, t35);

        // hedgehog_step.tk:57: o += sum(p * load(State[slot, h, 0 +: F, c]), axis = 0);
        tk::fragment<float, 64, 32> t36;
        tk::load_global(t36, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t37;
        tk::map(t37, [](float p, float t36) { return p * t36; }, p, t36);
        tk::row_fragment<float, 32> t38;
        tk::reduce_columns(t38, t37, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t38) { return o + t38; }, o, t38);

        // hedgehog_step.tk:58: o += sum(n * load(State[slot, h, F +: F, c]), axis = 0);
        tk::fragment<float, 64, 32> t39;
        tk::load_global(t39, tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c),
                        thread);
        tk::fragment<float, 64, 32> t40;
        tk::map(t40, [](float n, float t39) { return n * t39; }, n, t39);
        tk::row_fragment<float, 32> t41;
        tk::reduce_columns(t41, t40, shared.hedgehog_step_f32_rows_32[0], tk::plus{}, thread, 2);
        tk::map(o, [](float o, float t41) { return o + t41; }, o, t41);

        // hedgehog_step.tk:59: store(O[b, h, c], T(o / (z + eps)));
        tk::row_fragment<float, 32> t42;
        tk::map(t42, [&](float o, float z) { return float(tk::bf16(tk::divide(o, z + eps))); },
                o, z);
        tk::store_global(tk::slice<tk::no_axis, 2>(O, {b, h, c}, 1, 128 - c), t42, thread);
    }

    // hedgehog_step.tk:61: store(Keys[slot, L + place, h, :], load(K[b, h, :]));
    tk::row_fragment<float, 128> t43;
    tk::load_global(t43, tk::slice<tk::no_axis, 2>(K, {b, h, 0}, 1, 128), thread);
    tk::barrier_sync(2, 128);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Keys, {slot, 64 + place, h, 0}, 1,
                                  64 + place < 128 ? (slot < S ? 128 : 0) : 0), t43, thread);

    // hedgehog_step.tk:62: store(Values[slot, L + place, h, :], load(V[b, h, :]));
    tk::row_fragment<float, 128> t44;
    tk::load_global(t44, tk::slice<tk::no_axis, 2>(V, {b, h, 0}, 1, 128), thread);
    tk::store_global(
        tk::slice<tk::no_axis, 3>(Values, {slot, 64 + place, h, 0}, 1,
                                  64 + place < 128 ? (slot < S ? 128 : 0) : 0), t44, thread);

    // hedgehog_step.tk:63: if place == L - 1 {
    if (place == 63) {
        // hedgehog_step.tk:64: if before >= L {
        if (before >= 64) {
            // hedgehog_step.tk:65: let y = mma(load(Keys[slot, 0 +: L, h, :]), load(WK[h, :, :]));
            tk::fragment<tk::bf16, 64, 128> t45;
            tk::load_global(t45, tk::slice<1, 3>(Keys, {slot, 0, h, 0}, slot < S ? 128 : 0, 128),
                            thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_t46[0], t45, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 128, 64> t47;
            tk::load_global(t47, tk::slice(WK, {h, 0, 0}, 128, 64), thread);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_t48[0], t47, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.hedgehog_step_t46[0], shared.hedgehog_step_t48[0],
                          tk::accumulate_never{});
            tk::mma_wait<0>(y);

            // hedgehog_step.tk:16: let e = exp2((x - max(x, axis = 1)) * LOG2E);
            tk::column_fragment<float, 64> t50;
            tk::fold_rows(t50, y, tk::maximum{}, thread);
            tk::finish_rows(t50, tk::maximum{});
            tk::fragment<float, 64, 64> e_3;
            tk::map(e_3, [](float y, float t50) { return tk::exp2((y - t50) * 1.442695f); },
                    y, t50);

            // hedgehog_step.tk:17: return max(e / sum(e, axis = 1), 0.000001);
            tk::column_fragment<float, 64> t51;
            tk::fold_rows(t51, e_3, tk::plus{}, thread);
            tk::finish_rows(t51, tk::plus{});

            // hedgehog_step.tk:66: let fp = shared(T(of_rows(y)));
            tk::fragment<tk::bf16, 64, 64> t52;
            tk::map(t52, [](float e_3, float t51) { return tk::max(tk::divide(e_3, t51), 1e-06f); },
                    e_3, t51);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_fp[0], t52, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            // hedgehog_step.tk:16
            tk::fragment<float, 64, 64> t54;
            tk::map(t54, [](float y) { return -y; }, y);
            tk::column_fragment<float, 64> t55;
            tk::fold_rows(t55, t54, tk::maximum{}, thread);
            tk::finish_rows(t55, tk::maximum{});
            tk::fragment<float, 64, 64> e_4;
            tk::map(e_4, [](float t54, float t55) { return tk::exp2((t54 - t55) * 1.442695f); },
                    t54, t55);
            // hedgehog_step.tk:17
            tk::column_fragment<float, 64> t56;
            tk::fold_rows(t56, e_4, tk::plus{}, thread);
            tk::finish_rows(t56, tk::plus{});

            // hedgehog_step.tk:67: let fm = shared(T(of_rows(-y)));
            tk::fragment<tk::bf16, 64, 64> t57;
            tk::map(t57, [](float e_4, float t56) { return tk::max(tk::divide(e_4, t56), 1e-06f); },
                    e_4, t56);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.hedgehog_step_fm[0], t57, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // hedgehog_step.tk:68: store(Sums[slot, h, 0 +: F], load(Sums[slot, h, 0 +: F]) + ..
            tk::row_fragment<float, 64> t59;
            tk::load_global(
                t59, tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t49;
            tk::load_shared(t49, shared.hedgehog_step_fp[0], thread);
            tk::fragment<float, 64, 64> t60 = tk::convert<float>(t49);
            tk::row_fragment<float, 64> t61;
            tk::reduce_columns(t61, t60, shared.hedgehog_step_f32_rows_64[0], tk::plus{}, thread,
                               2);
            tk::row_fragment<float, 64> t62;
            tk::map(t62, [](float t59, float t61) { return t59 + t61; }, t59, t61);
            tk::barrier_sync(2, 128);
            tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {slot, h, 0}, 1, slot < S ? 128 : 0),
                             t62, thread);

            // hedgehog_step.tk:69: store(Sums[slot, h, F +: F], load(Sums[slot, h, F +: F]) + ..
            tk::row_fragment<float, 64> t63;
            tk::load_global(t63,
                            tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1,
                                                      slot < S ? 128 - 64 : 0), thread);
            tk::fragment<tk::bf16, 64, 64> t53;
            tk::load_shared(t53, shared.hedgehog_step_fm[0], thread);
            tk::fragment<float, 64, 64> t64 = tk::convert<float>(t53);
            tk::row_fragment<float, 64> t65;
            tk::reduce_columns(t65, t64, shared.hedgehog_step_f32_rows_64[0], tk::plus{}, thread,
                               2);
            tk::row_fragment<float, 64> t66;
            tk::map(t66, [](float t63, float t65) { return t63 + t65; }, t63, t65);
            tk::barrier_sync(2, 128);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Sums, {slot, h, 64}, 1, slot < S ? 128 - 64 : 0), t66,
                thread);

            // hedgehog_step.tk:70: for c in DV by 32 {
            tk::barrier_sync(2, 128);
            for (int c = 0; c < 128; c += 32) {
                // hedgehog_step.tk:71: let w = shared(load(Values[slot, 0 +: L, h, c]));
                tk::fragment<tk::bf16, 64, 32> t67;
                tk::load_global(t67,
                                tk::slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0,
                                                128 - c), thread);
                tk::store_shared(shared.hedgehog_step_w[c / 32 % 2], t67, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);

                // hedgehog_step.tk:72: store(State[slot, h, 0 +: F, c], load(State[slot, h, 0 +: ..
                tk::fragment<float, 64, 32> t69;
                tk::load_global(t69, tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                thread);
                tk::fragment<float, 64, 32> t70;
                tk::mma_async(t70, tk::transposed(shared.hedgehog_step_fp[0]),
                              shared.hedgehog_step_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t70);
                tk::fragment<float, 64, 32> t71;
                tk::map(t71, [](float t69, float t70) { return t69 + t70; }, t69, t70);
                tk::store_global(tk::slice(State, {slot, h, 0, c}, slot < S ? 128 : 0, 128 - c),
                                 t71, thread);

                // hedgehog_step.tk:73: store(State[slot, h, F +: F, c], load(State[slot, h, F +: ..
                tk::fragment<float, 64, 32> t72;
                tk::load_global(t72,
                                tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0,
                                          128 - c), thread);
                tk::fragment<float, 64, 32> t73;
                tk::mma_async(t73, tk::transposed(shared.hedgehog_step_fm[0]),
                              shared.hedgehog_step_w[c / 32 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t73);
                tk::fragment<float, 64, 32> t74;
                tk::map(t74, [](float t72, float t73) { return t72 + t73; }, t72, t73);
                tk::store_global(
                    tk::slice(State, {slot, h, 64, c}, slot < S ? 128 - 64 : 0, 128 - c), t74,
                    thread);
            }
        }

        // hedgehog_step.tk:76: for c in D by 32 { store(Keys[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 64, 32> t75;
            tk::load_global(t75,
                            tk::slice<1, 3>(Keys, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                            128 - c), thread);
            tk::store_global(tk::slice<1, 3>(Keys, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                             t75, thread);
        }

        // hedgehog_step.tk:77: for c in DV by 32 { store(Values[slot, 0 +: L, h, c], ..
        for (int c = 0; c < 128; c += 32) {
            tk::barrier_sync(2, 128);
            tk::fragment<tk::bf16, 64, 32> t76;
            tk::load_global(t76,
                            tk::slice<1, 3>(Values, {slot, 64, h, c}, slot < S ? 128 - 64 : 0,
                                            128 - c), thread);
            tk::store_global(tk::slice<1, 3>(Values, {slot, 0, h, c}, slot < S ? 128 : 0, 128 - c),
                             t76, thread);
        }
    }
}

extern "C" {
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
         tk::that(S >= B, "`hedgehog_step` requires `if INDEXED { BS >= B } else { S >= B }`"),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Keys), tk::suits_fast(Values)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<hedgehog_step_kernel>(
            site, sizeof(hedgehog_step_shared), tk::kernel_shape(128).overlapping(),
            tk::multiply(H, B), tk::box{Keys, {1, 64, 1, 32}, 64},
            tk::box{Values, {1, 64, 1, 32}, 64}, Q, K, V, WQ, WK, Alpha, Beta, Tokens, State, Sums,
            Keys, Values, O, B, H, S, scale, eps));
    }
    return tk::finish(tk::run<hedgehog_step_general_kernel>(
        site, sizeof(hedgehog_step_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(H, B), Q, K, V, WQ, WK, Alpha, Beta, Tokens, State, Sums, Keys, Values, O, B,
        H, S, scale, eps));
}
TK_NO_WORKSPACE(hedgehog_step, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
