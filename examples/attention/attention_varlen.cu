// Made by tkc from attention_varlen.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_varlen: kernel attention_varlen of attention_varlen.tk with D = 128, CAUSAL = false, BM
// = 128, BN = 128.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 196688 bytes:
//    offset   bytes  what
//         0   32768  1 x bf16[128, 128], stages of qs.tile
//     32768   65536  2 x bf16[128, 128], stages of ks.tile
//     98304   65536  2 x bf16[128, 128], stages of vs.tile
//    163840   32768  4 x bf16[64, 64], staging of O
//    196608      16  barriers of qs, 1 stages
//    196624      32  barriers of ks, 2 stages
//    196656      32  barriers of vs, 2 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct attention_varlen_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_varlen_shared, qs_tile) == 0);
static_assert(offsetof(attention_varlen_shared, ks_tile) == 32768);
static_assert(offsetof(attention_varlen_shared, vs_tile) == 98304);
static_assert(offsetof(attention_varlen_shared, consumer_O) == 163840);
static_assert(offsetof(attention_varlen_shared, qs) == 196608);
static_assert(offsetof(attention_varlen_shared, ks) == 196624);
static_assert(offsetof(attention_varlen_shared, vs) == 196656);

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
        tk::tma_prefetch_map(Q_map);
        tk::tma_prefetch_map(K_map);
        tk::tma_prefetch_map(V_map);
        tk::tma_prefetch_map(O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
    const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // attention_varlen.tk:44: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +:
                // lq];  let Lb = LSE[h, start_q[b] +: lq];
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +:
                // lk];
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                // else { lk };
                const int end = lk;

                // attention_varlen.tk:45: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:46: let q: bf16[BM, D] = consume qs;
                    shared.qs.wait_full(qs_next);
                    const tk::cursor<1> q_element = qs_next;
                    qs_next.advance();
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                    thread);
                    shared.qs.release_after_loads(q_element);

                    // attention_varlen.tk:47: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:48: var sm = softmax.start<BM>(scale);
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:49: var s = mma(q, (consume ks).T);
                    shared.ks.wait_full(ks_next);
                    const tk::cursor<2> ks_element = ks_next;
                    ks_next.advance();
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen.tk:9: let t = pad(s, axis = 1, with = -inf);
                    tk::mma_wait<0>(s, q_2);
                    // attention_varlen.tk:49, continued
                    shared.ks.release(ks_element);
                    // attention_varlen.tk:9, continued
                    if (!(Kb_start + 128 <= Kb_end)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < Kb_end - Kb_start ? s : -INFINITY;
                        }, s);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, thread, [](int, int, float sm_max, float t1) {
                        return tk::max(sm_max, t1);
                    }, sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, thread, [&](int, int, float m_2) {
                        return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                    }, m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, thread, [&](int, int, float s, float m0) {
                        return tk::exp2(tk::fma(s, sm_c, -m0));
                    }, s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max,
                    // sm.c, -m0)));
                    tk::map(sm_correction, thread, [&](int, int, float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, thread,
                            [](int, int, float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:50: var p = bf16(softmax.step(inout sm, visible(s, first,
                    // 0, CAUSAL)));
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:51: for j in BN..end by BN {
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:52: s = mma(q, (consume ks).T);
                        shared.ks.wait_full(ks_next);
                        const tk::cursor<2> ks_element_2 = ks_next;
                        ks_next.advance();
                        tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:53: o += mma(p, consume vs);
                        shared.vs.wait_full(vs_next);
                        const tk::cursor<2> vs_element = vs_next;
                        vs_next.advance();
                        tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                        // attention_varlen.tk:9, continued
                        tk::mma_wait<1>(s, q_2);
                        // attention_varlen.tk:52, continued
                        shared.ks.release(ks_element_2);
                        // attention_varlen.tk:9, continued
                        if (!(Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int, int col, float s) {
                                return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
                            }, s);
                        }
                        // <std.softmax>:30, continued
                        tk::column_fragment<float, 64> t3;
                        tk::fold_rows(t3, s, tk::maximum{}, thread);
                        tk::finish_rows(t3, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, thread, [](int, int, float sm_max, float t3) {
                            return tk::max(sm_max, t3);
                        }, sm_max, t3);
                        // <std.softmax>:31, continued
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, thread, [&](int, int, float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32, continued
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, thread, [&](int, int, float s, float m0_2) {
                            return tk::exp2(tk::fma(s, sm_c, -m0_2));
                        }, s, m0_2);
                        // <std.softmax>:33, continued
                        tk::map(sm_correction, thread,
                                [&](int, int, float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34, continued
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, thread,
                                [](int, int, float sm_sum, float sm_correction, float t4) {
                            return tk::fma(sm_sum, sm_correction, t4);
                        }, sm_sum, sm_correction, t4);
                        // <std.softmax>:35, continued
                        sm_max = m_3;

                        // attention_varlen.tk:54: p = bf16(softmax.step(inout sm, visible(s, first,
                        // j.start, CAUSAL)));
                        tk::mma_wait<0>(o, p_2);
                        // attention_varlen.tk:53, continued
                        shared.vs.release(vs_element);
                        // attention_varlen.tk:54, continued
                        p_2 = tk::convert<tk::bf16>(p_3);

                        // attention_varlen.tk:55: o *= sm.correction;
                        tk::map(o, thread, [](int, int, float o, float sm_correction) {
                            return o * sm_correction;
                        }, o, sm_correction);
                    }

                    // attention_varlen.tk:57: o += mma(p, consume vs);
                    shared.vs.wait_full(vs_next);
                    const tk::cursor<2> vs_element_2 = vs_next;
                    vs_next.advance();
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                    // attention_varlen.tk:58: store(Ob[m, h, :], bf16(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t7 = sm_sum;
                    tk::finish_rows(t7, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, thread, [](int, int, float t7) {
                        return t7 == 0.0f ? 0.0f : tk::divide(1.0f, t7);
                    }, t7);
                    tk::mma_wait<0>(o, p_2);
                    // attention_varlen.tk:57, continued
                    shared.vs.release(vs_element_2);
                    // attention_varlen.tk:58, continued
                    #pragma unroll
                    for (int panel = 0; panel < 128; panel += 64) {
                        tk::fragment<tk::bf16, 64, 64> t5;
                        tk::map(t5, thread, [](int, int, float o, float t0) {
                            return o * t0;
                        }, tk::window<64, 64>(o, 0, panel), t0);
                        tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t5,
                                         thread);
                        tk::fence_async();
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1 + warpgroup, 128);
                        if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                            const tk::clipped_tile<tk::bf16> O_tile{
                                tk::address(O, Ob_start + m + warpgroup * 64, h, panel),
                                O.stride[0], 1,
                                tk::max(tk::min(Ob_end, TQ), 0) - (Ob_start + m + warpgroup * 64),
                                128 - panel, 0 - (Ob_start + m + warpgroup * 64), 0};
                            tk::copy_to_global(O_tile,
                                               shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                            if (leader) tk::tma_store_nothing();
                        } else if (leader) {
                            tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                          Ob_start + m + warpgroup * 64, h, panel);
                        }
                    }

                    // attention_varlen.tk:59: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t6;
                    tk::map(t6, thread, [&](int, int, float t7, float sm_max) {
                        return t7 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t7)) * 0.6931472f;
                    }, t7, sm_max);
                    const tk::clipped_tile<float> LSE_tile{
                        tk::address(LSE, h, Lb_start + m + 64 * warpgroup), LSE.stride[1], 0,
                        tk::max(tk::min(Lb_end, TQ), 0) - (Lb_start + m + 64 * warpgroup), 1,
                        0 - (Lb_start + m + 64 * warpgroup), 0};
                    tk::store_global(LSE_tile, t6, thread);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // attention_varlen.tk:33: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next;
            tk::cursor<1> qs_next;
            tk::cursor<2> vs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_varlen.tk:22: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b]
                    // +: lq];  let Lb = LSE[h, start_q[b] +: lq];
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b]
                    // +: lk];
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                    // else { lk };
                    const int end = lk;

                    // attention_varlen.tk:34: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:35: produce qs = tma_load(Qb[m, h, :]);
                        shared.qs.wait_empty(qs_next);
                        shared.qs.expect(qs_next, 32768);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], Qb_start + m, h, 0);
                        qs_next.advance();

                        // attention_varlen.tk:36: produce ks = tma_load(Kb[0 +: BN, g, :]);
                        shared.ks.wait_empty(ks_next);
                        shared.ks.expect(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], Kb_start, g, 0);
                        ks_next.advance();

                        // attention_varlen.tk:37: for j in BN..end by BN {
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:38: produce ks = tma_load(Kb[j, g, :]);
                            shared.ks.wait_empty(ks_next);
                            shared.ks.expect(ks_next, 32768);
                            tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                         shared.ks.full[ks_next.stage], Kb_start + j, g, 0);
                            ks_next.advance();

                            // attention_varlen.tk:39: produce vs = tma_load(Vb[j.prev, g, :])
                            // allow_foreign;
                            shared.vs.wait_empty(vs_next);
                            shared.vs.expect(vs_next, 32768);
                            tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                         shared.vs.full[vs_next.stage], Vb_start + (j - 128), g, 0);
                            vs_next.advance();
                        }

                        // attention_varlen.tk:41: produce vs = tma_load(Vb[last_tile(end, BN), g,
                        // :]) allow_foreign;
                        shared.vs.wait_empty(vs_next);
                        shared.vs.expect(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        vs_next.advance();
                    }
                }
            }
        }
    }
}

