// Made by tkc from gated_delta_segments.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/ptx/wgmma_n032.cuh"
#include "tk/ptx/wgmma_n064.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// inverses: kernel inverses with T = bf16, DK = 128, PACKED = false, L = 64.
// producer: 1 warp, 32 registers a thread; inverse: 3 warpgroups that alternate, 160 registers a
// thread.
// 512 threads, 128 registers each at first, 226496 bytes of shared memory; persistent.
struct inverses_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[6];
    tk::shared_tile<float, 1, 64> ms_g[6];
    tk::shared_tile<float, 64, 1> ms_gc[6];
    tk::shared_tile<float, 64, 1> ms_bc[6];
    tk::shared_tile<tk::f16, 64, 64> inverse_t3[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_t5[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r0[3];
    tk::shared_tile<tk::f16, 64, 64> inverse_r1[3];
    tk::shared_tile<tk::bf16, 64, 64> inverse_Inverse[3];
    tk::pipeline<6> ks;
    tk::pipeline<6> ms;
};
static_assert(offsetof(inverses_shared, ms) == 226400);

__global__ void __launch_bounds__(512, 1) inverses_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap Inverse_map,
    int B, int N, int H, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    inverses_shared& shared = *reinterpret_cast<inverses_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, G_map, C_map, Inverse_map);
        shared.ks.init(1, 4);
        shared.ms.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 12) {
        // gated_delta_segments.tk:25: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        if (warp == 12 && tk::elect_one()) {
            tk::cursor<6> ks_next, ms_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int h = program % h_tiles * 2;
                const int t = program / h_tiles % t_tiles * 64;
                const int b = program / (h_tiles * t_tiles);

                // gated_delta_segments.tk:21: let Kt = K[0, (if PACKED { First[t.index] } else { ..
                const int Gt_end = tk::min(t + 64, R);
                const int Ct_end = tk::min(t + 64, R);

                // gated_delta_segments.tk:26: for i in 2 {
                #pragma unroll 1
                for (int i = 0; i < 2; i += 1) {
                    // gated_delta_segments.tk:27: if PACKED { produce ks = tma_load(Kt[0 +: L, ..
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h + i, 0);
                    ks_next.advance();

                    // gated_delta_segments.tk:28: produce ms {
                    shared.ms.begin(ms_next, 768);

                    // gated_delta_segments.tk:29: g = tma_load(Gt[h.start + i, 0 +: L]); gc = ..
                    tk::tma_load(shared.ms_g[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    tk::tma_load(shared.ms_gc[ms_next.stage], G_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);

                    // gated_delta_segments.tk:30: bc = column(tma_load(Ct[h.start + i, 0 +: L]));
                    tk::tma_load(shared.ms_bc[ms_next.stage], C_map, shared.ms.full[ms_next.stage],
                                 b, h + i, t);
                    // gated_delta_segments.tk:28
                    ms_next.advance();
                }
            }
        }
    } else {
        // gated_delta_segments.tk:34: role inverse(3 warpgroups) alternate {
        tk::registers_at_least<160>();
        const int h_tiles = tk::tiles(H, 2);
        const int t_tiles = tk::tiles(R, 64);
        const int programs = h_tiles * t_tiles * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<6> ks_next, ms_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 2) tk::barrier_arrive(4, 256);
        const int ks_taken = 2;
        ks_next.skip(warpgroup * ks_taken);
        const int ms_taken = 2;
        ms_next.skip(warpgroup * ms_taken);
        for (int program = blockIdx.x + warpgroup * gridDim.x; program < programs;
             program += 3 * gridDim.x) {
            const int h = program % h_tiles * 2;
            const int t = program / h_tiles % t_tiles * 64;
            const int b = program / (h_tiles * t_tiles);

            // gated_delta_segments.tk:35: let k0 = consume ks;
            tk::barrier_sync(4 + warpgroup, 256);
            const tk::cursor<6> k0_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:36: let p0 = mma(k0, k0.T);
            tk::fragment<float, 64, 64> p0;
            tk::mma_async(p0, shared.ks_tile[k0_element.stage],
                          tk::transposed(shared.ks_tile[k0_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:37: let k1 = consume ks;
            const tk::cursor<6> k1_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:38: let p1 = mma(k1, k1.T);
            tk::fragment<float, 64, 64> p1;
            tk::mma_async(p1, shared.ks_tile[k1_element.stage],
                          tk::transposed(shared.ks_tile[k1_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:39: let a0 = consume ms;
            const tk::cursor<6> a0 = shared.ms.take(ms_next);

            // gated_delta_segments.tk:41: let a1 = consume ms;
            const tk::cursor<6> a1 = shared.ms.take(ms_next);
            tk::barrier_arrive(4 + (warpgroup + 1) % 3, 256);
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
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t3[warpgroup], t2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
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
                const int x = N - t;
                return col < x
                    ? (row < x
                       ? (row > col ? p1 * tk::exp2(row >= col ? t13 - t16 : -INFINITY) * t19
                          : 0.0f) : 0.0f) : 0.0f;
            }, p1, t13, t16, t19);
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_t5[warpgroup], t4, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:60: var like: f32[64, 16] = 0;
            tk::fragment<float, 64, 16> like;
            tk::zero(like);

            // <std.triangular>:63: shared r0: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t6;
            tk::map(t6, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], t6, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:64: shared r1: f16[64, 64] = 0;
            tk::fragment<tk::f16, 64, 64> t7;
            tk::map(t7, []() { return tk::f16(0.0f); });
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], t7, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:65: var v0 = inverses_of_pairs(f32(s0));
            tk::fragment<tk::f16, 64, 64> t22;
            tk::load_shared(t22, shared.inverse_t3[warpgroup], thread);
            tk::fragment<float, 64, 64> v0;
            tk::map(v0, thread, [](int row, int col, tk::f16 t22) {
                return row == col ? 1.0f : row >> 1 == col >> 1 ? -float(t22) : 0.0f;
            }, t22);

            // <std.triangular>:66: var v1 = inverses_of_pairs(f32(s1));
            tk::fragment<tk::f16, 64, 64> t25;
            tk::load_shared(t25, shared.inverse_t5[warpgroup], thread);
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
                tk::mma_async(x0_a, t8, tk::part<0, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t11;
                tk::slice_registers<0, 4>(t11, h0);
                tk::fragment<float, 64, 16> x0_b;
                tk::mma_async(x0_b, t11, tk::part<16, 16, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t14;
                tk::slice_registers<0, 8>(t14, h0);
                tk::fragment<float, 64, 16> x0_c;
                tk::mma_async(x0_c, t14, tk::part<32, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t17;
                tk::slice_registers<0, 12>(t17, h0);
                tk::fragment<float, 64, 16> x0_d;
                tk::mma_async(x0_d, t17, tk::part<48, 48, 16, 16>(shared.inverse_t3[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:71: r0 = h0;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r0[warpgroup], h0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
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
                tk::mma_async(x1_a, t20, tk::part<0, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t23;
                tk::slice_registers<0, 4>(t23, h1);
                tk::fragment<float, 64, 16> x1_b;
                tk::mma_async(x1_b, t23, tk::part<16, 16, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t26;
                tk::slice_registers<0, 8>(t26, h1);
                tk::fragment<float, 64, 16> x1_c;
                tk::mma_async(x1_c, t26, tk::part<32, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});
                tk::fragment<tk::f16, 64, 16> t29;
                tk::slice_registers<0, 12>(t29, h1);
                tk::fragment<float, 64, 16> x1_d;
                tk::mma_async(x1_d, t29, tk::part<48, 48, 16, 16>(shared.inverse_t5[warpgroup]),
                              tk::accumulate_never{});

                // <std.triangular>:26: v += mma(x.a, h[0 +: 16, :]);
                tk::mma_async(v0, w0_a, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:27: v += mma(x.b, h[16 +: 16, :]);
                tk::mma_async(v0, w0_b, tk::part<16, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:28: v += mma(x.c, h[32 +: 16, :]);
                tk::mma_async(v0, w0_c, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:29: v += mma(x.d, h[48 +: 16, :]);
                tk::mma_async(v0, w0_d, tk::part<48, 0, 16, 64>(shared.inverse_r0[warpgroup]));

                // <std.triangular>:76: r1 = h1;
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.inverse_r1[warpgroup], h1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::mma_wait<7>(x1_a, t20);
                // <std.triangular>:26
                tk::fragment<tk::f16, 64, 16> t36;
                tk::map(t36, thread, [&](int row, int col, float x1_a) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_a : 0.0f;
                }, x1_a);
                tk::mma_async(v1, t36, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_b, t23);
                // <std.triangular>:27
                tk::fragment<tk::f16, 64, 16> t38;
                tk::map(t38, thread, [&](int row, int col, float x1_b) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_b : 0.0f;
                }, x1_b);
                tk::mma_async(v1, t38, tk::part<16, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_c, t26);
                // <std.triangular>:28
                tk::fragment<tk::f16, 64, 16> t40;
                tk::map(t40, thread, [&](int row, int col, float x1_c) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_c : 0.0f;
                }, x1_c);
                tk::mma_async(v1, t40, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<7>(x1_d, t29);
                // <std.triangular>:29
                tk::fragment<tk::f16, 64, 16> t42;
                tk::map(t42, thread, [&](int row, int col, float x1_d) {
                    const int x = (row & 15) >> (b_2 & 31);
                    return ((x & 1) == 1 ? x - 1 : -1) == col >> (b_2 & 31) ? -x1_d : 0.0f;
                }, x1_d);
                tk::mma_async(v1, t42, tk::part<48, 0, 16, 64>(shared.inverse_r1[warpgroup]));
                tk::mma_wait<0>(v0, v1, w0_a, w0_b, w0_c, w0_d, t36, t38, t40, t42);
            }

            // <std.triangular>:79: let h0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> h0_2 = tk::convert<tk::f16>(v0);

            // <std.triangular>:36: return { a = mma(h[:, 16 +: 16], m[16 +: 16, 0 +: 16]), b = ..
            tk::fragment<tk::f16, 64, 16> t44;
            tk::slice_registers<0, 4>(t44, h0_2);
            tk::fragment<float, 64, 16> y0_a;
            tk::mma_async(y0_a, t44, tk::part<16, 0, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t47;
            tk::slice_registers<0, 12>(t47, h0_2);
            tk::fragment<float, 64, 16> y0_b;
            tk::mma_async(y0_b, t47, tk::part<48, 32, 16, 16>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:81: r0 = h0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], h0_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);

            // <std.triangular>:82: let h1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> h1_2 = tk::convert<tk::f16>(v1);
            // <std.triangular>:36
            tk::fragment<tk::f16, 64, 16> t50;
            tk::slice_registers<0, 4>(t50, h1_2);
            tk::fragment<float, 64, 16> y1_a;
            tk::mma_async(y1_a, t50, tk::part<16, 0, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::fragment<tk::f16, 64, 16> t53;
            tk::slice_registers<0, 12>(t53, h1_2);
            tk::fragment<float, 64, 16> y1_b;
            tk::mma_async(y1_b, t53, tk::part<48, 32, 16, 16>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<3>(y0_a, t44);

            // <std.triangular>:39: v += mma(f16(-x.a), h[0 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t56;
            tk::map(t56, [](float y0_a) { return -y0_a; }, y0_a);
            tk::mma_async(v0, t56, tk::part<0, 0, 16, 64>(shared.inverse_r0[warpgroup]));
            tk::mma_wait<3>(y0_b, t47);

            // <std.triangular>:40: v += mma(f16(-x.b), h[32 +: 16, :]);
            tk::fragment<tk::f16, 64, 16> t58;
            tk::map(t58, [](float y0_b) { return -y0_b; }, y0_b);
            tk::mma_async(v0, t58, tk::part<32, 0, 16, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:85: r1 = h1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], h1_2, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<3>(y1_a, t50);
            // <std.triangular>:39
            tk::fragment<tk::f16, 64, 16> t60;
            tk::map(t60, [](float y1_a) { return -y1_a; }, y1_a);
            tk::mma_async(v1, t60, tk::part<0, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<3>(y1_b, t53);
            // <std.triangular>:40
            tk::fragment<tk::f16, 64, 16> t62;
            tk::map(t62, [](float y1_b) { return -y1_b; }, y1_b);
            tk::mma_async(v1, t62, tk::part<32, 0, 16, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<2>(v0, t56, t58);

            // <std.triangular>:87: let g0 = f16(v0);
            tk::fragment<tk::f16, 64, 64> g0 = tk::convert<tk::f16>(v0);

            // <std.triangular>:42: fn below_half(h: f16[64, 64], m: f16[64, 64]) -> f32[64, 32] ..
            tk::fragment<tk::f16, 64, 32> t64;
            tk::slice_registers<0, 8>(t64, g0);
            tk::fragment<float, 64, 32> z0;
            tk::mma_async(z0, t64, tk::part<32, 0, 32, 32>(shared.inverse_t3[warpgroup]),
                          tk::accumulate_never{});

            // <std.triangular>:89: r0 = g0;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r0[warpgroup], g0, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(v1, t60, t62);

            // <std.triangular>:90: let g1 = f16(v1);
            tk::fragment<tk::f16, 64, 64> g1 = tk::convert<tk::f16>(v1);
            // <std.triangular>:42
            tk::fragment<tk::f16, 64, 32> t67;
            tk::slice_registers<0, 8>(t67, g1);
            tk::fragment<float, 64, 32> z1;
            tk::mma_async(z1, t67, tk::part<32, 0, 32, 32>(shared.inverse_t5[warpgroup]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(z0, t64);

            // <std.triangular>:43: fn subtract_half(inout v: f32[64, 64], x: f32[64, 32], h: ..
            tk::fragment<tk::f16, 64, 32> t70;
            tk::map(t70, [](float z0) { return -z0; }, z0);
            tk::mma_async(v0, t70, tk::part<0, 0, 32, 64>(shared.inverse_r0[warpgroup]));

            // <std.triangular>:93: r1 = g1;
            tk::barrier_sync(1 + warpgroup, 128);
            tk::store_shared(shared.inverse_r1[warpgroup], g1, thread);
            tk::fence_async();
            tk::barrier_sync(1 + warpgroup, 128);
            tk::mma_wait<1>(z1, t67);
            // <std.triangular>:43
            tk::fragment<tk::f16, 64, 32> t72;
            tk::map(t72, [](float z1) { return -z1; }, z1);
            tk::mma_async(v1, t72, tk::part<0, 0, 32, 64>(shared.inverse_r1[warpgroup]));
            tk::mma_wait<1>(v0, t70);

            // gated_delta_segments.tk:44: let i0 = T(x.a);
            tk::mma_wait<0>(v1, t72);

            // gated_delta_segments.tk:45: let i1 = T(x.b);

            // gated_delta_segments.tk:46: tma_store(Inverse[b, h.start, t.start +: L, :], i0);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i0;
                tk::map(i0, thread, [](int row, int col, float v0) {
                    return row == col ? 0.0f : v0;
                }, v0);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h, t, panel);
                }
            }

            // gated_delta_segments.tk:47: tma_store(Inverse[b, h.start + 1, t.start +: L, :], i1);
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 64> i1;
                tk::map(i1, thread, [](int row, int col, float v1) {
                    return row == col ? 0.0f : v1;
                }, v1);
                tk::store_shared(shared.inverse_Inverse[warpgroup], i1, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (leader) {
                    tk::tma_store(Inverse_map, shared.inverse_Inverse[warpgroup], b, h + 1, t,
                                  panel);
                }
            }

            // The elements of the programs in between are another warpgroup's.
            ks_next.skip(2 * ks_taken);
            ms_next.skip(2 * ms_taken);
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // Whose turn it is takes it, so that no arrival is left over.
        if (warpgroup == tk::turn_behind(programs, 3)) tk::barrier_sync(4 + warpgroup, 256);
    }
}

// ends: kernel ends with T = bf16, DK = 128, BV = 128, L = 64.
// producer: 1 warp, 24 registers a thread; state: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 126144 bytes of shared memory.
struct ends_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[3];
    tk::shared_tile<tk::bf16, 64, 128> vs_tile[3];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[3];
    tk::shared_tile<float, 1, 64> gs_g[3];
    tk::shared_tile<float, 1, 64> gs_w[3];
    tk::shared_tile<float, 1, 64> gs_beta[3];
    unsigned char unused[768];
    tk::pipeline<3> ks;
    tk::pipeline<3> vs;
    tk::pipeline<3> ts;
    tk::pipeline<3> gs;
};
static_assert(offsetof(ends_shared, gs) == 126096);

__global__ void __launch_bounds__(384, 1) ends_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap C_map,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<float, 4> End, int B,
    int N, int H, int DV, int I, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    ends_shared& shared = *reinterpret_cast<ends_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Inverse_map, G_map, W_map, C_map);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        shared.ts.init(1, 8);
        shared.gs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_segments.tk:66: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(tk::divide_up(DV, 64) * 64 + 128, 128);
        const int p_tiles = tk::max(segments - 1, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next, ks_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 128;
            const int h = program / c_tiles % H;
            const int p = program / (c_tiles * H) % p_tiles;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_delta_segments.tk:60: let needed = p > 0 or c.start < DV;
            const bool needed = p > 0 || c < DV;

            // gated_delta_segments.tk:67: if needed {
            if (needed) {
                // gated_delta_segments.tk:68: for t in p * length..min((p + 1) * length, N) by L {
                #pragma unroll 1
                for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                    // gated_delta_segments.tk:69: produce ks = tma_load(K[b, t, h, :]);
                    shared.ks.begin(ks_next, 16384);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, t, h, 0);
                    ks_next.advance();

                    // gated_delta_segments.tk:70: produce vs = tma_load(V[b, t, h, c]);
                    shared.vs.begin(vs_next, 16384);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, t, h, c);
                    vs_next.advance();

                    // gated_delta_segments.tk:71: produce ts = tma_load(Inverse[b, h, t.start +: ..
                    shared.ts.begin(ts_next, 8192);
                    tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                                 shared.ts.full[ts_next.stage], b, h, t, 0);
                    ts_next.advance();

                    // gated_delta_segments.tk:72: produce gs { g = tma_load(G[b, h, t.start +: ..
                    shared.gs.begin(gs_next, 768);
                    tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage],
                                 b, h, t);
                    tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage],
                                 b, h, t);
                    tk::tma_load(shared.gs_beta[gs_next.stage], C_map,
                                 shared.gs.full[gs_next.stage], b, h, t);
                    gs_next.advance();
                }
            }
        }
    } else {
        // gated_delta_segments.tk:76: role state(BV / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(tk::divide_up(DV, 64) * 64 + 128, 128);
        const int p_tiles = tk::max(segments - 1, 0);
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> ks_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 128;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:60: let needed = p > 0 or c.start < DV;
        const bool needed = p > 0 || c < DV;

        // gated_delta_segments.tk:77: var s: f32[BV, DK] = load(S0[(if p == 0 { b } else { I }), ..
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(S0, {p == 0 ? b : I, h, c + 64 * warpgroup, 0},
                                  (p == 0 ? b : I) > -1 && (p == 0 ? b : I) < I
                                  ? DV - (c + 64 * warpgroup) : 0, 128), thread);

        // gated_delta_segments.tk:78: s = where(row_index(s) + c.start - ceil_div(DV, 64) * 64 ..
        tk::map(s, thread, [&](int row, int col, float s) {
            return 64 * warpgroup + row + c - tk::divide_up(DV, 64) * 64 == col ? 1.0f : s;
        }, s);

        // gated_delta_segments.tk:79: if needed {
        if (needed) {
            // gated_delta_segments.tk:80: for t in p * length..min((p + 1) * length, N) by L {
            tk::fragment<tk::bf16, 64, 64> t8;
            for (int t = p * length; t < tk::min((p + 1) * length, N); t += 64) {
                // gated_delta_segments.tk:81: let k = consume ks;
                const tk::cursor<3> k_element = shared.ks.take(ks_next);

                // gated_delta_segments.tk:82: let y = mma(T(s), k.T);
                tk::fragment<tk::bf16, 64, 128> t1 = tk::convert<tk::bf16>(s);
                tk::fragment<float, 64, 64> y;
                tk::mma_async(y, t1, tk::transposed(shared.ks_tile[k_element.stage]),
                              tk::accumulate_never{});

                // gated_delta_segments.tk:83: let v = consume vs;
                shared.vs.wait_full(k_element);

                // gated_delta_segments.tk:84: let a = consume gs;
                shared.gs.wait_full(k_element);

                // gated_delta_segments.tk:85: let x = consume ts;
                shared.ts.wait_full(k_element);

                // gated_delta.tk:25: var u = v * beta;
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::load_transposed(t4, shared.vs_tile[k_element.stage], thread, 64 * warpgroup);
                shared.vs.release_after_loads(k_element);
                tk::row_fragment<float, 64> t0;
                tk::load_shared(t0, shared.gs_beta[k_element.stage], thread);
                tk::fragment<float, 64, 64> _u;
                tk::map(_u, [](tk::bf16 t4, float t0) { return float(t4) * t0; }, t4, t0);

                // gated_delta.tk:26: let since = exp2(g) * beta;
                tk::hold_waits(warp);
                tk::row_fragment<float, 64> t2;
                tk::load_shared(t2, shared.gs_g[k_element.stage], thread);
                tk::row_fragment<float, 64> t9;
                tk::load_shared(t9, shared.gs_beta[k_element.stage], thread);
                tk::row_fragment<float, 64> since;
                tk::map(since, [](float t2, float t9) { return tk::exp2(t2) * t9; }, t2, t9);
                tk::mma_wait<0>(y, t1);

                // gated_delta.tk:27: u -= y * since;
                tk::map(_u, [](float _u, float y, float since) { return tk::fma(-y, since, _u); },
                        _u, y, since);

                // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
                if (!(t + 64 <= N)) {
                    tk::map(_u, thread, [&](int, int col, float _u) {
                        return col < N - t ? _u : 0.0f;
                    }, _u);
                }

                // gated_delta.tk:29: u += mma(T(u), x.T);
                tk::fragment<tk::bf16, 64, 64> t5 = tk::convert<tk::bf16>(_u);
                tk::mma_async(_u, t5, tk::transposed(shared.ts_tile[k_element.stage]));

                // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
                tk::row_fragment<float, 1> t7;
                tk::load_shared(t7, tk::part<0, 63, 1, 1>(shared.gs_g[k_element.stage]), thread);
                const float number = t7.cell(0);
                tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

                // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
                tk::hold_waits(warp);
                tk::mma_wait<0>(_u, t5);
                shared.ts.release(k_element);
                tk::row_fragment<float, 64> t10;
                tk::load_shared(t10, shared.gs_w[k_element.stage], thread);
                shared.gs.release_after_loads(k_element);
                if (t + 64 <= N) {
                    tk::map(t8, [](float _u, float t10) { return _u * t10; }, _u, t10);
                } else {
                    tk::map(t8, thread, [&](int, int col, float _u, float t10) {
                        return col < N - t ? _u * t10 : 0.0f;
                    }, _u, t10);
                }
                tk::mma_async(s, t8, shared.ks_tile[k_element.stage]);
                tk::mma_wait<0>(s, t8);
                shared.ks.release(k_element);
            }
        }

        // gated_delta_segments.tk:89: store(End[b * (segments - 1) + p, h, c, :], s);
        tk::store_global(
            tk::slice(End, {b * (segments - 1) + p, h, c + 64 * warpgroup, 0},
                      b * (segments - 1) + p > -1 && b * (segments - 1) + p < B * (segments - 1)
                      ? tk::divide_up(DV, 64) * 64 + 128 - (c + 64 * warpgroup) : 0, 128), s,
            thread);
    }
}

