// Made by tkc from attention.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/fetch_program.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n144.cuh"
#include "tk/tk.cuh"

// attention: kernel attention with T = bf16, D = 128, CAUSAL = false, BOTTOM_RIGHT = true, BM =
// 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent:
// attention_kernel<128, 32768>.
// attention_long: kernel attention with T = bf16, D = 128, CAUSAL = false, BOTTOM_RIGHT = true, BM
// = 128, BN = 144.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 213072 bytes of shared memory; persistent:
// attention_kernel<144, 36864>.
template <int BN>
struct attention_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, BN, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, BN, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_shared<128>, vs) == 196656);
static_assert(offsetof(attention_shared<144>, vs) == 213040);

template <int BN, int bytes>
__global__ void __launch_bounds__(384, 1) attention_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_shared<BN>& shared = *reinterpret_cast<attention_shared<BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention.tk:17: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = N;

                // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                shared.qs.begin(qs_next, 32768);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             h, m, 0);
                qs_next.advance();

                // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                shared.ks.begin(ks_next, bytes);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             g, 0, 0);
                ks_next.advance();

                // attention.tk:27: for j in BN..end by BN {
                #pragma unroll 1
                for (int j = BN; j < end; j += BN) {
                    // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                    shared.ks.begin(ks_next, bytes);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, j, 0);
                    ks_next.advance();

                    // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                    shared.vs.begin(vs_next, bytes);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g, j - BN, 0);
                    vs_next.advance();
                }

                // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                shared.vs.begin(vs_next, bytes);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             g, tk::max(tk::divide_up(end, BN) - 1, 0) * BN, 0);
                vs_next.advance();
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
            const int end = N;

            // attention.tk:34: let q: T[BM, W] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.qs.release_after_loads(q_element);

            // attention.tk:35: var o: f32[BM, W] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention.tk:36: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention.tk:37: var s = mma(q, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, BN> s;
            tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s, q_2);
            shared.ks.release(ks_element);

            // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
            if (!(N >= BN)) {
                tk::map(s, thread, [&](int, int col, float s) { return col < N ? s : -INFINITY; },
                        s);
            }
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, s, tk::maximum{}, thread);
            tk::finish_rows(t2, tk::maximum{});
            tk::column_fragment<float, 64> m_2;
            tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); }, sm_max, t2);

            // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
            tk::column_fragment<float, 64> m0;
            tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

            // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
            tk::fragment<float, 64, BN> p;
            tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); }, s, m0);

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

            // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, 0, ..
            tk::fragment<tk::bf16, 64, BN> p_2 = tk::convert<tk::bf16>(p);

            // attention.tk:39: for j in BN..end by BN {
            for (int j = BN; j < end; j += BN) {
                // attention.tk:40: s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                              tk::accumulate_never{});

                // attention.tk:41: o += mma(p, consume vs);
                const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                tk::mma_wait<1>(s, q_2);
                shared.ks.release(ks_element_2);
                // <std.softmax>:30
                if (!(j + BN <= N)) {
                    tk::map(s, thread, [&](int, int col, float s) {
                        return col < N - j ? s : -INFINITY;
                    }, s);
                }
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, s, tk::maximum{}, thread);
                tk::finish_rows(t5, tk::maximum{});
                tk::column_fragment<float, 64> m_3;
                tk::map(m_3, [](float sm_max, float t5) { return tk::max(sm_max, t5); },
                        sm_max, t5);
                // <std.softmax>:31
                tk::column_fragment<float, 64> m0_2;
                tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                        m_3);
                // <std.softmax>:32
                tk::pin_waits(warp);
                tk::fragment<float, 64, BN> p_3;
                tk::map(p_3, [&](float s, float m0_2) { return tk::exp2(tk::fma(s, sm_c, -m0_2)); },
                        s, m0_2);
                // <std.softmax>:33
                tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                    return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                }, m_3, sm_max, m0_2);
                // <std.softmax>:34
                tk::column_fragment<float, 64> t6;
                tk::fold_rows(t6, p_3, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t6) {
                    return tk::fma(sm_sum, sm_correction, t6);
                }, sm_sum, sm_correction, t6);
                // <std.softmax>:35
                sm_max = m_3;
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element);

                // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                p_2 = tk::convert<tk::bf16>(p_3);

                // attention.tk:43: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
            }

            // attention.tk:45: o += mma(p, consume vs);
            const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
            tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

            // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t9 = sm_sum;
            tk::finish_rows(t9, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t9) { return t9 == 0.0f ? 0.0f : tk::divide(1.0f, t9); }, t9);
            tk::mma_wait<0>(o, p_2);
            shared.vs.release(vs_element_2);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::map(t7, [](float o, float t0) { return o * t0; },
                        tk::subtile<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t7, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b, h,
                                  m + warpgroup * 64, panel);
                }
            }

            // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t8;
            tk::map(t8, [&](float t9, float sm_max) {
                return t9 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t9)) * 0.6931472f;
            }, t9, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t8, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_64: kernel attention with T = bf16, D = 64, CAUSAL = false, BOTTOM_RIGHT = true, BM =
