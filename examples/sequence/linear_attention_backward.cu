// Made by tkc from linear_attention_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// reverse: kernel reverse with T = bf16, DK = 128, DV = 128, L = 64.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 216 registers a thread; keys: 1
// warpgroup, 136 registers a thread; values: 1 warpgroup, 136 registers a thread.
// 512 threads, 128 registers each at first, 229520 bytes of shared memory.
struct reverse_shared {
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> os_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> states_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> state_q[2];
    tk::shared_tile<tk::bf16, 64, 64> keys_dK[2];
    tk::shared_tile<tk::bf16, 64, 64> values_dV[2];
    tk::pipeline<2> qs;
    tk::pipeline<2> os;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<1> states;
};
static_assert(offsetof(reverse_shared, states) == 229504);

__global__ void __launch_bounds__(512, 1) reverse_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap dK_map, const __grid_constant__ CUtensorMap dV_map,
    const tk::tensor_argument<const float, 1> Decay,
    const tk::tensor_argument<const float, 4> dState, const tk::tensor_argument<float, 4> dS0,
    int B, int N, int H, int F, int I, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    reverse_shared& shared = *reinterpret_cast<reverse_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, dO_map, V_map, K_map, dK_map, dV_map);
        shared.qs.init(1, 12);
        shared.os.init(1, 12);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.states.init(4, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // linear_attention_backward.tk:24: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, os_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int b = program / H;

            // linear_attention_backward.tk:25: for t in reversed N by L {
            #pragma unroll 1
            for (int t = (tk::divide_up(N, 64) - 1) * 64; t >= 0; t -= 64) {
                // linear_attention_backward.tk:26: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // linear_attention_backward.tk:27: produce os = tma_load(dO[b, t, h, :]);
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, 0);
                os_next.advance();

                // linear_attention_backward.tk:28: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();

                // linear_attention_backward.tk:29: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();
            }
        }
    } else if (warp < 4) {
        // linear_attention_backward.tk:32: role state(1 warpgroup) {
        tk::registers_at_least<216>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> qs_next;
        tk::cursor<1> states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention_backward.tk:17: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // linear_attention_backward.tk:33: var s: f32[DK, DV] = load(dState[b, h, :, :]);
        tk::fragment<float, 128, 128> s;
        tk::load_global(s, tk::slice(dState, {b, h, 0, 0}, b < F ? 128 : 0, 128), thread);

        // linear_attention_backward.tk:34: for t in reversed N by L {
        for (int t = (tk::divide_up(N, 64) - 1) * 64; t >= 0; t -= 64) {
            // linear_attention_backward.tk:35: produce states = T(s);
            tk::fragment<tk::bf16, 128, 128> t1 = tk::convert<tk::bf16>(s);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], t1, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // linear_attention_backward.tk:36: let q = shared(T((consume qs) * decay.since<L>(g) ..
            const tk::cursor<2> qs_element = shared.qs.take(qs_next);

            // <std.decay>:30: var x: f32[L, 1] = 0;
            tk::column_fragment<float, 64> x;
            tk::zero(x);
            // linear_attention_backward.tk:36
            tk::fragment<tk::bf16, 64, 128> t0;
            tk::load_shared(t0, shared.qs_tile[qs_element.stage], thread);
            shared.qs.release_after_loads(qs_element);
            tk::fragment<tk::bf16, 64, 128> t2;
            tk::map(t2, thread, [&](int row, int, tk::bf16 t0) {
                return float(t0) * tk::exp2(g * float(row + 1)) * scale;
            }, t0);
            tk::store_shared(shared.state_q[t / 64 % 2], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // linear_attention_backward.tk:37: s *= exp2(g * f32(min(t.start + L, N) - t.start));
            tk::map(s, [&](float s) { return s * tk::exp2(g * float(tk::min(t + 64, N) - t)); }, s);

            // linear_attention_backward.tk:38: s += mma(q.T, consume os);
            shared.os.wait_full(qs_element);
            tk::mma_async(s, tk::transposed(shared.state_q[t / 64 % 2]),
                          shared.os_tile[qs_element.stage]);
            tk::mma_wait<0>(s);
            shared.os.release(qs_element);
        }

        // linear_attention_backward.tk:40: store(dS0[b, h, :, :], s);
        tk::store_global(tk::slice(dS0, {b, h, 0, 0}, b < I ? 128 : 0, 128), s, thread);
    } else if (warp < 8) {
        // linear_attention_backward.tk:42: role keys(1 warpgroup) {
        tk::registers_at_least<136>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<1> states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention_backward.tk:17: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // <std.decay>:23: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // linear_attention_backward.tk:44: for t in reversed N by L {
        for (int t = (tk::divide_up(N, 64) - 1) * 64; t >= 0; t -= 64) {
            // linear_attention_backward.tk:45: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // linear_attention_backward.tk:46: let o = consume os;
            shared.os.wait_full(q_element);

            // linear_attention_backward.tk:47: let v = consume vs;
            shared.vs.wait_full(q_element);

            // linear_attention_backward.tk:48: let p = mma(v, o.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.os_tile[q_element.stage]), tk::accumulate_never{});

            // linear_attention_backward.tk:49: var y = mma(v, (consume states).T);
            const tk::cursor<1> states_element = shared.states.take(states_next_2);
            tk::fragment<float, 64, 128> y;
            tk::mma_async(y, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.states_tile[states_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.os.release(q_element);

            // linear_attention_backward.tk:50: let w = T(p * pairs);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float p) {
                const int x_3 = col - row;
                return p * ((x_3 >= 0 ? tk::exp2(g * float(tk::max(x_3, 0))) : 0.0f) * scale);
            }, p);

            // <std.decay>:36: var x: f32[L, 1] = 0;
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> x_2;
            tk::zero(x_2);
            tk::mma_wait<0>(y);
            shared.states.release(states_element);
            shared.vs.release(q_element);

            // linear_attention_backward.tk:51: y *= decay.until<L>(g, min(t.start + L, N) - ..
            tk::map(y, thread, [&](int row, int, float y) {
                return y * tk::exp2(g * float(tk::max(tk::min(t + 64, N) - t - 1 - row, 0)));
            }, y);

            // linear_attention_backward.tk:52: y += mma(w, q);
            tk::mma_async(y, w, shared.qs_tile[q_element.stage]);
            tk::mma_wait<0>(y, w);
            shared.qs.release(q_element);

            // linear_attention_backward.tk:53: tma_store(dK[b, t, h, :], T(y));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.keys_dK[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(y, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(dK_map, shared.keys_dK[panel / 64 % 2], b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // linear_attention_backward.tk:56: role values(1 warpgroup) {
        tk::registers_at_least<136>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<1> states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention_backward.tk:17: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // <std.decay>:23: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // linear_attention_backward.tk:58: for t in reversed N by L {
        for (int t = (tk::divide_up(N, 64) - 1) * 64; t >= 0; t -= 64) {
            // linear_attention_backward.tk:59: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // linear_attention_backward.tk:60: let o = consume os;
            shared.os.wait_full(q_element);

            // linear_attention_backward.tk:61: let k = consume ks;
            shared.ks.wait_full(q_element);

            // linear_attention_backward.tk:62: let p = mma(k, q.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.ks_tile[q_element.stage],
                          tk::transposed(shared.qs_tile[q_element.stage]), tk::accumulate_never{});

            // linear_attention_backward.tk:63: var y = mma(k, consume states);
            const tk::cursor<1> states_element = shared.states.take(states_next_2);
            tk::fragment<float, 64, 128> y;
            tk::mma_async(y, shared.ks_tile[q_element.stage],
                          shared.states_tile[states_element.stage], tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.qs.release(q_element);

            // linear_attention_backward.tk:64: let w = T(p * pairs);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float p) {
                const int x_3 = col - row;
                return p * ((x_3 >= 0 ? tk::exp2(g * float(tk::max(x_3, 0))) : 0.0f) * scale);
            }, p);

            // <std.decay>:36: var x: f32[L, 1] = 0;
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> x_2;
            tk::zero(x_2);
            tk::mma_wait<0>(y);
            shared.states.release(states_element);
            shared.ks.release(q_element);

            // linear_attention_backward.tk:65: y *= decay.until<L>(g, min(t.start + L, N) - ..
            tk::map(y, thread, [&](int row, int, float y) {
                return y * tk::exp2(g * float(tk::max(tk::min(t + 64, N) - t - 1 - row, 0)));
            }, y);

            // linear_attention_backward.tk:66: y += mma(w, o);
            tk::mma_async(y, w, shared.os_tile[q_element.stage]);
            tk::mma_wait<0>(y, w);
            shared.os.release(q_element);

            // linear_attention_backward.tk:67: tma_store(dV[b, t, h, :], T(y));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.values_dV[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(y, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(5, 128);
                if (leader) tk::tma_store(dV_map, shared.values_dV[panel / 64 % 2], b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true: kernel
// linear_attention.linear_attention with T = bf16, DK = 128, DV = 128, TURNED = true, DQ = 128, DO
// = 128, L = 64.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 213120 bytes of shared memory.
struct linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> states_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> state_k[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[2];
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> qs;
    tk::pipeline<2> states;
};
static_assert(offsetof(linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_shared,
                       states) == 213088);

__global__ void __launch_bounds__(512, 1) linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int I, int F, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_shared& shared =
        *reinterpret_cast<linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_shared*>(
        memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.ks.init(1, 12);
        shared.vs.init(1, 12);
        shared.qs.init(1, 4);
        shared.states.init(8, 4);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // linear_attention.tk:27: role producer(1 warp) {
        tk::registers_at_most<32>();
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int b = program / H;

            // linear_attention.tk:28: for t in N by L {
            #pragma unroll 1
            for (int t = 0; t < N; t += 64) {
                // linear_attention.tk:29: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // linear_attention.tk:30: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // linear_attention.tk:31: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 8) {
        // linear_attention.tk:34: role state(DK / 64 warpgroups) {
        tk::registers_at_least<160>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention.tk:21: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // linear_attention.tk:35: var s: f32[DK, DV] = load(S0[b, h, :, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {b, h, 64 * warpgroup, 0}, b < I ? 128 - 64 * warpgroup : 0,
                                  128), thread);

        // linear_attention.tk:36: for t in N by L {
        for (int t = 0; t < N; t += 64) {
            // linear_attention.tk:37: produce states = T(s);
            tk::fragment<tk::bf16, 64, 128> t1 = tk::convert<tk::bf16>(s);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(tk::rows<64>(shared.states_tile[states_next_2.stage], 64 * warpgroup),
                             t1, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // linear_attention.tk:38: let n = min(t.start + L, N) - t.start;
            const int n = tk::min(t + 64, N) - t;

            // linear_attention.tk:39: let k = shared(T((consume ks) * decay.until<L>(g, n)));
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);

            // <std.decay>:36: var x: f32[L, 1] = 0;
            tk::column_fragment<float, 64> x;
            tk::zero(x);
            // linear_attention.tk:39
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::load_shared(t0, tk::columns<64>(shared.ks_tile[ks_element.stage], 64 * warpgroup),
                            thread);
            shared.ks.release_after_loads(ks_element);
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int, tk::bf16 t0) {
                return float(t0) * tk::exp2(g * float(tk::max(n - 1 - row, 0)));
            }, t0);
            tk::store_shared(tk::columns<64>(shared.state_k[t / 64 % 2], 64 * warpgroup), t2,
                             thread);
            tk::fence_async();
            tk::barrier_sync(3, 256);

            // linear_attention.tk:40: s *= exp2(g * f32(n));
            tk::map(s, [&](float s) { return s * tk::exp2(g * float(n)); }, s);

            // linear_attention.tk:41: s += mma(k.T, consume vs);
            shared.vs.wait_full(ks_element);
            tk::mma_async(
                s, tk::transposed(tk::columns<64>(shared.state_k[t / 64 % 2], 64 * warpgroup)),
                shared.vs_tile[ks_element.stage]);
            tk::mma_wait<0>(s);
            shared.vs.release(ks_element);
        }

        // linear_attention.tk:43: store(State[b, h, :, :], s);
        tk::store_global(
            tk::slice(State, {b, h, 64 * warpgroup, 0}, b < F ? 128 - 64 * warpgroup : 0, 128), s,
            thread);
    } else {
        // linear_attention.tk:45: role output(1 warpgroup) {
        tk::registers_at_least<160>();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention.tk:21: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // <std.decay>:16: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // linear_attention.tk:46: var pairs: f32[L, L] = decay.pairs<L>(g) * scale;
        tk::fragment<float, 64, 64> pairs;
        tk::map(pairs, thread, [&](int row, int col) {
            const int x_3 = row - col;
            return (x_3 >= 0 ? tk::exp2(g * float(tk::max(x_3, 0))) : 0.0f) * scale;
        });

        // linear_attention.tk:47: for t in N by L {
        for (int t = 0; t < N; t += 64) {
            // linear_attention.tk:48: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // linear_attention.tk:49: let v = consume vs;
            shared.vs.wait_full(k_element);

            // linear_attention.tk:50: let q = consume qs;
            shared.qs.wait_full(k_element);

            // linear_attention.tk:51: let p = if TURNED { mma(q, v.T) } else { mma(q, k.T) };
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.qs_tile[k_element.stage],
                          tk::transposed(shared.vs_tile[k_element.stage]), tk::accumulate_never{});

            // linear_attention.tk:52: let s = consume states;
            shared.states.wait_full(k_element);

            // linear_attention.tk:53: var o = if TURNED { mma(q, s.T) } else { mma(q, s) };
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, shared.qs_tile[k_element.stage],
                          tk::transposed(shared.states_tile[k_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.vs.release(k_element);

            // linear_attention.tk:54: let w = T(p * pairs);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, [](float p, float pairs) { return p * pairs; }, p, pairs);

            // <std.decay>:30: var x: f32[L, 1] = 0;
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> x_2;
            tk::zero(x_2);
            tk::mma_wait<0>(o);
            shared.states.release(k_element);
            shared.qs.release(k_element);

            // linear_attention.tk:55: o *= decay.since<L>(g) * scale;
            tk::map(o, thread, [&](int row, int, float o) {
                return o * (tk::exp2(g * float(row + 1)) * scale);
            }, o);

            // linear_attention.tk:56: if TURNED { o += mma(w, k); } else { o += mma(w, v); }
            tk::mma_async(o, w, shared.ks_tile[k_element.stage]);
            tk::mma_wait<0>(o, w);
            shared.ks.release(k_element);

            // linear_attention.tk:57: tma_store(O[b, t, h, :], T(o));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.output_O[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(o, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(4, 128);
                if (leader) tk::tma_store(O_map, shared.output_O[panel / 64 % 2], b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Decay, const tk::tensor& S0, const tk::tensor& O, const tk::tensor& State,
    int64_t B, int64_t N, int64_t H, int64_t I, int64_t F, float scale) {
    return tk::run<linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_kernel>(
        site, sizeof(linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true_shared),
        tk::kernel_shape(512), tk::multiply(H, B), tk::box{Q, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, Decay, S0, State, B, N, H, I, F, scale);
}

tk::status launch_reverse(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                          const tk::tensor& V, const tk::tensor& dO, const tk::tensor& Decay,
                          const tk::tensor& dState, const tk::tensor& dK, const tk::tensor& dV,
                          const tk::tensor& dS0, int64_t B, int64_t N, int64_t H, int64_t F,
                          int64_t I, float scale) {
    return tk::run<reverse_kernel>(
        site, sizeof(reverse_shared), tk::kernel_shape(512), tk::multiply(H, B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, Decay, dState, dS0, B,
        N, H, F, I, scale);
}

}  // namespace

extern "C" {
int reverse(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
            const DLTensor* dO_given, const DLTensor* Decay_given, const DLTensor* dState_given,
            DLTensor* dK_given, DLTensor* dV_given, DLTensor* dS0_given, float scale, void*, size_t,
            cudaStream_t stream) {
    tk::arguments call{"reverse"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t F = dState.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, Decay, 0),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 128),
         tk::fixed_extent(dState, 3, 128), tk::same_extent("B", Q, 0, dK, 0),
         tk::same_extent("N", Q, 1, dK, 1), tk::same_extent("H", Q, 2, dK, 2),
         tk::fixed_extent(dK, 3, 128), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("H", Q, 2, dV, 2),
         tk::fixed_extent(dV, 3, 128), tk::same_extent("H", Q, 2, dS0, 1),
         tk::fixed_extent(dS0, 2, 128), tk::fixed_extent(dS0, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"F", F}, {"I", I}}),
         tk::that(I <= B, "`reverse` requires `I <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_load(dO),
         tk::suits_tma_store(dK), tk::suits_tma_store(dV),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<reverse_kernel>(
        site, sizeof(reverse_shared), tk::kernel_shape(512), tk::multiply(H, B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{dK, {1, 64, 1, 64}, 128}, tk::box{dV, {1, 64, 1, 64}, 128}, Decay, dState, dS0, B,
        N, H, F, I, scale));
}
TK_NO_WORKSPACE(reverse, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)

int linear_attention_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* Decay_given, const DLTensor* S0_given, const DLTensor* dO_given,
    const DLTensor* dState_given, DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given,
    DLTensor* dS0_given, DLTensor* Last_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"linear_attention_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Last = call.take("Last", Last_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t J = S0.shape[0];
    const int64_t F = dState.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, Decay, 0),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::fixed_extent(dO, 3, 128), tk::same_extent("H", Q, 2, dState, 1),
         tk::fixed_extent(dState, 2, 128), tk::fixed_extent(dState, 3, 128),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
         tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 128),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("N", Q, 1, dK, 1),
         tk::same_extent("H", Q, 2, dK, 2), tk::fixed_extent(dK, 3, 128),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("N", Q, 1, dV, 1),
         tk::same_extent("H", Q, 2, dV, 2), tk::fixed_extent(dV, 3, 128),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 128),
         tk::fixed_extent(dS0, 3, 128), tk::same_extent("J", S0, 0, Last, 0),
         tk::same_extent("H", Q, 2, Last, 1), tk::fixed_extent(Last, 2, 128),
         tk::fixed_extent(Last, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"J", J}, {"F", F}, {"I", I}}),
         tk::that(I <= B, "`linear_attention_backward` requires `I <= B`"),
         tk::that(J <= B, "`linear_attention_backward` requires `J <= B`")});
    // linear_attention.linear_attention(dO, K, V, Decay, S0, dQ, Last, scale)
    call.require(
        {tk::suits_tma_load(dO), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_store(dQ), tk::grid_fits(tk::multiply(H, B), 2147483648)});
    // reverse(Q, K, V, dO, Decay, dState, dK, dV, dS0, scale)
    call.require({tk::suits_tma_load(Q), tk::suits_tma_store(dK), tk::suits_tma_store(dV)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_linear_attention_linear_attention_T_bf16_DK_128_DV_128_TURNED_true(
        site, dO, K, V, Decay, S0, dQ, Last, B, N, H, J, J, scale));
    TK_FINISH_IF_FAILED(
        launch_reverse(site, Q, K, V, dO, Decay, dState, dK, dV, dS0, B, N, H, F, I, scale));
    return tk::finish({});
}
TK_NO_WORKSPACE(linear_attention_backward, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
