// Made by tkc from gemm_int8_weights.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cache.cuh"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/tk.cuh"

// product: kernel product with D = i8, BM = 16, BN = 256, S = 6, T = f32.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 221280 bytes of shared memory; persistent.
struct product_shared {
    tk::shared_tile<int8_t, 256, 128> ws_q[6];
    tk::shared_tile<tk::bf16, 16, 128> ws_x[6];
    tk::pipeline<6> ws;
};
static_assert(offsetof(product_shared, ws) == 221184);

__global__ void __launch_bounds__(640, 1) product_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap X_map,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<float, 3> Part,
    int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_shared& shared = *reinterpret_cast<product_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, X_map);
        shared.ws.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int8_weights.tk:16: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<6> ws_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
                const int chunk = tk::divide_up(K, P * 128) * 128;

                // gemm_int8_weights.tk:17: for (k) in steps { produce ws { q = tma_load(Q[n, k]) ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                    shared.ws.begin(ws_next, 36864);
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);
                    tk::tma_load(shared.ws_x[ws_next.stage], tk::hinted(X_map, evict_last),
                                 shared.ws.full[ws_next.stage], m, k);
                    ws_next.advance();
                }
            }
        }
    } else {
        // gemm_int8_weights.tk:19: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<6> ws_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
            const int chunk = tk::divide_up(K, P * 128) * 128;

            // gemm_int8_weights.tk:20: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int8_weights.tk:21: for (k) in steps { consume ws as w { acc += ..
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                const tk::cursor<6> w = shared.ws.take(ws_next);
                tk::fragment<int8_t, 64, 128> t3;
                tk::load_shared(t3, tk::rows<64>(shared.ws_q[w.stage], 64 * warpgroup), thread);
                tk::fragment<tk::bf16, 64, 128> t0;
                tk::map(t0, [](float t3) { return t3; }, t3);
                tk::mma_async(acc, t0, tk::transposed(shared.ws_x[w.stage]));
                tk::mma_wait<0>(acc, t0);
                shared.ws.release_after_loads(w);
            }

            // gemm_int8_weights.tk:22: store(Part[s, n, m], T(acc * column(load(Scale[n]))));
            tk::fragment<float, 64, 16> t2;
            tk::map(t2, thread, [&](int row, int, float acc) {
                return acc *
                    (n + 64 * warpgroup + row < N ? tk::cell(Scale, n + 64 * warpgroup + row)
                     : float{});
            }, acc);
            tk::store_global(
                tk::slice(Part, {s, n + 64 * warpgroup, m}, N - (n + 64 * warpgroup), M - m), t2,
                thread);
        }
    }
}