// starts: kernel starts with DK = 128, BV = 64.
// producer: 1 warp, 24 registers a thread; split: 1 warpgroup, 240 registers a thread; state: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 163920 bytes of shared memory.
struct starts_shared {
    tk::shared_tile<float, 64, 128> states_tile[2];
    tk::shared_tile<float, 64, 128> maps_tile[1];
    tk::shared_tile<tk::bf16, 64, 128> rows_high[2];
    tk::shared_tile<tk::bf16, 64, 128> rows_low[2];
    tk::pipeline<2> states;
    tk::pipeline<1> maps;
    tk::pipeline<2> rows;
};
static_assert(offsetof(starts_shared, rows) == 163888);

__global__ void __launch_bounds__(384, 1) starts_kernel(
    const __grid_constant__ CUtensorMap End_map, const tk::tensor_argument<const float, 4> End,
    const tk::tensor_argument<const float, 4> S0, const tk::tensor_argument<float, 4> Start, int H,
    int I, int DV, int sequences, int segments) {
    extern __shared__ __align__(1024) unsigned char memory[];
    starts_shared& shared = *reinterpret_cast<starts_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(End_map);
        shared.states.init(1, 4);
        shared.maps.init(1, 4);
        shared.rows.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_segments.tk:104: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 64);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> maps_next;
            tk::cursor<2> states_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int b = program / (c_tiles * H);

            // gated_delta_segments.tk:105: for p in segments - 1 {
            #pragma unroll 1
            for (int p = 0; p < segments - 1; p += 1) {
                // gated_delta_segments.tk:106: if p > 0 {
                if (p > 0) {
                    // gated_delta_segments.tk:107: produce states = tma_load(End[b * (segments - ..
                    shared.states.begin(states_next, 32768);
                    tk::tma_load(shared.states_tile[states_next.stage], End_map,
                                 shared.states.full[states_next.stage], b * (segments - 1) + p, h,
                                 c, 0);
                    states_next.advance();

                    // gated_delta_segments.tk:108: for r in DK by 64 { produce maps = ..
                    #pragma unroll 1
                    for (int r = 0; r < 128; r += 64) {
                        shared.maps.begin(maps_next, 32768);
                        tk::tma_load(shared.maps_tile[maps_next.stage], End_map,
                                     shared.maps.full[maps_next.stage], b * (segments - 1) + p, h,
                                     tk::divide_up(DV, 64) * 64 + r, 0);
                        maps_next.advance();
                    }
                }
            }
        }
    } else if (warp < 4) {
        // gated_delta_segments.tk:112: role split(1 warpgroup) {
        tk::registers_at_least<240>();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> maps_next;
        tk::cursor<2> rows_next_2;

        // gated_delta_segments.tk:113: for p in segments - 1 {
        for (int p = 0; p < segments - 1; p += 1) {
            // gated_delta_segments.tk:114: if p > 0 {
            if (p > 0) {
                // gated_delta_segments.tk:115: for r in DK by 64 {
                for (int r = 0; r < 128; r += 64) {
                    // gated_delta_segments.tk:116: let m = parts.split<bf16>(consume maps);
                    const tk::cursor<1> maps_element = shared.maps.take(maps_next);

                    // <std.parts>:15: let high = T(x);
                    tk::fragment<float, 64, 128> t0;
                    tk::load_shared(t0, shared.maps_tile[maps_element.stage], thread);
                    tk::fragment<tk::bf16, 64, 128> high = tk::convert<tk::bf16>(t0);
                    // gated_delta_segments.tk:116
                    tk::fragment<float, 64, 128> t1;
                    tk::load_shared(t1, shared.maps_tile[maps_element.stage], thread);
                    shared.maps.release_after_loads(maps_element);
                    tk::fragment<tk::bf16, 64, 128> m_low;
                    tk::map(m_low, [](float t1, tk::bf16 high) { return t1 - float(high); },
                            t1, high);

                    // gated_delta_segments.tk:117: produce rows { high = m.high; low = m.low; }
                    shared.rows.wait_empty(rows_next_2);
                    tk::store_shared(shared.rows_high[rows_next_2.stage], high, thread);
                    tk::store_shared(shared.rows_low[rows_next_2.stage], m_low, thread);
                    shared.rows.publish(rows_next_2);
                    rows_next_2.advance();
                }
            }
        }
    } else {
        // gated_delta_segments.tk:122: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(DV, 64);
        const int thread = tk::warpgroup_thread();
        tk::cursor<2> rows_next_2, states_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int b = program / (c_tiles * H);

        // gated_delta_segments.tk:123: store(Start[b * segments, h, c, :], load(S0[b, h, c, :]));
        tk::fragment<float, 64, 128> t0;
        tk::load_global(t0, tk::slice(S0, {b, h, c, 0}, b < I ? DV - c : 0, 128), thread);
        tk::store_global(
            tk::slice(Start, {b * segments, h, c, 0},
                      b * segments > -1 && b * segments < sequences * segments ? DV - c : 0, 128),
            t0, thread);

        // gated_delta_segments.tk:124: var s: f32[BV, DK] = load(End[b * (segments - 1), h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::dense_slice(End, {b * (segments - 1), h, c, 0},
                                        b * (segments - 1) > -1 &&
                                        b * (segments - 1) < sequences * (segments - 1)
                                        ? tk::divide_up(DV, 64) * 64 + 128 - c : 0, 128), thread);

        // gated_delta_segments.tk:125: for p in segments - 1 {
        for (int p = 0; p < segments - 1; p += 1) {
            // gated_delta_segments.tk:126: if p > 0 {
            if (p > 0) {
                // <std.parts>:15: let high = T(x);
                tk::fragment<tk::bf16, 64, 128> high = tk::convert<tk::bf16>(s);

                // gated_delta_segments.tk:127: let x = parts.split<bf16>(s);
                tk::fragment<tk::bf16, 64, 128> x_low;
                tk::map(x_low, [](float s, tk::bf16 high) { return s - float(high); }, s, high);

                // gated_delta_segments.tk:128: s = consume states;
                const tk::cursor<2> states_element = shared.states.take(states_next);
                tk::load_shared(s, shared.states_tile[states_element.stage], thread);
                shared.states.release_after_loads(states_element);

                // gated_delta_segments.tk:129: let m0 = consume rows;
                const tk::cursor<2> m0 = shared.rows.take(rows_next_2);

                // gated_delta_segments.tk:130: s += mma(x.low[:, 0 +: 64], m0.high);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::slice_registers<0, 0>(t2, x_low);
                tk::mma_async(s, t2, shared.rows_high[m0.stage]);

                // gated_delta_segments.tk:131: s += mma(x.high[:, 0 +: 64], m0.low);
                tk::fragment<tk::bf16, 64, 64> t3;
                tk::slice_registers<0, 0>(t3, high);
                tk::mma_async(s, t3, shared.rows_low[m0.stage]);

                // gated_delta_segments.tk:132: s += mma(x.high[:, 0 +: 64], m0.high);
                tk::fragment<tk::bf16, 64, 64> t4;
                tk::slice_registers<0, 0>(t4, high);
                tk::mma_async(s, t4, shared.rows_high[m0.stage]);

                // gated_delta_segments.tk:134: let m1 = consume rows;
                const tk::cursor<2> m1 = shared.rows.take(rows_next_2);

                // gated_delta_segments.tk:135: s += mma(x.low[:, 64 +: 64], m1.high);
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::slice_registers<0, 16>(t5, x_low);
                tk::mma_async(s, t5, shared.rows_high[m1.stage]);

                // gated_delta_segments.tk:136: s += mma(x.high[:, 64 +: 64], m1.low);
                tk::fragment<tk::bf16, 64, 64> t6;
                tk::slice_registers<0, 16>(t6, high);
                tk::mma_async(s, t6, shared.rows_low[m1.stage]);

                // gated_delta_segments.tk:137: s += mma(x.high[:, 64 +: 64], m1.high);
                tk::fragment<tk::bf16, 64, 64> t7;
                tk::slice_registers<0, 16>(t7, high);
                tk::mma_async(s, t7, shared.rows_high[m1.stage]);
                tk::mma_wait<0>(s, t2, t3, t4, t5, t6, t7);
                shared.rows.release(m0);
                shared.rows.release(m1);
            }

            // gated_delta_segments.tk:140: store(Start[b * segments + p + 1, h, c, :], s);
            tk::store_global(
                tk::slice(Start, {b * segments + p + 1, h, c, 0},
                          b * segments + p + 1 > -1 && b * segments + p + 1 < sequences * segments
                          ? DV - c : 0, 128), s, thread);
        }
    }
}

