// Made by tkc from based_backward.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// queries: kernel queries with T = bf16, F = 16, NORM = true, PACKED = false, BD = 64, L = 64, R =
// 192.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 240 registers a thread; output: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 155920 bytes of shared memory.
struct queries_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_o[2];
    tk::shared_tile<tk::bf16, 64, 64> os_g[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> states_s[6];
    tk::shared_tile<float, 1, 64> states_z[6];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<float, 1, 64> state_z0[1];
    tk::shared_tile<float, 1, 64> state_z1[1];
    tk::shared_tile<float, 1, 64> state_z2[1];
    tk::shared_tile<float, 4, 64> state_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m2[1];
    tk::shared_tile<float, 64, 16> output_Part[1];
    unsigned char unused[512];
    tk::pipeline<2> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> os;
    tk::pipeline<3> fs;
    tk::pipeline<6> states;
};
static_assert(offsetof(queries_shared, states) == 155824);

__global__ void __launch_bounds__(384, 1) queries_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap O_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap Part_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> W, const tk::tensor_argument<float, 4> C, int B, int N,
    int H, int DV, int J, float scale, float eps, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    queries_shared& shared = *reinterpret_cast<queries_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Q_map, O_map, dO_map, Part_map);
        shared.qs.init(1, 4);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.os.init(1, 4);
        shared.fs.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // based_backward.tk:51: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, os_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based_backward.tk:38: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // based_backward.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * ..
            const int end = tk::min((p + 1) * length, N);

            // based_backward.tk:52: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // based_backward.tk:53: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // based_backward.tk:54: if PACKED { produce vs = tma_load(Vb[t, h, d]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();

                // based_backward.tk:55: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based_backward.tk:57: else { produce os { o = tma_load(O[b, t, h, d]); g = ..
                shared.os.begin(os_next, 16384);
                tk::tma_load(shared.os_o[os_next.stage], O_map, shared.os.full[os_next.stage], b, t,
                             h, d);
                tk::tma_load(shared.os_g[os_next.stage], dO_map, shared.os.full[os_next.stage], b,
                             t, h, d);
                os_next.advance();
            }
        }
    } else if (warp < 4) {
        // based_backward.tk:60: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> ks_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:38: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:61: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:62: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:63: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:64: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:65: var s0: f32[64, BD] = load(S0[b * segments + p, h, 0 +: 64, d]);
        tk::fragment<float, 64, 64> s0;
        tk::load_global(s0,
                        tk::slice(S0, {b * segments + p, h, 0, d},
                                  b * segments + p > -1 && b * segments + p < J ? 192 : 0, DV - d),
                        thread);

        // based_backward.tk:66: var s1: f32[64, BD] = load(S0[b * segments + p, h, 64 +: 64, d]);
        tk::fragment<float, 64, 64> s1;
        tk::load_global(s1,
                        tk::slice(S0, {b * segments + p, h, 64, d},
                                  b * segments + p > -1 && b * segments + p < J ? 192 - 64 : 0,
                                  DV - d), thread);

        // based_backward.tk:67: var s2: f32[64, BD] = load(S0[b * segments + p, h, 128 +: 64, d]);
        tk::fragment<float, 64, 64> s2;
        tk::load_global(s2,
                        tk::slice(S0, {b * segments + p, h, 128, d},
                                  b * segments + p > -1 && b * segments + p < J ? 192 - 128 : 0,
                                  DV - d), thread);

        // based_backward.tk:68: shared z0: f32[1, 64] = load(Z0[b * segments + p, h, 0 +: 64]);
        tk::row_fragment<float, 64> t11;
        tk::load_global(t11,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + p, h, 0}, 1,
                                                  b * segments + p > -1 && b * segments + p < J
                                                  ? 192 : 0), thread);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z0[0], t11, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:69: shared z1: f32[1, 64] = load(Z0[b * segments + p, h, 64 +: 64]);
        tk::row_fragment<float, 64> t12;
        tk::load_global(t12,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + p, h, 64}, 1,
                                                  b * segments + p > -1 && b * segments + p < J
                                                  ? 192 - 64 : 0), thread);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z1[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:70: shared z2: f32[1, 64] = load(Z0[b * segments + p, h, 128 +: 64]);
        tk::row_fragment<float, 64> t13;
        tk::load_global(t13,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + p, h, 128}, 1,
                                                  b * segments + p > -1 && b * segments + p < J
                                                  ? 192 - 128 : 0), thread);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z2[0], t13, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:71: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // based_backward.tk:72: let k  = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // based_backward.tk:73: let r  = mma(k, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:74: let y0 = mma(k, m0.T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m0[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based_backward.tk:75: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:76: produce states { s = T(s0); z = z0; }
            tk::fragment<tk::bf16, 64, 64> t16 = tk::convert<tk::bf16>(s0);
            tk::row_fragment<float, 64> t17;
            tk::load_shared(t17, shared.state_z0[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t16, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t17, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:77: let y1 = mma(k, m1.T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y0);

            // based_backward.tk:78: let g0 = T(pad(x * y0, axis = 0, with = 0));
            tk::fragment<tk::bf16, 64, 64> g0;
            tk::map(g0, [](tk::bf16 x_5, float y0) { return float(x_5) * y0; }, x_5, y0);

            // based_backward.tk:79: if not PACKED { produce fs = g0; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g0, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:80: let v  = consume vs;
            shared.vs.wait_full(k_element);

            // based_backward.tk:81: let f0 = if PACKED { shared(g0) } else { consume fs };
            const tk::cursor<3> fs_element = shared.fs.take(fs_taken);

            // based_backward.tk:82: s0 += mma(f0.T, v);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          shared.vs_tile[k_element.stage]);

            // based_backward.tk:83: produce states { s = T(s1); z = z1; }
            tk::fragment<tk::bf16, 64, 64> t19 = tk::convert<tk::bf16>(s1);
            tk::row_fragment<float, 64> t20;
            tk::load_shared(t20, shared.state_z1[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t19, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t20, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:84: let y2 = mma(k, m2.T);
            tk::fragment<float, 64, 64> y2;
            tk::mma_async(y2, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(y1, s0, y2);
            shared.ks.release(k_element);

            // based_backward.tk:85: let g1 = T(pad(x * y1, axis = 0, with = 0));
            tk::fragment<tk::bf16, 64, 64> g1;
            tk::map(g1, [](tk::bf16 x_5, float y1) { return float(x_5) * y1; }, x_5, y1);

            // based_backward.tk:86: if not PACKED { produce fs = g1; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g1, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:87: z0 = z0 + sum(f32(f0), axis = 0);
            tk::fragment<tk::bf16, 64, 64> t1;
            tk::load_shared(t1, shared.fs_tile[fs_element.stage], thread);
            shared.fs.release_after_loads(fs_element, tk::ordinary_alone{});
            tk::fragment<float, 64, 64> t22 = tk::convert<float>(t1);
            tk::row_fragment<float, 64> t23;
            tk::reduce_columns(t23, t22, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.state_z0[0], thread);
            tk::row_fragment<float, 64> t24;
            tk::map(t24, [](float t3, float t23) { return t3 + t23; }, t3, t23);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z0[0], t24, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:88: let f1 = if PACKED { shared(g1) } else { consume fs };
            const tk::cursor<3> fs_element_2 = shared.fs.take(fs_taken);

            // based_backward.tk:89: s1 += mma(f1.T, v);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          shared.vs_tile[k_element.stage]);

            // based_backward.tk:90: produce states { s = T(s2); z = z2; }
            tk::fragment<tk::bf16, 64, 64> t25 = tk::convert<tk::bf16>(s2);
            tk::row_fragment<float, 64> t26;
            tk::load_shared(t26, shared.state_z2[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t25, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t26, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:91: z1 = z1 + sum(f32(f1), axis = 0);
            tk::fragment<tk::bf16, 64, 64> t5;
            tk::load_shared(t5, shared.fs_tile[fs_element_2.stage], thread);
            tk::mma_wait<0>(s1);
            shared.fs.release_after_loads(fs_element_2, tk::ordinary_alone{});
            tk::fragment<float, 64, 64> t27 = tk::convert<float>(t5);
            tk::row_fragment<float, 64> t28;
            tk::reduce_columns(t28, t27, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.state_z1[0], thread);
            tk::row_fragment<float, 64> t29;
            tk::map(t29, [](float t7, float t28) { return t7 + t28; }, t7, t28);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z1[0], t29, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:92: let g2 = T(pad(based.and_one<F>(based.elements<F>(x * y2, ..
            tk::fragment<tk::bf16, 64, 64> g2;
            tk::map(g2, thread, [&](int row, int col, tk::bf16 x_5, float y2) {
                const float x_6 = float(x_5);
                return row < N - t ? (col == 32 ? 1.0f : col >= 16 && col < 32 ? x_6 : x_6 * y2)
                    : 0.0f;
            }, x_5, y2);

            // based_backward.tk:93: if not PACKED { produce fs = g2; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g2, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:94: let f2 = if PACKED { shared(g2) } else { consume fs };
            const tk::cursor<3> fs_element_3 = shared.fs.take(fs_taken);

            // based_backward.tk:95: s2 += mma(f2.T, v);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          shared.vs_tile[k_element.stage]);
            tk::mma_wait<0>(s2);
            shared.vs.release(k_element);

            // based_backward.tk:96: z2 = z2 + sum(f32(f2), axis = 0);
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::load_shared(t8, shared.fs_tile[fs_element_3.stage], thread);
            shared.fs.release_after_loads(fs_element_3, tk::ordinary_alone{});
            tk::fragment<float, 64, 64> t30 = tk::convert<float>(t8);
            tk::row_fragment<float, 64> t31;
            tk::reduce_columns(t31, t30, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.state_z2[0], thread);
            tk::row_fragment<float, 64> t32;
            tk::map(t32, [](float t9, float t31) { return t9 + t31; }, t9, t31);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z2[0], t32, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
        }
    } else {
        // based_backward.tk:99: role output(1 warpgroup) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:38: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:39: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based_backward.tk:40: let at     = if PACKED { 0 } else { b };
        const int at = b;

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:100: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:101: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:102: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:103: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based_backward.tk:104: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // based_backward.tk:105: let k  = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // based_backward.tk:106: let q  = consume qs;
            shared.qs.wait_full(k_element);

            // based_backward.tk:107: let p  = mma(q, k.T);
            tk::fragment<float, 64, 64> p_2;
            tk::mma_async(p_2, shared.qs_tile[k_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // based_backward.tk:108: let r  = mma(q, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[k_element.stage], tk::transposed(shared.output_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:109: let v  = consume vs;
            shared.vs.wait_full(k_element);

            // based_backward.tk:110: let o  = consume os;
            shared.os.wait_full(k_element);

            // based_backward.tk:111: let e  = mma(o.g, v.T);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.os_g[k_element.stage],
                          tk::transposed(shared.vs_tile[k_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(p_2, r, e);
            shared.vs.release(k_element);

            // based_backward.tk:112: let h0 = mma(q, m0.T);
            tk::fragment<float, 64, 64> h0;
            tk::mma_async(h0, shared.qs_tile[k_element.stage], tk::transposed(shared.output_m0[0]),
                          tk::accumulate_never{});

            // based_backward.tk:113: let a  = p * scale;
            tk::fragment<float, 64, 64> a;
            tk::map(a, [&](float p_2) { return p_2 * scale; }, p_2);

            // based_backward.tk:114: let c  = sum(f32(o.o) * f32(o.g), axis = 1) * (if NORM { ..
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, shared.os_o[k_element.stage], thread);
            tk::fragment<tk::bf16, 64, 64> t5;
            tk::load_shared(t5, shared.os_g[k_element.stage], thread);
            tk::fragment<float, 64, 64> t12;
            tk::map(t12, [](tk::bf16 t3, tk::bf16 t5) { return float(t3) * float(t5); }, t3, t5);
            tk::column_fragment<float, 64> t13;
            tk::fold_rows(t13, t12, tk::plus{}, thread);
            tk::finish_rows(t13, tk::plus{});
            tk::column_fragment<float, 64> c;
            tk::map(c, [](float t13) { return t13 * 1.0f; }, t13);

            // based_backward.tk:115: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:116: var n  = sum(pad(where(row_index(a) >= col_index(a), 1 + a ..
            tk::fragment<float, 64, 64> t14;
            tk::map(t14, thread, [&](int row, int col, float a) {
                return col < N - t ? (row >= col ? tk::fma(a * a, 0.5f, 1.0f + a) : 0.0f) : 0.0f;
            }, a);
            tk::column_fragment<float, 64> n;
            tk::fold_rows(n, t14, tk::plus{}, thread);
            tk::finish_rows(n, tk::plus{});

            // based_backward.tk:117: var u  = mma(T(pad(where(row_index(a) >= col_index(a), (e - ..
            tk::fragment<tk::bf16, 64, 64> t16;
            tk::map(t16, thread, [&](int row, int col, float e, float c, float a) {
                return col < N - t ? (row >= col ? (e - c) * (1.0f + a) : 0.0f) : 0.0f;
            }, e, c, a);
            tk::fragment<float, 64, 16> u;
            tk::mma_async(u, t16, shared.ks_tile[k_element.stage], tk::accumulate_never{});
            tk::mma_wait<0>(h0, u, t16);
            shared.ks.release(k_element);

            // based_backward.tk:118: let y0 = T(h0);
            tk::fragment<tk::bf16, 64, 64> y0 = tk::convert<tk::bf16>(h0);

            // based_backward.tk:119: let h1 = mma(q, m1.T);
            tk::fragment<float, 64, 64> h1;
            tk::mma_async(h1, shared.qs_tile[k_element.stage], tk::transposed(shared.output_m1[0]),
                          tk::accumulate_never{});

            // based_backward.tk:120: let s0 = consume states;
            const tk::cursor<6> s0 = shared.states.take(states_next_2);

            // based_backward.tk:121: var w  = mma(o.g, s0.s.T);
            tk::fragment<float, 64, 64> w;
            tk::mma_async(w, shared.os_g[k_element.stage],
                          tk::transposed(shared.states_s[s0.stage]), tk::accumulate_never{});

            // based_backward.tk:122: n += sum(based.halved<F>(x * y0 * s0.z), axis = 1) * (scale ..
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.states_z[s0.stage], thread);
            tk::fragment<float, 64, 64> t20;
            tk::map(t20, thread, [](int, int col, tk::bf16 x_5, tk::bf16 y0, float t7) {
                const float x_6 = float(tk::bf16(float(x_5) * float(y0))) * t7;
                return col < 16 ? x_6 * 0.5f : x_6;
            }, x_5, y0, t7);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t21;
            tk::fold_rows(t21, t20, tk::plus{}, thread);
            tk::finish_rows(t21, tk::plus{});
            tk::map(n, [&](float n, float t21) { return tk::fma(t21, scale * scale, n); }, n, t21);
            tk::mma_wait<1>(h1);

            // based_backward.tk:123: let y1 = T(h1);
            tk::fragment<tk::bf16, 64, 64> y1 = tk::convert<tk::bf16>(h1);
            // based_backward.tk:120
            tk::hold_waits(warp);
            tk::mma_wait<0>(w);

            // based_backward.tk:124: w = based.halved<F>((w - s0.z * c) * scale);
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.states_z[s0.stage], thread);
            shared.states.release_after_loads(s0, tk::ordinary_alone{});
            tk::map(w, thread, [&](int, int col, float w, float t8, float c) {
                const float x_6 = tk::fma(-t8, c, w) * scale;
                return col < 16 ? x_6 * 0.5f : x_6;
            }, w, t8, c);

            // based_backward.tk:125: let h2 = mma(q, m2.T);
            tk::fragment<float, 64, 64> h2;
            tk::mma_async(h2, shared.qs_tile[k_element.stage], tk::transposed(shared.output_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(h2);
            shared.qs.release(k_element);

            // based_backward.tk:126: u += mma(T(w * y0), m);
            tk::fragment<tk::bf16, 64, 64> t23;
            tk::map(t23, [](float w, tk::bf16 y0) { return w * float(y0); }, w, y0);
            tk::mma_async(u, t23, shared.output_m[0]);

            // based_backward.tk:127: u += mma(T(w * x), m0);
            tk::fragment<tk::bf16, 64, 64> t24;
            tk::map(t24, [](float w, tk::bf16 x_5) { return w * float(x_5); }, w, x_5);
            tk::mma_async(u, t24, shared.output_m0[0]);

            // based_backward.tk:128: let y2 = T(h2);
            tk::fragment<tk::bf16, 64, 64> y2 = tk::convert<tk::bf16>(h2);

            // based_backward.tk:129: let s1 = consume states;
            const tk::cursor<6> s1 = shared.states.take(states_next_2);

            // based_backward.tk:130: w = mma(o.g, s1.s.T);
            tk::mma_async(w, shared.os_g[k_element.stage],
                          tk::transposed(shared.states_s[s1.stage]), tk::accumulate_never{});

            // based_backward.tk:131: n += sum(x * y1 * s1.z, axis = 1) * (scale * scale);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.states_z[s1.stage], thread);
            tk::fragment<float, 64, 64> t25;
            tk::map(t25, [](tk::bf16 x_5, tk::bf16 y1, float t9) {
                return float(tk::bf16(float(x_5) * float(y1))) * t9;
            }, x_5, y1, t9);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t26;
            tk::fold_rows(t26, t25, tk::plus{}, thread);
            tk::finish_rows(t26, tk::plus{});
            tk::map(n, [&](float n, float t26) { return tk::fma(t26, scale * scale, n); }, n, t26);
            tk::mma_wait<0>(u, w, t23, t24);

            // based_backward.tk:132: w = (w - s1.z * c) * scale;
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.states_z[s1.stage], thread);
            shared.states.release_after_loads(s1, tk::ordinary_alone{});
            tk::map(w, [&](float w, float t10, float c) { return tk::fma(-t10, c, w) * scale; },
                    w, t10, c);

            // based_backward.tk:133: u += mma(T(w * y1), m);
            tk::fragment<tk::bf16, 64, 64> t27;
            tk::map(t27, [](float w, tk::bf16 y1) { return w * float(y1); }, w, y1);
            tk::mma_async(u, t27, shared.output_m[0]);

            // based_backward.tk:134: u += mma(T(w * x), m1);
            tk::fragment<tk::bf16, 64, 64> t28;
            tk::map(t28, [](float w, tk::bf16 x_5) { return w * float(x_5); }, w, x_5);
            tk::mma_async(u, t28, shared.output_m1[0]);

            // based_backward.tk:135: let s2 = consume states;
            const tk::cursor<6> s2 = shared.states.take(states_next_2);

            // based_backward.tk:136: w = mma(o.g, s2.s.T);
            tk::mma_async(w, shared.os_g[k_element.stage],
                          tk::transposed(shared.states_s[s2.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(u, w, t27, t28);
            shared.os.release_after_loads(k_element);

            // based_backward.tk:137: n += ..
            tk::row_fragment<float, 64> t11;
            tk::load_shared(t11, shared.states_z[s2.stage], thread);
            tk::fragment<float, 64, 64> t29;
            tk::map(t29, thread, [&](int, int col, tk::bf16 x_5, tk::bf16 y2, float t11) {
                const float x_6 = float(tk::bf16(float(x_5) * float(y2))) * (scale * scale);
                return (col == 32 ? 1.0f : col >= 16 && col < 32 ? float(x_5) * scale : col < 16
                        ? x_6 * 0.5f : x_6) * t11;
            }, x_5, y2, t11);
            tk::column_fragment<float, 64> t30;
            tk::fold_rows(t30, t29, tk::plus{}, thread);
            tk::finish_rows(t30, tk::plus{});
            tk::map(n, [](float n, float t30) { return n + t30; }, n, t30);

            // based_backward.tk:138: w -= s2.z * c;
            tk::row_fragment<float, 64> t15;
            tk::load_shared(t15, shared.states_z[s2.stage], thread);
            shared.states.release_after_loads(s2, tk::ordinary_alone{});
            tk::map(w, [](float w, float t15, float c) { return tk::fma(-t15, c, w); }, w, t15, c);

            // based_backward.tk:139: let y  = based.halved<F>(w * scale);
            tk::fragment<float, 64, 64> y;
            tk::map(y, thread, [&](int, int col, float w) {
                const float x_6 = w * scale;
                return col < 16 ? x_6 * 0.5f : x_6;
            }, w);

            // based_backward.tk:140: u += mma(T(based.elements<F>(y * y2, w)), m);
            tk::fragment<tk::bf16, 64, 64> t31;
            tk::map(t31, thread, [](int, int col, float w, float y, tk::bf16 y2) {
                return col >= 16 && col < 32 ? w : y * float(y2);
            }, w, y, y2);
            tk::mma_async(u, t31, shared.output_m[0]);

            // based_backward.tk:141: u += mma(T(y * x), m2);
            tk::fragment<tk::bf16, 64, 64> t32;
            tk::map(t32, [](float y, tk::bf16 x_5) { return y * float(x_5); }, y, x_5);
            tk::mma_async(u, t32, shared.output_m2[0]);

            // based_backward.tk:142: let f = if NORM { 1 / (n + eps) } else { 1.0 };
            tk::column_fragment<float, 64> f;
            tk::map(f, [&](float n) { return tk::divide(1.0f, n + eps); }, n);

            // based_backward.tk:143: if PACKED { store(Pb[t, h, :], u * (f * scale)); } else { ..
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float f) { return f * scale; }, f);
            tk::mma_wait<0>(u, t31, t32);
            #pragma unroll
            for (int panel = 0; panel < 16; panel += 16) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::fragment<float, 64, 16> t33;
                tk::map(t33, [](float u, float t1) { return u * t1; }, u, t1);
                tk::store_shared(shared.output_Part[0], t33, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Part_map, shared.output_Part[0], d / 64, b, t, h, panel);
            }

            // based_backward.tk:144: store(W[d.index, at, h, place + t.start +: L], f);
            tk::store_global(
                tk::clipped(
                    tk::slice<3, tk::no_axis>(W, {d / 64, at, h, t},
                                              at < B
                                              ? (d / 64 < tk::divide_up(DV, 64)
                                                 ? tk::divide_up(N, 64) * 64 - t : 0) : 0, 1),
                    0 - t, 0), f, thread);

            // based_backward.tk:145: store(C[d.index, at, h, place + t.start +: L], c);
            tk::store_global(
                tk::clipped(
                    tk::slice<3, tk::no_axis>(C, {d / 64, at, h, t},
                                              at < B
                                              ? (d / 64 < tk::divide_up(DV, 64)
                                                 ? tk::divide_up(N, 64) * 64 - t : 0) : 0, 1),
                    0 - t, 0), c, thread);
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// keys: kernel keys with T = bf16, F = 16, PACKED = false, BD = 64, L = 64, R = 192.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 240 registers a thread; output: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 141616 bytes of shared memory.
struct keys_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<float, 1, 64> rows_r[2];
    tk::shared_tile<float, 64, 1> rows_rc[2];
    tk::shared_tile<float, 1, 64> rows_c[2];
    tk::shared_tile<float, 64, 1> rows_cc[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> states_s[6];
    tk::shared_tile<float, 1, 64> states_z[6];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<float, 1, 64> state_z0[1];
    tk::shared_tile<float, 1, 64> state_z1[1];
    tk::shared_tile<float, 1, 64> state_z2[1];
    tk::shared_tile<float, 4, 64> state_f32_rows_64[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m2[1];
    tk::shared_tile<float, 64, 16> output_Part[1];
    unsigned char unused[512];
    tk::pipeline<2> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<2> os;
    tk::pipeline<2> rows;
    tk::pipeline<3> fs;
    tk::pipeline<6> states;
};
static_assert(offsetof(keys_shared, states) == 141520);

__global__ void __launch_bounds__(384, 1) keys_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap dO_map,
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Part_map, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<const float, 3> dSums, const tk::tensor_argument<float, 4> dS0,
    const tk::tensor_argument<float, 4> PartZ, int B, int N, int H, int DV, int E, int I,
    float scale, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    keys_shared& shared = *reinterpret_cast<keys_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, W_map, C_map, dO_map, K_map, V_map, Part_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        shared.os.init(1, 8);
        shared.rows.init(1, 8);
        shared.fs.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // based_backward.tk:187: role producer(1 warp) registers(24) {
        tk::registers_at_most<24>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, os_next, qs_next, rows_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based_backward.tk:170: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // based_backward.tk:171: let end    = if PACKED { tokens } else { min((p + 1) * ..
            const int end = tk::min((p + 1) * length, N);

            // based_backward.tk:173: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // based_backward.tk:175: let room   = if PACKED { tokens } else { ceil_div(N, L) * L };
            const int room = tk::divide_up(N, 64) * 64;

            // based_backward.tk:178: let Wb = W[d.index, at, 0 +: H, place +: room];  let Cb = ..
            const int Wb_at = d / 64;
            const int Cb_at = d / 64;

            // based_backward.tk:188: for t in reversed begin..end by L {
            #pragma unroll 1
            for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
                // based_backward.tk:189: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based_backward.tk:190: produce rows {
                shared.rows.begin(rows_next, 1024);

                // based_backward.tk:191: r = tma_load(Wb[h, t.start +: L]); rc = ..
                tk::tma_load(shared.rows_r[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], Wb_at, at, h, t);
                tk::tma_load(shared.rows_rc[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], Wb_at, at, h, t);

                // based_backward.tk:192: c = tma_load(Cb[h, t.start +: L]); cc = ..
                tk::tma_load(shared.rows_c[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], Cb_at, at, h, t);
                tk::tma_load(shared.rows_cc[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], Cb_at, at, h, t);
                // based_backward.tk:190
                rows_next.advance();

                // based_backward.tk:194: if PACKED { produce os = tma_load(dOb[t, h, d]) ..
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, d);
                os_next.advance();

                // based_backward.tk:195: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // based_backward.tk:196: if PACKED { produce vs = tma_load(Vb[t, h, d]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();
            }
        }
    } else if (warp < 4) {
        // based_backward.tk:199: role state(1 warpgroup) registers(240) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> qs_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:170: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:171: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based_backward.tk:172: let last   = b * segments + segments - 1 - p;
        const int last = b * segments + segments - 1 - p;

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:200: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:201: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:202: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:203: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:204: var s0: f32[64, BD] = load(dState[last, h, 0 +: 64, d]);
        tk::fragment<float, 64, 64> s0;
        tk::load_global(s0,
                        tk::slice(dState, {last, h, 0, d}, last > -1 && last < E ? 192 : 0, DV - d),
                        thread);

        // based_backward.tk:205: var s1: f32[64, BD] = load(dState[last, h, 64 +: 64, d]);
        tk::fragment<float, 64, 64> s1;
        tk::load_global(s1,
                        tk::slice(dState, {last, h, 64, d}, last > -1 && last < E ? 192 - 64 : 0,
                                  DV - d), thread);

        // based_backward.tk:206: var s2: f32[64, BD] = load(dState[last, h, 128 +: 64, d]);
        tk::fragment<float, 64, 64> s2;
        tk::load_global(s2,
                        tk::slice(dState, {last, h, 128, d}, last > -1 && last < E ? 192 - 128 : 0,
                                  DV - d), thread);

        // based_backward.tk:207: shared z0: f32[1, 64] = load(dSums[last, h, 0 +: 64]) * (if ..
        tk::row_fragment<float, 64> t12;
        tk::map(t12, thread, [&](int, int col) {
            return (0 <= last && last < E && h < H && col < 192 ? tk::cell(dSums, last, h, col)
                    : float{}) * (d == 0 ? -1.0f : 0.0f);
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z0[0], t12, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:208: shared z1: f32[1, 64] = load(dSums[last, h, 64 +: 64]) * (if ..
        tk::row_fragment<float, 64> t14;
        tk::map(t14, thread, [&](int, int col) {
            return (0 <= last && last < E && h < H && 64 + col < 192
                    ? tk::cell(dSums, last, h, 64 + col) : float{}) * (d == 0 ? -1.0f : 0.0f);
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z1[0], t14, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:209: shared z2: f32[1, 64] = load(dSums[last, h, 128 +: 64]) * (if ..
        tk::row_fragment<float, 64> t16;
        tk::map(t16, thread, [&](int, int col) {
            return (0 <= last && last < E && h < H && 128 + col < 192
                    ? tk::cell(dSums, last, h, 128 + col) : float{}) * (d == 0 ? -1.0f : 0.0f);
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_z2[0], t16, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:210: for t in reversed begin..end by L {
        tk::fragment<tk::bf16, 64, 64> g1;
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // based_backward.tk:211: let q  = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based_backward.tk:212: let r  = mma(q, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:213: let y0 = mma(q, m0.T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m0[0]),
                          tk::accumulate_never{});

            // based_backward.tk:214: let i  = consume rows;
            shared.rows.wait_full(q_element);
            tk::mma_wait<1>(r);

            // based_backward.tk:215: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:218: let f  = rc * (scale * scale);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.rows_rc[q_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> f;
            tk::map(f, [&](float t1) { return t1 * (scale * scale); }, t1);

            // based_backward.tk:219: produce states { s = T(s0); z = z0; }
            tk::fragment<tk::bf16, 64, 64> t19 = tk::convert<tk::bf16>(s0);
            tk::row_fragment<float, 64> t20;
            tk::load_shared(t20, shared.state_z0[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t19, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t20, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:220: let y1 = mma(q, m1.T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y0);

            // based_backward.tk:221: let g0 = T(own_rows<PACKED>(based.halved<F>(x * y0) * f));
            tk::fragment<tk::bf16, 64, 64> g0;
            tk::map(g0, thread, [&](int row, int col, tk::bf16 x_5, float y0, float f) {
                const float x_8 = float(x_5) * y0;
                return row < N - t ? (col < 16 ? x_8 * 0.5f : x_8) * f : 0.0f;
            }, x_5, y0, f);

            // based_backward.tk:222: if not PACKED { produce fs = g0; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g0, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:223: let o  = consume os;
            shared.os.wait_full(q_element);

            // based_backward.tk:224: let f0 = if PACKED { shared(g0) } else { consume fs };
            const tk::cursor<3> fs_element = shared.fs.take(fs_taken);

            // based_backward.tk:225: s0 += mma(f0.T, o);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:226: produce states { s = T(s1); z = z1; }
            tk::fragment<tk::bf16, 64, 64> t22 = tk::convert<tk::bf16>(s1);
            tk::row_fragment<float, 64> t23;
            tk::load_shared(t23, shared.state_z1[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t22, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t23, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:227: let y2 = mma(q, m2.T);
            tk::fragment<float, 64, 64> y2;
            tk::mma_async(y2, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(y1, s0, y2);
            shared.qs.release(q_element);

            // based_backward.tk:228: let g1 = T(own_rows<PACKED>(x * y1 * f));
            if (t + 64 <= N) {
                tk::map(g1, [](tk::bf16 x_5, float y1, float f) { return float(x_5) * y1 * f; },
                        x_5, y1, f);
            } else {
                tk::map(g1, thread, [&](int row, int, tk::bf16 x_5, float y1, float f) {
                    return row < N - t ? float(x_5) * y1 * f : 0.0f;
                }, x_5, y1, f);
            }

            // based_backward.tk:229: if not PACKED { produce fs = g1; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g1, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:230: z0 = z0 + sum(f32(f0) * cc, axis = 0);
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_shared(t3, shared.fs_tile[fs_element.stage], thread);
            shared.fs.release_after_loads(fs_element, tk::ordinary_alone{});
            tk::column_fragment<float, 64> t5;
            tk::map(t5, thread, [&](int row, int) {
                return tk::get(shared.rows_cc[q_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t25;
            tk::map(t25, [](tk::bf16 t3, float t5) { return float(t3) * t5; }, t3, t5);
            tk::row_fragment<float, 64> t26;
            tk::reduce_columns(t26, t25, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.state_z0[0], thread);
            tk::row_fragment<float, 64> t27;
            tk::map(t27, [](float t7, float t26) { return t7 + t26; }, t7, t26);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z0[0], t27, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:231: let f1 = if PACKED { shared(g1) } else { consume fs };
            const tk::cursor<3> fs_element_2 = shared.fs.take(fs_taken);

            // based_backward.tk:232: s1 += mma(f1.T, o);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:233: produce states { s = T(s2); z = z2; }
            tk::fragment<tk::bf16, 64, 64> t28 = tk::convert<tk::bf16>(s2);
            tk::row_fragment<float, 64> t29;
            tk::load_shared(t29, shared.state_z2[0], thread);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_s[states_next_2.stage], t28, thread);
            tk::store_shared(shared.states_z[states_next_2.stage], t29, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:234: z1 = z1 + sum(f32(f1) * cc, axis = 0);
            tk::fragment<tk::bf16, 64, 64> t8;
            tk::load_shared(t8, shared.fs_tile[fs_element_2.stage], thread);
            tk::mma_wait<0>(s1);
            shared.fs.release_after_loads(fs_element_2, tk::ordinary_alone{});
            tk::column_fragment<float, 64> t9;
            tk::map(t9, thread, [&](int row, int) {
                return tk::get(shared.rows_cc[q_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t30;
            tk::map(t30, [](tk::bf16 t8, float t9) { return float(t8) * t9; }, t8, t9);
            tk::row_fragment<float, 64> t31;
            tk::reduce_columns(t31, t30, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.state_z1[0], thread);
            tk::row_fragment<float, 64> t32;
            tk::map(t32, [](float t10, float t31) { return t10 + t31; }, t10, t31);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z1[0], t32, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:235: let g2 = ..
            tk::column_fragment<float, 64> t17;
            tk::map(t17, thread, [&](int row, int) {
                return tk::get(shared.rows_rc[q_element.stage], row, 0);
            });
            tk::fragment<tk::bf16, 64, 64> g2;
            tk::map(g2, thread, [&](int row, int col, tk::bf16 x_5, float y2, float t17) {
                const float x_8 = float(x_5);
                return row < N - t
                    ? (col == 32 ? 1.0f : col >= 16 && col < 32 ? x_8 * scale
                       : x_8 * y2 * (0.5f * scale * scale)) * t17 : 0.0f;
            }, x_5, y2, t17);

            // based_backward.tk:236: if not PACKED { produce fs = g2; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g2, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:237: let f2 = if PACKED { shared(g2) } else { consume fs };
            const tk::cursor<3> fs_element_3 = shared.fs.take(fs_taken);

            // based_backward.tk:238: s2 += mma(f2.T, o);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          shared.os_tile[q_element.stage]);
            tk::mma_wait<0>(s2);
            shared.os.release(q_element);

            // based_backward.tk:239: z2 = z2 + sum(f32(f2) * cc, axis = 0);
            tk::fragment<tk::bf16, 64, 64> t18;
            tk::load_shared(t18, shared.fs_tile[fs_element_3.stage], thread);
            shared.fs.release_after_loads(fs_element_3, tk::ordinary_alone{});
            tk::column_fragment<float, 64> t21;
            tk::map(t21, thread, [&](int row, int) {
                return tk::get(shared.rows_cc[q_element.stage], row, 0);
            });
            shared.rows.release_after_loads(q_element);
            tk::fragment<float, 64, 64> t33;
            tk::map(t33, [](tk::bf16 t18, float t21) { return float(t18) * t21; }, t18, t21);
            tk::row_fragment<float, 64> t34;
            tk::reduce_columns(t34, t33, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::row_fragment<float, 64> t24;
            tk::load_shared(t24, shared.state_z2[0], thread);
            tk::row_fragment<float, 64> t35;
            tk::map(t35, [](float t24, float t34) { return t24 + t34; }, t24, t34);
            tk::barrier_sync(2, 128);
            tk::store_shared(shared.state_z2[0], t35, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);
        }

        // based_backward.tk:241: store(dS0[last, h, 0 +: 64, d], s0);
        tk::store_global(tk::slice(dS0, {last, h, 0, d}, last > -1 && last < I ? 192 : 0, DV - d),
                         s0, thread);

        // based_backward.tk:242: store(dS0[last, h, 64 +: 64, d], s1);
        tk::store_global(
            tk::slice(dS0, {last, h, 64, d}, last > -1 && last < I ? 192 - 64 : 0, DV - d), s1,
            thread);

        // based_backward.tk:243: store(dS0[last, h, 128 +: 64, d], s2);
        tk::store_global(
            tk::slice(dS0, {last, h, 128, d}, last > -1 && last < I ? 192 - 128 : 0, DV - d), s2,
            thread);

        // based_backward.tk:244: store(PartZ[d.index, last, h, 0 +: 64], -z0);
        tk::row_fragment<float, 64> t39;
        tk::load_shared(t39, shared.state_z0[0], thread);
        tk::row_fragment<float, 64> t36;
        tk::map(t36, [](float t39) { return -t39; }, t39);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(PartZ, {d / 64, last, h, 0}, 1,
                                      last > -1 && last < I
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 : 0) : 0), t36,
            thread);

        // based_backward.tk:245: store(PartZ[d.index, last, h, 64 +: 64], -z1);
        tk::row_fragment<float, 64> t40;
        tk::load_shared(t40, shared.state_z1[0], thread);
        tk::row_fragment<float, 64> t37;
        tk::map(t37, [](float t40) { return -t40; }, t40);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(PartZ, {d / 64, last, h, 64}, 1,
                                      last > -1 && last < I
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 - 64 : 0) : 0), t37,
            thread);

        // based_backward.tk:246: store(PartZ[d.index, last, h, 128 +: 64], -z2);
        tk::row_fragment<float, 64> t41;
        tk::load_shared(t41, shared.state_z2[0], thread);
        tk::row_fragment<float, 64> t38;
        tk::map(t38, [](float t41) { return -t41; }, t41);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(PartZ, {d / 64, last, h, 128}, 1,
                                      last > -1 && last < I
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 - 128 : 0) : 0), t38,
            thread);
    } else {
        // based_backward.tk:248: role output(1 warpgroup) registers(240) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:170: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:171: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:249: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:250: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:251: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:252: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based_backward.tk:253: for t in reversed begin..end by L {
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // based_backward.tk:254: let q  = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based_backward.tk:255: let k  = consume ks;
            shared.ks.wait_full(q_element);

            // based_backward.tk:256: let p  = mma(k, q.T);
            tk::fragment<float, 64, 64> p_2;
            tk::mma_async(p_2, shared.ks_tile[q_element.stage],
                          tk::transposed(shared.qs_tile[q_element.stage]), tk::accumulate_never{});

            // based_backward.tk:257: let r  = mma(k, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:258: let o  = consume os;
            shared.os.wait_full(q_element);

            // based_backward.tk:259: let v  = consume vs;
            shared.vs.wait_full(q_element);

            // based_backward.tk:260: let e  = mma(v, o.T);
            tk::fragment<float, 64, 64> e;
            tk::mma_async(e, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.os_tile[q_element.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(p_2, r, e);
            shared.os.release(q_element);

            // based_backward.tk:261: let h0 = mma(k, m0.T);
            tk::fragment<float, 64, 64> h0;
            tk::mma_async(h0, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m0[0]),
                          tk::accumulate_never{});

            // based_backward.tk:262: let i  = consume rows;
            shared.rows.wait_full(q_element);

            // based_backward.tk:264: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:265: var u  = mma(T(own_columns<PACKED>(where(col_index(a) >= ..
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.rows_c[q_element.stage], thread);
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.rows_r[q_element.stage], thread);
            shared.rows.release_after_loads(q_element);
            tk::fragment<tk::bf16, 64, 64> t12;
            tk::map(t12, thread, [&](int row, int col, float e, float t1, float p_2, float t3) {
                return col < N - t
                    ? (col >= row ? (e - t1) * (1.0f + p_2 * scale) * (t3 * scale) : 0.0f) : 0.0f;
            }, e, t1, p_2, t3);
            tk::fragment<float, 64, 16> u;
            tk::mma_async(u, t12, shared.qs_tile[q_element.stage], tk::accumulate_never{});
            tk::mma_wait<0>(h0, u, t12);
            shared.qs.release(q_element);

            // based_backward.tk:267: let h1 = mma(k, m1.T);
            tk::fragment<float, 64, 64> h1;
            tk::mma_async(h1, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m1[0]),
                          tk::accumulate_never{});

            // based_backward.tk:268: let s0 = consume states;
            const tk::cursor<6> s0 = shared.states.take(states_next_2);

            // based_backward.tk:269: var w  = mma(v, s0.s.T);
            tk::fragment<float, 64, 64> w;
            tk::mma_async(w, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.states_s[s0.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(h1, w);

            // based_backward.tk:270: w -= s0.z;
            tk::row_fragment<float, 64> t5;
            tk::load_shared(t5, shared.states_z[s0.stage], thread);
            shared.states.release_after_loads(s0, tk::ordinary_alone{});
            tk::map(w, [](float w, float t5) { return w - t5; }, w, t5);

            // based_backward.tk:272: let h2 = mma(k, m2.T);
            tk::fragment<float, 64, 64> h2;
            tk::mma_async(h2, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(h2);
            shared.ks.release(q_element);

            // based_backward.tk:273: u += mma(T(w * y0), m);
            tk::fragment<tk::bf16, 64, 64> t17;
            tk::map(t17, [](float h0, float w) { return w * float(tk::bf16(h0)); }, h0, w);
            tk::mma_async(u, t17, shared.output_m[0]);

            // based_backward.tk:274: u += mma(T(w * x), m0);
            tk::fragment<tk::bf16, 64, 64> t18;
            tk::map(t18, [](float w, tk::bf16 x_5) { return w * float(x_5); }, w, x_5);
            tk::mma_async(u, t18, shared.output_m0[0]);

            // based_backward.tk:276: let s1 = consume states;
            const tk::cursor<6> s1 = shared.states.take(states_next_2);

            // based_backward.tk:277: w = mma(v, s1.s.T);
            tk::mma_async(w, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.states_s[s1.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(u, w, t17, t18);

            // based_backward.tk:278: w -= s1.z;
            tk::row_fragment<float, 64> t7;
            tk::load_shared(t7, shared.states_z[s1.stage], thread);
            shared.states.release_after_loads(s1, tk::ordinary_alone{});
            tk::map(w, [](float w, float t7) { return w - t7; }, w, t7);

            // based_backward.tk:279: u += mma(T(w * y1), m);
            tk::fragment<tk::bf16, 64, 64> t19;
            tk::map(t19, [](float h1, float w) { return w * float(tk::bf16(h1)); }, h1, w);
            tk::mma_async(u, t19, shared.output_m[0]);

            // based_backward.tk:280: u += mma(T(w * x), m1);
            tk::fragment<tk::bf16, 64, 64> t20;
            tk::map(t20, [](float w, tk::bf16 x_5) { return w * float(x_5); }, w, x_5);
            tk::mma_async(u, t20, shared.output_m1[0]);

            // based_backward.tk:281: let s2 = consume states;
            const tk::cursor<6> s2 = shared.states.take(states_next_2);

            // based_backward.tk:282: w = mma(v, s2.s.T);
            tk::mma_async(w, shared.vs_tile[q_element.stage],
                          tk::transposed(shared.states_s[s2.stage]), tk::accumulate_never{});
            tk::mma_wait<0>(u, w, t19, t20);
            shared.vs.release(q_element);

            // based_backward.tk:283: w -= s2.z;
            tk::row_fragment<float, 64> t8;
            tk::load_shared(t8, shared.states_z[s2.stage], thread);
            shared.states.release_after_loads(s2, tk::ordinary_alone{});
            tk::map(w, [](float w, float t8) { return w - t8; }, w, t8);

            // based_backward.tk:284: u += mma(T(based.elements<F>(w * y2, w)), m);
            tk::fragment<tk::bf16, 64, 64> t21;
            tk::map(t21, thread, [](int, int col, float h2, float w) {
                return col >= 16 && col < 32 ? w : w * float(tk::bf16(h2));
            }, h2, w);
            tk::mma_async(u, t21, shared.output_m[0]);

            // based_backward.tk:285: u += mma(T(w * x), m2);
            tk::fragment<tk::bf16, 64, 64> t22;
            tk::map(t22, [](float w, tk::bf16 x_5) { return w * float(x_5); }, w, x_5);
            tk::mma_async(u, t22, shared.output_m2[0]);
            tk::mma_wait<0>(u, t21, t22);

            // based_backward.tk:286: if PACKED { store(Pb[t, h, :], u); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 16; panel += 16) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.output_Part[0], u, thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (leader) tk::tma_store(Part_map, shared.output_Part[0], d / 64, b, t, h, panel);
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// values: kernel values with T = bf16, F = 16, PACKED = false, BD = 64, L = 64, R = 192.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 240 registers a thread; output: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 124176 bytes of shared memory.
struct values_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[2];
    tk::shared_tile<float, 1, 64> rows_r[2];
    tk::shared_tile<float, 64, 1> rows_rc[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> states_tile[6];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m2[1];
    tk::shared_tile<tk::bf16, 64, 64> output_dV[1];
    tk::pipeline<2> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> os;
    tk::pipeline<2> rows;
    tk::pipeline<3> fs;
    tk::pipeline<6> states;
};
static_assert(offsetof(values_shared, states) == 124080);

__global__ void __launch_bounds__(384, 1) values_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap dO_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap dV_map, const tk::tensor_argument<const float, 4> dState,
    const tk::tensor_argument<tk::bf16, 4> dV, int B, int N, int H, int DV, int E, float scale,
    int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    values_shared& shared = *reinterpret_cast<values_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, W_map, dO_map, K_map, dV_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 4);
        shared.os.init(1, 8);
        shared.rows.init(1, 8);
        shared.fs.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // based_backward.tk:317: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, os_next, qs_next, rows_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based_backward.tk:301: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // based_backward.tk:302: let end    = if PACKED { tokens } else { min((p + 1) * ..
            const int end = tk::min((p + 1) * length, N);

            // based_backward.tk:304: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // based_backward.tk:306: let room   = if PACKED { tokens } else { ceil_div(N, L) * L };
            const int room = tk::divide_up(N, 64) * 64;

            // based_backward.tk:309: let Wb = W[d.index, at, 0 +: H, place +: room];
            const int Wb_at = d / 64;

            // based_backward.tk:318: for t in reversed begin..end by L {
            #pragma unroll 1
            for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
                // based_backward.tk:319: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based_backward.tk:320: produce rows { r = tma_load(Wb[h, t.start +: L]); rc = ..
                shared.rows.begin(rows_next, 512);
                tk::tma_load(shared.rows_r[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], Wb_at, at, h, t);
                tk::tma_load(shared.rows_rc[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], Wb_at, at, h, t);
                rows_next.advance();

                // based_backward.tk:321: if PACKED { produce os = tma_load(dOb[t, h, d]) ..
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, d);
                os_next.advance();

                // based_backward.tk:322: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();
            }
        }
    } else if (warp < 4) {
        // based_backward.tk:325: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> qs_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:301: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:302: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based_backward.tk:303: let last   = b * segments + segments - 1 - p;
        const int last = b * segments + segments - 1 - p;

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:326: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:327: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:328: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:329: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:330: var s0: f32[64, BD] = load(dState[last, h, 0 +: 64, d]);
        tk::fragment<float, 64, 64> s0;
        tk::load_global(s0,
                        tk::slice(dState, {last, h, 0, d}, last > -1 && last < E ? 192 : 0, DV - d),
                        thread);

        // based_backward.tk:331: var s1: f32[64, BD] = load(dState[last, h, 64 +: 64, d]);
        tk::fragment<float, 64, 64> s1;
        tk::load_global(s1,
                        tk::slice(dState, {last, h, 64, d}, last > -1 && last < E ? 192 - 64 : 0,
                                  DV - d), thread);

        // based_backward.tk:332: var s2: f32[64, BD] = load(dState[last, h, 128 +: 64, d]);
        tk::fragment<float, 64, 64> s2;
        tk::load_global(s2,
                        tk::slice(dState, {last, h, 128, d}, last > -1 && last < E ? 192 - 128 : 0,
                                  DV - d), thread);

        // based_backward.tk:333: for t in reversed begin..end by L {
        tk::fragment<tk::bf16, 64, 64> g1;
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // based_backward.tk:334: let q  = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based_backward.tk:335: let r  = mma(q, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:336: let y0 = mma(q, m0.T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m0[0]),
                          tk::accumulate_never{});

            // based_backward.tk:337: let i  = consume rows;
            shared.rows.wait_full(q_element);
            tk::mma_wait<1>(r);

            // based_backward.tk:338: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:340: let f  = rc * (scale * scale);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.rows_rc[q_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> f;
            tk::map(f, [&](float t1) { return t1 * (scale * scale); }, t1);

            // based_backward.tk:341: produce states = T(s0);
            tk::fragment<tk::bf16, 64, 64> t13 = tk::convert<tk::bf16>(s0);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], t13, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:342: let y1 = mma(q, m1.T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y0);

            // based_backward.tk:343: let g0 = T(own_rows<PACKED>(based.halved<F>(x * y0) * f));
            tk::fragment<tk::bf16, 64, 64> g0;
            tk::map(g0, thread, [&](int row, int col, tk::bf16 x_5, float y0, float f) {
                const float x_8 = float(x_5) * y0;
                return row < N - t ? (col < 16 ? x_8 * 0.5f : x_8) * f : 0.0f;
            }, x_5, y0, f);

            // based_backward.tk:344: if not PACKED { produce fs = g0; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g0, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:345: let o  = consume os;
            shared.os.wait_full(q_element);

            // based_backward.tk:346: let f0 = if PACKED { shared(g0) } else { consume fs };
            const tk::cursor<3> fs_element = shared.fs.take(fs_taken);

            // based_backward.tk:347: s0 += mma(f0.T, o);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:348: produce states = T(s1);
            tk::fragment<tk::bf16, 64, 64> t15 = tk::convert<tk::bf16>(s1);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], t15, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based_backward.tk:349: let y2 = mma(q, m2.T);
            tk::fragment<float, 64, 64> y2;
            tk::mma_async(y2, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(y1);

            // based_backward.tk:350: let g1 = T(own_rows<PACKED>(x * y1 * f));
            if (t + 64 <= N) {
                tk::map(g1, [](tk::bf16 x_5, float y1, float f) { return float(x_5) * y1 * f; },
                        x_5, y1, f);
            } else {
                tk::map(g1, thread, [&](int row, int, tk::bf16 x_5, float y1, float f) {
                    return row < N - t ? float(x_5) * y1 * f : 0.0f;
                }, x_5, y1, f);
            }

            // based_backward.tk:351: if not PACKED { produce fs = g1; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g1, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:352: let f1 = if PACKED { shared(g1) } else { consume fs };
            const tk::cursor<3> fs_element_2 = shared.fs.take(fs_taken);

            // based_backward.tk:353: s1 += mma(f1.T, o);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:354: produce states = T(s2);
            tk::fragment<tk::bf16, 64, 64> t17 = tk::convert<tk::bf16>(s2);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], t17, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();
            tk::mma_wait<1>(s0, y2);
            shared.fs.release(fs_element);
            shared.qs.release(q_element);

            // based_backward.tk:355: let g2 = ..
            tk::column_fragment<float, 64> t3;
            tk::map(t3, thread, [&](int row, int) {
                return tk::get(shared.rows_rc[q_element.stage], row, 0);
            });
            shared.rows.release_after_loads(q_element);
            tk::fragment<tk::bf16, 64, 64> g2;
            tk::map(g2, thread, [&](int row, int col, tk::bf16 x_5, float y2, float t3) {
                const float x_8 = float(x_5);
                return row < N - t
                    ? (col == 32 ? 1.0f : col >= 16 && col < 32 ? x_8 * scale
                       : x_8 * y2 * (0.5f * scale * scale)) * t3 : 0.0f;
            }, x_5, y2, t3);

            // based_backward.tk:356: if not PACKED { produce fs = g2; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(shared.fs_tile[fs_next_2.stage], g2, thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based_backward.tk:357: let f2 = if PACKED { shared(g2) } else { consume fs };
            const tk::cursor<3> fs_element_3 = shared.fs.take(fs_taken);

            // based_backward.tk:358: s2 += mma(f2.T, o);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          shared.os_tile[q_element.stage]);
            tk::mma_wait<0>(s1, s2);
            shared.fs.release(fs_element_2);
            shared.fs.release(fs_element_3);
            shared.os.release(q_element);
        }
    } else {
        // based_backward.tk:361: role output(1 warpgroup) {
        tk::registers_at_least<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:301: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based_backward.tk:302: let end    = if PACKED { tokens } else { min((p + 1) * length, ..
        const int end = tk::min((p + 1) * length, N);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:362: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:363: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:364: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:365: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(4, 128);
        tk::store_shared(shared.output_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(4, 128);

        // based_backward.tk:366: for t in reversed begin..end by L {
        for (int t = begin + (tk::divide_up(end - begin, 64) - 1) * 64; t >= begin; t -= 64) {
            // based_backward.tk:367: let q  = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based_backward.tk:368: let k  = consume ks;
            shared.ks.wait_full(q_element);

            // based_backward.tk:369: let p  = mma(k, q.T);
            tk::fragment<float, 64, 64> p_2;
            tk::mma_async(p_2, shared.ks_tile[q_element.stage],
                          tk::transposed(shared.qs_tile[q_element.stage]), tk::accumulate_never{});

            // based_backward.tk:370: let r  = mma(k, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m[0]),
                          tk::accumulate_never{});

            // based_backward.tk:371: let i  = consume rows;
            shared.rows.wait_full(q_element);

            // based_backward.tk:372: let y0 = mma(k, m0.T);
            tk::fragment<float, 64, 64> y0;
            tk::mma_async(y0, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m0[0]),
                          tk::accumulate_never{});

            // based_backward.tk:373: let o  = consume os;
            shared.os.wait_full(q_element);
            tk::mma_wait<1>(p_2, r);
            shared.qs.release(q_element);

            // based_backward.tk:375: let x  = T(r);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(r);

            // based_backward.tk:376: var u  = mma(T(own_columns<PACKED>(where(col_index(a) >= ..
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.rows_r[q_element.stage], thread);
            shared.rows.release_after_loads(q_element);
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::map(t11, thread, [&](int row, int col, float p_2, float t1) {
                const float x_8 = p_2 * scale;
                return col < N - t ? (col >= row ? tk::fma(x_8 * x_8, 0.5f, 1.0f + x_8) * t1 : 0.0f)
                    : 0.0f;
            }, p_2, t1);
            tk::fragment<float, 64, 64> u;
            tk::mma_async(u, t11, shared.os_tile[q_element.stage], tk::accumulate_never{});

            // based_backward.tk:377: let y1 = mma(k, m1.T);
            tk::fragment<float, 64, 64> y1;
            tk::mma_async(y1, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(y0);

            // based_backward.tk:378: let f0 = T(x * y0);
            tk::fragment<tk::bf16, 64, 64> f0;
            tk::map(f0, [](tk::bf16 x_5, float y0) { return float(x_5) * y0; }, x_5, y0);

            // based_backward.tk:379: u += mma(f0, consume states);
            const tk::cursor<6> states_element = shared.states.take(states_next_2);
            tk::mma_async(u, f0, shared.states_tile[states_element.stage]);

            // based_backward.tk:380: let y2 = mma(k, m2.T);
            tk::fragment<float, 64, 64> y2;
            tk::mma_async(y2, shared.ks_tile[q_element.stage], tk::transposed(shared.output_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<2>(y1, t11);
            shared.os.release(q_element);

            // based_backward.tk:381: let f1 = T(x * y1);
            tk::fragment<tk::bf16, 64, 64> f1;
            tk::map(f1, [](tk::bf16 x_5, float y1) { return float(x_5) * y1; }, x_5, y1);

            // based_backward.tk:382: u += mma(f1, consume states);
            const tk::cursor<6> states_element_2 = shared.states.take(states_next_2);
            tk::mma_async(u, f1, shared.states_tile[states_element_2.stage]);
            tk::mma_wait<1>(y2, f0);
            shared.states.release(states_element);
            shared.ks.release(q_element);

            // based_backward.tk:383: let f2 = T(based.and_one<F>(based.elements<F>(x * y2, ..
            tk::fragment<tk::bf16, 64, 64> f2;
            tk::map(f2, thread, [](int, int col, tk::bf16 x_5, float y2) {
                const float x_8 = float(x_5);
                return col == 32 ? 1.0f : col >= 16 && col < 32 ? x_8 : x_8 * y2;
            }, x_5, y2);

            // based_backward.tk:384: u += mma(f2, consume states);
            const tk::cursor<6> states_element_3 = shared.states.take(states_next_2);
            tk::mma_async(u, f2, shared.states_tile[states_element_3.stage]);
            tk::mma_wait<0>(u, f1, f2);
            shared.states.release(states_element_2);
            shared.states.release(states_element_3);

            // based_backward.tk:385: if PACKED { store(dVb[t, h, d], T(u)); } else { ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(3, 128);
                tk::store_shared(shared.output_dV[0], tk::convert<tk::bf16>(u), thread);
                tk::fence_async();
                tk::barrier_sync(3, 128);
                if (DV % 8 != 0 && DV < d + panel + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(dV, {b, t, h, d + panel}, N - t,
                                                  DV - (d + panel)), 0 - t, 0),
                        shared.output_dV[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(dV_map, shared.output_dV[0], b, t, h, d + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// ends: kernel ends with T = bf16, F = 16, BD = 64, L = 64, R = 192.
// producer: 1 warp, 240 registers a thread; state: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 91280 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> os_tile[3];
    tk::shared_tile<float, 64, 1> rows_r[3];
    tk::shared_tile<float, 64, 1> rows_c[3];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<tk::bf16, 64, 64> state_f0[2];
    tk::shared_tile<tk::bf16, 64, 64> state_f1[2];
    tk::shared_tile<tk::bf16, 64, 64> state_f2[2];
    tk::shared_tile<float, 4, 64> state_f32_rows_64[1];
    tk::pipeline<3> qs;
    tk::pipeline<3> os;
    tk::pipeline<3> rows;
};
static_assert(offsetof(ends_shared, rows) == 91232);

__global__ void __launch_bounds__(256, 1) ends_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap W_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap dO_map,
    const tk::tensor_argument<float, 4> End, const tk::tensor_argument<float, 4> Part, int B, int N,
    int H, int DV, float scale, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, W_map, C_map, dO_map);
        shared.qs.init(1, 4);
        shared.os.init(1, 4);
        shared.rows.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // based_backward.tk:402: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<3> os_next, qs_next, rows_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based_backward.tk:403: for t in p * length..min((p + 1) * length, N) by L {
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                // based_backward.tk:404: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based_backward.tk:405: produce rows { r = column(tma_load(W[d.index, b, h, ..
                shared.rows.begin(rows_next, 512);
                tk::tma_load(shared.rows_r[rows_next.stage], W_map,
                             shared.rows.full[rows_next.stage], d / 64, b, h, t);
                tk::tma_load(shared.rows_c[rows_next.stage], C_map,
                             shared.rows.full[rows_next.stage], d / 64, b, h, t);
                rows_next.advance();

                // based_backward.tk:406: produce os = tma_load(dO[b, t, h, d]);
                shared.os.begin(os_next, 8192);
                tk::tma_load(shared.os_tile[os_next.stage], dO_map, shared.os.full[os_next.stage],
                             b, t, h, d);
                os_next.advance();
            }
        }
    } else {
        // based_backward.tk:409: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> qs_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based_backward.tk:397: let last = b * segments + segments - 1 - p;
        const int last = b * segments + segments - 1 - p;

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based_backward.tk:410: let m  = shared(based.own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based_backward.tk:411: let m0 = shared(based.other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based_backward.tk:412: let m1 = shared(based.other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based_backward.tk:413: let m2 = shared(based.other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based_backward.tk:414: var s0: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s0;
        tk::zero(s0);

        // based_backward.tk:415: var s1: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s1;
        tk::zero(s1);

        // based_backward.tk:416: var s2: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s2;
        tk::zero(s2);

        // based_backward.tk:417: var z0: f32[1, 64] = 0;
        tk::row_fragment<float, 64> z0;
        tk::zero(z0);

        // based_backward.tk:418: var z1: f32[1, 64] = 0;
        tk::row_fragment<float, 64> z1;
        tk::zero(z1);

        // based_backward.tk:419: var z2: f32[1, 64] = 0;
        tk::row_fragment<float, 64> z2;
        tk::zero(z2);

        // based_backward.tk:420: for t in p * length..min((p + 1) * length, N) by L {
        tk::fragment<tk::bf16, 64, 64> g1;
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // based_backward.tk:421: let q  = consume qs;
            const tk::cursor<3> q_element = shared.qs.take(qs_next);

            // based_backward.tk:422: let i  = consume rows;
            shared.rows.wait_full(q_element);

            // based_backward.tk:423: let o  = consume os;
            shared.os.wait_full(q_element);

            // based_backward.tk:424: let x  = T(mma(q, m.T));
            tk::fragment<float, 64, 64> t8;
            tk::mma_async(t8, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(t8);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(t8);

            // based_backward.tk:425: let f  = i.r * (scale * scale);
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.rows_r[q_element.stage], row, 0);
            });
            tk::column_fragment<float, 64> f;
            tk::map(f, [&](float t1) { return t1 * (scale * scale); }, t1);

            // based_backward.tk:426: let g0 = T(pad(based.halved<F>(x * mma(q, m0.T)) * f, axis ..
            tk::fragment<float, 64, 64> t9;
            tk::mma_async(t9, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m0[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(t9);
            tk::fragment<tk::bf16, 64, 64> g0;
            tk::map(g0, thread, [&](int row, int col, tk::bf16 x_5, float t9, float f) {
                const float x_6 = float(x_5) * t9;
                return row < N - t ? (col < 16 ? x_6 * 0.5f : x_6) * f : 0.0f;
            }, x_5, t9, f);

            // based_backward.tk:427: z0 += sum(f32(g0) * i.c, axis = 0);
            tk::column_fragment<float, 64> t3;
            tk::map(t3, thread, [&](int row, int) {
                return tk::get(shared.rows_c[q_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t10;
            tk::map(t10, [](tk::bf16 g0, float t3) { return float(g0) * t3; }, g0, t3);
            tk::row_fragment<float, 64> t11;
            tk::reduce_columns(t11, t10, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(z0, [](float z0, float t11) { return z0 + t11; }, z0, t11);

            // based_backward.tk:428: let f0 = shared(g0);
            tk::store_shared(shared.state_f0[tk::remainder(tk::divide_down(t, 64), 2)], g0, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:429: s0 += mma(f0.T, o);
            tk::mma_async(s0,
                          tk::transposed(shared.state_f0[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:430: let g1 = T(pad(x * mma(q, m1.T) * f, axis = 0, with = 0));
            tk::fragment<float, 64, 64> t13;
            tk::mma_async(t13, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s0, t13);
            if (t + 64 <= N) {
                tk::map(g1, [](tk::bf16 x_5, float t13, float f) { return float(x_5) * t13 * f; },
                        x_5, t13, f);
            } else {
                tk::map(g1, thread, [&](int row, int, tk::bf16 x_5, float t13, float f) {
                    return row < N - t ? float(x_5) * t13 * f : 0.0f;
                }, x_5, t13, f);
            }

            // based_backward.tk:431: z1 += sum(f32(g1) * i.c, axis = 0);
            tk::column_fragment<float, 64> t5;
            tk::map(t5, thread, [&](int row, int) {
                return tk::get(shared.rows_c[q_element.stage], row, 0);
            });
            tk::fragment<float, 64, 64> t14;
            tk::map(t14, [](tk::bf16 g1, float t5) { return float(g1) * t5; }, g1, t5);
            tk::row_fragment<float, 64> t15;
            tk::reduce_columns(t15, t14, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(z1, [](float z1, float t15) { return z1 + t15; }, z1, t15);

            // based_backward.tk:432: let f1 = shared(g1);
            tk::store_shared(shared.state_f1[tk::remainder(tk::divide_down(t, 64), 2)], g1, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:433: s1 += mma(f1.T, o);
            tk::mma_async(s1,
                          tk::transposed(shared.state_f1[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.os_tile[q_element.stage]);

            // based_backward.tk:434: let g2 = T(pad(based.and_one<F>(based.elements<F>(x * ..
            tk::fragment<float, 64, 64> t17;
            tk::mma_async(t17, shared.qs_tile[q_element.stage], tk::transposed(shared.state_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s1, t17);
            shared.qs.release(q_element);
            tk::column_fragment<float, 64> t7;
            tk::map(t7, thread, [&](int row, int) {
                return tk::get(shared.rows_r[q_element.stage], row, 0);
            });
            tk::fragment<tk::bf16, 64, 64> g2;
            tk::map(g2, thread, [&](int row, int col, tk::bf16 x_5, float t17, float t7) {
                const float x_6 = float(x_5);
                return row < N - t
                    ? (col == 32 ? 1.0f : col >= 16 && col < 32 ? x_6 * scale
                       : x_6 * t17 * (0.5f * scale * scale)) * t7 : 0.0f;
            }, x_5, t17, t7);

            // based_backward.tk:435: z2 += sum(f32(g2) * i.c, axis = 0);
            tk::column_fragment<float, 64> t12;
            tk::map(t12, thread, [&](int row, int) {
                return tk::get(shared.rows_c[q_element.stage], row, 0);
            });
            shared.rows.release_after_loads(q_element);
            tk::fragment<float, 64, 64> t18;
            tk::map(t18, [](tk::bf16 g2, float t12) { return float(g2) * t12; }, g2, t12);
            tk::row_fragment<float, 64> t19;
            tk::reduce_columns(t19, t18, shared.state_f32_rows_64[0], tk::plus{}, thread, 2);
            tk::map(z2, [](float z2, float t19) { return z2 + t19; }, z2, t19);

            // based_backward.tk:436: let f2 = shared(g2);
            tk::store_shared(shared.state_f2[tk::remainder(tk::divide_down(t, 64), 2)], g2, thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based_backward.tk:437: s2 += mma(f2.T, o);
            tk::mma_async(s2,
                          tk::transposed(shared.state_f2[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.os_tile[q_element.stage]);
            tk::mma_wait<0>(s2);
            shared.os.release(q_element);
        }

        // based_backward.tk:439: store(End[last, h, 0 +: 64, d], s0);
        tk::store_global(
            tk::slice(End, {last, h, 0, d}, last > -1 && last < B * segments ? 192 : 0, DV - d), s0,
            thread);

        // based_backward.tk:440: store(End[last, h, 64 +: 64, d], s1);
        tk::store_global(
            tk::slice(End, {last, h, 64, d}, last > -1 && last < B * segments ? 192 - 64 : 0,
                      DV - d), s1, thread);

        // based_backward.tk:441: store(End[last, h, 128 +: 64, d], s2);
        tk::store_global(
            tk::slice(End, {last, h, 128, d}, last > -1 && last < B * segments ? 192 - 128 : 0,
                      DV - d), s2, thread);

        // based_backward.tk:442: store(Part[d.index, last, h, 0 +: 64], -z0);
        tk::row_fragment<float, 64> t21;
        tk::map(t21, [](float z0) { return -z0; }, z0);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {d / 64, last, h, 0}, 1,
                                      last > -1 && last < B * segments
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 : 0) : 0), t21,
            thread);

        // based_backward.tk:443: store(Part[d.index, last, h, 64 +: 64], -z1);
        tk::row_fragment<float, 64> t22;
        tk::map(t22, [](float z1) { return -z1; }, z1);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {d / 64, last, h, 64}, 1,
                                      last > -1 && last < B * segments
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 - 64 : 0) : 0), t22,
            thread);

        // based_backward.tk:444: store(Part[d.index, last, h, 128 +: 64], -z2);
        tk::row_fragment<float, 64> t23;
        tk::map(t23, [](float z2) { return -z2; }, z2);
        tk::store_global(
            tk::slice<tk::no_axis, 3>(Part, {d / 64, last, h, 128}, 1,
                                      last > -1 && last < B * segments
                                      ? (d / 64 < tk::divide_up(DV, 64) ? 192 - 128 : 0) : 0), t23,
            thread);
    }
}

// parts: kernel parts with T = bf16, F = 16.
// 256 threads, 64 registers each: parts_kernel<4, 2, 8, true>.
// parts_general: kernel parts with T = bf16, F = 16; any strides and alignment.
// 256 threads, 255 registers each: parts_kernel<1, 8, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) parts_kernel(
    const tk::tensor_argument<const float, 5> PartQ,
    const tk::tensor_argument<const float, 5> PartK, const tk::tensor_argument<tk::bf16, 4> dQ,
    const tk::tensor_argument<tk::bf16, 4> dK, int P, int B, int N, int H) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(N, 256);

    // based_backward.tk:449: kernel parts<T: dtype = bf16, F: int = 16>(PartQ: f32[P, B, N, H, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 256;
    const int h = program / t_tiles % H;
    const int b = program / (t_tiles * H);

    // based_backward.tk:452: var q: f32[256, F] = 0;
    tk::stripe<float, 256, 16, 256, row_threads, vector> q;
    tk::zero(q);

    // based_backward.tk:453: var k: f32[256, F] = 0;
    tk::stripe<float, 256, 16, 256, row_threads, vector> k;
    tk::zero(k);

    // based_backward.tk:454: for p in P {
    for (int p = 0; p < P; p += 1) {
        // based_backward.tk:455: q += load(PartQ[p, b, t, h, :]);
        tk::stripe<float, 256, 16, 256, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, 2, 4>(PartQ, {p, b, t, h, 0}, N - t, 16), thread);
        tk::map(q, [](float q, float t0) { return q + t0; }, q, t0);

        // based_backward.tk:456: k += load(PartK[p, b, t, h, :]);
        tk::stripe<float, 256, 16, 256, row_threads, vector> t1;
        tk::load_slice<vectors>(
            t1, tk::slice_if_dense<vectors, 2, 4>(PartK, {p, b, t, h, 0}, N - t, 16), thread);
        tk::map(k, [](float k, float t1) { return k + t1; }, k, t1);
    }

    // based_backward.tk:458: store(dQ[b, t, h, :], T(q));
    tk::stripe<tk::bf16, 256, 16, 256, row_threads, vector> t2 = tk::convert<tk::bf16>(q);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(dQ, {b, t, h, 0}, N - t, 16), t2,
                             thread);

    // based_backward.tk:459: store(dK[b, t, h, :], T(k));
    tk::stripe<tk::bf16, 256, 16, 256, row_threads, vector> t3 = tk::convert<tk::bf16>(k);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, 1, 3>(dK, {b, t, h, 0}, N - t, 16), t3,
                             thread);
}

// parts_of_sums: kernel parts_of_sums with R = 192.
// 128 threads, 48 registers each: parts_of_sums_kernel<10, 64, 4, true>.
// parts_of_sums_general: kernel parts_of_sums with R = 192; any strides and alignment.
// 128 threads, 255 registers each: parts_of_sums_kernel<1, 128, 2, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) parts_of_sums_kernel(
    const tk::tensor_argument<const float, 4> Part, const tk::tensor_argument<float, 3> dZ0, int P,
    int I, int H) {
    tk::wait_for_previous_kernel();

    // based_backward.tk:463: kernel parts_of_sums<R: int = 192>(Part: f32[P, I, H, R], out dZ0: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int h = program % H;
    const int b = program / H;

    // based_backward.tk:466: var z: f32[1, R] = 0;
    tk::stripe<float, 1, 192, 128, row_threads, vector> z;
    tk::zero(z);

    // based_backward.tk:467: for p in P { z += load(Part[p, b, h, :]); }
    for (int p = 0; p < P; p += 1) {
        tk::stripe<float, 1, 192, 128, row_threads, vector> t0;
        tk::load_slice<vectors>(
            t0, tk::slice_if_dense<vectors, tk::no_axis, 3>(Part, {p, b, h, 0}, 1, 192), thread);
        tk::map(z, [](float z, float t0) { return z + t0; }, z, t0);
    }

    // based_backward.tk:468: store(dZ0[b, h, :], z);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, tk::no_axis, 2>(dZ0, {b, h, 0}, 1, 192), z,
                             thread);
}

namespace {
tk::status launch_queries(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& O, const tk::tensor& dO, const tk::tensor& S0, const tk::tensor& Z0,
    const tk::tensor& Part, const tk::tensor& W, const tk::tensor& C, int64_t B, int64_t N,
    int64_t H, int64_t DV, int64_t J, float scale, float eps, int32_t segments, int32_t length) {
    return tk::run<queries_kernel>(
        site, sizeof(queries_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{O, {1, 64, 1, 64}, 128},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{Part, {1, 1, 64, 1, 16}, 64}, S0, Z0, W, C, B, N,
        H, DV, J, scale, eps, segments, length);
}

tk::status launch_keys(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                       const tk::tensor& V, const tk::tensor& dO, const tk::tensor& W,
                       const tk::tensor& C, const tk::tensor& dState, const tk::tensor& dSums,
                       const tk::tensor& Part, const tk::tensor& dS0, const tk::tensor& PartZ,
                       int64_t B, int64_t N, int64_t H, int64_t DV, int64_t E, int64_t I,
                       float scale, int32_t segments, int32_t length) {
    return tk::run<keys_kernel>(site, sizeof(keys_shared), tk::kernel_shape(384).overlapping(),
                                tk::multiply(
                                    tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                                                 tk::larger(int64_t{segments}, 0)), B),
                                tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{W, {1, 1, 1, 64}, 0},
                                tk::box{C, {1, 1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
                                tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
                                tk::box{Part, {1, 1, 64, 1, 16}, 64}, dState, dSums, dS0, PartZ, B,
                                N, H, DV, E, I, scale, segments, length);
}

tk::status launch_values(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& dO, const tk::tensor& W, const tk::tensor& dState,
                         const tk::tensor& dV, int64_t B, int64_t N, int64_t H, int64_t DV,
                         int64_t E, float scale, int32_t segments, int32_t length) {
    return tk::run<values_kernel>(
        site, sizeof(values_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{W, {1, 1, 1, 64}, 0},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 16}, 32},
        tk::box{dV, {1, 64, 1, 64}, 128}, dState, dV, B, N, H, DV, E, scale, segments, length);
}

tk::status launch_parts_of_sums(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& dZ0, int64_t P, int64_t I, int64_t H) {
    return tk::run<parts_of_sums_kernel<10, 64, 4, true>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(H, I), Part, dZ0, P, I, H);
}

tk::status launch_parts_of_sums_general(const tk::launch_site& site, const tk::tensor& Part,
                                        const tk::tensor& dZ0, int64_t P, int64_t I, int64_t H) {
    return tk::run<parts_of_sums_kernel<1, 128, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(H, I), Part, dZ0, P, I, H);
}

tk::status launch_parts(const tk::launch_site& site, const tk::tensor& PartQ,
                        const tk::tensor& PartK, const tk::tensor& dQ, const tk::tensor& dK,
                        int64_t P, int64_t B, int64_t N, int64_t H) {
    return tk::run<parts_kernel<4, 2, 8, true>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                tk::multiply(tk::multiply(tk::ceil_div(N, 256), H),
                                                             B), PartQ, PartK, dQ, dK, P, B, N, H);
}

tk::status launch_parts_general(const tk::launch_site& site, const tk::tensor& PartQ,
                                const tk::tensor& PartK, const tk::tensor& dQ, const tk::tensor& dK,
                                int64_t P, int64_t B, int64_t N, int64_t H) {
    return tk::run<parts_kernel<1, 8, 2, false>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                 tk::multiply(tk::multiply(tk::ceil_div(N, 256), H),
                                                              B), PartQ, PartK, dQ, dK, P, B, N, H);
}

}  // namespace

extern "C" {
int queries(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
            const DLTensor* O_given, const DLTensor* dO_given, const DLTensor* S0_given,
            const DLTensor* Z0_given, const DLTensor* start_given, DLTensor* Part_given,
            DLTensor* W_given, DLTensor* C_given, float scale, float eps, int32_t segments,
            int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"queries"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t J = S0.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
         tk::same_extent("H", Q, 2, dO, 2), tk::same_extent("DV", V, 3, dO, 3),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 192),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("J", S0, 0, Z0, 0),
         tk::same_extent("H", Q, 2, Z0, 1), tk::fixed_extent(Z0, 2, 192),
         tk::same_extent("B", Q, 0, Part, 1), tk::same_extent("N", Q, 1, Part, 2),
         tk::same_extent("H", Q, 2, Part, 3), tk::fixed_extent(Part, 4, 16),
         tk::same_extent("B", Q, 0, W, 1), tk::same_extent("H", Q, 2, W, 2),
         tk::same_extent("B", Q, 0, C, 1), tk::same_extent("H", Q, 2, C, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"J", J}, {"P", P}}),
         tk::that(Part.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `Part` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {Part.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `W` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {W.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `C` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {C.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(C.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                  "`segments*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{length})}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(int64_t{segments} >= 1, "`queries` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`queries` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`queries` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`queries` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`queries` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_load(O, "DV"),
         tk::suits_tma_load(dO, "DV"), tk::suits_tma_store(Part),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1)),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<queries_kernel>(
        site, sizeof(queries_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{O, {1, 64, 1, 64}, 128},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{Part, {1, 1, 64, 1, 16}, 64}, S0, Z0, W, C, B, N,
        H, DV, J, scale, eps, segments, length));
}
TK_NO_WORKSPACE(queries, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, float, float, int32_t, int32_t)

int keys(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
         const DLTensor* dO_given, const DLTensor* W_given, const DLTensor* C_given,
         const DLTensor* dState_given, const DLTensor* dSums_given, const DLTensor* start_given,
         DLTensor* Part_given, DLTensor* dS0_given, DLTensor* PartZ_given, float scale,
         int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"keys"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dSums = call.take("dSums", dSums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor PartZ = call.take("PartZ", PartZ_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t E = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
         tk::same_extent("H", Q, 2, dO, 2), tk::same_extent("DV", V, 3, dO, 3),
         tk::same_extent("B", Q, 0, W, 1), tk::same_extent("H", Q, 2, W, 2),
         tk::same_extent("B", Q, 0, C, 1), tk::same_extent("H", Q, 2, C, 2),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 192),
         tk::same_extent("DV", V, 3, dState, 3), tk::same_extent("E", dState, 0, dSums, 0),
         tk::same_extent("H", Q, 2, dSums, 1), tk::fixed_extent(dSums, 2, 192),
         tk::same_extent("B", Q, 0, Part, 1), tk::same_extent("N", Q, 1, Part, 2),
         tk::same_extent("H", Q, 2, Part, 3), tk::fixed_extent(Part, 4, 16),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 192),
         tk::same_extent("DV", V, 3, dS0, 3), tk::same_extent("I", dS0, 0, PartZ, 1),
         tk::same_extent("H", Q, 2, PartZ, 2), tk::fixed_extent(PartZ, 3, 192),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"E", E}, {"P", P}, {"I", I}}),
         tk::that(W.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `W` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {W.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `C` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {C.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(C.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(Part.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `Part` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {Part.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(PartZ.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `PartZ` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {PartZ.shape[0], tk::ceil_div(DV, 64)}),
         tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                  "`segments*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{length})}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(I == 0 || int64_t{segments} == 1,
                  "`keys` requires `PACKED or I == 0 or segments == 1`"),
         tk::that(I <= B, "`keys` requires `PACKED or I <= B`"),
         tk::that(int64_t{segments} >= 1, "`keys` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`keys` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`keys` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`keys` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`keys` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_load(dO, "DV"),
         tk::suits_tma_load(W), tk::suits_tma_load(C), tk::suits_tma_store(Part),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + segments",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments},
                  "`b*segments + segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1,
                  "`b*segments + segments - 1` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                  (int64_t{segments} - 1),
                  "`b*segments + segments - 1 - p` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                   (int64_t{segments} - 1)}),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<keys_kernel>(
        site, sizeof(keys_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{W, {1, 1, 1, 64}, 0},
        tk::box{C, {1, 1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128},
        tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Part, {1, 1, 64, 1, 16}, 64}, dState, dSums, dS0, PartZ, B, N, H, DV, E, I, scale,
        segments, length));
}
TK_NO_WORKSPACE(keys, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, float, int32_t, int32_t)

int values(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* dO_given,
           const DLTensor* W_given, const DLTensor* dState_given, const DLTensor* start_given,
           DLTensor* dV_given, float scale, int32_t segments, int32_t length, void*, size_t,
           cudaStream_t stream) {
    tk::arguments call{"values"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = dO.shape[3];
    const int64_t E = dState.shape[0];
    const int64_t P = start.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, dO, 0),
         tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
         tk::same_extent("B", Q, 0, W, 1), tk::same_extent("H", Q, 2, W, 2),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 192),
         tk::same_extent("DV", dO, 3, dState, 3), tk::same_extent("B", Q, 0, dV, 0),
         tk::same_extent("N", Q, 1, dV, 1), tk::same_extent("H", Q, 2, dV, 2),
         tk::same_extent("DV", dO, 3, dV, 3),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"E", E}, {"P", P}}),
         tk::that(W.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `W` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {W.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                  "`segments*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments}, int64_t{length})}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(int64_t{segments} >= 1, "`values` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`values` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`values` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`values` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`values` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(dO, "DV"), tk::suits_tma_load(W),
         tk::suits_tma_store(dV, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                              tk::larger(int64_t{segments}, 0)), B), 2147483648),
         tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + segments",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments},
                  "`b*segments + segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1,
                  "`b*segments + segments - 1` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1}),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                  (int64_t{segments} - 1),
                  "`b*segments + segments - 1 - p` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                   (int64_t{segments} - 1)}),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<values_kernel>(
        site, sizeof(values_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{W, {1, 1, 1, 64}, 0},
        tk::box{dO, {1, 64, 1, 64}, 128}, tk::box{K, {1, 64, 1, 16}, 32},
        tk::box{dV, {1, 64, 1, 64}, 128}, dState, dV, B, N, H, DV, E, scale, segments, length));
}
TK_NO_WORKSPACE(values, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, float, int32_t, int32_t)

int ends(const DLTensor* Q_given, const DLTensor* dO_given, const DLTensor* W_given,
         const DLTensor* C_given, DLTensor* End_given, DLTensor* Part_given, float scale,
         int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = dO.shape[3];
    call.require({
        tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, dO, 0),
        tk::same_extent("N", Q, 1, dO, 1), tk::same_extent("H", Q, 2, dO, 2),
        tk::same_extent("B", Q, 0, W, 1), tk::same_extent("H", Q, 2, W, 2),
        tk::same_extent("B", Q, 0, C, 1), tk::same_extent("H", Q, 2, C, 2),
        tk::same_extent("H", Q, 2, End, 1), tk::fixed_extent(End, 2, 192),
        tk::same_extent("DV", dO, 3, End, 3), tk::same_extent("H", Q, 2, Part, 2),
        tk::fixed_extent(Part, 3, 192), tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}}),
        tk::that(W.shape[0] == tk::ceil_div(DV, 64),
                 "axis 0 of `W` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                 {W.shape[0], tk::ceil_div(DV, 64)}),
        tk::that(W.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {W.shape[3], tk::ceil_div(N, 64) * 64}),
        tk::that(C.shape[0] == tk::ceil_div(DV, 64),
                 "axis 0 of `C` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                 {C.shape[0], tk::ceil_div(DV, 64)}),
        tk::that(C.shape[3] == tk::ceil_div(N, 64) * 64,
                 "axis 3 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                 {C.shape[3], tk::ceil_div(N, 64) * 64}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                 {End.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(Part.shape[0] == tk::ceil_div(DV, 64),
                 "axis 0 of `Part` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                 {Part.shape[0], tk::ceil_div(DV, 64)}),
        tk::that(Part.shape[1] == tk::multiply(B, int64_t{segments}),
                 "axis 1 of `Part` is {}; it must be `B*segments`, which is {}",
                 {Part.shape[1], tk::multiply(B, int64_t{segments})}),
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(Q), tk::suits_tma_load(dO, "DV"), tk::suits_tma_load(W),
        tk::suits_tma_load(C), tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                             tk::larger(int64_t{segments}, 0)), B), 2147483648),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + segments",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments},
                 "`b*segments + segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments}}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1,
                 "`b*segments + segments - 1` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1}),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                 (int64_t{segments} - 1),
                 "`b*segments + segments - 1 - p` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments})) + int64_t{segments} - 1 -
                  (int64_t{segments} - 1)}),
        tk::fits("p*length", tk::larger(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})),
                 "`p*length` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))}),
        tk::fits("(p + 1)*length",
                 tk::larger(int64_t{length},
                            tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))),
        tk::that(-2147483648 <=
                 tk::smaller(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 + 1, int64_t{length})),
                 "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(int64_t{length},
                                 tk::multiply(int64_t{segments} - 1 + 1, int64_t{length}))}),
        tk::fits("N - t.start",
                 N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{W, {1, 1, 1, 64}, 0},
        tk::box{C, {1, 1, 1, 64}, 0}, tk::box{dO, {1, 64, 1, 64}, 128}, End, Part, B, N, H, DV,
        scale, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, float, int32_t, int32_t)

int parts(const DLTensor* PartQ_given, const DLTensor* PartK_given, DLTensor* dQ_given,
          DLTensor* dK_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"parts"};
    const tk::tensor PartQ = call.take("PartQ", PartQ_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor PartK = call.take("PartK", PartK_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = PartQ.shape[0];
    const int64_t B = PartQ.shape[1];
    const int64_t N = PartQ.shape[2];
    const int64_t H = PartQ.shape[3];
    call.require(
        {tk::fixed_extent(PartQ, 4, 16), tk::same_extent("P", PartQ, 0, PartK, 0),
         tk::same_extent("B", PartQ, 1, PartK, 1), tk::same_extent("N", PartQ, 2, PartK, 2),
         tk::same_extent("H", PartQ, 3, PartK, 3), tk::fixed_extent(PartK, 4, 16),
         tk::same_extent("B", PartQ, 1, dQ, 0), tk::same_extent("N", PartQ, 2, dQ, 1),
         tk::same_extent("H", PartQ, 3, dQ, 2), tk::fixed_extent(dQ, 3, 16),
         tk::same_extent("B", PartQ, 1, dK, 0), tk::same_extent("N", PartQ, 2, dK, 1),
         tk::same_extent("H", PartQ, 3, dK, 2), tk::fixed_extent(dK, 3, 16),
         tk::extents_fit({{"P", P}, {"B", B}, {"N", N}, {"H", H}}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 256), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 256), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 256), H), B);
    const bool fast = tk::hold(
        {tk::suits_fast(PartQ), tk::suits_fast(PartK), tk::suits_fast(dQ), tk::suits_fast(dK)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<parts_kernel<4, 2, 8, true>, parts_kernel<1, 8, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, PartQ, PartK, dQ, dK,
        P, B, N, H));
}
TK_NO_WORKSPACE(parts, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*)

int parts_of_sums(const DLTensor* Part_given, DLTensor* dZ0_given, void*, size_t,
                  cudaStream_t stream) {
    tk::arguments call{"parts_of_sums"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dZ0 = call.take("dZ0", dZ0_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    const int64_t I = Part.shape[1];
    const int64_t H = Part.shape[2];
    call.require(
        {tk::fixed_extent(Part, 3, 192), tk::same_extent("I", Part, 1, dZ0, 0),
         tk::same_extent("H", Part, 2, dZ0, 1), tk::fixed_extent(dZ0, 2, 192),
         tk::extents_fit({{"P", P}, {"I", I}, {"H", H}}),
         tk::grid_fits(tk::multiply(H, I), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast = tk::hold({tk::suits_fast(Part), tk::suits_fast(dZ0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<parts_of_sums_kernel<10, 64, 4, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(H, I), Part, dZ0, P, I, H));
    }
    return tk::finish(tk::run<parts_of_sums_kernel<1, 128, 2, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), tk::multiply(H, I), Part, dZ0, P, I, H));
}
TK_NO_WORKSPACE(parts_of_sums, const DLTensor*, DLTensor*)

int based_backward(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* O_given, const DLTensor* S0_given, const DLTensor* Z0_given,
    const DLTensor* dO_given, const DLTensor* dState_given, const DLTensor* dSums_given,
    const DLTensor* start_given, DLTensor* dQ_given, DLTensor* dK_given, DLTensor* dV_given,
    DLTensor* dS0_given, DLTensor* dZ0_given, DLTensor* PartQ_given, DLTensor* PartK_given,
    DLTensor* PartZ_given, DLTensor* W_given, DLTensor* C_given, DLTensor* End_given,
    DLTensor* Added_given, DLTensor* Start_given, DLTensor* Before_given, DLTensor* Parts_given,
    DLTensor* Unused_given, DLTensor* UnusedSums_given, DLTensor* UnusedParts_given, float scale,
    float eps, int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"based_backward"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor dO = call.take("dO", dO_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dState = call.take("dState", dState_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor dSums = call.take("dSums", dSums_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor dQ = call.take("dQ", dQ_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dK = call.take("dK", dK_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dV = call.take("dV", dV_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor dS0 = call.take("dS0", dS0_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor dZ0 = call.take("dZ0", dZ0_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor PartQ = call.take("PartQ", PartQ_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor PartK = call.take("PartK", PartK_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor PartZ = call.take("PartZ", PartZ_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor Parts = call.take("Parts", Parts_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    const tk::tensor UnusedSums = call.take("UnusedSums", UnusedSums_given, tk::dtype_f32, 3,
                                            tk::access::write);
    const tk::tensor UnusedParts = call.take("UnusedParts", UnusedParts_given, tk::dtype_f32, 4,
                                             tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t J = S0.shape[0];
    const int64_t E = dState.shape[0];
    const int64_t P = start.shape[0];
    const int64_t I = dS0.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 192),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("J", S0, 0, Z0, 0),
         tk::same_extent("H", Q, 2, Z0, 1), tk::fixed_extent(Z0, 2, 192),
         tk::same_extent("B", Q, 0, dO, 0), tk::same_extent("N", Q, 1, dO, 1),
         tk::same_extent("H", Q, 2, dO, 2), tk::same_extent("DV", V, 3, dO, 3),
         tk::same_extent("H", Q, 2, dState, 1), tk::fixed_extent(dState, 2, 192),
         tk::same_extent("DV", V, 3, dState, 3), tk::same_extent("E", dState, 0, dSums, 0),
         tk::same_extent("H", Q, 2, dSums, 1), tk::fixed_extent(dSums, 2, 192),
         tk::same_extent("B", Q, 0, dQ, 0), tk::same_extent("N", Q, 1, dQ, 1),
         tk::same_extent("H", Q, 2, dQ, 2), tk::fixed_extent(dQ, 3, 16),
         tk::same_extent("B", Q, 0, dK, 0), tk::same_extent("N", Q, 1, dK, 1),
         tk::same_extent("H", Q, 2, dK, 2), tk::fixed_extent(dK, 3, 16),
         tk::same_extent("B", Q, 0, dV, 0), tk::same_extent("N", Q, 1, dV, 1),
         tk::same_extent("H", Q, 2, dV, 2), tk::same_extent("DV", V, 3, dV, 3),
         tk::same_extent("H", Q, 2, dS0, 1), tk::fixed_extent(dS0, 2, 192),
         tk::same_extent("DV", V, 3, dS0, 3), tk::same_extent("I", dS0, 0, dZ0, 0),
         tk::same_extent("H", Q, 2, dZ0, 1), tk::fixed_extent(dZ0, 2, 192),
         tk::same_extent("B", Q, 0, PartQ, 1), tk::same_extent("N", Q, 1, PartQ, 2),
         tk::same_extent("H", Q, 2, PartQ, 3), tk::fixed_extent(PartQ, 4, 16),
         tk::same_extent("B", Q, 0, PartK, 1), tk::same_extent("N", Q, 1, PartK, 2),
         tk::same_extent("H", Q, 2, PartK, 3), tk::fixed_extent(PartK, 4, 16),
         tk::same_extent("I", dS0, 0, PartZ, 1), tk::same_extent("H", Q, 2, PartZ, 2),
         tk::fixed_extent(PartZ, 3, 192), tk::same_extent("B", Q, 0, W, 1),
         tk::same_extent("H", Q, 2, W, 2), tk::same_extent("B", Q, 0, C, 1),
         tk::same_extent("H", Q, 2, C, 2), tk::same_extent("H", Q, 2, End, 1),
         tk::fixed_extent(End, 2, 192), tk::same_extent("DV", V, 3, End, 3),
         tk::same_extent("H", Q, 2, Added, 1), tk::fixed_extent(Added, 2, 192),
         tk::same_extent("H", Q, 2, Start, 1), tk::fixed_extent(Start, 2, 192),
         tk::same_extent("DV", V, 3, Start, 3), tk::same_extent("H", Q, 2, Before, 1),
         tk::fixed_extent(Before, 2, 192), tk::same_extent("H", Q, 2, Parts, 2),
         tk::fixed_extent(Parts, 3, 192), tk::same_extent("H", Q, 2, Unused, 1),
         tk::fixed_extent(Unused, 2, 192), tk::same_extent("DV", V, 3, Unused, 3),
         tk::same_extent("H", Q, 2, UnusedSums, 1), tk::fixed_extent(UnusedSums, 2, 192),
         tk::same_extent("H", Q, 2, UnusedParts, 2), tk::fixed_extent(UnusedParts, 3, 192),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"J", J}, {"E", E}, {"P", P}, {"I", I}}),
         tk::that(PartQ.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `PartQ` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {PartQ.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(PartK.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `PartK` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {PartK.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(PartZ.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `PartZ` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {PartZ.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `W` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {W.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(W.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `C` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {C.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(C.shape[3] == tk::ceil_div(N, 64) * 64,
                  "axis 3 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[3], tk::ceil_div(N, 64) * 64}),
         tk::that(End.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `End` is {}; it must be `min(B, 0)`, which is {}",
                  {End.shape[0], tk::smaller(B, 0)}),
         tk::that(Added.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Added` is {}; it must be `min(B, 0)`, which is {}",
                  {Added.shape[0], tk::smaller(B, 0)}),
         tk::that(Start.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Start` is {}; it must be `min(B, 0)`, which is {}",
                  {Start.shape[0], tk::smaller(B, 0)}),
         tk::that(Before.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Before` is {}; it must be `min(B, 0)`, which is {}",
                  {Before.shape[0], tk::smaller(B, 0)}),
         tk::that(Parts.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `Parts` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {Parts.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(Parts.shape[1] == tk::smaller(B, 0),
                  "axis 1 of `Parts` is {}; it must be `min(B, 0)`, which is {}",
                  {Parts.shape[1], tk::smaller(B, 0)}),
         tk::that(Unused.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                  {Unused.shape[0], tk::smaller(B, 0)}),
         tk::that(UnusedSums.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `UnusedSums` is {}; it must be `min(B, 0)`, which is {}",
                  {UnusedSums.shape[0], tk::smaller(B, 0)}),
         tk::that(UnusedParts.shape[0] == tk::ceil_div(DV, 64),
                  "axis 0 of `UnusedParts` is {}; it must be `ceil_div(DV, 64)`, which is {}",
                  {UnusedParts.shape[0], tk::ceil_div(DV, 64)}),
         tk::that(UnusedParts.shape[1] == tk::smaller(B, 0),
                  "axis 1 of `UnusedParts` is {}; it must be `min(B, 0)`, which is {}",
                  {UnusedParts.shape[1], tk::smaller(B, 0)}),
         tk::that(I <= B, "`based_backward` requires `PACKED or I <= B`"),
         tk::that(J <= B, "`based_backward` requires `PACKED or J <= B`"),
         tk::that(E <= B, "`based_backward` requires `PACKED or E <= B`"),
         tk::that(int64_t{segments} == 1, "`based_backward` requires `SEGMENTS or segments == 1`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `queries` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `queries` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // queries(Q, K, V, O, dO, S0, Z0, start, PartQ, W, C, scale, eps, 1, ceil_div(max(N, 1),
    // 64)*64)
    call.require({
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                 "`queries` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
        tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                 "`queries` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
        tk::that(0 <= N, "`queries` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
        tk::suits_tma_load(O, "DV"), tk::suits_tma_load(dO, "DV"), tk::suits_tma_store(PartQ),
        tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648),
        tk::fits("(p + 1)*(ceil_div(max(N, 1), 64)*64)",
                 tk::larger(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                            tk::ceil_div(tk::larger(N, 1), 64) * 64)),
        tk::that(-2147483648 <=
                 tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                             tk::ceil_div(tk::larger(N, 1), 64) * 64),
                 "`(p + 1)*(ceil_div(max(N, 1), 64)*64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(tk::ceil_div(tk::larger(N, 1), 64) * 64,
                                 tk::ceil_div(tk::larger(N, 1), 64) * 64)}),
        tk::fits("b*1", tk::larger(0, B - 1)),
        tk::that(-2147483648 <= tk::smaller(0, B - 1), "`b*1` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, B - 1)}), tk::fits("N - t.start", N)});
    // keys(Q, K, V, dO, W, C, dState, dSums, start, PartK, dS0, PartZ, scale, 1, ceil_div(max(N,
    // 1), 64)*64)
    call.require(
        {tk::suits_tma_load(W), tk::suits_tma_load(C), tk::suits_tma_store(PartK),
         tk::fits("b*1 + 1", tk::larger(0, B - 1) + 1),
         tk::that(-2147483648 <= tk::smaller(0, B - 1) + 1,
                  "`b*1 + 1` reaches {}; it must fit in 32 bits", {tk::smaller(0, B - 1) + 1})});
    // values(Q, K, dO, W, dState, start, dV, scale, 1, ceil_div(max(N, 1), 64)*64)
    call.require({tk::suits_tma_store(dV, "DV")});
    // parts_of_sums(PartZ, dZ0)
    call.require({
        tk::that(tk::ceil_div(DV, 64) < 2147221504,
                 "`ceil_div(DV, 64)` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(DV, 64)}), tk::grid_fits(tk::multiply(H, I), 2147483648)});
    // parts(PartQ, PartK, dQ, dK)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 256), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 256), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // parts_of_sums(PartZ, dZ0)
    const bool choice_4 = tk::hold({tk::suits_fast(PartZ), tk::suits_fast(dZ0)});

    // parts(PartQ, PartK, dQ, dK)
    const bool choice_5 = tk::hold(
        {tk::suits_fast(PartQ), tk::suits_fast(PartK), tk::suits_fast(dQ), tk::suits_fast(dK)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_queries(
        site, Q, K, V, O, dO, S0, Z0, PartQ, W, C, B, N, H, DV, J, scale, eps,
        static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    TK_FINISH_IF_FAILED(
        launch_keys(site, Q, K, V, dO, tk::read_only(W), tk::read_only(C), dState, dSums, PartK,
                    dS0, PartZ, B, N, H, DV, E, I, scale, static_cast<int32_t>(1),
                    static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    TK_FINISH_IF_FAILED(launch_values(
        site, Q, K, dO, tk::read_only(W), dState, dV, B, N, H, DV, E, scale,
        static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    if (choice_4) {
        TK_FINISH_IF_FAILED(
            launch_parts_of_sums(site, tk::read_only(PartZ), dZ0, tk::ceil_div(DV, 64), I, H));
    } else {
        TK_FINISH_IF_FAILED(launch_parts_of_sums_general(
            site, tk::read_only(PartZ), dZ0, tk::ceil_div(DV, 64), I, H));
    }
    if (choice_5) {
        TK_FINISH_IF_FAILED(
            launch_parts(site, tk::read_only(PartQ), tk::read_only(PartK), dQ, dK,
                         tk::ceil_div(DV, 64), B, N, H));
    } else {
        TK_FINISH_IF_FAILED(
            launch_parts_general(site, tk::read_only(PartQ), tk::read_only(PartK), dQ, dK,
                                 tk::ceil_div(DV, 64), B, N, H));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(based_backward, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float, int32_t,
                int32_t)
}  // extern "C"
