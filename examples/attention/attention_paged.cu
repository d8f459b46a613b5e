// Made by tkc from attention_paged.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attend: kernel attend with T = bf16, D = 128, PIECE = 64, PAGED = true, WINDOW = 0, SOFTCAP =
// false, PART = f32, DYNAMIC = false, BM = 64, QS = 2.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 164000 bytes of shared memory; persistent.
struct attend_shared {
    tk::shared_tile<tk::bf16, 64, 128> q_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> k_tiles_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> v_tiles_tile[4];
    tk::pipeline<2> q_tiles;
    tk::pipeline<4> k_tiles;
    tk::pipeline<4> v_tiles;
};
static_assert(offsetof(attend_shared, v_tiles) == 163936);

__global__ void __launch_bounds__(256, 1) attend_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const int, 2> table,
    const tk::tensor_argument<const int, 1> lengths, const tk::tensor_argument<float, 5> Part,
    const tk::tensor_argument<float, 4> Log, int B, int HKV, int R, int MAXP, int S, int page,
    int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_shared& shared = *reinterpret_cast<attend_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> k_tiles_next, v_tiles_next;
            tk::cursor<2> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int g = program / (m_tiles * S) % HKV;
                const int b = program / (m_tiles * S * HKV);

                // attention_paged.tk:34: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // attention_paged.tk:38: let begin  = from + s * chunk;
                const int begin = s * chunk;

                // attention_paged.tk:39: let end    = min(begin + chunk, length);
                const int end = tk::min(begin + chunk, length);

                // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
                shared.q_tiles.begin(q_tiles_next, 16384);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, g, m, 0);
                q_tiles_next.advance();

                // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
                #pragma unroll 1
                for (int j = begin; j < end; j += 64) {
                    // attention_paged.tk:45: let at = (if PAGED { table[b, max(min(j.start // ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // attention_paged.tk:46: let Kp = K[at +: min(length - j.start, PIECE)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:47: let Vp = V[at +: min(length - j.start, PIECE)];
                    const int Vp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                    shared.k_tiles.begin(k_tiles_next, 16384);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], at, g, 0);
                    k_tiles_next.advance();

                    // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) ..
                    shared.v_tiles.begin(v_tiles_next, 16384);
                    tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                 shared.v_tiles.full[v_tiles_next.stage], at, g, 0);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> k_tiles_next;
        tk::cursor<2> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int g = program / (m_tiles * S) % HKV;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged.tk:33: let group  = max(R // queries, 1);
            const int group = tk::max(R / queries, 1);

            // attention_paged.tk:34: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged.tk:38: let begin  = from + s * chunk;
            const int begin = s * chunk;

            // attention_paged.tk:39: let end    = min(begin + chunk, length);
            const int end = tk::min(begin + chunk, length);

            // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
            const tk::cursor<2> q_element = shared.q_tiles.take(q_tiles_next);

            // attention_paged.tk:41: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_paged.tk:42: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { scale });
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
            tk::fragment<float, 64, 64> t;
            for (int j = begin; j < end; j += 64) {
                // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                const tk::cursor<4> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, shared.q_tiles_tile[q_element.stage],
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(x);
                shared.k_tiles.release(k_tiles_element);

                // attention_paged.tk:50: let t = attention.up_to(attention.capped_if(x, scale, ..
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group
                            ? (col < tk::min(length - j, 64) ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, t, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_paged.tk:51: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_paged.tk:52: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) allow_foreign);
                shared.v_tiles.wait_full(k_tiles_element);
                tk::mma_async(o, p_2, shared.v_tiles_tile[k_tiles_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(k_tiles_element);
            }
            shared.q_tiles.release(q_element);

            // attention_paged.tk:105: store(Part[s, b, g, m, :], PART(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            tk::fragment<float, 64, 128> t3;
            tk::map(t3, [](float o, float t0) { return o * t0; }, o, t0);
            tk::store_global(tk::slice(Part, {s, b, g, m, 0}, R - m, 128), t3, thread);

            // attention_paged.tk:106: store(Log[s, b, g, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<3, tk::no_axis>(Log, {s, b, g, m}, R - m, 1), t4, thread);
        }
    }
}

// attend_general: kernel attend with T = bf16, D = 128, PIECE = 64, PAGED = true, WINDOW = 0,
// SOFTCAP = false, PART = f32, DYNAMIC = false, BM = 64, QS = 2; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 164000 bytes of shared memory; persistent.
struct attend_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> q_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> k_tiles_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> v_tiles_tile[4];
    tk::pipeline<2> q_tiles;
    tk::pipeline<4> k_tiles;
    tk::pipeline<4> v_tiles;
};
static_assert(offsetof(attend_general_shared, v_tiles) == 163936);

