// Made by tkc from attention_varlen.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_varlen: kernel attention_varlen with T = bf16, D = 128, CAUSAL = false, WINDOW = 0,
// SOFTCAP = false, BM = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_varlen_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_varlen_shared, v_tiles) == 196656);

__global__ void __launch_bounds__(384, 1) attention_varlen_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int B, int longest,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_varlen_shared& shared = *reinterpret_cast<attention_varlen_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_varlen.tk:20: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = ..
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = ..
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), ..
                    const int end = lk;

                    // attention_varlen.tk:28: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                        shared.q_tiles.begin(q_tiles_next, 32768);
                        tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                     shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                        q_tiles_next.advance();

                        // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                        if (end > 0) {
                            // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                            k_tiles_next.advance();
                            // attention_varlen.tk:32
                            #pragma unroll 1
                            for (int j = 128; j < end; j += 128) {
                                // attention_varlen.tk:33
                                shared.k_tiles.begin(k_tiles_next, 32768);
                                tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                             shared.k_tiles.full[k_tiles_next.stage], Kb_start + j,
                                             g, 0);
                                k_tiles_next.advance();

                                // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                                shared.v_tiles.begin(v_tiles_next, 32768);
                                tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                             shared.v_tiles.full[v_tiles_next.stage],
                                             Vb_start + (j - 128), g, 0);
                                v_tiles_next.advance();
                            }
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128,
                                         g, 0);
                            v_tiles_next.advance();
                        }
                    }
                }
            }
        }
    } else {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = lk;

                // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:28: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                    const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.q_tiles_tile[q_element.stage],
                                                 64 * warpgroup), thread);
                    shared.q_tiles.release_after_loads(q_element);

                    // attention_varlen.tk:30: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:31: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else ..
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_first;
                        tk::mma_async(s_first, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(s_first, q_2);
                        shared.k_tiles.release(k_tiles_element);

                        // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                        if (!(Kb_start + 128 <= Kb_end)) {
                            tk::map(s_first, thread, [&](int, int col, float s_first) {
                                return col < Kb_end - Kb_start ? s_first : -INFINITY;
                            }, s_first);
                        }
                        tk::column_fragment<float, 64> t2;
                        tk::fold_rows(t2, s_first, tk::maximum{}, thread);
                        tk::finish_rows(t2, tk::maximum{});
                        tk::column_fragment<float, 64> m_2;
                        tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); },
                                sm_max, t2);

                        // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                        tk::column_fragment<float, 64> m0;
                        tk::map(m0, [&](float m_2) {
                            return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                        }, m_2);

                        // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                        tk::fragment<float, 64, 128> p;
                        tk::map(p, [&](float s_first, float m0) {
                            return tk::exp2(tk::fma(s_first, sm_c, -m0));
                        }, s_first, m0);

                        // <std.softmax>:33: sm.correction = where(m == sm.max, 1, ..
                        tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                            return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                        }, m_2, sm_max, m0);

                        // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                        tk::column_fragment<float, 64> t3;
                        tk::fold_rows(t3, p, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t3) {
                            return tk::fma(sm_sum, sm_correction, t3);
                        }, sm_sum, sm_correction, t3);

                        // <std.softmax>:35: sm.max = m;
                        sm_max = m_2;

                        // attention_varlen.tk:35: let p = T(softmax.step(inout sm, ..
                        tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                        // attention_varlen.tk:36: o *= sm.correction;
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                        // attention_varlen.tk:32
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:33
                            const tk::cursor<2> k_tiles_element_2 =
                                shared.k_tiles.take(k_tiles_next);
                            tk::fragment<float, 64, 128> s;
                            tk::mma_async(s, q_2,
                                          tk::transposed(
                                              shared.k_tiles_tile[k_tiles_element_2.stage]),
                                          tk::accumulate_never{});

                            // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                            const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                            tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                            tk::mma_wait<1>(s, q_2);
                            shared.k_tiles.release(k_tiles_element_2);
                            // <std.softmax>:30
                            if (!(Kb_start + j + 128 <= Kb_end)) {
                                tk::map(s, thread, [&](int, int col, float s) {
                                    return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
                                }, s);
                            }
                            tk::column_fragment<float, 64> t6;
                            tk::fold_rows(t6, s, tk::maximum{}, thread);
                            tk::finish_rows(t6, tk::maximum{});
                            tk::column_fragment<float, 64> m_3;
                            tk::map(m_3, [](float sm_max, float t6) { return tk::max(sm_max, t6); },
                                    sm_max, t6);
                            // <std.softmax>:31
                            tk::column_fragment<float, 64> m0_2;
                            tk::map(m0_2, [&](float m_3) {
                                return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                            }, m_3);
                            // <std.softmax>:32
                            tk::hold_waits(warp);
                            tk::fragment<float, 64, 128> p_3;
                            tk::map(p_3, [&](float s, float m0_2) {
                                return tk::exp2(tk::fma(s, sm_c, -m0_2));
                            }, s, m0_2);
                            // <std.softmax>:33
                            tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                                return m_3 == sm_max ? 1.0f
                                    : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                            }, m_3, sm_max, m0_2);
                            // <std.softmax>:34
                            tk::column_fragment<float, 64> t7;
                            tk::fold_rows(t7, p_3, tk::plus{}, thread);
                            tk::map(sm_sum, [](float sm_sum, float sm_correction, float t7) {
                                return tk::fma(sm_sum, sm_correction, t7);
                            }, sm_sum, sm_correction, t7);
                            // <std.softmax>:35
                            sm_max = m_3;
                            tk::mma_wait<0>(o, p_2);
                            shared.v_tiles.release(v_tiles_element);
                            // attention_varlen.tk:35
                            p_2 = tk::convert<tk::bf16>(p_3);
                            // attention_varlen.tk:36
                            tk::map(o, [](float o, float sm_correction) {
                                return o * sm_correction;
                            }, o, sm_correction);
                        }
                        // attention_varlen.tk:37
                        const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element_2);
                    }

                    // attention_varlen.tk:39: store(Ob[m, h, :], T(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t4 = sm_sum;
                    tk::finish_rows(t4, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); },
                            t4);
                    #pragma unroll
                    for (int panel = 0; panel < 128; panel += 64) {
                        tk::fragment<tk::bf16, 64, 64> t8;
                        tk::map(t8, [](float o, float t0) { return o * t0; },
                                tk::window<64, 64>(o, 0, panel), t0);
                        tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t8,
                                         thread);
                        tk::fence_async();
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1 + warpgroup, 128);
                        if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                            tk::copy_to_global(
                                tk::clipped(
                                    tk::dense_slice<0, 2>(O,
                                                          {Ob_start + m + warpgroup * 64, h, panel},
                                                          tk::max(tk::min(Ob_end, TQ), 0) -
                                                          (Ob_start + m + warpgroup * 64),
                                                          128 - panel),
                                    0 - (Ob_start + m + warpgroup * 64), 0),
                                shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                            if (leader) tk::tma_store_nothing();
                        } else if (leader) {
                            tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                          Ob_start + m + warpgroup * 64, h, panel);
                        }
                    }

                    // attention_varlen.tk:40: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t9;
                    tk::map(t9, [&](float t4, float sm_max) {
                        return t4 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
                    }, t4, sm_max);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                      tk::max(tk::min(Lb_end, TQ), 0) -
                                                      (Lb_start + m + 64 * warpgroup), 1),
                            0 - (Lb_start + m + 64 * warpgroup), 0), t9, thread);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_varlen_general: kernel attention_varlen with T = bf16, D = 128, CAUSAL = false, WINDOW
