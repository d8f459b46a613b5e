// Made by tkc from attention_simple.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_simple: kernel attention_simple with T = bf16, D = 128, CAUSAL = false, BM = 128, BN =
// 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_simple_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_shared, v_tiles) == 196656);

__global__ void __launch_bounds__(384, 1) attention_simple_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_shared& shared = *reinterpret_cast<attention_simple_shared*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention_simple.tk:14: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = N;

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                shared.q_tiles.begin(q_tiles_next, 32768);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, h, m, 0);
                q_tiles_next.advance();

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    shared.k_tiles.begin(k_tiles_next, 32768);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], b, g, 0, 0);
                    k_tiles_next.advance();
                    // attention_simple.tk:20
                    #pragma unroll 1
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                        k_tiles_next.advance();

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
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
    } else {
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } else ..
            const int end = N;

            // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.q_tiles.release_after_loads(q_element);

            // attention_simple.tk:18: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
            if (end > 0) {
                // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 128> s_first;
                tk::mma_async(s_first, q_2,
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s_first, q_2);
                shared.k_tiles.release(k_tiles_element);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                if (!(N >= 128)) {
                    tk::map(s_first, thread, [&](int, int col, float s_first) {
                        return col < N ? s_first : -INFINITY;
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
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s_first, float m0) {
                    return tk::exp2(tk::fma(s_first, sm_c, -m0));
                }, s_first, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_simple.tk:22: let p = T(softmax.step(inout sm, attention.visible(s, ..
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_simple.tk:23: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
                // attention_simple.tk:20
                for (int j = 128; j < end; j += 128) {
                    // attention_simple.tk:21
                    const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                    const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.k_tiles.release(k_tiles_element_2);
                    // <std.softmax>:30
                    if (!(j + 128 <= N)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < N - j ? s : -INFINITY;
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
                    tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                            m_3);
                    // <std.softmax>:32
                    tk::pin_waits(warp);
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, [&](float s, float m0_2) {
                        return tk::exp2(tk::fma(s, sm_c, -m0_2));
                    }, s, m0_2);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
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
                    // attention_simple.tk:22
                    p_2 = tk::convert<tk::bf16>(p_3);
                    // attention_simple.tk:23
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }
                // attention_simple.tk:24
                const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(v_tiles_element_2);
            }

            // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t4 = sm_sum;
            tk::finish_rows(t4, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); }, t4);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, [](float o, float t0) { return o * t0; },
                        tk::subtile<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t8, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b, h,
                                  m + warpgroup * 64, panel);
                }
            }

            // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t9;
            tk::map(t9, [&](float t4, float sm_max) {
                return t4 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
            }, t4, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t9, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_simple_general: kernel attention_simple with T = bf16, D = 128, CAUSAL = false, BM =
// 128, BN = 128; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory; persistent:
// attention_simple_general_kernel<128, 56, 224>.
// attention_simple_64_general: kernel attention_simple with T = bf16, D = 64, CAUSAL = false, BM =
// 128, BN = 128; any strides and alignment.
// producer: 1 warp, 72 registers a thread; consumer: 2 warpgroups, 216 registers a thread.
// 384 threads, 168 registers each at first, 82000 bytes of shared memory; persistent:
// attention_simple_general_kernel<64, 72, 216>.
template <int D>
struct attention_simple_general_shared {
    tk::shared_tile<tk::bf16, 128, D> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, D> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, D> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_general_shared<128>, v_tiles) == 163888);
static_assert(offsetof(attention_simple_general_shared<64>, v_tiles) == 81968);