__global__ void __launch_bounds__(256, 1) attend_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const int, 2> table,
    const tk::tensor_argument<const int, 1> lengths, const tk::tensor_argument<float, 5> Part,
    const tk::tensor_argument<float, 4> Log, int B, int HKV, int R, int MAXP, int S, int page,
    int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_general_shared& shared = *reinterpret_cast<attend_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map);
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            const bool elected = warp == 4 && tk::elect_one();
            tk::cursor<4> k_tiles_next, v_tiles_next;
            tk::cursor<2> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int g = program / (m_tiles * S) % HKV;
                const int b = program / (m_tiles * S * HKV);

                // attention_paged.tk:34: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // attention_paged.tk:38: let begin  = from + s * chunk;
                const int begin = s * chunk;

                // attention_paged.tk:39: let end    = min(begin + chunk, length);
                const int end = tk::min(begin + chunk, length);

                // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
                shared.q_tiles.wait_empty(q_tiles_next);
                tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                   tk::slice(Q, {b, g, m, 0}, R - m, 128), thread, 32);
                shared.q_tiles.publish(q_tiles_next);
                q_tiles_next.advance();

                // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
                #pragma unroll 1
                for (int j = begin; j < end; j += 64) {
                    // attention_paged.tk:45: let at = (if PAGED { table[b, max(min(j.start // ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // attention_paged.tk:46: let Kp = K[at +: min(length - j.start, PIECE)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:47: let Vp = V[at +: min(length - j.start, PIECE)];
                    const int Vp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                    shared.k_tiles.wait_empty(k_tiles_next);
                    if (elected) {
                        shared.k_tiles.expect(k_tiles_next, 16384);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], at, g, 0);
                    }
                    k_tiles_next.advance();

                    // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) ..
                    shared.v_tiles.wait_empty(v_tiles_next);
                    if (elected) {
                        shared.v_tiles.expect(v_tiles_next, 16384);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage], at, g, 0);
                    }
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> k_tiles_next;
        tk::cursor<2> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int g = program / (m_tiles * S) % HKV;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged.tk:33: let group  = max(R // queries, 1);
            const int group = tk::max(R / queries, 1);

            // attention_paged.tk:34: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged.tk:38: let begin  = from + s * chunk;
            const int begin = s * chunk;

            // attention_paged.tk:39: let end    = min(begin + chunk, length);
            const int end = tk::min(begin + chunk, length);

            // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
            const tk::cursor<2> q_element = shared.q_tiles.take(q_tiles_next);

            // attention_paged.tk:41: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_paged.tk:42: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { scale });
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
            tk::fragment<float, 64, 64> t;
            for (int j = begin; j < end; j += 64) {
                // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                const tk::cursor<4> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, shared.q_tiles_tile[q_element.stage],
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(x);
                shared.k_tiles.release(k_tiles_element);

                // attention_paged.tk:50: let t = attention.up_to(attention.capped_if(x, scale, ..
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group
                            ? (col < tk::min(length - j, 64) ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, t, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_paged.tk:51: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_paged.tk:52: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) allow_foreign);
                shared.v_tiles.wait_full(k_tiles_element);
                tk::mma_async(o, p_2, shared.v_tiles_tile[k_tiles_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(k_tiles_element);
            }
            shared.q_tiles.release(q_element);

            // attention_paged.tk:105: store(Part[s, b, g, m, :], PART(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            tk::fragment<float, 64, 128> t3;
            tk::map(t3, [](float o, float t0) { return o * t0; }, o, t0);
            tk::store_global(tk::slice(Part, {s, b, g, m, 0}, R - m, 128), t3, thread);

            // attention_paged.tk:106: store(Log[s, b, g, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<3, tk::no_axis>(Log, {s, b, g, m}, R - m, 1), t4, thread);
        }
    }
}

// combine: kernel combine with T = bf16, D = 128, SINK = false, BS = 16.
// 64 threads, 64 registers each, 2048 bytes of shared memory: combine_kernel<16, 16, 8, true>.
// combine_general: kernel combine with T = bf16, D = 128, SINK = false, BS = 16; any strides and
// alignment.
// 64 threads, 255 registers each, 2048 bytes of shared memory: combine_kernel<1, 32, 2, false>.
struct combine_shared {
    tk::shared_tile<float, 2, 128> combine_f32_rows_128[1];
    tk::shared_tile<float, 2, 1> combine_f32_rows_1[1];
};
static_assert(offsetof(combine_shared, combine_f32_rows_1) == 1024);

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(64, blocks) combine_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<const float, 4> Log,
    const tk::tensor_argument<tk::bf16, 5> O, const tk::tensor_argument<float, 4> LSE, int S, int B,
    int HKV, int R, int N, int G) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_shared& shared = *reinterpret_cast<combine_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    // attention_paged.tk:112: kernel combine<T: dtype = bf16, D: int = 128, SINK: bool = false, ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int h = program % G;
        const int n = program / G % N;
        const int g = program / (G * N) % HKV;
        const int b = program / (G * N * HKV);

        // attention_paged.tk:118: var o: f32[1, D] = 0;
        tk::stripe<float, 1, 128, 64, row_threads, vector> o;
        tk::zero(o);

        // attention_paged.tk:119: var top: f32[1, 1] = if SINK { load(Sink[g, h]) } else { -inf };
        tk::stripe<float, 1, 1, 64, row_threads, vector> top;
        tk::fill(top, -INFINITY);

        // attention_paged.tk:120: var total: f32[1, 1] = if SINK { 1.0 } else { 0.0 };
        tk::stripe<float, 1, 1, 64, row_threads, vector> total;
        tk::zero(total);

        // attention_paged.tk:121: for s in S by BS {
        for (int s = 0; s < S; s += 16) {
            // attention_paged.tk:122: let logs = pad(column(load(Log[s, b, g, n * G + h])), axis ..
            tk::stripe<float, 16, 1, 64, row_threads, vector> t0;
            tk::load_global(t0,
                            tk::slice<0, tk::no_axis>(Log, {s, b, g, n * G + h},
                                                      n * G + h < R ? S - s : 0, 1), thread);
            tk::stripe<float, 16, 1, 64, row_threads, vector> logs;
            tk::map(logs, thread, [&](int row, int, float t0) {
                return row < S - s ? t0 : -INFINITY;
            }, t0);

            // attention_paged.tk:123: let next = max(top, max(logs, axis = 0));
            tk::stripe<float, 1, 1, 64, row_threads, vector> t1;
            tk::reduce_columns(t1, logs, shared.combine_f32_rows_1[0], tk::maximum{}, thread, 1);
            tk::stripe<float, 1, 1, 64, row_threads, vector> next;
            tk::map(next, [](float top, float t1) { return tk::max(top, t1); }, top, t1);

            // attention_paged.tk:124: let base = where(next == -inf, 0, next);
            tk::stripe<float, 1, 1, 64, row_threads, vector> base;
            tk::map(base, [](float next) { return next == -INFINITY ? 0.0f : next; }, next);

            // attention_paged.tk:125: let old  = exp(top - base);
            tk::stripe<float, 1, 1, 64, row_threads, vector> old;
            tk::map(old, [](float top, float base) { return tk::exp(top - base); }, top, base);

            // attention_paged.tk:126: let new  = exp(logs - base);
            tk::stripe<float, 16, 1, 64, row_threads, vector> new_2;
            tk::map(new_2, [](float logs, float base) { return tk::exp(logs - base); }, logs, base);

            // attention_paged.tk:127: o     = o * old + sum(load(Part[s, b, g, n * G + h, :]) * ..
            tk::stripe<float, 16, 128, 64, row_threads, vector> t2;
            tk::load_slice<vectors>(t2,
                                    tk::slice_if_dense<vectors, 0, 4>(Part, {s, b, g, n * G + h, 0},
                                                                      n * G + h < R ? S - s : 0,
                                                                      128), thread);
            tk::stripe<float, 16, 128, 64, row_threads, vector> t3;
            tk::map(t3, [](float t2, float new_2) { return t2 * new_2; }, t2, new_2);
            tk::stripe<float, 1, 128, 64, row_threads, vector> t4;
            tk::reduce_columns(t4, t3, shared.combine_f32_rows_128[0], tk::plus{}, thread, 1);
            tk::map(o, [](float o, float old, float t4) { return tk::fma(o, old, t4); },
                    o, old, t4);

            // attention_paged.tk:128: total = total * old + sum(new, axis = 0);
            tk::stripe<float, 1, 1, 64, row_threads, vector> t5;
            tk::reduce_columns(t5, new_2, shared.combine_f32_rows_1[0], tk::plus{}, thread, 1);
            tk::map(total, [](float total, float old, float t5) { return tk::fma(total, old, t5); },
                    total, old, t5);

            // attention_paged.tk:129: top   = next;
            top = next;
        }

        // attention_paged.tk:131: store(O[b, n, g, h, :], T(o * where(total == 0, 0, 1 / total)));
        tk::stripe<tk::bf16, 1, 128, 64, row_threads, vector> t6;
        tk::map(t6, [](float o, float total) {
            return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
        }, o, total);
        tk::store_slice<vectors>(
            tk::slice_if_dense<vectors, tk::no_axis, 4>(O, {b, n, g, h, 0}, 1, 128), t6, thread);

        // attention_paged.tk:132: store(LSE[b, g, h, n], where(total == 0, -inf, log(total) + ..
        tk::stripe<float, 1, 1, 64, row_threads, vector> t7;
        tk::map(t7, [](float total, float top) {
            return total == 0.0f ? -INFINITY : tk::log(total) + top;
        }, total, top);
        tk::store_global(tk::slice<tk::no_axis, 3>(LSE, {b, g, h, n}, 1, N - n), t7, thread);
    }
}

// attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false: kernel
// attend with T = bf16, D = 128, PIECE = 64, PAGED = true, WINDOW = 0, SOFTCAP = false, PART =
// bf16, DYNAMIC = false, BM = 64, QS = 2.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 180384 bytes of shared memory; persistent.
struct attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_shared {
    tk::shared_tile<tk::bf16, 64, 128> q_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> k_tiles_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> v_tiles_tile[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_Part[2];
    tk::pipeline<2> q_tiles;
    tk::pipeline<4> k_tiles;
    tk::pipeline<4> v_tiles;
};
static_assert(offsetof(
                  attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_shared,
                  v_tiles) == 180320);

__global__ void __launch_bounds__(256, 1) attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap Part_map,
    const tk::tensor_argument<const int, 2> table, const tk::tensor_argument<const int, 1> lengths,
    const tk::tensor_argument<float, 4> Log, int B, int HKV, int R, int MAXP, int S, int page,
    int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_shared& shared =
        *reinterpret_cast<attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, Part_map);
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<4> k_tiles_next, v_tiles_next;
            tk::cursor<2> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int g = program / (m_tiles * S) % HKV;
                const int b = program / (m_tiles * S * HKV);

                // attention_paged.tk:34: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // attention_paged.tk:38: let begin  = from + s * chunk;
                const int begin = s * chunk;

                // attention_paged.tk:39: let end    = min(begin + chunk, length);
                const int end = tk::min(begin + chunk, length);

                // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
                shared.q_tiles.begin(q_tiles_next, 16384);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, g, m, 0);
                q_tiles_next.advance();

                // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
                #pragma unroll 1
                for (int j = begin; j < end; j += 64) {
                    // attention_paged.tk:45: let at = (if PAGED { table[b, max(min(j.start // ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // attention_paged.tk:46: let Kp = K[at +: min(length - j.start, PIECE)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:47: let Vp = V[at +: min(length - j.start, PIECE)];
                    const int Vp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                    shared.k_tiles.begin(k_tiles_next, 16384);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], at, g, 0);
                    k_tiles_next.advance();

                    // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) ..
                    shared.v_tiles.begin(v_tiles_next, 16384);
                    tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                 shared.v_tiles.full[v_tiles_next.stage], at, g, 0);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> k_tiles_next;
        tk::cursor<2> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int g = program / (m_tiles * S) % HKV;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged.tk:33: let group  = max(R // queries, 1);
            const int group = tk::max(R / queries, 1);

            // attention_paged.tk:34: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged.tk:38: let begin  = from + s * chunk;
            const int begin = s * chunk;

            // attention_paged.tk:39: let end    = min(begin + chunk, length);
            const int end = tk::min(begin + chunk, length);

            // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
            const tk::cursor<2> q_element = shared.q_tiles.take(q_tiles_next);

            // attention_paged.tk:41: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_paged.tk:42: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { scale });
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
            tk::fragment<float, 64, 64> t;
            for (int j = begin; j < end; j += 64) {
                // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                const tk::cursor<4> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, shared.q_tiles_tile[q_element.stage],
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(x);
                shared.k_tiles.release(k_tiles_element);

                // attention_paged.tk:50: let t = attention.up_to(attention.capped_if(x, scale, ..
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group
                            ? (col < tk::min(length - j, 64) ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, t, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_paged.tk:51: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_paged.tk:52: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) allow_foreign);
                shared.v_tiles.wait_full(k_tiles_element);
                tk::mma_async(o, p_2, shared.v_tiles_tile[k_tiles_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(k_tiles_element);
            }
            shared.q_tiles.release(q_element);

            // attention_paged.tk:105: store(Part[s, b, g, m, :], PART(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::map(t3, [](float o, float t0) { return o * t0; },
                        tk::window<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.consumer_Part[panel / 64 % 2], t3, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) {
                    tk::tma_store(Part_map, shared.consumer_Part[panel / 64 % 2], s, b, g, m,
                                  panel);
                }
            }

            // attention_paged.tk:106: store(Log[s, b, g, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<3, tk::no_axis>(Log, {s, b, g, m}, R - m, 1), t4, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general:
