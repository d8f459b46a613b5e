// Made by tkc from gated_delta.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// gates: kernel gates with T = f32, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory: gates_kernel<5, 16, 4, true>.
// gates_general: kernel gates with T = f32, L = 64, BH = 32; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: gates_kernel<1, 32, 2, false>.
struct gates_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gates_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<float, 3> G, const tk::tensor_argument<float, 3> W,
    const tk::tensor_argument<float, 3> C, int B, int N, int H) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gates_shared& shared = *reinterpret_cast<gates_shared*>(memory);

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(tk::divide_up(N, 64) * 64, 64);

    // gated_delta.tk:15: kernel gates<T: dtype = f32, L: int = 64, BH: int = 32>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta.tk:20: let a = (f32(load(Gate[b, t, h])) * LOG2E).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Gate, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::stripe<float, 32, 64, 128, row_threads, vector> a;
    tk::transpose(a, t1, shared.gates_turned[0], thread, 1);

    // gated_delta.tk:21: let g = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> g;
    tk::running_sums(g, a, thread);

    // gated_delta.tk:22: store(G[b, h, t], g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(G, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), g,
        thread);

    // gated_delta.tk:23: store(W[b, h, t], exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::fold_rows(t4, a, tk::plus{}, thread);
    tk::finish_rows(t4, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t5;
    tk::map(t5, [](float t4, float g) { return tk::exp2(t4 - g); }, t4, g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(W, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), t5,
        thread);

    // gated_delta.tk:24: store(C[b, h, t], f32(load(Beta[b, t, h])).T);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_vectors<vectors>(Beta, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::transpose(t7, t6, shared.gates_turned[0], thread, 1);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(C, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), t7,
        thread);
}

// chunks: kernel chunks with T = bf16, DK = 128, BV = 64, L = 64.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 144 registers a thread; state: 1
// warpgroup, 192 registers a thread; output: 1 warpgroup, 152 registers a thread.
// 512 threads, 128 registers each at first, 219408 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<float, 1, 64> ms_g[2];
    unsigned char unused[1536];
    tk::shared_tile<float, 64, 1> ms_gc[2];
    unsigned char unused_2[1536];
    tk::shared_tile<float, 1, 64> ms_beta[2];
    unsigned char unused_3[1536];
    tk::shared_tile<float, 64, 1> ms_bc[2];
    unsigned char unused_4[1536];
    tk::shared_tile<float, 1, 64> gs_g[2];
    unsigned char unused_5[1536];
    tk::shared_tile<float, 64, 1> gs_gc[2];
    unsigned char unused_6[1536];
    tk::shared_tile<float, 1, 64> gs_w[2];
    unsigned char unused_7[1536];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> states_tile[2];
    tk::shared_tile<tk::f16, 64, 64> aux_all[2];
    tk::shared_tile<tk::f16, 64, 64> aux_t7[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<3> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ms;
    tk::pipeline<2> gs;
    tk::pipeline<2> ts;
    tk::pipeline<2> us;
    tk::pipeline<2> states;
};
static_assert(offsetof(chunks_shared, states) == 219376);

