// Made by tkc from mamba2.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// gates: kernel gates with T = bf16, SOFTPLUS = true, PACKED = false, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory: gates_kernel<5, 8, 8, true>.
// gates_general: kernel gates with T = bf16, SOFTPLUS = true, PACKED = false, L = 64, BH = 32; any
// strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: gates_kernel<1, 32, 2, false>.
struct gates_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gates_kernel(
    const tk::tensor_argument<const tk::bf16, 3> Dt, const tk::tensor_argument<const float, 1> A,
    const tk::tensor_argument<const float, 1> bias, const tk::tensor_argument<float, 3> G,
    const tk::tensor_argument<float, 3> Step, const tk::tensor_argument<float, 3> W, int B, int N,
    int H, float dt_min, float dt_max) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gates_shared& shared = *reinterpret_cast<gates_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(tk::divide_up(N, 64) * 64, 64);

    // mamba2.tk:26: kernel gates<T: dtype = bf16, SOFTPLUS: bool = true, PACKED: bool = false, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // mamba2.tk:52: let y  = step<SOFTPLUS>(f32(load(Dt[b, t, h])) + load(bias[h]), dt_min, ..
    tk::stripe<tk::bf16, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Dt, {b, t, h}, N - t, H - h), thread);
    tk::stripe<float, 1, 32, 128, row_threads, vector> t1;
    tk::load_slice<vectors>(t1, tk::slice_if_vectors<vectors>(bias, {h}, 1, H - h), thread);

    // mamba2.tk:53: let dt = where(t.start + row_index(y) < N, y, 0).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t2;
    tk::map(t2, thread, [&](int row, int, tk::bf16 t0, float t1) {
        const float x = float(t0) + t1;
        const float x_2 = tk::exp(-tk::abs(x));
        const float x_3 = tk::divide(x_2, 2.0f + x_2);
        const float x_4 = x_3 * x_3;
        return t + row < N ? tk::min(
            tk::max(
                tk::fma(2.0f * x_3,
                        tk::fma(x_4,
                                tk::fma(x_4,
                                        tk::fma(x_4,
                                                tk::fma(x_4,
                                                        tk::fma(x_4,
                                                                tk::fma(x_4,
                                                                        tk::divide(1.0f, 13.0f),
                                                                        tk::divide(1.0f, 11.0f)),
                                                                tk::divide(1.0f, 9.0f)),
                                                        tk::divide(1.0f, 7.0f)),
                                                tk::divide(1.0f, 5.0f)), tk::divide(1.0f, 3.0f)),
                                1.0f), tk::max(x, 0.0f)), dt_min), dt_max) : 0.0f;
    }, t0, t1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> dt;
    tk::transpose(dt, t2, shared.gates_turned[0], thread, 1);

    // mamba2.tk:54: let a  = dt * column(load(A[h])) * LOG2E;
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::load_global(t4, tk::slice<0, tk::no_axis>(A, {h}, H - h, 1), thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> a;
    tk::map(a, [](float dt, float t4) { return dt * t4 * 1.442695f; }, dt, t4);

    // mamba2.tk:55: let g  = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> g;
    tk::running_sums(g, a, thread);

    // mamba2.tk:56: store(G[b, h, t], g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(G, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), g,
        thread);

    // mamba2.tk:57: store(Step[b, h, t], dt);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(Step, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), dt,
        thread);

    // mamba2.tk:58: store(W[b, h, t], dt * exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, row_threads, vector> t6;
    tk::fold_rows(t6, a, tk::plus{}, thread);
    tk::finish_rows(t6, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::map(t7, [](float dt, float t6, float g) { return dt * tk::exp2(t6 - g); }, dt, t6, g);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(W, {b, h, t}, H - h, tk::divide_up(N, 64) * 64 - t), t7,
        thread);
}

// scan: kernel scan with T = bf16, P = 64, S = 128, HEADS = 2, GATED = false, PACKED = false, L =
// 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 128 registers a thread; pairs: 1
// warpgroup, 96 registers a thread; output: 1 warpgroup, 104 registers a thread.
// 640 threads, 96 registers each at first, 227568 bytes of shared memory.
struct scan_shared {
    tk::shared_tile<tk::bf16, 64, 128> cs_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> bs_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> xs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> p0s_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> p1s_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> states_tile[2];
    tk::shared_tile<float, 1, 64> gs_g0[3];
    tk::shared_tile<float, 64, 1> gs_c0[3];
    tk::shared_tile<float, 1, 64> gs_t0[3];
    tk::shared_tile<float, 1, 64> gs_w0[3];
    tk::shared_tile<float, 1, 64> gs_g1[3];
    tk::shared_tile<float, 64, 1> gs_c1[3];
    tk::shared_tile<float, 1, 64> gs_t1[3];
    tk::shared_tile<float, 1, 64> gs_w1[3];
    tk::shared_tile<tk::bf16, 64, 64> output_Y[1];
    tk::pipeline<2> cs;
    tk::pipeline<3> bs;
    tk::pipeline<3> xs;
    tk::pipeline<1> p0s;
    tk::pipeline<1> p1s;
    tk::pipeline<2> states;
    tk::pipeline<3> gs;
};
static_assert(offsetof(scan_shared, gs) == 227520);

