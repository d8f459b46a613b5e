// Made by tkc from linear_attention.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// chunks: kernel chunks with T = bf16, DK = 128, DV = 128, TURNED = false, DQ = 128, DO = 128,
// PACKED = false, L = 64.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 213120 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> states_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> state_w[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[2];
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> qs;
    tk::pipeline<2> states;
};
static_assert(offsetof(chunks_shared, states) == 213088);

__global__ void __launch_bounds__(512, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int I, int F, float scale,
    int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.ks.init(1, 12);
        shared.vs.init(1, 12);
        shared.qs.init(1, 4);
        shared.states.init(8, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // linear_attention.tk:41: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int p_tiles = tk::max(segments, 0);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int p = program / H % p_tiles;
            const int b = program / (H * p_tiles);

            // linear_attention.tk:32: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // linear_attention.tk:33: let end    = if PACKED { tokens } else { min((p + 1) * ..
            const int end = tk::min((p + 1) * length, N);

            // linear_attention.tk:42: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // linear_attention.tk:43: if PACKED { produce qs = tma_load(Qb[t, h, :]); } else ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // linear_attention.tk:44: if PACKED { produce ks = tma_load(Kb[t, h, :]); } else ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // linear_attention.tk:45: if PACKED { produce vs = tma_load(Vb[t, h, :]); } else ..
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 8) {
        // linear_attention.tk:48: role state(DK / 64 warpgroups) {
        tk::registers_at_least<160>();
        const int p_tiles = tk::max(segments, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // linear_attention.tk:31: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // linear_attention.tk:32: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // linear_attention.tk:33: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // linear_attention.tk:35: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // linear_attention.tk:49: var s: f32[DK, DV] = load(S0[b * segments + p, h, :, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {b * segments + p, h, 64 * warpgroup, 0},
                                  b * segments + p > -1 && b * segments + p < I
                                  ? 128 - 64 * warpgroup : 0, 128), thread);

        // linear_attention.tk:50: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // linear_attention.tk:51: produce states = T(s);
            tk::fragment<tk::bf16, 64, 128> t1 = tk::convert<tk::bf16>(s);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(tk::rows<64>(shared.states_tile[states_next_2.stage], 64 * warpgroup),
                             t1, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // linear_attention.tk:52: let n = min(t.start + L, tokens) - t.start;
            const int n = tk::min(t + 64, tokens) - t;

            // linear_attention.tk:53: let k = T((consume ks) * decay.until<L>(g, n));
            const tk::cursor<2> ks_element = shared.ks.take(ks_next);

            // <std.decay>:36: var x: f32[L, 1] = 0;
            tk::column_fragment<float, 64> x;
            tk::zero(x);
            // linear_attention.tk:53
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::load_shared(t0, tk::columns<64>(shared.ks_tile[ks_element.stage], 64 * warpgroup),
                            thread);
            shared.ks.release_after_loads(ks_element);
            tk::fragment<tk::bf16, 64, 64> k;
            tk::map(k, thread, [&](int row, int, tk::bf16 t0) {
                return float(t0) *
                    tk::exp2(g *
                             float(
                                 tk::max(tk::wrapping_subtract(tk::wrapping_subtract(n, 1), row),
                                         0)));
            }, t0);

            // linear_attention.tk:54: let w = shared(if PACKED { pad(k, axis = 0, with = 0) } ..
            tk::store_shared(
                tk::columns<64>(shared.state_w[tk::remainder(tk::divide_down(t, 64), 2)],
                                64 * warpgroup), k, thread);
            tk::fence_async();
            tk::barrier_sync(3, 256);

            // linear_attention.tk:55: s *= exp2(g * f32(n));
            tk::map(s, [&](float s) { return s * tk::exp2(g * float(n)); }, s);

            // linear_attention.tk:56: s += mma(w.T, consume vs);
            shared.vs.wait_full(ks_element);
            tk::mma_async(s,
                          tk::transposed(
                              tk::columns<64>(
                                  shared.state_w[tk::remainder(tk::divide_down(t, 64), 2)],
                                  64 * warpgroup)), shared.vs_tile[ks_element.stage]);
            tk::mma_wait<0>(s);
            shared.vs.release(ks_element);
        }

        // linear_attention.tk:58: store(State[b * segments + p, h, :, :], s);
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 64 * warpgroup, 0},
                      b * segments + p > -1 && b * segments + p < F ? 128 - 64 * warpgroup : 0,
                      128), s, thread);
    } else {
        // linear_attention.tk:60: role output(1 warpgroup) {
        tk::registers_at_least<160>();
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // linear_attention.tk:32: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // linear_attention.tk:33: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // linear_attention.tk:35: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // <std.decay>:16: var x: f32[L, L] = 0;
        tk::fragment<float, 64, 64> x;
        tk::zero(x);

        // linear_attention.tk:61: var pairs: f32[L, L] = decay.pairs<L>(g) * scale;
        tk::fragment<float, 64, 64> pairs;
        tk::map(pairs, thread, [&](int row, int col) {
            const int x_3 = row - col;
            return (x_3 >= 0 ? tk::exp2(g * float(tk::max(x_3, 0))) : 0.0f) * scale;
        });

        // linear_attention.tk:62: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // linear_attention.tk:63: let k = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // linear_attention.tk:64: let v = consume vs;
            shared.vs.wait_full(k_element);

            // linear_attention.tk:65: let q = consume qs;
            shared.qs.wait_full(k_element);

            // linear_attention.tk:66: let p = if TURNED { mma(q, v.T) } else { mma(q, k.T) };
            tk::fragment<float, 64, 64> p_2;
            tk::mma_async(p_2, shared.qs_tile[k_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // linear_attention.tk:67: let s = consume states;
            shared.states.wait_full(k_element);

            // linear_attention.tk:68: var o = if TURNED { mma(q, s.T) } else { mma(q, s) };
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, shared.qs_tile[k_element.stage], shared.states_tile[k_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<1>(p_2);
            shared.ks.release(k_element);

            // linear_attention.tk:70: let w = T(if PACKED { pad(a, axis = 1, with = 0) } else { ..
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, [](float p_2, float pairs) { return p_2 * pairs; }, p_2, pairs);

            // <std.decay>:30: var x: f32[L, 1] = 0;
            tk::pin_waits(warp);
            tk::column_fragment<float, 64> x_2;
            tk::zero(x_2);
            tk::mma_wait<0>(o);
            shared.states.release(k_element);
            shared.qs.release(k_element);

            // linear_attention.tk:71: o *= decay.since<L>(g) * scale;
            tk::map(o, thread, [&](int row, int, float o) {
                return o * (tk::exp2(g * float(row + 1)) * scale);
            }, o);

            // linear_attention.tk:72: if TURNED { o += mma(w, k); } else { o += mma(w, v); }
            tk::mma_async(o, w, shared.vs_tile[k_element.stage]);
            tk::mma_wait<0>(o, w);
            shared.vs.release(k_element);

            // linear_attention.tk:73: if PACKED { store(Ob[t, h, :], T(o)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::store_shared(shared.output_O[panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::subtile<64, 64>(o, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(4, 128);
                if (leader) tk::tma_store(O_map, shared.output_O[panel / 64 % 2], b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// ends: kernel ends with T = bf16, DK = 128, DV = 128, L = 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 131168 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> state_k[2];
    tk::pipeline<3> ks;
    tk::pipeline<3> vs;
};
static_assert(offsetof(ends_shared, vs) == 131120);

__global__ void __launch_bounds__(384, 1) ends_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<float, 4> End, int B,
    int N, int H, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // linear_attention.tk:96: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> ks_next, vs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int p = program / H % p_tiles;
            const int b = program / (H * p_tiles);

            // linear_attention.tk:97: for t in p * length..min((p + 1) * length, N) by L {
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                // linear_attention.tk:98: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // linear_attention.tk:99: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 16384);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else {
        // linear_attention.tk:102: role state(DK / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int p_tiles = tk::max(segments, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> ks_next;
        const int program = blockIdx.x;
        const int h = program % H;
        const int p = program / H % p_tiles;
        const int b = program / (H * p_tiles);

        // linear_attention.tk:92: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // linear_attention.tk:103: var s: f32[DK, DV] = 0;
        tk::fragment<float, 64, 128> s;
        tk::zero(s);

        // linear_attention.tk:104: for t in p * length..min((p + 1) * length, N) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // linear_attention.tk:105: let n = min(t.start + L, N) - t.start;
            const int n = tk::min(t + 64, N) - t;

            // linear_attention.tk:106: let k = shared(T((consume ks) * decay.until<L>(g, n)));
            const tk::cursor<3> ks_element = shared.ks.take(ks_next);

            // <std.decay>:36: var x: f32[L, 1] = 0;
            tk::column_fragment<float, 64> x;
            tk::zero(x);
            // linear_attention.tk:106
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, tk::columns<64>(shared.ks_tile[ks_element.stage], 64 * warpgroup),
                            thread);
            shared.ks.release_after_loads(ks_element);
            tk::fragment<tk::bf16, 64, 64> t0;
            tk::map(t0, thread, [&](int row, int, tk::bf16 t1) {
                return float(t1) *
                    tk::exp2(g *
                             float(
                                 tk::max(tk::wrapping_subtract(tk::wrapping_subtract(n, 1), row),
                                         0)));
            }, t1);
            tk::store_shared(
                tk::columns<64>(shared.state_k[tk::remainder(tk::divide_down(t, 64), 2)],
                                64 * warpgroup), t0, thread);
            tk::fence_async();
            tk::barrier_sync(3, 256);

            // linear_attention.tk:107: s *= exp2(g * f32(n));
            tk::map(s, [&](float s) { return s * tk::exp2(g * float(n)); }, s);

            // linear_attention.tk:108: s += mma(k.T, consume vs);
            shared.vs.wait_full(ks_element);
            tk::mma_async(s,
                          tk::transposed(
                              tk::columns<64>(
                                  shared.state_k[tk::remainder(tk::divide_down(t, 64), 2)],
                                  64 * warpgroup)), shared.vs_tile[ks_element.stage]);
            tk::mma_wait<0>(s);
            shared.vs.release(ks_element);
        }

        // linear_attention.tk:110: store(End[b * segments + p, h, :, :], s);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 64 * warpgroup, 0},
                      b * segments + p > -1 && b * segments + p < B * segments
                      ? 128 - 64 * warpgroup : 0, 128), s, thread);
    }
}

