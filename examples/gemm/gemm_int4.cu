// Made by tkc from gemm_int4.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cache.cuh"
#include "tk/operations/integer.cuh"
#include "tk/operations/pairs.cuh"
#include "tk/operations/slice_tile.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/tk.cuh"

// product: kernel product with BM = 16, BN = 256, S = 5, SX = 10, T = f32.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 215280 bytes of shared memory; persistent.
struct product_shared {
    tk::shared_tile<uint8_t, 256, 128> ws_q[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale1[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero1[5];
    tk::shared_tile<tk::bf16, 16, 128> xs_tile[10];
    tk::pipeline<5> ws;
    tk::pipeline<10> xs;
};
static_assert(offsetof(product_shared, xs) == 215120);

__global__ void __launch_bounds__(640, 1) product_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Scale_map,
    const __grid_constant__ CUtensorMap Zero_map, const __grid_constant__ CUtensorMap X_map,
    const tk::tensor_argument<float, 3> Part, int M, int N, int KW, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_shared& shared = *reinterpret_cast<product_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, Scale_map, Zero_map, X_map);
        shared.ws.init(1, 16);
        shared.xs.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int4.tk:28: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<5> ws_next;
            tk::cursor<10> xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
                const int chunk = tk::divide_up(KW, P * 128) * 128;

                // gemm_int4.tk:29: for (k) in steps {
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                    // gemm_int4.tk:30: produce ws {
                    shared.ws.begin(ws_next, 34816);

                    // gemm_int4.tk:31: q = tma_load(Q[n, k]) evict_first;
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);

                    // gemm_int4.tk:32: scale0 = column(tma_load(Scale[k.index, 0, n]));
                    tk::tma_load(shared.ws_scale0[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:33: zero0 = column(tma_load(Zero[k.index, 0, n]));
                    tk::tma_load(shared.ws_zero0[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:34: scale1 = column(tma_load(Scale[k.index, 1, n]));
                    tk::tma_load(shared.ws_scale1[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);

                    // gemm_int4.tk:35: zero1 = column(tma_load(Zero[k.index, 1, n]));
                    tk::tma_load(shared.ws_zero1[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);
                    // gemm_int4.tk:30
                    ws_next.advance();

                    // gemm_int4.tk:37: produce xs = tma_load(X[m, 2 * k.start +: 128]) evict_last;
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k);
                    xs_next.advance();

                    // gemm_int4.tk:38: produce xs = tma_load(X[m, 2 * k.start + 128 +: 128]) ..
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k + 128);
                    xs_next.advance();
                }
            }
        }
    } else {
        // gemm_int4.tk:41: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<5> ws_next;
        tk::cursor<10> xs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
            const int chunk = tk::divide_up(KW, P * 128) * 128;

            // gemm_int4.tk:42: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int4.tk:43: for (k) in steps {
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                // gemm_int4.tk:44: let w = consume ws;
                const tk::cursor<5> w = shared.ws.take(ws_next);

                // gemm_int4.tk:45: let x = consume xs;
                const tk::cursor<10> x_element = shared.xs.take(xs_next);

                // gemm_int4.tk:46: var t = mma(bf16((i32(w.q[:, 0 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t14;
                tk::load_shared(t14,
                                tk::rows<64>(tk::part<0, 0, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t15;
                tk::map(t15, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map_pairs(t1, [](uint32_t t14, uint32_t t15) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t14), t15);
                }, t14, t15);
                tk::fragment<float, 64, 16> t;
                tk::mma_async(
                    t, t1, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[x_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:47: t += mma(bf16((i32(w.q[:, 0 +: 64]) >> 4) + 128) - w.zero0, ..
                tk::column_fragment<float, 64> t17;
                tk::map(t17, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map_pairs(t5, [](uint32_t t14, uint32_t t17) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t14), t17);
                }, t14, t17);
                tk::mma_async(t, t5, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[x_element.stage])));

                // gemm_int4.tk:48: acc += t * f32(w.scale0);
                tk::column_fragment<float, 64> t18;
                tk::map(t18, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::column_fragment<float, 64> t3;
                tk::map(t3, [](float t18) { return float(t18); }, t18);
                tk::mma_wait<0>(t, t1, t5);
                shared.xs.release(x_element);
                tk::map(acc, [](float t, float t3, float acc) { return tk::fma(t, t3, acc); },
                        t, t3, acc);

                // gemm_int4.tk:49: let y = consume xs;
                const tk::cursor<10> y_element = shared.xs.take(xs_next);

                // gemm_int4.tk:50: var u = mma(bf16((i32(w.q[:, 64 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t19;
                tk::load_shared(t19,
                                tk::rows<64>(tk::part<0, 64, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t20;
                tk::map(t20, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map_pairs(t8, [](uint32_t t19, uint32_t t20) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t19), t20);
                }, t19, t20);
                tk::fragment<float, 64, 16> u;
                tk::mma_async(
                    u, t8, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[y_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:51: u += mma(bf16((i32(w.q[:, 64 +: 64]) >> 4) + 128) - w.zero1, ..
                tk::column_fragment<float, 64> t22;
                tk::map(t22, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map_pairs(t12, [](uint32_t t19, uint32_t t22) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t19), t22);
                }, t19, t22);
                tk::mma_async(u, t12, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[y_element.stage])));

                // gemm_int4.tk:52: acc += u * f32(w.scale1);
                tk::column_fragment<float, 64> t23;
                tk::map(t23, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale1[w.stage], 64 * warpgroup + row, 0));
                });
                shared.ws.release_after_loads(w);
                tk::column_fragment<float, 64> t10;
                tk::map(t10, [](float t23) { return float(t23); }, t23);
                tk::mma_wait<0>(u, t8, t12);
                shared.xs.release(y_element);
                tk::map(acc, [](float u, float t10, float acc) { return tk::fma(u, t10, acc); },
                        u, t10, acc);
            }

            // gemm_int4.tk:54: store(Part[s, n, m], T(acc));
            tk::store_global(
                tk::slice(Part, {s, n + 64 * warpgroup, m}, N - (n + 64 * warpgroup), M - m), acc,
                thread);
        }
    }
}