__global__ void __launch_bounds__(640, 1) scan_kernel(
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap Step_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap X_map,
    const __grid_constant__ CUtensorMap Y_map, const tk::tensor_argument<const float, 1> D,
    const tk::tensor_argument<const float, 3> S0, const tk::tensor_argument<float, 3> State, int B,
    int N, int GR, int H, int I, int F, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    scan_shared& shared = *reinterpret_cast<scan_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(C_map, G_map, Step_map, W_map, Bm_map, X_map, Y_map);
        shared.cs.init(1, 8);
        shared.bs.init(1, 12);
        shared.xs.init(1, 12);
        shared.p0s.init(4, 4);
        shared.p1s.init(4, 4);
        shared.states.init(8, 4);
        shared.gs.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // mamba2.tk:99: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 16 && tk::elect_one()) {
            tk::cursor<3> bs_next, gs_next, xs_next;
            tk::cursor<2> cs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int p = program / c_tiles % p_tiles;
            const int b = program / (c_tiles * p_tiles);

            // mamba2.tk:76: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = N;

            // mamba2.tk:79: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // mamba2.tk:83: let h     = c.start // P;
            const int h = c / 64;

            // mamba2.tk:84: let last  = h + HEADS - 1;
            const int last = h + 2 - 1;

            // mamba2.tk:85: let group = h // (H / GR);
            const int group = h / (H / GR);

            // mamba2.tk:100: for t in p * length..min((p + 1) * length, tokens) by L {
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, tokens); t += 64) {
                // mamba2.tk:101: if PACKED { produce cs = tma_load(Cb[t, group, :]); } else { ..
                shared.cs.begin(cs_next, 16384);
                tk::tma_load(shared.cs_tile[cs_next.stage], C_map, shared.cs.full[cs_next.stage], b,
                             t, group, 0);
                cs_next.advance();

                // mamba2.tk:102: produce gs {
                shared.gs.begin(gs_next, 2048);

                // mamba2.tk:103: g0 = tma_load(Gb[h, t.start +: L]) allow_foreign; c0 = ..
                tk::tma_load(shared.gs_g0[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_c0[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // mamba2.tk:104: t0 = tma_load(Stepb[h, t.start +: L]); w0 = tma_load(Wb[h, ..
                tk::tma_load(shared.gs_t0[gs_next.stage], Step_map, shared.gs.full[gs_next.stage],
                             at, h, t);
                tk::tma_load(shared.gs_w0[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // mamba2.tk:105: g1 = tma_load(Gb[last, t.start +: L]) allow_foreign; c1 = ..
                tk::tma_load(shared.gs_g1[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             last, t);
                tk::tma_load(shared.gs_c1[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             last, t);

                // mamba2.tk:106: t1 = tma_load(Stepb[last, t.start +: L]); w1 = ..
                tk::tma_load(shared.gs_t1[gs_next.stage], Step_map, shared.gs.full[gs_next.stage],
                             at, last, t);
                tk::tma_load(shared.gs_w1[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             last, t);
                // mamba2.tk:102
                gs_next.advance();

                // mamba2.tk:108: if PACKED { produce bs = tma_load(Bb[t, group, :]); } else { ..
                shared.bs.begin(bs_next, 16384);
                tk::tma_load(shared.bs_tile[bs_next.stage], Bm_map, shared.bs.full[bs_next.stage],
                             b, t, group, 0);
                bs_next.advance();

                // mamba2.tk:109: if PACKED { produce xs = tma_load(Xb[t, c]); } else { produce ..
                shared.xs.begin(xs_next, 16384);
                tk::tma_load(shared.xs_tile[xs_next.stage], X_map, shared.xs.full[xs_next.stage], b,
                             t, c);
                xs_next.advance();
            }
        }
    } else if (warp < 8) {
        // mamba2.tk:116: role state(HEADS * P / 64 warpgroups) registers(128) {
        tk::registers_at_least<128>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<2> states_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int p = program / c_tiles % p_tiles;
        const int b = program / (c_tiles * p_tiles);

        // mamba2.tk:76: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // mamba2.tk:117: var s: f32[HEADS * P, S] = load(S0[b * segments + p, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {b * segments + p, c + 64 * warpgroup, 0},
                                  b * segments + p > -1 && b * segments + p < I
                                  ? H * 64 - (c + 64 * warpgroup) : 0, 128), thread);

        // mamba2.tk:118: for t in p * length..min((p + 1) * length, tokens) by L {
        tk::fragment<float, 64, 64> v;
        for (int t = p * length; t < tk::min((p + 1) * length, tokens); t += 64) {
            // mamba2.tk:119: produce states = T(s);
            tk::fragment<tk::bf16, 64, 128> t1 = tk::convert<tk::bf16>(s);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(tk::rows<64>(shared.states_tile[states_next_2.stage], 64 * warpgroup),
                             t1, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // mamba2.tk:120: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // mamba2.tk:121: let x = consume xs;
            shared.xs.wait_full(a);

            // mamba2.tk:122: let y = f32(x.T);
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.xs_tile[a.stage], thread, 64 * warpgroup);
            shared.xs.release_after_loads(a);

            // mamba2.tk:123: let v = y * (if HEADS == 1 { a.w0 } else { where(row_index(y) < P, ..
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_w0[a.stage], thread);
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.gs_w1[a.stage], thread);
            if (64 * warpgroup <= 0) {
                tk::map(v, [](tk::bf16 t3, float t0, float) { return float(t3) * t0; }, t3, t0, t8);
            } else {
                tk::map(v, thread, [&](int row, int, tk::bf16 t3, float t0, float t8) {
                    return float(t3) * (64 * warpgroup + row < 64 ? t0 : t8);
                }, t3, t0, t8);
            }

            // <std.parts>:15: let high = T(x);
            tk::fragment<tk::bf16, 64, 64> high = tk::convert<tk::bf16>(v);

            // mamba2.tk:124: let w = parts.split<T>(if PACKED { pad(v, axis = 1, with = 0) } ..
            tk::fragment<tk::bf16, 64, 64> w_low;
            tk::map(w_low, [](float v, tk::bf16 high) { return v - float(high); }, v, high);

            // mamba2.tk:125: let e0 = exp2(scalar(a.g0[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t5;
            tk::load_shared(t5, tk::part<0, 63, 1, 1>(shared.gs_g0[a.stage]), thread);
            const float number = t5.cell(0);
            const float e0 = tk::exp2(number);

            // mamba2.tk:126: let e1 = exp2(scalar(a.g1[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t7;
            tk::load_shared(t7, tk::part<0, 63, 1, 1>(shared.gs_g1[a.stage]), thread);
            shared.gs.release_after_loads(a);
            const float number_2 = t7.cell(0);
            const float e1 = tk::exp2(number_2);

            // mamba2.tk:127: s *= if HEADS == 1 { e0 } else { where(row_index(s) < P, e0, e1) };
            if (64 * warpgroup <= 0) {
                tk::map(s, [&](float s) { return s * e0; }, s);
            } else {
                tk::map(s, thread, [&](int row, int, float s) {
                    return s * (64 * warpgroup + row < 64 ? e0 : e1);
                }, s);
            }

            // mamba2.tk:128: let k = consume bs;
            shared.bs.wait_full(a);

            // mamba2.tk:129: s += mma(w.high, k);
            tk::mma_async(s, high, shared.bs_tile[a.stage]);

            // mamba2.tk:130: s += mma(w.low, k);
            tk::mma_async(s, w_low, shared.bs_tile[a.stage]);
            tk::mma_wait<0>(s, high, w_low);
            shared.bs.release(a);
        }

        // mamba2.tk:132: store(State[b * segments + p, c, :], s);
        tk::store_global(
            tk::slice(State, {b * segments + p, c + 64 * warpgroup, 0},
                      b * segments + p > -1 && b * segments + p < F ? H * 64 - (c + 64 * warpgroup)
                      : 0, 128), s, thread);
    } else if (warp < 12) {
        // mamba2.tk:134: role pairs(1 warpgroup) {
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> bs_next;
        tk::cursor<2> cs_next;
        tk::cursor<1> p0s_next_2, p1s_next_2;
        const int program = blockIdx.x;
        const int p = program / c_tiles % p_tiles;

        // mamba2.tk:76: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // mamba2.tk:135: for t in p * length..min((p + 1) * length, tokens) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, tokens); t += 64) {
            // mamba2.tk:136: let p = mma(consume cs, (consume bs).T);
            const tk::cursor<2> cs_element = shared.cs.take(cs_next);
            const tk::cursor<3> bs_element = shared.bs.take(bs_next);
            tk::fragment<float, 64, 64> p_2;
            tk::mma_async(p_2, shared.cs_tile[cs_element.stage],
                          tk::transposed(shared.bs_tile[bs_element.stage]), tk::accumulate_never{});

            // mamba2.tk:137: let a = consume gs;
            shared.gs.wait_full(bs_element);
            tk::mma_wait<0>(p_2);
            shared.bs.release(bs_element);
            shared.cs.release(cs_element);

            // mamba2.tk:138: produce p0s = T(pad(p * decay.between(a.c0, a.g0) * a.t0, axis = 1, ..
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.gs_c0[bs_element.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_g0[bs_element.stage], thread);
            tk::row_fragment<float, 64> t4;
            tk::load_shared(t4, shared.gs_t0[bs_element.stage], thread);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::map(t1, thread, [&](int row, int col, float t0, float t3, float p_2, float t4) {
                return col < N - t ? p_2 * tk::exp2(row >= col ? t0 - t3 : -INFINITY) * t4 : 0.0f;
            }, t0, t3, p_2, t4);
            shared.p0s.wait_empty(p0s_next_2);
            tk::store_shared(shared.p0s_tile[p0s_next_2.stage], t1, thread);
            shared.p0s.publish(p0s_next_2);
            p0s_next_2.advance();

            // mamba2.tk:139: if HEADS == 2 { produce p1s = T(pad(p * decay.between(a.c1, a.g1) * ..
            tk::column_fragment<float, 64> t5;
            tk::map(t5, thread, [&](int row, int) {
                return tk::get(shared.gs_c1[bs_element.stage], row, 0);
            });
            tk::row_fragment<float, 64> t6;
            tk::load_shared(t6, shared.gs_g1[bs_element.stage], thread);
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.gs_t1[bs_element.stage], thread);
            shared.gs.release_after_loads(bs_element);
            tk::fragment<tk::bf16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col, float t5, float t6, float p_2, float t7) {
                return col < N - t ? p_2 * tk::exp2(row >= col ? t5 - t6 : -INFINITY) * t7 : 0.0f;
            }, t5, t6, p_2, t7);
            shared.p1s.wait_empty(p1s_next_2);
            tk::store_shared(shared.p1s_tile[p1s_next_2.stage], t2, thread);
            shared.p1s.publish(p1s_next_2);
            p1s_next_2.advance();
        }
    } else {
        // mamba2.tk:142: role output(1 warpgroup) registers((if HEADS == 1 { 128 } else if GATED ..
        tk::registers_at_least<104>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> cs_next;
        tk::cursor<1> p0s_next_2;
        tk::cursor<3> xs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int p = program / c_tiles % p_tiles;
        const int b = program / (c_tiles * p_tiles);

        // mamba2.tk:76: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // mamba2.tk:83: let h     = c.start // P;
        const int h = c / 64;

        // mamba2.tk:84: let last  = h + HEADS - 1;
        const int last = h + 2 - 1;

        // mamba2.tk:143: let d0 = D[h];
        const float d0 = tk::cell(D, h);

        // mamba2.tk:144: let d1 = D[min(last, H - 1)];
        const float d1 = tk::cell(D, tk::min(last, H - 1));

        // mamba2.tk:145: for t in p * length..min((p + 1) * length, tokens) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, tokens); t += 64) {
            // mamba2.tk:146: let q = consume cs;
            const tk::cursor<2> q_element = shared.cs.take(cs_next);

            // mamba2.tk:147: let s = consume states;
            shared.states.wait_full(q_element);

            // mamba2.tk:148: let x = consume xs;
            const tk::cursor<3> x_element = shared.xs.take(xs_next);

            // mamba2.tk:149: let a = consume gs;
            shared.gs.wait_full(x_element);

            // mamba2.tk:150: var y0 = mma(q, s[0 +: P, :].T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, shared.cs_tile[q_element.stage],
                          tk::transposed(
                              tk::part<0, 0, 64, 128>(shared.states_tile[q_element.stage])),
                          tk::accumulate_never{});

            // mamba2.tk:152: var y1 = mma(q, s[P +: P, :].T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, shared.cs_tile[q_element.stage],
                          tk::transposed(
                              tk::part<64, 0, 64, 128>(shared.states_tile[q_element.stage])),
                          tk::accumulate_never{});

            // mamba2.tk:153: y0 = y0 * exp2(a.c0) + d0 * x[:, 0 +: P];
            tk::column_fragment<float, 64> t10;
            tk::map(t10, thread, [&](int row, int) {
                return tk::get(shared.gs_c0[x_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [](float t10) { return tk::exp2(t10); }, t10);
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::load_shared(t11, tk::part<0, 0, 64, 64>(shared.xs_tile[x_element.stage]), thread);
            tk::mma_wait<1>(y0);
            tk::map(y0, [&](float y0, float t1, tk::bf16 t11) {
                return tk::fma(y0, t1, d0 * float(t11));
            }, y0, t1, t11);

            // mamba2.tk:154: y0 += mma(consume p0s, x[:, 0 +: P]);
            const tk::cursor<1> p0s_element = shared.p0s.take(p0s_next_2);
            tk::mma_async(y0, shared.p0s_tile[p0s_element.stage],
                          tk::part<0, 0, 64, 64>(shared.xs_tile[x_element.stage]));

            // mamba2.tk:155: y1 = y1 * exp2(a.c1) + d1 * x[:, P +: P];
            tk::column_fragment<float, 64> t12;
            tk::map(t12, thread, [&](int row, int) {
                return tk::get(shared.gs_c1[x_element.stage], row, 0);
            });
            shared.gs.release_after_loads(x_element);
            tk::column_fragment<float, 64> t3;
            tk::map(t3, [](float t12) { return tk::exp2(t12); }, t12);
            tk::fragment<tk::bf16, 64, 64> t13;
            tk::load_shared(t13, tk::part<0, 64, 64, 64>(shared.xs_tile[x_element.stage]), thread);
            tk::mma_wait<1>(y1);
            shared.states.release(q_element);
            shared.cs.release(q_element);
            tk::map(y1, [&](float y1, float t3, tk::bf16 t13) {
                return tk::fma(y1, t3, d1 * float(t13));
            }, y1, t3, t13);

            // mamba2.tk:156: y1 += mma(consume p1s, x[:, P +: P]);
            shared.p1s.wait_full(p0s_element);
            tk::mma_async(y1, shared.p1s_tile[p0s_element.stage],
                          tk::part<0, 64, 64, 64>(shared.xs_tile[x_element.stage]));
            tk::mma_wait<1>(y0);
            shared.p0s.release(p0s_element);

            // mamba2.tk:158: if PACKED { store(Yb[t, c.start +: P], T(y0)); } else { ..
            tk::pin_waits(warp);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.output_Y[0], tk::convert<tk::bf16>(y0), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(Y_map, shared.output_Y[0], b, t, c + panel);
            }
            tk::mma_wait<0>(y1);
            shared.p1s.release(p0s_element);
            shared.xs.release_after_loads(x_element, tk::ordinary_alone{});

            // mamba2.tk:160: if PACKED { store(Yb[t, c.start + P +: P], T(y1)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::store_shared(shared.output_Y[0], tk::convert<tk::bf16>(y1), thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (leader) tk::tma_store(Y_map, shared.output_Y[0], b, t, c + 64 + panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// ends: kernel ends with T = bf16, P = 64, S = 128, HEADS = 2, L = 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 101520 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 64, 128> bs_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> xs_tile[3];
    tk::shared_tile<float, 1, 64> gs_g0[3];
    tk::shared_tile<float, 1, 64> gs_w0[3];
    tk::shared_tile<float, 1, 64> gs_g1[3];
    tk::shared_tile<float, 1, 64> gs_w1[3];
    tk::pipeline<3> bs;
    tk::pipeline<3> xs;
    tk::pipeline<3> gs;
};
static_assert(offsetof(ends_shared, gs) == 101472);

__global__ void __launch_bounds__(384, 1) ends_kernel(
    const __grid_constant__ CUtensorMap G_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap Bm_map, const __grid_constant__ CUtensorMap X_map,
    const tk::tensor_argument<float, 3> End, const tk::tensor_argument<float, 2> Left, int B, int N,
    int GR, int H, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(G_map, W_map, Bm_map, X_map);
        shared.bs.init(1, 8);
        shared.xs.init(1, 8);
        shared.gs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // mamba2.tk:186: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> bs_next, gs_next, xs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int p = program / c_tiles % p_tiles;
            const int b = program / (c_tiles * p_tiles);

            // mamba2.tk:179: let h     = c.start // P;
            const int h = c / 64;

            // mamba2.tk:180: let last  = h + HEADS - 1;
            const int last = h + 2 - 1;

            // mamba2.tk:181: let group = h // (H / GR);
            const int group = h / (H / GR);

            // mamba2.tk:187: for t in p * length..min((p + 1) * length, N) by L {
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                // mamba2.tk:188: produce gs {
                shared.gs.begin(gs_next, 1024);

                // mamba2.tk:189: g0 = tma_load(G[b, h, t.start +: L]); w0 = tma_load(W[b, h, ..
                tk::tma_load(shared.gs_g0[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             h, t);
                tk::tma_load(shared.gs_w0[gs_next.stage], W_map, shared.gs.full[gs_next.stage], b,
                             h, t);

                // mamba2.tk:190: g1 = tma_load(G[b, last, t.start +: L]); w1 = tma_load(W[b, ..
                tk::tma_load(shared.gs_g1[gs_next.stage], G_map, shared.gs.full[gs_next.stage], b,
                             last, t);
                tk::tma_load(shared.gs_w1[gs_next.stage], W_map, shared.gs.full[gs_next.stage], b,
                             last, t);
                // mamba2.tk:188
                gs_next.advance();

                // mamba2.tk:192: produce bs = tma_load(Bm[b, t, group, :]);
                shared.bs.begin(bs_next, 16384);
                tk::tma_load(shared.bs_tile[bs_next.stage], Bm_map, shared.bs.full[bs_next.stage],
                             b, t, group, 0);
                bs_next.advance();

                // mamba2.tk:193: produce xs = tma_load(X[b, t, c]);
                shared.xs.begin(xs_next, 16384);
                tk::tma_load(shared.xs_tile[xs_next.stage], X_map, shared.xs.full[xs_next.stage], b,
                             t, c);
                xs_next.advance();
            }
        }
    } else {
        // mamba2.tk:196: role state(HEADS * P / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(H * 64, 128);
        const int p_tiles = tk::max(segments, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int p = program / c_tiles % p_tiles;
        const int b = program / (c_tiles * p_tiles);

        // mamba2.tk:179: let h     = c.start // P;
        const int h = c / 64;

        // mamba2.tk:180: let last  = h + HEADS - 1;
        const int last = h + 2 - 1;

        // mamba2.tk:197: var s: f32[HEADS * P, S] = 0;
        tk::fragment<float, 64, 128> s;
        tk::zero(s);

        // mamba2.tk:198: var sum0: f32 = 0;
        float sum0 = 0.0f;

        // mamba2.tk:199: var sum1: f32 = 0;
        float sum1 = 0.0f;

        // mamba2.tk:200: for t in p * length..min((p + 1) * length, N) by L {
        tk::fragment<tk::bf16, 64, 64> high;
        tk::fragment<tk::bf16, 64, 64> w_low;
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // mamba2.tk:201: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // mamba2.tk:202: let d0 = scalar(a.g0[:, L - 1 +: 1]);
            tk::row_fragment<float, 1> t1;
            tk::load_shared(t1, tk::part<0, 63, 1, 1>(shared.gs_g0[a.stage]), thread);
            const float number = t1.cell(0);
            const float d0 = number;

            // mamba2.tk:203: let d1 = scalar(a.g1[:, L - 1 +: 1]);
            tk::row_fragment<float, 1> t3;
            tk::load_shared(t3, tk::part<0, 63, 1, 1>(shared.gs_g1[a.stage]), thread);
            const float number_2 = t3.cell(0);
            const float d1 = number_2;

            // mamba2.tk:204: let x = consume xs;
            shared.xs.wait_full(a);

            // mamba2.tk:205: let y = f32(x.T);
            tk::fragment<tk::bf16, 64, 64> t5;
            tk::load_transposed(t5, shared.xs_tile[a.stage], thread, 64 * warpgroup);
            shared.xs.release_after_loads(a);
            tk::fragment<float, 64, 64> y = tk::convert<float>(t5);

            // <std.parts>:15: let high = T(x);
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.gs_w0[a.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_w1[a.stage], thread);
            if (64 * warpgroup <= 0) {
                tk::map(high, [](float y, float t8, float) { return y * t8; }, y, t8, t9);
            } else {
                tk::map(high, thread, [&](int row, int, float y, float t8, float t9) {
                    return y * (64 * warpgroup + row < 64 ? t8 : t9);
                }, y, t8, t9);
            }

            // mamba2.tk:206: let w = parts.split<T>(y * (if HEADS == 1 { a.w0 } else { ..
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.gs_w0[a.stage], thread);
            tk::row_fragment<float, 64> t11;
            tk::load_shared(t11, shared.gs_w1[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (64 * warpgroup <= 0) {
                tk::map(w_low, [](float y, float t10, float, tk::bf16 high) {
                    return tk::fma(y, t10, -float(high));
                }, y, t10, t11, high);
            } else {
                tk::map(w_low, thread,
                        [&](int row, int, float y, float t10, float t11, tk::bf16 high) {
                    return tk::fma(y, 64 * warpgroup + row < 64 ? t10 : t11, -float(high));
                }, y, t10, t11, high);
            }

            // mamba2.tk:207: let k = consume bs;
            shared.bs.wait_full(a);

            // mamba2.tk:208: s *= if HEADS == 1 { exp2(d0) } else { where(row_index(s) < P, ..
            if (64 * warpgroup <= 0) {
                tk::map(s, [&](float s) { return s * tk::exp2(d0); }, s);
            } else {
                tk::map(s, thread, [&](int row, int, float s) {
                    return s * (64 * warpgroup + row < 64 ? tk::exp2(d0) : tk::exp2(d1));
                }, s);
            }

            // mamba2.tk:209: sum0 += d0;
            sum0 = sum0 + d0;

            // mamba2.tk:210: sum1 += d1;
            sum1 = sum1 + d1;

            // mamba2.tk:211: s += mma(w.high, k);
            tk::mma_async(s, high, shared.bs_tile[a.stage]);

            // mamba2.tk:212: s += mma(w.low, k);
            tk::mma_async(s, w_low, shared.bs_tile[a.stage]);
            tk::mma_wait<0>(s, high, w_low);
            shared.bs.release(a);
        }

        // mamba2.tk:214: store(End[b * segments + p, c, :], s);
        tk::store_global(
            tk::slice(End, {b * segments + p, c + 64 * warpgroup, 0},
                      b * segments + p > -1 && b * segments + p < B * segments
                      ? H * 64 - (c + 64 * warpgroup) : 0, 128), s, thread);

        // mamba2.tk:215: store(Left[b * segments + p, h], exp2(sum0));
        tk::row_fragment<float, 1> t6;
        tk::fill(t6, tk::exp2(sum0));
        if (warpgroup == 0) {
            tk::store_global(
                tk::slice<tk::no_axis, 1>(Left, {b * segments + p, h}, 1,
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? H - h : 0), t6, thread);
        }

        // mamba2.tk:216: if HEADS == 2 { store(Left[b * segments + p, last], exp2(sum1)); }
        tk::row_fragment<float, 1> t7;
        tk::fill(t7, tk::exp2(sum1));
        if (warpgroup == 0) {
            tk::store_global(
                tk::slice<tk::no_axis, 1>(Left, {b * segments + p, last}, 1,
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? H - last : 0), t7, thread);
        }
    }
}