template <int D, int registers, int registers_2>
__global__ void __launch_bounds__(384, 1) attention_simple_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_general_shared<D>& shared =
        *reinterpret_cast<attention_simple_general_shared<D>*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention_simple.tk:14: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = N;

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                shared.q_tiles.wait_empty(q_tiles_next);
                tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                   tk::slice(Q, {b, h, m, 0}, M - m, D), thread, 32);
                shared.q_tiles.publish(q_tiles_next, tk::ordinary_alone{});
                q_tiles_next.advance();

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    shared.k_tiles.wait_empty(k_tiles_next);
                    tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                       tk::slice(K, {b, g, 0, 0}, g < HKV ? N : 0, D), thread, 32);
                    shared.k_tiles.publish(k_tiles_next);
                    k_tiles_next.advance();
                    // attention_simple.tk:20
                    #pragma unroll 1
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        shared.k_tiles.wait_empty(k_tiles_next);
                        tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                           tk::slice(K, {b, g, j, 0}, g < HKV ? N - j : 0, D),
                                           thread, 32);
                        shared.k_tiles.publish(k_tiles_next);
                        k_tiles_next.advance();

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                        shared.v_tiles.wait_empty(v_tiles_next);
                        tk::copy_to_shared(shared.v_tiles_tile[v_tiles_next.stage],
                                           tk::slice(V, {b, g, j - 128, 0},
                                                     g < HKV ? N - (j - 128) : 0, D), thread, 32);
                        shared.v_tiles.publish(v_tiles_next);
                        v_tiles_next.advance();
                    }
                    shared.v_tiles.wait_empty(v_tiles_next);
                    tk::copy_to_shared(
                        shared.v_tiles_tile[v_tiles_next.stage],
                        tk::slice(V, {b, g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0},
                                  g < HKV ? N - tk::max(tk::divide_up(end, 128) - 1, 0) * 128 : 0,
                                  D), thread, 32);
                    shared.v_tiles.publish(v_tiles_next);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } else ..
            const int end = N;

            // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::fragment<tk::bf16, 64, D> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.q_tiles.release_after_loads(q_element, tk::ordinary_alone{});

            // attention_simple.tk:18: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, D> o;
            tk::zero(o);

            // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
            if (end > 0) {
                // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 128> s_first;
                tk::mma_async(s_first, q_2,
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s_first, q_2);
                shared.k_tiles.release(k_tiles_element);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                if (!(N >= 128)) {
                    tk::map(s_first, thread, [&](int, int col, float s_first) {
                        return col < N ? s_first : -INFINITY;
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
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s_first, float m0) {
                    return tk::exp2(tk::fma(s_first, sm_c, -m0));
                }, s_first, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_simple.tk:22: let p = T(softmax.step(inout sm, attention.visible(s, ..
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_simple.tk:23: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
                // attention_simple.tk:20
                for (int j = 128; j < end; j += 128) {
                    // attention_simple.tk:21
                    const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                    const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.k_tiles.release(k_tiles_element_2);
                    // <std.softmax>:30
                    if (!(j + 128 <= N)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < N - j ? s : -INFINITY;
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
                    tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                            m_3);
                    // <std.softmax>:32
                    tk::pin_waits(warp);
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, [&](float s, float m0_2) {
                        return tk::exp2(tk::fma(s, sm_c, -m0_2));
                    }, s, m0_2);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
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
                    // attention_simple.tk:22
                    p_2 = tk::convert<tk::bf16>(p_3);
                    // attention_simple.tk:23
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }
                // attention_simple.tk:24
                const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(v_tiles_element_2);
            }

            // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t4 = sm_sum;
            tk::finish_rows(t4, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); }, t4);
            tk::fragment<tk::bf16, 64, D> t8;
            tk::map(t8, [](float o, float t0) { return o * t0; }, o, t0);
            tk::store_global(
                tk::slice(O, {b, h, m + 64 * warpgroup, 0}, M - (m + 64 * warpgroup), D), t8,
                thread);

            // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t9;
            tk::map(t9, [&](float t4, float sm_max) {
                return t4 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
            }, t4, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t9, thread);
        }
    }
}

// attention_simple_64: kernel attention_simple with T = bf16, D = 64, CAUSAL = false, BM = 128, BN
// = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 98384 bytes of shared memory; persistent.
struct attention_simple_64_shared {
    tk::shared_tile<tk::bf16, 128, 64> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 64> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_64_shared, v_tiles) == 98352);