// pack: kernel pack with T = bf16.
// 128 threads, 96 registers each, 17408 bytes of shared memory: pack_kernel<5, 8, 16, true>.
// pack_general: kernel pack with T = bf16; any strides and alignment.
// 128 threads, 255 registers each, 17408 bytes of shared memory: pack_kernel<1, 32, 4, false>.
struct pack_shared {
    tk::shared_tile<int, 1, 4128> pack_turned[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) pack_kernel(
    const tk::tensor_argument<const tk::bf16, 2> W, const tk::tensor_argument<uint8_t, 2> Q,
    const tk::tensor_argument<tk::bf16, 3> Scale, const tk::tensor_argument<tk::bf16, 3> Zero,
    int N, int K) {
    extern __shared__ __align__(1024) unsigned char memory[];
    pack_shared& shared = *reinterpret_cast<pack_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 32);

    // gemm_int4.tk:59: kernel pack<T: dtype = bf16>(W: T[N, K], out Q: u8[N, ceil_div(K, 256) * ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 32;
    const int h = program / n_tiles % 2;
    const int g = program / (n_tiles * 2) * 256;

    // gemm_int4.tk:63: let x     = f32(load(W[n, g.start + h * 128 +: 128]));
    tk::stripe<tk::bf16, 32, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_vectors<vectors>(W, {n, g + h * 128}, N - n, K - (g + h * 128)), thread);

    // gemm_int4.tk:64: let least = min(min(pad(x, axis = 1, with = inf), axis = 1), 0);
    tk::stripe<float, 32, 128, 128, row_threads, vector> t1;
    tk::map(t1, thread, [&](int, int col, tk::bf16 t0) {
        return col < K - (g + h * 128) ? float(t0) : INFINITY;
    }, t0);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t2;
    tk::fold_rows(t2, t1, tk::minimum{}, thread);
    tk::finish_rows(t2, tk::minimum{});
    tk::stripe<float, 32, 1, 128, row_threads, vector> least;
    tk::map(least, [](float t2) { return tk::min(t2, 0.0f); }, t2);

    // gemm_int4.tk:65: let most  = max(max(pad(x, axis = 1, with = -inf), axis = 1), 0);
    tk::stripe<float, 32, 128, 128, row_threads, vector> t3;
    tk::map(t3, thread, [&](int, int col, tk::bf16 t0) {
        return col < K - (g + h * 128) ? float(t0) : -INFINITY;
    }, t0);
    tk::stripe<float, 32, 1, 128, row_threads, vector> t4;
    tk::fold_rows(t4, t3, tk::maximum{}, thread);
    tk::finish_rows(t4, tk::maximum{});

    // gemm_int4.tk:67: let scale = where(width == 0, 1.0, width);
    tk::stripe<float, 32, 1, 128, row_threads, vector> scale;
    tk::map(scale, [](float t4, float least) {
        const float x_2 = float(tk::bf16(tk::divide(tk::max(t4, 0.0f) - least, 15.0f)));
        return x_2 == 0.0f ? 1.0f : x_2;
    }, t4, least);

    // gemm_int4.tk:68: let zero  = min(max(round(-least / scale), 0), 15);
    tk::stripe<float, 32, 1, 128, row_threads, vector> zero;
    tk::map(zero, [](float least, float scale) {
        return tk::min(tk::max(tk::round(tk::divide(-least, scale)), 0.0f), 15.0f);
    }, least, scale);

    // gemm_int4.tk:69: let q     = i32(min(max(round(x / scale) + zero, 0), 15));
    tk::stripe<int, 32, 128, 128, row_threads, vector> q;
    tk::map(q, [](tk::bf16 t0, float scale, float zero) {
        return __float2int_rz(
            tk::min(tk::max(tk::round(tk::divide(float(t0), scale)) + zero, 0.0f), 15.0f));
    }, t0, scale, zero);

    // gemm_int4.tk:70: store(Q[n, g.index * 128 + h * 64 +: 64], u8(q[:, 0 +: 64] | q[:, 64 +: ..
    tk::stripe<int, 32, 64, 128, row_threads, vector> t5;
    tk::slice_registers<0, 0>(t5, q);
    tk::stripe<int, 32, 64, 128, row_threads, vector> t6;
    tk::slice_rows_and_columns<0, 64>(t6, q, shared.pack_turned[0], thread, 1);
    tk::stripe<uint8_t, 32, 64, 128, row_threads, vector> t7;
    tk::map(t7, [](int t5, int t6) { return uint8_t(t5 | tk::wrapping_shift_left(t6, 4)); },
            t5, t6);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(Q, {n, g / 256 * 128 + h * 64}, N - n,
                                      tk::divide_up(K, 256) * 128 - (g / 256 * 128 + h * 64)), t7,
        thread);

    // gemm_int4.tk:71: store(Scale[g.index, h, n], bf16(scale));
    tk::stripe<tk::bf16, 32, 1, 128, row_threads, vector> t8;
    tk::map(t8, [](float scale) { return scale; }, scale);
    tk::store_global(
        tk::slice<2, tk::no_axis>(Scale, {g / 256, h, n},
                                  g / 256 < tk::divide_up(K, 256) ? N - n : 0, 1), t8, thread);

    // gemm_int4.tk:72: store(Zero[g.index, h, n], bf16(zero + 128));
    tk::stripe<tk::bf16, 32, 1, 128, row_threads, vector> t9;
    tk::map(t9, [](float zero) { return zero + 128.0f; }, zero);
    tk::store_global(
        tk::slice<2, tk::no_axis>(Zero, {g / 256, h, n},
                                  g / 256 < tk::divide_up(K, 256) ? N - n : 0, 1), t9, thread);
}