// 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 98384 bytes of shared memory; persistent.
struct attention_64_shared {
    tk::shared_tile<tk::bf16, 128, 64> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_64_shared, vs) == 98352);

__global__ void __launch_bounds__(384, 1) attention_64_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_64_shared& shared = *reinterpret_cast<attention_64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention.tk:17: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = N;

                // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             h, m, 0);
                qs_next.advance();

                // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             g, 0, 0);
                ks_next.advance();

                // attention.tk:27: for j in BN..end by BN {
                #pragma unroll 1
                for (int j = 128; j < end; j += 128) {
                    // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, j, 0);
                    ks_next.advance();

                    // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                    shared.vs.begin(vs_next, 16384);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                    vs_next.advance();
                }

                // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                vs_next.advance();
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
            const int end = N;

            // attention.tk:34: let q: T[BM, W] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 64> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.qs.release_after_loads(q_element);

            // attention.tk:35: var o: f32[BM, W] = 0;
            tk::fragment<float, 64, 64> o;
            tk::zero(o);

            // attention.tk:36: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention.tk:37: var s = mma(q, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 128> s;
            tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s, q_2);
            shared.ks.release(ks_element);

            // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
            if (!(N >= 128)) {
                tk::map(s, thread, [&](int, int col, float s) { return col < N ? s : -INFINITY; },
                        s);
            }
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, s, tk::maximum{}, thread);
            tk::finish_rows(t2, tk::maximum{});
            tk::column_fragment<float, 64> m_2;
            tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); }, sm_max, t2);

            // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
            tk::column_fragment<float, 64> m0;
            tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

            // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
            tk::fragment<float, 64, 128> p;
            tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); }, s, m0);

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

            // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, 0, ..
            tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

            // attention.tk:39: for j in BN..end by BN {
            for (int j = 128; j < end; j += 128) {
                // attention.tk:40: s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                              tk::accumulate_never{});

                // attention.tk:41: o += mma(p, consume vs);
                const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                tk::mma_wait<1>(s, q_2);
                shared.ks.release(ks_element_2);
                // <std.softmax>:30
                if (!(j + 128 <= N)) {
                    tk::map(s, thread, [&](int, int col, float s) {
                        return col < N - j ? s : -INFINITY;
                    }, s);
                }
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, s, tk::maximum{}, thread);
                tk::finish_rows(t5, tk::maximum{});
                tk::column_fragment<float, 64> m_3;
                tk::map(m_3, [](float sm_max, float t5) { return tk::max(sm_max, t5); },
                        sm_max, t5);
                // <std.softmax>:31
                tk::column_fragment<float, 64> m0_2;
                tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                        m_3);
                // <std.softmax>:32
                tk::pin_waits(warp);
                tk::fragment<float, 64, 128> p_3;
                tk::map(p_3, [&](float s, float m0_2) { return tk::exp2(tk::fma(s, sm_c, -m0_2)); },
                        s, m0_2);
                // <std.softmax>:33
                tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                    return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                }, m_3, sm_max, m0_2);
                // <std.softmax>:34
                tk::column_fragment<float, 64> t6;
                tk::fold_rows(t6, p_3, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t6) {
                    return tk::fma(sm_sum, sm_correction, t6);
                }, sm_sum, sm_correction, t6);
                // <std.softmax>:35
                sm_max = m_3;
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element);

                // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                p_2 = tk::convert<tk::bf16>(p_3);

                // attention.tk:43: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
            }

            // attention.tk:45: o += mma(p, consume vs);
            const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
            tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

            // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t9 = sm_sum;
            tk::finish_rows(t9, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t9) { return t9 == 0.0f ? 0.0f : tk::divide(1.0f, t9); }, t9);
            tk::mma_wait<0>(o, p_2);
            shared.vs.release(vs_element_2);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::map(t7, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_shared(shared.consumer_O[warpgroup], t7, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup], b, h, m + warpgroup * 64,
                                  panel);
                }
            }

            // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t8;
            tk::map(t8, [&](float t9, float sm_max) {
                return t9 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t9)) * 0.6931472f;
            }, t9, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t8, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_causal: kernel attention with T = bf16, D = 128, CAUSAL = true, BOTTOM_RIGHT = true, BM
// = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_causal_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_causal_shared, vs) == 196656);