// pack: kernel pack with T = bf16.
// 128 threads, 48 registers each: pack_kernel<10, 16, true>.
// pack_general: kernel pack with T = bf16; any strides and alignment.
// 128 threads, 255 registers each: pack_kernel<1, 4, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) pack_kernel(
    const tk::tensor_argument<const tk::bf16, 2> W, const tk::tensor_argument<int8_t, 2> Q,
    const tk::tensor_argument<float, 1> Scale, int N, int K) {
    tk::wait_for_previous_kernel();

    // gemm_int8_weights.tk:26: kernel pack<T: dtype = bf16>(W: T[N, K], out Q: i8[N, K], out ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program * 4;

    // gemm_int8_weights.tk:29: var top: f32[4, 1] = 0;
    tk::stripe<float, 4, 1, 128, 32, vector> top;
    tk::zero(top);

    // gemm_int8_weights.tk:30: for k in K by 512 { top = max(top, max(pad(abs(f32(load(W[n, ..
    for (int k = 0; k < K; k += 512) {
        tk::stripe<tk::bf16, 4, 512, 128, 32, vector> t0;
        tk::load_slice<vectors>(t0, tk::slice_if_vectors<vectors>(W, {n, k}, N - n, K - k), thread);
        tk::stripe<float, 4, 512, 128, 32, vector> t1;
        tk::map(t1, thread, [&](int, int col, tk::bf16 t0) {
            return col < K - k ? tk::abs(float(t0)) : -INFINITY;
        }, t0);
        tk::stripe<float, 4, 1, 128, 32, vector> t2;
        tk::fold_rows(t2, t1, tk::maximum{}, thread);
        tk::finish_rows(t2, tk::maximum{});
        tk::map(top, [](float top, float t2) { return tk::max(top, t2); }, top, t2);
    }

    // gemm_int8_weights.tk:31: let scale = where(top == 0, 1.0, top / 127);
    tk::stripe<float, 4, 1, 128, 32, vector> scale;
    tk::map(scale, [](float top) { return top == 0.0f ? 1.0f : tk::divide(top, 127.0f); }, top);

    // gemm_int8_weights.tk:32: for k in K by 512 { store(Q[n, k], i8(min(max(round(f32(load(W[n, ..
    for (int k = 0; k < K; k += 512) {
        tk::stripe<tk::bf16, 4, 512, 128, 32, vector> t3;
        tk::load_slice<vectors>(t3, tk::slice_if_vectors<vectors>(W, {n, k}, N - n, K - k), thread);
        tk::stripe<int8_t, 4, 512, 128, 32, vector> t4;
        tk::map(t4, [](tk::bf16 t3, float scale) {
            return tk::saturated<int8_t>(__float2int_rz(
                tk::min(tk::max(tk::round(tk::divide(float(t3), scale)), -127.0f), 127.0f)));
        }, t3, scale);
        tk::store_slice<vectors>(tk::slice_if_vectors<vectors>(Q, {n, k}, N - n, K - k), t4,
                                 thread);
    }

    // gemm_int8_weights.tk:33: store(Scale[n], scale);
    tk::store_global(tk::slice<0, tk::no_axis>(Scale, {n}, N - n, 1), scale, thread);
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

// product_D_i8_BM_16_BN_256_S_6_T_bf16: kernel product with D = i8, BM = 16, BN = 256, S = 6, T =
// bf16.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 229472 bytes of shared memory; persistent.
struct product_D_i8_BM_16_BN_256_S_6_T_bf16_shared {
    tk::shared_tile<int8_t, 256, 128> ws_q[6];
    tk::shared_tile<tk::bf16, 16, 128> ws_x[6];
    tk::shared_tile<tk::bf16, 64, 16> consumer_Part[4];
    tk::pipeline<6> ws;
};
static_assert(offsetof(product_D_i8_BM_16_BN_256_S_6_T_bf16_shared, ws) == 229376);

__global__ void __launch_bounds__(640, 1) product_D_i8_BM_16_BN_256_S_6_T_bf16_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap X_map,
    const __grid_constant__ CUtensorMap Part_map, const tk::tensor_argument<const float, 1> Scale,
    const tk::tensor_argument<tk::bf16, 3> Part, int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_D_i8_BM_16_BN_256_S_6_T_bf16_shared& shared =
        *reinterpret_cast<product_D_i8_BM_16_BN_256_S_6_T_bf16_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, X_map, Part_map);
        shared.ws.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int8_weights.tk:16: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<6> ws_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
                const int chunk = tk::divide_up(K, P * 128) * 128;

                // gemm_int8_weights.tk:17: for (k) in steps { produce ws { q = tma_load(Q[n, k]) ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                    shared.ws.begin(ws_next, 36864);
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);
                    tk::tma_load(shared.ws_x[ws_next.stage], tk::hinted(X_map, evict_last),
                                 shared.ws.full[ws_next.stage], m, k);
                    ws_next.advance();
                }
            }
        }
    } else {
        // gemm_int8_weights.tk:19: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<6> ws_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
            const int chunk = tk::divide_up(K, P * 128) * 128;

            // gemm_int8_weights.tk:20: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int8_weights.tk:21: for (k) in steps { consume ws as w { acc += ..
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                const tk::cursor<6> w = shared.ws.take(ws_next);
                tk::fragment<int8_t, 64, 128> t3;
                tk::load_shared(t3, tk::rows<64>(shared.ws_q[w.stage], 64 * warpgroup), thread);
                tk::fragment<tk::bf16, 64, 128> t0;
                tk::map(t0, [](float t3) { return t3; }, t3);
                tk::mma_async(acc, t0, tk::transposed(shared.ws_x[w.stage]));
                tk::mma_wait<0>(acc, t0);
                shared.ws.release_after_loads(w);
            }

            // gemm_int8_weights.tk:22: store(Part[s, n, m], T(acc * column(load(Scale[n]))));
            #pragma unroll
            for (int panel = 0; panel < 16; panel += 16) {
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                tk::fragment<tk::bf16, 64, 16> t2;
                tk::map(t2, thread, [&](int row, int, float acc) {
                    return acc *
                        (n + 64 * warpgroup + row < N ? tk::cell(Scale, n + 64 * warpgroup + row)
                         : float{});
                }, acc);
                tk::store_shared(shared.consumer_Part[warpgroup], t2, thread);
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

// product_D_i8_BM_16_BN_256_S_6_T_bf16_general: kernel product with D = i8, BM = 16, BN = 256, S =
// 6, T = bf16; any strides and alignment.
// producer: 1 warp, 32 registers a thread; consumer: 4 warpgroups, 112 registers a thread.
// 640 threads, 96 registers each at first, 221280 bytes of shared memory; persistent.
struct product_D_i8_BM_16_BN_256_S_6_T_bf16_general_shared {
    tk::shared_tile<int8_t, 256, 128> ws_q[6];
    tk::shared_tile<tk::bf16, 16, 128> ws_x[6];
    tk::pipeline<6> ws;
};
static_assert(offsetof(product_D_i8_BM_16_BN_256_S_6_T_bf16_general_shared, ws) == 221184);

__global__ void __launch_bounds__(640, 1) product_D_i8_BM_16_BN_256_S_6_T_bf16_general_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap X_map,
    const tk::tensor_argument<const float, 1> Scale, const tk::tensor_argument<tk::bf16, 3> Part,
    int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    product_D_i8_BM_16_BN_256_S_6_T_bf16_general_shared& shared =
        *reinterpret_cast<product_D_i8_BM_16_BN_256_S_6_T_bf16_general_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, X_map);
        shared.ws.init(1, 16);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 16) {
        // gemm_int8_weights.tk:16: role producer(1 warp) {
        tk::registers_at_most<32>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 16 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<6> ws_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 256;
                const int s = program / (m_tiles * n_tiles);

                // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
                const int chunk = tk::divide_up(K, P * 128) * 128;

                // gemm_int8_weights.tk:17: for (k) in steps { produce ws { q = tma_load(Q[n, k]) ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                    shared.ws.begin(ws_next, 36864);
                    tk::tma_load(shared.ws_q[ws_next.stage], tk::hinted(Q_map, evict_first),
                                 shared.ws.full[ws_next.stage], n, k);
                    tk::tma_load(shared.ws_x[ws_next.stage], tk::hinted(X_map, evict_last),
                                 shared.ws.full[ws_next.stage], m, k);
                    ws_next.advance();
                }
            }
        }
    } else {
        // gemm_int8_weights.tk:19: role consumer(BN / 64 warpgroups) {
        tk::registers_at_least<112>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 256);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<6> ws_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 256;
            const int s = program / (m_tiles * n_tiles);

            // gemm_int8_weights.tk:13: let chunk = ceil_div(K, P * 128) * 128;
            const int chunk = tk::divide_up(K, P * 128) * 128;

            // gemm_int8_weights.tk:20: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_int8_weights.tk:21: for (k) in steps { consume ws as w { acc += ..
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                const tk::cursor<6> w = shared.ws.take(ws_next);
                tk::fragment<int8_t, 64, 128> t3;
                tk::load_shared(t3, tk::rows<64>(shared.ws_q[w.stage], 64 * warpgroup), thread);
                tk::fragment<tk::bf16, 64, 128> t0;
                tk::map(t0, [](float t3) { return t3; }, t3);
                tk::mma_async(acc, t0, tk::transposed(shared.ws_x[w.stage]));
                tk::mma_wait<0>(acc, t0);
                shared.ws.release_after_loads(w);
            }

            // gemm_int8_weights.tk:22: store(Part[s, n, m], T(acc * column(load(Scale[n]))));
            tk::fragment<tk::bf16, 64, 16> t2;
            tk::map(t2, thread, [&](int row, int, float acc) {
                return acc *
                    (n + 64 * warpgroup + row < N ? tk::cell(Scale, n + 64 * warpgroup + row)
                     : float{});
            }, acc);
            tk::store_global(
                tk::slice(Part, {s, n + 64 * warpgroup, m}, N - (n + 64 * warpgroup), M - m), t2,
                thread);
        }
    }
}