// chunks: kernel chunks with T = bf16, DK = 128, BV = 64, PACKED = false, L = 64.
// producer: 1 warp, 24 registers a thread; state: 1 warpgroup, 240 registers a thread; output: 1
// warpgroup, 240 registers a thread.
// 384 threads, 168 registers each at first, 191760 bytes of shared memory.
struct chunks_shared {
    tk::shared_tile<tk::bf16, 64, 128> ks_tile[4];
    tk::shared_tile<tk::bf16, 64, 128> qs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> ts_tile[2];
    tk::shared_tile<float, 1, 64> gs_g[3];
    tk::shared_tile<float, 64, 1> gs_gc[3];
    tk::shared_tile<float, 1, 64> gs_w[3];
    tk::shared_tile<float, 1, 64> gs_beta[3];
    tk::shared_tile<tk::bf16, 64, 64> us_tile[2];
    tk::shared_tile<tk::bf16, 64, 128> states_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> output_O[1];
    tk::pipeline<4> ks;
    tk::pipeline<2> qs;
    tk::pipeline<2> vs;
    tk::pipeline<2> ts;
    tk::pipeline<3> gs;
    tk::pipeline<2> us;
    tk::pipeline<2> states;
};
static_assert(offsetof(chunks_shared, states) == 191728);