// gemm_few_total_BM_16_BS_4: kernel gemm_few.total with BM = 16, BS = 4.
// 128 threads, 64 registers each, 2048 bytes of shared memory.
struct gemm_few_total_BM_16_BS_4_shared {
    tk::shared_tile<int, 1, 288> total_turned[1];
};

__global__ void __launch_bounds__(128, 8) gemm_few_total_BM_16_BS_4_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int N, int M) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_few_total_BM_16_BS_4_shared& shared =
        *reinterpret_cast<gemm_few_total_BM_16_BS_4_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 32);

    // gemm_few.tk:28: kernel total<BM: int = 16, BS: int = 4>(Part: f32[P, N, M], out C: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 32;
    const int m = program / n_tiles * 16;

    // gemm_few.tk:32: var all: f32[32, BM] = 0;
    tk::stripe<float, 32, 16, 128, 4, 8> all;
    tk::zero(all);

    // gemm_few.tk:33: for t in P by BS {
    for (int t = 0; t < P; t += 4) {
        // gemm_few.tk:34: for i in BS pipelined(BS) {
        #pragma unroll 4
        for (int i = 0; i < 4; i += 1) {
            // gemm_few.tk:35: let part = load(Part[min(t.start + i, P - 1), n, m]);
            tk::stripe<float, 32, 16, 128, 4, 8> part;
            tk::load_vectors(part,
                             tk::vector_slice(Part, {tk::min(t + i, P - 1), n, m},
                                              tk::min(t + i, P - 1) > -1 &&
                                              tk::min(t + i, P - 1) < P ? N - n : 0, M - m),
                             thread);

            // gemm_few.tk:36: all += where(t.start + i < P, part, 0);
            tk::map(all, [&](float all, float part) { return all + (t + i < P ? part : 0.0f); },
                    all, part);
        }
    }

    // gemm_few.tk:39: store(C[m, n], bf16(all).T);
    tk::stripe<tk::bf16, 32, 16, 128, 4, 8> t1 = tk::convert<tk::bf16>(all);
    tk::stripe<tk::bf16, 16, 32, 128, 4, 8> t2;
    tk::transpose(t2, t1, shared.total_turned[0], thread, 1);
    tk::store_vectors(tk::vector_slice(C, {m, n}, M - m, N - n), t2, thread);
}

// gemm_few_total_BM_16_BS_4_general: kernel gemm_few.total with BM = 16, BS = 4; any strides and
// alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory.
struct gemm_few_total_BM_16_BS_4_general_shared {
    tk::shared_tile<int, 1, 288> total_turned[1];
};

__global__ void __launch_bounds__(128, 1) gemm_few_total_BM_16_BS_4_general_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int N, int M) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_few_total_BM_16_BS_4_general_shared& shared =
        *reinterpret_cast<gemm_few_total_BM_16_BS_4_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 32);

    // gemm_few.tk:28: kernel total<BM: int = 16, BS: int = 4>(Part: f32[P, N, M], out C: bf16[M, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 32;
    const int m = program / n_tiles * 16;

    // gemm_few.tk:32: var all: f32[32, BM] = 0;
    tk::stripe<float, 32, 16, 128, 16, 2> all;
    tk::zero(all);

    // gemm_few.tk:33: for t in P by BS {
    for (int t = 0; t < P; t += 4) {
        // gemm_few.tk:34: for i in BS pipelined(BS) {
        for (int i = 0; i < 4; i += 1) {
            // gemm_few.tk:35: let part = load(Part[min(t.start + i, P - 1), n, m]);
            tk::stripe<float, 32, 16, 128, 16, 2> part;
            tk::load_global(part,
                            tk::slice(Part, {tk::min(t + i, P - 1), n, m},
                                      tk::min(t + i, P - 1) > -1 && tk::min(t + i, P - 1) < P
                                      ? N - n : 0, M - m), thread);

            // gemm_few.tk:36: all += where(t.start + i < P, part, 0);
            tk::map(all, [&](float all, float part) { return all + (t + i < P ? part : 0.0f); },
                    all, part);
        }
    }

    // gemm_few.tk:39: store(C[m, n], bf16(all).T);
    tk::stripe<tk::bf16, 32, 16, 128, 16, 2> t1 = tk::convert<tk::bf16>(all);
    tk::stripe<tk::bf16, 16, 32, 128, 16, 2> t2;
    tk::transpose(t2, t1, shared.total_turned[0], thread, 1);
    tk::store_global(tk::slice(C, {m, n}, M - m, N - n), t2, thread);
}

