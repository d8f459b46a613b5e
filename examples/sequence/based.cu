// Made by tkc from based.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// chunks: kernel chunks with T = bf16, F = 16, NORM = true, PACKED = false, BD = 64, L = 64, R =
// 192.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 138480 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> states_s[6];
    tk::shared_tile<tk::bf16, 64, 16> states_z[6];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<tk::bf16, 64, 16> state_ones[1];
    tk::shared_tile<float, 16, 8> state_f32_parts[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> output_m2[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<3> fs;
    tk::pipeline<6> states;
};
static_assert(offsetof(chunks_shared, states) == 138384);

__global__ void __launch_bounds__(512, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, int B, int N, int H, int DV, int I, int E,
    float scale, float eps, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 4);
        shared.ks.init(1, 12);
        shared.vs.init(1, 12);
        shared.fs.init(8, 8);
        shared.states.init(8, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // based.tk:59: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based.tk:50: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // based.tk:51: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
            const int end = tk::min((p + 1) * length, N);

            // based.tk:60: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // based.tk:61: if PACKED { produce qs = tma_load(Qb[t, h, :]) allow_foreign; } ..
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based.tk:62: if PACKED { produce ks = tma_load(Kb[t, h, :]) allow_foreign; } ..
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // based.tk:63: if PACKED { produce vs = tma_load(Vb[t, h, d]) allow_foreign; } ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();
            }
        }
    } else if (warp < 8) {
        // based.tk:66: role state(2 warpgroups) {
        tk::registers_at_least<160>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> ks_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based.tk:50: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based.tk:51: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 8> x;
        tk::zero(x);

        // based.tk:67: let m  = shared(own<T, F>());
        tk::fragment<tk::bf16, 64, 8> t0;
        tk::map(t0, thread, [&](int row, int col) {
            return 8 * warpgroup + col == row % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m[0], 8 * warpgroup), t0, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 8> x_2;
        tk::zero(x_2);

        // based.tk:68: let m0 = shared(other<T, F>(0));
        tk::fragment<tk::bf16, 64, 8> t2;
        tk::map(t2, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m0[0], 8 * warpgroup), t2, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:27
        tk::fragment<float, 64, 8> x_3;
        tk::zero(x_3);

        // based.tk:69: let m1 = shared(other<T, F>(1));
        tk::fragment<tk::bf16, 64, 8> t4;
        tk::map(t4, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m1[0], 8 * warpgroup), t4, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:27
        tk::fragment<float, 64, 8> x_4;
        tk::zero(x_4);

        // based.tk:70: let m2 = shared(other<T, F>(2));
        tk::fragment<tk::bf16, 64, 8> t6;
        tk::map(t6, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m2[0], 8 * warpgroup), t6, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:71: var one: T[L, F] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // based.tk:72: let ones = shared(one);
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup), one, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:73: var s0: f32[64, BD] = load(S0[b * segments + p, h, 0 +: 64, d]);
        tk::fragment<float, 64, 32> s0;
        tk::load_global(s0,
                        tk::slice(S0, {b * segments + p, h, 0, d + 32 * warpgroup},
                                  b * segments + p > -1 && b * segments + p < I ? 192 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:74: var s1: f32[64, BD] = load(S0[b * segments + p, h, 64 +: 64, d]);
        tk::fragment<float, 64, 32> s1;
        tk::load_global(s1,
                        tk::slice(S0, {b * segments + p, h, 64, d + 32 * warpgroup},
                                  b * segments + p > -1 && b * segments + p < I ? 192 - 64 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:75: var s2: f32[64, BD] = load(S0[b * segments + p, h, 128 +: 64, d]);
        tk::fragment<float, 64, 32> s2;
        tk::load_global(s2,
                        tk::slice(S0, {b * segments + p, h, 128, d + 32 * warpgroup},
                                  b * segments + p > -1 && b * segments + p < I ? 192 - 128 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:76: var z0: f32[64, F] = column(load(Z0[b * segments + p, h, 0 +: 64]));
        tk::fragment<float, 64, 8> z0;
        tk::map(z0, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H && row < 192
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, row)
                : float{};
        });

        // based.tk:77: var z1: f32[64, F] = column(load(Z0[b * segments + p, h, 64 +: 64]));
        tk::fragment<float, 64, 8> z1;
        tk::map(z1, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H &&
                64 + row < 192
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h, 64 + row)
                : float{};
        });

        // based.tk:78: var z2: f32[64, F] = column(load(Z0[b * segments + p, h, 128 +: 64]));
        tk::fragment<float, 64, 8> z2;
        tk::map(z2, thread, [&](int row, int) {
            return 0 <= tk::wrapping_add(tk::wrapping_multiply(b, segments), p) &&
                tk::wrapping_add(tk::wrapping_multiply(b, segments), p) < I && h < H &&
                128 + row < 192
                ? tk::cell(Z0, tk::wrapping_add(tk::wrapping_multiply(b, segments), p), h,
                           128 + row) : float{};
        });

        // based.tk:79: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 32> g2;
        for (int t = begin; t < end; t += 64) {
            // based.tk:80: let k  = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // based.tk:81: let v  = consume vs;
            shared.vs.wait_full(k_element);

            // based.tk:82: let r  = mma(k, m.T);
            tk::fragment<float, 64, 32> r;
            tk::mma_async(r, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:83: let y0 = mma(k, m0.T);
            tk::fragment<float, 64, 32> y0;
            tk::mma_async(y0, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m0[0], 32 * warpgroup)),
                          tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:84: let x  = T(r);
            tk::fragment<tk::bf16, 64, 32> x_5 = tk::convert<tk::bf16>(r);

            // based.tk:85: let g0 = T(pad(y0 * x, axis = 0, with = 0));
            tk::hold_waits(warp);
            tk::mma_wait<0>(y0);
            tk::fragment<tk::bf16, 64, 32> g0;
            tk::map(g0, [](float y0, tk::bf16 x_5) { return y0 * float(x_5); }, y0, x_5);

            // based.tk:86: if not PACKED { produce fs = g0; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g0,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:87: let y1 = mma(k, m1.T);
            tk::fragment<float, 64, 32> y1;
            tk::mma_async(y1, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m1[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:88: produce states { s = T(s0); z = T(z0); }
            tk::fragment<tk::bf16, 64, 32> t18 = tk::convert<tk::bf16>(s0);
            tk::fragment<tk::bf16, 64, 8> t19 = tk::convert<tk::bf16>(z0);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t18,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t19,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:89: let f0 = if PACKED { shared(g0) } else { consume fs };
            const tk::cursor<3> fs_element = shared.fs.take(fs_taken);

            // based.tk:90: s0 += mma(f0.T, v);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:91: z0 += mma(f0.T, ones);
            tk::mma_async(z0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(y1);

            // based.tk:92: let g1 = T(pad(y1 * x, axis = 0, with = 0));
            tk::fragment<tk::bf16, 64, 32> g1;
            tk::map(g1, [](float y1, tk::bf16 x_5) { return y1 * float(x_5); }, y1, x_5);

            // based.tk:93: if not PACKED { produce fs = g1; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g1,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:94: let y2 = mma(k, m2.T);
            tk::fragment<float, 64, 32> y2;
            tk::mma_async(y2, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m2[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:95: produce states { s = T(s1); z = T(z1); }
            tk::fragment<tk::bf16, 64, 32> t21 = tk::convert<tk::bf16>(s1);
            tk::fragment<tk::bf16, 64, 8> t22 = tk::convert<tk::bf16>(z1);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t21,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t22,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:96: let f1 = if PACKED { shared(g1) } else { consume fs };
            const tk::cursor<3> fs_element_2 = shared.fs.take(fs_taken);

            // based.tk:97: s1 += mma(f1.T, v);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:98: z1 += mma(f1.T, ones);
            tk::mma_async(z1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(s0, z0, y2);
            shared.fs.release(fs_element);
            shared.ks.release(k_element);

            // based.tk:99: let g2 = T(pad(and_one<F>(elements<F>(y2 * x, f32(x))), axis = 0, ..
            if (t + 64 <= N && 32 * warpgroup >= 16 && 32 * warpgroup <= 0) {
                tk::map(g2, thread, [&](int, int col, tk::bf16 x_5, float) {
                    return 32 * warpgroup + col == 32 ? 1.0f : float(x_5);
                }, x_5, y2);
            } else {
                tk::map(g2, thread, [&](int row, int col, tk::bf16 x_5, float y2) {
                    const float x_6 = float(x_5);
                    return row < N - t
                        ? (32 * warpgroup + col == 32 ? 1.0f
                           : 32 * warpgroup + col >= 16 && 32 * warpgroup + col < 32 ? x_6
                           : y2 * x_6) : 0.0f;
                }, x_5, y2);
            }

            // based.tk:100: if not PACKED { produce fs = g2; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g2,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:101: produce states { s = T(s2); z = T(where(row_index(z2) == 2 * F, 0, ..
            tk::fragment<tk::bf16, 64, 32> t23 = tk::convert<tk::bf16>(s2);
            tk::fragment<tk::bf16, 64, 8> t24;
            tk::map(t24, thread, [](int row, int, float z2) { return row == 32 ? 0.0f : z2; }, z2);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t23,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t24,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:102: let f2 = if PACKED { shared(g2) } else { consume fs };
            const tk::cursor<3> fs_element_3 = shared.fs.take(fs_taken);

            // based.tk:103: s2 += mma(f2.T, v);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:104: z2 += mma(f2.T, ones);
            tk::mma_async(z2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<0>(s1, z1, s2, z2);
            shared.fs.release(fs_element_2);
            shared.vs.release(k_element);
            shared.fs.release(fs_element_3);
        }

        // based.tk:106: store(State[b * segments + p, h, 0 +: 64, d], s0);
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 0, d + 32 * warpgroup},
                      b * segments + p > -1 && b * segments + p < E ? 192 : 0,
                      DV - (d + 32 * warpgroup)), s0, thread);

        // based.tk:107: store(State[b * segments + p, h, 64 +: 64, d], s1);
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 64, d + 32 * warpgroup},
                      b * segments + p > -1 && b * segments + p < E ? 192 - 64 : 0,
                      DV - (d + 32 * warpgroup)), s1, thread);

        // based.tk:108: store(State[b * segments + p, h, 128 +: 64, d], s2);
        tk::store_global(
            tk::slice(State, {b * segments + p, h, 128, d + 32 * warpgroup},
                      b * segments + p > -1 && b * segments + p < E ? 192 - 128 : 0,
                      DV - (d + 32 * warpgroup)), s2, thread);

        // based.tk:109: if d.start == 0 {
        if (d == 0) {
            // based.tk:110: store(Sums[b * segments + p, h, 0 +: 64], max(z0, axis = 1));
            tk::column_fragment<float, 64> t25;
            tk::fold_rows(t25, z0, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t25, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<2, tk::no_axis>(Sums, {b * segments + p, h, 0},
                                              b * segments + p > -1 && b * segments + p < E ? 192
                                              : 0, 1), t25, thread);
            }

            // based.tk:111: store(Sums[b * segments + p, h, 64 +: 64], max(z1, axis = 1));
            tk::column_fragment<float, 64> t26;
            tk::fold_rows(t26, z1, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t26, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<2, tk::no_axis>(Sums, {b * segments + p, h, 64},
                                              b * segments + p > -1 && b * segments + p < E
                                              ? 192 - 64 : 0, 1), t26, thread);
            }

            // based.tk:112: store(Sums[b * segments + p, h, 128 +: 64], max(z2, axis = 1));
            tk::column_fragment<float, 64> t27;
            tk::fold_rows(t27, z2, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t27, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<2, tk::no_axis>(Sums, {b * segments + p, h, 128},
                                              b * segments + p > -1 && b * segments + p < E
                                              ? 192 - 128 : 0, 1), t27, thread);
            }
        }
    } else {
        // based.tk:115: role output(1 warpgroup) {
        tk::registers_at_least<160>();
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

        // based.tk:50: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // based.tk:51: let end    = if PACKED { tokens } else { min((p + 1) * length, N) };
        const int end = tk::min((p + 1) * length, N);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based.tk:116: let m  = shared(own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based.tk:117: let m0 = shared(other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based.tk:118: let m1 = shared(other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:27
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based.tk:119: let m2 = shared(other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:120: let counted = scalar(load(Z0[b * segments + p, h, F * (F // 2 + 2) +: 1]));
        tk::row_fragment<float, 1> t8;
        tk::load_global(t8,
                        tk::slice<tk::no_axis, 2>(Z0, {b * segments + p, h, 160}, 1,
                                                  b * segments + p > -1 && b * segments + p < I
                                                  ? 192 - 160 : 0), thread);
        const float number = t8.cell(0);
        const float counted = number;

        // based.tk:121: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // based.tk:122: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based.tk:123: let k = consume ks;
            shared.ks.wait_full(q_element);

            // based.tk:124: let v = consume vs;
            shared.vs.wait_full(q_element);

            // based.tk:125: let a  = mma(q, k.T) * scale;
            tk::fragment<float, 64, 64> t9;
            tk::mma_async(t9, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[q_element.stage]), tk::accumulate_never{});

            // based.tk:126: let r  = mma(q, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(t9);
            shared.ks.release(q_element);

            // based.tk:127: let w  = pad(where(row_index(a) >= col_index(a), 1 + a + a * a * ..
            tk::fragment<float, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t9) {
                const float x_6 = t9 * scale;
                return col < N - t ? (row >= col ? tk::fma(x_6 * x_6, 0.5f, 1.0f + x_6) : 0.0f)
                    : 0.0f;
            }, t9);

            // based.tk:128: let n  = sum(w, axis = 1) + (counted + f32(t.start - begin));
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, w, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::column_fragment<float, 64> n;
            tk::map(n, [&](float t11) {
                return t11 + (counted + float(tk::wrapping_subtract(t, begin)));
            }, t11);

            // based.tk:129: var o  = mma(T(w), v);
            tk::fragment<tk::bf16, 64, 64> t12 = tk::convert<tk::bf16>(w);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, t12, shared.vs_tile[q_element.stage], tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:130: let x  = T(r * scale);
            tk::fragment<tk::bf16, 64, 64> x_5;
            tk::map(x_5, [&](float r) { return r * scale; }, r);

            // based.tk:131: let f0 = T(halved<F>(mma(q, m0.T) * x * scale));
            tk::fragment<float, 64, 64> t14;
            tk::mma_async(t14, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m0[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(o, t14, t12);
            shared.vs.release(q_element);
            tk::fragment<tk::bf16, 64, 64> f0;
            tk::map(f0, thread, [&](int, int col, float t14, tk::bf16 x_5) {
                const float x_6 = t14 * float(x_5) * scale;
                return col < 16 ? x_6 * 0.5f : x_6;
            }, t14, x_5);

            // based.tk:132: let s0 = consume states;
            const tk::cursor<6> s0 = shared.states.take(states_next_2);

            // based.tk:133: o += mma(f0, s0.s);
            tk::mma_async(o, f0, shared.states_s[s0.stage]);

            // based.tk:134: var z = mma(f0, s0.z);
            tk::fragment<float, 64, 16> z;
            tk::mma_async(z, f0, shared.states_z[s0.stage], tk::accumulate_never{});

            // based.tk:135: let f1 = T(mma(q, m1.T) * x * scale);
            tk::fragment<float, 64, 64> t16;
            tk::mma_async(t16, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t16, f0);
            shared.states.release(s0);
            tk::fragment<tk::bf16, 64, 64> f1;
            tk::map(f1, [&](float t16, tk::bf16 x_5) { return t16 * float(x_5) * scale; },
                    t16, x_5);

            // based.tk:136: let s1 = consume states;
            const tk::cursor<6> s1 = shared.states.take(states_next_2);

            // based.tk:137: o += mma(f1, s1.s);
            tk::mma_async(o, f1, shared.states_s[s1.stage]);

            // based.tk:138: z += mma(f1, s1.z);
            tk::mma_async(z, f1, shared.states_z[s1.stage]);

            // based.tk:139: let f2 = T(and_one<F>(elements<F>(mma(q, m2.T) * x * (0.5 * scale), ..
            tk::fragment<float, 64, 64> t17;
            tk::mma_async(t17, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t17, f1);
            shared.states.release(s1);
            shared.qs.release(q_element);
            tk::fragment<tk::bf16, 64, 64> f2;
            tk::map(f2, thread, [&](int, int col, tk::bf16 x_5, float t17) {
                const float x_6 = float(x_5);
                return col == 32 ? 1.0f : col >= 16 && col < 32 ? x_6 : t17 * x_6 * (0.5f * scale);
            }, x_5, t17);

            // based.tk:140: let s2 = consume states;
            const tk::cursor<6> s2 = shared.states.take(states_next_2);

            // based.tk:141: o += mma(f2, s2.s);
            tk::mma_async(o, f2, shared.states_s[s2.stage]);

            // based.tk:142: z += mma(f2, s2.z);
            tk::mma_async(z, f2, shared.states_z[s2.stage]);
            tk::mma_wait<0>(o, z, f2);
            shared.states.release(s2);

            // based.tk:143: let y = T(if NORM { o / (n + sum(z, axis = 1) * (1.0 / F) + eps) } ..
            tk::column_fragment<float, 64> t18;
            tk::fold_rows(t18, z, tk::plus{}, thread);
            tk::finish_rows(t18, tk::plus{});
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float t18, float n) {
                return tk::fma(t18, tk::divide(1.0f, 16.0f), n) + eps;
            }, t18, n);

            // based.tk:144: if PACKED { store(Ob[t, h, d], y); } else { tma_store(O[b, t, h, d], ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::bf16, 64, 64> y;
                tk::map(y, [](float o, float t1) { return tk::divide(o, t1); }, o, t1);
                tk::store_shared(shared.output_O[0], y, thread);
                tk::fence_async();
                tk::barrier_sync(4, 128);
                if (DV % 8 != 0 && DV < d + panel + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {b, t, h, d + panel}, N - t, DV - (d + panel)),
                            0 - t, 0), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t, h, d + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// ends: kernel ends with T = bf16, F = 16, BD = 64, L = 64, R = 192.
// producer: 1 warp, 240 registers a thread; state: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 90208 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[3];
    tk::shared_tile<tk::bf16, 64, 16> state_m[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_m2[1];
    tk::shared_tile<tk::bf16, 64, 16> state_ones[1];
    tk::shared_tile<tk::bf16, 64, 64> state_f0[2];
    tk::shared_tile<tk::bf16, 64, 64> state_f1[2];
    tk::shared_tile<tk::bf16, 64, 64> state_f2[2];
    tk::pipeline<3> ks;
    tk::pipeline<3> vs;
};
static_assert(offsetof(ends_shared, vs) == 90160);

__global__ void __launch_bounds__(256, 1) ends_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const tk::tensor_argument<float, 4> End, const tk::tensor_argument<float, 3> Added, int B,
    int N, int H, int DV, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map);
        shared.ks.init(1, 4);
        shared.vs.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // based.tk:166: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<3> ks_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int p = program / (d_tiles * H) % p_tiles;
            const int b = program / (d_tiles * H * p_tiles);

            // based.tk:167: for t in p * length..min((p + 1) * length, N) by L { produce ks = ..
            #pragma unroll 1
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();
            }
        }
    } else {
        // based.tk:169: role state(1 warpgroup) {
        tk::registers_at_most<240>();
        const int d_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> ks_next;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int p = program / (d_tiles * H) % p_tiles;
        const int b = program / (d_tiles * H * p_tiles);

        // based.tk:21: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based.tk:170: let m  = shared(own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:27: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based.tk:171: let m0 = shared(other<T, F>(0));
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

        // based.tk:172: let m1 = shared(other<T, F>(1));
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

        // based.tk:173: let m2 = shared(other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:174: var one: T[L, F] = 1;
        tk::fragment<tk::bf16, 64, 16> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // based.tk:175: let ones = shared(one);
        tk::barrier_sync(2, 128);
        tk::store_shared(shared.state_ones[0], one, thread);
        tk::fence_async();
        tk::barrier_sync(2, 128);

        // based.tk:176: var s0: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s0;
        tk::zero(s0);

        // based.tk:177: var s1: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s1;
        tk::zero(s1);

        // based.tk:178: var s2: f32[64, BD] = 0;
        tk::fragment<float, 64, 64> s2;
        tk::zero(s2);

        // based.tk:179: var z0: f32[64, F] = 0;
        tk::fragment<float, 64, 16> z0;
        tk::zero(z0);

        // based.tk:180: var z1: f32[64, F] = 0;
        tk::fragment<float, 64, 16> z1;
        tk::zero(z1);

        // based.tk:181: var z2: f32[64, F] = 0;
        tk::fragment<float, 64, 16> z2;
        tk::zero(z2);

        // based.tk:182: for t in p * length..min((p + 1) * length, N) by L {
        for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
            // based.tk:183: let k = consume ks;
            const tk::cursor<3> k_element = shared.ks.take(ks_next);

            // based.tk:184: let v = consume vs;
            shared.vs.wait_full(k_element);

            // based.tk:185: let x = T(mma(k, m.T));
            tk::fragment<float, 64, 64> t9;
            tk::mma_async(t9, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(t9);
            tk::fragment<tk::bf16, 64, 64> x_5 = tk::convert<tk::bf16>(t9);

            // based.tk:186: let f0 = shared(T(pad(mma(k, m0.T) * x, axis = 0, with = 0)));
            tk::fragment<float, 64, 64> t10;
            tk::mma_async(t10, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m0[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(t10);
            tk::fragment<tk::bf16, 64, 64> t11;
            tk::map(t11, [](float t10, tk::bf16 x_5) { return t10 * float(x_5); }, t10, x_5);
            tk::store_shared(shared.state_f0[tk::remainder(tk::divide_down(t, 64), 2)], t11,
                             thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based.tk:187: s0 += mma(f0.T, v);
            tk::mma_async(s0,
                          tk::transposed(shared.state_f0[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.vs_tile[k_element.stage]);

            // based.tk:188: z0 += mma(f0.T, ones);
            tk::mma_async(z0,
                          tk::transposed(shared.state_f0[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.state_ones[0]);

            // based.tk:189: let f1 = shared(T(pad(mma(k, m1.T) * x, axis = 0, with = 0)));
            tk::fragment<float, 64, 64> t13;
            tk::mma_async(t13, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s0, z0, t13);
            tk::fragment<tk::bf16, 64, 64> t14;
            tk::map(t14, [](float t13, tk::bf16 x_5) { return t13 * float(x_5); }, t13, x_5);
            tk::store_shared(shared.state_f1[tk::remainder(tk::divide_down(t, 64), 2)], t14,
                             thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based.tk:190: s1 += mma(f1.T, v);
            tk::mma_async(s1,
                          tk::transposed(shared.state_f1[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.vs_tile[k_element.stage]);

            // based.tk:191: z1 += mma(f1.T, ones);
            tk::mma_async(z1,
                          tk::transposed(shared.state_f1[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.state_ones[0]);

            // based.tk:192: let f2 = shared(T(pad(and_one<F>(elements<F>(mma(k, m2.T) * x, ..
            tk::fragment<float, 64, 64> t16;
            tk::mma_async(t16, shared.ks_tile[k_element.stage], tk::transposed(shared.state_m2[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(s1, z1, t16);
            shared.ks.release(k_element);
            tk::fragment<tk::bf16, 64, 64> t17;
            tk::map(t17, thread, [&](int row, int col, tk::bf16 x_5, float t16) {
                const float x_6 = float(x_5);
                return row < N - t ? (col == 32 ? 1.0f : col >= 16 && col < 32 ? x_6 : t16 * x_6)
                    : 0.0f;
            }, x_5, t16);
            tk::store_shared(shared.state_f2[tk::remainder(tk::divide_down(t, 64), 2)], t17,
                             thread);
            tk::fence_async();
            tk::barrier_sync(2, 128);

            // based.tk:193: s2 += mma(f2.T, v);
            tk::mma_async(s2,
                          tk::transposed(shared.state_f2[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.vs_tile[k_element.stage]);

            // based.tk:194: z2 += mma(f2.T, ones);
            tk::mma_async(z2,
                          tk::transposed(shared.state_f2[tk::remainder(tk::divide_down(t, 64), 2)]),
                          shared.state_ones[0]);
            tk::mma_wait<0>(s2, z2);
            shared.vs.release(k_element);
        }

        // based.tk:196: store(End[b * segments + p, h, 0 +: 64, d], s0);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 0, d},
                      b * segments + p > -1 && b * segments + p < B * segments ? 192 : 0, DV - d),
            s0, thread);

        // based.tk:197: store(End[b * segments + p, h, 64 +: 64, d], s1);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 64, d},
                      b * segments + p > -1 && b * segments + p < B * segments ? 192 - 64 : 0,
                      DV - d), s1, thread);

        // based.tk:198: store(End[b * segments + p, h, 128 +: 64, d], s2);
        tk::store_global(
            tk::slice(End, {b * segments + p, h, 128, d},
                      b * segments + p > -1 && b * segments + p < B * segments ? 192 - 128 : 0,
                      DV - d), s2, thread);

        // based.tk:199: if d.start == 0 {
        if (d == 0) {
            // based.tk:200: store(Added[b * segments + p, h, 0 +: 64], max(z0, axis = 1));
            tk::column_fragment<float, 64> t19;
            tk::fold_rows(t19, z0, tk::maximum{}, thread);
            tk::finish_rows(t19, tk::maximum{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Added, {b * segments + p, h, 0},
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? 192 : 0, 1), t19, thread);

            // based.tk:201: store(Added[b * segments + p, h, 64 +: 64], max(z1, axis = 1));
            tk::column_fragment<float, 64> t20;
            tk::fold_rows(t20, z1, tk::maximum{}, thread);
            tk::finish_rows(t20, tk::maximum{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Added, {b * segments + p, h, 64},
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? 192 - 64 : 0, 1), t20, thread);

            // based.tk:202: store(Added[b * segments + p, h, 128 +: 64], max(z2, axis = 1));
            tk::column_fragment<float, 64> t21;
            tk::fold_rows(t21, z2, tk::maximum{}, thread);
            tk::finish_rows(t21, tk::maximum{});
            tk::store_global(
                tk::slice<2, tk::no_axis>(Added, {b * segments + p, h, 128},
                                          b * segments + p > -1 && b * segments + p < B * segments
                                          ? 192 - 128 : 0, 1), t21, thread);
        }
    }
}

// starts: kernel starts with ROWS = 8, BD = 128, R = 192.
// 128 threads, 72 registers each.
__global__ void __launch_bounds__(128, 7) starts_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Added,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> Start, const tk::tensor_argument<float, 3> Before,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int H,
    int DV, int I, int E, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(DV, 128);

    // based.tk:208: kernel starts<ROWS: int = 8, BD: int = 128, R: int = 192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 128;
    const int r = program / d_tiles % 24 * 8;
    const int h = program / (d_tiles * 24) % H;
    const int b = program / (d_tiles * 24 * H);

    // based.tk:215: var s: f32[ROWS, BD] = load(S0[b, h, r, d]);
    tk::stripe<float, 8, 128, 128, 32, 4> s;
    tk::load_vectors(s, tk::vector_slice(S0, {b, h, r, d}, b < I ? 192 - r : 0, DV - d), thread);

    // based.tk:216: for p in segments pipelined(4) {
    #pragma unroll 4
    for (int p = 0; p < segments; p += 1) {
        // based.tk:217: store(Start[b * segments + p, h, r, d], s);
        tk::store_vectors(
            tk::vector_slice(Start, {b * segments + p, h, r, d},
                             b * segments + p > -1 && b * segments + p < sequences * segments
                             ? 192 - r : 0, DV - d), s, thread);

        // based.tk:218: s += load(End[b * segments + p, h, r, d]);
        tk::stripe<float, 8, 128, 128, 32, 4> t1;
        tk::load_vectors(t1,
                         tk::vector_slice(End, {b * segments + p, h, r, d},
                                          b * segments + p > -1 &&
                                          b * segments + p < sequences * segments ? 192 - r : 0,
                                          DV - d), thread);
        tk::map(s, [](float s, float t1) { return s + t1; }, s, t1);
    }

    // based.tk:220: store(State[b, h, r, d], s);
    tk::store_vectors(tk::vector_slice(State, {b, h, r, d}, b < E ? 192 - r : 0, DV - d), s,
                      thread);

    // based.tk:221: if d.start == 0 {
    if (d == 0) {
        // based.tk:222: var z: f32[1, ROWS] = load(Z0[b, h, r]);
        tk::stripe<float, 1, 8, 128, 32, 4> z;
        tk::load_vectors(z, tk::dense_slice<tk::no_axis, 2>(Z0, {b, h, r}, 1, b < I ? 192 - r : 0),
                         thread);

        // based.tk:223: for p in segments {
        for (int p = 0; p < segments; p += 1) {
            // based.tk:224: store(Before[b * segments + p, h, r], z);
            tk::store_vectors(
                tk::dense_slice<tk::no_axis, 2>(Before, {b * segments + p, h, r}, 1,
                                                b * segments + p > -1 &&
                                                b * segments + p < sequences * segments ? 192 - r
                                                : 0), z, thread);

            // based.tk:225: z += load(Added[b * segments + p, h, r]);
            tk::stripe<float, 1, 8, 128, 32, 4> t3;
            tk::load_vectors(t3,
                             tk::dense_slice<tk::no_axis, 2>(Added, {b * segments + p, h, r}, 1,
                                                             b * segments + p > -1 &&
                                                             b * segments + p < sequences * segments
                                                             ? 192 - r : 0), thread);
            tk::map(z, [](float z, float t3) { return z + t3; }, z, t3);
        }

        // based.tk:227: store(Sums[b, h, r], z);
        tk::store_vectors(tk::dense_slice<tk::no_axis, 2>(Sums, {b, h, r}, 1, b < E ? 192 - r : 0),
                          z, thread);
    }
}

// starts_general: kernel starts with ROWS = 8, BD = 128, R = 192; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) starts_general_kernel(
    const tk::tensor_argument<const float, 4> End, const tk::tensor_argument<const float, 3> Added,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<float, 4> Start, const tk::tensor_argument<float, 3> Before,
    const tk::tensor_argument<float, 4> State, const tk::tensor_argument<float, 3> Sums, int H,
    int DV, int I, int E, int sequences, int segments) {
    tk::wait_for_previous_kernel();

    const int d_tiles = tk::tiles(DV, 128);

    // based.tk:208: kernel starts<ROWS: int = 8, BD: int = 128, R: int = 192>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int d = program % d_tiles * 128;
    const int r = program / d_tiles % 24 * 8;
    const int h = program / (d_tiles * 24) % H;
    const int b = program / (d_tiles * 24 * H);

    // based.tk:215: var s: f32[ROWS, BD] = load(S0[b, h, r, d]);
    tk::stripe<float, 8, 128, 128, 32, 2> s;
    tk::load_global(s, tk::slice(S0, {b, h, r, d}, b < I ? 192 - r : 0, DV - d), thread);

    // based.tk:216: for p in segments pipelined(4) {
    for (int p = 0; p < segments; p += 1) {
        // based.tk:217: store(Start[b * segments + p, h, r, d], s);
        tk::store_global(
            tk::slice(Start, {b * segments + p, h, r, d},
                      b * segments + p > -1 && b * segments + p < sequences * segments ? 192 - r
                      : 0, DV - d), s, thread);

        // based.tk:218: s += load(End[b * segments + p, h, r, d]);
        tk::stripe<float, 8, 128, 128, 32, 2> t1;
        tk::load_global(t1,
                        tk::slice(End, {b * segments + p, h, r, d},
                                  b * segments + p > -1 && b * segments + p < sequences * segments
                                  ? 192 - r : 0, DV - d), thread);
        tk::map(s, [](float s, float t1) { return s + t1; }, s, t1);
    }

    // based.tk:220: store(State[b, h, r, d], s);
    tk::store_global(tk::slice(State, {b, h, r, d}, b < E ? 192 - r : 0, DV - d), s, thread);

    // based.tk:221: if d.start == 0 {
    if (d == 0) {
        // based.tk:222: var z: f32[1, ROWS] = load(Z0[b, h, r]);
        tk::stripe<float, 1, 8, 128, 32, 2> z;
        tk::load_global(z, tk::slice<tk::no_axis, 2>(Z0, {b, h, r}, 1, b < I ? 192 - r : 0),
                        thread);

        // based.tk:223: for p in segments {
        for (int p = 0; p < segments; p += 1) {
            // based.tk:224: store(Before[b * segments + p, h, r], z);
            tk::store_global(
                tk::slice<tk::no_axis, 2>(Before, {b * segments + p, h, r}, 1,
                                          b * segments + p > -1 &&
                                          b * segments + p < sequences * segments ? 192 - r : 0), z,
                thread);

            // based.tk:225: z += load(Added[b * segments + p, h, r]);
            tk::stripe<float, 1, 8, 128, 32, 2> t3;
            tk::load_global(t3,
                            tk::slice<tk::no_axis, 2>(Added, {b * segments + p, h, r}, 1,
                                                      b * segments + p > -1 &&
                                                      b * segments + p < sequences * segments
                                                      ? 192 - r : 0), thread);
            tk::map(z, [](float z, float t3) { return z + t3; }, z, t3);
        }

        // based.tk:227: store(Sums[b, h, r], z);
        tk::store_global(tk::slice<tk::no_axis, 2>(Sums, {b, h, r}, 1, b < E ? 192 - r : 0), z,
                         thread);
    }
}

namespace {
tk::status launch_chunks(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                         const tk::tensor& V, const tk::tensor& S0, const tk::tensor& Z0,
                         const tk::tensor& O, const tk::tensor& State, const tk::tensor& Sums,
                         int64_t B, int64_t N, int64_t H, int64_t DV, int64_t I, int64_t E,
                         float scale, float eps, int32_t segments, int32_t length) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{K, {1, 64, 1, 16}, 32},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, S0, Z0, O, State, Sums, B,
        N, H, DV, I, E, scale, eps, segments, length);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                       const tk::tensor& End, const tk::tensor& Added, int64_t B, int64_t N,
                       int64_t H, int64_t DV, int32_t segments, int32_t length) {
    return tk::run<ends_kernel>(site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
                                tk::multiply(
                                    tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H),
                                                 tk::larger(int64_t{segments}, 0)), B),
                                tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
                                End, Added, B, N, H, DV, segments, length);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& End,
                         const tk::tensor& Added, const tk::tensor& S0, const tk::tensor& Z0,
                         const tk::tensor& Start, const tk::tensor& Before, const tk::tensor& State,
                         const tk::tensor& Sums, int64_t H, int64_t DV, int64_t I, int64_t E,
                         int32_t sequences, int32_t segments) {
    return tk::run<starts_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                  tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 24, H),
                                               tk::larger(int64_t{sequences}, 0)), End, Added, S0,
                                  Z0, Start, Before, State, Sums, H, DV, I, E, sequences, segments);
}

tk::status launch_starts_general(
    const tk::launch_site& site, const tk::tensor& End, const tk::tensor& Added,
    const tk::tensor& S0, const tk::tensor& Z0, const tk::tensor& Start, const tk::tensor& Before,
    const tk::tensor& State, const tk::tensor& Sums, int64_t H, int64_t DV, int64_t I, int64_t E,
    int32_t sequences, int32_t segments) {
    return tk::run<starts_general_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                          tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 24, H),
                                                       tk::larger(int64_t{sequences}, 0)), End,
                                          Added, S0, Z0, Start, Before, State, Sums, H, DV, I, E,
                                          sequences, segments);
}

}  // namespace

extern "C" {
int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* S0_given, const DLTensor* Z0_given, const DLTensor* start_given,
           DLTensor* O_given, DLTensor* State_given, DLTensor* Sums_given, float scale, float eps,
           int32_t segments, int32_t length, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 192),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("I", S0, 0, Z0, 0),
         tk::same_extent("H", Q, 2, Z0, 1), tk::fixed_extent(Z0, 2, 192),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Q, 2, State, 1), tk::fixed_extent(State, 2, 192),
         tk::same_extent("DV", V, 3, State, 3), tk::same_extent("E", State, 0, Sums, 0),
         tk::same_extent("H", Q, 2, Sums, 1), tk::fixed_extent(Sums, 2, 192),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"E", E}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
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
         tk::that(DV >= 1, "`chunks` requires `DV >= 1`"),
         tk::that(E <= tk::multiply(B, int64_t{segments}),
                  "`chunks` requires `PACKED or E <= B * segments`"),
         tk::that(int64_t{segments} >= 1, "`chunks` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`chunks` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`chunks` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`chunks` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_store(O, "DV"),
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
    return tk::finish(tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{Q, {1, 64, 1, 16}, 32}, tk::box{K, {1, 64, 1, 16}, 32},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128}, S0, Z0, O, State, Sums, B,
        N, H, DV, I, E, scale, eps, segments, length));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float,
                int32_t, int32_t)