__global__ void __launch_bounds__(512, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap O_map, const tk::tensor_argument<const float, 4> S0,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State, int B,
    int N, int H, int DV, int I, int F, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, G_map, C_map, V_map, W_map, Q_map, O_map);
        shared.ks.init(1, 12);
        shared.qs.init(1, 4);
        shared.vs.init(1, 4);
        shared.ms.init(1, 4);
        shared.gs.init(1, 8);
        shared.ts.init(4, 4);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_delta.tk:43: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 64);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> gs_next, ms_next, qs_next, vs_next;
            tk::cursor<3> ks_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H);

            // gated_delta.tk:44: for t in N by L {
            #pragma unroll 1
            for (int t = 0; t < N; t += 64) {
                // gated_delta.tk:45: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta.tk:46: produce ms {
                shared.ms.begin(ms_next, 1024);

                // gated_delta.tk:47: g = tma_load(G[b, h, t.start +: L]); gc = ..
                tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage], b, h,
                             t);
                tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage], b,
                             h, t);

                // gated_delta.tk:48: beta = tma_load(C[b, h, t.start +: L]); bc = ..
                tk::tma_load(shared.ms_beta[ms_next.stage], C_map, shared.ms.full[ms_next.stage], b,
                             h, t);
                tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage], b,
                             h, t);
                // gated_delta.tk:46
                ms_next.advance();

                // gated_delta.tk:50: produce vs = tma_load(V[b, t, h, c]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();

                // gated_delta.tk:51: produce gs {
                shared.gs.begin(gs_next, 768);

                // gated_delta.tk:52: g = tma_load(G[b, h, t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             h, t);

                // gated_delta.tk:53: w = tma_load(W[b, h, t.start +: L]);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], b, h,
                             t);
                // gated_delta.tk:51
                gs_next.advance();

                // gated_delta.tk:55: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta.tk:58: role aux(1 warpgroup) {
        tk::registers_at_least<144>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> ks_next;
        tk::cursor<2> ms_next, ts_next_2;

        // gated_delta.tk:59: for t in N by L {
        tk::fragment<tk::f16, 64, 64> t1;
        tk::fragment<float, 64, 64> inv;
        tk::fragment<tk::f16, 64, 64> t5;
        tk::fragment<tk::bf16, 64, 64> t9;
        for (int t = 0; t < N; t += 64) {
            // gated_delta.tk:60: let k = consume ks;
            const tk::cursor<3> k_element = shared.ks.take(ks_next);

            // gated_delta.tk:61: let a = consume ms;
            const tk::cursor<2> a = shared.ms.take(ms_next);

            // gated_delta.tk:62: let m = mma(k, k.T) * decay.between(a.gc, a.g) * a.bc;
            tk::fragment<float, 64, 64> t0;
            tk::mma_async(t0, shared.ks_tile[k_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(t0);
            shared.ks.release(k_element);

            // gated_delta.tk:63: let low = where(row_index(m) > col_index(m), m, 0);
            tk::column_fragment<float, 64> t2;
            tk::map(t2, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.ms_g[a.stage], thread);
            tk::column_fragment<float, 64> t11;
            tk::map(t11, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a.stage], row, 0);
            });
            tk::fragment<float, 64, 64> low;
            tk::map(low, thread, [](int row, int col, float t0, float t2, float t10, float t11) {
                return row > col ? t0 * tk::exp2(row >= col ? t2 - t10 : -INFINITY) * t11 : 0.0f;
            }, t0, t2, t10, t11);

            // <std.triangular>:11: let all = shared(f16(m));
            if (t + 64 <= N && t + 64 <= N) {
                t1 = tk::convert<tk::f16>(low);
            } else {
                tk::map(t1, thread, [&](int row, int col, float low) {
                    const int x_2 = N - t;
                    return col < x_2 ? (row < x_2 ? low : 0.0f) : 0.0f;
                }, low);
            }
            tk::store_shared(shared.aux_all[t / 64 % 2], t1, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // <std.triangular>:12: var inv: f32[L, L] = where(i == j, 1, where(i >> 1 == j >> 1, ..
            if (t + 64 <= N && t + 64 <= N) {
                tk::map(inv, thread, [](int row, int col, float low) {
                    return row == col ? 1.0f : row >> 1 == col >> 1 ? -low : 0.0f;
                }, low);
            } else {
                tk::map(inv, thread, [&](int row, int col, float low) {
                    const int x_2 = N - t;
                    return row == col ? 1.0f : row >> 1 == col >> 1
                        ? -(col < x_2 ? (row < x_2 ? low : 0.0f) : 0.0f) : 0.0f;
                }, low);
            }

            // <std.triangular>:13: for b in 1..log2(L) {
            tk::barrier_sync(2, 128);
            for (int b_2 = 1; b_2 < 6; b_2 += 1) {
                // <std.triangular>:15: let t = where(inside, mma(f16(inv), all), 0);
                tk::fragment<tk::f16, 64, 64> t3 = tk::convert<tk::f16>(inv);
                tk::fragment<float, 64, 64> t4;
                tk::mma_async(t4, t3, shared.aux_all[t / 64 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t4, t3);

                // <std.triangular>:16: inv -= mma(f16(t), shared(f16(inv)));
                if ((0 >> (b_2 & 31)) + 1 <= 0 >> (b_2 & 31)) {
                    tk::map(t5, thread, [&](int row, int col, float t4) {
                        const int x_2 = b_2 + 1;
                        return row >> (x_2 & 31) == col >> (x_2 & 31) ? t4 : 0.0f;
                    }, t4);
                } else {
                    tk::map(t5, thread, [&](int row, int col, float t4) {
                        const int x_2 = b_2 + 1;
                        return row >> (b_2 & 31) > col >> (b_2 & 31) &&
                            row >> (x_2 & 31) == col >> (x_2 & 31) ? t4 : 0.0f;
                    }, t4);
                }
                tk::store_shared(shared.aux_t7[b_2 % 2], t3, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::fragment<float, 64, 64> t8;
                tk::mma_async(t8, t5, shared.aux_t7[b_2 % 2], tk::accumulate_never{});
                tk::mma_wait<0>(t8, t5);
                tk::map(inv, [](float inv, float t8) { return inv - t8; }, inv, t8);
            }

            // gated_delta.tk:64: let x = triangular.unit_lower_inverse(pad(pad(low, axis = 0, ..
            tk::fragment<float, 64, 64> x = inv;

            // gated_delta.tk:65: produce ts = T(pad(pad(x * a.beta, axis = 0, with = 0), axis = ..
            tk::row_fragment<float, 64> t12;
            tk::load_shared(t12, shared.ms_beta[a.stage], thread);
            shared.ms.release_after_loads(a);
            if (t + 64 <= N && t + 64 <= N) {
                tk::map(t9, [](float x, float t12) { return x * t12; }, x, t12);
            } else {
                tk::map(t9, thread, [&](int row, int col, float x, float t12) {
                    const int x_2 = N - t;
                    return col < x_2 ? (row < x_2 ? x * t12 : 0.0f) : 0.0f;
                }, x, t12);
            }
            shared.ts.wait_empty(ts_next_2);
            tk::store_shared(shared.ts_tile[ts_next_2.stage], t9, thread);
            shared.ts.publish(ts_next_2);
            ts_next_2.advance();
        }
    } else if (warp < 8) {
        // gated_delta.tk:68: role state(1 warpgroup) {
        tk::registers_at_least<192>();
        const int c_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> ks_next;
        tk::cursor<2> states_next_2, us_next_2, vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H);

        // gated_delta.tk:69: var s: f32[BV, DK] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < I ? DV - c : 0, 128), thread);

        // gated_delta.tk:70: for t in N by L {
        tk::fragment<tk::bf16, 64, 64> t3;
        tk::fragment<tk::bf16, 64, 64> t6;
        for (int t = 0; t < N; t += 64) {
            // gated_delta.tk:71: let k = consume ks;
            const tk::cursor<3> k_element = shared.ks.take(ks_next);

            // gated_delta.tk:72: let copy = T(s);
            tk::fragment<tk::bf16, 64, 128> copy = tk::convert<tk::bf16>(s);

            // gated_delta.tk:73: let y = mma(copy, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, copy, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta.tk:74: let v = consume vs;
            const tk::cursor<2> v_element = shared.vs.take(vs_next);

            // gated_delta.tk:75: let a = consume gs;
            shared.gs.wait_full(v_element);

            // gated_delta.tk:76: let x = consume ts;
            shared.ts.wait_full(v_element);

            // gated_delta.tk:77: var u = mma(v.T, x.T);
            tk::fragment<float, 64, 64> u;
            tk::mma_async(u, tk::transposed(shared.vs_tile[v_element.stage]),
                          tk::transposed(shared.ts_tile[v_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:78: produce states = copy;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], copy, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();
            tk::mma_wait<1>(y, copy);

            // gated_delta.tk:79: u += mma(T(pad(-y * exp2(a.g), axis = 1, with = 0)), x.T);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_g[v_element.stage], thread);
            if (t + 64 <= N) {
                tk::map(t3, [](float y, float t0) { return -y * tk::exp2(t0); }, y, t0);
            } else {
                tk::map(t3, thread, [&](int, int col, float y, float t0) {
                    return col < N - t ? -y * tk::exp2(t0) : 0.0f;
                }, y, t0);
            }
            tk::mma_async(u, t3, tk::transposed(shared.ts_tile[v_element.stage]));

            // gated_delta.tk:80: s *= exp2(scalar(a.g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t5;
            tk::load_shared(t5, tk::part<0, 63, 1, 1>(shared.gs_g[v_element.stage]), thread);
            const float number = t5.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:81: s += mma(T(pad(u * a.w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u, t3);
            shared.vs.release(v_element);
            shared.ts.release(v_element);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_w[v_element.stage], thread);
            shared.gs.release_after_loads(v_element);
            if (t + 64 <= N) {
                tk::map(t6, [](float u, float t1) { return u * t1; }, u, t1);
            } else {
                tk::map(t6, thread, [&](int, int col, float u, float t1) {
                    return col < N - t ? u * t1 : 0.0f;
                }, u, t1);
            }
            tk::mma_async(s, t6, shared.ks_tile[k_element.stage]);

            // gated_delta.tk:82: produce us = T(u);
            tk::fragment<tk::bf16, 64, 64> t7 = tk::convert<tk::bf16>(u);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t7, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t6);
            shared.ks.release(k_element);
        }

        // gated_delta.tk:84: store(State[b, h, c, :], s);
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 128), s, thread);
    } else {
        // gated_delta.tk:86: role output(1 warpgroup) {
        tk::registers_at_least<152>();
        const int c_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<3> ks_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H);

        // gated_delta.tk:87: for t in N by L {
        for (int t = 0; t < N; t += 64) {
            // gated_delta.tk:88: let k = consume ks;
            const tk::cursor<3> k_element = shared.ks.take(ks_next);

            // gated_delta.tk:89: let a = consume gs;
            const tk::cursor<2> a = shared.gs.take(gs_next);

            // gated_delta.tk:90: let q = consume qs;
            shared.qs.wait_full(a);

            // gated_delta.tk:91: let p = mma(q, k.T);
            tk::fragment<float, 64, 64> p;
            tk::mma_async(p, shared.qs_tile[a.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:92: let s = consume states;
            shared.states.wait_full(a);

            // gated_delta.tk:93: var o = mma(q, s.T);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[a.stage], tk::transposed(shared.states_tile[a.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(p);
            shared.ks.release(k_element);

            // gated_delta.tk:94: let w = T(pad(p * decay.between(a.gc, a.g), axis = 1, with = 0));
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_g[a.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t1, float t3, float p) {
                return col < N - t ? p * tk::exp2(row >= col ? t1 - t3 : -INFINITY) : 0.0f;
            }, t1, t3, p);

            // gated_delta.tk:95: o *= exp2(a.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t4;
            tk::map(t4, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            shared.gs.release_after_loads(a);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4); }, t4);
            tk::mma_wait<0>(o);
            shared.states.release(a);
            shared.qs.release(a);
            tk::map(o, [](float o, float t0) { return o * t0; }, o, t0);

            // gated_delta.tk:96: let u = consume us;
            shared.us.wait_full(a);

            // gated_delta.tk:97: o += mma(w, u.T);
            tk::mma_async(o, w, tk::transposed(shared.us_tile[a.stage]));
            tk::mma_wait<0>(o, w);
            shared.us.release(a);

            // gated_delta.tk:98: tma_store(O[b, t, h, c], T(o * scale));
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::map(t2, [&](float o) { return o * scale; }, o);
                tk::store_shared(shared.output_O[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (DV % 8 != 0 && DV < c + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice<1, 3>(O, {b, t, h, c + panel}, N - t, DV - (c + panel)),
                        shared.output_O[0]);
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
tk::status launch_gates(const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
                        const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B,
                        int64_t N, int64_t H) {
    return tk::run<gates_kernel<5, 16, 4, true>>(
        site, sizeof(gates_shared), tk::kernel_shape(128),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Gate, Beta,
        G, W, C, B, N, H);
}

tk::status launch_gates_general(const tk::launch_site& site, const tk::tensor& Gate,
                                const tk::tensor& Beta, const tk::tensor& G, const tk::tensor& W,
                                const tk::tensor& C, int64_t B, int64_t N, int64_t H) {
    return tk::run<gates_kernel<1, 32, 2, false>>(
        site, sizeof(gates_shared), tk::kernel_shape(128),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Gate, Beta,
        G, W, C, B, N, H);
}

tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& G, const tk::tensor& W,
                         const tk::tensor& C, const tk::tensor& S0, const tk::tensor& O,
                         const tk::tensor& State, int64_t B, int64_t N, int64_t H, int64_t DV,
                         int64_t I, int64_t F, float scale) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        S0, O, State, B, N, H, DV, I, F, scale);
}

}  // namespace