__global__ void __launch_bounds__(384, 1) attention_simple_64_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_64_shared& shared = *reinterpret_cast<attention_simple_64_shared*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention_simple.tk:14: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = N;

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                shared.q_tiles.begin(q_tiles_next, 16384);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, h, m, 0);
                q_tiles_next.advance();

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    shared.k_tiles.begin(k_tiles_next, 16384);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], b, g, 0, 0);
                    k_tiles_next.advance();
                    // attention_simple.tk:20
                    #pragma unroll 1
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        shared.k_tiles.begin(k_tiles_next, 16384);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                        k_tiles_next.advance();

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                        shared.v_tiles.begin(v_tiles_next, 16384);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage], b, g, j - 128, 0);
                        v_tiles_next.advance();
                    }
                    shared.v_tiles.begin(v_tiles_next, 16384);
                    tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                 shared.v_tiles.full[v_tiles_next.stage], b, g,
                                 tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } else ..
            const int end = N;

            // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::fragment<tk::bf16, 64, 64> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.q_tiles.release_after_loads(q_element);

            // attention_simple.tk:18: var o: f32[BM, D] = 0;
            tk::fragment<float, 64, 64> o;
            tk::zero(o);

            // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
            if (end > 0) {
                // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::fragment<float, 64, 128> s_first;
                tk::mma_async(s_first, q_2,
                              tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s_first, q_2);
                shared.k_tiles.release(k_tiles_element);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                if (!(N >= 128)) {
                    tk::map(s_first, thread, [&](int, int col, float s_first) {
                        return col < N ? s_first : -INFINITY;
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
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s_first, float m0) {
                    return tk::exp2(tk::fma(s_first, sm_c, -m0));
                }, s_first, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
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

                // attention_simple.tk:22: let p = T(softmax.step(inout sm, attention.visible(s, ..
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_simple.tk:23: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
                // attention_simple.tk:20
                for (int j = 128; j < end; j += 128) {
                    // attention_simple.tk:21
                    const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s;
                    tk::mma_async(s, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                    const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.k_tiles.release(k_tiles_element_2);
                    // <std.softmax>:30
                    if (!(j + 128 <= N)) {
                        tk::map(s, thread, [&](int, int col, float s) {
                            return col < N - j ? s : -INFINITY;
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
                    tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                            m_3);
                    // <std.softmax>:32
                    tk::pin_waits(warp);
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, [&](float s, float m0_2) {
                        return tk::exp2(tk::fma(s, sm_c, -m0_2));
                    }, s, m0_2);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
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
                    // attention_simple.tk:22
                    p_2 = tk::convert<tk::bf16>(p_3);
                    // attention_simple.tk:23
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }
                // attention_simple.tk:24
                const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                tk::mma_wait<0>(o, p_2);
                shared.v_tiles.release(v_tiles_element_2);
            }

            // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t4 = sm_sum;
            tk::finish_rows(t4, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return t4 == 0.0f ? 0.0f : tk::divide(1.0f, t4); }, t4);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map(t8, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_shared(shared.consumer_O[warpgroup], t8, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup], b, h, m + warpgroup * 64,
                                  panel);
                }
            }

            // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t9;
            tk::map(t9, [&](float t4, float sm_max) {
                return t4 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t4)) * 0.6931472f;
            }, t4, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t9, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_simple_causal: kernel attention_simple with T = bf16, D = 128, CAUSAL = true, BM = 128,
// BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_simple_causal_shared {
    tk::shared_tile<tk::bf16, 128, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_causal_shared, v_tiles) == 196656);

__global__ void __launch_bounds__(384, 1) attention_simple_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_causal_shared& shared =
        *reinterpret_cast<attention_simple_causal_shared*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_simple.tk:14: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_simple.tk:15: let first = m.start + (N - M);
                    const int first = m + (N - M);

                    // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) ..
                    const int end = tk::max(tk::min(first + 128, N), 0);

                    // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                    shared.q_tiles.begin(q_tiles_next, 32768);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], b, h, m, 0);
                    q_tiles_next.advance();

                    // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 32768);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], b, g, 0, 0);
                        k_tiles_next.advance();
                        // attention_simple.tk:20
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_simple.tk:21
                            shared.k_tiles.begin(k_tiles_next, 32768);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                            k_tiles_next.advance();

                            // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_simple.tk:15: let first = m.start + (N - M);
                const int first = m + (N - M);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = tk::max(tk::min(first + 128, N), 0);

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_simple.tk:18: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_simple.tk:22: let p = T(softmax.step(inout sm, ..
                    if (!(first + 64 * warpgroup >= 127 && N >= 128)) {
                        tk::map(s_first, thread, [&](int row, int col, float s_first) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < N ? s_first : -INFINITY) : -INFINITY;
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
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

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
                    // attention_simple.tk:22
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_simple.tk:23: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_simple.tk:20
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_simple.tk:22
                        if (!(j + 127 <= first + 64 * warpgroup && j + 128 <= N)) {
                            tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < N - j ? s_2 : -INFINITY) : -INFINITY;
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
                        tk::pin_waits(warp);
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, [&](float s_2, float m0_2) {
                            return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                        }, s_2, m0_2);
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
                        // attention_simple.tk:22
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_simple.tk:23
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_simple.tk:24
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; },
                            tk::subtile<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t6, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b,
                                      h, m + warpgroup * 64, panel);
                    }
                }

                // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
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