__global__ void __launch_bounds__(384, 1) attention_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_causal_shared& shared = *reinterpret_cast<attention_causal_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 128;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention.tk:17: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 ..
                    const int first = m + (N - M);

                    // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else ..
                    const int end = tk::max(tk::min(first + 128, N), 0);

                    // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                    shared.qs.begin(qs_next, 32768);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, m, 0);
                    qs_next.advance();

                    // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, 0, 0);
                    ks_next.advance();

                    // attention.tk:27: for j in BN..end by BN {
                    #pragma unroll 1
                    for (int j = 128; j < end; j += 128) {
                        // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                        shared.ks.begin(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g, j, 0);
                        ks_next.advance();

                        // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                        shared.vs.begin(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                        vs_next.advance();
                    }

                    // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                    shared.vs.begin(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g,
                                 tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                    vs_next.advance();
                }
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 });
                const int first = m + (N - M);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = tk::max(tk::min(first + 128, N), 0);

                // attention.tk:34: let q: T[BM, W] = consume qs;
                const tk::cursor<1> q_element = shared.qs.take(qs_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.qs.release_after_loads(q_element);

                // attention.tk:35: var o: f32[BM, W] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention.tk:36: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention.tk:37: var s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element = shared.ks.take(ks_next);
                tk::fragment<float, 64, 128> s;
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s, q_2);
                shared.ks.release(ks_element);

                // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, ..
                if (!(first + 64 * warpgroup >= 127 && N >= 128)) {
                    tk::map(s, thread, [&](int row, int col, float s) {
                        return col <= first + 64 * warpgroup + row ? (col < N ? s : -INFINITY)
                            : -INFINITY;
                    }, s);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, s, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); },
                        s, m0);

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
                // attention.tk:38
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention.tk:39: for j in BN..end by BN {
                for (int j = 128; j < end; j += 128) {
                    // attention.tk:40: s = mma(q, (consume ks).T);
                    const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention.tk:41: o += mma(p, consume vs);
                    const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.ks.release(ks_element_2);

                    // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                    if (!(j + 127 <= first + 64 * warpgroup && j + 128 <= N)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return j + col <= first + 64 * warpgroup + row
                                ? (col < N - j ? s : -INFINITY) : -INFINITY;
                        }, s);
                    }
                    // <std.softmax>:30
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, s, tk::maximum{}, thread);
                    tk::finish_rows(t3, tk::maximum{});
                    tk::column_fragment<float, 64> m_3;
                    tk::map(m_3, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                            sm_max, t3);
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
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, p_3, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                        return tk::fma(sm_sum, sm_correction, t4);
                    }, sm_sum, sm_correction, t4);
                    // <std.softmax>:35
                    sm_max = m_3;
                    tk::mma_wait<0>(o, p_2);
                    shared.vs.release(vs_element);
                    // attention.tk:42
                    p_2 = tk::convert<tk::bf16>(p_3);

                    // attention.tk:43: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }

                // attention.tk:45: o += mma(p, consume vs);
                const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t7 = sm_sum;
                tk::finish_rows(t7, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t7) { return t7 == 0.0f ? 0.0f : tk::divide(1.0f, t7); }, t7);
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element_2);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t5;
                    tk::map(t5, [](float o, float t0) { return o * t0; },
                            tk::subtile<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t5, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b,
                                      h, m + warpgroup * 64, panel);
                    }
                }

                // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
                tk::column_fragment<float, 64> t6;
                tk::map(t6, [&](float t7, float sm_max) {
                    return t7 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t7)) * 0.6931472f;
                }, t7, sm_max);
                tk::store_global(
                    tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup},
                                              M - (m + 64 * warpgroup), 1), t6, thread);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_64_causal: kernel attention with T = bf16, D = 64, CAUSAL = true, BOTTOM_RIGHT = true,
// BM = 128, BN = 128.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 98408 bytes of shared memory; persistent, programs
// dealt by a counter.
struct attention_64_causal_shared {
    tk::shared_tile<tk::bf16, 128, 64> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<1> next_programs;
    int program_numbers[1];
};
static_assert(offsetof(attention_64_causal_shared, program_numbers) == 98400);