extern "C" {
int gates(const DLTensor* Gate_given, const DLTensor* Beta_given, DLTensor* G_given,
          DLTensor* W_given, DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gates"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    const int64_t H = Gate.shape[2];
    call.require(
        {tk::same_extent("B", Gate, 0, Beta, 0), tk::same_extent("N", Gate, 1, Beta, 1),
         tk::same_extent("H", Gate, 2, Beta, 2), tk::same_extent("B", Gate, 0, G, 0),
         tk::same_extent("H", Gate, 2, G, 1), tk::same_extent("B", Gate, 0, W, 0),
         tk::same_extent("H", Gate, 2, W, 1), tk::same_extent("B", Gate, 0, C, 0),
         tk::same_extent("H", Gate, 2, C, 1), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::grid_fits(
             tk::multiply(tk::ceil_div(H, 32),
                          tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 32),
                              tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
             2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::ceil_div(H, 32),
                     tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::suits_fast(G), tk::that(tk::ceil_div(N, 64) * 64 % 4 == 0), tk::suits_fast(W),
         tk::suits_fast(C)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<gates_kernel<5, 16, 4, true>, gates_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(gates_shared), tk::kernel_shape(128), programs, Gate, Beta, G, W,
        C, B, N, H));
}
TK_NO_WORKSPACE(gates, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* G_given, const DLTensor* W_given, const DLTensor* C_given,
           const DLTensor* S0_given, DLTensor* O_given, DLTensor* State_given, float scale, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::same_extent("H", Q, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"F", F}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(F <= B, "`chunks` requires `F <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_load(G),
         tk::suits_tma_load(W), tk::suits_tma_load(C), tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        S0, O, State, B, N, H, DV, I, F, scale));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, float)

int gated_delta(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                const DLTensor* Gate_given, const DLTensor* Beta_given, const DLTensor* S0_given,
                DLTensor* O_given, DLTensor* State_given, DLTensor* G_given, DLTensor* W_given,
                DLTensor* C_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_delta"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, Gate, 0), tk::same_extent("N", Q, 1, Gate, 1),
         tk::same_extent("H", Q, 2, Gate, 2), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 128),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"F", F}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(F <= B, "`gated_delta` requires `F <= B`")});
    // gates(Gate, Beta, G, W, C)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32),
                             tk::larger(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
            2147483648)});
    // chunks(Q, K, V, G, W, C, S0, O, State, scale)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(G), tk::suits_tma_load(W), tk::suits_tma_load(C),
         tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gates(Gate, Beta, G, W, C)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::suits_fast(G), tk::suits_fast(W), tk::suits_fast(C)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_gates(site, Gate, Beta, G, W, C, B, N, H));
    } else {
        TK_FINISH_IF_FAILED(launch_gates_general(site, Gate, Beta, G, W, C, B, N, H));
    }
    TK_FINISH_IF_FAILED(
        launch_chunks(site, Q, K, V, tk::read_only(G), tk::read_only(W), tk::read_only(C), S0, O,
                      State, B, N, H, DV, I, F, scale));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)
}  // extern "C"