// product_BM_16_BN_256_S_5_SX_10_T_bf16: kernel product with BM = 16, BN = 256, S = 5, SX = 10, T =
// bf16.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 223472 bytes of shared memory; persistent.
struct product_BM_16_BN_256_S_5_SX_10_T_bf16_shared {
    tk::shared_tile<uint8_t, 256, 128> ws_q[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale1[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero1[5];
    tk::shared_tile<tk::bf16, 16, 128> xs_tile[10];
    tk::shared_tile<tk::bf16, 64, 16> consumer_Part[4];
    tk::pipeline<5> ws;
    tk::pipeline<10> xs;
};
static_assert(offsetof(product_BM_16_BN_256_S_5_SX_10_T_bf16_shared, xs) == 223312);

__global__ void __launch_bounds__(640, 1) product_BM_16_BN_256_S_5_SX_10_T_bf16_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Scale_map,
    const __grid_constant__ CUtensorMap Zero_map, const __grid_constant__ CUtensorMap X_map,
    const __grid_constant__ CUtensorMap Part_map, const tk::tensor_argument<tk::bf16, 3> Part,
    int M, int N, int KW, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_BM_16_BN_256_S_5_SX_10_T_bf16_shared& shared =
        *reinterpret_cast<product_BM_16_BN_256_S_5_SX_10_T_bf16_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, Scale_map, Zero_map, X_map, Part_map);
        shared.ws.init(1, 16);
        shared.xs.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int4.tk:28: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<5> ws_next;
            tk::cursor<10> xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
                const int chunk = tk::divide_up(KW, P * 128) * 128;

                // gemm_int4.tk:29: for (k) in steps {
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                    // gemm_int4.tk:30: produce ws {
                    shared.ws.begin(ws_next, 34816);