__global__ void __launch_bounds__(384, 1) attention_64_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale,
    unsigned* counters) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_64_causal_shared& shared = *reinterpret_cast<attention_64_causal_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.next_programs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int column_block = tk::column_block_width(m_tiles, gridDim.x);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> next_programs_next, qs_next;
            for (int program = blockIdx.x; program < programs;) {
                const tk::grid_point place = tk::drawn(program, m_tiles, H * B, column_block);
                const int m = (m_tiles - 1 - place.row) * 128;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention.tk:17: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 });
                const int first = m + (N - M);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = tk::max(tk::min(first + 128, N), 0);

                // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             h, m, 0);
                qs_next.advance();

                // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             g, 0, 0);
                ks_next.advance();

                // attention.tk:27: for j in BN..end by BN {
                #pragma unroll 1
                for (int j = 128; j < end; j += 128) {
                    // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, j, 0);
                    ks_next.advance();

                    // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                    shared.vs.begin(vs_next, 16384);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                    vs_next.advance();
                }

                // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                vs_next.advance();

                // The next program.
                shared.next_programs.wait_empty(next_programs_next);
                program = tk::fetch_program(shared.next_programs, shared.program_numbers,
                                            next_programs_next, counters);
                next_programs_next.advance();
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int programs = m_tiles * H * B;
        const int column_block = tk::column_block_width(m_tiles, gridDim.x);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs;) {
            const tk::grid_point place = tk::drawn(program, m_tiles, H * B, column_block);
            const int m = (m_tiles - 1 - place.row) * 128;
            const int h = place.col % H;
            const int b = place.col / H;

            // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 });
            const int first = m + (N - M);

            // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
            const int end = tk::max(tk::min(first + 128, N), 0);

            // attention.tk:34: let q: T[BM, W] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 64> q_2;
            tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                            thread);
            shared.qs.release_after_loads(q_element);

            // attention.tk:35: var o: f32[BM, W] = 0;
            tk::fragment<float, 64, 64> o;
            tk::zero(o);

            // attention.tk:36: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention.tk:37: var s = mma(q, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 128> s;
            tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s, q_2);
            shared.ks.release(ks_element);

            // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, 0, ..
            if (!(first + 64 * warpgroup >= 127 && N >= 128)) {
                tk::map(s, thread, [&](int row, int col, float s) {
                    return col <= first + 64 * warpgroup + row ? (col < N ? s : -INFINITY)
                        : -INFINITY;
                }, s);
            }

            // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
            tk::column_fragment<float, 64> t1;
            tk::fold_rows(t1, s, tk::maximum{}, thread);
            tk::finish_rows(t1, tk::maximum{});
            tk::column_fragment<float, 64> m_2;
            tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); }, sm_max, t1);

            // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
            tk::column_fragment<float, 64> m0;
            tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

            // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
            tk::fragment<float, 64, 128> p;
            tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); }, s, m0);

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
            // attention.tk:38
            tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

            // attention.tk:39: for j in BN..end by BN {
            for (int j = 128; j < end; j += 128) {
                // attention.tk:40: s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                              tk::accumulate_never{});

                // attention.tk:41: o += mma(p, consume vs);
                const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                tk::mma_wait<1>(s, q_2);
                shared.ks.release(ks_element_2);

                // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                if (!(j + 127 <= first + 64 * warpgroup && j + 128 <= N)) {
                    tk::map(s, thread, [&](int row, int col, float s) {
                        return j + col <= first + 64 * warpgroup + row
                            ? (col < N - j ? s : -INFINITY) : -INFINITY;
                    }, s);
                }
                // <std.softmax>:30
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, s, tk::maximum{}, thread);
                tk::finish_rows(t3, tk::maximum{});
                tk::column_fragment<float, 64> m_3;
                tk::map(m_3, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                        sm_max, t3);
                // <std.softmax>:31
                tk::column_fragment<float, 64> m0_2;
                tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                        m_3);
                // <std.softmax>:32
                tk::pin_waits(warp);
                tk::fragment<float, 64, 128> p_3;
                tk::map(p_3, [&](float s, float m0_2) { return tk::exp2(tk::fma(s, sm_c, -m0_2)); },
                        s, m0_2);
                // <std.softmax>:33
                tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                    return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                }, m_3, sm_max, m0_2);
                // <std.softmax>:34
                tk::column_fragment<float, 64> t4;
                tk::fold_rows(t4, p_3, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                    return tk::fma(sm_sum, sm_correction, t4);
                }, sm_sum, sm_correction, t4);
                // <std.softmax>:35
                sm_max = m_3;
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element);
                // attention.tk:42
                p_2 = tk::convert<tk::bf16>(p_3);

                // attention.tk:43: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
            }

            // attention.tk:45: o += mma(p, consume vs);
            const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
            tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

            // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t7 = sm_sum;
            tk::finish_rows(t7, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t7) { return t7 == 0.0f ? 0.0f : tk::divide(1.0f, t7); }, t7);
            tk::mma_wait<0>(o, p_2);
            shared.vs.release(vs_element_2);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, [](float o, float t0) { return o * t0; }, o, t0);
                tk::store_shared(shared.consumer_O[warpgroup], t5, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(O_map, shared.consumer_O[warpgroup], b, h, m + warpgroup * 64,
                                  panel);
                }
            }

            // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t6;
            tk::map(t6, [&](float t7, float sm_max) {
                return t7 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t7)) * 0.6931472f;
            }, t7, sm_max);
            tk::store_global(
                tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup}, M - (m + 64 * warpgroup),
                                          1), t6, thread);

            // The next program.
            shared.next_programs.wait_full(q_element);
            program = shared.program_numbers[q_element.stage];
            shared.next_programs.release_after_loads(q_element, tk::ordinary_alone{});
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_low: kernel attention with T = bf16, D = 128, CAUSAL = false, BOTTOM_RIGHT = true, BM =
// 64, BN = 128.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 163920 bytes of shared memory; persistent.
struct attention_low_shared {
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_low_shared, vs) == 163888);