// attention_simple_causal_general: kernel attention_simple with T = bf16, D = 128, CAUSAL = true,
// BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory; persistent:
// attention_simple_causal_general_kernel<128, 56, 224>.
// attention_simple_64_causal_general: kernel attention_simple with T = bf16, D = 64, CAUSAL = true,
// BM = 128, BN = 128; any strides and alignment.
// producer: 1 warp, 72 registers a thread; consumer: 2 warpgroups, 216 registers a thread.
// 384 threads, 168 registers each at first, 82000 bytes of shared memory; persistent:
// attention_simple_causal_general_kernel<64, 72, 216>.
template <int D>
struct attention_simple_causal_general_shared {
    tk::shared_tile<tk::bf16, 128, D> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, D> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, D> v_tiles_tile[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_causal_general_shared<128>, v_tiles) == 163888);
static_assert(offsetof(attention_simple_causal_general_shared<64>, v_tiles) == 81968);

template <int D, int registers, int registers_2>
__global__ void __launch_bounds__(384, 1) attention_simple_causal_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_causal_general_shared<D>& shared =
        *reinterpret_cast<attention_simple_causal_general_shared<D>*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_simple.tk:14: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_simple.tk:15: let first = m.start + (N - M);
                    const int first = m + (N - M);

                    // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) ..
                    const int end = tk::max(tk::min(first + 128, N), 0);

                    // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                    shared.q_tiles.wait_empty(q_tiles_next);
                    tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                       tk::slice(Q, {b, h, m, 0}, M - m, D), thread, 32);
                    shared.q_tiles.publish(q_tiles_next, tk::ordinary_alone{});
                    q_tiles_next.advance();

                    // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                        shared.k_tiles.wait_empty(k_tiles_next);
                        tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                           tk::slice(K, {b, g, 0, 0}, g < HKV ? N : 0, D), thread,
                                           32);
                        shared.k_tiles.publish(k_tiles_next);
                        k_tiles_next.advance();
                        // attention_simple.tk:20
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_simple.tk:21
                            shared.k_tiles.wait_empty(k_tiles_next);
                            tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                               tk::slice(K, {b, g, j, 0}, g < HKV ? N - j : 0, D),
                                               thread, 32);
                            shared.k_tiles.publish(k_tiles_next);
                            k_tiles_next.advance();

                            // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                            shared.v_tiles.wait_empty(v_tiles_next);
                            tk::copy_to_shared(shared.v_tiles_tile[v_tiles_next.stage],
                                               tk::slice(V, {b, g, j - 128, 0},
                                                         g < HKV ? N - (j - 128) : 0, D), thread,
                                               32);
                            shared.v_tiles.publish(v_tiles_next);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.wait_empty(v_tiles_next);
                        tk::copy_to_shared(
                            shared.v_tiles_tile[v_tiles_next.stage],
                            tk::slice(V, {b, g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0},
                                      g < HKV ? N - tk::max(tk::divide_up(end, 128) - 1, 0) * 128
                                      : 0, D), thread, 32);
                        shared.v_tiles.publish(v_tiles_next);
                        v_tiles_next.advance();
                    }
                }
            }
        }
    } else {
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_simple.tk:15: let first = m.start + (N - M);
                const int first = m + (N - M);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = tk::max(tk::min(first + 128, N), 0);

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, D> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element, tk::ordinary_alone{});

                // attention_simple.tk:18: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, D> o;
                tk::zero(o);

                // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_simple.tk:22: let p = T(softmax.step(inout sm, ..
                    if (!(first + 64 * warpgroup >= 127 && N >= 128)) {
                        tk::map(s_first, thread, [&](int row, int col, float s_first) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < N ? s_first : -INFINITY) : -INFINITY;
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
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

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
                    // attention_simple.tk:22
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_simple.tk:23: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_simple.tk:20
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_simple.tk:22
                        if (!(j + 127 <= first + 64 * warpgroup && j + 128 <= N)) {
                            tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < N - j ? s_2 : -INFINITY) : -INFINITY;
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
                        tk::pin_waits(warp);
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, [&](float s_2, float m0_2) {
                            return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                        }, s_2, m0_2);
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
                        // attention_simple.tk:22
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_simple.tk:23
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_simple.tk:24
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                tk::fragment<tk::bf16, 64, D> t6;
                tk::map(t6, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_global(
                    tk::slice(O, {b, h, m + 64 * warpgroup, 0}, M - (m + 64 * warpgroup), D), t6,
                    thread);

                // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
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

// attention_simple_64_causal: kernel attention_simple with T = bf16, D = 64, CAUSAL = true, BM =
// 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 98384 bytes of shared memory; persistent.
struct attention_simple_64_causal_shared {
    tk::shared_tile<tk::bf16, 128, 64> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 64> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(offsetof(attention_simple_64_causal_shared, v_tiles) == 98352);

__global__ void __launch_bounds__(384, 1) attention_simple_64_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_simple_64_causal_shared& shared =
        *reinterpret_cast<attention_simple_64_causal_shared*>(memory);

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
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention_simple.tk:14: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_simple.tk:15: let first = m.start + (N - M);
                    const int first = m + (N - M);

                    // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) ..
                    const int end = tk::max(tk::min(first + 128, N), 0);

                    // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                    shared.q_tiles.begin(q_tiles_next, 16384);
                    tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                                 shared.q_tiles.full[q_tiles_next.stage], b, h, m, 0);
                    q_tiles_next.advance();

                    // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                    if (end > 0) {
                        // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                        shared.k_tiles.begin(k_tiles_next, 16384);
                        tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                     shared.k_tiles.full[k_tiles_next.stage], b, g, 0, 0);
                        k_tiles_next.advance();
                        // attention_simple.tk:20
                        #pragma unroll 1
                        for (int j = 128; j < end; j += 128) {
                            // attention_simple.tk:21
                            shared.k_tiles.begin(k_tiles_next, 16384);
                            tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                         shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                            k_tiles_next.advance();

                            // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                            shared.v_tiles.begin(v_tiles_next, 16384);
                            tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                         shared.v_tiles.full[v_tiles_next.stage], b, g, j - 128, 0);
                            v_tiles_next.advance();
                        }
                        shared.v_tiles.begin(v_tiles_next, 16384);
                        tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                     shared.v_tiles.full[v_tiles_next.stage], b, g,
                                     tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                        v_tiles_next.advance();
                    }
                }
            }
        }
    } else {
        // attention_simple.tk:8: kernel attention_simple<T: dtype = bf16, D: int = 128, CAUSAL: ..
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention_simple.tk:15: let first = m.start + (N - M);
                const int first = m + (N - M);

                // attention_simple.tk:16: let end   = if CAUSAL { max(min(first + BM, N), 0) } ..
                const int end = tk::max(tk::min(first + 128, N), 0);

                // attention_simple.tk:17: let q = load(Q[b, h, m, :]);
                const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
                tk::fragment<tk::bf16, 64, 64> q_2;
                tk::load_shared(q_2,
                                tk::rows<64>(shared.q_tiles_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.q_tiles.release_after_loads(q_element);

                // attention_simple.tk:18: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 64> o;
                tk::zero(o);

                // attention_simple.tk:19: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_simple.tk:20: for j in 0..end by BN pipelined(2) {
                if (end > 0) {
                    // attention_simple.tk:21: let s = mma(q, load(K[b, g, j, :]).T);
                    const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                    tk::fragment<float, 64, 128> s_first;
                    tk::mma_async(s_first, q_2,
                                  tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]),
                                  tk::accumulate_never{});
                    tk::mma_wait<0>(s_first, q_2);
                    shared.k_tiles.release(k_tiles_element);

                    // attention_simple.tk:22: let p = T(softmax.step(inout sm, ..
                    if (!(first + 64 * warpgroup >= 127 && N >= 128)) {
                        tk::map(s_first, thread, [&](int row, int col, float s_first) {
                            return col <= first + 64 * warpgroup + row
                                ? (col < N ? s_first : -INFINITY) : -INFINITY;
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
                    tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; },
                            m_2);

                    // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                    tk::fragment<float, 64, 128> p;
                    tk::map(p, [&](float s_first, float m0) {
                        return tk::exp2(tk::fma(s_first, sm_c, -m0));
                    }, s_first, m0);

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
                    // attention_simple.tk:22
                    tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                    // attention_simple.tk:23: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                    // attention_simple.tk:20
                    for (int j = 128; j < end; j += 128) {
                        // attention_simple.tk:21
                        const tk::cursor<2> k_tiles_element_2 = shared.k_tiles.take(k_tiles_next);
                        tk::fragment<float, 64, 128> s_2;
                        tk::mma_async(s_2, q_2,
                                      tk::transposed(shared.k_tiles_tile[k_tiles_element_2.stage]),
                                      tk::accumulate_never{});

                        // attention_simple.tk:24: o += mma(p, load(V[b, g, j, :]));
                        const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                        tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element.stage]);
                        tk::mma_wait<1>(s_2, q_2);
                        shared.k_tiles.release(k_tiles_element_2);
                        // attention_simple.tk:22
                        if (!(j + 127 <= first + 64 * warpgroup && j + 128 <= N)) {
                            tk::map(s_2, thread, [&](int row, int col, float s_2) {
                                return j + col <= first + 64 * warpgroup + row
                                    ? (col < N - j ? s_2 : -INFINITY) : -INFINITY;
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
                        tk::pin_waits(warp);
                        tk::fragment<float, 64, 128> p_3;
                        tk::map(p_3, [&](float s_2, float m0_2) {
                            return tk::exp2(tk::fma(s_2, sm_c, -m0_2));
                        }, s_2, m0_2);
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
                        // attention_simple.tk:22
                        p_2 = tk::convert<tk::bf16>(p_3);
                        // attention_simple.tk:23
                        tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                                o, sm_correction);
                    }
                    // attention_simple.tk:24
                    const tk::cursor<2> v_tiles_element_2 = shared.v_tiles.take(v_tiles_next);
                    tk::mma_async(o, p_2, shared.v_tiles_tile[v_tiles_element_2.stage]);
                    tk::mma_wait<0>(o, p_2);
                    shared.v_tiles.release(v_tiles_element_2);
                }

                // attention_simple.tk:26: store(O[b, h, m, :], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t3 = sm_sum;
                tk::finish_rows(t3, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t3) { return t3 == 0.0f ? 0.0f : tk::divide(1.0f, t3); }, t3);
                #pragma unroll
                for (int panel = 0; panel < 64; panel += 64) {
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; }, o, t0);
                    tk::store_shared(shared.consumer_O[warpgroup], t6, thread);
                    tk::fence_async();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup], b, h, m + warpgroup * 64,
                                      panel);
                    }
                }

                // attention_simple.tk:27: store(LSE[b, h, m], softmax.lse(sm));
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

