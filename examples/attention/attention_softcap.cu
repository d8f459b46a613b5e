// Made by tkc from attention_softcap.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_softcap: kernel attention_softcap with D = 128, BM = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_softcap_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_softcap_shared, v_tiles) == 196656);

__global__ void __launch_bounds__(384, 1) attention_softcap_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> slope, const tk::tensor_argument<float, 3> LSE, int B,
    int H, int M, int HKV, int N, float scale, float cap) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_softcap_shared& shared = *reinterpret_cast<attention_softcap_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_softcap.tk:8: kernel attention_softcap<D: int = 128, BM: int = 128, BN: int ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
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

                    // attention_softcap.tk:14: let g    = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_softcap.tk:15: let last = m.start + N - M;
                    const int last = m + N - M;

                    // attention_softcap.tk:16: let end  = max(min(last + BM, N), 0);
                    const int end = tk::max(tk::min(last + 128, N), 0);

                    // attention_softcap.tk:17: let q = load(Q[b, h, m, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], b, h, m, 0);
                    q_tiles_next.advance();

                    // attention_softcap.tk:20: for j in 0..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_softcap.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], b, g, 0, 0);
                        k_tiles_next.advance();
                        // attention_softcap.tk:20
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_softcap.tk:21
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                            k_tiles_next.advance();

                            // attention_softcap.tk:25: o += mma(p, load(V[b, g, j, :]));
                            shared.v_tiles.begin(v_tiles_next, 32768);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage], b, g, j - 128, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 32768);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage], b, g,
                                     tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                        v_tiles_next.advance();
                    }
                }
            }
        }
    } else {
        // attention_softcap.tk:8: kernel attention_softcap<D: int = 128, BM: int = 128, BN: int ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
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

                // attention_softcap.tk:15: let last = m.start + N - M;
                const int last = m + N - M;

                // attention_softcap.tk:16: let end  = max(min(last + BM, N), 0);
                const int end = tk::max(tk::min(last + 128, N), 0);

                // attention_softcap.tk:17: let q = load(Q[b, h, m, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_softcap.tk:18: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_softcap.tk:19: var sm = softmax.start<BM>(1.0);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = 1.0f * 1.442695f;

                // attention_softcap.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_softcap.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_softcap.tk:23: let p = bf16(softmax.step(inout sm, ..
                    tk::fragment<float, 64, 128> s;
                    tk::map(s, thread, [&](int row, int col, float s_first) {
                        const int x = last + 64 * warpgroup + row;
                        return col <= x
                            ? (col < N
                               ? tk::fma(cap, tk::tanh(s_first * tk::divide(scale, cap)),
                                         -(tk::cell(slope, h) *
                                           float(tk::wrapping_subtract(x, col)))) : -INFINITY)
                            : -INFINITY;
                    }, s_first);

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); },
                            s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
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
                    // attention_softcap.tk:23
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_softcap.tk:24: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_softcap.tk:20
                    tk::fragment<float, 64, 128> s_3;
                    for (int j = 128; j < end; j += 128) {
                        // attention_softcap.tk:21
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_softcap.tk:25: o += mma(p, load(V[b, g, j, :]));
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_softcap.tk:23
                        if (j + 127 <= last + 64 * warpgroup && j + 128 <= N) {
                            tk::map(s_3, thread, [&](int row, int col, float s_2) {
                                return tk::fma(cap, tk::tanh(s_2 * tk::divide(scale, cap)),
                                               -(tk::cell(slope, h) *
                                                 float(
                                                     tk::wrapping_subtract(
                                                         tk::wrapping_add(last,
                                                                          64 * warpgroup + row),
                                                         j + col))));
                            }, s_2);
                        } else {
                            tk::map(s_3, thread, [&](int row, int col, float s_2) {
                                const int x = j + col;
                                const int x_2 = last + 64 * warpgroup + row;
                                return x <= x_2
                                    ? (col < N - j
                                       ? tk::fma(cap, tk::tanh(s_2 * tk::divide(scale, cap)),
                                                 -(tk::cell(slope, h) *
                                                   float(tk::wrapping_subtract(x_2, x))))
                                       : -INFINITY) : -INFINITY;
                            }, s_2);
                        }
                        // <std.softmax>:30
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, s_3, tk::maximum{}, thread);
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
                        tk::map(p_3, [&](float s_3, float m0_2) {
                            return tk::exp2(tk::fma(s_3, sm_c, -m0_2));
                        }, s_3, m0_2);
                        // <std.softmax>:33
                        tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
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
                        // attention_softcap.tk:23
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_softcap.tk:24
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_softcap.tk:25
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_softcap.tk:27: store(O[b, h, m, :], bf16(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; },
                            tk::window<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t6, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b,
                                      h, m + warpgroup * 64, panel);
                    }
                }

                // attention_softcap.tk:28: store(LSE[b, h, m], softmax.lse(sm));
                tk::column_fragment<float, 64> t7;
                tk::map(t7, [&](float t3, float sm_max) {
                    return t3 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                }, t3, sm_max);
                tk::store_global(
                    tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup},
                                              M - (m + 64 * warpgroup), 1), t7, thread);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_softcap_general: kernel attention_softcap with D = 128, BM = 128, BN = 128; any strides