// starts: kernel starts with DK = 128, DV = 128, ROWS = 8.
// 128 threads, 64 registers each.
__global__ void __launch_bounds__(128, 8) starts_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<float, 4> Start,
    const tk::tensor_argument<float, 4> State, int H, int I, int F, int sequences, int tokens,
    int segments, int length) {
    tk::wait_for_previous_kernel();

    // linear_attention.tk:115: kernel starts<DK: int = 128, DV: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % 16 * 8;
    const int h = program / 16 % H;
    const int b = program / (16 * H);

    // linear_attention.tk:122: let g = decay.per_token(Decay[h]);
    const float g = tk::cell(Decay, h) * 1.442695f;

    // linear_attention.tk:123: var s: f32[ROWS, DV] = load(S0[b, h, r, :]);
    tk::stripe<float, 8, 128, 128, 32, 4> s;
    tk::load_vectors(s, tk::dense_slice(S0, {b, h, r, 0}, b < I ? 128 - r : 0, 128), thread);

    // linear_attention.tk:124: for p in segments pipelined(4) {
    #pragma unroll 4
    for (int p = 0; p < segments; p += 1) {
        // linear_attention.tk:125: store(Start[b * segments + p, h, r, :], s);
        tk::store_vectors(
            tk::dense_slice(Start, {b * segments + p, h, r, 0},
                            b * segments + p > -1 && b * segments + p < sequences * segments
                            ? 128 - r : 0, 128), s, thread);

        // linear_attention.tk:126: s = s * exp2(g * f32(min((p + 1) * length, tokens) - p * ..
        tk::stripe<float, 8, 128, 128, 32, 4> t1;
        tk::load_vectors(t1,
                         tk::dense_slice(End, {b * segments + p, h, r, 0},
                                         b * segments + p > -1 &&
                                         b * segments + p < sequences * segments ? 128 - r : 0,
                                         128), thread);
        tk::map(s, [&](float s, float t1) {
            return tk::fma(s,
                           tk::exp2(g *
                                    float(
                                        tk::wrapping_subtract(
                                            tk::min(tk::wrapping_multiply(p + 1, length), tokens),
                                            tk::wrapping_multiply(p, length)))), t1);
        }, s, t1);
    }

    // linear_attention.tk:128: store(State[b, h, r, :], s);
    tk::store_vectors(tk::dense_slice(State, {b, h, r, 0}, b < F ? 128 - r : 0, 128), s, thread);
}