__global__ void __launch_bounds__(384, 1) chunks_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap V_map,
    const __grid_constant__ CUtensorMap Inverse_map, const __grid_constant__ CUtensorMap G_map,
    const __grid_constant__ CUtensorMap W_map, const __grid_constant__ CUtensorMap C_map,
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 4> Start, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 4> State, int B, int N, int H, int DV, int I, int F,
    float scale, int segments, int length) {
    extern __shared__ __align__(1024) unsigned char memory[];
    chunks_shared& shared = *reinterpret_cast<chunks_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, V_map, Inverse_map, G_map, W_map, C_map, Q_map, O_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 4);
        shared.vs.init(1, 4);
        shared.ts.init(1, 4);
        shared.gs.init(1, 8);
        shared.us.init(4, 4);
        shared.states.init(4, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gated_delta_segments.tk:173: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> gs_next;
            tk::cursor<4> ks_next;
            tk::cursor<2> qs_next, ts_next, vs_next;
            const int program = blockIdx.x;
            const int c = program % c_tiles * 64;
            const int h = program / c_tiles % H;
            const int p = program / (c_tiles * H) % p_tiles;
            const int b = program / (c_tiles * H * p_tiles);

            // gated_delta_segments.tk:155: let at     = if PACKED { 0 } else { b };
            const int at = b;

            // gated_delta_segments.tk:158: let begin  = if PACKED { 0 } else { p * length };
            const int begin = p * length;

            // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) ..
            const int end = tk::min((p + 1) * length, N);

            // gated_delta_segments.tk:161: let room   = if PACKED { tokens } else { ceil_div(N, ..
            const int room = tk::divide_up(N, 64) * 64;

            // gated_delta_segments.tk:174: for t in begin..end by L {
            #pragma unroll 1
            for (int t = begin; t < end; t += 64) {
                // gated_delta_segments.tk:175: if PACKED { produce ks = tma_load(Kb[t, h, :]) ..
                shared.ks.begin(ks_next, 16384);
                tk::tma_load(shared.ks_tile[ks_next.stage], K_map, shared.ks.full[ks_next.stage], b,
                             t, h, 0);
                ks_next.advance();

                // gated_delta_segments.tk:176: if PACKED { produce vs = tma_load(Vb[t, h, c]) ..
                shared.vs.begin(vs_next, 8192);
                tk::tma_load(shared.vs_tile[vs_next.stage], V_map, shared.vs.full[vs_next.stage], b,
                             t, h, c);
                vs_next.advance();

                // gated_delta_segments.tk:177: if PACKED { produce ts = tma_load(Ib[t.start +: ..
                shared.ts.begin(ts_next, 8192);
                tk::tma_load(shared.ts_tile[ts_next.stage], Inverse_map,
                             shared.ts.full[ts_next.stage], at, h, t, 0);
                ts_next.advance();

                // gated_delta_segments.tk:178: produce gs {
                shared.gs.begin(gs_next, 1024);

                // gated_delta_segments.tk:179: g = tma_load(Gb[t.start +: L]); gc = ..
                tk::tma_load(shared.gs_g[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_gc[gs_next.stage], G_map, shared.gs.full[gs_next.stage], at,
                             h, t);
                tk::tma_load(shared.gs_w[gs_next.stage], W_map, shared.gs.full[gs_next.stage], at,
                             h, t);

                // gated_delta_segments.tk:180: beta = tma_load(Cb[t.start +: L]);
                tk::tma_load(shared.gs_beta[gs_next.stage], C_map, shared.gs.full[gs_next.stage],
                             at, h, t);
                // gated_delta_segments.tk:178
                gs_next.advance();

                // gated_delta_segments.tk:182: if PACKED { produce qs = tma_load(Qb[t, h, :]) ..
                shared.qs.begin(qs_next, 16384);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             t, h, 0);
                qs_next.advance();
            }
        }
    } else if (warp < 4) {
        // gated_delta_segments.tk:185: role state(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> states_next_2, us_next_2, vs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:158: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // gated_delta_segments.tk:186: var s: f32[BV, DK] = load(Start[b * segments + p, h, c, :]);
        tk::fragment<float, 64, 128> s;
        tk::load_global(s,
                        tk::slice(Start, {b * segments + p, h, c, 0},
                                  b * segments + p > -1 && b * segments + p < I ? DV - c : 0, 128),
                        thread);

        // gated_delta_segments.tk:187: for t in begin..end by L {
        tk::fragment<tk::bf16, 64, 64> t7;
        for (int t = begin; t < end; t += 64) {
            // gated_delta_segments.tk:188: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:189: let r = T(s);
            tk::fragment<tk::bf16, 64, 128> r = tk::convert<tk::bf16>(s);

            // gated_delta_segments.tk:190: let y = mma(r, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, r, tk::transposed(shared.ks_tile[k_element.stage]),
                          tk::accumulate_never{});

            // gated_delta_segments.tk:191: let v = consume vs;
            const tk::cursor<2> v_element = shared.vs.take(vs_next);

            // gated_delta_segments.tk:192: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:193: let x = consume ts;
            shared.ts.wait_full(v_element);

            // gated_delta.tk:25: var u = v * beta;
            tk::fragment<tk::bf16, 64, 64> t3;
            tk::load_transposed(t3, shared.vs_tile[v_element.stage], thread);
            shared.vs.release_after_loads(v_element);
            tk::row_fragment<float, 64> t0;
            tk::load_shared(t0, shared.gs_beta[a.stage], thread);
            tk::fragment<float, 64, 64> u;
            tk::map(u, [](tk::bf16 t3, float t0) { return float(t3) * t0; }, t3, t0);

            // gated_delta.tk:26: let since = exp2(g) * beta;
            tk::hold_waits(warp);
            tk::row_fragment<float, 64> t1;
            tk::load_shared(t1, shared.gs_g[a.stage], thread);
            tk::row_fragment<float, 64> t9;
            tk::load_shared(t9, shared.gs_beta[a.stage], thread);
            tk::row_fragment<float, 64> since;
            tk::map(since, [](float t1, float t9) { return tk::exp2(t1) * t9; }, t1, t9);
            tk::mma_wait<0>(y, r);

            // gated_delta.tk:27: u -= y * since;
            tk::map(u, [](float u, float y, float since) { return tk::fma(-y, since, u); },
                    u, y, since);

            // gated_delta.tk:28: u = pad(u, axis = 1, with = 0);
            if (!(t + 64 <= N)) {
                tk::map(u, thread, [&](int, int col, float u) { return col < N - t ? u : 0.0f; },
                        u);
            }

            // gated_delta.tk:29: u += mma(T(u), x.T);
            tk::fragment<tk::bf16, 64, 64> t4 = tk::convert<tk::bf16>(u);
            tk::mma_async(u, t4, tk::transposed(shared.ts_tile[v_element.stage]));

            // gated_delta.tk:30: s *= exp2(scalar(g[:, L - 1 +: 1]));
            tk::row_fragment<float, 1> t6;
            tk::load_shared(t6, tk::part<0, 63, 1, 1>(shared.gs_g[a.stage]), thread);
            const float number = t6.cell(0);
            tk::map(s, [&](float s) { return s * tk::exp2(number); }, s);

            // gated_delta.tk:31: s += mma(T(pad(u * w, axis = 1, with = 0)), k);
            tk::hold_waits(warp);
            tk::mma_wait<0>(u, t4);
            shared.ts.release(v_element);
            tk::row_fragment<float, 64> t10;
            tk::load_shared(t10, shared.gs_w[a.stage], thread);
            shared.gs.release_after_loads(a);
            if (t + 64 <= N) {
                tk::map(t7, [](float u, float t10) { return u * t10; }, u, t10);
            } else {
                tk::map(t7, thread, [&](int, int col, float u, float t10) {
                    return col < N - t ? u * t10 : 0.0f;
                }, u, t10);
            }
            tk::mma_async(s, t7, shared.ks_tile[k_element.stage]);

            // gated_delta_segments.tk:195: produce states = r;
            shared.states.wait_empty(states_next_2);
            tk::store_shared(shared.states_tile[states_next_2.stage], r, thread);
            shared.states.publish(states_next_2);
            states_next_2.advance();

            // gated_delta_segments.tk:196: produce us = T(u);
            tk::fragment<tk::bf16, 64, 64> t8 = tk::convert<tk::bf16>(u);
            shared.us.wait_empty(us_next_2);
            tk::store_shared(shared.us_tile[us_next_2.stage], t8, thread);
            shared.us.publish(us_next_2);
            us_next_2.advance();
            tk::mma_wait<0>(s, t7);
            shared.ks.release(k_element);
        }

        // gated_delta_segments.tk:198: if PACKED or p == segments - 1 { store(State[b, h, c, :], ..
        if (p == segments - 1) {
            tk::store_global(tk::slice(State, {b, h, c, 0}, b < F ? DV - c : 0, 128), s, thread);
        }
    } else {
        // gated_delta_segments.tk:200: role output(1 warpgroup) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(DV, 64);
        const int p_tiles = tk::max(segments, 0);
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> gs_next;
        tk::cursor<4> ks_next;
        tk::cursor<2> qs_next;
        const int program = blockIdx.x;
        const int c = program % c_tiles * 64;
        const int h = program / c_tiles % H;
        const int p = program / (c_tiles * H) % p_tiles;
        const int b = program / (c_tiles * H * p_tiles);

        // gated_delta_segments.tk:158: let begin  = if PACKED { 0 } else { p * length };
        const int begin = p * length;

        // gated_delta_segments.tk:159: let end    = if PACKED { tokens } else { min((p + 1) * ..
        const int end = tk::min((p + 1) * length, N);

        // gated_delta_segments.tk:201: for t in begin..end by L {
        for (int t = begin; t < end; t += 64) {
            // gated_delta_segments.tk:202: let k = consume ks;
            const tk::cursor<4> k_element = shared.ks.take(ks_next);

            // gated_delta_segments.tk:203: let a = consume gs;
            const tk::cursor<3> a = shared.gs.take(gs_next);

            // gated_delta_segments.tk:204: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // gated_delta_segments.tk:205: let y = mma(q, k.T);
            tk::fragment<float, 64, 64> y;
            tk::mma_async(y, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.ks_tile[k_element.stage]), tk::accumulate_never{});

            // gated_delta_segments.tk:206: var o = mma(q, (consume states).T);
            shared.states.wait_full(q_element);
            tk::fragment<float, 64, 64> o;
            tk::mma_async(o, shared.qs_tile[q_element.stage],
                          tk::transposed(shared.states_tile[q_element.stage]),
                          tk::accumulate_never{});
            tk::mma_wait<1>(y);
            shared.ks.release(k_element);

            // gated_delta_segments.tk:207: let w = T(pad(y * decay.between(a.gc, a.g), axis = 1, ..
            tk::column_fragment<float, 64> t1;
            tk::map(t1, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            tk::row_fragment<float, 64> t3;
            tk::load_shared(t3, shared.gs_g[a.stage], thread);
            tk::fragment<tk::bf16, 64, 64> w;
            tk::map(w, thread, [&](int row, int col, float t1, float t3, float y) {
                return col < N - t ? y * tk::exp2(row >= col ? t1 - t3 : -INFINITY) : 0.0f;
            }, t1, t3, y);

            // gated_delta_segments.tk:208: o *= exp2(a.gc);
            tk::hold_waits(warp);
            tk::column_fragment<float, 64> t4;
            tk::map(t4, thread, [&](int row, int) {
                return tk::get(shared.gs_gc[a.stage], row, 0);
            });
            shared.gs.release_after_loads(a);
            tk::column_fragment<float, 64> t0;
            tk::map(t0, [](float t4) { return tk::exp2(t4); }, t4);
            tk::mma_wait<0>(o);
            shared.states.release(q_element);
            shared.qs.release(q_element);
            tk::map(o, [](float o, float t0) { return o * t0; }, o, t0);

            // gated_delta_segments.tk:209: o += mma(w, (consume us).T);
            shared.us.wait_full(q_element);
            tk::mma_async(o, w, tk::transposed(shared.us_tile[q_element.stage]));
            tk::mma_wait<0>(o, w);
            shared.us.release(q_element);

            // gated_delta_segments.tk:210: if PACKED { store(Ob[t, h, c], T(o * scale)); } else ..
            #pragma unroll
            for (int panel = 0; panel < 64; panel += 64) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1, 128);
                tk::fragment<tk::bf16, 64, 64> t2;
                tk::map(t2, [&](float o) { return o * scale; }, o);
                tk::store_shared(shared.output_O[0], t2, thread);
                tk::fence_async();
                tk::barrier_sync(1, 128);
                if (DV % 8 != 0 && DV < c + panel + 64) {
                    tk::copy_to_global(
                        tk::clipped(
                            tk::dense_slice<1, 3>(O, {b, t, h, c + panel}, N - t, DV - (c + panel)),
                            0 - t, 0), shared.output_O[0]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(O_map, shared.output_O[0], b, t, h, c + panel);
                }
            }
        }

        if (leader) tk::tma_store_wait_read<0>();
    }
}