// kernel attend with T = bf16, D = 128, PIECE = 64, PAGED = true, WINDOW = 0, SOFTCAP = false, PART
// = bf16, DYNAMIC = false, BM = 64, QS = 2; any strides and alignment.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 164000 bytes of shared memory; persistent.
struct attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_shared {
    tk::shared_tile<tk::bf16, 64, 128> q_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> k_tiles_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> v_tiles_tile[4];
    tk::pipeline<2> q_tiles;
    tk::pipeline<4> k_tiles;
    tk::pipeline<4> v_tiles;
};
static_assert(offsetof(
                  attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_shared,
                  v_tiles) == 163936);

__global__ void __launch_bounds__(256, 1) attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const int, 2> table,
    const tk::tensor_argument<const int, 1> lengths, const tk::tensor_argument<tk::bf16, 5> Part,
    const tk::tensor_argument<float, 4> Log, int B, int HKV, int R, int MAXP, int S, int page,
    int pitch, int queries, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_shared& shared =
        *reinterpret_cast<attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map);
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        if (warp == 4) {
            const int thread = int(threadIdx.x) - 128;
            const bool elected = warp == 4 && tk::elect_one();
            tk::cursor<4> k_tiles_next, v_tiles_next;
            tk::cursor<2> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int s = program / m_tiles % S;
                const int g = program / (m_tiles * S) % HKV;
                const int b = program / (m_tiles * S * HKV);

                // attention_paged.tk:34: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // attention_paged.tk:38: let begin  = from + s * chunk;
                const int begin = s * chunk;

                // attention_paged.tk:39: let end    = min(begin + chunk, length);
                const int end = tk::min(begin + chunk, length);

                // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
                shared.q_tiles.wait_empty(q_tiles_next);
                tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                   tk::slice(Q, {b, g, m, 0}, R - m, 128), thread, 32);
                shared.q_tiles.publish(q_tiles_next);
                q_tiles_next.advance();

                // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
                #pragma unroll 1
                for (int j = begin; j < end; j += 64) {
                    // attention_paged.tk:45: let at = (if PAGED { table[b, max(min(j.start // ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // attention_paged.tk:46: let Kp = K[at +: min(length - j.start, PIECE)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:47: let Vp = V[at +: min(length - j.start, PIECE)];
                    const int Vp_end = at + tk::min(length - j, 64);

                    // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                    shared.k_tiles.wait_empty(k_tiles_next);
                    if (elected) {
                        shared.k_tiles.expect(k_tiles_next, 16384);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], at, g, 0);
                    }
                    k_tiles_next.advance();

                    // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) ..
                    shared.v_tiles.wait_empty(v_tiles_next);
                    if (elected) {
                        shared.v_tiles.expect(v_tiles_next, 16384);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage], at, g, 0);
                    }
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_paged.tk:23: kernel attend<T: dtype = bf16, D: int = 128, PIECE: int = 64, ..
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(R, 64);
        const int programs = m_tiles * S * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> k_tiles_next;
        tk::cursor<2> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int s = program / m_tiles % S;
            const int g = program / (m_tiles * S) % HKV;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged.tk:33: let group  = max(R // queries, 1);
            const int group = tk::max(R / queries, 1);

            // attention_paged.tk:34: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged.tk:37: let chunk  = ceil_div(length - from, S * step) * step;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged.tk:38: let begin  = from + s * chunk;
            const int begin = s * chunk;

            // attention_paged.tk:39: let end    = min(begin + chunk, length);
            const int end = tk::min(begin + chunk, length);

            // attention_paged.tk:40: let q = shared(load(Q[b, g, m, :]), QS);
            const tk::cursor<2> q_element = shared.q_tiles.take(q_tiles_next);

            // attention_paged.tk:41: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_paged.tk:42: var sm = softmax.start<BM>(if SOFTCAP { 1.0 } else { scale });
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_paged.tk:44: for j in begin..end by PIECE pipelined {
            tk::fragment<float, 64, 64> t;
            for (int j = begin; j < end; j += 64) {
                // attention_paged.tk:48: let x = mma(q, tma_load(Kp[0 +: PIECE, g, :]).T);
                const tk::cursor<4> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 64> x;
                tk::mma_async(x, shared.q_tiles_tile[q_element.stage],
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(x);
                shared.k_tiles.release(k_tiles_element);

                // attention_paged.tk:50: let t = attention.up_to(attention.capped_if(x, scale, ..
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group ? x : -INFINITY;
                    }, x);
                } else {
                    tk::map(t, thread, [&](int row, int col, float x) {
                        return j + col <= length - queries + (m + row) / group
                            ? (col < tk::min(length - j, 64) ? x : -INFINITY) : -INFINITY;
                    }, x);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, t, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 64> p;
                tk::map(p, [&](float t, float m0) { return tk::exp2(tk::fma(t, sm_c, -m0)); },
                        t, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_paged.tk:51: let p = T(softmax.step(inout sm, t));
                tk::fragment<tk::bf16, 64, 64> p_2 = tk::convert<tk::bf16>(p);

                // attention_paged.tk:52: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_paged.tk:53: o += mma(p, tma_load(Vp[0 +: PIECE, g, :]) allow_foreign);
                shared.v_tiles.wait_full(k_tiles_element);
                tk::mma_async(o, p_2, shared.v_tiles_tile[k_tiles_element.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(k_tiles_element);
            }
            shared.q_tiles.release(q_element);

            // attention_paged.tk:105: store(Part[s, b, g, m, :], PART(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            tk::fragment<tk::bf16, 64, 128> t3;
            tk::map(t3, [](float o, float t0) { return o * t0; }, o, t0);
            tk::store_global(tk::slice(Part, {s, b, g, m, 0}, R - m, 128), t3, thread);

            // attention_paged.tk:106: store(Log[s, b, g, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<3, tk::no_axis>(Log, {s, b, g, m}, R - m, 1), t4, thread);
        }
    }
}

namespace {
tk::status launch_attend(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& table, const tk::tensor& lengths,
                         const tk::tensor& Part, const tk::tensor& Log, int64_t B, int64_t HKV,
                         int64_t R, int64_t MAXP, int64_t S, int32_t page, int32_t pitch,
                         int32_t queries, float scale) {
    return tk::run<attend_kernel>(
        site, sizeof(attend_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), B),
        tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{K, {64, 1, 64}, 128}, tk::box{V, {64, 1, 64}, 128},
        table, lengths, Part, Log, B, HKV, R, MAXP, S, page, pitch, queries, scale);
}

tk::status launch_attend_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& table, const tk::tensor& lengths, const tk::tensor& Part,
    const tk::tensor& Log, int64_t B, int64_t HKV, int64_t R, int64_t MAXP, int64_t S, int32_t page,
    int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_general_kernel>(
        site, sizeof(attend_general_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), B),
        tk::box{K, {64, 1, 64}, 128}, tk::box{V, {64, 1, 64}, 128}, Q, table, lengths, Part, Log, B,
        HKV, R, MAXP, S, page, pitch, queries, scale);
}