// attention_varlen_general: kernel attention_varlen of attention_varlen.tk with D = 128, CAUSAL =
// false, BM = 128, BN = 128, for tensors of any strides and alignment.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 163920 bytes:
//    offset   bytes  what
//         0   32768  1 x bf16[128, 128], stages of qs.tile
//     32768   65536  2 x bf16[128, 128], stages of ks.tile
//     98304   65536  2 x bf16[128, 128], stages of vs.tile
//    163840      16  barriers of qs, 1 stages
//    163856      32  barriers of ks, 2 stages
//    163888      32  barriers of vs, 2 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct attention_varlen_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_varlen_general_shared, qs_tile) == 0);
static_assert(offsetof(attention_varlen_general_shared, ks_tile) == 32768);
static_assert(offsetof(attention_varlen_general_shared, vs_tile) == 98304);
static_assert(offsetof(attention_varlen_general_shared, qs) == 163840);
static_assert(offsetof(attention_varlen_general_shared, ks) == 163856);
static_assert(offsetof(attention_varlen_general_shared, vs) == 163888);

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
        tk::tma_prefetch_map(Q_map);
        tk::tma_prefetch_map(K_map);
        tk::tma_prefetch_map(V_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
    const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // attention_varlen.tk:44: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next;
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +:
                // lq];  let Lb = LSE[h, start_q[b] +: lq];
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +:
                // lk];
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                // else { lk };
                const int end = lk;

                // attention_varlen.tk:45: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:46: let q: bf16[BM, D] = consume qs;
                    shared.qs.wait_full(qs_next);
                    const tk::cursor<1> q_element = qs_next;
                    qs_next.advance();
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                    thread);
                    shared.qs.release_after_loads(q_element);

                    // attention_varlen.tk:47: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:48: var sm = softmax.start<BM>(scale);
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:49: var s = mma(q, (consume ks).T);
                    shared.ks.wait_full(ks_next);
                    const tk::cursor<2> ks_element = ks_next;
                    ks_next.advance();
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                                  tk::accumulate_never{});

                    // attention_varlen.tk:9: let t = pad(s, axis = 1, with = -inf);
                    tk::mma_wait<0>(s, q_2);
                    // attention_varlen.tk:49, continued
                    shared.ks.release(ks_element);
                    // attention_varlen.tk:9, continued
                    if (!(Kb_start + 128 <= Kb_end)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < Kb_end - Kb_start ? s : -INFINITY;
                        }, s);
                    }

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, thread, [](int, int, float sm_max, float t1) {
                        return tk::max(sm_max, t1);
                    }, sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, thread, [&](int, int, float m_2) {
                        return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                    }, m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, thread, [&](int, int, float s, float m0) {
                        return tk::exp2(tk::fma(s, sm_c, -m0));
                    }, s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max,
                    // sm.c, -m0)));
                    tk::map(sm_correction, thread, [&](int, int, float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::map(sm_sum, thread,
                            [](int, int, float sm_sum, float sm_correction, float t2) {
                        return tk::fma(sm_sum, sm_correction, t2);
                    }, sm_sum, sm_correction, t2);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:50: var p = bf16(softmax.step(inout sm, visible(s, first,
                    // 0, CAUSAL)));
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:51: for j in BN..end by BN {
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:52: s = mma(q, (consume ks).T);
                        shared.ks.wait_full(ks_next);
                        const tk::cursor<2> ks_element_2 = ks_next;
                        ks_next.advance();
                        tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:53: o += mma(p, consume vs);
                        shared.vs.wait_full(vs_next);
                        const tk::cursor<2> vs_element = vs_next;
                        vs_next.advance();
                        tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                        // attention_varlen.tk:9, continued
                        tk::mma_wait<1>(s, q_2);
                        // attention_varlen.tk:52, continued
                        shared.ks.release(ks_element_2);
                        // attention_varlen.tk:9, continued
                        if (!(Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int, int col, float s) {
                                return col < Kb_end - (Kb_start + j) ? s : -INFINITY;
                            }, s);
                        }
                        // <std.softmax>:30, continued
                        tk::column_fragment<float, 64> t3;
                        tk::fold_rows(t3, s, tk::maximum{}, thread);
                        tk::finish_rows(t3, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, thread, [](int, int, float sm_max, float t3) {
                            return tk::max(sm_max, t3);
                        }, sm_max, t3);
                        // <std.softmax>:31, continued
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, thread, [&](int, int, float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32, continued
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, thread, [&](int, int, float s, float m0_2) {
                            return tk::exp2(tk::fma(s, sm_c, -m0_2));
                        }, s, m0_2);
                        // <std.softmax>:33, continued
                        tk::map(sm_correction, thread,
                                [&](int, int, float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34, continued
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, thread,
                                [](int, int, float sm_sum, float sm_correction, float t4) {
                            return tk::fma(sm_sum, sm_correction, t4);
                        }, sm_sum, sm_correction, t4);
                        // <std.softmax>:35, continued
                        sm_max = m_3;

                        // attention_varlen.tk:54: p = bf16(softmax.step(inout sm, visible(s, first,
                        // j.start, CAUSAL)));
                        tk::mma_wait<0>(o, p_2);
                        // attention_varlen.tk:53, continued
                        shared.vs.release(vs_element);
                        // attention_varlen.tk:54, continued
                        p_2 = tk::convert<tk::bf16>(p_3);

                        // attention_varlen.tk:55: o *= sm.correction;
                        tk::map(o, thread, [](int, int, float o, float sm_correction) {
                            return o * sm_correction;
                        }, o, sm_correction);
                    }

                    // attention_varlen.tk:57: o += mma(p, consume vs);
                    shared.vs.wait_full(vs_next);
                    const tk::cursor<2> vs_element_2 = vs_next;
                    vs_next.advance();
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                    // attention_varlen.tk:58: store(Ob[m, h, :], bf16(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t7 = sm_sum;
                    tk::finish_rows(t7, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, thread, [](int, int, float t7) {
                        return t7 == 0.0f ? 0.0f : tk::divide(1.0f, t7);
                    }, t7);
                    tk::mma_wait<0>(o, p_2);
                    // attention_varlen.tk:57, continued
                    shared.vs.release(vs_element_2);
                    // attention_varlen.tk:58, continued
                    tk::fragment<tk::bf16, 64, 128> t5;
                    tk::map(t5, thread, [](int, int, float o, float t0) { return o * t0; }, o, t0);
                    const tk::clipped_tile<tk::bf16> O_tile{
                        tk::address(O, Ob_start + m + 64 * warpgroup, h, 0), O.stride[0],
                        O.stride[2],
                        tk::max(tk::min(Ob_end, TQ), 0) - (Ob_start + m + 64 * warpgroup), 128,
                        0 - (Ob_start + m + 64 * warpgroup), 0};
                    tk::store_global(O_tile, t5, thread);

                    // attention_varlen.tk:59: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t6;
                    tk::map(t6, thread, [&](int, int, float t7, float sm_max) {
                        return t7 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t7)) * 0.6931472f;
                    }, t7, sm_max);
                    const tk::clipped_tile<float> LSE_tile{
                        tk::address(LSE, h, Lb_start + m + 64 * warpgroup), LSE.stride[1], 0,
                        tk::max(tk::min(Lb_end, TQ), 0) - (Lb_start + m + 64 * warpgroup), 1,
                        0 - (Lb_start + m + 64 * warpgroup), 0};
                    tk::store_global(LSE_tile, t6, thread);
                }
            }
        }
    } else {
        // attention_varlen.tk:33: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next;
            tk::cursor<1> qs_next;
            tk::cursor<2> vs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_varlen.tk:22: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b]
                    // +: lq];  let Lb = LSE[h, start_q[b] +: lq];
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b]
                    // +: lk];
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                    // else { lk };
                    const int end = lk;

                    // attention_varlen.tk:34: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:35: produce qs = tma_load(Qb[m, h, :]);
                        shared.qs.wait_empty(qs_next);
                        shared.qs.expect(qs_next, 32768);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], Qb_start + m, h, 0);
                        qs_next.advance();

                        // attention_varlen.tk:36: produce ks = tma_load(Kb[0 +: BN, g, :]);
                        shared.ks.wait_empty(ks_next);
                        shared.ks.expect(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], Kb_start, g, 0);
                        ks_next.advance();

                        // attention_varlen.tk:37: for j in BN..end by BN {
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:38: produce ks = tma_load(Kb[j, g, :]);
                            shared.ks.wait_empty(ks_next);
                            shared.ks.expect(ks_next, 32768);
                            tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                         shared.ks.full[ks_next.stage], Kb_start + j, g, 0);
                            ks_next.advance();

                            // attention_varlen.tk:39: produce vs = tma_load(Vb[j.prev, g, :])
                            // allow_foreign;
                            shared.vs.wait_empty(vs_next);
                            shared.vs.expect(vs_next, 32768);
                            tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                         shared.vs.full[vs_next.stage], Vb_start + (j - 128), g, 0);
                            vs_next.advance();
                        }

                        // attention_varlen.tk:41: produce vs = tma_load(Vb[last_tile(end, BN), g,
                        // :]) allow_foreign;
                        shared.vs.wait_empty(vs_next);
                        shared.vs.expect(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        vs_next.advance();
                    }
                }
            }
        }
    }
}