                    // gemm_int4.tk:31: q = tma_load(Q[n, k]) evict_first;
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);

                    // gemm_int4.tk:32: scale0 = column(tma_load(Scale[k.index, 0, n]));
                    tk::tma_load(shared.ws_scale0[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:33: zero0 = column(tma_load(Zero[k.index, 0, n]));
                    tk::tma_load(shared.ws_zero0[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:34: scale1 = column(tma_load(Scale[k.index, 1, n]));
                    tk::tma_load(shared.ws_scale1[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);

                    // gemm_int4.tk:35: zero1 = column(tma_load(Zero[k.index, 1, n]));
                    tk::tma_load(shared.ws_zero1[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);
                    // gemm_int4.tk:30
                    ws_next.advance();

                    // gemm_int4.tk:37: produce xs = tma_load(X[m, 2 * k.start +: 128]) evict_last;
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k);
                    xs_next.advance();

                    // gemm_int4.tk:38: produce xs = tma_load(X[m, 2 * k.start + 128 +: 128]) ..
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k + 128);
                    xs_next.advance();
                }
            }
        }
    } else {
        // gemm_int4.tk:41: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<5> ws_next;
        tk::cursor<10> xs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
            const int chunk = tk::divide_up(KW, P * 128) * 128;

            // gemm_int4.tk:42: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int4.tk:43: for (k) in steps {
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                // gemm_int4.tk:44: let w = consume ws;
                const tk::cursor<5> w = shared.ws.take(ws_next);

                // gemm_int4.tk:45: let x = consume xs;
                const tk::cursor<10> x_element = shared.xs.take(xs_next);

                // gemm_int4.tk:46: var t = mma(bf16((i32(w.q[:, 0 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t15;
                tk::load_shared(t15,
                                tk::rows<64>(tk::part<0, 0, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t16;
                tk::map(t16, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map_pairs(t1, [](uint32_t t15, uint32_t t16) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t15), t16);
                }, t15, t16);
                tk::fragment<float, 64, 16> t;
                tk::mma_async(
                    t, t1, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[x_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:47: t += mma(bf16((i32(w.q[:, 0 +: 64]) >> 4) + 128) - w.zero0, ..
                tk::column_fragment<float, 64> t18;
                tk::map(t18, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map_pairs(t5, [](uint32_t t15, uint32_t t18) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t15), t18);
                }, t15, t18);
                tk::mma_async(t, t5, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[x_element.stage])));

                // gemm_int4.tk:48: acc += t * f32(w.scale0);
                tk::column_fragment<float, 64> t19;
                tk::map(t19, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::column_fragment<float, 64> t3;
                tk::map(t3, [](float t19) { return float(t19); }, t19);
                tk::mma_wait<0>(t, t1, t5);
                shared.xs.release(x_element);
                tk::map(acc, [](float t, float t3, float acc) { return tk::fma(t, t3, acc); },
                        t, t3, acc);

                // gemm_int4.tk:49: let y = consume xs;
                const tk::cursor<10> y_element = shared.xs.take(xs_next);

                // gemm_int4.tk:50: var u = mma(bf16((i32(w.q[:, 64 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t20;
                tk::load_shared(t20,
                                tk::rows<64>(tk::part<0, 64, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t21;
                tk::map(t21, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map_pairs(t8, [](uint32_t t20, uint32_t t21) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t20), t21);
                }, t20, t21);
                tk::fragment<float, 64, 16> u;
                tk::mma_async(
                    u, t8, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[y_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:51: u += mma(bf16((i32(w.q[:, 64 +: 64]) >> 4) + 128) - w.zero1, ..
                tk::column_fragment<float, 64> t23;
                tk::map(t23, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map_pairs(t12, [](uint32_t t20, uint32_t t23) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t20), t23);
                }, t20, t23);
                tk::mma_async(u, t12, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[y_element.stage])));

                // gemm_int4.tk:52: acc += u * f32(w.scale1);
                tk::column_fragment<float, 64> t24;
                tk::map(t24, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale1[w.stage], 64 * warpgroup + row, 0));
                });
                shared.ws.release_after_loads(w);
                tk::column_fragment<float, 64> t10;
                tk::map(t10, [](float t24) { return float(t24); }, t24);
                tk::mma_wait<0>(u, t8, t12);
                shared.xs.release(y_element);
                tk::map(acc, [](float u, float t10, float acc) { return tk::fma(u, t10, acc); },
                        u, t10, acc);
            }

            // gemm_int4.tk:54: store(Part[s, n, m], T(acc));
            #pragma unroll
            for (int panel = 0; panel < 16; panel += 16) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::store_shared(shared.consumer_Part[warpgroup], tk::convert<tk::bf16>(acc),
                                 thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (M % 8 != 0 && M < m + panel + 16) {
                    tk::copy_to_global(
                        tk::dense_slice(Part, {s, n + warpgroup * 64, m + panel},
                                        N - (n + warpgroup * 64), M - (m + panel)),
                        shared.consumer_Part[warpgroup]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(Part_map, shared.consumer_Part[warpgroup], s, n + warpgroup * 64,
                                  m + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

// product_BM_16_BN_256_S_5_SX_10_T_bf16_general: kernel product with BM = 16, BN = 256, S = 5, SX =
// 10, T = bf16; any strides and alignment.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 215280 bytes of shared memory; persistent.
struct product_BM_16_BN_256_S_5_SX_10_T_bf16_general_shared {
    tk::shared_tile<uint8_t, 256, 128> ws_q[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero0[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_scale1[5];
    tk::shared_tile<tk::bf16, 256, 1> ws_zero1[5];
    tk::shared_tile<tk::bf16, 16, 128> xs_tile[10];
    tk::pipeline<5> ws;
    tk::pipeline<10> xs;
};
static_assert(offsetof(product_BM_16_BN_256_S_5_SX_10_T_bf16_general_shared, xs) == 215120);

__global__ void __launch_bounds__(640, 1) product_BM_16_BN_256_S_5_SX_10_T_bf16_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap Scale_map,
    const __grid_constant__ CUtensorMap Zero_map, const __grid_constant__ CUtensorMap X_map,
    const tk::tensor_argument<tk::bf16, 3> Part, int M, int N, int KW, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_BM_16_BN_256_S_5_SX_10_T_bf16_general_shared& shared =
        *reinterpret_cast<product_BM_16_BN_256_S_5_SX_10_T_bf16_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, Scale_map, Zero_map, X_map);
        shared.ws.init(1, 16);
        shared.xs.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int4.tk:28: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<5> ws_next;
            tk::cursor<10> xs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
                const int chunk = tk::divide_up(KW, P * 128) * 128;

                // gemm_int4.tk:29: for (k) in steps {
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                    // gemm_int4.tk:30: produce ws {
                    shared.ws.begin(ws_next, 34816);

                    // gemm_int4.tk:31: q = tma_load(Q[n, k]) evict_first;
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);

                    // gemm_int4.tk:32: scale0 = column(tma_load(Scale[k.index, 0, n]));
                    tk::tma_load(shared.ws_scale0[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:33: zero0 = column(tma_load(Zero[k.index, 0, n]));
                    tk::tma_load(shared.ws_zero0[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 0, n);

                    // gemm_int4.tk:34: scale1 = column(tma_load(Scale[k.index, 1, n]));
                    tk::tma_load(shared.ws_scale1[ws_next.stage], Scale_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);

                    // gemm_int4.tk:35: zero1 = column(tma_load(Zero[k.index, 1, n]));
                    tk::tma_load(shared.ws_zero1[ws_next.stage], Zero_map,
                                 shared.ws.full[ws_next.stage], k / 128, 1, n);
                    // gemm_int4.tk:30
                    ws_next.advance();

                    // gemm_int4.tk:37: produce xs = tma_load(X[m, 2 * k.start +: 128]) evict_last;
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k);
                    xs_next.advance();

                    // gemm_int4.tk:38: produce xs = tma_load(X[m, 2 * k.start + 128 +: 128]) ..
                    shared.xs.begin(xs_next, 4096);
                    tk::tma_load(shared.xs_tile[xs_next.stage], tk::hinted(X_map, evict_last),
                                 shared.xs.full[xs_next.stage], m, 2 * k + 128);
                    xs_next.advance();
                }
            }
        }
    } else {
        // gemm_int4.tk:41: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<5> ws_next;
        tk::cursor<10> xs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int4.tk:18: let chunk = ceil_div(KW, P * 128) * 128;
            const int chunk = tk::divide_up(KW, P * 128) * 128;

            // gemm_int4.tk:42: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int4.tk:43: for (k) in steps {
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, KW); k += 128) {
                // gemm_int4.tk:44: let w = consume ws;
                const tk::cursor<5> w = shared.ws.take(ws_next);

                // gemm_int4.tk:45: let x = consume xs;
                const tk::cursor<10> x_element = shared.xs.take(xs_next);

                // gemm_int4.tk:46: var t = mma(bf16((i32(w.q[:, 0 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t15;
                tk::load_shared(t15,
                                tk::rows<64>(tk::part<0, 0, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t16;
                tk::map(t16, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map_pairs(t1, [](uint32_t t15, uint32_t t16) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t15), t16);
                }, t15, t16);
                tk::fragment<float, 64, 16> t;
                tk::mma_async(
                    t, t1, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[x_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:47: t += mma(bf16((i32(w.q[:, 0 +: 64]) >> 4) + 128) - w.zero0, ..
                tk::column_fragment<float, 64> t18;
                tk::map(t18, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t5;
                tk::map_pairs(t5, [](uint32_t t15, uint32_t t18) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t15), t18);
                }, t15, t18);
                tk::mma_async(t, t5, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[x_element.stage])));

                // gemm_int4.tk:48: acc += t * f32(w.scale0);
                tk::column_fragment<float, 64> t19;
                tk::map(t19, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale0[w.stage], 64 * warpgroup + row, 0));
                });
                tk::column_fragment<float, 64> t3;
                tk::map(t3, [](float t19) { return float(t19); }, t19);
                tk::mma_wait<0>(t, t1, t5);
                shared.xs.release(x_element);
                tk::map(acc, [](float t, float t3, float acc) { return tk::fma(t, t3, acc); },
                        t, t3, acc);

                // gemm_int4.tk:49: let y = consume xs;
                const tk::cursor<10> y_element = shared.xs.take(xs_next);

                // gemm_int4.tk:50: var u = mma(bf16((i32(w.q[:, 64 +: 64]) & 15) + 128) - ..
                tk::fragment<uint8_t, 64, 64> t20;
                tk::load_shared(t20,
                                tk::rows<64>(tk::part<0, 64, 256, 64>(shared.ws_q[w.stage]),
                                             64 * warpgroup), thread);
                tk::column_fragment<float, 64> t21;
                tk::map(t21, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t8;
                tk::map_pairs(t8, [](uint32_t t20, uint32_t t21) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 0, 15>(t20), t21);
                }, t20, t21);
                tk::fragment<float, 64, 16> u;
                tk::mma_async(
                    u, t8, tk::transposed(tk::part<0, 0, 16, 64>(shared.xs_tile[y_element.stage])),
                    tk::accumulate_never{});

                // gemm_int4.tk:51: u += mma(bf16((i32(w.q[:, 64 +: 64]) >> 4) + 128) - w.zero1, ..
                tk::column_fragment<float, 64> t23;
                tk::map(t23, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_zero1[w.stage], 64 * warpgroup + row, 0));
                });
                tk::fragment<tk::bf16, 64, 64> t12;
                tk::map_pairs(t12, [](uint32_t t20, uint32_t t23) {
                    return tk::subtract_pairs<tk::bf16>(tk::number_pair<tk::bf16, 4, 15>(t20), t23);
                }, t20, t23);
                tk::mma_async(u, t12, tk::transposed(
                    tk::part<0, 64, 16, 64>(shared.xs_tile[y_element.stage])));

                // gemm_int4.tk:52: acc += u * f32(w.scale1);
                tk::column_fragment<float, 64> t24;
                tk::map(t24, thread, [&](int row, int) {
                    return float(tk::get(shared.ws_scale1[w.stage], 64 * warpgroup + row, 0));
                });
                shared.ws.release_after_loads(w);
                tk::column_fragment<float, 64> t10;
                tk::map(t10, [](float t24) { return float(t24); }, t24);
                tk::mma_wait<0>(u, t8, t12);
                shared.xs.release(y_element);
                tk::map(acc, [](float u, float t10, float acc) { return tk::fma(u, t10, acc); },
                        u, t10, acc);
            }

            // gemm_int4.tk:54: store(Part[s, n, m], T(acc));
            tk::fragment<tk::bf16, 64, 16> t14 = tk::convert<tk::bf16>(acc);
            tk::store_global(
                tk::slice(Part, {s, n + 64 * warpgroup, m}, N - (n + 64 * warpgroup), M - m), t14,
                thread);
        }
    }
}