tk::status launch_combine(const tk::launch_site& site, const tk::tensor& Part,
                          const tk::tensor& Log, const tk::tensor& O, const tk::tensor& LSE,
                          int64_t S, int64_t B, int64_t HKV, int64_t R, int64_t N, int64_t G) {
    return tk::run<combine_kernel<16, 16, 8, true>>(
        site, sizeof(combine_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(G, N), HKV), B), Part, Log, O, LSE, S, B, HKV, R, N,
        G);
}

tk::status launch_combine_general(
    const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& Log, const tk::tensor& O,
    const tk::tensor& LSE, int64_t S, int64_t B, int64_t HKV, int64_t R, int64_t N, int64_t G) {
    return tk::run<combine_kernel<1, 32, 2, false>>(
        site, sizeof(combine_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(G, N), HKV), B), Part, Log, O, LSE, S, B, HKV, R, N,
        G);
}

tk::status launch_attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& table, const tk::tensor& lengths, const tk::tensor& Part,
    const tk::tensor& Log, int64_t B, int64_t HKV, int64_t R, int64_t MAXP, int64_t S, int32_t page,
    int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_kernel>(
        site,
        sizeof(
            attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_shared),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), B),
        tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{K, {64, 1, 64}, 128}, tk::box{V, {64, 1, 64}, 128},
        tk::box{Part, {1, 1, 1, 64, 64}, 128}, table, lengths, Log, B, HKV, R, MAXP, S, page, pitch,
        queries, scale);
}

tk::status launch_attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& table, const tk::tensor& lengths, const tk::tensor& Part,
    const tk::tensor& Log, int64_t B, int64_t HKV, int64_t R, int64_t MAXP, int64_t S, int32_t page,
    int32_t pitch, int32_t queries, float scale) {
    return tk::run<attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_kernel>(
        site,
        sizeof(
            attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general_shared),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), B),
        tk::box{K, {64, 1, 64}, 128}, tk::box{V, {64, 1, 64}, 128}, Q, table, lengths, Part, Log, B,
        HKV, R, MAXP, S, page, pitch, queries, scale);
}

}  // namespace