// gated_delta_gates_T_f32_PACKED_false_ROUND_64: kernel gated_delta.gates with T = f32, PACKED =
// false, ROUND = 64, L = 64, BH = 32.
// 128 threads, 96 registers each, 9216 bytes of shared memory:
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<5, 16, 4, true>.
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_general: kernel gated_delta.gates with T = f32,
// PACKED = false, ROUND = 64, L = 64, BH = 32; any strides and alignment.
// 128 threads, 255 registers each, 9216 bytes of shared memory:
// gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<1, 32, 2, false>.
struct gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared {
    tk::shared_tile<int, 1, 2112> gates_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel(
    const tk::tensor_argument<const float, 3> Gate, const tk::tensor_argument<const float, 3> Beta,
    const tk::tensor_argument<float, 3> G, const tk::tensor_argument<float, 3> W,
    const tk::tensor_argument<float, 3> C, int B, int N, int H, int R) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared& shared =
        *reinterpret_cast<gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared*>(memory);

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

namespace {
tk::status launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B, int64_t N, int64_t H,
    int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<5, 16, 4, true>>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64_general(
    const tk::launch_site& site, const tk::tensor& Gate, const tk::tensor& Beta,
    const tk::tensor& G, const tk::tensor& W, const tk::tensor& C, int64_t B, int64_t N, int64_t H,
    int64_t R) {
    return tk::run<gated_delta_gates_T_f32_PACKED_false_ROUND_64_kernel<1, 32, 2, false>>(
        site, sizeof(gated_delta_gates_T_f32_PACKED_false_ROUND_64_shared),
        tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(R, 64)), B), Gate, Beta, G, W,
        C, B, N, H, R);
}