// starts: kernel starts with P = 64, S = 128, ROWS = 8.
// 128 threads, 64 registers each.
__global__ void __launch_bounds__(128, 8) starts_kernel(
    const tk::tensor_argument<const float, 3> End, const tk::tensor_argument<const float, 2> Left,
    const tk::tensor_argument<const float, 3> S0, const tk::tensor_argument<float, 3> Start,
    const tk::tensor_argument<float, 3> State, int H, int I, int F, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int r_tiles = tk::tiles(H * 64, 8);

    // mamba2.tk:221: kernel starts<P: int = 64, S: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % r_tiles * 8;
    const int b = program / r_tiles;

    // mamba2.tk:228: let h = r.start // P;
    const int h = r / 64;

    // mamba2.tk:229: var s: f32[ROWS, S] = load(S0[b, r, :]);
    tk::stripe<float, 8, 128, 128, 32, 4> s;
    tk::load_vectors(s, tk::dense_slice(S0, {b, r, 0}, b < I ? H * 64 - r : 0, 128), thread);

    // mamba2.tk:230: for p in segments pipelined(4) {
    #pragma unroll 4
    for (int p = 0; p < segments; p += 1) {
        // mamba2.tk:231: store(Start[b * segments + p, r, :], s);
        tk::store_vectors(
            tk::dense_slice(Start, {b * segments + p, r, 0},
                            b * segments + p > -1 && b * segments + p < sequences * segments
                            ? H * 64 - r : 0, 128), s, thread);

        // mamba2.tk:232: s = s * load(Left[b * segments + p, h +: 1]) + load(End[b * segments + ..
        tk::stripe<float, 1, 1, 128, 32, 4> t1;
        tk::load_global(t1,
                        tk::slice<tk::no_axis, 1>(Left, {b * segments + p, h}, 1,
                                                  b * segments + p > -1 &&
                                                  b * segments + p < sequences * segments ? H - h
                                                  : 0), thread);
        tk::stripe<float, 8, 128, 128, 32, 4> t2;
        tk::load_vectors(t2,
                         tk::dense_slice(End, {b * segments + p, r, 0},
                                         b * segments + p > -1 &&
                                         b * segments + p < sequences * segments ? H * 64 - r : 0,
                                         128), thread);
        tk::map(s, [](float s, float t1, float t2) { return tk::fma(s, t1, t2); }, s, t1, t2);
    }

    // mamba2.tk:234: store(State[b, r, :], s);
    tk::store_vectors(tk::dense_slice(State, {b, r, 0}, b < F ? H * 64 - r : 0, 128), s, thread);
}

