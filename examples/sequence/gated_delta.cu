// Made by tkc from gated_delta.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// gates: kernel gates with T = f32, PACKED = false, ROUND = 128, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory: gates_kernel<5, 16, 4, true>.
// gates_general: kernel gates with T = f32, PACKED = false, ROUND = 128, L = 64, BH = 32; any
// strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory: gates_kernel<1, 32, 2, false>.
struct gates_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gates_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<float, 3> G, const tk::tensor_argument<float, 3> W,
    const tk::tensor_argument<float, 3> C, int B, int N, int H, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gates_shared& shared = *reinterpret_cast<gates_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int h_tiles = tk::tiles(H, 32);
    const int t_tiles = tk::tiles(R, 64);

    // gated_delta.tk:38: kernel gates<T: dtype = f32, PACKED: bool = false, ROUND: int = 128, L: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % h_tiles * 32;
    const int t = program / h_tiles % t_tiles * 64;
    const int b = program / (h_tiles * t_tiles);

    // gated_delta.tk:62: let a = (f32(load(Gate[b, t, h])) * LOG2E).T;
    tk::stripe<float, 64, 32, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(Gate, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t1;
    tk::map(t1, [](float t0) { return t0 * 1.442695f; }, t0);
    tk::stripe<float, 32, 64, 128, row_threads, vector> a;
    tk::transpose(a, t1, shared.gates_turned[0], thread, 1);

    // gated_delta.tk:63: let g = cumsum(a, axis = 1);
    tk::stripe<float, 32, 64, 128, row_threads, vector> g;
    tk::running_sums(g, a, thread);

    // gated_delta.tk:64: store(G[b, h, t], g);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(G, {b, h, t}, H - h, R - t), g, thread);

    // gated_delta.tk:65: store(W[b, h, t], exp2(sum(a, axis = 1) - g));
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::fold_rows(t4, a, tk::plus{}, thread);
    tk::finish_rows(t4, tk::plus{});
    tk::stripe<float, 32, 64, 128, row_threads, vector> t5;
    tk::map(t5, [](float t4, float g) { return tk::exp2(t4 - g); }, t4, g);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(W, {b, h, t}, H - h, R - t), t5, thread);

    // gated_delta.tk:66: store(C[b, h, t], f32(load(Beta[b, t, h])).T);
    tk::stripe<float, 64, 32, 128, row_threads, vector> t6;
    tk::load_slice<vectors>(t6, tk::slice_if_vectors<vectors>(Beta, {b, t, h}, N - t, H - h),
                            thread);
    tk::stripe<float, 32, 64, 128, row_threads, vector> t7;
    tk::transpose(t7, t6, shared.gates_turned[0], thread, 1);
    tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(C, {b, h, t}, H - h, R - t), t7, thread);
}