// = 0, SOFTCAP = false, BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory; persistent.
struct attention_varlen_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_varlen_general_shared, v_tiles) == 163888);

__global__ void __launch_bounds__(384, 1) attention_varlen_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int B, int longest,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_varlen_general_shared& shared =
        *reinterpret_cast<attention_varlen_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_varlen.tk:20: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = ..
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = ..
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), ..
                    const int end = lk;

                    // attention_varlen.tk:28: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                        shared.q_tiles.begin(q_tiles_next, 32768);
                        tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                     shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                        q_tiles_next.advance();

                        // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                        if (end > 0) {
                            // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                            k_tiles_next.advance();
                            // attention_varlen.tk:32
                            #pragma unroll 1
                            for (int j = 128; j < end; j += 128) {
                                // attention_varlen.tk:33
                                shared.k_tiles.begin(k_tiles_next, 32768);
                                tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                             shared.k_tiles.full[k_tiles_next.stage], Kb_start + j,
                                             g, 0);
                                k_tiles_next.advance();

                                // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                                shared.v_tiles.begin(v_tiles_next, 32768);
                                tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                             shared.v_tiles.full[v_tiles_next.stage],
                                             Vb_start + (j - 128), g, 0);
                                v_tiles_next.advance();
                            }
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128,
                                         g, 0);
                            v_tiles_next.advance();
                        }
                    }
                }
            }
        }
    } else {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = lk;

                // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:28: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                    const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.q_tiles_tile[q_element.stage],
                                                 64 * warpgroup), thread);
                    shared.q_tiles.release_after_loads(q_element);

                    // attention_varlen.tk:30: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:31: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else ..
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_first;
                        tk::mma_async(s_first, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(s_first, q_2);
                        shared.k_tiles.release(k_tiles_element);

                        // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                        if (!(Kb_start + 128 <= Kb_end)) {
                            tk::map(s_first, thread, [&](int, int col, float s_first) {
                                return col < Kb_end - Kb_start ? s_first : -INFINITY;
                            }, s_first);
                        }
                        tk::column_fragment<float, 64> t2;
                        tk::fold_rows(t2, s_first, tk::maximum{}, thread);
                        tk::finish_rows(t2, tk::maximum{});
                        tk::column_fragment<float, 64> m_2;
                        tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); },
                                sm_max, t2);

                        // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                        tk::column_fragment<float, 64> m0;
                        tk::map(m0, [&](float m_2) {
                            return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                        }, m_2);

                        // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                        tk::fragment<float, 64, 128> p;
                        tk::map(p, [&](float s_first, float m0) {
                            return tk::exp2(tk::fma(s_first, sm_c, -m0));
                        }, s_first, m0);

                        // <std.softmax>:33: sm.correction = where(m == sm.max, 1, ..
                        tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                            return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                        }, m_2, sm_max, m0);

                        // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                        tk::column_fragment<float, 64> t3;
                        tk::fold_rows(t3, p, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t3) {
                            return tk::fma(sm_sum, sm_correction, t3);
                        }, sm_sum, sm_correction, t3);

                        // <std.softmax>:35: sm.max = m;
                        sm_max = m_2;

                        // attention_varlen.tk:35: let p = T(softmax.step(inout sm, ..
                        tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                        // attention_varlen.tk:36: o *= sm.correction;
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                        // attention_varlen.tk:32
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:33
                            const tk::cursor<2> k_tiles_element_2 =
                                shared.k_tiles.take(k_tiles_next);
                            tk::fragment<float, 64, 128> s;
                            tk::mma_async(s, q_2,
                                          tk::transposed(
                                              shared.k_tiles_tile[k_tiles_element_2.stage]),
                                          tk::accumulate_never{});

                            // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                            const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                            tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                            tk::mma_wait<1>(s, q_2);
                            shared.k_tiles.release(k_tiles_element_2);
                            // <std.softmax>:30
                            if (!(Kb_start + j + 128 <= Kb_end)) {
                                tk::map(s, thread, [&](int, int col, float s) {
                                    return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
                                }, s);
                            }
                            tk::column_fragment<float, 64> t6;
                            tk::fold_rows(t6, s, tk::maximum{}, thread);
                            tk::finish_rows(t6, tk::maximum{});
                            tk::column_fragment<float, 64> m_3;
                            tk::map(m_3, [](float sm_max, float t6) { return tk::max(sm_max, t6); },
                                    sm_max, t6);
                            // <std.softmax>:31
                            tk::column_fragment<float, 64> m0_2;
                            tk::map(m0_2, [&](float m_3) {
                                return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                            }, m_3);
                            // <std.softmax>:32
                            tk::hold_waits(warp);
                            tk::fragment<float, 64, 128> p_3;
                            tk::map(p_3, [&](float s, float m0_2) {
                                return tk::exp2(tk::fma(s, sm_c, -m0_2));
                            }, s, m0_2);
                            // <std.softmax>:33
                            tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                                return m_3 == sm_max ? 1.0f
                                    : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                            }, m_3, sm_max, m0_2);
                            // <std.softmax>:34
                            tk::column_fragment<float, 64> t7;
                            tk::fold_rows(t7, p_3, tk::plus{}, thread);
                            tk::map(sm_sum, [](float sm_sum, float sm_correction, float t7) {
                                return tk::fma(sm_sum, sm_correction, t7);
                            }, sm_sum, sm_correction, t7);
                            // <std.softmax>:35
                            sm_max = m_3;
                            tk::mma_wait<0>(o, p_2);
                            shared.v_tiles.release(v_tiles_element);
                            // attention_varlen.tk:35
                            p_2 = tk::convert<tk::bf16>(p_3);
                            // attention_varlen.tk:36
                            tk::map(o, [](float o, float sm_correction) {
                                return o * sm_correction;
                            }, o, sm_correction);
                        }
                        // attention_varlen.tk:37
                        const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element_2);
                    }

                    // attention_varlen.tk:39: store(Ob[m, h, :], T(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t4 = sm_sum;
                    tk::finish_rows(t4, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); },
                            t4);
                    tk::fragment<tk::bf16, 64, 128> t8;
                    tk::map(t8, [](float o, float t0) { return o * t0; }, o, t0);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<0, 2>(O, {Ob_start + m + 64 * warpgroup, h, 0},
                                            tk::max(tk::min(Ob_end, TQ), 0) -
                                            (Ob_start + m + 64 * warpgroup), 128),
                            0 - (Ob_start + m + 64 * warpgroup), 0), t8, thread);

                    // attention_varlen.tk:40: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t9;
                    tk::map(t9, [&](float t4, float sm_max) {
                        return t4 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
                    }, t4, sm_max);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                      tk::max(tk::min(Lb_end, TQ), 0) -
                                                      (Lb_start + m + 64 * warpgroup), 1),
                            0 - (Lb_start + m + 64 * warpgroup), 0), t9, thread);
                }
            }
        }
    }
}