// starts_general: kernel starts with P = 64, S = 128, ROWS = 8; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) starts_general_kernel(
    const tk::tensor_argument<const float, 3> End, const tk::tensor_argument<const float, 2> Left,
    const tk::tensor_argument<const float, 3> S0, const tk::tensor_argument<float, 3> Start,
    const tk::tensor_argument<float, 3> State, int H, int I, int F, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int r_tiles = tk::tiles(H * 64, 8);

    // mamba2.tk:221: kernel starts<P: int = 64, S: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int r = program % r_tiles * 8;
    const int b = program / r_tiles;

    // mamba2.tk:228: let h = r.start // P;
    const int h = r / 64;

    // mamba2.tk:229: var s: f32[ROWS, S] = load(S0[b, r, :]);
    tk::stripe<float, 8, 128, 128, 32, 2> s;
    tk::load_global(s, tk::slice(S0, {b, r, 0}, b < I ? H * 64 - r : 0, 128), thread);

    // mamba2.tk:230: for p in segments pipelined(4) {
    for (int p = 0; p < segments; p += 1) {
        // mamba2.tk:231: store(Start[b * segments + p, r, :], s);
        tk::store_global(
            tk::slice(Start, {b * segments + p, r, 0},
                      b * segments + p > -1 && b * segments + p < sequences * segments ? H * 64 - r
                      : 0, 128), s, thread);

        // mamba2.tk:232: s = s * load(Left[b * segments + p, h +: 1]) + load(End[b * segments + ..
        tk::stripe<float, 1, 1, 128, 32, 2> t1;
        tk::load_global(t1,
                        tk::slice<tk::no_axis, 1>(Left, {b * segments + p, h}, 1,
                                                  b * segments + p > -1 &&
                                                  b * segments + p < sequences * segments ? H - h
                                                  : 0), thread);
        tk::stripe<float, 8, 128, 128, 32, 2> t2;
        tk::load_global(t2,
                        tk::slice(End, {b * segments + p, r, 0},
                                  b * segments + p > -1 && b * segments + p < sequences * segments
                                  ? H * 64 - r : 0, 128), thread);
        tk::map(s, [](float s, float t1, float t2) { return tk::fma(s, t1, t2); }, s, t1, t2);
    }

    // mamba2.tk:234: store(State[b, r, :], s);
    tk::store_global(tk::slice(State, {b, r, 0}, b < F ? H * 64 - r : 0, 128), s, thread);
}

