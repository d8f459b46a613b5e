// Made by tkc from based.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// based: kernel based with T = bf16, F = 16, NORM = true, PACKED = false, BD = 64, L = 64, R = 192.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 138480 bytes of shared memory.
struct based_shared {
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
static_assert(offsetof(based_shared, states) == 138384);

__global__ void __launch_bounds__(512, 1) based_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<const float, 3> Z0,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 4> State,
    const tk::tensor_argument<float, 3> Sums, int B, int N, int H, int DV, int I, int E,
    float scale, float eps) {
    extern __shared__ __align__(1024) unsigned char memory[];
    based_shared& shared = *reinterpret_cast<based_shared*>(memory);

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
        // based.tk:54: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int d_tiles = tk::tiles(DV, 64);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int b = program / (d_tiles * H);

            // based.tk:46: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
            const int tokens = N;

            // based.tk:55: for t in tokens by L {
            #pragma unroll 1
            for (int t = 0; t < tokens; t += 64) {
                // based.tk:56: if PACKED { produce qs = tma_load(Qb[t, h, :]) allow_foreign; } ..
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based.tk:57: if PACKED { produce ks = tma_load(Kb[t, h, :]) allow_foreign; } ..
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // based.tk:58: if PACKED { produce vs = tma_load(Vb[t, h, d]) allow_foreign; } ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();
            }
        }
    } else if (warp < 8) {
        // based.tk:61: role state(2 warpgroups) {
        tk::registers_at_least<160>();
        const int d_tiles = tk::tiles(DV, 64);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> ks_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int b = program / (d_tiles * H);

        // based.tk:46: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // based.tk:19: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 8> x;
        tk::zero(x);

        // based.tk:62: let m  = shared(own<T, F>());
        tk::fragment<tk::bf16, 64, 8> t0;
        tk::map(t0, thread, [&](int row, int col) {
            return 8 * warpgroup + col == row % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m[0], 8 * warpgroup), t0, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:25: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 8> x_2;
        tk::zero(x_2);

        // based.tk:63: let m0 = shared(other<T, F>(0));
        tk::fragment<tk::bf16, 64, 8> t2;
        tk::map(t2, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m0[0], 8 * warpgroup), t2, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:25
        tk::fragment<float, 64, 8> x_3;
        tk::zero(x_3);

        // based.tk:64: let m1 = shared(other<T, F>(1));
        tk::fragment<tk::bf16, 64, 8> t4;
        tk::map(t4, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m1[0], 8 * warpgroup), t4, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:25
        tk::fragment<float, 64, 8> x_4;
        tk::zero(x_4);

        // based.tk:65: let m2 = shared(other<T, F>(2));
        tk::fragment<tk::bf16, 64, 8> t6;
        tk::map(t6, thread, [&](int row, int col) {
            return 8 * warpgroup + col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_m2[0], 8 * warpgroup), t6, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:66: var one: T[L, F] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // based.tk:67: let ones = shared(one);
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup), one, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:68: var s0: f32[64, BD] = load(S0[b, h, 0 +: 64, d]);
        tk::fragment<float, 64, 32> s0;
        tk::load_global(s0,
                        tk::slice(S0, {b, h, 0, d + 32 * warpgroup}, b < I ? 192 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:69: var s1: f32[64, BD] = load(S0[b, h, 64 +: 64, d]);
        tk::fragment<float, 64, 32> s1;
        tk::load_global(s1,
                        tk::slice(S0, {b, h, 64, d + 32 * warpgroup}, b < I ? 192 - 64 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:70: var s2: f32[64, BD] = load(S0[b, h, 128 +: 64, d]);
        tk::fragment<float, 64, 32> s2;
        tk::load_global(s2,
                        tk::slice(S0, {b, h, 128, d + 32 * warpgroup}, b < I ? 192 - 128 : 0,
                                  DV - (d + 32 * warpgroup)), thread);

        // based.tk:71: var z0: f32[64, F] = column(load(Z0[b, h, 0 +: 64]));
        tk::fragment<float, 64, 8> z0;
        tk::map(z0, thread, [&](int row, int) {
            return b < I && h < H && row < 192 ? tk::cell(Z0, b, h, row) : float{};
        });

        // based.tk:72: var z1: f32[64, F] = column(load(Z0[b, h, 64 +: 64]));
        tk::fragment<float, 64, 8> z1;
        tk::map(z1, thread, [&](int row, int) {
            return b < I && h < H && 64 + row < 192 ? tk::cell(Z0, b, h, 64 + row) : float{};
        });

        // based.tk:73: var z2: f32[64, F] = column(load(Z0[b, h, 128 +: 64]));
        tk::fragment<float, 64, 8> z2;
        tk::map(z2, thread, [&](int row, int) {
            return b < I && h < H && 128 + row < 192 ? tk::cell(Z0, b, h, 128 + row) : float{};
        });

        // based.tk:74: for t in tokens by L {
        tk::fragment<tk::bf16, 64, 32> g2;
        for (int t = 0; t < tokens; t += 64) {
            // based.tk:75: let k  = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // based.tk:76: let v  = consume vs;
            shared.vs.wait_full(k_element);

            // based.tk:77: let r  = mma(k, m.T);
            tk::fragment<float, 64, 32> r;
            tk::mma_async(r, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:78: let y0 = mma(k, m0.T);
            tk::fragment<float, 64, 32> y0;
            tk::mma_async(y0, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m0[0], 32 * warpgroup)),
                          tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:79: let x  = T(r);
            tk::fragment<tk::bf16, 64, 32> x_5 = tk::convert<tk::bf16>(r);

            // based.tk:80: let g0 = T(pad(y0 * x, axis = 0, with = 0));
            tk::hold_waits(warp);
            tk::mma_wait<0>(y0);
            tk::fragment<tk::bf16, 64, 32> g0;
            tk::map(g0, [](float y0, tk::bf16 x_5) { return y0 * float(x_5); }, y0, x_5);

            // based.tk:81: if not PACKED { produce fs = g0; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g0,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:82: let y1 = mma(k, m1.T);
            tk::fragment<float, 64, 32> y1;
            tk::mma_async(y1, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m1[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:83: produce states { s = T(s0); z = T(z0); }
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

            // based.tk:84: let f0 = if PACKED { shared(g0) } else { consume fs };
            const tk::cursor<3> fs_element = shared.fs.take(fs_taken);

            // based.tk:85: s0 += mma(f0.T, v);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:86: z0 += mma(f0.T, ones);
            tk::mma_async(z0, tk::transposed(shared.fs_tile[fs_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(y1);

            // based.tk:87: let g1 = T(pad(y1 * x, axis = 0, with = 0));
            tk::fragment<tk::bf16, 64, 32> g1;
            tk::map(g1, [](float y1, tk::bf16 x_5) { return y1 * float(x_5); }, y1, x_5);

            // based.tk:88: if not PACKED { produce fs = g1; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g1,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:89: let y2 = mma(k, m2.T);
            tk::fragment<float, 64, 32> y2;
            tk::mma_async(y2, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_m2[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:90: produce states { s = T(s1); z = T(z1); }
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

            // based.tk:91: let f1 = if PACKED { shared(g1) } else { consume fs };
            const tk::cursor<3> fs_element_2 = shared.fs.take(fs_taken);

            // based.tk:92: s1 += mma(f1.T, v);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:93: z1 += mma(f1.T, ones);
            tk::mma_async(z1, tk::transposed(shared.fs_tile[fs_element_2.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(s0, z0, y2);
            shared.fs.release(fs_element);
            shared.ks.release(k_element);

            // based.tk:94: let g2 = T(pad(and_one<F>(elements<F>(y2 * x, f32(x))), axis = 0, ..
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

            // based.tk:95: if not PACKED { produce fs = g2; }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), g2,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:96: produce states { s = T(s2); z = T(where(row_index(z2) == 2 * F, 0, ..
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

            // based.tk:97: let f2 = if PACKED { shared(g2) } else { consume fs };
            const tk::cursor<3> fs_element_3 = shared.fs.take(fs_taken);

            // based.tk:98: s2 += mma(f2.T, v);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:99: z2 += mma(f2.T, ones);
            tk::mma_async(z2, tk::transposed(shared.fs_tile[fs_element_3.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<0>(s1, z1, s2, z2);
            shared.fs.release(fs_element_2);
            shared.vs.release(k_element);
            shared.fs.release(fs_element_3);
        }

        // based.tk:101: store(State[b, h, 0 +: 64, d], s0);
        tk::store_global(
            tk::slice(State, {b, h, 0, d + 32 * warpgroup}, b < E ? 192 : 0,
                      DV - (d + 32 * warpgroup)), s0, thread);

        // based.tk:102: store(State[b, h, 64 +: 64, d], s1);
        tk::store_global(
            tk::slice(State, {b, h, 64, d + 32 * warpgroup}, b < E ? 192 - 64 : 0,
                      DV - (d + 32 * warpgroup)), s1, thread);

        // based.tk:103: store(State[b, h, 128 +: 64, d], s2);
        tk::store_global(
            tk::slice(State, {b, h, 128, d + 32 * warpgroup}, b < E ? 192 - 128 : 0,
                      DV - (d + 32 * warpgroup)), s2, thread);

        // based.tk:104: if d.start == 0 {
        if (d == 0) {
            // based.tk:105: store(Sums[b, h, 0 +: 64], max(z0, axis = 1));
            tk::column_fragment<float, 64> t25;
            tk::fold_rows(t25, z0, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t25, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(tk::slice<2, tk::no_axis>(Sums, {b, h, 0}, b < E ? 192 : 0, 1),
                                 t25, thread);
            }

            // based.tk:106: store(Sums[b, h, 64 +: 64], max(z1, axis = 1));
            tk::column_fragment<float, 64> t26;
            tk::fold_rows(t26, z1, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t26, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<2, tk::no_axis>(Sums, {b, h, 64}, b < E ? 192 - 64 : 0, 1), t26,
                    thread);
            }

            // based.tk:107: store(Sums[b, h, 128 +: 64], max(z2, axis = 1));
            tk::column_fragment<float, 64> t27;
            tk::fold_rows(t27, z2, tk::maximum{}, thread);
            tk::finish_rows_of_groups<2>(t27, tk::maximum{}, shared.state_f32_parts[0],
                                         128 * warpgroup + thread, 3);
            if (warpgroup == 0) {
                tk::store_global(
                    tk::slice<2, tk::no_axis>(Sums, {b, h, 128}, b < E ? 192 - 128 : 0, 1), t27,
                    thread);
            }
        }
    } else {
        // based.tk:110: role output(1 warpgroup) {
        tk::registers_at_least<160>();
        const int d_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> qs_next;
        tk::cursor<6> states_next_2;
        const int program = blockIdx.x;
        const int d = program % d_tiles * 64;
        const int h = program / d_tiles % H;
        const int b = program / (d_tiles * H);

        // based.tk:46: let tokens = if PACKED { start[b + 1] - start[b] } else { N };
        const int tokens = N;

        // based.tk:19: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based.tk:111: let m  = shared(own<T, F>());
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row, int col) { return col == row % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:25: var x: f32[64, F] = 0;
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based.tk:112: let m0 = shared(other<T, F>(0));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row, int col) {
            return col == (row + row / 16) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m0[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:25
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based.tk:113: let m1 = shared(other<T, F>(1));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row, int col) {
            return col == (row + row / 16 + 4) % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m1[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:25
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based.tk:114: let m2 = shared(other<T, F>(2));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row, int col) {
            return col == (row + row / 16 + 8) % 16 && row < 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_m2[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:115: let counted = scalar(load(Z0[b, h, F * (F // 2 + 2) +: 1]));
        tk::row_fragment<float, 1> t8;
        tk::load_global(t8, tk::slice<tk::no_axis, 2>(Z0, {b, h, 160}, 1, b < I ? 192 - 160 : 0),
                        thread);
        const float number = t8.cell(0);
        const float counted = number;

        // based.tk:116: for t in tokens by L {
        for (int t = 0; t < tokens; t += 64) {
            // based.tk:117: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based.tk:118: let k = consume ks;
            shared.ks.wait_full(q_element);

            // based.tk:119: let v = consume vs;
            shared.vs.wait_full(q_element);

            // based.tk:120: let a  = mma(q, k.T) * scale;
            tk::fragment<float, 64, 64> t9;
            tk::mma_async(t9, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[q_element.stage]), tk::accumulate_never{});

            // based.tk:121: let r  = mma(q, m.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(t9);
            shared.ks.release(q_element);

            // based.tk:122: let w  = pad(where(row_index(a) >= col_index(a), 1 + a + a * a * ..
            tk::fragment<float, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t9) {
                const float x_6 = t9 * scale;
                return col < N - t ? (row >= col ? tk::fma(x_6 * x_6, 0.5f, 1.0f + x_6) : 0.0f)
                    : 0.0f;
            }, t9);

            // based.tk:123: let n  = sum(w, axis = 1) + (counted + f32(t.start));
            tk::column_fragment<float, 64> t11;
            tk::fold_rows(t11, w, tk::plus{}, thread);
            tk::finish_rows(t11, tk::plus{});
            tk::column_fragment<float, 64> n;
            tk::map(n, [&](float t11) { return t11 + (counted + float(t)); }, t11);

            // based.tk:124: var o  = mma(T(w), v);
            tk::fragment<tk::bf16, 64, 64> t12 = tk::convert<tk::bf16>(w);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, t12, shared.vs_tile[q_element.stage], tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:125: let x  = T(r * scale);
            tk::fragment<tk::bf16, 64, 64> x_5;
            tk::map(x_5, [&](float r) { return r * scale; }, r);

            // based.tk:126: let f0 = T(halved<F>(mma(q, m0.T) * x * scale));
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

            // based.tk:127: let s0 = consume states;
            const tk::cursor<6> s0 = shared.states.take(states_next_2);

            // based.tk:128: o += mma(f0, s0.s);
            tk::mma_async(o, f0, shared.states_s[s0.stage]);

            // based.tk:129: var z = mma(f0, s0.z);
            tk::fragment<float, 64, 16> z;
            tk::mma_async(z, f0, shared.states_z[s0.stage], tk::accumulate_never{});

            // based.tk:130: let f1 = T(mma(q, m1.T) * x * scale);
            tk::fragment<float, 64, 64> t16;
            tk::mma_async(t16, shared.qs_tile[q_element.stage], tk::transposed(shared.output_m1[0]),
                          tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t16, f0);
            shared.states.release(s0);
            tk::fragment<tk::bf16, 64, 64> f1;
            tk::map(f1, [&](float t16, tk::bf16 x_5) { return t16 * float(x_5) * scale; },
                    t16, x_5);

            // based.tk:131: let s1 = consume states;
            const tk::cursor<6> s1 = shared.states.take(states_next_2);

            // based.tk:132: o += mma(f1, s1.s);
            tk::mma_async(o, f1, shared.states_s[s1.stage]);

            // based.tk:133: z += mma(f1, s1.z);
            tk::mma_async(z, f1, shared.states_z[s1.stage]);

            // based.tk:134: let f2 = T(and_one<F>(elements<F>(mma(q, m2.T) * x * (0.5 * scale), ..
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

            // based.tk:135: let s2 = consume states;
            const tk::cursor<6> s2 = shared.states.take(states_next_2);

            // based.tk:136: o += mma(f2, s2.s);
            tk::mma_async(o, f2, shared.states_s[s2.stage]);

            // based.tk:137: z += mma(f2, s2.z);
            tk::mma_async(z, f2, shared.states_z[s2.stage]);
            tk::mma_wait<0>(o, z, f2);
            shared.states.release(s2);

            // based.tk:138: let y = T(if NORM { o / (n + sum(z, axis = 1) * (1.0 / F) + eps) } ..
            tk::column_fragment<float, 64> t18;
            tk::fold_rows(t18, z, tk::plus{}, thread);
            tk::finish_rows(t18, tk::plus{});
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float t18, float n) {
                return tk::fma(t18, tk::divide(1.0f, 16.0f), n) + eps;
            }, t18, n);

            // based.tk:139: if PACKED { store(Ob[t, h, d], y); } else { tma_store(O[b, t, h, d], ..
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
                        tk::dense_slice<1, 3>(O, {b, t, h, d + panel}, N - t, DV - (d + panel)),
                        shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t, h, d + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

extern "C" {
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
         tk::that(DV >= 1, "`based` requires `DV >= 1`"),
         tk::that(E <= B, "`based` requires `PACKED or E <= B`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_store(O, "DV"),
         tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<based_kernel>(
        site, sizeof(based_shared), tk::kernel_shape(512).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), B), tk::box{Q, {1, 64, 1, 16}, 32},
        tk::box{K, {1, 64, 1, 16}, 32}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{O, {1, 64, 1, 64}, 128}, S0, Z0, O, State, Sums, B, N, H, DV, I, E, scale, eps));
}
TK_NO_WORKSPACE(based, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*, float, float)
}  // extern "C"