// attention_varlen_causal: kernel attention_varlen of attention_varlen.tk with D = 128, CAUSAL =
// true, BM = 128, BN = 128.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 196688 bytes:
//    offset   bytes  what
//         0   32768  1 x bf16[128, 128], stages of qs.tile
//     32768   65536  2 x bf16[128, 128], stages of ks.tile
//     98304   65536  2 x bf16[128, 128], stages of vs.tile
//    163840   32768  4 x bf16[64, 64], staging of O
//    196608      16  barriers of qs, 1 stages
//    196624      32  barriers of ks, 2 stages
//    196656      32  barriers of vs, 2 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct attention_varlen_causal_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_varlen_causal_shared, qs_tile) == 0);
static_assert(offsetof(attention_varlen_causal_shared, ks_tile) == 32768);
static_assert(offsetof(attention_varlen_causal_shared, vs_tile) == 98304);
static_assert(offsetof(attention_varlen_causal_shared, consumer_O) == 163840);
static_assert(offsetof(attention_varlen_causal_shared, qs) == 196608);
static_assert(offsetof(attention_varlen_causal_shared, ks) == 196624);
static_assert(offsetof(attention_varlen_causal_shared, vs) == 196656);

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
        tk::tma_prefetch_map(Q_map);
        tk::tma_prefetch_map(K_map);
        tk::tma_prefetch_map(V_map);
        tk::tma_prefetch_map(O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
    const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // attention_varlen.tk:44: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +:
                // lq];  let Lb = LSE[h, start_q[b] +: lq];
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +:
                // lk];
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:27: let first = m.start + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                // else { lk };
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:45: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:46: let q: bf16[BM, D] = consume qs;
                    shared.qs.wait_full(qs_next);
                    const tk::cursor<1> q_element = qs_next;
                    qs_next.advance();
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                    thread);
                    shared.qs.release_after_loads(q_element);

                    // attention_varlen.tk:47: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:48: var sm = softmax.start<BM>(scale);
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:49: var s = mma(q, (consume ks).T);
                    shared.ks.wait_full(ks_next);
                    const tk::cursor<2> ks_element = ks_next;
                    ks_next.advance();
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                                  tk::accumulate_never{});

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::mma_wait<0>(s, q_2);
                    // attention_varlen.tk:49, continued
                    shared.ks.release(ks_element);
                    // <std.softmax>:30, continued
                    if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < Kb_end - Kb_start ? s : -INFINITY) : -INFINITY;
                        }, s);
                    }
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, s, tk::maximum{}, thread);
                    tk::finish_rows(t2, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, thread, [](int, int, float sm_max, float t2) {
                        return tk::max(sm_max, t2);
                    }, sm_max, t2);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, thread, [&](int, int, float m_2) {
                        return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                    }, m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, thread, [&](int, int, float s, float m0) {
                        return tk::exp2(tk::fma(s, sm_c, -m0));
                    }, s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max,
                    // sm.c, -m0)));
                    tk::map(sm_correction, thread, [&](int, int, float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, p, tk::plus{}, thread);
                    tk::map(sm_sum, thread,
                            [](int, int, float sm_sum, float sm_correction, float t3) {
                        return tk::fma(sm_sum, sm_correction, t3);
                    }, sm_sum, sm_correction, t3);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:50: var p = bf16(softmax.step(inout sm, visible(s, first,
                    // 0, CAUSAL)));
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:51: for j in BN..end by BN {
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:52: s = mma(q, (consume ks).T);
                        shared.ks.wait_full(ks_next);
                        const tk::cursor<2> ks_element_2 = ks_next;
                        ks_next.advance();
                        tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:53: o += mma(p, consume vs);
                        shared.vs.wait_full(vs_next);
                        const tk::cursor<2> vs_element = vs_next;
                        vs_next.advance();
                        tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                        // <std.softmax>:30, continued
                        tk::mma_wait<1>(s, q_2);
                        // attention_varlen.tk:52, continued
                        shared.ks.release(ks_element_2);
                        // <std.softmax>:30, continued
                        if (!(j + 127 <= first + 64 * warpgroup && Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int row, int col, float s) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - (Kb_start + j) ? s : -INFINITY) : -INFINITY;
                            }, s);
                        }
                        tk::column_fragment<float, 64> t5;
                        tk::fold_rows(t5, s, tk::maximum{}, thread);
                        tk::finish_rows(t5, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, thread, [](int, int, float sm_max, float t5) {
                            return tk::max(sm_max, t5);
                        }, sm_max, t5);
                        // <std.softmax>:31, continued
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, thread, [&](int, int, float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32, continued
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, thread, [&](int, int, float s, float m0_2) {
                            return tk::exp2(tk::fma(s, sm_c, -m0_2));
                        }, s, m0_2);
                        // <std.softmax>:33, continued
                        tk::map(sm_correction, thread,
                                [&](int, int, float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34, continued
                        tk::column_fragment<float, 64> t6;
                        tk::fold_rows(t6, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, thread,
                                [](int, int, float sm_sum, float sm_correction, float t6) {
                            return tk::fma(sm_sum, sm_correction, t6);
                        }, sm_sum, sm_correction, t6);
                        // <std.softmax>:35, continued
                        sm_max = m_3;

                        // attention_varlen.tk:54: p = bf16(softmax.step(inout sm, visible(s, first,
                        // j.start, CAUSAL)));
                        tk::mma_wait<0>(o, p_2);
                        // attention_varlen.tk:53, continued
                        shared.vs.release(vs_element);
                        // attention_varlen.tk:54, continued
                        p_2 = tk::convert<tk::bf16>(p_3);

                        // attention_varlen.tk:55: o *= sm.correction;
                        tk::map(o, thread, [](int, int, float o, float sm_correction) {
                            return o * sm_correction;
                        }, o, sm_correction);
                    }

                    // attention_varlen.tk:57: o += mma(p, consume vs);
                    shared.vs.wait_full(vs_next);
                    const tk::cursor<2> vs_element_2 = vs_next;
                    vs_next.advance();
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                    // attention_varlen.tk:58: store(Ob[m, h, :], bf16(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t9 = sm_sum;
                    tk::finish_rows(t9, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, thread, [](int, int, float t9) {
                        return t9 == 0.0f ? 0.0f : tk::divide(1.0f, t9);
                    }, t9);
                    tk::mma_wait<0>(o, p_2);
                    // attention_varlen.tk:57, continued
                    shared.vs.release(vs_element_2);
                    // attention_varlen.tk:58, continued
                    #pragma unroll
                    for (int panel = 0; panel < 128; panel += 64) {
                        tk::fragment<tk::bf16, 64, 64> t7;
                        tk::map(t7, thread, [](int, int, float o, float t0) {
                            return o * t0;
                        }, tk::window<64, 64>(o, 0, panel), t0);
                        tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t7,
                                         thread);
                        tk::fence_async();
                        if (leader) tk::tma_store_wait_read<0>();
                        tk::barrier_sync(1 + warpgroup, 128);
                        if (Ob_end < Ob_start + m + warpgroup * 64 + 64) {
                            const tk::clipped_tile<tk::bf16> O_tile{
                                tk::address(O, Ob_start + m + warpgroup * 64, h, panel),
                                O.stride[0], 1,
                                tk::max(tk::min(Ob_end, TQ), 0) - (Ob_start + m + warpgroup * 64),
                                128 - panel, 0 - (Ob_start + m + warpgroup * 64), 0};
                            tk::copy_to_global(O_tile,
                                               shared.consumer_O[warpgroup * 2 + panel / 64 % 2]);
                            if (leader) tk::tma_store_nothing();
                        } else if (leader) {
                            tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2],
                                          Ob_start + m + warpgroup * 64, h, panel);
                        }
                    }

                    // attention_varlen.tk:59: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t8;
                    tk::map(t8, thread, [&](int, int, float t9, float sm_max) {
                        return t9 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t9)) * 0.6931472f;
                    }, t9, sm_max);
                    const tk::clipped_tile<float> LSE_tile{
                        tk::address(LSE, h, Lb_start + m + 64 * warpgroup), LSE.stride[1], 0,
                        tk::max(tk::min(Lb_end, TQ), 0) - (Lb_start + m + 64 * warpgroup), 1,
                        0 - (Lb_start + m + 64 * warpgroup), 0};
                    tk::store_global(LSE_tile, t8, thread);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // attention_varlen.tk:33: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next;
            tk::cursor<1> qs_next;
            tk::cursor<2> vs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_varlen.tk:22: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b]
                    // +: lq];  let Lb = LSE[h, start_q[b] +: lq];
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b]
                    // +: lk];
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:27: let first = m.start + lk - lq;
                    const int first = m + lk - lq;

                    // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                    // else { lk };
                    const int end = tk::max(tk::min(first + 128, lk), 0);

                    // attention_varlen.tk:34: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:35: produce qs = tma_load(Qb[m, h, :]);
                        shared.qs.wait_empty(qs_next);
                        shared.qs.expect(qs_next, 32768);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], Qb_start + m, h, 0);
                        qs_next.advance();

                        // attention_varlen.tk:36: produce ks = tma_load(Kb[0 +: BN, g, :]);
                        shared.ks.wait_empty(ks_next);
                        shared.ks.expect(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], Kb_start, g, 0);
                        ks_next.advance();

                        // attention_varlen.tk:37: for j in BN..end by BN {
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:38: produce ks = tma_load(Kb[j, g, :]);
                            shared.ks.wait_empty(ks_next);
                            shared.ks.expect(ks_next, 32768);
                            tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                         shared.ks.full[ks_next.stage], Kb_start + j, g, 0);
                            ks_next.advance();

                            // attention_varlen.tk:39: produce vs = tma_load(Vb[j.prev, g, :])
                            // allow_foreign;
                            shared.vs.wait_empty(vs_next);
                            shared.vs.expect(vs_next, 32768);
                            tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                         shared.vs.full[vs_next.stage], Vb_start + (j - 128), g, 0);
                            vs_next.advance();
                        }

                        // attention_varlen.tk:41: produce vs = tma_load(Vb[last_tile(end, BN), g,
                        // :]) allow_foreign;
                        shared.vs.wait_empty(vs_next);
                        shared.vs.expect(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        vs_next.advance();
                    }
                }
            }
        }
    }
}