namespace {
int run_attention_simple(const char* function, tk::candidates offered, const DLTensor* Q_given,
                         const DLTensor* K_given, const DLTensor* V_given, DLTensor* O_given,
                         DLTensor* LSE_given, float scale, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];
    call.require(
        {tk::same_extent("B", Q, 0, K, 0), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("HKV", K, 1, V, 1), tk::same_extent("N", K, 2, V, 2),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("M", Q, 2, O, 2), tk::same_extent("B", Q, 0, LSE, 0),
         tk::same_extent("H", Q, 1, LSE, 1), tk::same_extent("M", Q, 2, LSE, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
         tk::check(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::check(tk::floor_mod(H, HKV) == 0, "`attention_simple` requires `H % HKV == 0`"),
         tk::check(scale > 0.0f, "`attention_simple` requires `scale > 0`"),
         tk::check(0 < HKV, "`HKV` is at least 1, because `attention_simple` divides by it"),
         tk::check(0 < tk::floor_div(H, HKV),
                   "`H/HKV` is at least 1, because `attention_simple` divides by it"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B), 2147418112),
         tk::check(1 <= tk::floor_div(H, HKV),
                   "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                   {tk::floor_div(H, HKV)}), tk::fits("m.start + (N - M)", M - 1 + (N - M))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B);

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // attention_simple
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128)});
    choice.offer(
        programs,
        1500 +
        (tk::max_of(2048,
                    (Q.stride[2] % 64 == 0 ? 607 : 964) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 2684) + 912 +
        tk::multiply(
            tk::max_of(2048,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545, tk::ceil_div(N - 128, 128)));
    choice.candidate();  // attention_simple_64
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64)});
    choice.offer(
        programs,
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 304 : 482) +
                    (V.stride[2] % 64 == 0 ? 304 : 482)) + 2348) +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 304 : 482) + (V.stride[2] % 64 == 0 ? 304 : 482)) +
            1513, tk::ceil_div(N - 128, 128)));
    choice.candidate(true);  // attention_simple_general
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128)});
    choice.offer(programs, 12376 + 5641 * tk::ceil_div(N - 128, 128));
    choice.candidate(true);  // attention_simple_64_general
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64)});
    choice.offer(programs, 7960 + 3561 * tk::ceil_div(N - 128, 128));
    choice.candidate();  // attention_simple_causal
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128), tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(
        programs,
        1500 +
        (tk::max_of(2048,
                    (Q.stride[2] % 64 == 0 ? 607 : 964) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 3068) + 912 +
        tk::multiply(
            tk::max_of(2048,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) -
                             128, 128), 0)));
    choice.candidate();  // attention_simple_64_causal
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64), tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(
        programs,
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 304 : 482) +
                    (V.stride[2] % 64 == 0 ? 304 : 482)) + 2540) +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 304 : 482) + (V.stride[2] % 64 == 0 ? 304 : 482)) +
            1513,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) -
                             128, 128), 0)));
    choice.candidate(true);  // attention_simple_causal_general
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128), tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(programs, 12760 + 5641 * tk::max_of(
        tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) - 128, 128),
        0));
    choice.candidate(true);  // attention_simple_64_causal_general
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64), tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(programs, 8344 + 3561 * tk::max_of(
        tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) - 128, 128),
        0));
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attention_simple_kernel>(
            site, sizeof(attention_simple_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 1) {
        return tk::finish(tk::run<attention_simple_64_kernel>(
            site, sizeof(attention_simple_64_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 2) {
        return tk::finish(tk::run<attention_simple_general_kernel<128, 56, 224>>(
            site, sizeof(attention_simple_general_shared<128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, Q, K, V, O, LSE,
            B, H, M, HKV, N, scale));
    }
    if (best == 3) {
        return tk::finish(tk::run<attention_simple_general_kernel<64, 72, 216>>(
            site, sizeof(attention_simple_general_shared<64>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, Q, K, V, O, LSE,
            B, H, M, HKV, N, scale));
    }
    if (best == 4) {
        return tk::finish(tk::run<attention_simple_causal_kernel>(
            site, sizeof(attention_simple_causal_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 5) {
        return tk::finish(tk::run<attention_simple_64_causal_kernel>(
            site, sizeof(attention_simple_64_causal_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs,
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 6) {
        return tk::finish(tk::run<attention_simple_causal_general_kernel<128, 56, 224>>(
            site, sizeof(attention_simple_causal_general_shared<128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, Q, K, V, O, LSE,
            B, H, M, HKV, N, scale));
    }
    return tk::finish(tk::run<attention_simple_causal_general_kernel<64, 72, 216>>(
        site, sizeof(attention_simple_causal_general_shared<64>),
        tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(), programs, Q, K, V, O, LSE, B,
        H, M, HKV, N, scale));
}

}  // namespace

extern "C" {
int attention_simple(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                     cudaStream_t stream) {
    return run_attention_simple("attention_simple", {0, 1, 2, 3}, Q_given, K_given, V_given,
                                O_given, LSE_given, scale, stream);
}
TK_NO_WORKSPACE(attention_simple, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_simple_64(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                        cudaStream_t stream) {
    return run_attention_simple("attention_simple_64", {1, 3}, Q_given, K_given, V_given, O_given,
                                LSE_given, scale, stream);
}
TK_NO_WORKSPACE(attention_simple_64, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_simple_causal(const DLTensor* Q_given, const DLTensor* K_given,
                            const DLTensor* V_given, DLTensor* O_given, DLTensor* LSE_given,
                            float scale, void*, size_t, cudaStream_t stream) {
    return run_attention_simple("attention_simple_causal", {4, 5, 6, 7}, Q_given, K_given, V_given,
                                O_given, LSE_given, scale, stream);
}
TK_NO_WORKSPACE(attention_simple_causal, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, float)

int attention_simple_64_causal(const DLTensor* Q_given, const DLTensor* K_given,
                               const DLTensor* V_given, DLTensor* O_given, DLTensor* LSE_given,
                               float scale, void*, size_t, cudaStream_t stream) {
    return run_attention_simple("attention_simple_64_causal", {5, 7}, Q_given, K_given, V_given,
                                O_given, LSE_given, scale, stream);
}
TK_NO_WORKSPACE(attention_simple_64_causal, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, float)
}  // extern "C"