namespace {
tk::status launch_gates(const tk::launch_site& site, const tk::tensor& Dt, const tk::tensor& A,
                        const tk::tensor& bias, const tk::tensor& G, const tk::tensor& Step,
                        const tk::tensor& W, int64_t B, int64_t N, int64_t H, float dt_min,
                        float dt_max) {
    return tk::run<gates_kernel<5, 8, 8, true>>(
        site, sizeof(gates_shared), tk::kernel_shape(128).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, G, Step, W, B, N, H, dt_min, dt_max);
}

tk::status launch_gates_general(const tk::launch_site& site, const tk::tensor& Dt,
                                const tk::tensor& A, const tk::tensor& bias, const tk::tensor& G,
                                const tk::tensor& Step, const tk::tensor& W, int64_t B, int64_t N,
                                int64_t H, float dt_min, float dt_max) {
    return tk::run<gates_kernel<1, 32, 2, false>>(
        site, sizeof(gates_shared), tk::kernel_shape(128).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B), Dt, A,
        bias, G, Step, W, B, N, H, dt_min, dt_max);
}

tk::status launch_scan(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Bm, const tk::tensor& C,
    const tk::tensor& D, const tk::tensor& G, const tk::tensor& Step, const tk::tensor& W,
    const tk::tensor& S0, const tk::tensor& Y, const tk::tensor& State, int64_t B, int64_t N,
    int64_t GR, int64_t H, int64_t I, int64_t F, int32_t segments, int32_t length) {
    return tk::run<scan_kernel>(
        site, sizeof(scan_shared), tk::kernel_shape(640).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), B), tk::box{C, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{Step, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        tk::box{Y, {1, 64, 64}, 128}, D, S0, State, B, N, GR, H, I, F, segments, length);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Bm,
                       const tk::tensor& G, const tk::tensor& W, const tk::tensor& End,
                       const tk::tensor& Left, int64_t B, int64_t N, int64_t GR, int64_t H,
                       int32_t segments, int32_t length) {
    return tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), B), tk::box{G, {1, 1, 64}, 0},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        End, Left, B, N, GR, H, segments, length);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Left,
                         const tk::tensor& S0, const tk::tensor& Start, const tk::tensor& State,
                         int64_t H, int64_t I, int64_t F, int32_t sequences, int32_t segments) {
    return tk::run<starts_kernel>(site, 0, tk::kernel_shape(128).programmatic_launch(),
                                  tk::multiply(tk::max_of(tk::ceil_div(H * 64, 8), 0),
                                               tk::max_of(int64_t{sequences}, 0)), End, Left, S0,
                                  Start, State, H, I, F, sequences, segments);
}

tk::status launch_starts_general(const tk::launch_site& site, const tk::tensor& End,
                                 const tk::tensor& Left, const tk::tensor& S0,
                                 const tk::tensor& Start, const tk::tensor& State, int64_t H,
                                 int64_t I, int64_t F, int32_t sequences, int32_t segments) {
    return tk::run<starts_general_kernel>(site, 0, tk::kernel_shape(128).programmatic_launch(),
                                          tk::multiply(tk::max_of(tk::ceil_div(H * 64, 8), 0),
                                                       tk::max_of(int64_t{sequences}, 0)), End,
                                          Left, S0, Start, State, H, I, F, sequences, segments);
}

}  // namespace