// attention_varlen_causal_general: kernel attention_varlen of attention_varlen.tk with D = 128,
// CAUSAL = true, BM = 128, BN = 128, for tensors of any strides and alignment.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 163920 bytes:
//    offset   bytes  what
//         0   32768  1 x bf16[128, 128], stages of qs.tile
//     32768   65536  2 x bf16[128, 128], stages of ks.tile
//     98304   65536  2 x bf16[128, 128], stages of vs.tile
//    163840      16  barriers of qs, 1 stages
//    163856      32  barriers of ks, 2 stages
//    163888      32  barriers of vs, 2 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct attention_varlen_causal_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_varlen_causal_general_shared, qs_tile) == 0);
static_assert(offsetof(attention_varlen_causal_general_shared, ks_tile) == 32768);
static_assert(offsetof(attention_varlen_causal_general_shared, vs_tile) == 98304);
static_assert(offsetof(attention_varlen_causal_general_shared, qs) == 163840);
static_assert(offsetof(attention_varlen_causal_general_shared, ks) == 163856);
static_assert(offsetof(attention_varlen_causal_general_shared, vs) == 163888);

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
        tk::tma_prefetch_map(Q_map);
        tk::tma_prefetch_map(K_map);
        tk::tma_prefetch_map(V_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(tk::max(longest, 0), 128);
    const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // attention_varlen.tk:44: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next;
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b] +:
                // lq];  let Lb = LSE[h, start_q[b] +: lq];
                const int Ob_start = tk::cell(start_q, b);
                const int Ob_end = tk::cell(start_q, b) + lq;
                const int Lb_start = tk::cell(start_q, b);
                const int Lb_end = tk::cell(start_q, b) + lq;

                // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b] +:
                // lk];
                const int Kb_start = tk::cell(start_k, b);
                const int Kb_end = tk::cell(start_k, b) + lk;

                // attention_varlen.tk:27: let first = m.start + lk - lq;
                const int first = m + lk - lq;

                // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                // else { lk };
                const int end = tk::max(tk::min(first + 128, lk), 0);

                // attention_varlen.tk:45: if m.start < lq {
                if (m < lq) {
                    // attention_varlen.tk:46: let q: bf16[BM, D] = consume qs;
                    shared.qs.wait_full(qs_next);
                    const tk::cursor<1> q_element = qs_next;
                    qs_next.advance();
                    tk::fragment<tk::bf16, 64, 128> q_2;
                    tk::load_shared(q_2,
                                    tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                    thread);
                    shared.qs.release_after_loads(q_element);

                    // attention_varlen.tk:47: var o: f32[BM, D] = 0;
                    tk::fragment<float, 64, 128> o;
                    tk::zero(o);

                    // attention_varlen.tk:48: var sm = softmax.start<BM>(scale);
                    tk::column_fragment<float, 64> sm_max;
                    tk::fill(sm_max, -INFINITY);
                    tk::column_fragment<float, 64> sm_sum;
                    tk::zero(sm_sum);
                    tk::column_fragment<float, 64> sm_correction;
                    tk::fill(sm_correction, 1.0f);
                    const float sm_c = scale * 1.442695f;

                    // attention_varlen.tk:49: var s = mma(q, (consume ks).T);
                    shared.ks.wait_full(ks_next);
                    const tk::cursor<2> ks_element = ks_next;
                    ks_next.advance();
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                                  tk::accumulate_never{});

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::mma_wait<0>(s, q_2);
                    // attention_varlen.tk:49, continued
                    shared.ks.release(ks_element);
                    // <std.softmax>:30, continued
                    if (!(first + 64 * warpgroup >= 127 && Kb_start + 128 <= Kb_end)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < Kb_end - Kb_start ? s : -INFINITY) : -INFINITY;
                        }, s);
                    }
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, s, tk::maximum{}, thread);
                    tk::finish_rows(t2, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, thread, [](int, int, float sm_max, float t2) {
                        return tk::max(sm_max, t2);
                    }, sm_max, t2);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, thread, [&](int, int, float m_2) {
                        return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                    }, m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, thread, [&](int, int, float s, float m0) {
                        return tk::exp2(tk::fma(s, sm_c, -m0));
                    }, s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max,
                    // sm.c, -m0)));
                    tk::map(sm_correction, thread, [&](int, int, float m_2, float sm_max, float m0) {
                        return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                    }, m_2, sm_max, m0);

                    // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, p, tk::plus{}, thread);
                    tk::map(sm_sum, thread,
                            [](int, int, float sm_sum, float sm_correction, float t3) {
                        return tk::fma(sm_sum, sm_correction, t3);
                    }, sm_sum, sm_correction, t3);

                    // <std.softmax>:35: sm.max = m;
                    sm_max = m_2;

                    // attention_varlen.tk:50: var p = bf16(softmax.step(inout sm, visible(s, first,
                    // 0, CAUSAL)));
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_varlen.tk:51: for j in BN..end by BN {
                    for (int j = 128; j < end; j += 128) {
                        // attention_varlen.tk:52: s = mma(q, (consume ks).T);
                        shared.ks.wait_full(ks_next);
                        const tk::cursor<2> ks_element_2 = ks_next;
                        ks_next.advance();
                        tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_varlen.tk:53: o += mma(p, consume vs);
                        shared.vs.wait_full(vs_next);
                        const tk::cursor<2> vs_element = vs_next;
                        vs_next.advance();
                        tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                        // <std.softmax>:30, continued
                        tk::mma_wait<1>(s, q_2);
                        // attention_varlen.tk:52, continued
                        shared.ks.release(ks_element_2);
                        // <std.softmax>:30, continued
                        if (!(j + 127 <= first + 64 * warpgroup && Kb_start + j + 128 <= Kb_end)) {
                            tk::map(s, thread, [&](int row, int col, float s) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < Kb_end - (Kb_start + j) ? s : -INFINITY) : -INFINITY;
                            }, s);
                        }
                        tk::column_fragment<float, 64> t5;
                        tk::fold_rows(t5, s, tk::maximum{}, thread);
                        tk::finish_rows(t5, tk::maximum{});
                        tk::column_fragment<float, 64> m_3;
                        tk::map(m_3, thread, [](int, int, float sm_max, float t5) {
                            return tk::max(sm_max, t5);
                        }, sm_max, t5);
                        // <std.softmax>:31, continued
                        tk::column_fragment<float, 64> m0_2;
                        tk::map(m0_2, thread, [&](int, int, float m_3) {
                            return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                        }, m_3);
                        // <std.softmax>:32, continued
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, thread, [&](int, int, float s, float m0_2) {
                            return tk::exp2(tk::fma(s, sm_c, -m0_2));
                        }, s, m0_2);
                        // <std.softmax>:33, continued
                        tk::map(sm_correction, thread,
                                [&](int, int, float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                        }, m_3, sm_max, m0_2);
                        // <std.softmax>:34, continued
                        tk::column_fragment<float, 64> t6;
                        tk::fold_rows(t6, p_3, tk::plus{}, thread);
                        tk::map(sm_sum, thread,
                                [](int, int, float sm_sum, float sm_correction, float t6) {
                            return tk::fma(sm_sum, sm_correction, t6);
                        }, sm_sum, sm_correction, t6);
                        // <std.softmax>:35, continued
                        sm_max = m_3;

                        // attention_varlen.tk:54: p = bf16(softmax.step(inout sm, visible(s, first,
                        // j.start, CAUSAL)));
                        tk::mma_wait<0>(o, p_2);
                        // attention_varlen.tk:53, continued
                        shared.vs.release(vs_element);
                        // attention_varlen.tk:54, continued
                        p_2 = tk::convert<tk::bf16>(p_3);

                        // attention_varlen.tk:55: o *= sm.correction;
                        tk::map(o, thread, [](int, int, float o, float sm_correction) {
                            return o * sm_correction;
                        }, o, sm_correction);
                    }

                    // attention_varlen.tk:57: o += mma(p, consume vs);
                    shared.vs.wait_full(vs_next);
                    const tk::cursor<2> vs_element_2 = vs_next;
                    vs_next.advance();
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                    // attention_varlen.tk:58: store(Ob[m, h, :], bf16(softmax.finish(sm, o)));
                    tk::column_fragment<float, 64> t9 = sm_sum;
                    tk::finish_rows(t9, tk::plus{});
                    tk::column_fragment<float, 64> t0;
                    tk::map(t0, thread, [](int, int, float t9) {
                        return t9 == 0.0f ? 0.0f : tk::divide(1.0f, t9);
                    }, t9);
                    tk::mma_wait<0>(o, p_2);
                    // attention_varlen.tk:57, continued
                    shared.vs.release(vs_element_2);
                    // attention_varlen.tk:58, continued
                    tk::fragment<tk::bf16, 64, 128> t7;
                    tk::map(t7, thread, [](int, int, float o, float t0) { return o * t0; }, o, t0);
                    const tk::clipped_tile<tk::bf16> O_tile{
                        tk::address(O, Ob_start + m + 64 * warpgroup, h, 0), O.stride[0],
                        O.stride[2],
                        tk::max(tk::min(Ob_end, TQ), 0) - (Ob_start + m + 64 * warpgroup), 128,
                        0 - (Ob_start + m + 64 * warpgroup), 0};
                    tk::store_global(O_tile, t7, thread);

                    // attention_varlen.tk:59: store(Lb[m], softmax.lse(sm));
                    tk::column_fragment<float, 64> t8;
                    tk::map(t8, thread, [&](int, int, float t9, float sm_max) {
                        return t9 == 0.0f ? -INFINITY
                            : tk::fma(sm_max, sm_c, tk::log2(t9)) * 0.6931472f;
                    }, t9, sm_max);
                    const tk::clipped_tile<float> LSE_tile{
                        tk::address(LSE, h, Lb_start + m + 64 * warpgroup), LSE.stride[1], 0,
                        tk::max(tk::min(Lb_end, TQ), 0) - (Lb_start + m + 64 * warpgroup), 1,
                        0 - (Lb_start + m + 64 * warpgroup), 0};
                    tk::store_global(LSE_tile, t8, thread);
                }
            }
        }
    } else {
        // attention_varlen.tk:33: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next;
            tk::cursor<1> qs_next;
            tk::cursor<2> vs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_varlen.tk:22: let g  = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_varlen.tk:23: let lq = start_q[b + 1] - start_q[b];
                    const int lq = tk::cell(start_q, b + 1) - tk::cell(start_q, b);

                    // attention_varlen.tk:24: let lk = start_k[b + 1] - start_k[b];
                    const int lk = tk::cell(start_k, b + 1) - tk::cell(start_k, b);

                    // attention_varlen.tk:25: let Qb = Q[start_q[b] +: lq];  let Ob = O[start_q[b]
                    // +: lq];  let Lb = LSE[h, start_q[b] +: lq];
                    const int Qb_start = tk::cell(start_q, b);
                    const int Qb_end = tk::cell(start_q, b) + lq;

                    // attention_varlen.tk:26: let Kb = K[start_k[b] +: lk];  let Vb = V[start_k[b]
                    // +: lk];
                    const int Kb_start = tk::cell(start_k, b);
                    const int Kb_end = tk::cell(start_k, b) + lk;
                    const int Vb_start = tk::cell(start_k, b);
                    const int Vb_end = tk::cell(start_k, b) + lk;

                    // attention_varlen.tk:27: let first = m.start + lk - lq;
                    const int first = m + lk - lq;

                    // attention_varlen.tk:28: let end   = if CAUSAL { max(min(first + BM, lk), 0) }
                    // else { lk };
                    const int end = tk::max(tk::min(first + 128, lk), 0);

                    // attention_varlen.tk:34: if m.start < lq {
                    if (m < lq) {
                        // attention_varlen.tk:35: produce qs = tma_load(Qb[m, h, :]);
                        shared.qs.wait_empty(qs_next);
                        shared.qs.expect(qs_next, 32768);
                        tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                     shared.qs.full[qs_next.stage], Qb_start + m, h, 0);
                        qs_next.advance();

                        // attention_varlen.tk:36: produce ks = tma_load(Kb[0 +: BN, g, :]);
                        shared.ks.wait_empty(ks_next);
                        shared.ks.expect(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], Kb_start, g, 0);
                        ks_next.advance();

                        // attention_varlen.tk:37: for j in BN..end by BN {
                        for (int j = 128; j < end; j += 128) {
                            // attention_varlen.tk:38: produce ks = tma_load(Kb[j, g, :]);
                            shared.ks.wait_empty(ks_next);
                            shared.ks.expect(ks_next, 32768);
                            tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                         shared.ks.full[ks_next.stage], Kb_start + j, g, 0);
                            ks_next.advance();

                            // attention_varlen.tk:39: produce vs = tma_load(Vb[j.prev, g, :])
                            // allow_foreign;
                            shared.vs.wait_empty(vs_next);
                            shared.vs.expect(vs_next, 32768);
                            tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                         shared.vs.full[vs_next.stage], Vb_start + (j - 128), g, 0);
                            vs_next.advance();
                        }

                        // attention_varlen.tk:41: produce vs = tma_load(Vb[last_tile(end, BN), g,
                        // :]) allow_foreign;
                        shared.vs.wait_empty(vs_next);
                        shared.vs.expect(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage],
                                     Vb_start + tk::max(tk::divide_up(end, 128) - 1, 0) * 128, g,
                                     0);
                        vs_next.advance();
                    }
                }
            }
        }
    }
}