// and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory; persistent.
struct attention_softcap_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_softcap_general_shared, v_tiles) == 163888);

__global__ void __launch_bounds__(384, 1) attention_softcap_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<const float, 1> slope,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 3> LSE, int B, int H,
    int M, int HKV, int N, float scale, float cap) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_softcap_general_shared& shared =
        *reinterpret_cast<attention_softcap_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.q_tiles.init(1, 8);
        shared.k_tiles.init(1, 8);
        shared.v_tiles.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_softcap.tk:8: kernel attention_softcap<D: int = 128, BM: int = 128, BN: int ..
        tk::registers_at_most<56>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_dealt(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_dealt(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_softcap.tk:14: let g    = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_softcap.tk:15: let last = m.start + N - M;
                    const int last = m + N - M;

                    // attention_softcap.tk:16: let end  = max(min(last + BM, N), 0);
                    const int end = tk::max(tk::min(last + 128, N), 0);

                    // attention_softcap.tk:17: let q = load(Q[b, h, m, :]);
                    shared.q_tiles.wait_empty(q_tiles_next);
                    tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                       tk::slice(Q, {b, h, m, 0}, M - m, 128), thread, 32);
                    shared.q_tiles.publish(q_tiles_next, tk::ordinary_alone{});
                    q_tiles_next.advance();

                    // attention_softcap.tk:20: for j in 0..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_softcap.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                        shared.k_tiles.wait_empty(k_tiles_next);
                        tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                           tk::slice(K, {b, g, 0, 0}, g < HKV ? N : 0, 128), thread,
                                           32);
                        shared.k_tiles.publish(k_tiles_next);
                        k_tiles_next.advance();
                        // attention_softcap.tk:20
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_softcap.tk:21
                            shared.k_tiles.wait_empty(k_tiles_next);
                            tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                               tk::slice(K, {b, g, j, 0}, g < HKV ? N - j : 0, 128),
                                               thread, 32);
                            shared.k_tiles.publish(k_tiles_next);
                            k_tiles_next.advance();

                            // attention_softcap.tk:25: o += mma(p, load(V[b, g, j, :]));
                            shared.v_tiles.wait_empty(v_tiles_next);
                            tk::copy_to_shared(shared.v_tiles_tile[v_tiles_next.stage],
                                               tk::clipped(
                                                   tk::slice(V, {b, g, j - 128, 0},
                                                             g < HKV ? N - (j - 128) : 0, 128),
                                                   0 - (j - 128), 0), thread, 32);
                            shared.v_tiles.publish(v_tiles_next);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.wait_empty(v_tiles_next);
                        tk::copy_to_shared(
                            shared.v_tiles_tile[v_tiles_next.stage],
                            tk::slice(V, {b, g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0},
                                      g < HKV ? N - tk::max(tk::divide_up(end, 128) - 1, 0) * 128
                                      : 0, 128), thread, 32);
                        shared.v_tiles.publish(v_tiles_next);
                        v_tiles_next.advance();
                    }
                }
            }
        }
    } else {
        // attention_softcap.tk:8: kernel attention_softcap<D: int = 128, BM: int = 128, BN: int ..
        tk::registers_at_least<224>();
        const int m_tiles = tk::tiles(M, 128);
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

                // attention_softcap.tk:15: let last = m.start + N - M;
                const int last = m + N - M;

                // attention_softcap.tk:16: let end  = max(min(last + BM, N), 0);
                const int end = tk::max(tk::min(last + 128, N), 0);

                // attention_softcap.tk:17: let q = load(Q[b, h, m, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element, tk::ordinary_alone{});

                // attention_softcap.tk:18: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_softcap.tk:19: var sm = softmax.start<BM>(1.0);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = 1.0f * 1.442695f;

                // attention_softcap.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_softcap.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_softcap.tk:23: let p = bf16(softmax.step(inout sm, ..
                    tk::fragment<float, 64, 128> s;
                    tk::map(s, thread, [&](int row, int col, float s_first) {
                        const int x = last + 64 * warpgroup + row;
                        return col <= x
                            ? (col < N
                               ? tk::fma(cap, tk::tanh(s_first * tk::divide(scale, cap)),
                                         -(tk::cell(slope, h) *
                                           float(tk::wrapping_subtract(x, col)))) : -INFINITY)
                            : -INFINITY;
                    }, s_first);

                    // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                    tk::column_fragment<float, 64> t1;
                    tk::fold_rows(t1, s, tk::maximum{}, thread);
                    tk::finish_rows(t1, tk::maximum{});
                    tk::column_fragment<float, 64> m_2;
                    tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                            sm_max, t1);

                    // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                    tk::column_fragment<float, 64> m0;
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); },
                            s, m0);

                    // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, ..
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
                    // attention_softcap.tk:23
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_softcap.tk:24: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_softcap.tk:20
                    tk::fragment<float, 64, 128> s_3;
                    for (int j = 128; j < end; j += 128) {
                        // attention_softcap.tk:21
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_softcap.tk:25: o += mma(p, load(V[b, g, j, :]));
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_softcap.tk:23
                        if (j + 127 <= last + 64 * warpgroup && j + 128 <= N) {
                            tk::map(s_3, thread, [&](int row, int col, float s_2) {
                                return tk::fma(cap, tk::tanh(s_2 * tk::divide(scale, cap)),
                                               -(tk::cell(slope, h) *
                                                 float(
                                                     tk::wrapping_subtract(
                                                         tk::wrapping_add(last,
                                                                          64 * warpgroup + row),
                                                         j + col))));
                            }, s_2);
                        } else {
                            tk::map(s_3, thread, [&](int row, int col, float s_2) {
                                const int x = j + col;
                                const int x_2 = last + 64 * warpgroup + row;
                                return x <= x_2
                                    ? (col < N - j
                                       ? tk::fma(cap, tk::tanh(s_2 * tk::divide(scale, cap)),
                                                 -(tk::cell(slope, h) *
                                                   float(tk::wrapping_subtract(x_2, x))))
                                       : -INFINITY) : -INFINITY;
                            }, s_2);
                        }
                        // <std.softmax>:30
                        tk::column_fragment<float, 64> t4;
                        tk::fold_rows(t4, s_3, tk::maximum{}, thread);
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
                        tk::map(p_3, [&](float s_3, float m0_2) {
                            return tk::exp2(tk::fma(s_3, sm_c, -m0_2));
                        }, s_3, m0_2);
                        // <std.softmax>:33
                        tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                            return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
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
                        // attention_softcap.tk:23
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_softcap.tk:24
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_softcap.tk:25
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_softcap.tk:27: store(O[b, h, m, :], bf16(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                tk::fragment<tk::bf16, 64, 128> t6;
                tk::map(t6, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_global(
                    tk::slice(O, {b, h, m + 64 * warpgroup, 0}, M - (m + 64 * warpgroup), 128), t6,
                    thread);

                // attention_softcap.tk:28: store(LSE[b, h, m], softmax.lse(sm));
                tk::column_fragment<float, 64> t7;
                tk::map(t7, [&](float t3, float sm_max) {
                    return t3 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t3)) * 0.6931472f;
                }, t3, sm_max);
                tk::store_global(
                    tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup},
                                              M - (m + 64 * warpgroup), 1), t7, thread);
            }
        }
    }
}