__global__ void __launch_bounds__(256, 1) attention_low_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_low_shared& shared = *reinterpret_cast<attention_low_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 4);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int programs = m_tiles * H * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 64;
                const int h = program / m_tiles % H;
                const int b = program / (m_tiles * H);

                // attention.tk:17: let g     = h // (H / HKV);
                const int g = h / (H / HKV);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = N;

                // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             h, m, 0);
                qs_next.advance();

                // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                shared.ks.begin(ks_next, 32768);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             g, 0, 0);
                ks_next.advance();

                // attention.tk:27: for j in BN..end by BN {
                #pragma unroll 1
                for (int j = 128; j < end; j += 128) {
                    // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, j, 0);
                    ks_next.advance();

                    // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                    shared.vs.begin(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                    vs_next.advance();
                }

                // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                shared.vs.begin(vs_next, 32768);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             g, tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                vs_next.advance();
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int programs = m_tiles * H * B;
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 64;
            const int h = program / m_tiles % H;
            const int b = program / (m_tiles * H);

            // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
            const int end = N;

            // attention.tk:34: let q: T[BM, W] = consume qs;
            const tk::cursor<1> q_element = shared.qs.take(qs_next);
            tk::fragment<tk::bf16, 64, 128> q_2;
            tk::load_shared(q_2, shared.qs_tile[q_element.stage], thread);
            shared.qs.release_after_loads(q_element);

            // attention.tk:35: var o: f32[BM, W] = 0;
            tk::fragment<float, 64, 128> o;
            tk::zero(o);

            // attention.tk:36: var sm = softmax.start<BM>(scale);
            tk::column_fragment<float, 64> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::column_fragment<float, 64> sm_sum;
            tk::zero(sm_sum);
            tk::column_fragment<float, 64> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention.tk:37: var s = mma(q, (consume ks).T);
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);
            tk::fragment<float, 64, 128> s;
            tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s, q_2);
            shared.ks.release(ks_element);

            // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
            if (!(N >= 128)) {
                tk::map(s, thread, [&](int, int col, float s) { return col < N ? s : -INFINITY; },
                        s);
            }
            tk::column_fragment<float, 64> t2;
            tk::fold_rows(t2, s, tk::maximum{}, thread);
            tk::finish_rows(t2, tk::maximum{});
            tk::column_fragment<float, 64> m_2;
            tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); }, sm_max, t2);

            // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
            tk::column_fragment<float, 64> m0;
            tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

            // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
            tk::fragment<float, 64, 128> p;
            tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); }, s, m0);

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

            // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, 0, ..
            tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

            // attention.tk:39: for j in BN..end by BN {
            for (int j = 128; j < end; j += 128) {
                // attention.tk:40: s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                              tk::accumulate_never{});

                // attention.tk:41: o += mma(p, consume vs);
                const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                tk::mma_wait<1>(s, q_2);
                shared.ks.release(ks_element_2);
                // <std.softmax>:30
                if (!(j + 128 <= N)) {
                    tk::map(s, thread, [&](int, int col, float s) {
                        return col < N - j ? s : -INFINITY;
                    }, s);
                }
                tk::column_fragment<float, 64> t5;
                tk::fold_rows(t5, s, tk::maximum{}, thread);
                tk::finish_rows(t5, tk::maximum{});
                tk::column_fragment<float, 64> m_3;
                tk::map(m_3, [](float sm_max, float t5) { return tk::max(sm_max, t5); },
                        sm_max, t5);
                // <std.softmax>:31
                tk::column_fragment<float, 64> m0_2;
                tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                        m_3);
                // <std.softmax>:32
                tk::pin_waits(warp);
                tk::fragment<float, 64, 128> p_3;
                tk::map(p_3, [&](float s, float m0_2) { return tk::exp2(tk::fma(s, sm_c, -m0_2)); },
                        s, m0_2);
                // <std.softmax>:33
                tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                    return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                }, m_3, sm_max, m0_2);
                // <std.softmax>:34
                tk::column_fragment<float, 64> t6;
                tk::fold_rows(t6, p_3, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t6) {
                    return tk::fma(sm_sum, sm_correction, t6);
                }, sm_sum, sm_correction, t6);
                // <std.softmax>:35
                sm_max = m_3;
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element);

                // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                p_2 = tk::convert<tk::bf16>(p_3);

                // attention.tk:43: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);
            }

            // attention.tk:45: o += mma(p, consume vs);
            const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
            tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

            // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
            tk::column_fragment<float, 64> t9 = sm_sum;
            tk::finish_rows(t9, tk::plus{});
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t9) { return t9 == 0.0f ? 0.0f : tk::divide(1.0f, t9); }, t9);
            tk::mma_wait<0>(o, p_2);
            shared.vs.release(vs_element_2);
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::map(t7, [](float o, float t0) { return o * t0; },
                        tk::subtile<64, 64>(o, 0, panel), t0);
                tk::store_shared(shared.consumer_O[panel / 64 % 2], t7, thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(O_map, shared.consumer_O[panel / 64 % 2], b, h, m, panel);
            }

            // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
            tk::column_fragment<float, 64> t8;
            tk::map(t8, [&](float t9, float sm_max) {
                return t9 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t9)) * 0.6931472f;
            }, t9, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(LSE, {b, h, m}, M - m, 1), t8, thread);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// attention_low_causal: kernel attention with T = bf16, D = 128, CAUSAL = true, BOTTOM_RIGHT =
// true, BM = 64, BN = 128.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 163920 bytes of shared memory; persistent.
struct attention_low_causal_shared {
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[2];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_low_causal_shared, vs) == 163888);