// attention_varlen_causal: kernel attention_varlen with T = bf16, D = 128, CAUSAL = true, WINDOW =
// 0, SOFTCAP = false, BM = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_varlen_causal_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_varlen_causal_shared, v_tiles) == 196656);

__global__ void __launch_bounds__(384, 1) attention_varlen_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int B, int longest,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_varlen_causal_shared& shared =
        *reinterpret_cast<attention_varlen_causal_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_varlen.tk:20: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = ..
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = ..
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:25: let first = m.start + lk - lq;
                    const int first = m + lk - lq;

                    // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), ..
                    const int end = tk::max(tk::min(first + 128, lk), 0);

                    // attention_varlen.tk:28: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                        shared.q_tiles.begin(q_tiles_next, 32768);
                        tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                     shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                        q_tiles_next.advance();

                        // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                        if (end > 0) {
                            // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                            k_tiles_next.advance();
                            // attention_varlen.tk:32
                            #pragma unroll 1
                            for (int j = 128; j < end; j += 128) {
                                // attention_varlen.tk:33
                                shared.k_tiles.begin(k_tiles_next, 32768);
                                tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                             shared.k_tiles.full[k_tiles_next.stage], Kb_start + j,
                                             g, 0);
                                k_tiles_next.advance();

                                // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                                shared.v_tiles.begin(v_tiles_next, 32768);
                                tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                             shared.v_tiles.full[v_tiles_next.stage],
                                             Vb_start + (j - 128), g, 0);
                                v_tiles_next.advance();
                            }
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128,
                                         g, 0);
                            v_tiles_next.advance();
                        }
                    }
                }
            }
        }
    } else {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:25: let first = m.start + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:28: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                    const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.q_tiles_tile[q_element.stage],
                                                 64 * warpgroup), thread);
                    shared.q_tiles.release_after_loads(q_element);

                    // attention_varlen.tk:30: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:31: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else ..
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_first;
                        tk::mma_async(s_first, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(s_first, q_2);
                        shared.k_tiles.release(k_tiles_element);

                        // attention_varlen.tk:35: let p = T(softmax.step(inout sm, ..
                        if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                            tk::map(s_first, thread, [&](int row, int col, float s_first) {
                                return col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - Kb_start ? s_first : -INFINITY) : -INFINITY;
                            }, s_first);
                        }

                        // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                        tk::column_fragment<float, 64> t1;
                        tk::fold_rows(t1, s_first, tk::maximum{}, thread);
                        tk::finish_rows(t1, tk::maximum{});
                        tk::column_fragment<float, 64> m_2;
                        tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                                sm_max, t1);

                        // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                        tk::column_fragment<float, 64> m0;
                        tk::map(m0, [&](float m_2) {
                            return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                        }, m_2);

                        // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                        tk::fragment<float, 64, 128> p;
                        tk::map(p, [&](float s_first, float m0) {
                            return tk::exp2(tk::fma(s_first, sm_c, -m0));
                        }, s_first, m0);

                        // <std.softmax>:33: sm.correction = where(m == sm.max, 1, ..
                        tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                            return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                        }, m_2, sm_max, m0);

                        // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                        tk::column_fragment<float, 64> t2;
                        tk::fold_rows(t2, p, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                            return tk::fma(sm_sum, sm_correction, t2);
                        }, sm_sum, sm_correction, t2);

                        // <std.softmax>:35: sm.max = m;
                        sm_max = m_2;
                        // attention_varlen.tk:35
                        tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                        // attention_varlen.tk:36: o *= sm.correction;
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                        // attention_varlen.tk:32
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:33
                            const tk::cursor<2> k_tiles_element_2 =
                                shared.k_tiles.take(k_tiles_next);
                            tk::fragment<float, 64, 128> s_2;
                            tk::mma_async(s_2, q_2,
                                          tk::transposed(
                                              shared.k_tiles_tile[k_tiles_element_2.stage]),
                                          tk::accumulate_never{});

                            // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                            const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                            tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                            tk::mma_wait<1>(s_2, q_2);
                            shared.k_tiles.release(k_tiles_element_2);
                            // attention_varlen.tk:35
                            if (!(j + 127 <= first + 64 * warpgroup &&
                                  Kb_start + j + 128 <= Kb_end)) {
                                tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                    return j + col <= first + 64 * warpgroup + row
                                        ? (col < Kb_end - (Kb_start + j) ? s_2 : -INFINITY)
                                        : -INFINITY;
                                }, s_2);
                            }
                            // <std.softmax>:30
                            tk::column_fragment<float, 64> t4;
                            tk::fold_rows(t4, s_2, tk::maximum{}, thread);
                            tk::finish_rows(t4, tk::maximum{});
                            tk::column_fragment<float, 64> m_3;
                            tk::map(m_3, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                                    sm_max, t4);
                            // <std.softmax>:31
                            tk::column_fragment<float, 64> m0_2;
                            tk::map(m0_2, [&](float m_3) {
                                return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                            }, m_3);
                            // <std.softmax>:32
                            tk::hold_waits(warp);
                            tk::fragment<float, 64, 128> p_3;
                            tk::map(p_3, [&](float s_2, float m0_2) {
                                return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                            }, s_2, m0_2);
                            // <std.softmax>:33
                            tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                                return m_3 == sm_max ? 1.0f
                                    : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                            }, m_3, sm_max, m0_2);
                            // <std.softmax>:34
                            tk::column_fragment<float, 64> t5;
                            tk::fold_rows(t5, p_3, tk::plus{}, thread);
                            tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                                return tk::fma(sm_sum, sm_correction, t5);
                            }, sm_sum, sm_correction, t5);
                            // <std.softmax>:35
                            sm_max = m_3;
                            tk::mma_wait<0>(o, p_2);
                            shared.v_tiles.release(v_tiles_element);
                            // attention_varlen.tk:35
                            p_2 = tk::convert<tk::bf16>(p_3);
                            // attention_varlen.tk:36
                            tk::map(o, [](float o, float sm_correction) {
                                return o * sm_correction;
                            }, o, sm_correction);
                        }
                        // attention_varlen.tk:37
                        const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element_2);
                    }

                    // attention_varlen.tk:39: store(Ob[m, h, :], T(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t3 = sm_sum;
                    tk::finish_rows(t3, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); },
                            t3);
                    #pragma unroll
                    for (int panel = 0; panel < 128; panel += 64) {
                        tk::fragment<tk::bf16, 64, 64> t6;
                        tk::map(t6, [](float o, float t0) { return o * t0; },
                                tk::window<64, 64>(o, 0, panel), t0);
                        tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t6,
                                         thread);
                        tk::fence_async();
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1 + warpgroup, 128);
                        if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                            tk::copy_to_global(
                                tk::clipped(
                                    tk::dense_slice<0, 2>(O,
                                                          {Ob_start + m + warpgroup * 64, h, panel},
                                                          tk::max(tk::min(Ob_end, TQ), 0) -
                                                          (Ob_start + m + warpgroup * 64),
                                                          128 - panel),
                                    0 - (Ob_start + m + warpgroup * 64), 0),
                                shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                            if (leader) tk::tma_store_nothing();
                        } else if (leader) {
                            tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                          Ob_start + m + warpgroup * 64, h, panel);
                        }
                    }

                    // attention_varlen.tk:40: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t7;
                    tk::map(t7, [&](float t3, float sm_max) {
                        return t3 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                    }, t3, sm_max);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                      tk::max(tk::min(Lb_end, TQ), 0) -
                                                      (Lb_start + m + 64 * warpgroup), 1),
                            0 - (Lb_start + m + 64 * warpgroup), 0), t7, thread);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_varlen_causal_general: kernel attention_varlen with T = bf16, D = 128, CAUSAL = true,