namespace {
tk::status launch_product(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q,
                          const tk::tensor& Scale, const tk::tensor& Zero, const tk::tensor& Part,
                          int64_t M, int64_t N, int64_t KW, int64_t P) {
    return tk::run<product_kernel>(
        site, sizeof(product_shared), tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{Scale, {1, 1, 256}, 0}, tk::box{Zero, {1, 1, 256}, 0},
        tk::box{X, {16, 64}, 128}, Part, M, N, KW, P);
}

tk::status launch_gemm_few_total_BM_16_BS_4(const tk::launch_site& site, const tk::tensor& Part,
                                            const tk::tensor& C, int64_t P, int64_t N, int64_t M) {
    return tk::run<gemm_few_total_BM_16_BS_4_kernel>(
        site, sizeof(gemm_few_total_BM_16_BS_4_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), Part, C, P, N, M);
}

tk::status launch_gemm_few_total_BM_16_BS_4_general(const tk::launch_site& site,
                                                    const tk::tensor& Part, const tk::tensor& C,
                                                    int64_t P, int64_t N, int64_t M) {
    return tk::run<gemm_few_total_BM_16_BS_4_general_kernel>(
        site, sizeof(gemm_few_total_BM_16_BS_4_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), Part, C, P, N, M);
}

tk::status launch_product_BM_16_BN_256_S_5_SX_10_T_bf16(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q, const tk::tensor& Scale,
    const tk::tensor& Zero, const tk::tensor& Part, int64_t M, int64_t N, int64_t KW, int64_t P) {
    return tk::run<product_BM_16_BN_256_S_5_SX_10_T_bf16_kernel>(
        site, sizeof(product_BM_16_BN_256_S_5_SX_10_T_bf16_shared),
        tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{Scale, {1, 1, 256}, 0}, tk::box{Zero, {1, 1, 256}, 0},
        tk::box{X, {16, 64}, 128}, tk::box{Part, {1, 64, 16}, 32}, Part, M, N, KW, P);
}

tk::status launch_product_BM_16_BN_256_S_5_SX_10_T_bf16_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q, const tk::tensor& Scale,
    const tk::tensor& Zero, const tk::tensor& Part, int64_t M, int64_t N, int64_t KW, int64_t P) {
    return tk::run<product_BM_16_BN_256_S_5_SX_10_T_bf16_general_kernel>(
        site, sizeof(product_BM_16_BN_256_S_5_SX_10_T_bf16_general_shared),
        tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{Scale, {1, 1, 256}, 0}, tk::box{Zero, {1, 1, 256}, 0},
        tk::box{X, {16, 64}, 128}, Part, M, N, KW, P);
}

}  // namespace