#include "tk/host/launcher.h"

namespace {
// attention_varlen: D = 128, CAUSAL = false, BM = 128, BN = 128
tk::status launch_attention_varlen(const tk::launch_site& site, const tk::tensor& Q,
                                   const tk::tensor& K, const tk::tensor& V,
                                   const tk::tensor& start_q, const tk::tensor& start_k,
                                   const tk::tensor& O, const tk::tensor& LSE, int64_t TQ,
                                   int64_t H, int64_t HKV, int64_t B, int32_t longest,
                                   float scale) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&attention_varlen_kernel),
                                    static_cast<int>(sizeof(attention_varlen_shared)), {}, {}};
    CUtensorMap Q_map;
    TK_RETURN_IF_FAILED(tk::encode(Q_map, Q, {128, 1, 64}, 128));
    CUtensorMap K_map;
    TK_RETURN_IF_FAILED(tk::encode(K_map, K, {128, 1, 64}, 128));
    CUtensorMap V_map;
    TK_RETURN_IF_FAILED(tk::encode(V_map, V, {128, 1, 64}, 128));
    CUtensorMap O_map;
    TK_RETURN_IF_FAILED(tk::encode(O_map, O, {64, 1, 64}, 128));
    return tk::launch_kernel(kernel, attention_varlen_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, Q_map, K_map, V_map,
                             O_map, tk::cells<const int, 1>(start_q),
                             tk::cells<const int, 1>(start_k), tk::cells<tk::bf16, 3>(O),
                             tk::cells<float, 2>(LSE), static_cast<int>(TQ), static_cast<int>(H),
                             static_cast<int>(HKV), static_cast<int>(B), longest, scale);
}