// WINDOW = 0, SOFTCAP = false, BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory; persistent.
struct attention_varlen_causal_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_varlen_causal_general_shared, v_tiles) == 163888);

__global__ void __launch_bounds__(384, 1) attention_varlen_causal_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const int, 1> start_q,
    const tk::tensor_argument<const int, 1> start_k, const tk::tensor_argument<tk::bf16, 3> O,
    const tk::tensor_argument<float, 2> LSE, int TQ, int H, int HKV, int B, int longest,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_varlen_causal_general_shared& shared =
        *reinterpret_cast<attention_varlen_causal_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_varlen.tk:20: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = ..
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = ..
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:25: let first = m.start + lk - lq;
                    const int first = m + lk - lq;

                    // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), ..
                    const int end = tk::max(tk::min(first + 128, lk), 0);

                    // attention_varlen.tk:28: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                        shared.q_tiles.begin(q_tiles_next, 32768);
                        tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                     shared.q_tiles.full[q_tiles_next.stage], Qb_start + m, h, 0);
                        q_tiles_next.advance();

                        // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                        if (end > 0) {
                            // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], Kb_start, g, 0);
                            k_tiles_next.advance();
                            // attention_varlen.tk:32
                            #pragma unroll 1
                            for (int j = 128; j < end; j += 128) {
                                // attention_varlen.tk:33
                                shared.k_tiles.begin(k_tiles_next, 32768);
                                tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                             shared.k_tiles.full[k_tiles_next.stage], Kb_start + j,
                                             g, 0);
                                k_tiles_next.advance();

                                // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                                shared.v_tiles.begin(v_tiles_next, 32768);
                                tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                             shared.v_tiles.full[v_tiles_next.stage],
                                             Vb_start + (j - 128), g, 0);
                                v_tiles_next.advance();
                            }
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage],
                                         Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128,
                                         g, 0);
                            v_tiles_next.advance();
                        }
                    }
                }
            }
        }
    } else {
        // attention_varlen.tk:12: kernel attention_varlen<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_varlen.tk:21: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:22: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:24: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] ..
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:25: let first = m.start + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:27: let end   = if CAUSAL { max(min(first + BM, lk), 0) } ..
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:23: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] ..
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:28: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:29: let q = tma_load(Qb[m, h, :]);
                    const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.q_tiles_tile[q_element.stage],
                                                 64 * warpgroup), thread);
                    shared.q_tiles.release_after_loads(q_element);

                    // attention_varlen.tk:30: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:31: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else ..
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:32: for j in begin..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_varlen.tk:33: let s = mma(q, tma_load(Kb[j, g, :]).T);
                        const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_first;
                        tk::mma_async(s_first, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                      tk::accumulate_never{});
                        tk::mma_wait<0>(s_first, q_2);
                        shared.k_tiles.release(k_tiles_element);

                        // attention_varlen.tk:35: let p = T(softmax.step(inout sm, ..
                        if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                            tk::map(s_first, thread, [&](int row, int col, float s_first) {
                                return col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - Kb_start ? s_first : -INFINITY) : -INFINITY;
                            }, s_first);
                        }

                        // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                        tk::column_fragment<float, 64> t1;
                        tk::fold_rows(t1, s_first, tk::maximum{}, thread);
                        tk::finish_rows(t1, tk::maximum{});
                        tk::column_fragment<float, 64> m_2;
                        tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                                sm_max, t1);

                        // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                        tk::column_fragment<float, 64> m0;
                        tk::map(m0, [&](float m_2) {
                            return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                        }, m_2);

                        // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                        tk::fragment<float, 64, 128> p;
                        tk::map(p, [&](float s_first, float m0) {
                            return tk::exp2(tk::fma(s_first, sm_c, -m0));
                        }, s_first, m0);

                        // <std.softmax>:33: sm.correction = where(m == sm.max, 1, ..
                        tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                            return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                        }, m_2, sm_max, m0);

                        // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                        tk::column_fragment<float, 64> t2;
                        tk::fold_rows(t2, p, tk::plus{}, thread);
                        tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                            return tk::fma(sm_sum, sm_correction, t2);
                        }, sm_sum, sm_correction, t2);

                        // <std.softmax>:35: sm.max = m;
                        sm_max = m_2;
                        // attention_varlen.tk:35
                        tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                        // attention_varlen.tk:36: o *= sm.correction;
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                        // attention_varlen.tk:32
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:33
                            const tk::cursor<2> k_tiles_element_2 =
                                shared.k_tiles.take(k_tiles_next);
                            tk::fragment<float, 64, 128> s_2;
                            tk::mma_async(s_2, q_2,
                                          tk::transposed(
                                              shared.k_tiles_tile[k_tiles_element_2.stage]),
                                          tk::accumulate_never{});

                            // attention_varlen.tk:37: o += mma(p, tma_load(Vb[j, g, :]) ..
                            const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                            tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                            tk::mma_wait<1>(s_2, q_2);
                            shared.k_tiles.release(k_tiles_element_2);
                            // attention_varlen.tk:35
                            if (!(j + 127 <= first + 64 * warpgroup &&
                                  Kb_start + j + 128 <= Kb_end)) {
                                tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                    return j + col <= first + 64 * warpgroup + row
                                        ? (col < Kb_end - (Kb_start + j) ? s_2 : -INFINITY)
                                        : -INFINITY;
                                }, s_2);
                            }
                            // <std.softmax>:30
                            tk::column_fragment<float, 64> t4;
                            tk::fold_rows(t4, s_2, tk::maximum{}, thread);
                            tk::finish_rows(t4, tk::maximum{});
                            tk::column_fragment<float, 64> m_3;
                            tk::map(m_3, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                                    sm_max, t4);
                            // <std.softmax>:31
                            tk::column_fragment<float, 64> m0_2;
                            tk::map(m0_2, [&](float m_3) {
                                return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                            }, m_3);
                            // <std.softmax>:32
                            tk::hold_waits(warp);
                            tk::fragment<float, 64, 128> p_3;
                            tk::map(p_3, [&](float s_2, float m0_2) {
                                return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                            }, s_2, m0_2);
                            // <std.softmax>:33
                            tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                                return m_3 == sm_max ? 1.0f
                                    : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                            }, m_3, sm_max, m0_2);
                            // <std.softmax>:34
                            tk::column_fragment<float, 64> t5;
                            tk::fold_rows(t5, p_3, tk::plus{}, thread);
                            tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                                return tk::fma(sm_sum, sm_correction, t5);
                            }, sm_sum, sm_correction, t5);
                            // <std.softmax>:35
                            sm_max = m_3;
                            tk::mma_wait<0>(o, p_2);
                            shared.v_tiles.release(v_tiles_element);
                            // attention_varlen.tk:35
                            p_2 = tk::convert<tk::bf16>(p_3);
                            // attention_varlen.tk:36
                            tk::map(o, [](float o, float sm_correction) {
                                return o * sm_correction;
                            }, o, sm_correction);
                        }
                        // attention_varlen.tk:37
                        const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                        tk::mma_wait<0>(o, p_2);
                        shared.v_tiles.release(v_tiles_element_2);
                    }

                    // attention_varlen.tk:39: store(Ob[m, h, :], T(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t3 = sm_sum;
                    tk::finish_rows(t3, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); },
                            t3);
                    tk::fragment<tk::bf16, 64, 128> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; }, o, t0);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<0, 2>(O, {Ob_start + m + 64 * warpgroup, h, 0},
                                            tk::max(tk::min(Ob_end, TQ), 0) -
                                            (Ob_start + m + 64 * warpgroup), 128),
                            0 - (Ob_start + m + 64 * warpgroup), 0), t6, thread);

                    // attention_varlen.tk:40: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t7;
                    tk::map(t7, [&](float t3, float sm_max) {
                        return t3 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                    }, t3, sm_max);
                    tk::store_global(
                        tk::clipped(
                            tk::slice<1, tk::no_axis>(LSE, {h, Lb_start + m + 64 * warpgroup},
                                                      tk::max(tk::min(Lb_end, TQ), 0) -
                                                      (Lb_start + m + 64 * warpgroup), 1),
                            0 - (Lb_start + m + 64 * warpgroup), 0), t7, thread);
                }
            }
        }
    }
}