extern "C" {
int product(const DLTensor* X_given, const DLTensor* Q_given, const DLTensor* Scale_given,
            const DLTensor* Zero_given, DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"product"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_u8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Zero = call.take("Zero", Zero_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    const int64_t KW = Q.shape[1];
    const int64_t P = Part.shape[0];
    call.require(
        {tk::fixed_extent(Scale, 1, 2), tk::same_extent("N", Q, 0, Scale, 2),
         tk::fixed_extent(Zero, 1, 2), tk::same_extent("N", Q, 0, Zero, 2),
         tk::same_extent("N", Q, 0, Part, 1), tk::same_extent("M", X, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"KW", KW}, {"P", P}}),
         tk::that(Scale.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Scale` is {}; it must be `KW/128`, which is {}",
                  {Scale.shape[0], tk::floor_div(KW, 128)}),
         tk::that(Zero.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Zero` is {}; it must be `KW/128`, which is {}",
                  {Zero.shape[0], tk::floor_div(KW, 128)}), tk::fits("2*KW", 2 * KW),
         tk::fits("P*128", P * 128),
         tk::that(KW % 128 == 0, "`KW/128` is an extent, but {} is no multiple of 128", {KW}),
         tk::that(K <= 2 * KW, "`product` requires `K <= 2 * KW`"),
         tk::that(0 < P * 128, "`P*128` is at least 1, because `product` divides by it"),
         tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "KW"), tk::suits_tma_load(Scale, "N"),
         tk::suits_tma_load(Zero, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
                       2147418112),
         tk::that(1 <= P * 128,
                  "`ceil_div(KW, P*128)` divides by `P*128`, which is {}: it must be at least 1",
                  {P * 128}), tk::fits("ceil_div(KW, P*128)*128", tk::ceil_div(KW, P * 128) * 128),
         tk::fits("s*chunk", tk::multiply(P - 1, tk::ceil_div(KW, P * 128) * 128)),
         tk::fits("(s + 1)*chunk", tk::multiply(P - 1 + 1, tk::ceil_div(KW, P * 128) * 128)),
         tk::fits("2*k.start",
                  2 *
                  (tk::smaller(tk::multiply(P - 1 + 1, tk::ceil_div(KW, P * 128) * 128), KW) - 1)),
         tk::fits("2*k.start + 128",
                  2 *
                  (tk::smaller(tk::multiply(P - 1 + 1, tk::ceil_div(KW, P * 128) * 128), KW) - 1) +
                  128)});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<product_kernel>(
        site, sizeof(product_shared), tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{Scale, {1, 1, 256}, 0}, tk::box{Zero, {1, 1, 256}, 0},
        tk::box{X, {16, 64}, 128}, Part, M, N, KW, P));
}
TK_NO_WORKSPACE(product, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int pack(const DLTensor* W_given, DLTensor* Q_given, DLTensor* Scale_given, DLTensor* Zero_given,
         void*, size_t, cudaStream_t stream) {
    tk::arguments call{"pack"};
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_u8, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_bf16, 3, tk::access::write);
    const tk::tensor Zero = call.take("Zero", Zero_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = W.shape[0];
    const int64_t K = W.shape[1];
    call.require(
        {tk::same_extent("N", W, 0, Q, 0), tk::fixed_extent(Scale, 1, 2),
         tk::same_extent("N", W, 0, Scale, 2), tk::fixed_extent(Zero, 1, 2),
         tk::same_extent("N", W, 0, Zero, 2), tk::extents_fit({{"N", N}, {"K", K}}),
         tk::that(Q.shape[1] == tk::ceil_div(K, 256) * 128,
                  "axis 1 of `Q` is {}; it must be `ceil_div(K, 256)*128`, which is {}",
                  {Q.shape[1], tk::ceil_div(K, 256) * 128}),
         tk::that(Scale.shape[0] == tk::ceil_div(K, 256),
                  "axis 0 of `Scale` is {}; it must be `ceil_div(K, 256)`, which is {}",
                  {Scale.shape[0], tk::ceil_div(K, 256)}),
         tk::that(Zero.shape[0] == tk::ceil_div(K, 256),
                  "axis 0 of `Zero` is {}; it must be `ceil_div(K, 256)`, which is {}",
                  {Zero.shape[0], tk::ceil_div(K, 256)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 32) * 2, tk::ceil_div(K, 256)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 32) * 2, tk::ceil_div(K, 256));
    const bool fast = tk::hold(
        {tk::suits_fast(W, "K"), tk::whole_vectors(W, 16), tk::suits_fast(Q),
         tk::that(tk::ceil_div(K, 256) * 128 % 16 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<pack_kernel<5, 8, 16, true>, pack_kernel<1, 32, 4, false>>(
        fast ? 0 : 1, site, sizeof(pack_shared), tk::kernel_shape(128).overlapping(), programs, W,
        Q, Scale, Zero, N, K));
}
TK_NO_WORKSPACE(pack, const DLTensor*, DLTensor*, DLTensor*, DLTensor*)

int gemm_int4(const DLTensor* X_given, const DLTensor* Q_given, const DLTensor* Scale_given,
              const DLTensor* Zero_given, DLTensor* C_given, DLTensor* Part_given, int32_t splits,
              void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_int4"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_u8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Zero = call.take("Zero", Zero_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    const int64_t KW = Q.shape[1];
    call.require(
        {tk::fixed_extent(Scale, 1, 2), tk::same_extent("N", Q, 0, Scale, 2),
         tk::fixed_extent(Zero, 1, 2), tk::same_extent("N", Q, 0, Zero, 2),
         tk::same_extent("M", X, 0, C, 0), tk::same_extent("N", Q, 0, C, 1),
         tk::same_extent("N", Q, 0, Part, 1), tk::same_extent("M", X, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"KW", KW}}),
         tk::that(Scale.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Scale` is {}; it must be `KW/128`, which is {}",
                  {Scale.shape[0], tk::floor_div(KW, 128)}),
         tk::that(Zero.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Zero` is {}; it must be `KW/128`, which is {}",
                  {Zero.shape[0], tk::floor_div(KW, 128)}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}), tk::fits("2*KW", 2 * KW),
         tk::that(KW % 128 == 0, "`KW/128` is an extent, but {} is no multiple of 128", {KW}),
         tk::that(int64_t{splits} >= 1, "`gemm_int4` requires `splits >= 1`"),
         tk::that(K <= 2 * KW, "`gemm_int4` requires `K <= 2 * KW`")});
    // product(X, Q, Scale, Zero, Part)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*128", int64_t{splits} * 128),
        tk::that(0 < int64_t{splits} * 128,
                 "`splits*128` is at least 1, because `product` divides by it"),
        tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "KW"), tk::suits_tma_load(Scale, "N"),
        tk::suits_tma_load(Zero, "N"),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), int64_t{splits}),
            2147418112),
        tk::that(1 <= int64_t{splits} * 128,
                 "`ceil_div(KW, splits*128)` divides by `splits*128`, which is {}: it must be at least 1",
                 {int64_t{splits} * 128}),
        tk::fits("ceil_div(KW, splits*128)*128", tk::ceil_div(KW, int64_t{splits} * 128) * 128),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1, tk::ceil_div(KW, int64_t{splits} * 128) * 128)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(KW, int64_t{splits} * 128) * 128)),
        tk::fits("2*k.start",
                 2 *
                 (tk::smaller(
                      tk::multiply(int64_t{splits} - 1 + 1,
                                   tk::ceil_div(KW, int64_t{splits} * 128) * 128), KW) - 1)),
        tk::fits("2*k.start + 128",
                 2 *
                 (tk::smaller(
                      tk::multiply(int64_t{splits} - 1 + 1,
                                   tk::ceil_div(KW, int64_t{splits} * 128) * 128), KW) - 1) +
                 128)});
    // gemm_few.total(Part, C)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // gemm_few.total(Part, C)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Part, "M"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_product(site, X, Q, Scale, Zero, Part, M, N, KW, int64_t{splits}));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_gemm_few_total_BM_16_BS_4(site, tk::read_only(Part), C, int64_t{splits}, N, M));
    } else {
        TK_FINISH_IF_FAILED(launch_gemm_few_total_BM_16_BS_4_general(
            site, tk::read_only(Part), C, int64_t{splits}, N, M));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_int4, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, int32_t)