int ends(const DLTensor* K_given, const DLTensor* V_given, DLTensor* End_given,
         DLTensor* Added_given, int32_t segments, int32_t length, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t DV = V.shape[3];
    call.require({
        tk::fixed_extent(K, 3, 16), tk::same_extent("B", K, 0, V, 0),
        tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
        tk::same_extent("H", K, 2, End, 1), tk::fixed_extent(End, 2, 192),
        tk::same_extent("DV", V, 3, End, 3), tk::same_extent("H", K, 2, Added, 1),
        tk::fixed_extent(Added, 2, 192),
        tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}}),
        tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
        tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                 "`B*segments` reaches {}; it must fit in 32 bits",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                 {End.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(Added.shape[0] == tk::multiply(B, int64_t{segments}),
                 "axis 0 of `Added` is {}; it must be `B*segments`, which is {}",
                 {Added.shape[0], tk::multiply(B, int64_t{segments})}),
        tk::that(DV >= 1, "`ends` requires `DV >= 1`"),
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
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
        tk::fits("N - t.start",
                 N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(256).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128}, End, Added, B, N,
        H, DV, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int starts(const DLTensor* End_given, const DLTensor* Added_given, const DLTensor* S0_given,
           const DLTensor* Z0_given, DLTensor* Start_given, DLTensor* Before_given,
           DLTensor* State_given, DLTensor* Sums_given, int32_t sequences, int32_t segments, void*,
           size_t, cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = End.shape[1];
    const int64_t DV = End.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(End, 2, 192), tk::same_extent("H", End, 1, Added, 1),
         tk::fixed_extent(Added, 2, 192), tk::same_extent("H", End, 1, S0, 1),
         tk::fixed_extent(S0, 2, 192), tk::same_extent("DV", End, 3, S0, 3),
         tk::same_extent("I", S0, 0, Z0, 0), tk::same_extent("H", End, 1, Z0, 1),
         tk::fixed_extent(Z0, 2, 192), tk::same_extent("H", End, 1, Start, 1),
         tk::fixed_extent(Start, 2, 192), tk::same_extent("DV", End, 3, Start, 3),
         tk::same_extent("H", End, 1, Before, 1), tk::fixed_extent(Before, 2, 192),
         tk::same_extent("H", End, 1, State, 1), tk::fixed_extent(State, 2, 192),
         tk::same_extent("DV", End, 3, State, 3), tk::same_extent("E", State, 0, Sums, 0),
         tk::same_extent("H", End, 1, Sums, 1), tk::fixed_extent(Sums, 2, 192),
         tk::extents_fit({{"H", H}, {"DV", DV}, {"I", I}, {"E", E}}),
         tk::fits("sequences*segments", tk::multiply(int64_t{sequences}, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "`sequences*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(End.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `sequences*segments`, which is {}",
                  {End.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(Added.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "axis 0 of `Added` is {}; it must be `sequences*segments`, which is {}",
                  {Added.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `sequences*segments`, which is {}",
                  {Start.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(Before.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "axis 0 of `Before` is {}; it must be `sequences*segments`, which is {}",
                  {Before.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(DV >= 1, "`starts` requires `DV >= 1`"),
         tk::that(I <= int64_t{sequences}, "`starts` requires `I <= sequences`"),
         tk::that(E <= int64_t{sequences}, "`starts` requires `E <= sequences`"),
         tk::that(int64_t{segments} >= 1, "`starts` requires `segments >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128) * 24, H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 24, H),
                          tk::larger(int64_t{sequences}, 0)), 2147483648),
         tk::fits("b*segments",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments})) +
                  (int64_t{segments} - 1))});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 24, H),
                                          tk::larger(int64_t{sequences}, 0));
    const bool fast = tk::hold(
        {tk::suits_fast(End, "DV"), tk::whole_vectors(End, 4), tk::suits_fast(Added),
         tk::suits_fast(S0, "DV"), tk::suits_fast(Z0), tk::suits_fast(Start, "DV"),
         tk::suits_fast(Before), tk::suits_fast(State, "DV"), tk::suits_fast(Sums)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<starts_kernel, starts_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, End, Added, S0, Z0,
        Start, Before, State, Sums, H, DV, I, E, sequences, segments));
}
TK_NO_WORKSPACE(starts, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t)

int based(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
          const DLTensor* S0_given, const DLTensor* Z0_given, const DLTensor* start_given,
          DLTensor* O_given, DLTensor* State_given, DLTensor* Sums_given, float scale, float eps,
          void*, size_t, cudaStream_t stream) {
    tk::arguments call{"based"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 192),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("I", S0, 0, Z0, 0),
         tk::same_extent("H", Q, 2, Z0, 1), tk::fixed_extent(Z0, 2, 192),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Q, 2, State, 1), tk::fixed_extent(State, 2, 192),
         tk::same_extent("DV", V, 3, State, 3), tk::same_extent("E", State, 0, Sums, 0),
         tk::same_extent("H", Q, 2, Sums, 1), tk::fixed_extent(Sums, 2, 192),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"E", E}}),
         tk::that(E <= B, "`based` requires `PACKED or E <= B`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // chunks(Q, K, V, S0, Z0, start, O, State, Sums, scale, eps, 1, ceil_div(max(N, 1), 64)*64)
    call.require(
        {tk::fits("B*1", B),
         tk::that(-2147483648 <= B, "`B*1` reaches {}; it must fit in 32 bits", {B}),
         tk::that(DV >= 1, "`chunks` requires `DV >= 1`"),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                  "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                  "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
         tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_store(O, "DV"),
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
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, S0, Z0, O, State, Sums, B, N, H, DV, I, E, scale, eps,
        static_cast<int32_t>(1), static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(based, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)

int based_segments(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                   const DLTensor* S0_given, const DLTensor* Z0_given, const DLTensor* start_given,
                   DLTensor* O_given, DLTensor* State_given, DLTensor* Sums_given,
                   DLTensor* End_given, DLTensor* Added_given, DLTensor* Start_given,
                   DLTensor* Before_given, DLTensor* Unused_given, DLTensor* UnusedSums_given,
                   float scale, float eps, int32_t segments, int32_t length, void*, size_t,
                   cudaStream_t stream) {
    tk::arguments call{"based_segments"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Z0 = call.take("Z0", Z0_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Sums = call.take("Sums", Sums_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Added = call.take("Added", Added_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Before = call.take("Before", Before_given, tk::dtype_f32, 3,
                                        tk::access::write);
    const tk::tensor Unused = call.take("Unused", Unused_given, tk::dtype_f32, 4,
                                        tk::access::write);
    const tk::tensor UnusedSums = call.take("UnusedSums", UnusedSums_given, tk::dtype_f32, 3,
                                            tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
    const int64_t E = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("H", Q, 2, S0, 1), tk::fixed_extent(S0, 2, 192),
         tk::same_extent("DV", V, 3, S0, 3), tk::same_extent("I", S0, 0, Z0, 0),
         tk::same_extent("H", Q, 2, Z0, 1), tk::fixed_extent(Z0, 2, 192),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::same_extent("H", Q, 2, State, 1), tk::fixed_extent(State, 2, 192),
         tk::same_extent("DV", V, 3, State, 3), tk::same_extent("E", State, 0, Sums, 0),
         tk::same_extent("H", Q, 2, Sums, 1), tk::fixed_extent(Sums, 2, 192),
         tk::same_extent("H", Q, 2, End, 1), tk::fixed_extent(End, 2, 192),
         tk::same_extent("DV", V, 3, End, 3), tk::same_extent("H", Q, 2, Added, 1),
         tk::fixed_extent(Added, 2, 192), tk::same_extent("H", Q, 2, Start, 1),
         tk::fixed_extent(Start, 2, 192), tk::same_extent("DV", V, 3, Start, 3),
         tk::same_extent("H", Q, 2, Before, 1), tk::fixed_extent(Before, 2, 192),
         tk::same_extent("H", Q, 2, Unused, 1), tk::fixed_extent(Unused, 2, 192),
         tk::same_extent("DV", V, 3, Unused, 3), tk::same_extent("H", Q, 2, UnusedSums, 1),
         tk::fixed_extent(UnusedSums, 2, 192),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"E", E}}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `End` is {}; it must be `B*segments`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Added.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Added` is {}; it must be `B*segments`, which is {}",
                  {Added.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                  {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Before.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Before` is {}; it must be `B*segments`, which is {}",
                  {Before.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(Unused.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `Unused` is {}; it must be `min(B, 0)`, which is {}",
                  {Unused.shape[0], tk::smaller(B, 0)}),
         tk::that(UnusedSums.shape[0] == tk::smaller(B, 0),
                  "axis 0 of `UnusedSums` is {}; it must be `min(B, 0)`, which is {}",
                  {UnusedSums.shape[0], tk::smaller(B, 0)}),
         tk::that(P == 0, "`based_segments` requires `P == 0`"),
         tk::that(I <= B, "`based_segments` requires `I <= B`"),
         tk::that(E <= B, "`based_segments` requires `E <= B`")});
    // ends(K, V, End, Added, segments, length)
    call.require({
        tk::that(DV >= 1, "`ends` requires `DV >= 1`"),
        tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
        tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
        tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
        tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"),
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
        tk::fits("N - t.start",
                 N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length}))),
        tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
        tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                 "`b*segments` reaches {}; it must fit in 32 bits",
                 {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1))});
    // starts(End, Added, S0, Z0, Start, Before, State, Sums, B, segments)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(DV, 128) * 24, H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 128) * 24, H), tk::larger(B, 0)),
                       2147483648)});
    // chunks(Q, K, V, Start, Before, start, O, Unused, UnusedSums, scale, eps, segments, length)
    call.require({
        tk::that(tk::multiply(B, int64_t{segments}) < 2147221504,
                 "`B*segments` is {}; extents must be less than 2147221504",
                 {tk::multiply(B, int64_t{segments})}),
        tk::that(tk::smaller(B, 0) < 2147221504,
                 "`min(B, 0)` is {}; extents must be less than 2147221504", {tk::smaller(B, 0)}),
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
        tk::that(tk::smaller(B, 0) <= tk::multiply(B, int64_t{segments}),
                 "`chunks` requires `PACKED or (min(B, 0)) <= B * segments`"),
        tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                 "`chunks` requires `segments * length >= N`"),
        tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                 "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_store(O, "DV")});
    if (!call.ok()) return tk::finish(call.result());

    // starts(End, Added, S0, Z0, Start, Before, State, Sums, B, segments)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(End, "DV"), tk::whole_vectors(End, 4), tk::suits_fast(Added),
         tk::suits_fast(S0, "DV"), tk::suits_fast(Z0), tk::suits_fast(Start, "DV"),
         tk::suits_fast(Before), tk::suits_fast(State, "DV"), tk::suits_fast(Sums)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_ends(site, K, V, End, Added, B, N, H, DV, segments, length));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_starts(site, tk::read_only(End), tk::read_only(Added), S0, Z0, Start, Before,
                          State, Sums, H, DV, I, E, static_cast<int32_t>(B), segments));
    } else {
        TK_FINISH_IF_FAILED(launch_starts_general(
            site, tk::read_only(End), tk::read_only(Added), S0, Z0, Start, Before, State, Sums, H,
            DV, I, E, static_cast<int32_t>(B), segments));
    }
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, tk::read_only(Start), tk::read_only(Before), O, Unused, UnusedSums, B, N, H,
        DV, tk::multiply(B, int64_t{segments}), tk::smaller(B, 0), scale, eps, segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(based_segments, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float, int32_t,
                int32_t)
}  // extern "C"