__global__ void __launch_bounds__(256, 1) attention_low_causal_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<float, 3> LSE, int B, int H, int M, int HKV, int N, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_low_causal_shared& shared = *reinterpret_cast<attention_low_causal_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 4);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // attention.tk:24: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
                 program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
                const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
                if (place.row >= 0) {
                    const int m = (m_tiles - 1 - place.row) * 64;
                    const int h = place.col % H;
                    const int b = place.col / H;

                    // attention.tk:17: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 ..
                    const int first = m + (N - M);

                    // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else ..
                    const int end = tk::max(tk::min(first + 64, N), 0);

                    // attention.tk:25: produce qs = tma_load(Q[b, h, m, 0 +: W]);
                    shared.qs.begin(qs_next, 16384);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, m, 0);
                    qs_next.advance();

                    // attention.tk:26: produce ks = tma_load(K[b, g, 0 +: BN, 0 +: W]);
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, 0, 0);
                    ks_next.advance();

                    // attention.tk:27: for j in BN..end by BN {
                    #pragma unroll 1
                    for (int j = 128; j < end; j += 128) {
                        // attention.tk:28: produce ks = tma_load(K[b, g, j, 0 +: W]);
                        shared.ks.begin(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g, j, 0);
                        ks_next.advance();

                        // attention.tk:29: produce vs = tma_load(V[b, g, j.prev, 0 +: W]);
                        shared.vs.begin(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                        vs_next.advance();
                    }

                    // attention.tk:31: produce vs = tma_load(V[b, g, last_tile(end, BN), 0 +: W]);
                    shared.vs.begin(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g,
                                 tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                    vs_next.advance();
                }
            }
        }
    } else {
        // attention.tk:33: role consumer(BM / 64 warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 64);
        const int alone = tk::dealt_alone(m_tiles, H * B, gridDim.x);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = tk::first_scheduled(blockIdx.x, m_tiles, H * B, gridDim.x);
             program >= -alone; program = tk::next_scheduled(program, blockIdx.x, gridDim.x)) {
            const tk::grid_point place = tk::dealt(program, m_tiles, H * B, gridDim.x);
            if (place.row >= 0) {
                const int m = (m_tiles - 1 - place.row) * 64;
                const int h = place.col % H;
                const int b = place.col / H;

                // attention.tk:18: let first = m.start + (if BOTTOM_RIGHT { N - M } else { 0 });
                const int first = m + (N - M);

                // attention.tk:19: let end   = if CAUSAL { max(min(first + BM, N), 0) } else { N };
                const int end = tk::max(tk::min(first + 64, N), 0);

                // attention.tk:34: let q: T[BM, W] = consume qs;
                const tk::cursor<1> q_element = shared.qs.take(qs_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2, shared.qs_tile[q_element.stage], thread);
                shared.qs.release_after_loads(q_element);

                // attention.tk:35: var o: f32[BM, W] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention.tk:36: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention.tk:37: var s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element = shared.ks.take(ks_next);
                tk::fragment<float, 64, 128> s;
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s, q_2);
                shared.ks.release(ks_element);

                // attention.tk:38: var p = T(softmax.step(inout sm, attention.visible(s, first, ..
                if (!(first >= 127 && N >= 128)) {
                    tk::map(s, thread, [&](int row, int col, float s) {
                        return col <= first + row ? (col < N ? s : -INFINITY) : -INFINITY;
                    }, s);
                }

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, s, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s, float m0) { return tk::exp2(tk::fma(s, sm_c, -m0)); },
                        s, m0);

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
                // attention.tk:38
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention.tk:39: for j in BN..end by BN {
                for (int j = 128; j < end; j += 128) {
                    // attention.tk:40: s = mma(q, (consume ks).T);
                    const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention.tk:41: o += mma(p, consume vs);
                    const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.ks.release(ks_element_2);

                    // attention.tk:42: p = T(softmax.step(inout sm, attention.visible(s, first, ..
                    if (!(j + 127 <= first && j + 128 <= N)) {
                        tk::map(s, thread, [&](int row, int col, float s) {
                            return j + col <= first + row ? (col < N - j ? s : -INFINITY)
                                : -INFINITY;
                        }, s);
                    }
                    // <std.softmax>:30
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, s, tk::maximum{}, thread);
                    tk::finish_rows(t3, tk::maximum{});
                    tk::column_fragment<float, 64> m_3;
                    tk::map(m_3, [](float sm_max, float t3) { return tk::max(sm_max, t3); },
                            sm_max, t3);
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
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, p_3, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t4) {
                        return tk::fma(sm_sum, sm_correction, t4);
                    }, sm_sum, sm_correction, t4);
                    // <std.softmax>:35
                    sm_max = m_3;
                    tk::mma_wait<0>(o, p_2);
                    shared.vs.release(vs_element);
                    // attention.tk:42
                    p_2 = tk::convert<tk::bf16>(p_3);

                    // attention.tk:43: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }

                // attention.tk:45: o += mma(p, consume vs);
                const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                // attention.tk:46: tma_store(O[b, h, m, 0 +: W], T(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t7 = sm_sum;
                tk::finish_rows(t7, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t7) { return t7 == 0.0f ? 0.0f : tk::divide(1.0f, t7); }, t7);
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element_2);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t5;
                    tk::map(t5, [](float o, float t0) { return o * t0; },
                            tk::subtile<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[panel / 64 % 2], t5, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[panel / 64 % 2], b, h, m, panel);
                    }
                }

                // attention.tk:47: store(LSE[b, h, m], softmax.lse(sm));
                tk::column_fragment<float, 64> t6;
                tk::map(t6, [&](float t7, float sm_max) {
                    return t7 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t7)) * 0.6931472f;
                }, t7, sm_max);
                tk::store_global(tk::slice<2, tk::no_axis>(LSE, {b, h, m}, M - m, 1), t6, thread);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