namespace {
tk::status launch_product(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q,
                          const tk::tensor& Scale, const tk::tensor& Part, int64_t M, int64_t K,
                          int64_t N, int64_t P) {
    return tk::run<product_kernel>(
        site, sizeof(product_shared), tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{X, {16, 64}, 128}, Scale, Part, M, K, N, P);
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

tk::status launch_product_D_i8_BM_16_BN_256_S_6_T_bf16(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q, const tk::tensor& Scale,
    const tk::tensor& Part, int64_t M, int64_t K, int64_t N, int64_t P) {
    return tk::run<product_D_i8_BM_16_BN_256_S_6_T_bf16_kernel>(
        site, sizeof(product_D_i8_BM_16_BN_256_S_6_T_bf16_shared),
        tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{X, {16, 64}, 128}, tk::box{Part, {1, 64, 16}, 32},
        Scale, Part, M, K, N, P);
}

tk::status launch_product_D_i8_BM_16_BN_256_S_6_T_bf16_general(
    const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Q, const tk::tensor& Scale,
    const tk::tensor& Part, int64_t M, int64_t K, int64_t N, int64_t P) {
    return tk::run<product_D_i8_BM_16_BN_256_S_6_T_bf16_general_kernel>(
        site, sizeof(product_D_i8_BM_16_BN_256_S_6_T_bf16_general_shared),
        tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{X, {16, 64}, 128}, Scale, Part, M, K, N, P);
}

}  // namespace

extern "C" {
int product(const DLTensor* X_given, const DLTensor* Q_given, const DLTensor* Scale_given,
            DLTensor* Part_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"product"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    const int64_t P = Part.shape[0];
    call.require(
        {tk::same_extent("K", X, 1, Q, 1), tk::same_extent("N", Q, 0, Scale, 0),
         tk::same_extent("N", Q, 0, Part, 1), tk::same_extent("M", X, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"P", P}}), tk::fits("P*128", P * 128),
         tk::that(0 < P * 128, "`P*128` is at least 1, because `product` divides by it"),
         tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "K"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
                       2147418112),
         tk::that(1 <= P * 128,
                  "`ceil_div(K, P*128)` divides by `P*128`, which is {}: it must be at least 1",
                  {P * 128}), tk::fits("ceil_div(K, P*128)*128", tk::ceil_div(K, P * 128) * 128),
         tk::fits("s*chunk", tk::multiply(P - 1, tk::ceil_div(K, P * 128) * 128)),
         tk::fits("(s + 1)*chunk", tk::multiply(P - 1 + 1, tk::ceil_div(K, P * 128) * 128))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<product_kernel>(
        site, sizeof(product_shared), tk::kernel_shape(640).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), P),
        tk::box{Q, {256, 128}, 128}, tk::box{X, {16, 64}, 128}, Scale, Part, M, K, N, P));
}
TK_NO_WORKSPACE(product, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*)