// starts_general: kernel starts with DK = 128, DV = 128, ROWS = 8; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) starts_general_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<float, 4> Start,
    const tk::tensor_argument<float, 4> State, int H, int I, int F, int sequences, int tokens,
    int segments, int length) {
    tk::wait_for_previous_kernel();

    // linear_attention.tk:115: kernel starts<DK: int = 128, DV: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % 16 * 8;
    const int h = program / 16 % H;
    const int b = program / (16 * H);

    // linear_attention.tk:122: let g = decay.per_token(Decay[h]);
    const float g = tk::cell(Decay, h) * 1.442695f;

    // linear_attention.tk:123: var s: f32[ROWS, DV] = load(S0[b, h, r, :]);
    tk::stripe<float, 8, 128, 128, 32, 2> s;
    tk::load_global(s, tk::slice(S0, {b, h, r, 0}, b < I ? 128 - r : 0, 128), thread);

    // linear_attention.tk:124: for p in segments pipelined(4) {
    for (int p = 0; p < segments; p += 1) {
        // linear_attention.tk:125: store(Start[b * segments + p, h, r, :], s);
        tk::store_global(
            tk::slice(Start, {b * segments + p, h, r, 0},
                      b * segments + p > -1 && b * segments + p < sequences * segments ? 128 - r
                      : 0, 128), s, thread);

        // linear_attention.tk:126: s = s * exp2(g * f32(min((p + 1) * length, tokens) - p * ..
        tk::stripe<float, 8, 128, 128, 32, 2> t1;
        tk::load_global(t1,
                        tk::slice(End, {b * segments + p, h, r, 0},
                                  b * segments + p > -1 && b * segments + p < sequences * segments
                                  ? 128 - r : 0, 128), thread);
        tk::map(s, [&](float s, float t1) {
            return tk::fma(s,
                           tk::exp2(g *
                                    float(
                                        tk::wrapping_subtract(
                                            tk::min(tk::wrapping_multiply(p + 1, length), tokens),
                                            tk::wrapping_multiply(p, length)))), t1);
        }, s, t1);
    }

    // linear_attention.tk:128: store(State[b, h, r, :], s);
    tk::store_global(tk::slice(State, {b, h, r, 0}, b < F ? 128 - r : 0, 128), s, thread);
}

