// Made by tkc from kimi_delta.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// pairs: kernel pairs with T = bf16, TG = f16, TB = f32, DK = 128, L = 64.
// producer: 1 warp, 24 registers a thread; queries: 1 warpgroup, 240 registers a thread; keys: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 207968 bytes of shared memory; persistent.
struct pairs_shared {
    tk::shared_tile<tk::f16, 64, 64> gs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::f16, 64, 64> queries_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_high_3[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_low[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_t25[2];
    tk::shared_tile<float, 4, 64> queries_f32_rows_64[1];
    tk::shared_tile<float, 4, 1> queries_f32_rows_1[1];
    tk::shared_tile<tk::f16, 64, 64> keys_middle[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_high_3[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_low[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_t13[2];
    tk::shared_tile<tk::f16, 64, 64> keys_t17[1];
    tk::shared_tile<tk::f16, 64, 64> keys_t19[1];
    tk::shared_tile<tk::f16, 64, 64> keys_r0[1];
    tk::shared_tile<tk::f16, 64, 64> keys_r1[1];
    tk::shared_tile<float, 4, 1> keys_f32_rows_1[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Queries[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Keys[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_Rest[1];
    tk::shared_tile<tk::bf16, 64, 64> queries_A[1];
    tk::shared_tile<tk::bf16, 64, 64> keys_Inverse[1];
    tk::pipeline<2> gs;
    tk::pipeline<2> ks;
    tk::pipeline<2> qs;
};
static_assert(offsetof(pairs_shared, qs) == 207936);

__global__ void __launch_bounds__(384, 1) pairs_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Queries_map,
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap Inverse_map,
    const tk::tensor_argument<const float, 3> Beta, const tk::tensor_argument<float, 4> Left,
    const tk::tensor_argument<float, 3> C, int B, int N, int H, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    pairs_shared& shared = *reinterpret_cast<pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, K_map, Q_map, Queries_map, Keys_map, Rest_map, A_map,
                              Inverse_map);
        shared.gs.init(1, 8);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // kimi_delta.tk:65: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> gs_next, ks_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // kimi_delta.tk:66: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // kimi_delta.tk:67: for c in DK by 64 {
                    #pragma unroll 1
                    for (int c = 0; c < 128; c += 64) {
                        // kimi_delta.tk:68: produce gs = tma_load(G[b, t, h.start + i, c]);
                        shared.gs.begin(gs_next, 8192);
                        tk::tma_load(shared.gs_tile[gs_next.stage], G_map,
                                     shared.gs.full[gs_next.stage], b, t, h + i, c);
                        gs_next.advance();

                        // kimi_delta.tk:69: produce ks = tma_load(K[b, t, h.start + i, c]);
                        shared.ks.begin(ks_next, 8192);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, t, h + i, c);
                        ks_next.advance();

                        // kimi_delta.tk:70: produce qs = tma_load(Q[b, t, h.start + i, c]);
                        shared.qs.begin(qs_next, 8192);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], b, t, h + i, c);
                        qs_next.advance();
                    }
                }
            }
        }
    } else if (warp < 4) {
        // kimi_delta.tk:74: role queries(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // kimi_delta.tk:75: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.queries_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // kimi_delta.tk:76: for i in 2 {
            tk::fragment<float, 64, 64> e;
            tk::fragment<float, 64, 64> r;
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            for (int i = 0; i < 2; i += 1) {
                // kimi_delta.tk:77: var a: f32[L, L] = 0;
                tk::fragment<float, 64, 64> a;
                tk::zero(a);

                // kimi_delta.tk:78: for c in DK by 64 {
                for (int c = 0; c < 128; c += 64) {
                    // kimi_delta.tk:79: let g = consume gs;
                    const tk::cursor<2> g_element = shared.gs.take(gs_next);

                    // kimi_delta.tk:80: let k = consume ks;
                    shared.ks.wait_full(g_element);

                    // kimi_delta.tk:81: let q = consume qs;
                    shared.qs.wait_full(g_element);

                    // kimi_delta.tk:82: let x = mma(middle, g);
                    tk::fragment<float, 64, 64> x_2;
                    tk::mma_async(x_2, shared.queries_middle[0], shared.gs_tile[g_element.stage],
                                  tk::accumulate_never{});

                    // kimi_delta.tk:83: store(Left[b, h.start + i, t.index, c], exp2(sum(f32(g), ..
                    tk::fragment<tk::f16, 64, 64> t1;
                    tk::load_shared(t1, shared.gs_tile[g_element.stage], thread);
                    tk::fragment<float, 64, 64> t3 = tk::convert<float>(t1);
                    tk::hold_waits(warp);
                    tk::row_fragment<float, 64> t4;
                    tk::reduce_columns(t4, t3, shared.queries_f32_rows_64[0], tk::plus{}, thread,
                                       2);
                    tk::row_fragment<float, 64> t5;
                    tk::map(t5, [](float t4) { return tk::exp2(t4 * 1.442695f); }, t4);
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Left, {b, h + i, t / 64, c}, 1,
                                                  t / 64 < tk::divide_up(N, 64)
                                                  ? (h + i < H ? 128 - c : 0) : 0), t5, thread);

                    // kimi_delta.tk:84: var e: f32[L, 64] = 0;
                    tk::zero(e);

                    // kimi_delta.tk:85: var r: f32[L, 64] = 0;
                    tk::zero(r);

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;
                    tk::mma_wait<0>(x_2);

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    tk::fragment<float, 64, 64> t6;
                    tk::map(t6, [](float x_2) { return tk::abs(x_2); }, x_2);
                    tk::column_fragment<float, 64> t7;
                    tk::fold_rows(t7, t6, tk::maximum{}, thread);
                    tk::finish_rows(t7, tk::maximum{});
                    tk::row_fragment<float, 1> t8;
                    tk::reduce_columns(t8, t7, shared.queries_f32_rows_1[0], tk::maximum{}, thread,
                                       2);
                    tk::row_fragment<int, 1> t9;
                    tk::map(t9, [&](float t8) { return t8 <= reach ? 0 : 6; }, t8);
                    const int number = t9.cell(0);

                    // kimi_delta.tk:86: let count = gated_linear_attention.levels<T, L>(x);
                    const int count = number;

                    // kimi_delta.tk:87: if T == bf16 and count == 0 {
                    if (count == 0) {
                        // kimi_delta.tk:88: e = exp2(x * LOG2E);
                        tk::map(e, [](float x_2) { return tk::exp2(x_2 * 1.442695f); }, x_2);

                        // kimi_delta.tk:89: r = exp2(x * -LOG2E);
                        tk::map(r, [](float x_2) { return tk::exp2(x_2 * -1.442695f); }, x_2);

                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t2;
                        tk::load_shared(t2, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t2, float e) { return float(t2) * e; }, t2, e);

                        // kimi_delta.tk:20: let queries = parts.split<T>(q * f);
                        tk::fragment<tk::bf16, 64, 64> t10;
                        tk::load_shared(t10, shared.qs_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> queries_low;
                        tk::map(queries_low, [](tk::bf16 t10, float e, tk::bf16 high) {
                            return tk::fma(float(t10), e, -float(high));
                        }, t10, e, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t11;
                        tk::load_shared(t11, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t11, float r) { return float(t11) * r; },
                                t11, r);

                        // kimi_delta.tk:21: let keys = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t16;
                        tk::load_shared(t16, shared.ks_tile[g_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> keys_low;
                        tk::map(keys_low, [](tk::bf16 t16, float r, tk::bf16 high_2) {
                            return tk::fma(float(t16), r, -float(high_2));
                        }, t16, r, high_2);

                        // kimi_delta.tk:22: let high = shared(keys.high);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_high_3[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // kimi_delta.tk:23: let low  = shared(keys.low);
                        tk::barrier_sync(2, 128);
                        tk::store_shared(shared.queries_low[0], keys_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(2, 128);

                        // kimi_delta.tk:24: a += mma(queries.high, high.T);
                        tk::mma_async(a, high, tk::transposed(shared.queries_high_3[0]));

                        // kimi_delta.tk:25: a += mma(queries.high, low.T);
                        tk::mma_async(a, high, tk::transposed(shared.queries_low[0]));

                        // kimi_delta.tk:26: a += mma(queries.low, high.T);
                        tk::mma_async(a, queries_low, tk::transposed(shared.queries_high_3[0]));

                        // kimi_delta.tk:91: e *= exp2(sum(where(row_index(x) < L / 2, f32(g), ..
                        tk::fragment<tk::f16, 64, 64> t26;
                        tk::load_shared(t26, shared.gs_tile[g_element.stage], thread);
                        tk::fragment<float, 64, 64> t12;
                        tk::map(t12, thread, [](int row, int, tk::f16 t26) {
                            return row < 32 ? float(t26) : 0.0f;
                        }, t26);
                        tk::row_fragment<float, 64> t13;
                        tk::reduce_columns(t13, t12, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::map(e, [](float e, float t13) { return e * tk::exp2(t13 * 1.442695f); },
                                e, t13);

                        // kimi_delta.tk:92: r *= exp2(sum(where(row_index(x) < L / 2, 0, ..
                        tk::fragment<tk::f16, 64, 64> t31;
                        tk::load_shared(t31, shared.gs_tile[g_element.stage], thread);
                        tk::hold_waits(warp);
                        tk::fragment<float, 64, 64> t14;
                        tk::map(t14, thread, [](int row, int, tk::f16 t31) {
                            return row < 32 ? 0.0f : float(t31);
                        }, t31);
                        tk::row_fragment<float, 64> t15;
                        tk::reduce_columns(t15, t14, shared.queries_f32_rows_64[0], tk::plus{},
                                           thread, 2);
                        tk::map(r, [](float r, float t15) { return r * tk::exp2(t15 * 1.442695f); },
                                r, t15);
                        tk::mma_wait<0>(a, high, queries_low);
                    } else {
                        // kimi_delta.tk:94: let d = mma(q, k.T);
                        tk::fragment<float, 64, 64> d;
                        tk::mma_async(d, shared.qs_tile[g_element.stage],
                                      tk::transposed(shared.ks_tile[g_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(d);

                        // kimi_delta.tk:95: a += where(row_index(d) == col_index(d), d, 0);
                        tk::map(a, thread, [](int row, int col, float a, float d) {
                            return a + (row == col ? d : 0.0f);
                        }, a, d);

                        // kimi_delta.tk:96: e = exp2(mma(TG(where(col_index(a) <= row_index(a), ..
                        tk::fragment<tk::f16, 64, 64> t17;
                        tk::map(t17, thread, [](int row, int col) {
                            return col <= row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t18;
                        tk::mma_async(t18, t17, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t18, t17);
                        tk::map(e, [](float t18) { return tk::exp2(t18 * 1.442695f); }, t18);

                        // kimi_delta.tk:97: r = exp2(mma(TG(where(col_index(a) > row_index(a), ..
                        tk::fragment<tk::f16, 64, 64> t19;
                        tk::map(t19, thread, [](int row, int col) {
                            return col > row ? 1.0f : 0.0f;
                        });
                        tk::fragment<float, 64, 64> t20;
                        tk::mma_async(t20, t19, shared.gs_tile[g_element.stage],
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(t20, t19);
                        tk::map(r, [](float t20) { return tk::exp2(t20 * 1.442695f); }, t20);

                        // kimi_delta.tk:31: for b in 0..count {
                        tk::barrier_sync(2, 128);
                        for (int b_2 = 0; b_2 < count; b_2 += 1) {
                            // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // kimi_delta.tk:33: let f = exp2(mma(r, g) * LOG2E);
                            tk::fragment<tk::f16, 64, 64> t21;
                            tk::map(t21, thread, [&](int row, int col) {
                                const int x_5 = row >> (b_2 & 31);
                                const bool x_6 = (x_5 & 1) == 1;
                                const int x_7 = x_5 << (b_2 & 31);
                                const int x_8 = row + 1;
                                return col >= (x_6 ? x_7 : x_8) &&
                                    col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31)))
                                    ? 1.0f : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t22;
                            tk::mma_async(t22, t21, shared.gs_tile[g_element.stage],
                                          tk::accumulate_never{});
                            tk::mma_wait<0>(t22, t21);
                            tk::fragment<float, 64, 64> f;
                            tk::map(f, [](float t22) { return tk::exp2(t22 * 1.442695f); }, t22);

                            // kimi_delta.tk:34: let y = mma(T(q * f), shared(T(k * f)).T);
                            tk::fragment<tk::bf16, 64, 64> t32;
                            tk::load_shared(t32, shared.qs_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t23;
                            tk::map(t23, [](tk::bf16 t32, float f) { return float(t32) * f; },
                                    t32, f);
                            tk::fragment<tk::bf16, 64, 64> t33;
                            tk::load_shared(t33, shared.ks_tile[g_element.stage], thread);
                            tk::fragment<tk::bf16, 64, 64> t24;
                            tk::map(t24, [](tk::bf16 t33, float f) { return float(t33) * f; },
                                    t33, f);
                            tk::store_shared(shared.queries_t25[b_2 % 2], t24, thread);
                            tk::fence_async();
                            tk::barrier_sync(2, 128);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, t23, tk::transposed(shared.queries_t25[b_2 % 2]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = b_2;
                            tk::mma_wait<0>(y, t23);

                            // kimi_delta.tk:35: a += where(gated_linear_attention.inside<L>(a, ..
                            tk::map(a, thread, [&](int row, int col, float a, float y) {
                                const bool x_5 = b_2 + 1 == 0;
                                const int x_6 = row >> (c_2 & 31);
                                const int x_7 = x_6 << (c_2 & 31);
                                return a +
                                    (col >=
                                     (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                     col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? y : 0.0f);
                            }, a, y);
                        }
                    }
                    shared.gs.release_after_loads(g_element);

                    // kimi_delta.tk:100: tma_store(Queries[b, t, h.start + i, c], T(q * (e * ..
                    tk::fragment<tk::bf16, 64, 64> t34;
                    tk::load_shared(t34, shared.qs_tile[g_element.stage], thread);
                    shared.qs.release_after_loads(g_element);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t27;
                        tk::map(t27, [&](tk::bf16 t34, float e) {
                            return float(t34) * (e * scale);
                        }, t34, e);
                        tk::store_shared(shared.queries_Queries[0], t27, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Queries_map, shared.queries_Queries[0], b, t, h + i,
                                          c + panel);
                        }
                    }

                    // kimi_delta.tk:101: tma_store(Keys[b, t, h.start + i, c], T(k * e));
                    tk::fragment<tk::bf16, 64, 64> t35;
                    tk::load_shared(t35, shared.ks_tile[g_element.stage], thread);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t28;
                        tk::map(t28, [](tk::bf16 t35, float e) { return float(t35) * e; }, t35, e);
                        tk::store_shared(shared.queries_Keys[0], t28, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Keys_map, shared.queries_Keys[0], b, t, h + i, c + panel);
                        }
                    }

                    // kimi_delta.tk:102: tma_store(Rest[b, t, h.start + i, c], T(k * r));
                    tk::fragment<tk::bf16, 64, 64> t36;
                    tk::load_shared(t36, shared.ks_tile[g_element.stage], thread);
                    shared.ks.release_after_loads(g_element);
                    #pragma unroll
                    for (int panel = 0; panel < 64; panel += 64) {
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1, 128);
                        tk::fragment<tk::bf16, 64, 64> t29;
                        tk::map(t29, [](tk::bf16 t36, float r) { return float(t36) * r; }, t36, r);
                        tk::store_shared(shared.queries_Rest[0], t29, thread);
                        tk::fence_async();
                        tk::barrier_sync(1, 128);
                        if (leader) {
                            tk::tma_store(Rest_map, shared.queries_Rest[0], b, t, h + i, c + panel);
                        }
                    }
                }

                // kimi_delta.tk:104: tma_store(A[b, h.start + i, t.start +: L, :], ..
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    tk::fragment<tk::bf16, 64, 64> t30;
                    tk::map(t30, thread, [&](int row, int col, float a) {
                        return col <= row ? a * scale : 0.0f;
                    }, a);
                    tk::store_shared(shared.queries_A[0], t30, thread);
                    tk::fence_async();
                    tk::barrier_sync(1, 128);
                    if (leader) tk::tma_store(A_map, shared.queries_A[0], b, h + i, t, panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // kimi_delta.tk:107: role keys(1 warpgroup) {
        tk::registers_at_least<240>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(N, 64);
        const int programs = h_tiles * t_tiles * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_linear_attention.tk:48: var x: f32[L, L] = 0;
            tk::fragment<float, 64, 64> x;
            tk::zero(x);

            // kimi_delta.tk:108: let middle = shared(TG(gated_linear_attention.from_middle<L>()));
            tk::fragment<tk::f16, 64, 64> t0;
            tk::map(t0, thread, [](int row, int col) {
                return row >= 32 ? (col >= 32 && col <= row ? 1.0f : 0.0f) : col > row && col < 32
                    ? -1.0f : 0.0f;
            });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_middle[0], t0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // kimi_delta.tk:109: var m0: f32[L, L] = 0;
            tk::fragment<float, 64, 64> m0;
            tk::zero(m0);

            // kimi_delta.tk:110: var m1: f32[L, L] = 0;
            tk::fragment<float, 64, 64> m1;
            tk::zero(m1);

            // kimi_delta.tk:111: for i in 2 {
            tk::column_fragment<float, 64> x_3;
            tk::column_fragment<float, 64> x_4;
            for (int i = 0; i < 2; i += 1) {
                // kimi_delta.tk:112: var m: f32[L, L] = 0;
                tk::fragment<float, 64, 64> m;
                tk::zero(m);

                // kimi_delta.tk:113: for c in DK by 64 {
                for (int c = 0; c < 128; c += 64) {
                    // kimi_delta.tk:114: let k = consume ks;
                    const tk::cursor<2> k_element = shared.ks.take(ks_next);

                    // kimi_delta.tk:115: let g = consume gs;
                    shared.gs.wait_full(k_element);

                    // kimi_delta.tk:116: let x = mma(middle, g);
                    tk::fragment<float, 64, 64> x_2;
                    tk::mma_async(x_2, shared.keys_middle[0], shared.gs_tile[k_element.stage],
                                  tk::accumulate_never{});

                    // gated_linear_attention.tk:57: let reach = if T == bf16 { 40.0 } else { ..
                    const float reach = 40.0f;
                    tk::mma_wait<0>(x_2);

                    // gated_linear_attention.tk:58: return scalar(where(max(max(pad(abs(x), axis ..
                    tk::fragment<float, 64, 64> t3;
                    tk::map(t3, [](float x_2) { return tk::abs(x_2); }, x_2);
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, t3, tk::maximum{}, thread);
                    tk::finish_rows(t4, tk::maximum{});
                    tk::row_fragment<float, 1> t5;
                    tk::reduce_columns(t5, t4, shared.keys_f32_rows_1[0], tk::maximum{}, thread, 4);
                    tk::row_fragment<int, 1> t6;
                    tk::map(t6, [&](float t5) { return t5 <= reach ? 0 : 6; }, t5);
                    const int number = t6.cell(0);

                    // kimi_delta.tk:117: let count = gated_linear_attention.levels<T, L>(x);
                    const int count = number;

                    // kimi_delta.tk:118: if T == bf16 and count == 0 {
                    if (count == 0) {
                        // <std.parts>:15: let high = T(x);
                        tk::fragment<tk::bf16, 64, 64> t1;
                        tk::load_shared(t1, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high;
                        tk::map(high, [](tk::bf16 t1, float x_2) {
                            return float(t1) * tk::exp2(x_2 * 1.442695f);
                        }, t1, x_2);

                        // kimi_delta.tk:20: let queries = parts.split<T>(q * f);
                        tk::fragment<tk::bf16, 64, 64> t2;
                        tk::load_shared(t2, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> queries_low;
                        tk::map(queries_low, [](tk::bf16 t2, float x_2, tk::bf16 high) {
                            return tk::fma(float(t2), tk::exp2(x_2 * 1.442695f), -float(high));
                        }, t2, x_2, high);
                        // <std.parts>:15
                        tk::fragment<tk::bf16, 64, 64> t7;
                        tk::load_shared(t7, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> high_2;
                        tk::map(high_2, [](tk::bf16 t7, float x_2) {
                            return float(t7) * tk::exp2(x_2 * -1.442695f);
                        }, t7, x_2);

                        // kimi_delta.tk:21: let keys = parts.split<T>(k * until);
                        tk::fragment<tk::bf16, 64, 64> t8;
                        tk::load_shared(t8, shared.ks_tile[k_element.stage], thread);
                        tk::fragment<tk::bf16, 64, 64> keys_low;
                        tk::map(keys_low, [](tk::bf16 t8, float x_2, tk::bf16 high_2) {
                            return tk::fma(float(t8), tk::exp2(x_2 * -1.442695f), -float(high_2));
                        }, t8, x_2, high_2);

                        // kimi_delta.tk:22: let high = shared(keys.high);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_high_3[0], high_2, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // kimi_delta.tk:23: let low  = shared(keys.low);
                        tk::barrier_sync(4, 128);
                        tk::store_shared(shared.keys_low[0], keys_low, thread);
                        tk::fence_async();
                        tk::barrier_sync(4, 128);

                        // kimi_delta.tk:24: a += mma(queries.high, high.T);
                        tk::mma_async(m, high, tk::transposed(shared.keys_high_3[0]));

                        // kimi_delta.tk:25: a += mma(queries.high, low.T);
                        tk::mma_async(m, high, tk::transposed(shared.keys_low[0]));

                        // kimi_delta.tk:26: a += mma(queries.low, high.T);
                        tk::mma_async(m, queries_low, tk::transposed(shared.keys_high_3[0]));
                        tk::mma_wait<0>(m, high, queries_low);
                    } else {
                        // kimi_delta.tk:31: for b in 0..count {
                        tk::barrier_sync(4, 128);
                        for (int b_2 = 0; b_2 < count; b_2 += 1) {
                            // gated_linear_attention.tk:28: var x: f32[L, 1] = 0;
                            tk::zero(x_3);

                            // kimi_delta.tk:33: let f = exp2(mma(r, g) * LOG2E);
                            tk::fragment<tk::f16, 64, 64> t9;
                            tk::map(t9, thread, [&](int row, int col) {
                                const int x_5 = row >> (b_2 & 31);
                                const bool x_6 = (x_5 & 1) == 1;
                                const int x_7 = x_5 << (b_2 & 31);
                                const int x_8 = row + 1;
                                return col >= (x_6 ? x_7 : x_8) &&
                                    col < (x_6 ? x_8 : tk::wrapping_add(x_7, 1 << (b_2 & 31)))
                                    ? 1.0f : 0.0f;
                            });
                            tk::fragment<float, 64, 64> t10;
                            tk::mma_async(t10, t9, shared.gs_tile[k_element.stage],
                                          tk::accumulate_never{});

                            // kimi_delta.tk:34: let y = mma(T(q * f), shared(T(k * f)).T);
                            tk::fragment<tk::bf16, 64, 64> t14;
                            tk::load_shared(t14, shared.ks_tile[k_element.stage], thread);
                            tk::mma_wait<0>(t10, t9);
                            tk::fragment<tk::bf16, 64, 64> t11;
                            tk::map(t11, [](float t10, tk::bf16 t14) {
                                return float(t14) * tk::exp2(t10 * 1.442695f);
                            }, t10, t14);
                            tk::store_shared(shared.keys_t13[b_2 % 2], t11, thread);
                            tk::fence_async();
                            tk::barrier_sync(4, 128);
                            tk::fragment<float, 64, 64> y;
                            tk::mma_async(y, t11, tk::transposed(shared.keys_t13[b_2 % 2]),
                                          tk::accumulate_never{});

                            // gated_linear_attention.tk:38: var x: f32[L, 1] = 0;
                            tk::zero(x_4);

                            // gated_linear_attention.tk:40: let c = b - 1;
                            const int c_2 = b_2;
                            tk::mma_wait<0>(y, t11);

                            // kimi_delta.tk:35: a += where(gated_linear_attention.inside<L>(a, ..
                            tk::map(m, thread, [&](int row, int col, float m, float y) {
                                const bool x_5 = b_2 + 1 == 0;
                                const int x_6 = row >> (c_2 & 31);
                                const int x_7 = x_6 << (c_2 & 31);
                                return m +
                                    (col >=
                                     (x_5 ? row : tk::wrapping_subtract(x_7, 1 << (c_2 & 31))) &&
                                     col < (x_5 ? row + 1 : (x_6 & 1) == 1 ? x_7 : 0) ? y : 0.0f);
                            }, m, y);
                        }
                    }
                    shared.gs.release(k_element);
                    shared.ks.release_after_loads(k_element);
                }

                // kimi_delta.tk:124: m0 = m1;
                m0 = m1;

                // kimi_delta.tk:125: let beta = f32(load(Beta[b, t, h.start + i]));
                tk::row_fragment<float, 64> beta;
                tk::load_global(beta,
                                tk::slice<tk::no_axis, 1>(Beta, {b, t, h + i}, 1,
                                                          h + i < H ? N - t : 0), thread);

                // kimi_delta.tk:126: store(C[b, h.start + i, t.start +: L], beta);
                tk::store_global(
                    tk::slice<tk::no_axis, 2>(C, {b, h + i, t}, 1,
                                              h + i < H ? tk::divide_up(N, 64) * 64 - t : 0), beta,
                    thread);

                // kimi_delta.tk:127: m1 = gated_delta.strictly_lower(m * column(beta));
                tk::map(m1, thread, [&](int row, int col, float m) {
                    const int x_5 = N - t;
                    return col < x_5
                        ? (row < x_5
                           ? (row > col
                              ? m *
                              (b < B && t + row < N && h + i < H ? tk::cell(Beta, b, t + row, h + i)
                               : float{}) : 0.0f) : 0.0f) : 0.0f;
                }, m);
            }

            // <std.triangular>:55: return rounded_inverses(shared(f16(m0)), shared(f16(m1)));
            tk::fragment<tk::f16, 64, 64> t16 = tk::convert<tk::f16>(m0);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_t17[0], t16, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::fragment<tk::f16, 64, 64> t18 = tk::convert<tk::f16>(m1);
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_t19[0], t18, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t20;
            tk::map(t20, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], t20, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t21;
            tk::map(t21, []() { return tk::f16(0.0f); });
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], t21, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t15;
            tk::load_shared(t15, shared.keys_t17[0], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t15) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t15) : 0.0f;
            }, t15);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t24;
            tk::load_shared(t24, shared.keys_t19[0], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t24) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t24) : 0.0f;
            }, t24);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_3 = 1; b_3 < 4; b_3 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t22;
                tk::slice_registers<0, 0>(t22, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t22, tk::part<0, 0, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t25;
                tk::slice_registers<0, 4>(t25, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t25, tk::part<16, 16, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t28;
                tk::slice_registers<0, 8>(t28, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t28, tk::part<32, 32, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t31;
                tk::slice_registers<0, 12>(t31, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t31, tk::part<48, 48, 16, 16>(shared.keys_t17[0]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r0[0], h0, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<3>(x0_a, t22);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t25);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t28);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t31);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t34;
                tk::slice_registers<0, 0>(t34, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t34, tk::part<0, 0, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t37;
                tk::slice_registers<0, 4>(t37, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t37, tk::part<16, 16, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t40;
                tk::slice_registers<0, 8>(t40, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t40, tk::part<32, 32, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t43;
                tk::slice_registers<0, 12>(t43, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t43, tk::part<48, 48, 16, 16>(shared.keys_t19[0]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.keys_r0[0]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(4, 128);
                tk::store_shared(shared.keys_r1[0], h1, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                tk::mma_wait<7>(x1_a, t34);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t50;
                tk::map(t50, thread, [&](int row, int col, float x1_a) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t50, tk::part<0, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_b, t37);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t52;
                tk::map(t52, thread, [&](int row, int col, float x1_b) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t52, tk::part<16, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_c, t40);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t54;
                tk::map(t54, thread, [&](int row, int col, float x1_c) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t54, tk::part<32, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<7>(x1_d, t43);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t56;
                tk::map(t56, thread, [&](int row, int col, float x1_d) {
                    const int x_5 = (row & 15) >> (b_3 & 31);
                    return ((x_5 & 1) == 1 ? x_5 - 1 : -1) == col >> (b_3 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t56, tk::part<48, 0, 16, 64>(shared.keys_r1[0]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t50, t52, t54, t56);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t58;
            tk::slice_registers<0, 4>(t58, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t58, tk::part<16, 0, 16, 16>(shared.keys_t17[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t61;
            tk::slice_registers<0, 12>(t61, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t61, tk::part<48, 32, 16, 16>(shared.keys_t17[0]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t64;
            tk::slice_registers<0, 4>(t64, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t64, tk::part<16, 0, 16, 16>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t67;
            tk::slice_registers<0, 12>(t67, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t67, tk::part<48, 32, 16, 16>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t58);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t70;
            tk::map(t70, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t70, tk::part<0, 0, 16, 64>(shared.keys_r0[0]));
            tk::mma_wait<3>(y0_b, t61);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t72;
            tk::map(t72, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t72, tk::part<32, 0, 16, 64>(shared.keys_r0[0]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<3>(y1_a, t64);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t74;
            tk::map(t74, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t74, tk::part<0, 0, 16, 64>(shared.keys_r1[0]));
            tk::mma_wait<3>(y1_b, t67);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t76;
            tk::map(t76, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t76, tk::part<32, 0, 16, 64>(shared.keys_r1[0]));
            tk::mma_wait<2>(v0, t70, t72);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t78;
            tk::slice_registers<0, 8>(t78, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t78, tk::part<32, 0, 32, 32>(shared.keys_t17[0]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r0[0], g0, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(v1, t74, t76);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t81;
            tk::slice_registers<0, 8>(t81, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t81, tk::part<32, 0, 32, 32>(shared.keys_t19[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t78);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t84;
            tk::map(t84, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t84, tk::part<0, 0, 32, 64>(shared.keys_r0[0]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(4, 128);
            tk::store_shared(shared.keys_r1[0], g1, thread);
            tk::fence_async();
            tk::barrier_sync(4, 128);
            tk::mma_wait<1>(z1, t81);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t86;
            tk::map(t86, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t86, tk::part<0, 0, 32, 64>(shared.keys_r1[0]));
            tk::mma_wait<1>(v0, t84);

            // kimi_delta.tk:130: tma_store(Inverse[b, h.start, t.start +: L, :], T(x.a));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t88;
                tk::map(t88, thread, [](int row, int col, float v0) {
                    return row == col ? 0.0f : v0;
                }, v0);
                tk::store_shared(shared.keys_Inverse[0], t88, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Inverse_map, shared.keys_Inverse[0], b, h, t, panel);
            }
            tk::mma_wait<0>(v1, t86);

            // kimi_delta.tk:131: tma_store(Inverse[b, h.start + 1, t.start +: L, :], T(x.b));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t89;
                tk::map(t89, thread, [](int row, int col, float v1) {
                    return row == col ? 0.0f : v1;
                }, v1);
                tk::store_shared(shared.keys_Inverse[0], t89, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Inverse_map, shared.keys_Inverse[0], b, h + 1, t, panel);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// chunks: kernel chunks with T = bf16, DK = 128, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 40 registers a thread; state: 1 warpgroup, 232 registers a thread; output: 1
// warpgroup, 232 registers a thread.
// 384 threads, 168 registers each at first, 182560 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> rs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<float, 1, 64> betas_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ws_tile[2];
    tk::shared_tile<float, 1, 128> lefts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> states_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> ks;
    tk::pipeline<2> rs;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> betas;
    tk::pipeline<2> ts;
    tk::pipeline<2> ws;
    tk::pipeline<2> lefts;
    tk::pipeline<1> us;
    tk::pipeline<1> states;
};
static_assert(offsetof(chunks_shared, states) == 182544);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap Keys_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    const __grid_constant__ CUtensorMap Left_map, const __grid_constant__ CUtensorMap Rest_map,
    const __grid_constant__ CUtensorMap Queries_map, const __grid_constant__ CUtensorMap A_map,
    const __grid_constant__ CUtensorMap O_map, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int N, int H, int DV, int I, int F, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Keys_map, V_map, C_map, Inverse_map, Left_map, Rest_map, Queries_map,
                              A_map, O_map);
        shared.ks.init(1, 4);
        shared.rs.init(1, 4);
        shared.qs.init(1, 4);
        shared.vs.init(1, 4);
        shared.betas.init(1, 4);
        shared.ts.init(1, 4);
        shared.ws.init(1, 4);
        shared.lefts.init(1, 4);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // kimi_delta.tk:166: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> betas_next, ks_next, lefts_next, qs_next, rs_next, ts_next, vs_next, ws_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int p = program / (c_tiles * H) % p_tiles;
            const int b = program / (c_tiles * H * p_tiles);

            // kimi_delta.tk:150: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // kimi_delta.tk:152: let first  = if PACKED { (start[b] // L + b) * L } else { p * ..
            const int first = p * length;

            // kimi_delta.tk:153: let end    = if PACKED { first + tokens } else { min((p + 1) * ..
            const int end = tk::min((p + 1) * length, N);

            // kimi_delta.tk:167: for t in first..end by L {
            #pragma unroll 1
            for (int t = first; t < end; t += 64) {
                // kimi_delta.tk:168: produce ks = tma_load(Keys[at, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], Keys_map, shared.ks.full[ks_next.stage],
                             at, t, h, 0);
                ks_next.advance();

                // kimi_delta.tk:169: produce vs = tma_load(V[at, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage],
                             at, t, h, c);
                vs_next.advance();

                // kimi_delta.tk:170: produce betas = tma_load(C[at, h, t.start +: L]);
                shared.betas.begin(betas_next, 256);
                tk::tma_load(shared.betas_tile[betas_next.stage], C_map,
                             shared.betas.full[betas_next.stage], at, h, t);
                betas_next.advance();

                // kimi_delta.tk:171: produce ts = tma_load(Inverse[at, h, t.start +: L, :]);
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], at, h, t, 0);
                ts_next.advance();

                // kimi_delta.tk:172: produce lefts = tma_load(Left[at, h, t.start // L, :]);
                shared.lefts.begin(lefts_next, 512);
                tk::tma_load(shared.lefts_tile[lefts_next.stage], Left_map,
                             shared.lefts.full[lefts_next.stage], at, h, tk::divide_down(t, 64), 0);
                lefts_next.advance();

                // kimi_delta.tk:173: produce rs = tma_load(Rest[at, t, h, :]);
                shared.rs.begin(rs_next, 16384);
                tk::tma_load(shared.rs_tile[rs_next.stage], Rest_map, shared.rs.full[rs_next.stage],
                             at, t, h, 0);
                rs_next.advance();

                // kimi_delta.tk:174: produce qs = tma_load(Queries[at, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Queries_map,
                             shared.qs.full[qs_next.stage], at, t, h, 0);
                qs_next.advance();

                // kimi_delta.tk:175: produce ws = tma_load(A[at, h, t.start +: L, :]);
                shared.ws.begin(ws_next, 8192);
                tk::tma_load(shared.ws_tile[ws_next.stage], A_map, shared.ws.full[ws_next.stage],
                             at, h, t, 0);
                ws_next.advance();
            }
        }
    } else if (warp < 4) {
        // kimi_delta.tk:178: role state(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next;
        tk::cursor<1> states_next_2, us_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // kimi_delta.tk:152: let first  = if PACKED { (start[b] // L + b) * L } else { p * ..
        const int first = p * length;

        // kimi_delta.tk:153: let end    = if PACKED { first + tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // kimi_delta.tk:179: var s: f32[BV, DK] = load(S0[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 128),
                        thread);

        // kimi_delta.tk:180: for t in first..end by L {
        tk::fragment<tk::bf16, 64, 64> t5;
        tk::fragment<tk::bf16, 64, 64> t6;
        for (int t = first; t < end; t += 64) {
            // kimi_delta.tk:181: let x = T(s);
            tk::fragment<tk::bf16, 64, 128> x = tk::convert<tk::bf16>(s);

            // kimi_delta.tk:182: let y = mma(x, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, x, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});

            // kimi_delta.tk:183: let v = consume vs;
            shared.vs.wait_full(ks_element);

            // kimi_delta.tk:184: let beta = consume betas;
            shared.betas.wait_full(ks_element);

            // kimi_delta.tk:185: let i = consume ts;
            shared.ts.wait_full(ks_element);

            // kimi_delta.tk:186: let left = consume lefts;
            shared.lefts.wait_full(ks_element);

            // kimi_delta.tk:187: let u = update(inout s, y, v.T, i, consume rs, left, beta);
            shared.rs.wait_full(ks_element);

            // kimi_delta.tk:43: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[ks_element.stage], thread);
            shared.vs.release_after_loads(ks_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.betas_tile[ks_element.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // kimi_delta.tk:44: u -= y * beta;
            tk::hold_waits(warp);
            tk::mma_wait<0>(y, x);
            shared.ks.release(ks_element);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.betas_tile[ks_element.stage], thread);
            shared.betas.release_after_loads(ks_element);
            tk::map(u, [](float u, float y, float t1) { return tk::fma(-y, t1, u); }, u, y, t1);

            // kimi_delta.tk:45: u = pad(u, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(u, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }

            // kimi_delta.tk:46: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[ks_element.stage]));

            // kimi_delta.tk:47: s *= left;
            const auto t7 = tk::in_place(shared.lefts_tile[ks_element.stage], thread);
            tk::map(s, [](float s, float t7) { return s * t7; }, s, t7);
            // kimi_delta.tk:186
            tk::hold_waits(warp);
            shared.lefts.release_after_loads(ks_element);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(ks_element);

            // kimi_delta.tk:48: s += mma(T(pad(u, axis = 1, with = 0)), k);
            if (t + 64 <= N) {
                t5 = tk::convert<tk::bf16>(u);
            } else {
                tk::map(t5, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }
            tk::mma_async(s, t5, shared.rs_tile[ks_element.stage]);

            // kimi_delta.tk:188: produce states = x;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], x, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // kimi_delta.tk:189: produce us = T(pad(u, axis = 1, with = 0));
            if (t + 64 <= N) {
                t6 = tk::convert<tk::bf16>(u);
            } else {
                tk::map(t6, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t6, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t5);
            shared.rs.release(ks_element);
        }

        // kimi_delta.tk:191: if PACKED or p == segments - 1 { store(State[b, h, c, :], s); }
        if (p == segments - 1) {
            tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 128), s, thread);
        }
    } else {
        // kimi_delta.tk:193: role output(1 warpgroup) {
        tk::registers_at_least<232>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<1> states_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // kimi_delta.tk:152: let first  = if PACKED { (start[b] // L + b) * L } else { p * ..
        const int first = p * length;

        // kimi_delta.tk:153: let end    = if PACKED { first + tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // kimi_delta.tk:194: for t in first..end by L {
        for (int t = first; t < end; t += 64) {
            // kimi_delta.tk:195: var o = mma(consume qs, (consume states).T);
            const tk::cursor<2> qs_element = shared.qs.take(qs_next);
            const tk::cursor<1> states_element = shared.states.take(states_next_2);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[qs_element.stage],
                          tk::transposed(shared.states_tile[states_element.stage]),
                          tk::accumulate_never{});

            // kimi_delta.tk:196: o += mma(consume ws, (consume us).T);
            shared.ws.wait_full(qs_element);
            shared.us.wait_full(states_element);
            tk::mma_async(o, shared.ws_tile[qs_element.stage],
                          tk::transposed(shared.us_tile[states_element.stage]));
            tk::mma_wait<0>(o);
            shared.states.release(states_element);
            shared.qs.release(qs_element);
            shared.us.release(states_element);
            shared.ws.release(qs_element);

            // kimi_delta.tk:197: if PACKED { store(Ob[t.start - first +: L, h, c], T(o)); } else ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.output_O[0], tk::convert<tk::bf16>(o), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (DV % 8 != 0 && DV < c + panel + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {b, t, h, c + panel}, N - t, DV - (c + panel)),
                            0 - t, 0), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t, h, c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_pairs(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                        const tk::tensor& G, const tk::tensor& Beta, const tk::tensor& Queries,
                        const tk::tensor& Keys, const tk::tensor& Rest, const tk::tensor& A,
                        const tk::tensor& Inverse, const tk::tensor& Left, const tk::tensor& C,
                        int64_t B, int64_t N, int64_t H, float scale) {
    return tk::run<pairs_kernel>(
        site, sizeof(pairs_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128}, Beta, Left, C, B, N,
        H, scale);
}

tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Queries,
                         const tk::tensor& Keys, const tk::tensor& Rest, const tk::tensor& V,
                         const tk::tensor& A, const tk::tensor& Inverse, const tk::tensor& Left,
                         const tk::tensor& C, const tk::tensor& S0, const tk::tensor& O,
                         const tk::tensor& State, int64_t B, int64_t N, int64_t H, int64_t DV,
                         int64_t I, int64_t F, int32_t segments, int32_t length) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Left, {1, 1, 1, 128}, 0}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{Queries, {1, 64, 1, 64}, 128}, tk::box{A, {1, 1, 64, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, S0, O, State, B, N, H, DV, I, F, segments, length);
}

}  // namespace

extern "C" {
int pairs(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* G_given,
          const DLTensor* Beta_given, DLTensor* Queries_given, DLTensor* Keys_given,
          DLTensor* Rest_given, DLTensor* A_given, DLTensor* Inverse_given, DLTensor* Left_given,
          DLTensor* C_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"pairs"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("N", Q, 1, G, 1), tk::same_extent("H", Q, 2, G, 2),
         tk::fixed_extent(G, 3, 128), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
         tk::same_extent("B", Q, 0, Queries, 0), tk::same_extent("N", Q, 1, Queries, 1),
         tk::same_extent("H", Q, 2, Queries, 2), tk::fixed_extent(Queries, 3, 128),
         tk::same_extent("B", Q, 0, Keys, 0), tk::same_extent("N", Q, 1, Keys, 1),
         tk::same_extent("H", Q, 2, Keys, 2), tk::fixed_extent(Keys, 3, 128),
         tk::same_extent("B", Q, 0, Rest, 0), tk::same_extent("N", Q, 1, Rest, 1),
         tk::same_extent("H", Q, 2, Rest, 2), tk::fixed_extent(Rest, 3, 128),
         tk::same_extent("B", Q, 0, A, 0), tk::same_extent("H", Q, 2, A, 1),
         tk::fixed_extent(A, 3, 64), tk::same_extent("B", Q, 0, Inverse, 0),
         tk::same_extent("H", Q, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", Q, 0, Left, 0), tk::same_extent("H", Q, 2, Left, 1),
         tk::fixed_extent(Left, 3, 128), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(G), tk::suits_tma_store(Queries),
         tk::suits_tma_store(Keys), tk::suits_tma_store(Rest), tk::suits_tma_store(A),
         tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
                       2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<pairs_kernel>(
        site, sizeof(pairs_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
        tk::box{G, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{Queries, {1, 64, 1, 64}, 128},
        tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{A, {1, 1, 64, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128}, Beta, Left, C, B, N,
        H, scale));
}
TK_NO_WORKSPACE(pairs, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int chunks(const DLTensor* Queries_given, const DLTensor* Keys_given, const DLTensor* Rest_given,
           const DLTensor* V_given, const DLTensor* A_given, const DLTensor* Inverse_given,
           const DLTensor* Left_given, const DLTensor* C_given, const DLTensor* S0_given,
           const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given, int32_t segments,
           int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Queries.shape[0];
    const int64_t N = Queries.shape[1];
    const int64_t H = Queries.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Queries, 3, 128), tk::same_extent("B", Queries, 0, Keys, 0),
         tk::same_extent("N", Queries, 1, Keys, 1), tk::same_extent("H", Queries, 2, Keys, 2),
         tk::fixed_extent(Keys, 3, 128), tk::same_extent("B", Queries, 0, Rest, 0),
         tk::same_extent("N", Queries, 1, Rest, 1), tk::same_extent("H", Queries, 2, Rest, 2),
         tk::fixed_extent(Rest, 3, 128), tk::same_extent("B", Queries, 0, V, 0),
         tk::same_extent("N", Queries, 1, V, 1), tk::same_extent("H", Queries, 2, V, 2),
         tk::same_extent("B", Queries, 0, A, 0), tk::same_extent("H", Queries, 2, A, 1),
         tk::fixed_extent(A, 3, 64), tk::same_extent("B", Queries, 0, Inverse, 0),
         tk::same_extent("H", Queries, 2, Inverse, 1), tk::fixed_extent(Inverse, 3, 64),
         tk::same_extent("B", Queries, 0, Left, 0), tk::same_extent("H", Queries, 2, Left, 1),
         tk::fixed_extent(Left, 3, 128), tk::same_extent("B", Queries, 0, C, 0),
         tk::same_extent("H", Queries, 2, C, 1), tk::same_extent("H", Queries, 2, S0, 1),
         tk::same_extent("DV", V, 3, S0, 2), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("B", Queries, 0, O, 0), tk::same_extent("N", Queries, 1, O, 1),
         tk::same_extent("H", Queries, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Queries, 2, State, 1), tk::same_extent("DV", V, 3, State, 2),
         tk::fixed_extent(State, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                  "`segments*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{length})}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(F <= B, "`chunks` requires `PACKED or F <= B`"),
         tk::that(int64_t{segments} >= 1, "`chunks` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`chunks` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`chunks` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`chunks` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Queries),
         tk::suits_tma_load(Keys), tk::suits_tma_load(Rest), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(A), tk::suits_tma_load(Inverse), tk::suits_tma_load(Left),
         tk::suits_tma_load(C), tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1)),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Keys, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{Left, {1, 1, 1, 128}, 0}, tk::box{Rest, {1, 64, 1, 64}, 128},
        tk::box{Queries, {1, 64, 1, 64}, 128}, tk::box{A, {1, 1, 64, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, S0, O, State, B, N, H, DV, I, F, segments, length));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int kimi_delta(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
               const DLTensor* G_given, const DLTensor* Beta_given, const DLTensor* S0_given,
               const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
               DLTensor* Queries_given, DLTensor* Keys_given, DLTensor* Rest_given,
               DLTensor* A_given, DLTensor* Inverse_given, DLTensor* Left_given, DLTensor* C_given,
               float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"kimi_delta"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f16, 4, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Queries = call.take("Queries", Queries_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Keys = call.take("Keys", Keys_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Rest = call.take("Rest", Rest_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("N", Q, 1, G, 1),
         tk::same_extent("H", Q, 2, G, 2), tk::fixed_extent(G, 3, 128),
         tk::same_extent("B", Q, 0, Beta, 0), tk::same_extent("N", Q, 1, Beta, 1),
         tk::same_extent("H", Q, 2, Beta, 2), tk::same_extent("H", Q, 2, S0, 1),
         tk::same_extent("DV", V, 3, S0, 2), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Q, 2, State, 1), tk::same_extent("DV", V, 3, State, 2),
         tk::fixed_extent(State, 3, 128), tk::same_extent("B", Q, 0, Queries, 0),
         tk::same_extent("N", Q, 1, Queries, 1), tk::same_extent("H", Q, 2, Queries, 2),
         tk::fixed_extent(Queries, 3, 128), tk::same_extent("B", Q, 0, Keys, 0),
         tk::same_extent("N", Q, 1, Keys, 1), tk::same_extent("H", Q, 2, Keys, 2),
         tk::fixed_extent(Keys, 3, 128), tk::same_extent("B", Q, 0, Rest, 0),
         tk::same_extent("N", Q, 1, Rest, 1), tk::same_extent("H", Q, 2, Rest, 2),
         tk::fixed_extent(Rest, 3, 128), tk::same_extent("B", Q, 0, A, 0),
         tk::same_extent("H", Q, 2, A, 1), tk::fixed_extent(A, 3, 64),
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", Q, 0, Left, 0),
         tk::same_extent("H", Q, 2, Left, 1), tk::fixed_extent(Left, 3, 128),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(A.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `A` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {A.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Left.shape[2] == tk::ceil_div(N, 64),
                  "axis 2 of `Left` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Left.shape[2], tk::ceil_div(N, 64)}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(P == 0, "`kimi_delta` requires `P == 0`"),
         tk::that(F <= B, "`kimi_delta` requires `F <= B`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // pairs(Q, K, G, Beta, Queries, Keys, Rest, A, Inverse, Left, C, scale)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(G),
         tk::suits_tma_store(Queries), tk::suits_tma_store(Keys), tk::suits_tma_store(Rest),
         tk::suits_tma_store(A), tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(N, 64)), B),
                       2147418112)});
    // chunks(Queries, Keys, Rest, V, A, Inverse, Left, C, S0, start, O, State, 1, ceil_div(max(N,
    // 1), 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::suits_tma_load(V, "DV"), tk::suits_tma_load(Left), tk::suits_tma_load(C),
        tk::suits_tma_store(O, "DV"),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648),
        tk::fits("(p + 1)*(ceil_div(max(N, 1), 64)*64)",
                 tk::larger(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                            tk::ceil_div(tk::larger(N, 1), 64) * 64)),
        tk::that(-2147483648 <=
                 tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                             tk::ceil_div(tk::larger(N, 1), 64) * 64),
                 "`(p + 1)*(ceil_div(max(N, 1), 64)*64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                                 tk::ceil_div(tk::larger(N, 1), 64) * 64)}),
        tk::fits("b*1", tk::larger(0, B - 1)),
        tk::that(-2147483648 <= tk::smaller(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, B - 1)}), tk::fits("N - t.start", N)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_pairs(
        site, Q, K, G, Beta, Queries, Keys, Rest, A, Inverse, Left, C, B, N, H, scale));
    TK_FINISH_IF_FAILED(launch_chunks(
        site, tk::read_only(Queries), tk::read_only(Keys), tk::read_only(Rest), V, tk::read_only(A),
        tk::read_only(Inverse), tk::read_only(Left), tk::read_only(C), S0, O, State, B, N, H, DV, I,
        F, static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(kimi_delta, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