int run_attention(const char* function, tk::candidates offered, const DLTensor* Q_given,
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
    call.require({
        tk::same_extent("B", Q, 0, K, 0), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::same_extent("N", K, 2, V, 2),
        tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
        tk::same_extent("M", Q, 2, O, 2), tk::same_extent("B", Q, 0, LSE, 0),
        tk::same_extent("H", Q, 1, LSE, 1), tk::same_extent("M", Q, 2, LSE, 2),
        tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
        tk::check(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::check(tk::floor_mod(H, HKV) == 0, "`attention` requires `H % HKV == 0`"),
        tk::check(scale > 0.0f, "`attention` requires `scale > 0`"),
        tk::check(0 < HKV, "`HKV` is at least 1, because `attention` divides by it"),
        tk::check(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention` divides by it"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
        tk::check(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)}), tk::fits("m.start + (N - M)", M - 1 + (N - M))});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // attention
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
        1500 +
        (tk::max_of(2048,
                    (Q.stride[2] % 64 == 0 ? 607 : 964) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 2556) + 912 +
        tk::multiply(
            tk::max_of(2048,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545, tk::ceil_div(N - 128, 128)), 2147418112);
    choice.candidate();  // attention_64
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 304 : 482) +
                    (V.stride[2] % 64 == 0 ? 304 : 482)) + 2316) +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 304 : 482) + (V.stride[2] % 64 == 0 ? 304 : 482)) +
            1513, tk::ceil_div(N - 128, 128)), 2147418112);
    choice.candidate();  // attention_long
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
                 1500 +
                 (tk::max_of(2304,
                             (Q.stride[2] % 64 == 0 ? 607 : 964) +
                             (K.stride[2] % 64 == 0 ? 683 : 1085) +
                             (V.stride[2] % 64 == 0 ? 683 : 1085)) + 2796) + 912 +
                 tk::multiply(
                     tk::max_of(2304,
                                (K.stride[2] % 64 == 0 ? 683 : 1085) +
                                (V.stride[2] % 64 == 0 ? 683 : 1085)) + 1649,
                     tk::ceil_div(N - 144, 144)), 2147418112);
    choice.candidate();  // attention_low
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 64), H), 2147418112)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B),
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 1308) + 456 +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545, tk::ceil_div(N - 128, 128)), 2147418112);
    choice.candidate();  // attention_low_causal
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 64), H), 2147418112),
         tk::fits("first + 64", M - 1 + (N - M) + 64)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B),
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 1500) + 456 +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 64, N), 0) - 128,
                             128), 0)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attention_kernel<128, 32768>>(
            site, sizeof(attention_shared<128>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 1) {
        return tk::finish(tk::run<attention_64_kernel>(
            site, sizeof(attention_64_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 2) {
        return tk::finish(tk::run<attention_kernel<144, 36864>>(
            site, sizeof(attention_shared<144>),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 144, 64}, 128},
            tk::box{V, {1, 1, 144, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 3) {
        return tk::finish(tk::run<attention_low_kernel>(
            site, sizeof(attention_low_shared),
            tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B), tk::box{Q, {1, 1, 64, 64}, 128},
            tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
            tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N, scale));
    }
    return tk::finish(tk::run<attention_low_causal_kernel>(
        site, sizeof(attention_low_causal_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B), tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
        tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N, scale));
}

int run_attention_causal(const char* function, tk::candidates offered, const DLTensor* Q_given,
                         const DLTensor* K_given, const DLTensor* V_given, DLTensor* O_given,
                         DLTensor* LSE_given, float scale, void* workspace, size_t workspace_bytes,
                         cudaStream_t stream) {
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
    call.require({
        tk::same_extent("B", Q, 0, K, 0), tk::same_extent("B", Q, 0, V, 0),
        tk::same_extent("HKV", K, 1, V, 1), tk::same_extent("N", K, 2, V, 2),
        tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
        tk::same_extent("M", Q, 2, O, 2), tk::same_extent("B", Q, 0, LSE, 0),
        tk::same_extent("H", Q, 1, LSE, 1), tk::same_extent("M", Q, 2, LSE, 2),
        tk::extents_fit({{"B", B}, {"H", H}, {"M", M}, {"HKV", HKV}, {"N", N}}),
        tk::check(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
        tk::check(tk::floor_mod(H, HKV) == 0, "`attention` requires `H % HKV == 0`"),
        tk::check(scale > 0.0f, "`attention` requires `scale > 0`"),
        tk::check(0 < HKV, "`HKV` is at least 1, because `attention` divides by it"),
        tk::check(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention` divides by it"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
        tk::check(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)}), tk::fits("m.start + (N - M)", M - 1 + (N - M))});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // attention_causal
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
        1500 +
        (tk::max_of(2048,
                    (Q.stride[2] % 64 == 0 ? 607 : 964) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 2940) + 912 +
        tk::multiply(
            tk::max_of(2048,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) -
                             128, 128), 0)), 2147418112);
    choice.candidate();  // attention_64_causal
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(O, 3, 64),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), H), 2147418112),
         tk::fits("first + 128", M - 1 + (N - M) + 128)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 304 : 482) +
                    (V.stride[2] % 64 == 0 ? 304 : 482)) + 2528) +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 304 : 482) + (V.stride[2] % 64 == 0 ? 304 : 482)) +
            1513,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 128, N), 0) -
                             128, 128), 0)), 2147418112);
    choice.candidate();  // attention_low_causal
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(O, 3, 128),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 64), H), 2147418112),
         tk::fits("first + 64", M - 1 + (N - M) + 64)});
    choice.offer(
        tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B),
        1500 +
        (tk::max_of(1024,
                    (Q.stride[2] % 64 == 0 ? 304 : 482) + (K.stride[2] % 64 == 0 ? 607 : 964) +
                    (V.stride[2] % 64 == 0 ? 607 : 964)) + 1500) + 456 +
        tk::multiply(
            tk::max_of(1024,
                       (K.stride[2] % 64 == 0 ? 607 : 964) + (V.stride[2] % 64 == 0 ? 607 : 964)) +
            1545,
            tk::max_of(
                tk::ceil_div(tk::max_of(tk::min_of(tk::floor_div(M, 2) + (N - M) + 64, N), 0) - 128,
                             128), 0)), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());
    const int64_t counter_bytes = 4;
    TK_FINISH_IF_FAILED(tk::check_workspace(workspace, workspace_bytes, counter_bytes));

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(tk::clear_counters(workspace, counter_bytes, site));
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attention_causal_kernel>(
            site, sizeof(attention_causal_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale));
    }
    if (best == 1) {
        return tk::finish(tk::run<attention_64_causal_kernel>(
            site, sizeof(attention_64_causal_shared),
            tk::kernel_shape(384).blocks_per_sm(1).programmatic_launch(),
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B),
            tk::box{Q, {1, 1, 128, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N,
            scale, workspace));
    }
    return tk::finish(tk::run<attention_low_causal_kernel>(
        site, sizeof(attention_low_causal_shared),
        tk::kernel_shape(256).blocks_per_sm(1).programmatic_launch(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 64), H), B), tk::box{Q, {1, 1, 64, 64}, 128},
        tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
        tk::box{O, {1, 1, 64, 64}, 128}, LSE, B, H, M, HKV, N, scale));
}

}  // namespace