namespace {
tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& Decay, const tk::tensor& S0,
                         const tk::tensor& O, const tk::tensor& State, int64_t B, int64_t N,
                         int64_t H, int64_t I, int64_t F, float scale, int32_t segments,
                         int32_t length) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).programmatic_launch(),
        tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Decay, S0, State, B, N, H,
        I, F, scale, segments, length);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                       const tk::tensor& Decay, const tk::tensor& End, int64_t B, int64_t N,
                       int64_t H, int32_t segments, int32_t length) {
    return tk::run<ends_kernel>(site, sizeof(ends_shared),
                                tk::kernel_shape(384).programmatic_launch(),
                                tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
                                tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
                                Decay, End, B, N, H, segments, length);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& End, const tk::tensor& S0,
                         const tk::tensor& Decay, const tk::tensor& Start, const tk::tensor& State,
                         int64_t H, int64_t I, int64_t F, int32_t sequences, int32_t tokens,
                         int32_t segments, int32_t length) {
    return tk::run<starts_kernel>(site, 0, tk::kernel_shape(128).programmatic_launch(),
                                  tk::multiply(16 * H, tk::max_of(int64_t{sequences}, 0)), End, S0,
                                  Decay, Start, State, H, I, F, sequences, tokens, segments,
                                  length);
}