namespace {
int run_attention_varlen(const char* function, tk::candidates offered, const DLTensor* Q_given,
                         const DLTensor* K_given, const DLTensor* V_given,
                         const DLTensor* start_q_given, const DLTensor* start_k_given,
                         DLTensor* O_given, DLTensor* LSE_given, int32_t longest, float scale,
                         float cap, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;
    call.require(
        {tk::fixed_extent(Q, 2, 128), tk::fixed_extent(K, 2, 128),
         tk::same_extent("TK", K, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::fixed_extent(V, 2, 128), tk::same_extent("TQ", Q, 0, O, 0),
         tk::same_extent("H", Q, 1, O, 1), tk::fixed_extent(O, 2, 128),
         tk::same_extent("H", Q, 1, LSE, 0), tk::same_extent("TQ", Q, 0, LSE, 1),
         tk::extents_fit({{"TQ", TQ}, {"H", H}, {"TK", TK}, {"HKV", HKV}}),
         tk::that(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                  {start_q.shape[0]}), tk::extents_fit({{"B", B}}),
         tk::that(start_k.shape[0] == B + 1,
                  "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                  {start_k.shape[0], B + 1}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_varlen` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_varlen` requires `scale > 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_varlen` divides by it"),
         tk::that(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention_varlen` divides by it"),
         tk::fits("longest + 127", int64_t{longest} + 127),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H),
                       2147418112),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B),
             2147418112),
         tk::that(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)}), tk::fits("m + lk", int64_t{longest} - 1 + TK),
         tk::fits("m + lk - lq", int64_t{longest} - 1 + TK - (0 - TQ)),
         tk::that(-2147483648 <= 0 - TK - TQ, "`m + lk - lq` reaches {}; it must fit in 32 bits",
                  {0 - TK - TQ}), tk::fits("Qb_start + m", TQ + (int64_t{longest} - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B);

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // attention_varlen
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fits("Kb_start + j", TK + (TK - 1)),
         tk::fits("Vb_start + (j - 128)", TK + (TK - 1 - 128)),
         tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                  TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128),
         tk::fits("Kb_start + j + 128", TK + (TK - 1) + 128),
         tk::that(-2147483648 <= 0 - TK - (TK + (TK - 1)),
                  "`Kb_end - (Kb_start + j)` reaches {}; it must fit in 32 bits",
                  {0 - TK - (TK + (TK - 1))})});
    choice.offer(programs,
                 1500 +
                 (tk::larger(2048,
                             (Q.stride[0] % 64 == 0 ? 656 : 964) +
                             (K.stride[0] % 64 == 0 ? 656 : 964) +
                             (V.stride[0] % 64 == 0 ? 656 : 964)) + 2812) + 912);
    choice.candidate(true);  // attention_varlen_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::fits("Kb_start + j", TK + (TK - 1)),
         tk::fits("Vb_start + (j - 128)", TK + (TK - 1 - 128)),
         tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                  TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128),
         tk::fits("Kb_start + j + 128", TK + (TK - 1) + 128),
         tk::that(-2147483648 <= 0 - TK - (TK + (TK - 1)),
                  "`Kb_end - (Kb_start + j)` reaches {}; it must fit in 32 bits",
                  {0 - TK - (TK + (TK - 1))})});
    choice.offer(programs,
                 1500 +
                 (tk::larger(2048,
                             (Q.stride[0] % 64 == 0 ? 656 : 964) +
                             (K.stride[0] % 64 == 0 ? 656 : 964) +
                             (V.stride[0] % 64 == 0 ? 656 : 964)) + 4860));
    choice.candidate();  // attention_varlen_causal
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fits("first + 128", int64_t{longest} - 1 + TK - (0 - TQ) + 128),
         tk::fits("Kb_start + j",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1)),
         tk::fits("Vb_start + (j - 128)",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1 -
                   128)),
         tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                  TK +
                  tk::larger(
                      tk::ceil_div(
                          tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK),
                                     0), 128) - 1, 0) * 128),
         tk::fits("first + row", int64_t{longest} - 1 + TK - (0 - TQ) + 262143),
         tk::fits("Kb_start + j + 128",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1) +
                  128),
         tk::that(-2147483648 <=
                  0 - TK -
                  (TK +
                   (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) -
                    1)), "`Kb_end - (Kb_start + j)` reaches {}; it must fit in 32 bits",
                  {0 - TK -
                   (TK +
                    (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) -
                     1))})});
    choice.offer(programs,
                 1500 +
                 (tk::larger(2048,
                             (Q.stride[0] % 64 == 0 ? 656 : 964) +
                             (K.stride[0] % 64 == 0 ? 656 : 964) +
                             (V.stride[0] % 64 == 0 ? 656 : 964)) + 3196) + 912 +
                 tk::multiply(
                     tk::larger(2048,
                                (K.stride[0] % 64 == 0 ? 656 : 964) +
                                (V.stride[0] % 64 == 0 ? 656 : 964)) + 1545,
                     tk::larger(
                         tk::ceil_div(
                             tk::larger(tk::smaller(tk::floor_div(int64_t{longest}, 2) + 128, 0),
                                        0) - 128, 128), 0)));
    choice.candidate(true);  // attention_varlen_causal_general
    choice.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::fits("first + 128", int64_t{longest} - 1 + TK - (0 - TQ) + 128),
         tk::fits("Kb_start + j",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1)),
         tk::fits("Vb_start + (j - 128)",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1 -
                   128)),
         tk::fits("Vb_start + max(ceil_div(end, 128) - 1, 0)*128",
                  TK +
                  tk::larger(
                      tk::ceil_div(
                          tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK),
                                     0), 128) - 1, 0) * 128),
         tk::fits("first + row", int64_t{longest} - 1 + TK - (0 - TQ) + 262143),
         tk::fits("Kb_start + j + 128",
                  TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1) +
                  128),
         tk::that(-2147483648 <=
                  0 - TK -
                  (TK +
                   (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) -
                    1)), "`Kb_end - (Kb_start + j)` reaches {}; it must fit in 32 bits",
                  {0 - TK -
                   (TK +
                    (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) -
                     1))})});
    choice.offer(programs,
                 1500 +
                 (tk::larger(2048,
                             (Q.stride[0] % 64 == 0 ? 656 : 964) +
                             (K.stride[0] % 64 == 0 ? 656 : 964) +
                             (V.stride[0] % 64 == 0 ? 656 : 964)) + 5244) +
                 tk::multiply(
                     tk::larger(2048,
                                (K.stride[0] % 64 == 0 ? 656 : 964) +
                                (V.stride[0] % 64 == 0 ? 656 : 964)) + 1545,
                     tk::larger(
                         tk::ceil_div(
                             tk::larger(tk::smaller(tk::floor_div(int64_t{longest}, 2) + 128, 0),
                                        0) - 128, 128), 0)));
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attention_varlen_kernel>(
            site, sizeof(attention_varlen_shared), tk::kernel_shape(384).at_once(1), programs,
            tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
            tk::box{V, {128, 1, 64}, 128}, tk::box{O, {64, 1, 64}, 128}, start_q, start_k, O, LSE,
            TQ, H, HKV, B, longest, scale));
    }
    if (best == 1) {
        return tk::finish(tk::run<attention_varlen_general_kernel>(
            site, sizeof(attention_varlen_general_shared), tk::kernel_shape(384).at_once(1),
            programs, tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
            tk::box{V, {128, 1, 64}, 128}, start_q, start_k, O, LSE, TQ, H, HKV, B, longest,
            scale));
    }
    if (best == 2) {
        return tk::finish(tk::run<attention_varlen_causal_kernel>(
            site, sizeof(attention_varlen_causal_shared), tk::kernel_shape(384).at_once(1),
            programs, tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
            tk::box{V, {128, 1, 64}, 128}, tk::box{O, {64, 1, 64}, 128}, start_q, start_k, O, LSE,
            TQ, H, HKV, B, longest, scale));
    }
    return tk::finish(tk::run<attention_varlen_causal_general_kernel>(
        site, sizeof(attention_varlen_causal_general_shared), tk::kernel_shape(384).at_once(1),
        programs, tk::box{Q, {128, 1, 64}, 128}, tk::box{K, {128, 1, 64}, 128},
        tk::box{V, {128, 1, 64}, 128}, start_q, start_k, O, LSE, TQ, H, HKV, B, longest, scale));
}

}  // namespace

extern "C" {
int attention_varlen(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* start_q_given, const DLTensor* start_k_given,
                     DLTensor* O_given, DLTensor* LSE_given, int32_t longest, float scale,
                     float cap, void*, size_t, cudaStream_t stream) {
    return run_attention_varlen("attention_varlen", {0, 1}, Q_given, K_given, V_given,
                                start_q_given, start_k_given, O_given, LSE_given, longest, scale,
                                cap, stream);
}
TK_NO_WORKSPACE(attention_varlen, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, float, float)

int attention_varlen_causal(const DLTensor* Q_given, const DLTensor* K_given,
                            const DLTensor* V_given, const DLTensor* start_q_given,
                            const DLTensor* start_k_given, DLTensor* O_given, DLTensor* LSE_given,
                            int32_t longest, float scale, float cap, void*, size_t,
                            cudaStream_t stream) {
    return run_attention_varlen("attention_varlen_causal", {2, 3}, Q_given, K_given, V_given,
                                start_q_given, start_k_given, O_given, LSE_given, longest, scale,
                                cap, stream);
}
TK_NO_WORKSPACE(attention_varlen_causal, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, float, float)
}  // extern "C"