// attention_varlen_general: D = 128, CAUSAL = false, BM = 128, BN = 128
tk::status launch_attention_varlen_general(const tk::launch_site& site, const tk::tensor& Q,
                                           const tk::tensor& K, const tk::tensor& V,
                                           const tk::tensor& start_q, const tk::tensor& start_k,
                                           const tk::tensor& O, const tk::tensor& LSE, int64_t TQ,
                                           int64_t H, int64_t HKV, int64_t B, int32_t longest,
                                           float scale) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&attention_varlen_general_kernel),
                                    static_cast<int>(sizeof(attention_varlen_general_shared)), {},
                                    {}};
    CUtensorMap Q_map;
    TK_RETURN_IF_FAILED(tk::encode(Q_map, Q, {128, 1, 64}, 128));
    CUtensorMap K_map;
    TK_RETURN_IF_FAILED(tk::encode(K_map, K, {128, 1, 64}, 128));
    CUtensorMap V_map;
    TK_RETURN_IF_FAILED(tk::encode(V_map, V, {128, 1, 64}, 128));
    return tk::launch_kernel(kernel, attention_varlen_general_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, Q_map, K_map, V_map,
                             tk::cells<const int, 1>(start_q), tk::cells<const int, 1>(start_k),
                             tk::cells<tk::bf16, 3>(O), tk::cells<float, 2>(LSE),
                             static_cast<int>(TQ), static_cast<int>(H), static_cast<int>(HKV),
                             static_cast<int>(B), longest, scale);
}