tk::status launch_inverses(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& G,
                           const tk::tensor& C, const tk::tensor& Inverse, int64_t B, int64_t N,
                           int64_t H, int64_t R) {
    return tk::run<inverses_kernel>(
        site, sizeof(inverses_shared), tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, B, N, H, R);
}

tk::status launch_ends(const tk::launch_site& site, const tk::tensor& K, const tk::tensor& V,
                       const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W,
                       const tk::tensor& C, const tk::tensor& S0, const tk::tensor& End, int64_t B,
                       int64_t N, int64_t H, int64_t DV, int64_t I, int32_t segments,
                       int32_t length) {
    return tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
                tk::larger(int64_t{segments} - 1, 0)), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, S0, End, B,
        N, H, DV, I, segments, length);
}

tk::status launch_starts(const tk::launch_site& site, const tk::tensor& End, const tk::tensor& S0,
                         const tk::tensor& Start, int64_t H, int64_t I, int64_t DV,
                         int32_t sequences, int32_t segments) {
    return tk::run<starts_kernel>(
        site, sizeof(starts_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{sequences}, 0)),
        tk::box{End, {1, 1, 64, 32}, 128}, End, S0, Start, H, I, DV, sequences, segments);
}

tk::status launch_chunks(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Inverse, const tk::tensor& G, const tk::tensor& W, const tk::tensor& C,
    const tk::tensor& Start, const tk::tensor& O, const tk::tensor& State, int64_t B, int64_t N,
    int64_t H, int64_t DV, int64_t I, int64_t F, float scale, int32_t segments, int32_t length) {
    return tk::run<chunks_kernel>(
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        Start, O, State, B, N, H, DV, I, F, scale, segments, length);
}

}  // namespace

extern "C" {
int inverses(const DLTensor* K_given, const DLTensor* G_given, const DLTensor* C_given,
             const DLTensor* First_given, const DLTensor* Tokens_given, DLTensor* Inverse_given,
             void*, size_t, cudaStream_t stream) {
    tk::arguments call{"inverses"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor First = call.take("First", First_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Tokens = call.take("Tokens", Tokens_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t R = G.shape[2];
    const int64_t S = First.shape[0];
    call.require(
        {tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, G, 0),
         tk::same_extent("H", K, 2, G, 1), tk::same_extent("B", K, 0, C, 0),
         tk::same_extent("H", K, 2, C, 1), tk::same_extent("R", G, 2, C, 2),
         tk::same_extent("S", First, 0, Tokens, 0), tk::same_extent("B", K, 0, Inverse, 0),
         tk::same_extent("H", K, 2, Inverse, 1), tk::same_extent("R", G, 2, Inverse, 2),
         tk::fixed_extent(Inverse, 3, 64),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"R", R}, {"S", S}}),
         tk::that(R == tk::ceil_div(N, 64) * 64,
                  "`inverses` requires `R == (if PACKED { S } else { ceil_div(N, L) }) * L`"),
         tk::suits_tma_load(K), tk::suits_tma_load(G, "R"), tk::suits_tma_load(C, "R"),
         tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), B),
                       2147418112)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<inverses_kernel>(
        site, sizeof(inverses_shared), tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(R, 64)), B),
        tk::box{K, {1, 64, 1, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, B, N, H, R));
}
TK_NO_WORKSPACE(inverses, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int ends(const DLTensor* K_given, const DLTensor* V_given, const DLTensor* Inverse_given,
         const DLTensor* G_given, const DLTensor* W_given, const DLTensor* C_given,
         const DLTensor* S0_given, DLTensor* End_given, int32_t segments, int32_t length, void*,
         size_t, cudaStream_t stream) {
    tk::arguments call{"ends"};
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = K.shape[0];
    const int64_t N = K.shape[1];
    const int64_t H = K.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    call.require(
        {tk::fixed_extent(K, 3, 128), tk::same_extent("B", K, 0, V, 0),
         tk::same_extent("N", K, 1, V, 1), tk::same_extent("H", K, 2, V, 2),
         tk::same_extent("B", K, 0, Inverse, 0), tk::same_extent("H", K, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", K, 0, G, 0),
         tk::same_extent("H", K, 2, G, 1), tk::same_extent("B", K, 0, W, 0),
         tk::same_extent("H", K, 2, W, 1), tk::same_extent("B", K, 0, C, 0),
         tk::same_extent("H", K, 2, C, 1), tk::same_extent("H", K, 2, S0, 1),
         tk::same_extent("DV", V, 3, S0, 2), tk::fixed_extent(S0, 3, 128),
         tk::same_extent("H", K, 2, End, 1), tk::fixed_extent(End, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("B*(segments - 1)", tk::multiply(B, int64_t{segments} - 1)),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments} - 1),
                  "`B*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments} - 1)}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments} - 1),
                  "axis 0 of `End` is {}; it must be `B*(segments - 1)`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments} - 1)}),
         tk::that(End.shape[2] == tk::ceil_div(DV, 64) * 64 + 128,
                  "axis 2 of `End` is {}; it must be `ceil_div(DV, 64)*64 + 128`, which is {}",
                  {End.shape[2], tk::ceil_div(DV, 64) * 64 + 128}),
         tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`ends` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(K),
         tk::suits_tma_load(V, "DV"), tk::suits_tma_load(Inverse), tk::suits_tma_load(G),
         tk::suits_tma_load(W), tk::suits_tma_load(C),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
                 tk::larger(int64_t{segments} - 1, 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(
                     tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0),
                                  H), tk::larger(int64_t{segments} - 1, 0)), B), 2147483648),
         tk::fits("p*length",
                  tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length}))}),
         tk::fits("row_index + c.start", 262143 + (tk::ceil_div(DV, 64) * 64 + 128 - 1)),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))),
         tk::fits("b*(segments - 1)", tk::larger(0, tk::multiply(B - 1, int64_t{segments} - 1))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments} - 1)),
                  "`b*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments} - 1))}),
         tk::fits("b*(segments - 1) + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments} - 1)) +
                  (int64_t{segments} - 1 - 1))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<ends_kernel>(
        site, sizeof(ends_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
                tk::larger(int64_t{segments} - 1, 0)), B), tk::box{K, {1, 64, 1, 64}, 128},
        tk::box{V, {1, 64, 1, 64}, 128}, tk::box{Inverse, {1, 1, 64, 64}, 128},
        tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0}, tk::box{C, {1, 1, 64}, 0}, S0, End, B,
        N, H, DV, I, segments, length));
}
TK_NO_WORKSPACE(ends, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, int32_t, int32_t)

int starts(const DLTensor* End_given, const DLTensor* S0_given, DLTensor* Start_given,
           int32_t sequences, int32_t segments, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"starts"};
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor S0 = call.take("S0", S0_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t H = End.shape[1];
    const int64_t I = S0.shape[0];
    const int64_t DV = S0.shape[2];
    call.require(
        {tk::fixed_extent(End, 3, 128), tk::same_extent("H", End, 1, S0, 1),
         tk::fixed_extent(S0, 3, 128), tk::same_extent("H", End, 1, Start, 1),
         tk::same_extent("DV", S0, 2, Start, 2), tk::fixed_extent(Start, 3, 128),
         tk::extents_fit({{"H", H}, {"I", I}, {"DV", DV}}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("sequences*(segments - 1)",
                  tk::multiply(int64_t{sequences}, int64_t{segments} - 1)),
         tk::that(-2147483648 <= tk::multiply(int64_t{sequences}, int64_t{segments} - 1),
                  "`sequences*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{sequences}, int64_t{segments} - 1)}),
         tk::that(End.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments} - 1),
                  "axis 0 of `End` is {}; it must be `sequences*(segments - 1)`, which is {}",
                  {End.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments} - 1)}),
         tk::that(End.shape[2] == tk::ceil_div(DV, 64) * 64 + 128,
                  "axis 2 of `End` is {}; it must be `ceil_div(DV, 64)*64 + 128`, which is {}",
                  {End.shape[2], tk::ceil_div(DV, 64) * 64 + 128}),
         tk::fits("sequences*segments", tk::multiply(int64_t{sequences}, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "`sequences*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(int64_t{sequences}, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `sequences*segments`, which is {}",
                  {Start.shape[0], tk::multiply(int64_t{sequences}, int64_t{segments})}),
         tk::that(int64_t{segments} >= 1, "`starts` requires `segments >= 1`"),
         tk::that(I <= int64_t{sequences}, "`starts` requires `I <= sequences`"),
         tk::suits_tma_load(End), tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(
             tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{sequences}, 0)),
             2147483648),
         tk::fits("b*(segments - 1)",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments} - 1))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments} - 1)),
                  "`b*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments} - 1))}),
         tk::fits("b*(segments - 1) + p",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments} - 1)) +
                  (int64_t{segments} - 1 - 1)),
         tk::fits("b*segments",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1)),
         tk::fits("b*segments + p + 1",
                  tk::larger(0, tk::multiply(int64_t{sequences} - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1) + 1)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<starts_kernel>(
        site, sizeof(starts_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{sequences}, 0)),
        tk::box{End, {1, 1, 64, 32}, 128}, End, S0, Start, H, I, DV, sequences, segments));
}
TK_NO_WORKSPACE(starts, const DLTensor*, const DLTensor*, DLTensor*, int32_t, int32_t)