extern "C" {
int attention_softcap(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* slope_given, DLTensor* O_given, DLTensor* LSE_given,
                      float scale, float cap, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_softcap"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor slope = call.take("slope", slope_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("H", Q, 1, slope, 0), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("H", Q, 1, O, 1), tk::same_extent("M", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("B", Q, 0, LSE, 0),
         tk::same_extent("H", Q, 1, LSE, 1), tk::same_extent("M", Q, 2, LSE, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_softcap` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_softcap` requires `scale > 0`"),
         tk::that(cap > 0.0f, "`attention_softcap` requires `cap > 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_softcap` divides by it"),
         tk::that(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention_softcap` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), 2147418112),
         tk::that(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)}), tk::fits("m.start + N", M - 1 + N),
         tk::fits("last + 128", M - 1 + N - M + 128)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B);
    const bool fast =
        tk::hold({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<attention_softcap_kernel>(
            site, sizeof(attention_softcap_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            programs, tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, slope, LSE, B, H, M,
            HKV, N, scale, cap));
    }
    return tk::finish(tk::run<attention_softcap_general_kernel>(
        site, sizeof(attention_softcap_general_shared),
        tk::kernel_shape(384).at_once(1).overlapping(), programs, Q, K, V, slope, O, LSE, B, H, M,
        HKV, N, scale, cap));
}
TK_NO_WORKSPACE(attention_softcap, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