extern "C" {
int attend(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* table_given, const DLTensor* lengths_given, DLTensor* Part_given,
           DLTensor* Log_given, int32_t page, int32_t pitch, int32_t queries, float scale,
           float cap, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attend"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t R = Q.shape[2];
    const int64_t L = K.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t S = Part.shape[0];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("HKV", Q, 1, K, 1),
        tk::fixed_extent(K, 2, 128), tk::same_extent("L", K, 0, V, 0),
        tk::same_extent("HKV", Q, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("B", Q, 0, table, 0), tk::same_extent("B", Q, 0, lengths, 0),
        tk::same_extent("B", Q, 0, Part, 1), tk::same_extent("HKV", Q, 1, Part, 2),
        tk::same_extent("R", Q, 2, Part, 3), tk::fixed_extent(Part, 4, 128),
        tk::same_extent("S", Part, 0, Log, 0), tk::same_extent("B", Q, 0, Log, 1),
        tk::same_extent("HKV", Q, 1, Log, 2), tk::same_extent("R", Q, 2, Log, 3),
        tk::extents_fit({{"B", B}, {"HKV", HKV}, {"R", R}, {"L", L}, {"MAXP", MAXP}, {"S", S}}),
        tk::that(1 <= int64_t{queries},
                 "`R%queries` divides by `queries`, which is {}: it must be at least 1",
                 {int64_t{queries}}), tk::fits("S*64", S * 64),
        tk::that(int64_t{queries} >= 1, "`attend` requires `queries >= 1`"),
        tk::that(tk::floor_mod(R, int64_t{queries}) == 0, "`attend` requires `R % queries == 0`"),
        tk::that(MAXP >= 1, "`attend` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`attend` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`attend` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`attend` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`attend` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`attend` requires `scale > 0`"),
        tk::that(0 < int64_t{queries}, "`queries` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
        tk::that(0 < S * 64, "`S*64` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), S), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV), B),
                      2147418112),
        tk::that(1 <= S * 64,
                 "`ceil_div(length, S*64)` divides by `S*64`, which is {}: it must be at least 1",
                 {S * 64}),
        tk::fits("ceil_div(length, S*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(S - 1, tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("begin + chunk",
                 tk::multiply(S - 1, tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64) +
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
        tk::fits("end + 63",
                 tk::smaller(
                     tk::multiply(S - 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64) +
                     tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64,
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(S - 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            S * 64) * 64) +
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64,
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(S - 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                S * 64) * 64) +
                                      tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64,
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)}),
        tk::fits("j.start + col_index",
                 tk::smaller(
                     tk::multiply(S - 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64) +
                     tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64,
                     tk::multiply(MAXP, int64_t{page})) - 1 + 262143),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + (m.start + row_index)/group",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), S), HKV),
                                          B);

    // The general one only where the other does not suit.
    tk::selection choice{call};
    choice.candidate();  // attend
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V)});
    choice.offer();
    choice.candidate(true);  // attend_general
    choice.require({tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice.offer();
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attend_kernel>(
            site, sizeof(attend_shared), tk::kernel_shape(256).at_once(1).overlapping(), programs,
            tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{K, {64, 1, 64}, 128},
            tk::box{V, {64, 1, 64}, 128}, table, lengths, Part, Log, B, HKV, R, MAXP, S, page,
            pitch, queries, scale));
    }
    return tk::finish(tk::run<attend_general_kernel>(
        site, sizeof(attend_general_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        programs, tk::box{K, {64, 1, 64}, 128}, tk::box{V, {64, 1, 64}, 128}, Q, table, lengths,
        Part, Log, B, HKV, R, MAXP, S, page, pitch, queries, scale));
}
TK_NO_WORKSPACE(attend, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t, int32_t, float, float)