int chunks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
           const DLTensor* Inverse_given, const DLTensor* G_given, const DLTensor* W_given,
           const DLTensor* C_given, const DLTensor* Start_given, const DLTensor* start_given,
           DLTensor* O_given, DLTensor* State_given, float scale, int32_t segments, int32_t length,
           void*, size_t, cudaStream_t stream) {
    tk::arguments call{"chunks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::read);
    const tk::tensor G = call.take("G", G_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor W = call.take("W", W_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor start = call.take("start", start_given, tk::dtype_i32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor State = call.take("State", State_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t R = Inverse.shape[2];
    const int64_t I = Start.shape[0];
    const int64_t P = start.shape[0];
    const int64_t F = State.shape[0];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 1, K, 1), tk::same_extent("H", Q, 2, K, 2),
         tk::fixed_extent(K, 3, 128), tk::same_extent("B", Q, 0, V, 0),
         tk::same_extent("N", Q, 1, V, 1), tk::same_extent("H", Q, 2, V, 2),
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("B", Q, 0, G, 0),
         tk::same_extent("H", Q, 2, G, 1), tk::same_extent("R", Inverse, 2, G, 2),
         tk::same_extent("B", Q, 0, W, 0), tk::same_extent("H", Q, 2, W, 1),
         tk::same_extent("R", Inverse, 2, W, 2), tk::same_extent("B", Q, 0, C, 0),
         tk::same_extent("H", Q, 2, C, 1), tk::same_extent("R", Inverse, 2, C, 2),
         tk::same_extent("H", Q, 2, Start, 1), tk::same_extent("DV", V, 3, Start, 2),
         tk::fixed_extent(Start, 3, 128), tk::same_extent("B", Q, 0, O, 0),
         tk::same_extent("N", Q, 1, O, 1), tk::same_extent("H", Q, 2, O, 2),
         tk::same_extent("DV", V, 3, O, 3), tk::same_extent("H", Q, 2, State, 1),
         tk::same_extent("DV", V, 3, State, 2), tk::fixed_extent(State, 3, 128),
         tk::extents_fit(
             {{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"R", R}, {"I", I}, {"P", P}, {"F", F}}),
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
         tk::that(R == tk::ceil_div(N, 64) * 64,
                  "`chunks` requires `R == (if PACKED { N // L + P - 1 } else { ceil_div(N, L) }) * L`"),
         tk::that(I == tk::multiply(B, int64_t{segments}) || int64_t{segments} == 1,
                  "`chunks` requires `PACKED or I == B * segments or segments == 1`"),
         tk::that(F <= B, "`chunks` requires `PACKED or F <= B`"),
         tk::that(int64_t{segments} >= 1, "`chunks` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`chunks` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`chunks` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                  "`chunks` requires `segments * length >= N`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`chunks` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(Q),
         tk::suits_tma_load(K), tk::suits_tma_load(V, "DV"), tk::suits_tma_load(Inverse),
         tk::suits_tma_load(G, "R"), tk::suits_tma_load(W, "R"), tk::suits_tma_load(C, "R"),
         tk::suits_tma_store(O, "DV"),
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
        site, sizeof(chunks_shared), tk::kernel_shape(384).overlapping(),
        tk::multiply(
            tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(int64_t{segments}, 0)),
            B), tk::box{K, {1, 64, 1, 64}, 128}, tk::box{V, {1, 64, 1, 64}, 128},
        tk::box{Inverse, {1, 1, 64, 64}, 128}, tk::box{G, {1, 1, 64}, 0}, tk::box{W, {1, 1, 64}, 0},
        tk::box{C, {1, 1, 64}, 0}, tk::box{Q, {1, 64, 1, 64}, 128}, tk::box{O, {1, 64, 1, 64}, 128},
        Start, O, State, B, N, H, DV, I, F, scale, segments, length));
}
TK_NO_WORKSPACE(chunks, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, float, int32_t, int32_t)

int gated_delta_segments(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                         const DLTensor* Gate_given, const DLTensor* Beta_given,
                         const DLTensor* S0_given, const DLTensor* start_given, DLTensor* O_given,
                         DLTensor* State_given, DLTensor* G_given, DLTensor* W_given,
                         DLTensor* C_given, DLTensor* Inverse_given, DLTensor* End_given,
                         DLTensor* Start_given, float scale, int32_t segments, int32_t length,
                         void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gated_delta_segments"};
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
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    const tk::tensor End = call.take("End", End_given, tk::dtype_f32, 4, tk::access::write);
    const tk::tensor Start = call.take("Start", Start_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
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
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64), tk::same_extent("H", Q, 2, End, 1),
         tk::fixed_extent(End, 3, 128), tk::same_extent("H", Q, 2, Start, 1),
         tk::same_extent("DV", V, 3, Start, 2), tk::fixed_extent(Start, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(-2147483648 <= int64_t{segments} - 1,
                  "`segments - 1` reaches {}; it must fit in 32 bits", {int64_t{segments} - 1}),
         tk::fits("B*(segments - 1)", tk::multiply(B, int64_t{segments} - 1)),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments} - 1),
                  "`B*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments} - 1)}),
         tk::that(End.shape[0] == tk::multiply(B, int64_t{segments} - 1),
                  "axis 0 of `End` is {}; it must be `B*(segments - 1)`, which is {}",
                  {End.shape[0], tk::multiply(B, int64_t{segments} - 1)}),
         tk::that(End.shape[2] == tk::ceil_div(DV, 64) * 64 + 128,
                  "axis 2 of `End` is {}; it must be `ceil_div(DV, 64)*64 + 128`, which is {}",
                  {End.shape[2], tk::ceil_div(DV, 64) * 64 + 128}),
         tk::fits("B*segments", tk::multiply(B, int64_t{segments})),
         tk::that(-2147483648 <= tk::multiply(B, int64_t{segments}),
                  "`B*segments` reaches {}; it must fit in 32 bits",
                  {tk::multiply(B, int64_t{segments})}),
         tk::that(Start.shape[0] == tk::multiply(B, int64_t{segments}),
                  "axis 0 of `Start` is {}; it must be `B*segments`, which is {}",
                  {Start.shape[0], tk::multiply(B, int64_t{segments})}),
         tk::that(P == 0, "`gated_delta_segments` requires `P == 0`"),
         tk::that(I <= B, "`gated_delta_segments` requires `I <= B`"),
         tk::that(F <= B, "`gated_delta_segments` requires `F <= B`")});
    // gated_delta.gates(Gate, Beta, start, G, W, C)
    call.require({
        tk::that(tk::ceil_div(N, 64) * 64 < 2147221504,
                 "`ceil_div(N, 64)*64` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64) * 64}),
        tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                      2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
            2147483648)});
    // inverses(K, G, C, start, start, Inverse)
    call.require(
        {tk::suits_tma_load(K),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4}), tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                       2147418112),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
             2147418112)});
    // ends(K, V, Inverse, G, W, C, S0, End, segments, length)
    call.require(
        {tk::fits("(segments - 1)*length", tk::multiply(int64_t{segments} - 1, int64_t{length})),
         tk::that(-2147483648 <= tk::multiply(int64_t{segments} - 1, int64_t{length}),
                  "`(segments - 1)*length` reaches {}; it must fit in 32 bits",
                  {tk::multiply(int64_t{segments} - 1, int64_t{length})}),
         tk::that(int64_t{segments} >= 1, "`ends` requires `segments >= 1`"),
         tk::that(int64_t{length} >= 64, "`ends` requires `length >= L`"),
         tk::that(int64_t{length} % 64 == 0, "`ends` requires `length % L == 0`"),
         tk::that(tk::multiply(int64_t{segments} - 1, int64_t{length}) <= N,
                  "`ends` requires `(segments - 1) * length <= N`"), tk::suits_tma_load(V, "DV"),
         tk::suits_tma_load(W),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
             2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0), H),
                 tk::larger(int64_t{segments} - 1, 0)), 2147483648),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(
                     tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(DV, 64) * 64 + 128, 128), 0),
                                  H), tk::larger(int64_t{segments} - 1, 0)), B), 2147483648),
         tk::fits("p*length",
                  tk::larger(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length})),
                  "`p*length` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))}),
         tk::fits("(p + 1)*length",
                  tk::larger(int64_t{length},
                             tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length}))),
         tk::that(-2147483648 <=
                  tk::smaller(int64_t{length},
                              tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length})),
                  "`(p + 1)*length` reaches {}; it must fit in 32 bits",
                  {
                      tk::smaller(int64_t{length},
                                  tk::multiply(int64_t{segments} - 1 - 1 + 1, int64_t{length}))}),
         tk::fits("row_index + c.start", 262143 + (tk::ceil_div(DV, 64) * 64 + 128 - 1)),
         tk::fits("N - t.start",
                  N - tk::smaller(0, tk::multiply(int64_t{segments} - 1 - 1, int64_t{length}))),
         tk::fits("b*(segments - 1)", tk::larger(0, tk::multiply(B - 1, int64_t{segments} - 1))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments} - 1)),
                  "`b*(segments - 1)` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments} - 1))}),
         tk::fits("b*(segments - 1) + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments} - 1)) +
                  (int64_t{segments} - 1 - 1))});
    // starts(End, S0, Start, B, segments)
    call.require(
        {tk::suits_tma_load(End), tk::grid_fits(tk::multiply(tk::ceil_div(DV, 64), H), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(DV, 64), H), tk::larger(B, 0)),
                       2147483648),
         tk::fits("b*segments", tk::larger(0, tk::multiply(B - 1, int64_t{segments}))),
         tk::that(-2147483648 <= tk::smaller(0, tk::multiply(B - 1, int64_t{segments})),
                  "`b*segments` reaches {}; it must fit in 32 bits",
                  {tk::smaller(0, tk::multiply(B - 1, int64_t{segments}))}),
         tk::fits("b*segments + p",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1)),
         tk::fits("b*segments + p + 1",
                  tk::larger(0, tk::multiply(B - 1, int64_t{segments})) +
                  (int64_t{segments} - 1 - 1) + 1)});
    // chunks(Q, K, V, Inverse, G, W, C, Start, start, O, State, scale, segments, length)
    call.require({
        tk::that(tk::multiply(B, int64_t{segments}) < 2147221504,
                 "`B*segments` is {}; extents must be less than 2147221504",
                 {tk::multiply(B, int64_t{segments})}),
        tk::fits("segments*length", tk::multiply(int64_t{segments}, int64_t{length})),
        tk::that(-2147483648 <= tk::multiply(int64_t{segments}, int64_t{length}),
                 "`segments*length` reaches {}; it must fit in 32 bits",
                 {tk::multiply(int64_t{segments}, int64_t{length})}),
        tk::that(tk::multiply(int64_t{segments}, int64_t{length}) >= N,
                 "`chunks` requires `segments * length >= N`"), tk::suits_tma_load(Q),
        tk::suits_tma_store(O, "DV"),
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
        tk::fits("b*segments + p",
                 tk::larger(0, tk::multiply(B - 1, int64_t{segments})) + (int64_t{segments} - 1)),
        tk::fits("N - t.start",
                 N - tk::smaller(0, tk::multiply(int64_t{segments} - 1, int64_t{length})))});
    if (!call.ok()) return tk::finish(call.result());

    // gated_delta.gates(Gate, Beta, start, G, W, C)
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
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    } else {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64_general(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    }
    TK_FINISH_IF_FAILED(launch_inverses(
        site, K, tk::read_only(G), tk::read_only(C), Inverse, B, N, H, tk::ceil_div(N, 64) * 64));
    TK_FINISH_IF_FAILED(
        launch_ends(site, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
                    tk::read_only(C), S0, End, B, N, H, DV, I, segments, length));
    TK_FINISH_IF_FAILED(launch_starts(
        site, tk::read_only(End), S0, Start, H, I, DV, static_cast<int32_t>(B), segments));
    TK_FINISH_IF_FAILED(
        launch_chunks(site, Q, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W),
                      tk::read_only(C), tk::read_only(Start), O, State, B, N, H, DV,
                      tk::multiply(B, int64_t{segments}), F, scale, segments, length));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta_segments, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float,
                int32_t, int32_t)