extern "C" {
int attention(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
              DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
              cudaStream_t stream) {
    return run_attention("attention", {0, 1, 2, 3}, Q_given, K_given, V_given, O_given, LSE_given,
                         scale, stream);
}
TK_NO_WORKSPACE(attention, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                float)

int attention_64(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                 DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                 cudaStream_t stream) {
    return run_attention("attention_64", {1}, Q_given, K_given, V_given, O_given, LSE_given, scale,
                         stream);
}
TK_NO_WORKSPACE(attention_64, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_long(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                   DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                   cudaStream_t stream) {
    return run_attention("attention_long", {2}, Q_given, K_given, V_given, O_given, LSE_given,
                         scale, stream);
}
TK_NO_WORKSPACE(attention_long, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_low(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                  DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                  cudaStream_t stream) {
    return run_attention("attention_low", {3}, Q_given, K_given, V_given, O_given, LSE_given, scale,
                         stream);
}
TK_NO_WORKSPACE(attention_low, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_low_causal(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                         DLTensor* O_given, DLTensor* LSE_given, float scale, void*, size_t,
                         cudaStream_t stream) {
    return run_attention("attention_low_causal", {4}, Q_given, K_given, V_given, O_given, LSE_given,
                         scale, stream);
}
TK_NO_WORKSPACE(attention_low_causal, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int attention_causal(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     DLTensor* O_given, DLTensor* LSE_given, float scale, void* workspace,
                     size_t workspace_bytes, cudaStream_t stream) {
    return run_attention_causal("attention_causal", {0, 1, 2}, Q_given, K_given, V_given, O_given,
                                LSE_given, scale, workspace, workspace_bytes, stream);
}
size_t attention_causal_workspace(const DLTensor* Q_given, const DLTensor* K_given,
                                  const DLTensor* V_given, DLTensor* O_given, DLTensor* LSE_given,
                                  float scale) {
    tk::arguments call{"attention_causal"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_causal)

int attention_64_causal(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        DLTensor* O_given, DLTensor* LSE_given, float scale, void* workspace,
                        size_t workspace_bytes, cudaStream_t stream) {
    return run_attention_causal("attention_64_causal", {1}, Q_given, K_given, V_given, O_given,
                                LSE_given, scale, workspace, workspace_bytes, stream);
}
size_t attention_64_causal_workspace(const DLTensor* Q_given, const DLTensor* K_given,
                                     const DLTensor* V_given, DLTensor* O_given,
                                     DLTensor* LSE_given, float scale) {
    tk::arguments call{"attention_64_causal"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return 0;
    return size_t(4);
}
TK_ERROR(attention_64_causal)
}  // extern "C"