int combine(const DLTensor* Part_given, const DLTensor* Log_given, const DLTensor* Sink_given,
            DLTensor* O_given, DLTensor* LSE_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"combine"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sink = call.take("Sink", Sink_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t S = Part.shape[0];
    const int64_t B = Part.shape[1];
    const int64_t HKV = Part.shape[2];
    const int64_t R = Part.shape[3];
    const int64_t HS = Sink.shape[0];
    const int64_t GS = Sink.shape[1];
    const int64_t N = O.shape[1];
    const int64_t G = O.shape[3];
    call.require(
        {tk::fixed_extent(Part, 4, 128), tk::same_extent("S", Part, 0, Log, 0),
         tk::same_extent("B", Part, 1, Log, 1), tk::same_extent("HKV", Part, 2, Log, 2),
         tk::same_extent("R", Part, 3, Log, 3), tk::same_extent("B", Part, 1, O, 0),
         tk::same_extent("HKV", Part, 2, O, 2), tk::fixed_extent(O, 4, 128),
         tk::same_extent("B", Part, 1, LSE, 0), tk::same_extent("HKV", Part, 2, LSE, 1),
         tk::same_extent("G", O, 3, LSE, 2), tk::same_extent("N", O, 1, LSE, 3),
         tk::extents_fit(
             {{"S", S}, {"B", B}, {"HKV", HKV}, {"R", R}, {"HS", HS}, {"GS", GS}, {"N", N},
              {"G", G}}), tk::fits("N*G", tk::multiply(N, G)),
         tk::that(R == tk::multiply(N, G), "`combine` requires `R == N * G`"),
         tk::grid_fits(tk::multiply(G, N), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(G, N), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::multiply(G, N), HKV), B), 2147483648),
         tk::fits("n*G", tk::multiply(N - 1, G)),
         tk::fits("n*G + h", tk::multiply(N - 1, G) + (G - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::multiply(G, N), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<combine_kernel<16, 16, 8, true>, combine_kernel<1, 32, 2, false>>(
            fast ? 0 : 1, site, sizeof(combine_shared), tk::kernel_shape(64).overlapping(),
            programs, Part, Log, O, LSE, S, B, HKV, R, N, G));
}
TK_NO_WORKSPACE(combine, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int attention_paged(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                    const DLTensor* table_given, const DLTensor* lengths_given,
                    const DLTensor* Sink_given, DLTensor* O_given, DLTensor* LSE_given,
                    DLTensor* Part_given, DLTensor* Log_given, int32_t page, int32_t pitch,
                    int32_t splits, int32_t queries, float scale, float cap, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"attention_paged"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Sink = call.take("Sink", Sink_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t R = Q.shape[2];
    const int64_t L = K.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t HS = Sink.shape[0];
    const int64_t GS = Sink.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("HKV", Q, 1, K, 1),
         tk::fixed_extent(K, 2, 128), tk::same_extent("L", K, 0, V, 0),
         tk::same_extent("HKV", Q, 1, V, 1), tk::fixed_extent(V, 2, 128),
         tk::same_extent("B", Q, 0, table, 0), tk::same_extent("B", Q, 0, lengths, 0),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("HKV", Q, 1, O, 2),
         tk::fixed_extent(O, 4, 128), tk::same_extent("B", Q, 0, LSE, 0),
         tk::same_extent("HKV", Q, 1, LSE, 1), tk::same_extent("B", Q, 0, Part, 1),
         tk::same_extent("HKV", Q, 1, Part, 2), tk::same_extent("R", Q, 2, Part, 3),
         tk::fixed_extent(Part, 4, 128), tk::same_extent("B", Q, 0, Log, 1),
         tk::same_extent("HKV", Q, 1, Log, 2), tk::same_extent("R", Q, 2, Log, 3),
         tk::extents_fit(
             {{"B", B}, {"HKV", HKV}, {"R", R}, {"L", L}, {"MAXP", MAXP}, {"HS", HS}, {"GS", GS}}),
         tk::that(O.shape[1] == int64_t{queries},
                  "axis 1 of `O` is {}; it must be `queries`, which is {}",
                  {O.shape[1], int64_t{queries}}),
         tk::that(1 <= int64_t{queries},
                  "`R/queries` divides by `queries`, which is {}: it must be at least 1",
                  {int64_t{queries}}),
         tk::that(O.shape[3] == tk::floor_div(R, int64_t{queries}),
                  "axis 3 of `O` is {}; it must be `R/queries`, which is {}",
                  {O.shape[3], tk::floor_div(R, int64_t{queries})}),
         tk::that(LSE.shape[2] == tk::floor_div(R, int64_t{queries}),
                  "axis 2 of `LSE` is {}; it must be `R/queries`, which is {}",
                  {LSE.shape[2], tk::floor_div(R, int64_t{queries})}),
         tk::that(LSE.shape[3] == int64_t{queries},
                  "axis 3 of `LSE` is {}; it must be `queries`, which is {}",
                  {LSE.shape[3], int64_t{queries}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(Log.shape[0] == int64_t{splits},
                  "axis 0 of `Log` is {}; it must be `splits`, which is {}",
                  {Log.shape[0], int64_t{splits}}),
         tk::that(tk::floor_mod(R, int64_t{queries}) == 0,
                  "`R/queries` is an extent, but {} is no multiple of {}", {R, int64_t{queries}}),
         tk::that(int64_t{splits} >= 1, "`attention_paged` requires `splits >= 1`"),
         tk::that(int64_t{queries} >= 1, "`attention_paged` requires `queries >= 1`"),
         tk::that(MAXP >= 1, "`attention_paged` requires `MAXP >= 1`"),
         tk::that(int64_t{page} >= 1, "`attention_paged` requires `page >= 1`"),
         tk::that(int64_t{pitch} >= 1, "`attention_paged` requires `pitch >= 1`"),
         tk::that(L >= int64_t{page}, "`attention_paged` requires `L >= page`"),
         tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                  "`attention_paged` requires `page % PIECE == 0 or MAXP == 1`"),
         tk::that(scale > 0.0f, "`attention_paged` requires `scale > 0`"),
         tk::that(0 < int64_t{queries},
                  "`queries` is at least 1, because `attention_paged` divides by it")});
    // attend(Q, K, V, table, lengths, Part, Log, page, pitch, queries, scale, cap)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `attend` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
        tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), int64_t{splits}), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(R, 64), int64_t{splits}), HKV),
                      2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(R, 64), int64_t{splits}), HKV), B),
            2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(length, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(length, splits*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("begin + chunk",
                 tk::multiply(int64_t{splits} - 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64) +
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64),
        tk::fits("end + 63",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64) +
                     tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64,
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(int64_t{splits} - 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            int64_t{splits} * 64) * 64) +
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64,
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(int64_t{splits} - 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                int64_t{splits} * 64) * 64) +
                                      tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                   int64_t{splits} * 64) * 64,
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)}),
        tk::fits("j.start + col_index",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64) +
                     tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64,
                     tk::multiply(MAXP, int64_t{page})) - 1 + 262143),
        tk::fits("length - queries", tk::multiply(MAXP, int64_t{page}) - int64_t{queries}),
        tk::fits("length - queries + (m.start + row_index)/group",
                 tk::multiply(MAXP, int64_t{page}) - int64_t{queries} +
                 tk::floor_div(R - 1 + 262143,
                               tk::larger(tk::floor_div(R, int64_t{queries}), 1)))});
    // combine(Part, Log, Sink, O, LSE)
    call.require({
        tk::that(int64_t{queries} < 2147221504,
                 "`queries` is {}; extents must be less than 2147221504", {int64_t{queries}}),
        tk::that(tk::floor_div(R, int64_t{queries}) < 2147221504,
                 "`R/queries` is {}; extents must be less than 2147221504",
                 {tk::floor_div(R, int64_t{queries})}),
        tk::fits("queries*(R/queries)",
                 tk::multiply(int64_t{queries}, tk::floor_div(R, int64_t{queries}))),
        tk::that(R == tk::multiply(int64_t{queries}, tk::floor_div(R, int64_t{queries})),
                 "`combine` requires `R == queries * (R/queries)`"),
        tk::grid_fits(tk::multiply(tk::floor_div(R, int64_t{queries}), int64_t{queries}),
                      2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::floor_div(R, int64_t{queries}), int64_t{queries}), HKV),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::multiply(tk::floor_div(R, int64_t{queries}), int64_t{queries}),
                             HKV), B), 2147483648),
        tk::fits("n*(R/queries)",
                 tk::multiply(int64_t{queries} - 1, tk::floor_div(R, int64_t{queries}))),
        tk::fits("n*(R/queries) + h",
                 tk::multiply(int64_t{queries} - 1, tk::floor_div(R, int64_t{queries})) +
                 (tk::floor_div(R, int64_t{queries}) - 1))});
    if (!call.ok()) return tk::finish(call.result());

    // attend(Q, K, V, table, lengths, Part, Log, page, pitch, queries, scale, cap)
    tk::selection choice_1{call};
    choice_1.candidate();  // attend
    choice_1.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V)});
    choice_1.offer();
    choice_1.candidate(true);  // attend_general
    choice_1.require({tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice_1.offer();
    if (!choice_1.ok()) return tk::finish(choice_1.result());

    // combine(Part, Log, Sink, O, LSE)
    const bool choice_2 = tk::hold({tk::suits_fast(Part), tk::suits_fast(O)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_attend(site, Q, K, V, table, lengths, Part, Log, B, HKV, R, MAXP,
                          int64_t{splits}, page, pitch, queries, scale));
    }
    if (choice_1.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_attend_general(site, Q, K, V, table, lengths, Part, Log, B, HKV, R, MAXP,
                                  int64_t{splits}, page, pitch, queries, scale));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_combine(site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits},
                           B, HKV, R, int64_t{queries}, tk::floor_div(R, int64_t{queries})));
    } else {
        TK_FINISH_IF_FAILED(launch_combine_general(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, HKV, R,
            int64_t{queries}, tk::floor_div(R, int64_t{queries})));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_paged, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t, int32_t, int32_t, float, float)