int gated_delta_apart(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* Gate_given, const DLTensor* Beta_given,
                      const DLTensor* S0_given, const DLTensor* start_given, DLTensor* O_given,
                      DLTensor* State_given, DLTensor* G_given, DLTensor* W_given,
                      DLTensor* C_given, DLTensor* Inverse_given, float scale, void*, size_t,
                      cudaStream_t stream) {
    tk::arguments call{"gated_delta_apart"};
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
    const tk::tensor Inverse = call.take("Inverse", Inverse_given, tk::dtype_bf16, 4,
                                         tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t H = Q.shape[2];
    const int64_t DV = V.shape[3];
    const int64_t I = S0.shape[0];
    const int64_t P = start.shape[0];
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
         tk::same_extent("B", Q, 0, Inverse, 0), tk::same_extent("H", Q, 2, Inverse, 1),
         tk::fixed_extent(Inverse, 3, 64),
         tk::extents_fit({{"B", B}, {"N", N}, {"H", H}, {"DV", DV}, {"I", I}, {"P", P}, {"F", F}}),
         tk::that(G.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `G` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {G.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(W.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `W` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {W.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(C.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `C` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {C.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(Inverse.shape[2] == tk::ceil_div(N, 64) * 64,
                  "axis 2 of `Inverse` is {}; it must be `ceil_div(N, 64)*64`, which is {}",
                  {Inverse.shape[2], tk::ceil_div(N, 64) * 64}),
         tk::that(P == 0, "`gated_delta_apart` requires `P == 0`"),
         tk::that(F <= B, "`gated_delta_apart` requires `F <= B`"),
         tk::that(-2147483648 <= tk::ceil_div(tk::larger(N, 1), 64) * 64,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 < 2147483648,
                  "`ceil_div(max(N, 1), 64)*64`, which `chunks` is called with, is {}; it must fit in 32 bits",
                  {tk::ceil_div(tk::larger(N, 1), 64) * 64})});
    // gated_delta.gates(Gate, Beta, start, G, W, C)
    call.require({
        tk::that(tk::ceil_div(N, 64) * 64 < 2147221504,
                 "`ceil_div(N, 64)*64` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 64) * 64}),
        tk::grid_fits(tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                      2147483648),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::ceil_div(H, 32), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
            2147483648)});
    // inverses(K, G, C, start, start, Inverse)
    call.require(
        {tk::suits_tma_load(K),
         tk::that(G.stride[2] == 1,
                  "neighbours in a row of `G` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {G.stride[2]}),
         tk::that(G.address % 16 == 0,
                  "`G` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(G.address, 16)}),
         tk::that(G.stride[1] % 4 == 0 && 0 < G.stride[1] && G.stride[1] < 274877906944,
                  "the rows of `G` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[1] * 4}),
         tk::that(G.stride[0] % 4 == 0 && 0 < G.stride[0] && G.stride[0] < 274877906944,
                  "neighbours along axis 0 of `G` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {G.stride[0] * 4}),
         tk::that(C.stride[2] == 1,
                  "neighbours in a row of `C` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {C.stride[2]}),
         tk::that(C.address % 16 == 0,
                  "`C` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(C.address, 16)}),
         tk::that(C.stride[1] % 4 == 0 && 0 < C.stride[1] && C.stride[1] < 274877906944,
                  "the rows of `C` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[1] * 4}),
         tk::that(C.stride[0] % 4 == 0 && 0 < C.stride[0] && C.stride[0] < 274877906944,
                  "neighbours along axis 0 of `C` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {C.stride[0] * 4}), tk::suits_tma_store(Inverse),
         tk::grid_fits(tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)),
                       2147418112),
         tk::grid_fits(
             tk::multiply(
                 tk::multiply(tk::ceil_div(H, 2), tk::ceil_div(tk::ceil_div(N, 64) * 64, 64)), B),
             2147418112)});
    // chunks(Q, K, V, Inverse, G, W, C, S0, start, O, State, scale, 1, ceil_div(max(N, 1), 64)*64)
    call.require(
        {tk::fits("B*1", B),
         tk::that(-2147483648 <= B, "`B*1` reaches {}; it must fit in 32 bits", {B}),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= 64,
                  "`chunks` requires `(ceil_div(max(N, 1), 64)*64) >= L`"),
         tk::that(tk::ceil_div(tk::larger(N, 1), 64) * 64 >= N,
                  "`chunks` requires `1 * (ceil_div(max(N, 1), 64)*64) >= N`"),
         tk::that(0 <= N, "`chunks` requires `(1 - 1) * (ceil_div(max(N, 1), 64)*64) <= N`"),
         tk::suits_tma_load(Q), tk::suits_tma_load(V, "DV"),
         tk::that(W.stride[2] == 1,
                  "neighbours in a row of `W` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                  {W.stride[2]}),
         tk::that(W.address % 16 == 0,
                  "`W` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                  {tk::floor_mod(W.address, 16)}),
         tk::that(W.stride[1] % 4 == 0 && 0 < W.stride[1] && W.stride[1] < 274877906944,
                  "the rows of `W` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {W.stride[1] * 4}),
         tk::that(W.stride[0] % 4 == 0 && 0 < W.stride[0] && W.stride[0] < 274877906944,
                  "neighbours along axis 0 of `W` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 64)*64` to a multiple of 4, or use `load`",
                  {W.stride[0] * 4}), tk::suits_tma_store(O, "DV"),
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

    // gated_delta.gates(Gate, Beta, start, G, W, C)
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
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    } else {
        TK_FINISH_IF_FAILED(launch_gated_delta_gates_T_f32_PACKED_false_ROUND_64_general(
            site, Gate, Beta, G, W, C, B, N, H, tk::ceil_div(N, 64) * 64));
    }
    TK_FINISH_IF_FAILED(launch_inverses(
        site, K, tk::read_only(G), tk::read_only(C), Inverse, B, N, H, tk::ceil_div(N, 64) * 64));
    TK_FINISH_IF_FAILED(launch_chunks(
        site, Q, K, V, tk::read_only(Inverse), tk::read_only(G), tk::read_only(W), tk::read_only(C),
        S0, O, State, B, N, H, DV, I, F, scale, static_cast<int32_t>(1),
        static_cast<int32_t>(tk::ceil_div(tk::larger(N, 1), 64) * 64)));
    return tk::finish({});
}
TK_NO_WORKSPACE(gated_delta_apart, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