extern "C" {
int gates(const DLTensor* Dt_given, const DLTensor* A_given, const DLTensor* bias_given,
          const DLTensor* start_given, DLTensor* G_given, DLTensor* Step_given, DLTensor* W_given,
          float dt_min, float dt_max, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gates"};
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Dt.shape[0];
    const int64_t N = Dt.shape[1];
    const int64_t H = Dt.shape[2];
    const int64_t R = start.shape[0];
    call.require(
        {tk::same_extent("H", Dt, 2, A, 0), tk::same_extent("H", Dt, 2, bias, 0),
         tk::same_extent("B", Dt, 0, G, 0), tk::same_extent("H", Dt, 2, G, 1),
         tk::same_extent("B", Dt, 0, Step, 0), tk::same_extent("H", Dt, 2, Step, 1),
         tk::same_extent("B", Dt, 0, W, 0), tk::same_extent("H", Dt, 2, W, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"R", R}}),
         tk::check(G.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {Step.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(W.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::grid_fits(
             tk::multiply(tk::ceil_div(H, 32),
                          tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 32),
                              tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
             2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(tk::ceil_div(H, 32),
                     tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B);
    const bool fast = tk::all_hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(G), tk::check(tk::ceil_div(N, 64) * 64 % 8 == 0), tk::suits_fast(Step),
         tk::suits_fast(W)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<gates_kernel<5, 8, 8, true>, gates_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(gates_shared), tk::kernel_shape(128).programmatic_launch(),
        programs, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
}
TK_NO_WORKSPACE(gates, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float, float)

int scan(const DLTensor* X_given, const DLTensor* Bm_given, const DLTensor* C_given,
         const DLTensor* D_given, const DLTensor* Z_given, const DLTensor* G_given,
         const DLTensor* Step_given, const DLTensor* W_given, const DLTensor* S0_given,
         const DLTensor* start_given, DLTensor* Y_given, DLTensor* State_given, int32_t segments,
         int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"scan"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t GR = Bm.shape[2];
    const int64_t H = D.shape[0];
    const int64_t BZ = Z.shape[0];
    const int64_t I = S0.shape[0];
    const int64_t R = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Bm, 0), tk::same_extent("N", X, 1, Bm, 1),
         tk::fixed_extent(Bm, 3, 128), tk::same_extent("B", X, 0, C, 0),
         tk::same_extent("N", X, 1, C, 1), tk::same_extent("GR", Bm, 2, C, 2),
         tk::fixed_extent(C, 3, 128), tk::same_extent("N", X, 1, Z, 1),
         tk::same_extent("B", X, 0, G, 0), tk::same_extent("H", D, 0, G, 1),
         tk::same_extent("B", X, 0, Step, 0), tk::same_extent("H", D, 0, Step, 1),
         tk::same_extent("B", X, 0, W, 0), tk::same_extent("H", D, 0, W, 1),
         tk::fixed_extent(S0, 2, 128), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("N", X, 1, Y, 1), tk::fixed_extent(State, 2, 128),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"GR", GR}, {"H", H}, {"BZ", BZ}, {"I", I}, {"R", R}, {"F", F}}),
         tk::fits("H*64", H * 64),
         tk::check(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                   {X.shape[2], H * 64}),
         tk::check(Z.shape[2] == H * 64, "axis 2 of `Z` is {}; it must be `H*64`, which is {}",
                   {Z.shape[2], H * 64}),
         tk::check(G.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {Step.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(W.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                   {S0.shape[1], H * 64}),
         tk::check(Y.shape[2] == H * 64, "axis 2 of `Y` is {}; it must be `H*64`, which is {}",
                   {Y.shape[2], H * 64}),
         tk::check(State.shape[1] == H * 64,
                   "axis 1 of `State` is {}; it must be `H*64`, which is {}",
                   {State.shape[1], H * 64}),
         tk::check(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
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
         tk::check(tk::floor_mod(H, GR) == 0, "`scan` requires `H % GR == 0`"),
         tk::check(tk::floor_div(H, GR) % 2 == 0, "`scan` requires `H / GR % HEADS == 0`"),
         tk::check(F <= tk::multiply(B, int64_t{segments}),
                   "`scan` requires `PACKED or F <= B * segments`"),
         tk::check(int64_t{segments} >= 1, "`scan` requires `segments >= 1`"),
         tk::check(int64_t{length} >= 64, "`scan` requires `length >= L`"),
         tk::check(int64_t{length} % 64 == 0, "`scan` requires `length % L == 0`"),
         tk::check(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                   "`scan` requires `segments * length >= N`"),
         tk::check(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                   "`scan` requires `(segments - 1) * length <= N`"),
         tk::check(0 < GR, "`GR` is at least 1, because `scan` divides by it"),
         tk::check(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `scan` divides by it"),
         tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(C),
         tk::suits_tma_load(G), tk::suits_tma_load(Step), tk::suits_tma_load(W),
         tk::suits_tma_store(Y), tk::fits("H*64 + 127", H * 64 + 127),
         tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 128), 0), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                          tk::max_of(int64_t{segments}, 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                              tk::max_of(int64_t{segments}, 0)), B), 2147483648),
         tk::check(1 <= tk::floor_div(H, GR),
                   "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                   {tk::floor_div(H, GR)}),
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
         tk::fits("N - t.start",
                  N - tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::fits("c.start + panel", H * 64 - 1 + 63), tk::fits("c.start + 64", H * 64 - 1 + 64),
         tk::fits("c.start + 64 + panel", H * 64 - 1 + 64 + 63)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<scan_kernel>(
        site, sizeof(scan_shared), tk::kernel_shape(640).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), B), tk::box{C, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{Step, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        tk::box{Y, {1, 64, 64}, 128}, D, S0, State, B, N, GR, H, I, F, segments, length));
}
TK_NO_WORKSPACE(scan, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int ends(const DLTensor* X_given, const DLTensor* Bm_given, const DLTensor* G_given,
         const DLTensor* W_given, DLTensor* End_given, DLTensor* Left_given, int32_t segments,
         int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t GR = Bm.shape[2];
    const int64_t H = G.shape[1];
    call.require({
        tk::same_extent("B", X, 0, Bm, 0), tk::same_extent("N", X, 1, Bm, 1),
        tk::fixed_extent(Bm, 3, 128), tk::same_extent("B", X, 0, G, 0),
        tk::same_extent("B", X, 0, W, 0), tk::same_extent("H", G, 1, W, 1),
        tk::fixed_extent(End, 2, 128), tk::same_extent("H", G, 1, Left, 1),
        tk::extents_fit({{"B", B}, {"N", N}, {"GR", GR}, {"H", H}}), tk::fits("H*64", H * 64),
        tk::check(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                  {X.shape[2], H * 64}),
        tk::check(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::check(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::check(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
        tk::check(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::check(End.shape[1] == H * 64, "axis 1 of `End` is {}; it must be `H*64`, which is {}",
                  {End.shape[1], H * 64}),
        tk::check(Left.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Left` is {}; it must be `B*segments`, which is {}",
                  {Left.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::check(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
        tk::check(tk::floor_mod(H, GR) == 0, "`ends` requires `H % GR == 0`"),
        tk::check(tk::floor_div(H, GR) % 2 == 0, "`ends` requires `H / GR % HEADS == 0`"),
        tk::check(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::check(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::check(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::check(0 < GR, "`GR` is at least 1, because `ends` divides by it"),
        tk::check(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `ends` divides by it"),
        tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(G), tk::suits_tma_load(W),
        tk::fits("H*64 + 127", H * 64 + 127),
        tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 128), 0), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                             tk::max_of(int64_t{segments}, 0)), B), 2147483648),
        tk::check(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)}),
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
                 tk::max_of(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).programmatic_launch(),
        tk::multiply(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), B), tk::box{G, {1, 1, 64}, 0},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Bm, {1, 64, 1, 64}, 128}, tk::box{X, {1, 64, 64}, 128},
        End, Left, B, N, GR, H, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t, int32_t)

int starts(const DLTensor* End_given, const DLTensor* Left_given, const DLTensor* S0_given,
           DLTensor* Start_given, DLTensor* State_given, int32_t sequences, int32_t segments, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = Left.shape[1];
    const int64_t I = S0.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(End, 2, 128), tk::fixed_extent(S0, 2, 128),
         tk::fixed_extent(Start, 2, 128), tk::fixed_extent(State, 2, 128),
         tk::extents_fit({{"H", H}, {"I", I}, {"F", F}}),
         tk::fits("sequences*segments", tk::multiply(int64_t{sequences}, int64_t{segments})),
         tk::check(-2147483648 <= tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "`sequences*segments` reaches {}; it must fit in 32 bits",
                   {tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(End.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "axis 0 of `End` is {}; it must be `sequences*segments`, which is {}",
                   {End.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::fits("H*64", H * 64),
         tk::check(End.shape[1] == H * 64, "axis 1 of `End` is {}; it must be `H*64`, which is {}",
                   {End.shape[1], H * 64}),
         tk::check(Left.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "axis 0 of `Left` is {}; it must be `sequences*segments`, which is {}",
                   {Left.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                   {S0.shape[1], H * 64}),
         tk::check(Start.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                   "axis 0 of `Start` is {}; it must be `sequences*segments`, which is {}",
                   {Start.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::check(Start.shape[1] == H * 64,
                   "axis 1 of `Start` is {}; it must be `H*64`, which is {}",
                   {Start.shape[1], H * 64}),
         tk::check(State.shape[1] == H * 64,
                   "axis 1 of `State` is {}; it must be `H*64`, which is {}",
                   {State.shape[1], H * 64}),
         tk::check(I <= int64_t{sequences}, "`starts` requires `I <= sequences`"),
         tk::check(F <= int64_t{sequences}, "`starts` requires `F <= sequences`"),
         tk::fits("H*64 + 7", H * 64 + 7),
         tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 8), 0), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::max_of(tk::ceil_div(H * 64, 8), 0),
                          tk::max_of(int64_t{sequences}, 0)), 2147483648),
         tk::fits("b*segments", tk::multiply(int64_t{sequences} - 1, int64_t{segments})),
         tk::fits("b*segments + p",
                  tk::multiply(int64_t{sequences} - 1, int64_t{segments}) +
                  (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::max_of(tk::ceil_div(H * 64, 8), 0),
                                          tk::max_of(int64_t{sequences}, 0));
    const bool fast = tk::all_hold(
        {tk::suits_fast(End), tk::suits_fast(S0), tk::suits_fast(Start), tk::suits_fast(State)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<starts_kernel, starts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).programmatic_launch(), programs, End, Left, S0,
        Start, State, H, I, F, sequences, segments));
}
TK_NO_WORKSPACE(starts, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                int32_t, int32_t)

int mamba2(const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
           const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
           const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
           const DLTensor* start_given, DLTensor* Y_given, DLTensor* State_given, DLTensor* G_given,
           DLTensor* Step_given, DLTensor* W_given, float dt_min, float dt_max, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"mamba2"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t H = Dt.shape[2];
    const int64_t GR = Bm.shape[2];
    const int64_t BZ = Z.shape[0];
    const int64_t I = S0.shape[0];
    const int64_t R = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Dt, 0), tk::same_extent("N", X, 1, Dt, 1),
         tk::same_extent("H", Dt, 2, A, 0), tk::same_extent("B", X, 0, Bm, 0),
         tk::same_extent("N", X, 1, Bm, 1), tk::fixed_extent(Bm, 3, 128),
         tk::same_extent("B", X, 0, C, 0), tk::same_extent("N", X, 1, C, 1),
         tk::same_extent("GR", Bm, 2, C, 2), tk::fixed_extent(C, 3, 128),
         tk::same_extent("H", Dt, 2, D, 0), tk::same_extent("N", X, 1, Z, 1),
         tk::same_extent("H", Dt, 2, bias, 0), tk::fixed_extent(S0, 2, 128),
         tk::same_extent("B", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::fixed_extent(State, 2, 128), tk::same_extent("B", X, 0, G, 0),
         tk::same_extent("H", Dt, 2, G, 1), tk::same_extent("B", X, 0, Step, 0),
         tk::same_extent("H", Dt, 2, Step, 1), tk::same_extent("B", X, 0, W, 0),
         tk::same_extent("H", Dt, 2, W, 1),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"GR", GR}, {"BZ", BZ}, {"I", I}, {"R", R}, {"F", F}}),
         tk::fits("H*64", H * 64),
         tk::check(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                   {X.shape[2], H * 64}),
         tk::check(Z.shape[2] == H * 64, "axis 2 of `Z` is {}; it must be `H*64`, which is {}",
                   {Z.shape[2], H * 64}),
         tk::check(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                   {S0.shape[1], H * 64}),
         tk::check(Y.shape[2] == H * 64, "axis 2 of `Y` is {}; it must be `H*64`, which is {}",
                   {Y.shape[2], H * 64}),
         tk::check(State.shape[1] == H * 64,
                   "axis 1 of `State` is {}; it must be `H*64`, which is {}",
                   {State.shape[1], H * 64}),
         tk::check(G.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {Step.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(W.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::check(tk::floor_mod(H, GR) == 0, "`mamba2` requires `H % GR == 0`"),
         tk::check(tk::floor_div(H, GR) % 2 == 0, "`mamba2` requires `H / GR % HEADS == 0`"),
         tk::check(F <= B, "`mamba2` requires `PACKED or F <= B`"),
         tk::check(0 < GR, "`GR` is at least 1, because `mamba2` divides by it"),
         tk::check(-2147483648 <= tk::ceil_div(tk::max_of(N, 1), 64) * 64,
                   "`ceil_div(max(N, 1), 64)*64`, which `scan` is called with, is {}; it must fit in 32 bits",
                   {tk::ceil_div(tk::max_of(N, 1), 64) * 64}),
         tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 < 2147483648,
                   "`ceil_div(max(N, 1), 64)*64`, which `scan` is called with, is {}; it must fit in 32 bits",
                   {tk::ceil_div(tk::max_of(N, 1), 64) * 64})});
    // gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32),
                             tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
            2147483648)});
    // scan(X, Bm, C, D, Z, G, Step, W, S0, start, Y, State, 1, ceil_div(max(N, 1), 64)*64)
    call.require(
        {tk::fits("B*1", B),
         tk::check(-2147483648 <= B, "`B*1` reaches {}; it must fit in 32 bits", {B}),
         tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 >= 64,
                   "`scan` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
         tk::check(tk::ceil_div(tk::max_of(N, 1), 64) * 64 >= N,
                   "`scan` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
         tk::check(0 <= N, "`scan` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
         tk::check(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `scan` divides by it"),
         tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(C),
         tk::suits_tma_load(G), tk::suits_tma_load(Step), tk::suits_tma_load(W),
         tk::suits_tma_store(Y), tk::fits("H*64 + 127", H * 64 + 127),
         tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 128), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0), B), 2147483648),
         tk::check(1 <= tk::floor_div(H, GR),
                   "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                   {tk::floor_div(H, GR)}),
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
                   {tk::min_of(0, B - 1)}), tk::fits("N - t.start", N),
         tk::fits("c.start + panel", H * 64 - 1 + 63), tk::fits("c.start + 64", H * 64 - 1 + 64),
         tk::fits("c.start + 64 + panel", H * 64 - 1 + 64 + 63)});
    if (!call.ok()) return tk::finish(call.result());

    // gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    const bool choice_1 = tk::all_hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(G), tk::suits_fast(Step), tk::suits_fast(W)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_gates(site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    } else {
        TK_FINISH_IF_FAILED(
            launch_gates_general(site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    }
    TK_FINISH_IF_FAILED(
        launch_scan(site, X, Bm, C, D, tk::read_only(G), tk::read_only(Step), tk::read_only(W), S0,
                    Y, State, B, N, GR, H, I, F, static_cast<int32_t>(1),
                    static_cast<int32_t>(tk::ceil_div(tk::max_of(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(mamba2, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float,
                float)

int mamba2_segments(const DLTensor* X_given, const DLTensor* Dt_given, const DLTensor* A_given,
                    const DLTensor* Bm_given, const DLTensor* C_given, const DLTensor* D_given,
                    const DLTensor* Z_given, const DLTensor* bias_given, const DLTensor* S0_given,
                    const DLTensor* start_given, DLTensor* Y_given, DLTensor* State_given,
                    DLTensor* G_given, DLTensor* Step_given, DLTensor* W_given, DLTensor* End_given,
                    DLTensor* Left_given, DLTensor* Start_given, DLTensor* Unused_given,
                    float dt_min, float dt_max, int32_t segments, int32_t length, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"mamba2_segments"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Dt = call.take("Dt", Dt_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Bm = call.take("Bm", Bm_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor D = call.take("D", D_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Z = call.take("Z", Z_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Step = call.take("Step", Step_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Left = call.take("Left", Left_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 3,
                                        tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t H = Dt.shape[2];
    const int64_t GR = Bm.shape[2];
    const int64_t BZ = Z.shape[0];
    const int64_t I = S0.shape[0];
    const int64_t R = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::same_extent("B", X, 0, Dt, 0), tk::same_extent("N", X, 1, Dt, 1),
         tk::same_extent("H", Dt, 2, A, 0), tk::same_extent("B", X, 0, Bm, 0),
         tk::same_extent("N", X, 1, Bm, 1), tk::fixed_extent(Bm, 3, 128),
         tk::same_extent("B", X, 0, C, 0), tk::same_extent("N", X, 1, C, 1),
         tk::same_extent("GR", Bm, 2, C, 2), tk::fixed_extent(C, 3, 128),
         tk::same_extent("H", Dt, 2, D, 0), tk::same_extent("N", X, 1, Z, 1),
         tk::same_extent("H", Dt, 2, bias, 0), tk::fixed_extent(S0, 2, 128),
         tk::same_extent("B", X, 0, Y, 0), tk::same_extent("N", X, 1, Y, 1),
         tk::fixed_extent(State, 2, 128), tk::same_extent("B", X, 0, G, 0),
         tk::same_extent("H", Dt, 2, G, 1), tk::same_extent("B", X, 0, Step, 0),
         tk::same_extent("H", Dt, 2, Step, 1), tk::same_extent("B", X, 0, W, 0),
         tk::same_extent("H", Dt, 2, W, 1), tk::fixed_extent(End, 2, 128),
         tk::same_extent("H", Dt, 2, Left, 1), tk::fixed_extent(Start, 2, 128),
         tk::fixed_extent(Unused, 2, 128),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"GR", GR}, {"BZ", BZ}, {"I", I}, {"R", R}, {"F", F}}),
         tk::fits("H*64", H * 64),
         tk::check(X.shape[2] == H * 64, "axis 2 of `X` is {}; it must be `H*64`, which is {}",
                   {X.shape[2], H * 64}),
         tk::check(Z.shape[2] == H * 64, "axis 2 of `Z` is {}; it must be `H*64`, which is {}",
                   {Z.shape[2], H * 64}),
         tk::check(S0.shape[1] == H * 64, "axis 1 of `S0` is {}; it must be `H*64`, which is {}",
                   {S0.shape[1], H * 64}),
         tk::check(Y.shape[2] == H * 64, "axis 2 of `Y` is {}; it must be `H*64`, which is {}",
                   {Y.shape[2], H * 64}),
         tk::check(State.shape[1] == H * 64,
                   "axis 1 of `State` is {}; it must be `H*64`, which is {}",
                   {State.shape[1], H * 64}),
         tk::check(G.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(Step.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `Step` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {Step.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::check(W.shape[2] == tk::ceil_div(N, 64) * 64,
                   "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                   {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::check(-2147483648 <= tk::multiply(B, int64_t{segments}),
                   "`B*segments` reaches {}; it must fit in 32 bits",
                   {tk::multiply(B, int64_t{segments})}),
         tk::check(End.shape[0] == tk::multiply(B, int64_t{segments}),
                   "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                   {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::check(End.shape[1] == H * 64, "axis 1 of `End` is {}; it must be `H*64`, which is {}",
                   {End.shape[1], H * 64}),
         tk::check(Left.shape[0] == tk::multiply(B, int64_t{segments}),
                   "axis 0 of `Left` is {}; it must be `B*segments`, which is {}",
                   {Left.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::check(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                   "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                   {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::check(Start.shape[1] == H * 64,
                   "axis 1 of `Start` is {}; it must be `H*64`, which is {}",
                   {Start.shape[1], H * 64}),
         tk::check(Unused.shape[0] == tk::min_of(B, 0),
                   "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                   {Unused.shape[0], tk::min_of(B, 0)}),
         tk::check(Unused.shape[1] == H * 64,
                   "axis 1 of `Unused` is {}; it must be `H*64`, which is {}",
                   {Unused.shape[1], H * 64}),
         tk::check(1 <= GR, "`H%GR` divides by `GR`, which is {}: it must be at least 1", {GR}),
         tk::check(R == 0, "`mamba2_segments` requires `R == 0`"),
         tk::check(tk::floor_mod(H, GR) == 0, "`mamba2_segments` requires `H % GR == 0`"),
         tk::check(tk::floor_div(H, GR) % 2 == 0,
                   "`mamba2_segments` requires `H / GR % HEADS == 0`"),
         tk::check(I <= B, "`mamba2_segments` requires `I <= B`"),
         tk::check(F <= B, "`mamba2_segments` requires `F <= B`"),
         tk::check(0 < GR, "`GR` is at least 1, because `mamba2_segments` divides by it")});
    // gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32),
                         tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32),
                             tk::max_of(tk::ceil_div(tk::ceil_div(N, 64) * 64, 64), 0)), B),
            2147483648)});
    // ends(X, Bm, G, W, End, Left, segments, length)
    call.require({
        tk::check(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::check(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::check(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::check(0 < tk::floor_div(H, GR), "`H/GR` is at least 1, because `ends` divides by it"),
        tk::suits_tma_load(X), tk::suits_tma_load(Bm), tk::suits_tma_load(G), tk::suits_tma_load(W),
        tk::fits("H*64 + 127", H * 64 + 127),
        tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 128), 0), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                         tk::max_of(int64_t{segments}, 0)), 2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::max_of(tk::ceil_div(H * 64, 128), 0),
                             tk::max_of(int64_t{segments}, 0)), B), 2147483648),
        tk::check(1 <= tk::floor_div(H, GR),
                  "`h/(H/GR)` divides by `H/GR`, which is {}: it must be at least 1",
                  {tk::floor_div(H, GR)}),
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
                 tk::max_of(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    // starts(End, Left, S0, Start, State, B, segments)
    call.require(
        {tk::fits("H*64 + 7", H * 64 + 7),
         tk::grid_fits(tk::max_of(tk::ceil_div(H * 64, 8), 0), 2147483648),
         tk::grid_fits(tk::multiply(tk::max_of(tk::ceil_div(H * 64, 8), 0), tk::max_of(B, 0)),
                       2147483648), tk::fits("b*segments", tk::multiply(B - 1, int64_t{segments})),
         tk::fits("b*segments + p",
                  tk::multiply(B - 1, int64_t{segments}) + (int64_t{segments} - 1))});
    // scan(X, Bm, C, D, Z, G, Step, W, Start, start, Y, Unused, segments, length)
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
                  "`scan` requires `PACKED or (min(B, 0)) <= B * segments`"),
        tk::check(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`scan` requires `segments * length >= N`"),
        tk::check(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`scan` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(C),
        tk::suits_tma_load(Step), tk::suits_tma_store(Y),
        tk::fits("N - t.start",
                 N - tk::min_of(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::fits("c.start + panel", H * 64 - 1 + 63), tk::fits("c.start + 64", H * 64 - 1 + 64),
        tk::fits("c.start + 64 + panel", H * 64 - 1 + 64 + 63)});
    if (!call.ok()) return tk::finish(call.result());

    // gates(Dt, A, bias, start, G, Step, W, dt_min, dt_max)
    const bool choice_1 = tk::all_hold(
        {tk::suits_fast(Dt, "H"), tk::whole_vectors(Dt, 8), tk::suits_fast(bias, "H"),
         tk::suits_fast(G), tk::suits_fast(Step), tk::suits_fast(W)});

    // starts(End, Left, S0, Start, State, B, segments)
    const bool choice_3 = tk::all_hold(
        {tk::suits_fast(End), tk::suits_fast(S0), tk::suits_fast(Start), tk::suits_fast(State)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_gates(site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    } else {
        TK_FINISH_IF_FAILED(
            launch_gates_general(site, Dt, A, bias, G, Step, W, B, N, H, dt_min, dt_max));
    }
    TK_FINISH_IF_FAILED(launch_ends(
        site, X, Bm, tk::read_only(G), tk::read_only(W), End, Left, B, N, GR, H, segments, length));
    if (choice_3) {
        TK_FINISH_IF_FAILED(
            launch_starts(site, tk::read_only(End), tk::read_only(Left), S0, Start, State, H, I, F,
                          static_cast<int32_t>(B), segments));
    } else {
        TK_FINISH_IF_FAILED(
            launch_starts_general(site, tk::read_only(End), tk::read_only(Left), S0, Start, State,
                                  H, I, F, static_cast<int32_t>(B), segments));
    }
    TK_FINISH_IF_FAILED(
        launch_scan(site, X, Bm, C, D, tk::read_only(G), tk::read_only(Step), tk::read_only(W),
                    tk::read_only(Start), Y, Unused, B, N, GR, H,
                    tk::multiply(B, int64_t{segments}), tk::min_of(B, 0), segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(mamba2_segments, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float, float, int32_t, int32_t)
}  // extern "C"