tk::status launch_starts_general(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& S0,
    const tk::tensor& Decay, const tk::tensor& Start, const tk::tensor& State, int64_t H, int64_t I,
    int64_t F, int32_t sequences, int32_t tokens, int32_t segments, int32_t length) {
    return tk::run<starts_general_kernel>(site, 0, tk::kernel_shape(128).programmatic_launch(),
                                          tk::multiply(16 * H, tk::max_of(int64_t{sequences}, 0)),
                                          End, S0, Decay, Start, State, H, I, F, sequences, tokens,
                                          segments, length);
}

}  // namespace

extern "C" {
int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* Decay_given, const DLTensor* S0_given, const DLTensor* start_given,
           DLTensor* O_given, DLTensor* State_given, float scale, int32_t segments, int32_t length,
           void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, Decay, 0),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"F", F}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::check(-2147483648 <= tk::multiply(B, int64_t{segments}),
                   "`B*segments` reaches {}; it must fit in 32 bits",
                   {tk::multiply(B, int64_t{segments})}),
         tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
         tk::check(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                   "`segments*length` reaches {}; it must fit in 32 bits",
                   {tk::multiply(int64_t{segments}, int64_t{length})}),
         tk::check(-2147483648 <= int64_t{segments} - 1,
                   "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::check(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                   "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                   {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::check(F <= tk::multiply(B, int64_t{segments}),
                   "`chunks` requires `PACKED or F <= B * segments`"),
         tk::check(int64_t{segments} >= 1, "`chunks` requires `segments >= 1`"),
         tk::check(int64_t{length} >= 64, "`chunks` requires `length >= L`"),
         tk::check(int64_t{length} % 64 == 0, "`chunks` requires `length % L == 0`"),
         tk::check(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                   "`chunks` requires `segments * length >= N`"),
         tk::check(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                   "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
         tk::grid_fits(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
                       2147483648),
         tk::fits("p*length", tk::max_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::check(-2147483648 <=
                   tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                   "`p*length` reaches {}; it must fit in 32 bits",
                   {tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::max_of(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::check(-2147483648 <=
                   tk::min_of(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                   "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                   {
                       tk::min_of(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::max_of(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::check(-2147483648 <= tk::min_of(0, tk::multiply(B - 1, int64_t{segments})),
                   "`b*segments` reaches {}; it must fit in 32 bits",
                   {tk::min_of(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::max_of(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1)),
         tk::fits("min(t.start + 64, tokens) - t.start",
                  tk::min_of(
                      tk::min_of(
                          tk::max_of(int64_t{length},
                                     tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                      1 + 64, N) -
                  tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::check(-2147483648 <=
                   tk::min_of(tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) +
                              64, N) -
                   (tk::min_of(
                        tk::max_of(int64_t{length},
                                   tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                    1), "`min(t.start + 64, tokens) - t.start` reaches {}; it must fit in 32 bits",
                   {
                       tk::min_of(
                           tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) + 64,
                           N) -
                       (tk::min_of(
                            tk::max_of(int64_t{length},
                                       tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                            N) - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).programmatic_launch(),
        tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Decay, S0, State, B, N, H,
        I, F, scale, segments, length));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float, int32_t, int32_t)

int ends(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* Decay_given,
         DLTensor* End_given, int32_t segments, int32_t length, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    call.require({
        tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, V, 0),
        tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
        tk::fixed_extent(V, 3, 128), tk::same_extent("H", K, 2, Decay, 0),
        tk::same_extent("H", K, 2, End, 1), tk::fixed_extent(End, 2, 128),
        tk::fixed_extent(End, 3, 128), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::check(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
        tk::check(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::check(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::check(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::check(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V),
        tk::grid_fits(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
                      2147483648),
        tk::fits("p*length", tk::max_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::fits("(p + 1)*length",
                 tk::max_of(int64_t{length},
                            tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::min_of(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
        tk::fits("min(t.start + 64, N) - t.start",
                 tk::min_of(
                     tk::min_of(
                         tk::max_of(int64_t{length},
                                    tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                     1 + 64, N) -
                 tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) +
                             64, N) -
                  (tk::min_of(
                       tk::max_of(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                   1), "`min(t.start + 64, N) - t.start` reaches {}; it must fit in 32 bits",
                  {
                      tk::min_of(
                          tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) + 64,
                          N) -
                      (tk::min_of(
                           tk::max_of(int64_t{length},
                                      tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                           N) - 1)}),
        tk::fits("b*segments", tk::max_of(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::check(-2147483648 <= tk::min_of(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::min_of(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::max_of(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(384).programmatic_launch(),
                             tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
                             tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
                             Decay, End, B, N, H, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, int32_t,
                int32_t)

int starts(const DLTensor* End_given, const DLTensor* S0_given, const DLTensor* Decay_given,
           DLTensor* Start_given, DLTensor* State_given, int32_t sequences, int32_t tokens,
           int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = End.shape[1];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(End, 2, 128), tk::fixed_extent(End, 3, 128),
         tk::same_extent("H", End, 1, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("H", End, 1, Decay, 0),
         tk::same_extent("H", End, 1, Start, 1), tk::fixed_extent(Start, 2, 128),
         tk::fixed_extent(Start, 3, 128), tk::same_extent("H", End, 1, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::extents_fit({{"H", H}, {"I", I}, {"F", F}}),
         tk::fits("sequences*segments", tk::multiply(int64_t{sequences}, int64_t{segments})),
         tk::check(-2147483648 <= tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "`sequences*segments` reaches {}; it must fit in 32 bits",
                   {tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(End.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "axis 0 of `End` is {}; it must be `sequences*segments`, which is {}",
                   {End.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(Start.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "axis 0 of `Start` is {}; it must be `sequences*segments`, which is {}",
                   {Start.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(I <= int64_t{sequences}, "`starts` requires `I <= sequences`"),
         tk::check(F <= int64_t{sequences}, "`starts` requires `F <= sequences`"),
         tk::check(int64_t{segments} >= 1, "`starts` requires `segments >= 1`"),
         tk::grid_fits(16 * H, 2147483648),
         tk::grid_fits(tk::multiply(16 * H, tk::max_of(int64_t{sequences}, 0)), 2147483648),
         tk::fits("b*segments", tk::multiply(int64_t{sequences} - 1, int64_t{segments})),
         tk::fits("b*segments + p",
                  tk::multiply(int64_t{sequences} - 1, int64_t{segments}) +
                  (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(16 * H, tk::max_of(int64_t{sequences}, 0));
    const bool fast = tk::all_hold(
        {tk::suits_fast(End), tk::suits_fast(S0), tk::suits_fast(Start), tk::suits_fast(State)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<starts_kernel, starts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).programmatic_launch(), programs, End, S0,
        Decay, Start, State, H, I, F, sequences, tokens, segments, length));
}
TK_NO_WORKSPACE(starts, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t, int32_t, int32_t)

int linear_attention(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* Decay_given, const DLTensor* S0_given,
                     const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
                     float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"linear_attention"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, Decay, 0),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"F", F}}),
         tk::check(F <= B, "`linear_attention` requires `PACKED or F <= B`"),
         tk::check(-2147483648 <= tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                   "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                   {tk::ceil_div(tk::max_of(N, 1), 64) * 64}),
         tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 < 2147483648,
                   "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                   {tk::ceil_div(tk::max_of(N, 1), 64) * 64})});
    // chunks(Q, K, V, Decay, S0, start, O, State, scale, 1, ceil_div(max(N, 1), 64)*64)
    call.require({
        tk::fits("B*1", B),
        tk::check(-2147483648 <= B, "`B*1` reaches {}; it must fit in 32 bits", {B}),
        tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 >= 64,
                  "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 >= N,
                  "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::check(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
        tk::grid_fits(H, 2147483648), tk::grid_fits(tk::multiply(H, B), 2147483648),
        tk::fits("(p + 1)*(ceil_div(max(N, 1), 64)*64)",
                 tk::max_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                            tk::ceil_div(tk::max_of(N, 1), 64) * 64)),
        tk::check(-2147483648 <=
                  tk::min_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                             tk::ceil_div(tk::max_of(N, 1), 64) * 64),
                  "`(p + 1)*(ceil_div(max(N, 1), 64)*64)` reaches {}; it must fit in 32 bits",
                  {
                      tk::min_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                                 tk::ceil_div(tk::max_of(N, 1), 64) * 64)}),
        tk::fits("b*1", tk::max_of(0, B - 1)),
        tk::check(-2147483648 <= tk::min_of(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                  {tk::min_of(0, B - 1)}),
        tk::fits("min(t.start + 64, tokens) - t.start",
                 tk::min_of(
                     tk::min_of(
                         tk::max_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                                    tk::ceil_div(tk::max_of(N, 1), 64) * 64), N) - 1 + 64, N)),
        tk::check(-2147483648 <=
                  tk::min_of(64, N) -
                  (tk::min_of(
                       tk::max_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                                  tk::ceil_div(tk::max_of(N, 1), 64) * 64), N) - 1),
                  "`min(t.start + 64, tokens) - t.start` reaches {}; it must fit in 32 bits",
                  {tk::min_of(64, N) -
                   (tk::min_of(
                        tk::max_of(tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                                   tk::ceil_div(tk::max_of(N, 1), 64) * 64), N) - 1)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, Decay, S0, O, State, B, N, H, I, F, scale, static_cast<int32_t>(1),
        static_cast<int32_t>(tk::ceil_div(tk::max_of(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(linear_attention, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)

int linear_attention_segments(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* Decay_given, const DLTensor* S0_given, const DLTensor* start_given,
    DLTensor* O_given, DLTensor* State_given, DLTensor* End_given, DLTensor* Start_given,
    DLTensor* Unused_given, float scale, int32_t segments, int32_t length, void*, size_t,
    cudaStream_t stream) {
    tk::arguments call{"linear_attention_segments"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::fixed_extent(V, 3, 128), tk::same_extent("H", Q, 2, Decay, 0),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("H", Q, 2, State, 1),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128),
         tk::same_extent("H", Q, 2, End, 1), tk::fixed_extent(End, 2, 128),
         tk::fixed_extent(End, 3, 128), tk::same_extent("H", Q, 2, Start, 1),
         tk::fixed_extent(Start, 2, 128), tk::fixed_extent(Start, 3, 128),
         tk::same_extent("H", Q, 2, Unused, 1), tk::fixed_extent(Unused, 2, 128),
         tk::fixed_extent(Unused, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"P", P}, {"F", F}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::check(-2147483648 <= tk::multiply(B, int64_t{segments}),
                   "`B*segments` reaches {}; it must fit in 32 bits",
                   {tk::multiply(B, int64_t{segments})}),
         tk::check(End.shape[0] == tk::multiply(B, int64_t{segments}),
                   "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                   {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::check(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                   "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                   {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::check(Unused.shape[0] == tk::min_of(B, 0),
                   "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                   {Unused.shape[0], tk::min_of(B, 0)}),
         tk::check(P == 0, "`linear_attention_segments` requires `P == 0`"),
         tk::check(I <= B, "`linear_attention_segments` requires `I <= B`"),
         tk::check(F <= B, "`linear_attention_segments` requires `F <= B`")});
    // ends(K, V, Decay, End, segments, length)
    call.require({
        tk::check(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::check(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::check(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V),
        tk::grid_fits(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(H, tk::max_of(int64_t{segments}, 0)), B),
                      2147483648),
        tk::fits("p*length", tk::max_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::fits("(p + 1)*length",
                 tk::max_of(int64_t{length},
                            tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::min_of(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
        tk::fits("min(t.start + 64, N) - t.start",
                 tk::min_of(
                     tk::min_of(
                         tk::max_of(int64_t{length},
                                    tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                     1 + 64, N) -
                 tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::check(-2147483648 <=
                  tk::min_of(tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) +
                             64, N) -
                  (tk::min_of(
                       tk::max_of(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})), N) -
                   1), "`min(t.start + 64, N) - t.start` reaches {}; it must fit in 32 bits",
                  {
                      tk::min_of(
                          tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length})) + 64,
                          N) -
                      (tk::min_of(
                           tk::max_of(int64_t{length},
                                      tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                           N) - 1)}),
        tk::fits("b*segments", tk::max_of(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::check(-2147483648 <= tk::min_of(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::min_of(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::max_of(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    // starts(End, S0, Decay, Start, State, B, N, segments, length)
    call.require(
        {tk::grid_fits(16 * H, 2147483648),
         tk::grid_fits(tk::multiply(16 * H, tk::max_of(B, 0)), 2147483648),
         tk::fits("b*segments", tk::multiply(B - 1, int64_t{segments})),
         tk::fits("b*segments + p",
                  tk::multiply(B - 1, int64_t{segments}) + (int64_t{segments} - 1))});
    // chunks(Q, K, V, Decay, Start, start, O, Unused, scale, segments, length)
    call.require({
        tk::check(tk::multiply(B, int64_t{segments}) < 2147221504,
                  "`B*segments` is {}; extents must be less than 2147221504",
                  {tk::multiply(B, int64_t{segments})}),
        tk::check(tk::min_of(B, 0) < 2147221504,
                  "`min(B, 0)` is {}; extents must be less than 2147221504", {tk::min_of(B, 0)}),
        tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
        tk::check(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                  "`segments*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{length})}),
        tk::check(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
        tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
        tk::check(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
        tk::check(tk::min_of(B, 0) <= tk::multiply(B, int64_t{segments}),
                  "`chunks` requires `PACKED or (min(B, 0)) <= B * segments`"),
        tk::check(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`chunks` requires `segments * length >= N`"),
        tk::check(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_store(O)});
    if (!call.ok()) return tk::finish(call.result());

    // starts(End, S0, Decay, Start, State, B, N, segments, length)
    const bool choice_2 = tk::all_hold(
        {tk::suits_fast(End), tk::suits_fast(S0), tk::suits_fast(Start), tk::suits_fast(State)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_ends(site, K, V, Decay, End, B, N, H, segments, length));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_starts(site, tk::read_only(End), S0, Decay, Start, State, H, I, F,
                          static_cast<int32_t>(B), static_cast<int32_t>(N), segments, length));
    } else {
        TK_FINISH_IF_FAILED(launch_starts_general(
            site, tk::read_only(End), S0, Decay, Start, State, H, I, F, static_cast<int32_t>(B),
            static_cast<int32_t>(N), segments, length));
    }
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, Decay, tk::read_only(Start), O, Unused, B, N, H,
        tk::multiply(B, int64_t{segments}), tk::min_of(B, 0), scale, segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(linear_attention_segments, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float, int32_t, int32_t)
}  // extern "C"