// chunks: kernel chunks with T = bf16, DK = 64, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; aux: 1 warpgroup, 176 registers a thread; state: 1
// warpgroup, 160 registers a thread; output: 1 warpgroup, 152 registers a thread.
// 512 threads, 128 registers each at first, 168208 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 64> ks_tile[4];
    tk::shared_tile<tk::bf16, 64, 64> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<float, 1, 64> ms_g[2];
    tk::shared_tile<float, 64, 1> ms_gc[2];
    tk::shared_tile<float, 64, 1> ms_bc[2];
    tk::shared_tile<float, 1, 64> gs_g[2];
    tk::shared_tile<float, 64, 1> gs_gc[2];
    tk::shared_tile<float, 1, 64> gs_w[2];
    tk::shared_tile<float, 1, 64> gs_beta[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[1];
    tk::shared_tile<tk::bf16, 64, 64> states_tile[2];
    tk::shared_tile<tk::f16, 64, 64> aux_t3[2];
    tk::shared_tile<tk::f16, 64, 64> aux_t5[2];
    tk::shared_tile<tk::f16, 64, 64> aux_r0[1];
    tk::shared_tile<tk::f16, 64, 64> aux_r1[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<4> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ms;
    tk::pipeline<2> gs;
    tk::pipeline<2> ts;
    tk::pipeline<1> us;
    tk::pipeline<2> states;
};
static_assert(offsetof(chunks_shared, states) == 168176);

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
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_delta.tk:94: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 64);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> gs_next, ms_next, qs_next, vs_next;
            tk::cursor<4> ks_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H);

            // gated_delta.tk:79: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = N;

            // gated_delta.tk:81: let room   = if PACKED { tokens } else { ceil_div(N, 2 * L) * ..
            const int room = tk::divide_up(N, 128) * 128;

            // gated_delta.tk:82: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // gated_delta.tk:95: for t in tokens by 2 * L {
            #pragma unroll 1
            for (int t = 0; t < tokens; t += 128) {
                // gated_delta.tk:97: if PACKED { produce ks = tma_load(Kb[t.start +: L, h, :]) ..
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta.tk:98: if PACKED { produce ks = tma_load(Kb[t.start + L +: L, h, ..
                shared.ks.begin(ks_next, 8192);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t + 64, h, 0);
                ks_next.advance();

                // gated_delta.tk:99: produce ms {
                shared.ms.begin(ms_next, 768);

                // gated_delta.tk:100: g = tma_load(Gb[t.start +: L]); gc = ..
                tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage], at,
                             h, t);
                tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage], at,
                             h, t);

                // gated_delta.tk:101: bc = column(tma_load(Cb[t.start +: L]));
                tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage], at,
                             h, t);
                // gated_delta.tk:99
                ms_next.advance();

                // gated_delta.tk:103: produce ms {
                shared.ms.begin(ms_next, 768);

                // gated_delta.tk:104: g = tma_load(Gb[t.start + L +: L]); gc = ..
                tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage], at,
                             h, t + 64);
                tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage], at,
                             h, t + 64);

                // gated_delta.tk:105: bc = column(tma_load(Cb[t.start + L +: L]));
                tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage], at,
                             h, t + 64);
                // gated_delta.tk:103
                ms_next.advance();

                // gated_delta.tk:107: if PACKED { produce vs = tma_load(Vb[t.start +: L, h, c]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();

                // gated_delta.tk:108: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta.tk:109: g = tma_load(Gb[t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // gated_delta.tk:110: beta = tma_load(Cb[t.start +: L]);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage],
                             at, h, t);
                // gated_delta.tk:108
                gs_next.advance();

                // gated_delta.tk:112: if PACKED { produce qs = tma_load(Qb[t.start +: L, h, :]) ..
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // gated_delta.tk:113: if PACKED { produce vs = tma_load(Vb[t.start + L +: L, h, ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t + 64, h, c);
                vs_next.advance();

                // gated_delta.tk:114: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta.tk:115: g = tma_load(Gb[t.start + L +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t + 64);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t + 64);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             h, t + 64);

                // gated_delta.tk:116: beta = tma_load(Cb[t.start + L +: L]);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage],
                             at, h, t + 64);
                // gated_delta.tk:114
                gs_next.advance();

                // gated_delta.tk:118: if PACKED { produce qs = tma_load(Qb[t.start + L +: L, h, ..
                shared.qs.begin(qs_next, 8192);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t + 64, h, 0);
                qs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta.tk:121: role aux(1 warpgroup) registers(176) {
        tk::registers_at_least<176>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ks_next;
        tk::cursor<2> ms_next, ts_next_2;

        // gated_delta.tk:79: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // gated_delta.tk:122: for t in tokens by 2 * L {
        tk::fragment<tk::bf16, 64, 64> t74;
        tk::fragment<tk::bf16, 64, 64> t75;
        for (int t = 0; t < tokens; t += 128) {
            // gated_delta.tk:123: let k0 = consume ks;
            const tk::cursor<4> k0_element = shared.ks.take(ks_next);

            // gated_delta.tk:124: let k1 = consume ks;
            const tk::cursor<4> k1_element = shared.ks.take(ks_next);

            // gated_delta.tk:125: let p0 = mma(k0, k0.T);
            tk::fragment<float, 64, 64> p0;
            tk::mma_async(p0, shared.ks_tile[k0_element.stage],
                          tk::transposed(shared.ks_tile[k0_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:126: let p1 = mma(k1, k1.T);
            tk::fragment<float, 64, 64> p1;
            tk::mma_async(p1, shared.ks_tile[k1_element.stage],
                          tk::transposed(shared.ks_tile[k1_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:127: let a0 = consume ms;
            const tk::cursor<2> a0 = shared.ms.take(ms_next);

            // gated_delta.tk:129: let a1 = consume ms;
            const tk::cursor<2> a1 = shared.ms.take(ms_next);
            tk::mma_wait<1>(p0);
            shared.ks.release(k0_element);

            // <std.triangular>:55: return rounded_inverses(shared(f16(m0)), shared(f16(m1)));
            tk::column_fragment<float, 64> t0;
            tk::map(t0, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a0.stage], row, 0);
            });
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.ms_g[a0.stage], thread);
            tk::column_fragment<float, 64> t10;
            tk::map(t10, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a0.stage], row, 0);
            });
            shared.ms.release_after_loads(a0);
            tk::fragment<tk::f16, 64, 64> t2;
            tk::map(t2, thread, [&](int row, int col, float p0, float t0, float t1, float t10) {
                const int x = N - t;
                return col < x
                    ? (row < x
                       ? (row > col ? p0 * tk::exp2(row >= col ? t0 - t1 : -INFINITY) * t10 : 0.0f)
                       : 0.0f) : 0.0f;
            }, p0, t0, t1, t10);
            tk::hold_waits(warp);
            tk::store_shared(shared.aux_t3[t / 128 % 2], t2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::mma_wait<0>(p1);
            shared.ks.release(k1_element);
            tk::column_fragment<float, 64> t13;
            tk::map(t13, thread, [&](int row, int) {
                return tk::get(shared.ms_gc[a1.stage], row, 0);
            });
            tk::row_fragment<float, 64> t16;
            tk::load_shared(t16, shared.ms_g[a1.stage], thread);
            tk::column_fragment<float, 64> t19;
            tk::map(t19, thread, [&](int row, int) {
                return tk::get(shared.ms_bc[a1.stage], row, 0);
            });
            shared.ms.release_after_loads(a1);
            tk::fragment<tk::f16, 64, 64> t4;
            tk::map(t4, thread, [&](int row, int col, float p1, float t13, float t16, float t19) {
                const int x = N - (t + 64);
                return col < x
                    ? (row < x
                       ? (row > col ? p1 * tk::exp2(row >= col ? t13 - t16 : -INFINITY) * t19
                          : 0.0f) : 0.0f) : 0.0f;
            }, p1, t13, t16, t19);
            tk::store_shared(shared.aux_t5[t / 128 % 2], t4, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t6;
            tk::map(t6, []() { return tk::f16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r0[0], t6, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t7;
            tk::map(t7, []() { return tk::f16(0.0f); });
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r1[0], t7, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t22;
            tk::load_shared(t22, shared.aux_t3[t / 128 % 2], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t22) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t22) : 0.0f;
            }, t22);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t25;
            tk::load_shared(t25, shared.aux_t5[t / 128 % 2], thread);
            tk::fragment<float, 64, 64> v1;
            tk::map(v1, thread, [](int row, int col, tk::f16 t25) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t25) : 0.0f;
            }, t25);

            // <std.triangular>:67: for b in 1..4 {
            for (int b_2 = 1; b_2 < 4; b_2 += 1) {
                // <std.triangular>:69: let h0 = f16(v0);
                tk::fragment<tk::f16, 64, 64> h0 = tk::convert<tk::f16>(v0);

                // <std.triangular>:18: return { a = mma(h[:, 0 +: 16], m[0 +: 16, 0 +: 16]), b = ..
                tk::fragment<tk::f16, 64, 16> t8;
                tk::slice_registers<0, 0>(t8, h0);
                tk::fragment<float, 64, 16> x0_a;
                tk::mma_async(x0_a, t8, tk::part<0, 0, 16, 16>(shared.aux_t3[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t11;
                tk::slice_registers<0, 4>(t11, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t11, tk::part<16, 16, 16, 16>(shared.aux_t3[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t14;
                tk::slice_registers<0, 8>(t14, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t14, tk::part<32, 32, 16, 16>(shared.aux_t3[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t17;
                tk::slice_registers<0, 12>(t17, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t17, tk::part<48, 48, 16, 16>(shared.aux_t3[t / 128 % 2]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_r0[0], h0, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_wait<3>(x0_a, t8);

                // <std.triangular>:72: let w0 = negated(x0, inside);
                tk::fragment<tk::f16, 64, 16> w0_a;
                tk::map(w0_a, thread, [&](int row, int col, float x0_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_a : 0.0f;
                }, x0_a);
                tk::hold_waits(warp);
                tk::mma_wait<2>(x0_b, t11);
                tk::fragment<tk::f16, 64, 16> w0_b;
                tk::map(w0_b, thread, [&](int row, int col, float x0_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_b : 0.0f;
                }, x0_b);
                tk::hold_waits(warp);
                tk::mma_wait<1>(x0_c, t14);
                tk::fragment<tk::f16, 64, 16> w0_c;
                tk::map(w0_c, thread, [&](int row, int col, float x0_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_c : 0.0f;
                }, x0_c);
                tk::hold_waits(warp);
                tk::mma_wait<0>(x0_d, t17);
                tk::fragment<tk::f16, 64, 16> w0_d;
                tk::map(w0_d, thread, [&](int row, int col, float x0_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x0_d : 0.0f;
                }, x0_d);

                // <std.triangular>:73: let h1 = f16(v1);
                tk::fragment<tk::f16, 64, 64> h1 = tk::convert<tk::f16>(v1);
                // <std.triangular>:18
                tk::fragment<tk::f16, 64, 16> t20;
                tk::slice_registers<0, 0>(t20, h1);
                tk::fragment<float, 64, 16> x1_a;
                tk::mma_async(x1_a, t20, tk::part<0, 0, 16, 16>(shared.aux_t5[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t23;
                tk::slice_registers<0, 4>(t23, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t23, tk::part<16, 16, 16, 16>(shared.aux_t5[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t26;
                tk::slice_registers<0, 8>(t26, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t26, tk::part<32, 32, 16, 16>(shared.aux_t5[t / 128 % 2]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t29;
                tk::slice_registers<0, 12>(t29, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t29, tk::part<48, 48, 16, 16>(shared.aux_t5[t / 128 % 2]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.aux_r0[0]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.aux_r0[0]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.aux_r0[0]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.aux_r0[0]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(2, 128);
                tk::store_shared(shared.aux_r1[0], h1, thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_wait<7>(x1_a, t20);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t36;
                tk::map(t36, thread, [&](int row, int col, float x1_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t36, tk::part<0, 0, 16, 64>(shared.aux_r1[0]));
                tk::mma_wait<7>(x1_b, t23);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t38;
                tk::map(t38, thread, [&](int row, int col, float x1_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t38, tk::part<16, 0, 16, 64>(shared.aux_r1[0]));
                tk::mma_wait<7>(x1_c, t26);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t40;
                tk::map(t40, thread, [&](int row, int col, float x1_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t40, tk::part<32, 0, 16, 64>(shared.aux_r1[0]));
                tk::mma_wait<7>(x1_d, t29);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t42;
                tk::map(t42, thread, [&](int row, int col, float x1_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t42, tk::part<48, 0, 16, 64>(shared.aux_r1[0]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t36, t38, t40, t42);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t44;
            tk::slice_registers<0, 4>(t44, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t44, tk::part<16, 0, 16, 16>(shared.aux_t3[t / 128 % 2]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t47;
            tk::slice_registers<0, 12>(t47, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t47, tk::part<48, 32, 16, 16>(shared.aux_t3[t / 128 % 2]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r0[0], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t50;
            tk::slice_registers<0, 4>(t50, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t50, tk::part<16, 0, 16, 16>(shared.aux_t5[t / 128 % 2]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t53;
            tk::slice_registers<0, 12>(t53, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t53, tk::part<48, 32, 16, 16>(shared.aux_t5[t / 128 % 2]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t44);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t56;
            tk::map(t56, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t56, tk::part<0, 0, 16, 64>(shared.aux_r0[0]));
            tk::mma_wait<3>(y0_b, t47);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t58;
            tk::map(t58, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t58, tk::part<32, 0, 16, 64>(shared.aux_r0[0]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r1[0], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::mma_wait<3>(y1_a, t50);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t60;
            tk::map(t60, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t60, tk::part<0, 0, 16, 64>(shared.aux_r1[0]));
            tk::mma_wait<3>(y1_b, t53);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t62;
            tk::map(t62, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t62, tk::part<32, 0, 16, 64>(shared.aux_r1[0]));
            tk::mma_wait<2>(v0, t56, t58);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t64;
            tk::slice_registers<0, 8>(t64, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t64, tk::part<32, 0, 32, 32>(shared.aux_t3[t / 128 % 2]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r0[0], g0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::mma_wait<1>(v1, t60, t62);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t67;
            tk::slice_registers<0, 8>(t67, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t67, tk::part<32, 0, 32, 32>(shared.aux_t5[t / 128 % 2]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t64);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t70;
            tk::map(t70, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t70, tk::part<0, 0, 32, 64>(shared.aux_r0[0]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.aux_r1[0], g1, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
            tk::mma_wait<1>(z1, t67);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t72;
            tk::map(t72, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t72, tk::part<0, 0, 32, 64>(shared.aux_r1[0]));
            tk::mma_wait<1>(v0, t70);

            // gated_delta.tk:131: let x = triangular.strict_inverses(m0, m1);
            tk::fragment<float, 64, 64> x_a;
            tk::map(x_a, thread, [](int row, int col, float v0) { return row == col ? 0.0f : v0; },
                    v0);
            tk::hold_waits(warp);
            tk::mma_wait<0>(v1, t72);
            tk::fragment<float, 64, 64> x_b;
            tk::map(x_b, thread, [](int row, int col, float v1) { return row == col ? 0.0f : v1; },
                    v1);

            // gated_delta.tk:132: produce ts = T(padded(x.a));
            if (t + 64 <= N && t + 64 <= N) {
                t74 = tk::convert<tk::bf16>(x_a);
            } else {
                tk::map(t74, thread, [&](int row, int col, float x_a) {
                    const int x = N - t;
                    return col < x ? (row < x ? x_a : 0.0f) : 0.0f;
                }, x_a);
            }
            shared.ts.wait_empty(ts_next_2);
            tk::store_shared(shared.ts_tile[ts_next_2.stage], t74, thread);
            shared.ts.publish(ts_next_2);
            ts_next_2.advance();

            // gated_delta.tk:133: produce ts = T(padded(x.b));
            if (t + 128 <= N && t + 128 <= N) {
                t75 = tk::convert<tk::bf16>(x_b);
            } else {
                tk::map(t75, thread, [&](int row, int col, float x_b) {
                    const int x = N - (t + 64);
                    return col < x ? (row < x ? x_b : 0.0f) : 0.0f;
                }, x_b);
            }
            shared.ts.wait_empty(ts_next_2);
            tk::store_shared(shared.ts_tile[ts_next_2.stage], t75, thread);
            shared.ts.publish(ts_next_2);
            ts_next_2.advance();
        }
    } else if (warp < 8) {
        // gated_delta.tk:136: role state(1 warpgroup) {
        tk::registers_at_least<160>();
        const int c_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ks_next;
        tk::cursor<2> states_next_2, vs_next;
        tk::cursor<1> us_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H);

        // gated_delta.tk:79: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // gated_delta.tk:137: var s: f32[BV, DK] = load(S0[b, h, c, :]);
        tk::fragment<float, 64, 64> s;
        tk::load_global(s, tk::slice(S0, {b, h, c, 0}, b < I ? DV - c : 0, 64), thread);

        // gated_delta.tk:138: for t in tokens by 2 * L {
        tk::fragment<tk::bf16, 64, 64> t7;
        tk::fragment<tk::bf16, 64, 64> t15;
        for (int t = 0; t < tokens; t += 128) {
            // gated_delta.tk:139: let k0 = consume ks;
            const tk::cursor<4> k0_element = shared.ks.take(ks_next);

            // gated_delta.tk:140: let c0 = T(s);
            tk::fragment<tk::bf16, 64, 64> c0 = tk::convert<tk::bf16>(s);

            // gated_delta.tk:141: let y0 = mma(c0, k0.T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, c0, tk::transposed(shared.ks_tile[k0_element.stage]),
                          tk::accumulate_never{});

            // gated_delta.tk:142: let v0 = consume vs;
            const tk::cursor<2> v0_element = shared.vs.take(vs_next);

            // gated_delta.tk:143: let a0 = consume gs;
            shared.gs.wait_full(v0_element);

            // gated_delta.tk:144: let x0 = consume ts;
            shared.ts.wait_full(v0_element);

            // gated_delta.tk:25: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[v0_element.stage], thread);
            shared.vs.release_after_loads(v0_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_beta[v0_element.stage], thread);
            tk::fragment<float, 64, 64> u0;
            tk::map(u0, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // gated_delta.tk:26: let since = exp2(g) * beta;
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[v0_element.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_beta[v0_element.stage], thread);
            tk::row_fragment<float, 64> since;
            tk::map(since, [](float t1, float t9) { return tk::exp2(t1) * t9; }, t1, t9);
            tk::mma_wait<0>(y0, c0);

            // gated_delta.tk:27: u -= y * since;
            tk::map(u0, [](float u0, float y0, float since) { return tk::fma(-y0, since, u0); },
                    u0, y0, since);

            // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(u0, thread, [&](int, int col, float u0) { return col < N - t ? u0 : 0.0f; },
                        u0);
            }

            // gated_delta.tk:29: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u0);
            tk::mma_async(u0, t4, tk::transposed(shared.ts_tile[v0_element.stage]));

            // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t6;
            tk::load_shared(t6, tk::part<0, 63, 1, 1>(shared.gs_g[v0_element.stage]), thread);
            const float number = t6.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u0, t4);
            shared.ts.release(v0_element);
            tk::row_fragment<float, 64> t17;
            tk::load_shared(t17, shared.gs_w[v0_element.stage], thread);
            shared.gs.release_after_loads(v0_element);
            if (t + 64 <= N) {
                tk::map(t7, [](float u0, float t17) { return u0 * t17; }, u0, t17);
            } else {
                tk::map(t7, thread, [&](int, int col, float u0, float t17) {
                    return col < N - t ? u0 * t17 : 0.0f;
                }, u0, t17);
            }
            tk::mma_async(s, t7, shared.ks_tile[k0_element.stage]);

            // gated_delta.tk:146: produce states = c0;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], c0, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // gated_delta.tk:147: produce us = T(u0);
            tk::fragment<tk::bf16, 64, 64> t8 = tk::convert<tk::bf16>(u0);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t8, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();

            // gated_delta.tk:148: let k1 = consume ks;
            const tk::cursor<4> k1_element = shared.ks.take(ks_next);
            tk::mma_wait<0>(s, t7);
            shared.ks.release(k0_element);

            // gated_delta.tk:149: let c1 = T(s);
            tk::fragment<tk::bf16, 64, 64> c1 = tk::convert<tk::bf16>(s);

            // gated_delta.tk:150: let y1 = mma(c1, k1.T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, c1, tk::transposed(shared.ks_tile[k1_element.stage]),
                          tk::accumulate_never{});

            // gated_delta.tk:151: let v1 = consume vs;
            const tk::cursor<2> v1_element = shared.vs.take(vs_next);

            // gated_delta.tk:152: let a1 = consume gs;
            shared.gs.wait_full(v1_element);

            // gated_delta.tk:153: let x1 = consume ts;
            shared.ts.wait_full(v1_element);
            // gated_delta.tk:25
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::load_transposed(t11, shared.vs_tile[v1_element.stage], thread);
            shared.vs.release_after_loads(v1_element);
            tk::row_fragment<float, 64> t18;
            tk::load_shared(t18, shared.gs_beta[v1_element.stage], thread);
            tk::fragment<float, 64, 64> u1;
            tk::map(u1, [](tk::bf16 t11, float t18) { return float(t11) * t18; }, t11, t18);
            // gated_delta.tk:26
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t19;
            tk::load_shared(t19, shared.gs_g[v1_element.stage], thread);
            tk::row_fragment<float, 64> t20;
            tk::load_shared(t20, shared.gs_beta[v1_element.stage], thread);
            tk::row_fragment<float, 64> since_2;
            tk::map(since_2, [](float t19, float t20) { return tk::exp2(t19) * t20; }, t19, t20);
            tk::mma_wait<0>(y1, c1);
            // gated_delta.tk:27
            tk::map(u1, [](float u1, float y1, float since_2) { return tk::fma(-y1, since_2, u1); },
                    u1, y1, since_2);
            // gated_delta.tk:28
            if (!(t + 128 <= N)) {
                tk::map(u1, thread, [&](int, int col, float u1) {
                    return col < N - (t + 64) ? u1 : 0.0f;
                }, u1);
            }
            // gated_delta.tk:29
            tk::fragment<tk::bf16, 64, 64> t12 = tk::convert<tk::bf16>(u1);
            tk::mma_async(u1, t12, tk::transposed(shared.ts_tile[v1_element.stage]));
            // gated_delta.tk:30
            tk::row_fragment<float, 1> t14;
            tk::load_shared(t14, tk::part<0, 63, 1, 1>(shared.gs_g[v1_element.stage]), thread);
            const float number_2 = t14.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number_2); }, s);
            // gated_delta.tk:31
            tk::hold_waits(warp);
            tk::mma_wait<0>(u1, t12);
            shared.ts.release(v1_element);
            tk::row_fragment<float, 64> t21;
            tk::load_shared(t21, shared.gs_w[v1_element.stage], thread);
            shared.gs.release_after_loads(v1_element);
            if (t + 128 <= N) {
                tk::map(t15, [](float u1, float t21) { return u1 * t21; }, u1, t21);
            } else {
                tk::map(t15, thread, [&](int, int col, float u1, float t21) {
                    return col < N - (t + 64) ? u1 * t21 : 0.0f;
                }, u1, t21);
            }
            tk::mma_async(s, t15, shared.ks_tile[k1_element.stage]);

            // gated_delta.tk:155: produce states = c1;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], c1, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // gated_delta.tk:156: produce us = T(u1);
            tk::fragment<tk::bf16, 64, 64> t16 = tk::convert<tk::bf16>(u1);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t16, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t15);
            shared.ks.release(k1_element);
        }

        // gated_delta.tk:158: store(State[b, h, c, :], s);
        tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 64), s, thread);
    } else {
        // gated_delta.tk:160: role output(1 warpgroup) {
        tk::registers_at_least<152>();
        const int c_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<1> us_next_2;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H);

        // gated_delta.tk:79: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // gated_delta.tk:161: for t in tokens by 2 * L {
        for (int t = 0; t < tokens; t += 128) {
            // gated_delta.tk:162: let k0 = consume ks;
            const tk::cursor<4> k0_element = shared.ks.take(ks_next);

            // gated_delta.tk:163: let a0 = consume gs;
            const tk::cursor<2> a0 = shared.gs.take(gs_next);

            // gated_delta.tk:164: let q0 = consume qs;
            shared.qs.wait_full(a0);

            // gated_delta.tk:165: let p0 = mma(q0, k0.T);
            tk::fragment<float, 64, 64> p0;
            tk::mma_async(p0, shared.qs_tile[a0.stage],
                          tk::transposed(shared.ks_tile[k0_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:166: var o0 = mma(q0, (consume states).T);
            shared.states.wait_full(a0);
            tk::fragment<float, 64, 64> o0;
            tk::mma_async(o0, shared.qs_tile[a0.stage],
                          tk::transposed(shared.states_tile[a0.stage]), tk::accumulate_never{});
            tk::mma_wait<1>(p0);
            shared.ks.release(k0_element);

            // gated_delta.tk:167: let w0 = T(pad(p0 * decay.between(a0.gc, a0.g), axis = 1, with ..
            tk::column_fragment<float, 64> t3;
            tk::map(t3, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a0.stage], row, 0);
            });
            tk::row_fragment<float, 64> t4;
            tk::load_shared(t4, shared.gs_g[a0.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w0;
            tk::map(w0, thread, [&](int row, int col, float t3, float t4, float p0) {
                return col < N - t ? p0 * tk::exp2(row >= col ? t3 - t4 : -INFINITY) : 0.0f;
            }, t3, t4, p0);

            // gated_delta.tk:168: o0 *= exp2(a0.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t6;
            tk::map(t6, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a0.stage], row, 0);
            });
            shared.gs.release_after_loads(a0);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t6) { return tk::exp2(t6); }, t6);
            tk::mma_wait<0>(o0);
            shared.states.release(a0);
            shared.qs.release(a0);
            tk::map(o0, [](float o0, float t0) { return o0 * t0; }, o0, t0);

            // gated_delta.tk:169: o0 += mma(w0, (consume us).T);
            const tk::cursor<1> us_element = shared.us.take(us_next_2);
            tk::mma_async(o0, w0, tk::transposed(shared.us_tile[us_element.stage]));
            tk::mma_wait<0>(o0, w0);
            shared.us.release(us_element);

            // gated_delta.tk:170: if PACKED { store(Ob[t.start +: L, h, c], T(o0 * scale)); } ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::map(t2, [&](float o0) { return o0 * scale; }, o0);
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

            // gated_delta.tk:171: let k1 = consume ks;
            const tk::cursor<4> k1_element = shared.ks.take(ks_next);

            // gated_delta.tk:172: let a1 = consume gs;
            const tk::cursor<2> a1 = shared.gs.take(gs_next);

            // gated_delta.tk:173: let q1 = consume qs;
            shared.qs.wait_full(a1);

            // gated_delta.tk:174: let p1 = mma(q1, k1.T);
            tk::fragment<float, 64, 64> p1;
            tk::mma_async(p1, shared.qs_tile[a1.stage],
                          tk::transposed(shared.ks_tile[k1_element.stage]), tk::accumulate_never{});

            // gated_delta.tk:175: var o1 = mma(q1, (consume states).T);
            shared.states.wait_full(a1);
            tk::fragment<float, 64, 64> o1;
            tk::mma_async(o1, shared.qs_tile[a1.stage],
                          tk::transposed(shared.states_tile[a1.stage]), tk::accumulate_never{});
            tk::mma_wait<1>(p1);
            shared.ks.release(k1_element);

            // gated_delta.tk:176: let w1 = T(pad(p1 * decay.between(a1.gc, a1.g), axis = 1, with ..
            tk::column_fragment<float, 64> t7;
            tk::map(t7, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a1.stage], row, 0);
            });
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.gs_g[a1.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w1;
            tk::map(w1, thread, [&](int row, int col, float t7, float t8, float p1) {
                return col < N - (t + 64) ? p1 * tk::exp2(row >= col ? t7 - t8 : -INFINITY) : 0.0f;
            }, t7, t8, p1);

            // gated_delta.tk:177: o1 *= exp2(a1.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t9;
            tk::map(t9, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a1.stage], row, 0);
            });
            shared.gs.release_after_loads(a1);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [](float t9) { return tk::exp2(t9); }, t9);
            tk::mma_wait<0>(o1);
            shared.states.release(a1);
            shared.qs.release(a1);
            tk::map(o1, [](float o1, float t1) { return o1 * t1; }, o1, t1);

            // gated_delta.tk:178: o1 += mma(w1, (consume us).T);
            const tk::cursor<1> us_element_2 = shared.us.take(us_next_2);
            tk::mma_async(o1, w1, tk::transposed(shared.us_tile[us_element_2.stage]));
            tk::mma_wait<0>(o1, w1);
            shared.us.release(us_element_2);

            // gated_delta.tk:179: if PACKED { store(Ob[t.start + L +: L, h, c], T(o1 * scale)); ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map(t5, [&](float o1) { return o1 * scale; }, o1);
                tk::store_shared(shared.output_O[0], t5, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (DV % 8 != 0 && DV < c + panel + 64) {
                    tk::copy_to_global(
                        tk::dense_slice<1, 3>(O, {b, t + 64, h, c + panel}, N - (t + 64),
                                              DV - (c + panel)), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t + 64, h, c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

namespace {
tk::status launch_gates(const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
                        const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B,
                        int64_t N, int64_t H, int64_t R) {
    return tk::run<gates_kernel<5, 16, 4, true>>(
        site, sizeof(gates_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_gates_general(const tk::launch_site& site, const tk::tensor& Gate,
                                const tk::tensor& Beta, const tk::tensor& G, const tk::tensor& W,
                                const tk::tensor& C, int64_t B, int64_t N, int64_t H, int64_t R) {
    return tk::run<gates_kernel<1, 32, 2, false>>(
        site, sizeof(gates_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& G, const tk::tensor& W,
                         const tk::tensor& C, const tk::tensor& S0, const tk::tensor& O,
                         const tk::tensor& State, int64_t B, int64_t N, int64_t H, int64_t DV,
                         int64_t I, int64_t F, float scale) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        S0, O, State, B, N, H, DV, I, F, scale);
}

}  // namespace

extern "C" {
int gates(const DLTensor* Gate_given, const DLTensor* Beta_given, const DLTensor* start_given,
          DLTensor* G_given, DLTensor* W_given, DLTensor* C_given, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"gates"};
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Gate.shape[0];
    const int64_t N = Gate.shape[1];
    const int64_t H = Gate.shape[2];
    const int64_t P = start.shape[0];
    const int64_t R = G.shape[2];
    call.require(
        {tk::same_extent("B", Gate, 0, Beta, 0), tk::same_extent("N", Gate, 1, Beta, 1),
         tk::same_extent("H", Gate, 2, Beta, 2), tk::same_extent("B", Gate, 0, G, 0),
         tk::same_extent("H", Gate, 2, G, 1), tk::same_extent("B", Gate, 0, W, 0),
         tk::same_extent("H", Gate, 2, W, 1), tk::same_extent("R", G, 2, W, 2),
         tk::same_extent("B", Gate, 0, C, 0), tk::same_extent("H", Gate, 2, C, 1),
         tk::same_extent("R", G, 2, C, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"P", P}, {"R", R}}),
         tk::that(R == tk::ceil_div(N, 128) * 128,
                  "`gates` requires `R == (if PACKED { N // ROUND + P - 1 } else { ceil_div(N, ROUND) }) * ROUND`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)),
                                          B);
    const bool fast = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::suits_fast(G, "R"), tk::whole_vectors(G, 4), tk::suits_fast(W, "R"),
         tk::suits_fast(C, "R")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<gates_kernel<5, 16, 4, true>, gates_kernel<1, 32, 2, false>>(
        fast ? 0 : 1, site, sizeof(gates_shared), tk::kernel_shape(128).overlapping(), programs,
        Gate, Beta, G, W, C, B, N, H, R));
}
TK_NO_WORKSPACE(gates, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* G_given, const DLTensor* W_given, const DLTensor* C_given,
           const DLTensor* S0_given, const DLTensor* start_given, DLTensor* O_given,
           DLTensor* State_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t R = G.shape[2];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 64), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 64), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("R", G, 2, W, 2), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::same_extent("R", G, 2, C, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 64), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 64),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"R", R}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(F <= B, "`chunks` requires `PACKED or F <= B`"),
         tk::that(R == tk::ceil_div(N, 128) * 128,
                  "`chunks` requires `R == (if PACKED { N // (2 * L) + P - 1 } else { ceil_div(N, 2 * L) }) * (2 * L)`"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(G, "R"), tk::suits_tma_load(W, "R"), tk::suits_tma_load(C, "R"),
         tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{W, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        S0, O, State, B, N, H, DV, I, F, scale));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float)

int gated_delta(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                const DLTensor* Gate_given, const DLTensor* Beta_given, const DLTensor* S0_given,
                const DLTensor* start_given, DLTensor* O_given, DLTensor* State_given,
                DLTensor* G_given, DLTensor* W_given, DLTensor* C_given, float scale, void*, size_t,
                cudaStream_t stream) {
    tk::arguments call{"gated_delta"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Gate = call.take("Gate", Gate_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Beta = call.take("Beta", Beta_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
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
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 64), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 64), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, Gate, 0), tk::same_extent("N", Q, 1, Gate, 1),
         tk::same_extent("H", Q, 2, Gate, 2), tk::same_extent("B", Q, 0, Beta, 0),
         tk::same_extent("N", Q, 1, Beta, 1), tk::same_extent("H", Q, 2, Beta, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::same_extent("DV", V, 3, S0, 2),
         tk::fixed_extent(S0, 3, 64), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 64),
         tk::same_extent("B", Q, 0, G, 0), tk::same_extent("H", Q, 2, G, 1),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("B", Q, 0, C, 0), tk::same_extent("H", Q, 2, C, 1),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 128) * 128,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 128) * 128}),
         tk::that(W.shape[2] == tk::ceil_div(N, 128) * 128,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 128) * 128}),
         tk::that(C.shape[2] == tk::ceil_div(N, 128) * 128,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 128)*128`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 128) * 128}),
         tk::that(F <= B, "`gated_delta` requires `PACKED or F <= B`")});
    // gates(Gate, Beta, start, G, W, C)
    call.require({
        tk::that(tk::ceil_div(N, 128) * 128 < 2147221504,
                 "`ceil_div(N, 128)*128` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 128) * 128}),
        tk::grid_fits(
            tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 128) * 128, 64)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 128) * 128, 64)), B),
            2147483648)});
    // chunks(Q, K, V, G, W, C, S0, start, O, State, scale)
    call.require(
        {tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(W.stride[2] == 1,
                  "neighbours in a row of `W` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {W.stride[2]}),
         tk::that(W.address % 16 == 0,
                  "`W` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(W.address, 16)}),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944,
                  "the rows of `W` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {W.stride[1] * 4}),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944,
                  "neighbours along axis 0 of `W` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {W.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 128)*128` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4}), tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gates(Gate, Beta, start, G, W, C)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(Gate, "H"), tk::whole_vectors(Gate, 4), tk::suits_fast(Beta, "H"),
         tk::that(G.stride[2] == 1), tk::that(G.address % 16 == 0),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944),
         tk::that(W.stride[2] == 1), tk::that(W.address % 16 == 0),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944),
         tk::that(C.stride[2] == 1), tk::that(C.address % 16 == 0),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(
            launch_gates(site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 128) * 128));
    } else {
        TK_FINISH_IF_FAILED(
            launch_gates_general(site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 128) * 128));
    }
    TK_FINISH_IF_FAILED(
        launch_chunks(site, Q, K, V, tk::read_only(G), tk::read_only(W), tk::read_only(C), S0, O,
                      State, B, N, H, DV, I, F, scale));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float)
}  // extern "C"