int pack(const DLTensor* W_given, DLTensor* Q_given, DLTensor* Scale_given, void*, size_t,
         cudaStream_t stream) {
    tk::arguments call{"pack"};
    const tk::tensor W = call.take("W", W_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_i8, 2, tk::access::write);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t N = W.shape[0];
    const int64_t K = W.shape[1];
    call.require(
        {tk::same_extent("N", W, 0, Q, 0), tk::same_extent("K", W, 1, Q, 1),
         tk::same_extent("N", W, 0, Scale, 0), tk::extents_fit({{"N", N}, {"K", K}})});
    if (!call.ok()) return tk::finish(call.result());
    const bool fast =
        tk::hold({tk::suits_fast(W, "K"), tk::whole_vectors(W, 16), tk::suits_fast(Q, "K")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<pack_kernel<10, 16, true>, pack_kernel<1, 4, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), tk::ceil_div(N, 4), W, Q, Scale,
        N, K));
}
TK_NO_WORKSPACE(pack, const DLTensor*, DLTensor*, DLTensor*)

int gemm_int8_weights(const DLTensor* X_given, const DLTensor* Q_given, const DLTensor* Scale_given,
                      DLTensor* C_given, DLTensor* Part_given, int32_t splits, void*, size_t,
                      cudaStream_t stream) {
    tk::arguments call{"gemm_int8_weights"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    call.require(
        {tk::same_extent("K", X, 1, Q, 1), tk::same_extent("N", Q, 0, Scale, 0),
         tk::same_extent("M", X, 0, C, 0), tk::same_extent("N", Q, 0, C, 1),
         tk::same_extent("N", Q, 0, Part, 1), tk::same_extent("M", X, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`gemm_int8_weights` requires `splits >= 1`")});
    // product(X, Q, Scale, Part)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*128", int64_t{splits} * 128),
        tk::that(0 < int64_t{splits} * 128,
                 "`splits*128` is at least 1, because `product` divides by it"),
        tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "K"),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), int64_t{splits}),
            2147418112),
        tk::that(1 <= int64_t{splits} * 128,
                 "`ceil_div(K, splits*128)` divides by `splits*128`, which is {}: it must be at least 1",
                 {int64_t{splits} * 128}),
        tk::fits("ceil_div(K, splits*128)*128", tk::ceil_div(K, int64_t{splits} * 128) * 128),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1, tk::ceil_div(K, int64_t{splits} * 128) * 128)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(K, int64_t{splits} * 128) * 128))});
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
    TK_FINISH_IF_FAILED(launch_product(site, X, Q, Scale, Part, M, K, N, int64_t{splits}));
    if (choice_2) {
        TK_FINISH_IF_FAILED(
            launch_gemm_few_total_BM_16_BS_4(site, tk::read_only(Part), C, int64_t{splits}, N, M));
    } else {
        TK_FINISH_IF_FAILED(launch_gemm_few_total_BM_16_BS_4_general(
            site, tk::read_only(Part), C, int64_t{splits}, N, M));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_int8_weights, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t)

