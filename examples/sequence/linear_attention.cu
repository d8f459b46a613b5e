// Made by tkc from linear_attention.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// linear_attention: kernel linear_attention with T = bf16, DK = 128, DV = 128, TURNED = false, DQ =
// 128, DO = 128, L = 64.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 213120 bytes of shared memory.
struct linear_attention_shared {
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
static_assert(offsetof(linear_attention_shared, states) == 213088);

__global__ void __launch_bounds__(512, 1) linear_attention_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int I, int F, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    linear_attention_shared& shared = *reinterpret_cast<linear_attention_shared*>(memory);

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
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // linear_attention.tk:52: let s = consume states;
            shared.states.wait_full(k_element);

            // linear_attention.tk:53: var o = if TURNED { mma(q, s.T) } else { mma(q, s) };
            tk::fragment<float, 64, 128> o;
            tk::mma_async(o, shared.qs_tile[k_element.stage], shared.states_tile[k_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.ks.release(k_element);

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
            tk::mma_async(o, w, shared.vs_tile[k_element.stage]);
            tk::mma_wait<0>(o, w);
            shared.vs.release(k_element);

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

// linear_attention_64: kernel linear_attention with T = bf16, DK = 64, DV = 64, TURNED = false, DQ
// = 64, DO = 64, L = 64.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 240 registers a thread; output: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 90240 bytes of shared memory.
struct linear_attention_64_shared {
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> states_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> state_k[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> qs;
    tk::pipeline<2> states;
};
static_assert(offsetof(linear_attention_64_shared, states) == 90208);

__global__ void __launch_bounds__(384, 1) linear_attention_64_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> Decay, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int I, int F, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    linear_attention_64_shared& shared = *reinterpret_cast<linear_attention_64_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.qs.init(1, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // linear_attention.tk:27: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int h = program % H;
            const int b = program / H;

            // linear_attention.tk:28: for t in N by L {
            #pragma unroll 1
            for (int t = 0; t < N; t += 64) {
                // linear_attention.tk:29: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // linear_attention.tk:30: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // linear_attention.tk:31: produce vs = tma_load(V[b, t, h, :]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, 0);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // linear_attention.tk:34: role state(DK / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> ks_next, states_next_2;
        const int program = blockIdx.x;
        const int h = program % H;
        const int b = program / H;

        // linear_attention.tk:21: let g = decay.per_token(Decay[h]);
        const float g = tk::cell(Decay, h) * 1.442695f;

        // linear_attention.tk:35: var s: f32[DK, DV] = load(S0[b, h, :, :]);
        tk::fragment<float, 64, 64> s;
        tk::load_global(s, tk::slice(S0, {b, h, 0, 0}, b < I ? 64 : 0, 64), thread);

        // linear_attention.tk:36: for t in N by L {
        for (int t = 0; t < N; t += 64) {
            // linear_attention.tk:37: produce states = T(s);
            tk::fragment<tk::bf16, 64, 64> t1 = tk::convert<tk::bf16>(s);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], t1, thread);
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
            tk::load_shared(t0, shared.ks_tile[ks_element.stage], thread);
            shared.ks.release_after_loads(ks_element);
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int, tk::bf16 t0) {
                return float(t0) * tk::exp2(g * float(tk::max(n - 1 - row, 0)));
            }, t0);
            tk::store_shared(shared.state_k[t / 64 % 2], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // linear_attention.tk:40: s *= exp2(g * f32(n));
            tk::map(s, [&](float s) { return s * tk::exp2(g * float(n)); }, s);

            // linear_attention.tk:41: s += mma(k.T, consume vs);
            shared.vs.wait_full(ks_element);
            tk::mma_async(s, tk::transposed(shared.state_k[t / 64 % 2]),
                          shared.vs_tile[ks_element.stage]);
            tk::mma_wait<0>(s);
            shared.vs.release(ks_element);
        }

        // linear_attention.tk:43: store(State[b, h, :, :], s);
        tk::store_global(tk::slice(State, {b, h, 0, 0}, b < F ? 64 : 0, 64), s, thread);
    } else {
        // linear_attention.tk:45: role output(1 warpgroup) {
        tk::registers_at_least<240>();
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
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // linear_attention.tk:52: let s = consume states;
            shared.states.wait_full(k_element);

            // linear_attention.tk:53: var o = if TURNED { mma(q, s.T) } else { mma(q, s) };
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[k_element.stage], shared.states_tile[k_element.stage],
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.ks.release(k_element);

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
            tk::mma_async(o, w, shared.vs_tile[k_element.stage]);
            tk::mma_wait<0>(o, w);
            shared.vs.release(k_element);

            // linear_attention.tk:57: tma_store(O[b, t, h, :], T(o));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.output_O[0], tk::convert<tk::bf16>(o), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(O_map, shared.output_O[0], b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
int run_linear_attention(const char* function, tk::candidates offered, const DLTensor* Q_given,
                         const DLTensor* K_given, const DLTensor* V_given,
                         const DLTensor* Decay_given, const DLTensor* S0_given, DLTensor* O_given,
                         DLTensor* State_given, float scale, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Decay = call.take("Decay", Decay_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::same_extent("B", Q, 0, K, 0), tk::same_extent("N", Q, 1, K, 1),
         tk::same_extent("H", Q, 2, K, 2), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("H", Q, 2, Decay, 0), tk::same_extent("H", Q, 2, S0, 1),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("H", Q, 2, State, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"I", I}, {"F", F}}),
         tk::that(F <= B, "`linear_attention` requires `F <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V), tk::suits_tma_store(O),
         tk::grid_fits(tk::multiply(H, B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // linear_attention
    choice.require(
        {tk::fixed_extent(Q, 3, 128), tk::fixed_extent(K, 3, 128), tk::fixed_extent(V, 3, 128),
         tk::fixed_extent(S0, 2, 128), tk::fixed_extent(S0, 3, 128), tk::fixed_extent(O, 3, 128),
         tk::fixed_extent(State, 2, 128), tk::fixed_extent(State, 3, 128)});
    choice.offer(tk::multiply(H, B),
                 10204 +
                 tk::multiply(
                     tk::larger(1536,
                                (Q.stride[1] % 64 == 0 ? 328 : 482) +
                                (K.stride[1] % 64 == 0 ? 328 : 482) +
                                (V.stride[1] % 64 == 0 ? 328 : 482)) + 3472, tk::ceil_div(N, 64)) +
                 228 * (tk::ceil_div(N, 64) * 2));
    choice.candidate();  // linear_attention_64
    choice.require(
        {tk::fixed_extent(Q, 3, 64), tk::fixed_extent(K, 3, 64), tk::fixed_extent(V, 3, 64),
         tk::fixed_extent(S0, 2, 64), tk::fixed_extent(S0, 3, 64), tk::fixed_extent(O, 3, 64),
         tk::fixed_extent(State, 2, 64), tk::fixed_extent(State, 3, 64)});
    choice.offer(tk::multiply(H, B),
                 4060 +
                 tk::multiply(
                     tk::larger(512,
                                (Q.stride[1] % 64 == 0 ? 164 : 241) +
                                (K.stride[1] % 64 == 0 ? 164 : 241) +
                                (V.stride[1] % 64 == 0 ? 164 : 241)) + 2548, tk::ceil_div(N, 64)));
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<linear_attention_kernel>(
            site, sizeof(linear_attention_shared), tk::kernel_shape(512), tk::multiply(H, B),
            tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
            tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Decay, S0, State, B,
            N, H, I, F, scale));
    }
    return tk::finish(tk::run<linear_attention_64_kernel>(
        site, sizeof(linear_attention_64_shared), tk::kernel_shape(384), tk::multiply(H, B),
        tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, Decay, S0, State, B, N, H,
        I, F, scale));
}

}  // namespace

extern "C" {
int linear_attention(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     const DLTensor* Decay_given, const DLTensor* S0_given, DLTensor* O_given,
                     DLTensor* State_given, float scale, void*, size_t, cudaStream_t stream) {
    return run_linear_attention("linear_attention", {0, 1}, Q_given, K_given, V_given, Decay_given,
                                S0_given, O_given, State_given, scale, stream);
}
TK_NO_WORKSPACE(linear_attention, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)

int linear_attention_64(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        const DLTensor* Decay_given, const DLTensor* S0_given, DLTensor* O_given,
                        DLTensor* State_given, float scale, void*, size_t, cudaStream_t stream) {
    return run_linear_attention("linear_attention_64", {1}, Q_given, K_given, V_given, Decay_given,
                                S0_given, O_given, State_given, scale, stream);
}
TK_NO_WORKSPACE(linear_attention_64, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