tk::status run_attention_varlen(const DLTensor* Q_given, const DLTensor* K_given,
                                const DLTensor* V_given, const DLTensor* start_q_given,
                                const DLTensor* start_k_given, DLTensor* O_given,
                                DLTensor* LSE_given, int32_t longest, float scale,
                                cudaStream_t stream) {
    tk::arguments call{"attention_varlen"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;

    call.require(Q.shape[2] == 128, "axis 2 of `Q` is {}; this kernel is made for 128",
                 {Q.shape[2]});
    call.require(K.shape[2] == 128, "axis 2 of `K` is {}; this kernel is made for 128",
                 {K.shape[2]});
    call.require(V.shape[0] == TK, "`TK` is {} in axis 0 of `K`, but {} in axis 0 of `V`",
                 {TK, V.shape[0]});
    call.require(V.shape[1] == HKV, "`HKV` is {} in axis 1 of `K`, but {} in axis 1 of `V`",
                 {HKV, V.shape[1]});
    call.require(V.shape[2] == 128, "axis 2 of `V` is {}; this kernel is made for 128",
                 {V.shape[2]});
    call.require(O.shape[0] == TQ, "`TQ` is {} in axis 0 of `Q`, but {} in axis 0 of `O`",
                 {TQ, O.shape[0]});
    call.require(O.shape[1] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 1 of `O`",
                 {H, O.shape[1]});
    call.require(O.shape[2] == 128, "axis 2 of `O` is {}; this kernel is made for 128",
                 {O.shape[2]});
    call.require(LSE.shape[0] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 0 of `LSE`",
                 {H, LSE.shape[0]});
    call.require(LSE.shape[1] == TQ, "`TQ` is {} in axis 0 of `Q`, but {} in axis 1 of `LSE`",
                 {TQ, LSE.shape[1]});
    call.require(TQ < 2147221504, "`TQ` is {}; extents must be less than 2147221504", {TQ});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(TK < 2147221504, "`TK` is {}; extents must be less than 2147221504", {TK});
    call.require(HKV < 2147221504, "`HKV` is {}; extents must be less than 2147221504", {HKV});
    call.require(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1});
    call.require(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV});
    call.require(tk::floor_mod(H, HKV) == 0, "`attention_varlen` requires `H % HKV == 0`");
    call.require(scale > 0.0f, "`attention_varlen` requires `scale > 0`");
    call.require(0 < HKV, "`HKV` is at least 1, because `attention_varlen` divides by it");
    call.require(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attention_varlen` divides by it");
    call.require(int64_t{longest} + 127 < 2147483648,
                 "`longest + 127` reaches {}; it must fit in 32 bits", {int64_t{longest} + 127});
    call.require(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H)});
    call.require(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B) <
        2147418112, "the grid has {} programs; it must have less than 2147418112",
        {tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B)});
    call.require(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)});
    call.require(int64_t{longest} - 1 + TK < 2147483648,
                 "`m + lk` reaches {}; it must fit in 32 bits", {int64_t{longest} - 1 + TK});
    call.require(int64_t{longest} - 1 + TK - (0 - TQ) < 2147483648,
                 "`m + lk - lq` reaches {}; it must fit in 32 bits",
                 {int64_t{longest} - 1 + TK - (0 - TQ)});
    call.require(-2147483648 <= 0 - TK - TQ, "`m + lk - lq` reaches {}; it must fit in 32 bits",
                 {0 - TK - TQ});
    call.require(TQ + (int64_t{longest} - 1) < 2147483648,
                 "`Qb_start + m` reaches {}; it must fit in 32 bits",
                 {TQ + (int64_t{longest} - 1)});
    call.require(TK + (TK - 1) < 2147483648, "`Kb_start + j` reaches {}; it must fit in 32 bits",
                 {TK + (TK - 1)});
    call.require(TK + (TK - 1 - 128) < 2147483648,
                 "`Vb_start + (j - 128)` reaches {}; it must fit in 32 bits",
                 {TK + (TK - 1 - 128)});
    call.require(TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128 < 2147483648,
                 "`Vb_start + max(ceil_div(end, 128) - 1, 0)*128` reaches {}; it must fit in 32 bits",
                 {TK + tk::larger(tk::ceil_div(TK, 128) - 1, 0) * 128});
    call.require(TK + (TK - 1) + 128 < 2147483648,
                 "`Kb_start + j + 128` reaches {}; it must fit in 32 bits", {TK + (TK - 1) + 128});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // attention_varlen
    choice.prefer(Q.stride[2] == 1);
    choice.prefer(Q.address % 16 == 0);
    choice.prefer(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888);
    choice.prefer(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888);
    choice.prefer(K.stride[2] == 1);
    choice.prefer(K.address % 16 == 0);
    choice.prefer(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888);
    choice.prefer(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888);
    choice.prefer(V.stride[2] == 1);
    choice.prefer(V.address % 16 == 0);
    choice.prefer(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888);
    choice.prefer(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888);
    choice.prefer(O.stride[2] == 1);
    choice.prefer(O.address % 16 == 0);
    choice.prefer(O.stride[1] % 8 == 0 && 0 < O.stride[1] && O.stride[1] < 549755813888);
    choice.prefer(O.stride[0] % 8 == 0 && 0 < O.stride[0] && O.stride[0] < 549755813888);
    choice.offer(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B),
        1500 +
        (tk::larger(2048,
                    (Q.stride[0] % 64 == 0 ? 656 : 964) + (K.stride[0] % 64 == 0 ? 656 : 964) +
                    (V.stride[0] % 64 == 0 ? 656 : 964)) + 2684) + 912);
    choice.candidate(true);  // attention_varlen_general
    choice.require(Q.stride[2] == 1,
                   "neighbours in a row of `Q` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {Q.stride[2]});
    choice.require(Q.address % 16 == 0,
                   "`Q` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(Q.address, 16)});
    choice.require(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888,
                   "the rows of `Q` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {Q.stride[1] * 2});
    choice.require(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888,
                   "neighbours along axis 0 of `Q` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {Q.stride[0] * 2});
    choice.require(K.stride[2] == 1,
                   "neighbours in a row of `K` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {K.stride[2]});
    choice.require(K.address % 16 == 0,
                   "`K` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(K.address, 16)});
    choice.require(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888,
                   "the rows of `K` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {K.stride[1] * 2});
    choice.require(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888,
                   "neighbours along axis 0 of `K` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {K.stride[0] * 2});
    choice.require(V.stride[2] == 1,
                   "neighbours in a row of `V` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {V.stride[2]});
    choice.require(V.address % 16 == 0,
                   "`V` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(V.address, 16)});
    choice.require(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888,
                   "the rows of `V` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {V.stride[1] * 2});
    choice.require(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888,
                   "neighbours along axis 0 of `V` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {V.stride[0] * 2});
    choice.offer(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B),
        1500 +
        (tk::larger(2048,
                    (Q.stride[0] % 64 == 0 ? 656 : 964) + (K.stride[0] % 64 == 0 ? 656 : 964) +
                    (V.stride[0] % 64 == 0 ? 656 : 964)) + 4732));
    if (choice.best() == 0) {
        return launch_attention_varlen(site, Q, K, V, start_q, start_k, O, LSE, TQ, H, HKV, B,
                                       longest, scale);
    }
    if (choice.best() == 1) {
        return launch_attention_varlen_general(site, Q, K, V, start_q, start_k, O, LSE, TQ, H, HKV,
                                               B, longest, scale);
    }
    return choice.result();
}

// attention_varlen_causal: D = 128, CAUSAL = true, BM = 128, BN = 128
tk::status launch_attention_varlen_causal(const tk::launch_site& site, const tk::tensor& Q,
                                          const tk::tensor& K, const tk::tensor& V,
                                          const tk::tensor& start_q, const tk::tensor& start_k,
                                          const tk::tensor& O, const tk::tensor& LSE, int64_t TQ,
                                          int64_t H, int64_t HKV, int64_t B, int32_t longest,
                                          float scale) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&attention_varlen_causal_kernel),
                                    static_cast<int>(sizeof(attention_varlen_causal_shared)), {},
                                    {}};
    CUtensorMap Q_map;
    TK_RETURN_IF_FAILED(tk::encode(Q_map, Q, {128, 1, 64}, 128));
    CUtensorMap K_map;
    TK_RETURN_IF_FAILED(tk::encode(K_map, K, {128, 1, 64}, 128));
    CUtensorMap V_map;
    TK_RETURN_IF_FAILED(tk::encode(V_map, V, {128, 1, 64}, 128));
    CUtensorMap O_map;
    TK_RETURN_IF_FAILED(tk::encode(O_map, O, {64, 1, 64}, 128));
    return tk::launch_kernel(kernel, attention_varlen_causal_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, Q_map, K_map, V_map,
                             O_map, tk::cells<const int, 1>(start_q),
                             tk::cells<const int, 1>(start_k), tk::cells<tk::bf16, 3>(O),
                             tk::cells<float, 2>(LSE), static_cast<int>(TQ), static_cast<int>(H),
                             static_cast<int>(HKV), static_cast<int>(B), longest, scale);
}

// attention_varlen_causal_general: D = 128, CAUSAL = true, BM = 128, BN = 128
tk::status launch_attention_varlen_causal_general(const tk::launch_site& site, const tk::tensor& Q,
                                                  const tk::tensor& K, const tk::tensor& V,
                                                  const tk::tensor& start_q,
                                                  const tk::tensor& start_k, const tk::tensor& O,
                                                  const tk::tensor& LSE, int64_t TQ, int64_t H,
                                                  int64_t HKV, int64_t B, int32_t longest,
                                                  float scale) {
    const int64_t programs =
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{
        reinterpret_cast<const void*>(&attention_varlen_causal_general_kernel),
        static_cast<int>(sizeof(attention_varlen_causal_general_shared)), {}, {}};
    CUtensorMap Q_map;
    TK_RETURN_IF_FAILED(tk::encode(Q_map, Q, {128, 1, 64}, 128));
    CUtensorMap K_map;
    TK_RETURN_IF_FAILED(tk::encode(K_map, K, {128, 1, 64}, 128));
    CUtensorMap V_map;
    TK_RETURN_IF_FAILED(tk::encode(V_map, V, {128, 1, 64}, 128));
    return tk::launch_kernel(kernel, attention_varlen_causal_general_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, Q_map, K_map, V_map,
                             tk::cells<const int, 1>(start_q), tk::cells<const int, 1>(start_k),
                             tk::cells<tk::bf16, 3>(O), tk::cells<float, 2>(LSE),
                             static_cast<int>(TQ), static_cast<int>(H), static_cast<int>(HKV),
                             static_cast<int>(B), longest, scale);
}

tk::status run_attention_varlen_causal(const DLTensor* Q_given, const DLTensor* K_given,
                                       const DLTensor* V_given, const DLTensor* start_q_given,
                                       const DLTensor* start_k_given, DLTensor* O_given,
                                       DLTensor* LSE_given, int32_t longest, float scale,
                                       cudaStream_t stream) {
    tk::arguments call{"attention_varlen_causal"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor start_q = call.take("start_q", start_q_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor start_k = call.take("start_k", start_k_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t TQ = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t TK = K.shape[0];
    const int64_t HKV = K.shape[1];
    const int64_t B = start_q.shape[0] - 1;

    call.require(Q.shape[2] == 128, "axis 2 of `Q` is {}; this kernel is made for 128",
                 {Q.shape[2]});
    call.require(K.shape[2] == 128, "axis 2 of `K` is {}; this kernel is made for 128",
                 {K.shape[2]});
    call.require(V.shape[0] == TK, "`TK` is {} in axis 0 of `K`, but {} in axis 0 of `V`",
                 {TK, V.shape[0]});
    call.require(V.shape[1] == HKV, "`HKV` is {} in axis 1 of `K`, but {} in axis 1 of `V`",
                 {HKV, V.shape[1]});
    call.require(V.shape[2] == 128, "axis 2 of `V` is {}; this kernel is made for 128",
                 {V.shape[2]});
    call.require(O.shape[0] == TQ, "`TQ` is {} in axis 0 of `Q`, but {} in axis 0 of `O`",
                 {TQ, O.shape[0]});
    call.require(O.shape[1] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 1 of `O`",
                 {H, O.shape[1]});
    call.require(O.shape[2] == 128, "axis 2 of `O` is {}; this kernel is made for 128",
                 {O.shape[2]});
    call.require(LSE.shape[0] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 0 of `LSE`",
                 {H, LSE.shape[0]});
    call.require(LSE.shape[1] == TQ, "`TQ` is {} in axis 0 of `Q`, but {} in axis 1 of `LSE`",
                 {TQ, LSE.shape[1]});
    call.require(TQ < 2147221504, "`TQ` is {}; extents must be less than 2147221504", {TQ});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(TK < 2147221504, "`TK` is {}; extents must be less than 2147221504", {TK});
    call.require(HKV < 2147221504, "`HKV` is {}; extents must be less than 2147221504", {HKV});
    call.require(0 <= B, "axis 0 of `start_q` is {}; it is `B + 1`, at least 1",
                 {start_q.shape[0]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(start_k.shape[0] == B + 1,
                 "axis 0 of `start_k` is {}; it must be `B + 1`, which is {}",
                 {start_k.shape[0], B + 1});
    call.require(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV});
    call.require(tk::floor_mod(H, HKV) == 0, "`attention_varlen` requires `H % HKV == 0`");
    call.require(scale > 0.0f, "`attention_varlen` requires `scale > 0`");
    call.require(0 < HKV, "`HKV` is at least 1, because `attention_varlen` divides by it");
    call.require(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attention_varlen` divides by it");
    call.require(int64_t{longest} + 127 < 2147483648,
                 "`longest + 127` reaches {}; it must fit in 32 bits", {int64_t{longest} + 127});
    call.require(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H)});
    call.require(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B) <
        2147418112, "the grid has {} programs; it must have less than 2147418112",
        {tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B)});
    call.require(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)});
    call.require(int64_t{longest} - 1 + TK < 2147483648,
                 "`m + lk` reaches {}; it must fit in 32 bits", {int64_t{longest} - 1 + TK});
    call.require(int64_t{longest} - 1 + TK - (0 - TQ) < 2147483648,
                 "`m + lk - lq` reaches {}; it must fit in 32 bits",
                 {int64_t{longest} - 1 + TK - (0 - TQ)});
    call.require(-2147483648 <= 0 - TK - TQ, "`m + lk - lq` reaches {}; it must fit in 32 bits",
                 {0 - TK - TQ});
    call.require(int64_t{longest} - 1 + TK - (0 - TQ) + 128 < 2147483648,
                 "`first + 128` reaches {}; it must fit in 32 bits",
                 {int64_t{longest} - 1 + TK - (0 - TQ) + 128});
    call.require(TQ + (int64_t{longest} - 1) < 2147483648,
                 "`Qb_start + m` reaches {}; it must fit in 32 bits",
                 {TQ + (int64_t{longest} - 1)});
    call.require(TK +
                 (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1) <
                 2147483648, "`Kb_start + j` reaches {}; it must fit in 32 bits",
                 {TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) -
                   1)});
    call.require(TK +
                 (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1 -
                  128) < 2147483648, "`Vb_start + (j - 128)` reaches {}; it must fit in 32 bits",
                 {TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1 -
                   128)});
    call.require(TK +
                 tk::larger(
                     tk::ceil_div(
                         tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0),
                         128) - 1, 0) * 128 < 2147483648,
                 "`Vb_start + max(ceil_div(end, 128) - 1, 0)*128` reaches {}; it must fit in 32 bits",
                 {TK +
                  tk::larger(
                      tk::ceil_div(
                          tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK),
                                     0), 128) - 1, 0) * 128});
    call.require(TK +
                 (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1) +
                 128 < 2147483648, "`Kb_start + j + 128` reaches {}; it must fit in 32 bits",
                 {TK +
                  (tk::larger(tk::smaller(int64_t{longest} - 1 + TK - (0 - TQ) + 128, TK), 0) - 1) +
                  128});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // attention_varlen_causal
    choice.prefer(Q.stride[2] == 1);
    choice.prefer(Q.address % 16 == 0);
    choice.prefer(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888);
    choice.prefer(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888);
    choice.prefer(K.stride[2] == 1);
    choice.prefer(K.address % 16 == 0);
    choice.prefer(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888);
    choice.prefer(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888);
    choice.prefer(V.stride[2] == 1);
    choice.prefer(V.address % 16 == 0);
    choice.prefer(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888);
    choice.prefer(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888);
    choice.prefer(O.stride[2] == 1);
    choice.prefer(O.address % 16 == 0);
    choice.prefer(O.stride[1] % 8 == 0 && 0 < O.stride[1] && O.stride[1] < 549755813888);
    choice.prefer(O.stride[0] % 8 == 0 && 0 < O.stride[0] && O.stride[0] < 549755813888);
    choice.offer(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B),
        1500 +
        (tk::larger(2048,
                    (Q.stride[0] % 64 == 0 ? 656 : 964) + (K.stride[0] % 64 == 0 ? 656 : 964) +
                    (V.stride[0] % 64 == 0 ? 656 : 964)) + 3068) + 912 +
        tk::multiply(
            tk::larger(2048,
                       (K.stride[0] % 64 == 0 ? 656 : 964) + (V.stride[0] % 64 == 0 ? 656 : 964)) +
            945,
            tk::larger(
                tk::ceil_div(
                    tk::larger(tk::smaller(tk::floor_div(int64_t{longest}, 2) + 128, 0), 0) - 128,
                    128), 0)));
    choice.candidate(true);  // attention_varlen_causal_general
    choice.require(Q.stride[2] == 1,
                   "neighbours in a row of `Q` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {Q.stride[2]});
    choice.require(Q.address % 16 == 0,
                   "`Q` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(Q.address, 16)});
    choice.require(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888,
                   "the rows of `Q` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {Q.stride[1] * 2});
    choice.require(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888,
                   "neighbours along axis 0 of `Q` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {Q.stride[0] * 2});
    choice.require(K.stride[2] == 1,
                   "neighbours in a row of `K` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {K.stride[2]});
    choice.require(K.address % 16 == 0,
                   "`K` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(K.address, 16)});
    choice.require(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888,
                   "the rows of `K` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {K.stride[1] * 2});
    choice.require(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888,
                   "neighbours along axis 0 of `K` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {K.stride[0] * 2});
    choice.require(V.stride[2] == 1,
                   "neighbours in a row of `V` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                   {V.stride[2]});
    choice.require(V.address % 16 == 0,
                   "`V` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                   {tk::floor_mod(V.address, 16)});
    choice.require(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888,
                   "the rows of `V` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {V.stride[1] * 2});
    choice.require(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888,
                   "neighbours along axis 0 of `V` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                   {V.stride[0] * 2});
    choice.offer(
        tk::multiply(tk::multiply(tk::larger(tk::ceil_div(int64_t{longest}, 128), 0), H), B),
        1500 +
        (tk::larger(2048,
                    (Q.stride[0] % 64 == 0 ? 656 : 964) + (K.stride[0] % 64 == 0 ? 656 : 964) +
                    (V.stride[0] % 64 == 0 ? 656 : 964)) + 5116) +
        tk::multiply(
            tk::larger(2048,
                       (K.stride[0] % 64 == 0 ? 656 : 964) + (V.stride[0] % 64 == 0 ? 656 : 964)) +
            945,
            tk::larger(
                tk::ceil_div(
                    tk::larger(tk::smaller(tk::floor_div(int64_t{longest}, 2) + 128, 0), 0) - 128,
                    128), 0)));
    if (choice.best() == 0) {
        return launch_attention_varlen_causal(site, Q, K, V, start_q, start_k, O, LSE, TQ, H, HKV,
                                              B, longest, scale);
    }
    if (choice.best() == 1) {
        return launch_attention_varlen_causal_general(site, Q, K, V, start_q, start_k, O, LSE, TQ,
                                                      H, HKV, B, longest, scale);
    }
    return choice.result();
}

}  // namespace

extern "C" {
int attention_varlen(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* start_q_given, const DLTensor* start_k_given,
                     DLTensor* O_given, DLTensor* LSE_given, int32_t longest, float scale, void*,
                     size_t, cudaStream_t stream) {
    return tk::finish(
        run_attention_varlen(Q_given, K_given, V_given, start_q_given, start_k_given, O_given,
                             LSE_given, longest, scale, stream));
}

size_t attention_varlen_workspace(const DLTensor*, const DLTensor*, const DLTensor*,
                                  const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t,
                                  float) {
    return 0;
}

const char* attention_varlen_error() {
    return tk::last_sentence;
}

int attention_varlen_causal(const DLTensor* Q_given, const DLTensor* K_given,
                            const DLTensor* V_given, const DLTensor* start_q_given,
                            const DLTensor* start_k_given, DLTensor* O_given, DLTensor* LSE_given,
                            int32_t longest, float scale, void*, size_t, cudaStream_t stream) {
    return tk::finish(
        run_attention_varlen_causal(Q_given, K_given, V_given, start_q_given, start_k_given,
                                    O_given, LSE_given, longest, scale, stream));
}

size_t attention_varlen_causal_workspace(const DLTensor*, const DLTensor*, const DLTensor*,
                                         const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                                         int32_t, float) {
    return 0;
}

const char* attention_varlen_causal_error() {
    return tk::last_sentence;
}
}  // extern "C"