int gemm_int4_whole(const DLTensor* X_given, const DLTensor* Q_given, const DLTensor* Scale_given,
                    const DLTensor* Zero_given, DLTensor* C_given, void*, size_t,
                    cudaStream_t stream) {
    tk::arguments call{"gemm_int4_whole"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_u8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor Zero = call.take("Zero", Zero_given, tk::dtype_bf16, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    const int64_t KW = Q.shape[1];
    call.require(
        {tk::fixed_extent(Scale, 1, 2), tk::same_extent("N", Q, 0, Scale, 2),
         tk::fixed_extent(Zero, 1, 2), tk::same_extent("N", Q, 0, Zero, 2),
         tk::fixed_extent(C, 0, 1), tk::same_extent("N", Q, 0, C, 1),
         tk::same_extent("M", X, 0, C, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"KW", KW}}),
         tk::that(Scale.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Scale` is {}; it must be `KW/128`, which is {}",
                  {Scale.shape[0], tk::floor_div(KW, 128)}),
         tk::that(Zero.shape[0] == tk::floor_div(KW, 128),
                  "axis 0 of `Zero` is {}; it must be `KW/128`, which is {}",
                  {Zero.shape[0], tk::floor_div(KW, 128)}), tk::fits("2*KW", 2 * KW),
         tk::that(KW % 128 == 0, "`KW/128` is an extent, but {} is no multiple of 128", {KW}),
         tk::that(K <= 2 * KW, "`gemm_int4_whole` requires `K <= 2 * KW`")});
    // product(X, Q, Scale, Zero, C)
    call.require({
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
        tk::fits("ceil_div(KW, 1*128)*128", tk::ceil_div(KW, 128) * 128),
        tk::fits("2*k.start", 2 * (tk::smaller(tk::ceil_div(KW, 128) * 128, KW) - 1)),
        tk::fits("2*k.start + 128", 2 * (tk::smaller(tk::ceil_div(KW, 128) * 128, KW) - 1) + 128)});
    if (!call.ok()) return tk::finish(call.result());

    // product(X, Q, Scale, Zero, C)
    tk::selection choice_1{call};
    choice_1.candidate();  // product_BM_16_BN_256_S_5_SX_10_T_bf16
    choice_1.prefer(
        {tk::suits_fast(X, "K"), tk::suits_fast(Q, "KW"), tk::suits_fast(Scale, "N"),
         tk::suits_fast(Zero, "N"), tk::suits_fast(C, "M")});
    choice_1.offer();
    choice_1.candidate(true);  // product_BM_16_BN_256_S_5_SX_10_T_bf16_general
    choice_1.require(
        {tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "KW"), tk::suits_tma_load(Scale, "N"),
         tk::suits_tma_load(Zero, "N")});
    choice_1.offer();
    if (!choice_1.ok()) return tk::finish(choice_1.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_product_BM_16_BN_256_S_5_SX_10_T_bf16(site, X, Q, Scale, Zero, C, M, N, KW, 1));
    }
    if (choice_1.best(site) == 1) {
        TK_FINISH_IF_FAILED(launch_product_BM_16_BN_256_S_5_SX_10_T_bf16_general(
            site, X, Q, Scale, Zero, C, M, N, KW, 1));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_int4_whole, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)
}  // extern "C"