int gemm_int8_weights_whole(const DLTensor* X_given, const DLTensor* Q_given,
                            const DLTensor* Scale_given, DLTensor* C_given, void*, size_t,
                            cudaStream_t stream) {
    tk::arguments call{"gemm_int8_weights_whole"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_i8, 2, tk::access::read);
    const tk::tensor Scale = call.take("Scale", Scale_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t N = Q.shape[0];
    call.require(
        {tk::same_extent("K", X, 1, Q, 1), tk::same_extent("N", Q, 0, Scale, 0),
         tk::fixed_extent(C, 0, 1), tk::same_extent("N", Q, 0, C, 1),
         tk::same_extent("M", X, 0, C, 2), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}})});
    // product(X, Q, Scale, C)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 256)), 2147418112),
         tk::fits("ceil_div(K, 1*128)*128", tk::ceil_div(K, 128) * 128)});
    if (!call.ok()) return tk::finish(call.result());

    // product(X, Q, Scale, C)
    tk::selection choice_1{call};
    choice_1.candidate();  // product_D_i8_BM_16_BN_256_S_6_T_bf16
    choice_1.prefer({tk::suits_fast(X, "K"), tk::suits_fast(Q, "K"), tk::suits_fast(C, "M")});
    choice_1.offer();
    choice_1.candidate(true);  // product_D_i8_BM_16_BN_256_S_6_T_bf16_general
    choice_1.require({tk::suits_tma_load(X, "K"), tk::suits_tma_load(Q, "K")});
    choice_1.offer();
    if (!choice_1.ok()) return tk::finish(choice_1.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_product_D_i8_BM_16_BN_256_S_6_T_bf16(site, X, Q, Scale, C, M, K, N, 1));
    }
    if (choice_1.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_product_D_i8_BM_16_BN_256_S_6_T_bf16_general(site, X, Q, Scale, C, M, K, N, 1));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_int8_weights_whole, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)
}  // extern "C"