int attention_paged_whole(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                          const DLTensor* table_given, const DLTensor* lengths_given,
                          DLTensor* O_given, DLTensor* LSE_given, int32_t page, int32_t pitch,
                          float scale, float cap, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_paged_whole"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 5, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t G = Q.shape[2];
    const int64_t L = K.shape[0];
    const int64_t MAXP = table.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("HKV", Q, 1, K, 1),
         tk::fixed_extent(K, 2, 128), tk::same_extent("L", K, 0, V, 0),
         tk::same_extent("HKV", Q, 1, V, 1), tk::fixed_extent(V, 2, 128),
         tk::same_extent("B", Q, 0, table, 0), tk::same_extent("B", Q, 0, lengths, 0),
         tk::fixed_extent(O, 0, 1), tk::same_extent("B", Q, 0, O, 1),
         tk::same_extent("HKV", Q, 1, O, 2), tk::same_extent("G", Q, 2, O, 3),
         tk::fixed_extent(O, 4, 128), tk::fixed_extent(LSE, 0, 1),
         tk::same_extent("B", Q, 0, LSE, 1), tk::same_extent("HKV", Q, 1, LSE, 2),
         tk::same_extent("G", Q, 2, LSE, 3),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"G", G}, {"L", L}, {"MAXP", MAXP}}),
         tk::that(MAXP >= 1, "`attention_paged_whole` requires `MAXP >= 1`"),
         tk::that(int64_t{page} >= 1, "`attention_paged_whole` requires `page >= 1`"),
         tk::that(int64_t{pitch} >= 1, "`attention_paged_whole` requires `pitch >= 1`"),
         tk::that(L >= int64_t{page}, "`attention_paged_whole` requires `L >= page`"),
         tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                  "`attention_paged_whole` requires `page % PIECE == 0 or MAXP == 1`"),
         tk::that(scale > 0.0f, "`attention_paged_whole` requires `scale > 0`")});
    // attend(Q, K, V, table, lengths, O, LSE, page, pitch, 1, scale, cap)
    call.require(
        {tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend` divides by it"),
         tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend` divides by it"),
         tk::grid_fits(tk::ceil_div(G, 64), 2147418112),
         tk::grid_fits(tk::multiply(tk::ceil_div(G, 64), HKV), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(G, 64), HKV), B), 2147418112),
         tk::fits("ceil_div(length, 1*64)*64",
                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64),
         tk::fits("end + 63",
                  tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                              tk::multiply(MAXP, int64_t{page})) + 63),
         tk::that(1 <= int64_t{page},
                  "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                  {int64_t{page}}),
         tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch}))),
         tk::that(-2147483648 <=
                  tk::smaller(0,
                              tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                           int64_t{pitch})),
                  "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(0,
                                  tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                               int64_t{pitch}))}),
         tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) + (int64_t{page} - 1)),
         tk::fits("at + min(length - j.start, 64)",
                  tk::larger(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) + (int64_t{page} - 1) +
                  tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
         tk::that(-2147483648 <=
                  tk::smaller(0,
                              tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                           int64_t{pitch})) +
                  tk::smaller(0 -
                              (tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                                           tk::multiply(MAXP, int64_t{page})) - 1), 64),
                  "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(0,
                                  tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                               int64_t{pitch})) +
                      tk::smaller(0 -
                                  (tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) *
                                               64, tk::multiply(MAXP, int64_t{page})) - 1), 64)}),
         tk::fits("j.start + col_index",
                  tk::smaller(tk::ceil_div(tk::multiply(MAXP, int64_t{page}), 64) * 64,
                              tk::multiply(MAXP, int64_t{page})) - 1 + 262143),
         tk::fits("length - 1", tk::multiply(MAXP, int64_t{page}) - 1),
         tk::fits("length - 1 + (m.start + row_index)/group",
                  tk::multiply(MAXP, int64_t{page}) - 1 +
                  tk::floor_div(G - 1 + 262143, tk::larger(G, 1)))});
    if (!call.ok()) return tk::finish(call.result());

    // attend(Q, K, V, table, lengths, O, LSE, page, pitch, 1, scale, cap)
    tk::selection choice_1{call};
    // attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false
    choice_1.candidate();
    choice_1.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice_1.offer();
    // attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general
    choice_1.candidate(true);
    choice_1.require({tk::suits_tma_load(K), tk::suits_tma_load(V)});
    choice_1.offer();
    if (!choice_1.ok()) return tk::finish(choice_1.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false(
                site, Q, K, V, table, lengths, O, LSE, B, HKV, G, MAXP, 1, page, pitch,
                static_cast<int32_t>(1), scale));
    }
    if (choice_1.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_attend_T_bf16_D_128_PIECE_64_PAGED_true_WINDOW_0_SOFTCAP_false_PART_bf16_DYNAMIC_false_general(
                site, Q, K, V, table, lengths, O, LSE, B, HKV, G, MAXP, 1, page, pitch,
                static_cast<int32_t>(1), scale));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_paged_whole, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t, float,
                float)
}  // extern "C"
