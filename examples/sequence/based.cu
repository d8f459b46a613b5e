// Made by tkc from based.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/tk.cuh"

// based: kernel based with T = bf16, F = 16, NORM = true, BD = 64, L = 64.
// producer: 1 warp, 32 registers a thread; state: 2 warpgroups, 160 registers a thread; output: 1
// warpgroup, 160 registers a thread.
// 512 threads, 128 registers each at first, 145648 bytes of shared memory.
struct based_shared {
    tk::shared_tile<tk::bf16, 64, 16> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 16> ks_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> fs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> states_s[6];
    tk::shared_tile<tk::bf16, 64, 16> states_z[6];
    tk::shared_tile<tk::bf16, 64, 16> state_each0[1];
    tk::shared_tile<tk::bf16, 64, 16> state_each1[1];
    tk::shared_tile<tk::bf16, 64, 16> state_each2[1];
    tk::shared_tile<tk::bf16, 64, 16> state_each3[1];
    tk::shared_tile<tk::bf16, 64, 16> state_each4[1];
    tk::shared_tile<tk::bf16, 64, 16> state_row[1];
    tk::shared_tile<tk::bf16, 64, 16> state_ones[1];
    tk::shared_tile<tk::bf16, 64, 16> output_each0[1];
    tk::shared_tile<tk::bf16, 64, 16> output_each1[1];
    tk::shared_tile<tk::bf16, 64, 16> output_each2[1];
    tk::shared_tile<tk::bf16, 64, 16> output_each3[1];
    tk::shared_tile<tk::bf16, 64, 16> output_each4[1];
    tk::shared_tile<tk::bf16, 64, 16> output_row[1];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<2> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
    tk::pipeline<3> fs;
    tk::pipeline<6> states;
};
static_assert(offsetof(based_shared, states) == 145552);

__global__ void __launch_bounds__(512, 1) based_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<tk::bf16, 4> O, int B, int N, int H, int DV, float scale, float eps) {
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
        // based.tk:36: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int d_tiles = tk::tiles(DV, 64);
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<2> ks_next, qs_next, vs_next;
            const int program = blockIdx.x;
            const int d = program % d_tiles * 64;
            const int h = program / d_tiles % H;
            const int b = program / (d_tiles * H);

            // based.tk:37: for t in N by L {
            #pragma unroll 1
            for (int t = 0; t < N; t += 64) {
                // based.tk:38: produce qs = tma_load(Q[b, t, h, :]);
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();

                // based.tk:39: produce ks = tma_load(K[b, t, h, :]);
                shared.ks.begin(ks_next, 2048);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // based.tk:40: produce vs = tma_load(V[b, t, h, d]);
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, d);
                vs_next.advance();
            }
        }
    } else if (warp < 8) {
        // based.tk:43: role state(2 warpgroups) {
        tk::registers_at_least<160>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> fs_next_2, fs_taken;
        tk::cursor<2> ks_next;
        tk::cursor<6> states_next_2;

        // based.tk:13: var x: f32[R, F] = 0;
        tk::fragment<float, 64, 8> x;
        tk::zero(x);

        // based.tk:44: let each0 = shared(repeats<T, 64, F>(true, 0));
        tk::fragment<tk::bf16, 64, 8> t0;
        tk::map(t0, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == row_2 / 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_each0[0], 8 * warpgroup), t0, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:13
        tk::fragment<float, 64, 8> x_2;
        tk::zero(x_2);

        // based.tk:45: let each1 = shared(repeats<T, 64, F>(true, 4));
        tk::fragment<tk::bf16, 64, 8> t2;
        tk::map(t2, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == 4 + row_2 / 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_each1[0], 8 * warpgroup), t2, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:13
        tk::fragment<float, 64, 8> x_3;
        tk::zero(x_3);

        // based.tk:46: let each2 = shared(repeats<T, 64, F>(true, 8));
        tk::fragment<tk::bf16, 64, 8> t4;
        tk::map(t4, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == 8 + row_2 / 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_each2[0], 8 * warpgroup), t4, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:13
        tk::fragment<float, 64, 8> x_4;
        tk::zero(x_4);

        // based.tk:47: let each3 = shared(repeats<T, 64, F>(true, 12));
        tk::fragment<tk::bf16, 64, 8> t6;
        tk::map(t6, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == 12 + row_2 / 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_each3[0], 8 * warpgroup), t6, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:19: var x: f32[R, F] = 0;
        tk::fragment<float, 64, 8> x_5;
        tk::zero(x_5);

        // based.tk:48: let each4 = shared(once<T, 64, F>());
        tk::fragment<tk::bf16, 64, 8> t8;
        tk::map(t8, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == row_2 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_each4[0], 8 * warpgroup), t8, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);
        // based.tk:13
        tk::fragment<float, 64, 8> x_6;
        tk::zero(x_6);

        // based.tk:49: let row   = shared(repeats<T, 64, F>(false, 0));
        tk::fragment<tk::bf16, 64, 8> t10;
        tk::map(t10, thread, [&](int row_2, int col) {
            return 8 * warpgroup + col == row_2 % 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_row[0], 8 * warpgroup), t10, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:50: var one: T[L, F] = 1;
        tk::fragment<tk::bf16, 64, 8> one;
        tk::map(one, []() { return tk::bf16(1.0f); });

        // based.tk:51: let ones = shared(one);
        tk::barrier_sync(3, 256);
        tk::store_shared(tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup), one, thread);
        tk::fence_async();
        tk::barrier_sync(3, 256);

        // based.tk:52: var s0: f32[64, BD] = 0;
        tk::fragment<float, 64, 32> s0;
        tk::zero(s0);

        // based.tk:53: var s1: f32[64, BD] = 0;
        tk::fragment<float, 64, 32> s1;
        tk::zero(s1);

        // based.tk:54: var s2: f32[64, BD] = 0;
        tk::fragment<float, 64, 32> s2;
        tk::zero(s2);

        // based.tk:55: var s3: f32[64, BD] = 0;
        tk::fragment<float, 64, 32> s3;
        tk::zero(s3);

        // based.tk:56: var s4: f32[64, BD] = 0;
        tk::fragment<float, 64, 32> s4;
        tk::zero(s4);

        // based.tk:57: var z0: f32[64, F] = 0;
        tk::fragment<float, 64, 8> z0;
        tk::zero(z0);

        // based.tk:58: var z1: f32[64, F] = 0;
        tk::fragment<float, 64, 8> z1;
        tk::zero(z1);

        // based.tk:59: var z2: f32[64, F] = 0;
        tk::fragment<float, 64, 8> z2;
        tk::zero(z2);

        // based.tk:60: var z3: f32[64, F] = 0;
        tk::fragment<float, 64, 8> z3;
        tk::zero(z3);

        // based.tk:61: var z4: f32[64, F] = 0;
        tk::fragment<float, 64, 8> z4;
        tk::zero(z4);

        // based.tk:62: for t in N by L {
        tk::fragment<tk::bf16, 64, 32> t31;
        for (int t = 0; t < N; t += 64) {
            // based.tk:63: let k  = consume ks;
            const tk::cursor<2> k_element = shared.ks.take(ks_next);

            // based.tk:64: let v  = consume vs;
            shared.vs.wait_full(k_element);

            // based.tk:65: let r  = mma(k, row.T);
            tk::fragment<float, 64, 32> r;
            tk::mma_async(r, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_row[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:66: let y0 = mma(k, each0.T);
            tk::fragment<float, 64, 32> y0;
            tk::mma_async(y0, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_each0[0], 32 * warpgroup)),
                          tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:67: let x  = T(r);
            tk::fragment<tk::bf16, 64, 32> x_7 = tk::convert<tk::bf16>(r);

            // based.tk:68: produce fs = T(y0 * x);
            tk::hold_waits(warp);
            tk::mma_wait<0>(y0);
            tk::fragment<tk::bf16, 64, 32> t15;
            tk::map(t15, [](float y0, tk::bf16 x_7) { return y0 * float(x_7); }, y0, x_7);
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), t15,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:69: let y1 = mma(k, each1.T);
            tk::fragment<float, 64, 32> y1;
            tk::mma_async(y1, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_each1[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:70: produce states { s = T(s0); z = T(z0); }
            tk::fragment<tk::bf16, 64, 32> t17 = tk::convert<tk::bf16>(s0);
            tk::fragment<tk::bf16, 64, 8> t18 = tk::convert<tk::bf16>(z0);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t17,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t18,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:71: let f0 = consume fs;
            const tk::cursor<3> f0_element = shared.fs.take(fs_taken);

            // based.tk:72: s0 += mma(f0.T, v);
            tk::mma_async(s0, tk::transposed(shared.fs_tile[f0_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:73: z0 += mma(f0.T, ones);
            tk::mma_async(z0, tk::transposed(shared.fs_tile[f0_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(y1);

            // based.tk:74: produce fs = T(y1 * x);
            tk::fragment<tk::bf16, 64, 32> t19;
            tk::map(t19, [](float y1, tk::bf16 x_7) { return y1 * float(x_7); }, y1, x_7);
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), t19,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:75: let y2 = mma(k, each2.T);
            tk::fragment<float, 64, 32> y2;
            tk::mma_async(y2, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_each2[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:76: produce states { s = T(s1); z = T(z1); }
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

            // based.tk:77: let f1 = consume fs;
            const tk::cursor<3> f1_element = shared.fs.take(fs_taken);

            // based.tk:78: s1 += mma(f1.T, v);
            tk::mma_async(s1, tk::transposed(shared.fs_tile[f1_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:79: z1 += mma(f1.T, ones);
            tk::mma_async(z1, tk::transposed(shared.fs_tile[f1_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(s0, z0, y2);
            shared.fs.release(f0_element);

            // based.tk:80: produce fs = T(y2 * x);
            tk::fragment<tk::bf16, 64, 32> t23;
            tk::map(t23, [](float y2, tk::bf16 x_7) { return y2 * float(x_7); }, y2, x_7);
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), t23,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:81: let y3 = mma(k, each3.T);
            tk::fragment<float, 64, 32> y3;
            tk::mma_async(y3, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_each3[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:82: produce states { s = T(s2); z = T(z2); }
            tk::fragment<tk::bf16, 64, 32> t25 = tk::convert<tk::bf16>(s2);
            tk::fragment<tk::bf16, 64, 8> t26 = tk::convert<tk::bf16>(z2);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t25,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t26,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:83: let f2 = consume fs;
            const tk::cursor<3> f2_element = shared.fs.take(fs_taken);

            // based.tk:84: s2 += mma(f2.T, v);
            tk::mma_async(s2, tk::transposed(shared.fs_tile[f2_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:85: z2 += mma(f2.T, ones);
            tk::mma_async(z2, tk::transposed(shared.fs_tile[f2_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(s1, z1, y3);
            shared.fs.release(f1_element);

            // based.tk:86: produce fs = T(y3 * x);
            tk::fragment<tk::bf16, 64, 32> t27;
            tk::map(t27, [](float y3, tk::bf16 x_7) { return y3 * float(x_7); }, y3, x_7);
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), t27,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:87: let y4 = mma(k, each4.T);
            tk::fragment<float, 64, 32> y4;
            tk::mma_async(y4, shared.ks_tile[k_element.stage],
                          tk::transposed(tk::rows<32>(shared.state_each4[0], 32 * warpgroup)),
                          tk::accumulate_never{});

            // based.tk:88: produce states { s = T(s3); z = T(z3); }
            tk::fragment<tk::bf16, 64, 32> t29 = tk::convert<tk::bf16>(s3);
            tk::fragment<tk::bf16, 64, 8> t30 = tk::convert<tk::bf16>(z3);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t29,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t30,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:89: let f3 = consume fs;
            const tk::cursor<3> f3_element = shared.fs.take(fs_taken);

            // based.tk:90: s3 += mma(f3.T, v);
            tk::mma_async(s3, tk::transposed(shared.fs_tile[f3_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:91: z3 += mma(f3.T, ones);
            tk::mma_async(z3, tk::transposed(shared.fs_tile[f3_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<2>(s2, z2, y4);
            shared.fs.release(f2_element);
            shared.ks.release(k_element);

            // based.tk:92: produce fs = T(pad(low<F>(y4, 1), axis = 0, with = 0));
            if (t + 64 <= N) {
                tk::map(t31, thread, [&](int, int col, float y4) {
                    return 32 * warpgroup + col == 16 ? 1.0f : y4 * 1.0f;
                }, y4);
            } else {
                tk::map(t31, thread, [&](int row_2, int col, float y4) {
                    return row_2 < N - t ? (32 * warpgroup + col == 16 ? 1.0f : y4 * 1.0f) : 0.0f;
                }, y4);
            }
            shared.fs.wait_empty(fs_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.fs_tile[fs_next_2.stage], 32 * warpgroup), t31,
                thread);
            shared.fs.publish(fs_next_2);
            fs_next_2.advance();

            // based.tk:93: produce states { s = T(s4); z = T(where(row_index(z4) == F, 0, z4)); }
            tk::fragment<tk::bf16, 64, 32> t32 = tk::convert<tk::bf16>(s4);
            tk::fragment<tk::bf16, 64, 8> t33;
            tk::map(t33, thread, [](int row_2, int, float z4) { return row_2 == 16 ? 0.0f : z4; },
                    z4);
            shared.states.wait_empty(states_next_2);
            tk::store_shared(
                tk::columns_of_panel<32>(shared.states_s[states_next_2.stage], 32 * warpgroup), t32,
                thread);
            tk::store_shared(
                tk::columns_of_panel<8>(shared.states_z[states_next_2.stage], 8 * warpgroup), t33,
                thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // based.tk:94: let f4 = consume fs;
            const tk::cursor<3> f4_element = shared.fs.take(fs_taken);

            // based.tk:95: s4 += mma(f4.T, v);
            tk::mma_async(s4, tk::transposed(shared.fs_tile[f4_element.stage]),
                          tk::columns_of_panel<32>(shared.vs_tile[k_element.stage],
                                                   32 * warpgroup));

            // based.tk:96: z4 += mma(f4.T, ones);
            tk::mma_async(z4, tk::transposed(shared.fs_tile[f4_element.stage]),
                          tk::columns_of_panel<8>(shared.state_ones[0], 8 * warpgroup));
            tk::mma_wait<0>(s3, z3, s4, z4);
            shared.fs.release(f3_element);
            shared.vs.release(k_element);
            shared.fs.release(f4_element);
        }
    } else {
        // based.tk:99: role output(1 warpgroup) {
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

        // based.tk:13: var x: f32[R, F] = 0;
        tk::fragment<float, 64, 16> x;
        tk::zero(x);

        // based.tk:100: let each0 = shared(repeats<T, 64, F>(true, 0));
        tk::fragment<tk::bf16, 64, 16> t0;
        tk::map(t0, thread, [](int row_2, int col) { return col == row_2 / 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_each0[0], t0, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:13
        tk::fragment<float, 64, 16> x_2;
        tk::zero(x_2);

        // based.tk:101: let each1 = shared(repeats<T, 64, F>(true, 4));
        tk::fragment<tk::bf16, 64, 16> t2;
        tk::map(t2, thread, [](int row_2, int col) { return col == 4 + row_2 / 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_each1[0], t2, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:13
        tk::fragment<float, 64, 16> x_3;
        tk::zero(x_3);

        // based.tk:102: let each2 = shared(repeats<T, 64, F>(true, 8));
        tk::fragment<tk::bf16, 64, 16> t4;
        tk::map(t4, thread, [](int row_2, int col) { return col == 8 + row_2 / 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_each2[0], t4, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:13
        tk::fragment<float, 64, 16> x_4;
        tk::zero(x_4);

        // based.tk:103: let each3 = shared(repeats<T, 64, F>(true, 12));
        tk::fragment<tk::bf16, 64, 16> t6;
        tk::map(t6, thread, [](int row_2, int col) {
            return col == 12 + row_2 / 16 ? 1.0f : 0.0f;
        });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_each3[0], t6, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:19: var x: f32[R, F] = 0;
        tk::fragment<float, 64, 16> x_5;
        tk::zero(x_5);

        // based.tk:104: let each4 = shared(once<T, 64, F>());
        tk::fragment<tk::bf16, 64, 16> t8;
        tk::map(t8, thread, [](int row_2, int col) { return col == row_2 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_each4[0], t8, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);
        // based.tk:13
        tk::fragment<float, 64, 16> x_6;
        tk::zero(x_6);

        // based.tk:105: let row   = shared(repeats<T, 64, F>(false, 0));
        tk::fragment<tk::bf16, 64, 16> t10;
        tk::map(t10, thread, [](int row_2, int col) { return col == row_2 % 16 ? 1.0f : 0.0f; });
        tk::barrier_sync(5, 128);
        tk::store_shared(shared.output_row[0], t10, thread);
        tk::fence_async();
        tk::barrier_sync(5, 128);

        // based.tk:106: let half  = scale * scale * 0.5;
        const float half = scale * scale * 0.5f;

        // based.tk:107: for t in N by L {
        tk::fragment<float, 64, 64> t14;
        for (int t = 0; t < N; t += 64) {
            // based.tk:108: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // based.tk:109: let k = consume ks;
            shared.ks.wait_full(q_element);

            // based.tk:110: let v = consume vs;
            shared.vs.wait_full(q_element);

            // based.tk:111: let a  = mma(q, k.T) * scale;
            tk::fragment<float, 64, 64> t12;
            tk::mma_async(t12, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[q_element.stage]), tk::accumulate_never{});

            // based.tk:112: let r  = mma(q, row.T);
            tk::fragment<float, 64, 64> r;
            tk::mma_async(r, shared.qs_tile[q_element.stage], tk::transposed(shared.output_row[0]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(t12);
            shared.ks.release(q_element);

            // based.tk:113: let w  = where(row_index(a) >= col_index(a), 1 + a + a * a * 0.5, 0);
            tk::fragment<float, 64, 64> w;
            tk::map(w, thread, [&](int row_2, int col, float t12) {
                const float x_8 = t12 * scale;
                return row_2 >= col ? tk::fma(x_8 * x_8, 0.5f, 1.0f + x_8) : 0.0f;
            }, t12);

            // based.tk:114: let n  = sum(pad(w, axis = 1, with = 0), axis = 1) + f32(t.start);
            if (t + 64 <= N) {
                tk::map(t14, [](float w) { return w; }, w);
            } else {
                tk::map(t14, thread, [&](int, int col, float w) { return col < N - t ? w : 0.0f; },
                        w);
            }
            tk::column_fragment<float, 64> t15;
            tk::fold_rows(t15, t14, tk::plus{}, thread);
            tk::finish_rows(t15, tk::plus{});
            tk::column_fragment<float, 64> n;
            tk::map(n, [&](float t15) { return t15 + float(t); }, t15);

            // based.tk:115: var o  = mma(T(w), v);
            tk::fragment<tk::bf16, 64, 64> t16 = tk::convert<tk::bf16>(w);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, t16, shared.vs_tile[q_element.stage], tk::accumulate_never{});
            tk::mma_wait<1>(r);

            // based.tk:116: let x  = T(r * half);
            tk::fragment<tk::bf16, 64, 64> x_7;
            tk::map(x_7, [&](float r) { return r * half; }, r);

            // based.tk:117: let f0 = T(mma(q, each0.T) * x);
            tk::fragment<float, 64, 64> t18;
            tk::mma_async(t18, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.output_each0[0]), tk::accumulate_never{});
            tk::mma_wait<0>(o, t18, t16);
            shared.vs.release(q_element);
            tk::fragment<tk::bf16, 64, 64> f0;
            tk::map(f0, [](float t18, tk::bf16 x_7) { return t18 * float(x_7); }, t18, x_7);

            // based.tk:118: let s0 = consume states;
            const tk::cursor<6> s0 = shared.states.take(states_next_2);

            // based.tk:119: o += mma(f0, s0.s);
            tk::mma_async(o, f0, shared.states_s[s0.stage]);

            // based.tk:120: var z = mma(f0, s0.z);
            tk::fragment<float, 64, 16> z;
            tk::mma_async(z, f0, shared.states_z[s0.stage], tk::accumulate_never{});

            // based.tk:121: let f1 = T(mma(q, each1.T) * x);
            tk::fragment<float, 64, 64> t20;
            tk::mma_async(t20, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.output_each1[0]), tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t20, f0);
            shared.states.release(s0);
            tk::fragment<tk::bf16, 64, 64> f1;
            tk::map(f1, [](float t20, tk::bf16 x_7) { return t20 * float(x_7); }, t20, x_7);

            // based.tk:122: let s1 = consume states;
            const tk::cursor<6> s1 = shared.states.take(states_next_2);

            // based.tk:123: o += mma(f1, s1.s);
            tk::mma_async(o, f1, shared.states_s[s1.stage]);

            // based.tk:124: z += mma(f1, s1.z);
            tk::mma_async(z, f1, shared.states_z[s1.stage]);

            // based.tk:125: let f2 = T(mma(q, each2.T) * x);
            tk::fragment<float, 64, 64> t21;
            tk::mma_async(t21, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.output_each2[0]), tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t21, f1);
            shared.states.release(s1);
            tk::fragment<tk::bf16, 64, 64> f2;
            tk::map(f2, [](float t21, tk::bf16 x_7) { return t21 * float(x_7); }, t21, x_7);

            // based.tk:126: let s2 = consume states;
            const tk::cursor<6> s2 = shared.states.take(states_next_2);

            // based.tk:127: o += mma(f2, s2.s);
            tk::mma_async(o, f2, shared.states_s[s2.stage]);

            // based.tk:128: z += mma(f2, s2.z);
            tk::mma_async(z, f2, shared.states_z[s2.stage]);

            // based.tk:129: let f3 = T(mma(q, each3.T) * x);
            tk::fragment<float, 64, 64> t22;
            tk::mma_async(t22, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.output_each3[0]), tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t22, f2);
            shared.states.release(s2);
            tk::fragment<tk::bf16, 64, 64> f3;
            tk::map(f3, [](float t22, tk::bf16 x_7) { return t22 * float(x_7); }, t22, x_7);

            // based.tk:130: let s3 = consume states;
            const tk::cursor<6> s3 = shared.states.take(states_next_2);

            // based.tk:131: o += mma(f3, s3.s);
            tk::mma_async(o, f3, shared.states_s[s3.stage]);

            // based.tk:132: z += mma(f3, s3.z);
            tk::mma_async(z, f3, shared.states_z[s3.stage]);

            // based.tk:133: let f4 = T(low<F>(mma(q, each4.T), scale));
            tk::fragment<float, 64, 64> t23;
            tk::mma_async(t23, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.output_each4[0]), tk::accumulate_never{});
            tk::mma_wait<0>(o, z, t23, f3);
            shared.states.release(s3);
            shared.qs.release(q_element);
            tk::fragment<tk::bf16, 64, 64> f4;
            tk::map(f4, thread, [&](int, int col, float t23) {
                return col == 16 ? 1.0f : t23 * scale;
            }, t23);

            // based.tk:134: let s4 = consume states;
            const tk::cursor<6> s4 = shared.states.take(states_next_2);

            // based.tk:135: o += mma(f4, s4.s);
            tk::mma_async(o, f4, shared.states_s[s4.stage]);

            // based.tk:136: z += mma(f4, s4.z);
            tk::mma_async(z, f4, shared.states_z[s4.stage]);
            tk::mma_wait<0>(o, z, f4);
            shared.states.release(s4);

            // based.tk:137: tma_store(O[b, t, h, d], T(if NORM { o / (n + sum(z, axis = 1) * ..
            tk::column_fragment<float, 64> t24;
            tk::fold_rows(t24, z, tk::plus{}, thread);
            tk::finish_rows(t24, tk::plus{});
            tk::column_fragment<float, 64> t1;
            tk::map(t1, [&](float t24, float n) {
                return tk::fma(t24, tk::divide(1.0f, 16.0f), n) + eps;
            }, t24, n);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(4, 128);
                tk::fragment<tk::bf16, 64, 64> t25;
                tk::map(t25, [](float o, float t1) { return tk::divide(o, t1); }, o, t1);
                tk::store_shared(shared.output_O[0], t25, thread);
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
          DLTensor* O_given, float scale, float eps, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"based"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 16), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("N", Q, 1, O, 1),
         tk::same_extent("H", Q, 2, O, 2), tk::same_extent("DV", V, 3, O, 3),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}}), tk::suits_tma_load(Q),
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
        tk::box{O, {1, 64, 1, 64}, 128}, O, B, N, H, DV, scale, eps));
}
TK_NO_WORKSPACE(based, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, float, float)
}  // extern "C"
