// Made by tkc from attention_decode.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/convert_layout.cuh"
#include "tk/operations/mma_sync.cuh"
#include "tk/tk.cuh"

// attention_decode: kernel attention_decode with T = bf16, D = 128, BM = 16, BN = 128.
// producer: 1 warp, 255 registers a thread; consumer: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 149584 bytes of shared memory; persistent:
// attention_decode_kernel<16, 1280, 16, 768, 4096, 1, 4>.
// attention_decode_64: kernel attention_decode with T = bf16, D = 128, BM = 64, BN = 128.
// producer: 1 warp, 255 registers a thread; consumer: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 198736 bytes of shared memory; persistent:
// attention_decode_kernel<64, 4352, 32, 512, 16384, 2, 2>.
template <int BM, int cols, int rows, int copies>
struct attention_decode_shared {
    tk::shared_tile<tk::bf16, BM, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, BM, 128> consumer_q_2_shared[1];
    tk::shared_tile<tk::bf16, BM, 128> consumer_p_2_shared[1];
    tk::shared_tile<int, 1, cols> consumer_turned[1];
    tk::shared_tile<float, rows, 4> consumer_f32_parts[1];
    unsigned char unused[copies];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(__builtin_offsetof(attention_decode_shared<16, 1280, 16, 768>, v_tiles) == 149552);
static_assert(__builtin_offsetof(attention_decode_shared<64, 4352, 32, 512>, v_tiles) == 198704);

template <int BM, int cols, int rows, int copies, int bytes, int warp_rows, int warp_cols>
__global__ void __launch_bounds__(256, 1) attention_decode_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 3> LSE, int B, int HKV, int R, int N, int queries,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_decode_shared<BM, cols, rows, copies>& shared =
        *reinterpret_cast<attention_decode_shared<BM, cols, rows, copies>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(R, BM);
    const int programs = m_tiles * HKV * B;
    const int warp = tk::warp_index();

    if (warp < 4) {
        // attention_decode.tk:9: kernel attention_decode<T: dtype = bf16, D: int = 128, schedule ..
        if (warp == 0 && tk::elect_one()) {
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * BM;
                const int g = program / m_tiles % HKV;
                const int b = program / (m_tiles * HKV);

                // attention_decode.tk:15: let q = load(Q[b, g, m, :]);
                shared.q_tiles.begin(q_tiles_next, bytes);
                tk::tma_load(shared.q_tiles_tile[q_tiles_next.stage], Q_map,
                             shared.q_tiles.full[q_tiles_next.stage], b, g, m, 0);
                q_tiles_next.advance();

                // attention_decode.tk:18: for j in N by BN pipelined {
                #pragma unroll 1
                for (int j = 0; j < N; j += 128) {
                    // attention_decode.tk:19: let s = mma(q, load(K[b, g, j, :]).T);
                    shared.k_tiles.begin(k_tiles_next, 32768);
                    tk::tma_load(shared.k_tiles_tile[k_tiles_next.stage], K_map,
                                 shared.k_tiles.full[k_tiles_next.stage], b, g, j, 0);
                    k_tiles_next.advance();

                    // attention_decode.tk:22: o += mma(p, load(V[b, g, j, :]));
                    shared.v_tiles.begin(v_tiles_next, 32768);
                    tk::tma_load(shared.v_tiles_tile[v_tiles_next.stage], V_map,
                                 shared.v_tiles.full[v_tiles_next.stage], b, g, j, 0);
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_decode.tk:9: kernel attention_decode<T: dtype = bf16, D: int = 128, schedule ..
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * BM;
            const int g = program / m_tiles % HKV;
            const int b = program / (m_tiles * HKV);

            // attention_decode.tk:15: let q = load(Q[b, g, m, :]);
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> q_2;
            tk::load_shared(q_2, shared.q_tiles_tile[q_element.stage], thread);
            shared.q_tiles.release_after_loads(q_element);
            tk::store_shared(shared.consumer_q_2_shared[0], q_2, thread);
            tk::barrier_sync(1, 128);

            // attention_decode.tk:16: var o: f32[BM, D] = 0;
            tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> o;
            tk::zero(o);

            // attention_decode.tk:17: var sm = softmax.start<BM>(scale);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_sum;
            tk::zero(sm_sum);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_decode.tk:18: for j in N by BN pipelined {
            for (int j = 0; j < N; j += 128) {
                // attention_decode.tk:19: let s = mma(q, load(K[b, g, j, :]).T);
                const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> s;
                tk::mma_sync(s, shared.consumer_q_2_shared[0],
                             tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]), thread,
                             tk::accumulate_never{});
                shared.k_tiles.release_after_loads(k_tiles_element);

                // attention_decode.tk:20: let p = T(softmax.step(inout sm, attention.heads(s, ..
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> s_2;
                tk::map(s_2, thread, [&](int row, int col, float s) {
                    return j + col <= N - queries + (m + row) % queries
                        ? (col < N - j ? s : -INFINITY) : -INFINITY;
                }, s);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t1;
                tk::fold_rows(t1, s_2, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{}, shared.consumer_f32_parts[0], thread, 1);
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> p;
                tk::map(p, [&](float s_2, float m0) { return tk::exp2(tk::fma(s_2, sm_c, -m0)); },
                        s_2, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t2;
                tk::fold_rows(t2, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                    return tk::fma(sm_sum, sm_correction, t2);
                }, sm_sum, sm_correction, t2);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;
                // attention_decode.tk:20
                tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> p_2 =
                    tk::convert<tk::bf16>(p);
                tk::store_shared(shared.consumer_p_2_shared[0], p_2, thread);
                tk::barrier_sync(1, 128);

                // attention_decode.tk:21: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_decode.tk:22: o += mma(p, load(V[b, g, j, :]));
                const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                tk::mma_sync(o, shared.consumer_p_2_shared[0],
                             shared.v_tiles_tile[v_tiles_element.stage], thread);
                shared.v_tiles.release_after_loads(v_tiles_element);
            }

            // attention_decode.tk:24: store(O[b, g, m, :], T(softmax.finish(sm, o)));
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{}, shared.consumer_f32_parts[0], thread, 1);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> t3;
            tk::map(t3, [](float o, float t0) { return o * t0; }, o, t0);
            tk::stripe<tk::bf16, BM, 128, 128, 16, 8> t3_rows;
            tk::convert_layout(t3_rows, t3, shared.consumer_turned[0], thread, 1);
            tk::store_vectors(tk::dense_slice(O, {b, g, m, 0}, R - m, 128), t3_rows, thread);

            // attention_decode.tk:25: store(LSE[b, g, m], softmax.lse(sm));
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(LSE, {b, g, m}, R - m, 1), t4, thread);
        }
    }
}

// attention_decode_general: kernel attention_decode with T = bf16, D = 128, BM = 16, BN = 128; any
// strides and alignment.
// producer: 1 warp, 255 registers a thread; consumer: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 144464 bytes of shared memory; persistent:
// attention_decode_general_kernel<16, 16, 768, 1, 4>.
// attention_decode_64_general: kernel attention_decode with T = bf16, D = 128, BM = 64, BN = 128;
// any strides and alignment.
// producer: 1 warp, 255 registers a thread; consumer: 4 warps, 255 registers a thread.
// 256 threads, 255 registers each, 181328 bytes of shared memory; persistent:
// attention_decode_general_kernel<64, 32, 512, 2, 2>.
template <int BM, int rows, int copies>
struct attention_decode_general_shared {
    tk::shared_tile<tk::bf16, BM, 128> q_tiles_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> k_tiles_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> v_tiles_tile[2];
    tk::shared_tile<tk::bf16, BM, 128> consumer_q_2_shared[1];
    tk::shared_tile<tk::bf16, BM, 128> consumer_p_2_shared[1];
    tk::shared_tile<float, rows, 4> consumer_f32_parts[1];
    unsigned char unused[copies];
    tk::pipeline<1> q_tiles;
    tk::pipeline<2> k_tiles;
    tk::pipeline<2> v_tiles;
};
static_assert(__builtin_offsetof(attention_decode_general_shared<16, 16, 768>, v_tiles) == 144432);
static_assert(__builtin_offsetof(attention_decode_general_shared<64, 32, 512>, v_tiles) == 181296);

template <int BM, int rows, int copies, int warp_rows, int warp_cols>
__global__ void __launch_bounds__(256, 1) attention_decode_general_kernel(
    const tk::tensor_argument<const tk::bf16, 4> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const tk::bf16, 4> V, const tk::tensor_argument<tk::bf16, 4> O,
    const tk::tensor_argument<float, 3> LSE, int B, int HKV, int R, int N, int queries,
    float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_decode_general_shared<BM, rows, copies>& shared =
        *reinterpret_cast<attention_decode_general_shared<BM, rows, copies>*>(memory);

    if (threadIdx.x == 0) {
        shared.q_tiles.init(1, 4);
        shared.k_tiles.init(1, 4);
        shared.v_tiles.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(R, BM);
    const int programs = m_tiles * HKV * B;
    const int warp = tk::warp_index();

    if (warp < 4) {
        // attention_decode.tk:9: kernel attention_decode<T: dtype = bf16, D: int = 128, schedule ..
        if (warp == 0) {
            const int thread = int(threadIdx.x);
            tk::cursor<2> k_tiles_next, v_tiles_next;
            tk::cursor<1> q_tiles_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * BM;
                const int g = program / m_tiles % HKV;
                const int b = program / (m_tiles * HKV);

                // attention_decode.tk:15: let q = load(Q[b, g, m, :]);
                shared.q_tiles.wait_empty(q_tiles_next);
                tk::copy_to_shared(shared.q_tiles_tile[q_tiles_next.stage],
                                   tk::slice(Q, {b, g, m, 0}, R - m, 128), thread, 32);
                shared.q_tiles.publish(q_tiles_next, tk::ordinary_alone{});
                q_tiles_next.advance();

                // attention_decode.tk:18: for j in N by BN pipelined {
                #pragma unroll 1
                for (int j = 0; j < N; j += 128) {
                    // attention_decode.tk:19: let s = mma(q, load(K[b, g, j, :]).T);
                    shared.k_tiles.wait_empty(k_tiles_next);
                    tk::copy_to_shared(shared.k_tiles_tile[k_tiles_next.stage],
                                       tk::slice(K, {b, g, j, 0}, N - j, 128), thread, 32);
                    shared.k_tiles.publish(k_tiles_next, tk::ordinary_alone{});
                    k_tiles_next.advance();

                    // attention_decode.tk:22: o += mma(p, load(V[b, g, j, :]));
                    shared.v_tiles.wait_empty(v_tiles_next);
                    tk::copy_to_shared(shared.v_tiles_tile[v_tiles_next.stage],
                                       tk::slice(V, {b, g, j, 0}, N - j, 128), thread, 32);
                    shared.v_tiles.publish(v_tiles_next, tk::ordinary_alone{});
                    v_tiles_next.advance();
                }
            }
        }
    } else {
        // attention_decode.tk:9: kernel attention_decode<T: dtype = bf16, D: int = 128, schedule ..
        const int thread = int(threadIdx.x) - 128;
        tk::cursor<2> k_tiles_next, v_tiles_next;
        tk::cursor<1> q_tiles_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * BM;
            const int g = program / m_tiles % HKV;
            const int b = program / (m_tiles * HKV);

            // attention_decode.tk:15: let q = load(Q[b, g, m, :]);
            const tk::cursor<1> q_element = shared.q_tiles.take(q_tiles_next);
            tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> q_2;
            tk::load_shared(q_2, shared.q_tiles_tile[q_element.stage], thread);
            shared.q_tiles.release_after_loads(q_element, tk::ordinary_alone{});
            tk::store_shared(shared.consumer_q_2_shared[0], q_2, thread);
            tk::barrier_sync(1, 128);

            // attention_decode.tk:16: var o: f32[BM, D] = 0;
            tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> o;
            tk::zero(o);

            // attention_decode.tk:17: var sm = softmax.start<BM>(scale);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_max;
            tk::fill(sm_max, -INFINITY);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_sum;
            tk::zero(sm_sum);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> sm_correction;
            tk::fill(sm_correction, 1.0f);
            const float sm_c = scale * 1.442695f;

            // attention_decode.tk:18: for j in N by BN pipelined {
            for (int j = 0; j < N; j += 128) {
                // attention_decode.tk:19: let s = mma(q, load(K[b, g, j, :]).T);
                const tk::cursor<2> k_tiles_element = shared.k_tiles.take(k_tiles_next);
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> s;
                tk::mma_sync(s, shared.consumer_q_2_shared[0],
                             tk::transposed(shared.k_tiles_tile[k_tiles_element.stage]), thread,
                             tk::accumulate_never{});
                shared.k_tiles.release_after_loads(k_tiles_element, tk::ordinary_alone{});

                // attention_decode.tk:20: let p = T(softmax.step(inout sm, attention.heads(s, ..
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> s_2;
                tk::map(s_2, thread, [&](int row, int col, float s) {
                    return j + col <= N - queries + (m + row) % queries
                        ? (col < N - j ? s : -INFINITY) : -INFINITY;
                }, s);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t1;
                tk::fold_rows(t1, s_2, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{}, shared.consumer_f32_parts[0], thread, 1);
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> m_2;
                tk::map(m_2, [](float sm_max, float t1) { return tk::max(sm_max, t1); },
                        sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::warp_fragment<float, BM, 128, warp_rows, warp_cols> p;
                tk::map(p, [&](float s_2, float m0) { return tk::exp2(tk::fma(s_2, sm_c, -m0)); },
                        s_2, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t2;
                tk::fold_rows(t2, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t2) {
                    return tk::fma(sm_sum, sm_correction, t2);
                }, sm_sum, sm_correction, t2);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;
                // attention_decode.tk:20
                tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> p_2 =
                    tk::convert<tk::bf16>(p);
                tk::store_shared(shared.consumer_p_2_shared[0], p_2, thread);
                tk::barrier_sync(1, 128);

                // attention_decode.tk:21: o *= sm.correction;
                tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                        o, sm_correction);

                // attention_decode.tk:22: o += mma(p, load(V[b, g, j, :]));
                const tk::cursor<2> v_tiles_element = shared.v_tiles.take(v_tiles_next);
                tk::mma_sync(o, shared.consumer_p_2_shared[0],
                             shared.v_tiles_tile[v_tiles_element.stage], thread);
                shared.v_tiles.release_after_loads(v_tiles_element, tk::ordinary_alone{});
            }

            // attention_decode.tk:24: store(O[b, g, m, :], T(softmax.finish(sm, o)));
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t5 = sm_sum;
            tk::finish_rows(t5, tk::plus{}, shared.consumer_f32_parts[0], thread, 1);
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t0;
            tk::map(t0, [](float t5) { return t5 == 0.0f ? 0.0f : tk::divide(1.0f, t5); }, t5);
            tk::warp_fragment<tk::bf16, BM, 128, warp_rows, warp_cols> t3;
            tk::map(t3, [](float o, float t0) { return o * t0; }, o, t0);
            tk::store_global(tk::slice(O, {b, g, m, 0}, R - m, 128), t3, thread);

            // attention_decode.tk:25: store(LSE[b, g, m], softmax.lse(sm));
            tk::warp_fragment<float, BM, 1, warp_rows, warp_cols> t4;
            tk::map(t4, [&](float t5, float sm_max) {
                return t5 == 0.0f ? -INFINITY : tk::fma(sm_max, sm_c, tk::log2(t5)) * 0.6931472f;
            }, t5, sm_max);
            tk::store_global(tk::slice<2, tk::no_axis>(LSE, {b, g, m}, R - m, 1), t4, thread);
        }
    }
}

namespace {
int run_attention_decode(const char* function, tk::candidates offered, const DLTensor* Q_given,
                         const DLTensor* K_given, const DLTensor* V_given, DLTensor* O_given,
                         DLTensor* LSE_given, int32_t queries, float scale, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t R = Q.shape[2];
    const int64_t N = K.shape[2];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("HKV", Q, 1, K, 1), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", Q, 1, V, 1),
         tk::same_extent("N", K, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("HKV", Q, 1, O, 1),
         tk::same_extent("R", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("HKV", Q, 1, LSE, 1),
         tk::same_extent("R", Q, 2, LSE, 2),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"R", R}, {"N", N}}),
         tk::that(int64_t{queries} >= 1, "`attention_decode` requires `queries >= 1`"),
         tk::that(scale > 0.0f, "`attention_decode` requires `scale > 0`"),
         tk::fits("N - queries", N - int64_t{queries}),
         tk::that(1 <= int64_t{queries},
                  "`(m.start + row_index)%queries` divides by `queries`, which is {}: it must be at least 1",
                  {int64_t{queries}}),
         tk::fits("N - queries + (m.start + row_index)%queries",
                  N - int64_t{queries} + (int64_t{queries} - 1))});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // attention_decode
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(R, 16), HKV), 2147418112)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(R, 16), HKV), B),
                 1500 + (tk::larger(0, Q.stride[2] % 64 == 0 ? 76 : 121) + 442) +
                 tk::multiply(
                     tk::larger(404,
                                (K.stride[2] % 64 == 0 ? 607 : 964) +
                                (V.stride[2] % 64 == 0 ? 607 : 964)) + 1059, tk::ceil_div(N, 128)),
                 2147418112);
    choice.candidate();  // attention_decode_64
    choice.prefer({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(V), tk::suits_fast(O)});
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), HKV), 2147418112)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(R, 64), HKV), B),
                 1500 + (tk::larger(0, Q.stride[2] % 64 == 0 ? 304 : 482) + 1708) +
                 tk::multiply(
                     tk::larger(1614,
                                (K.stride[2] % 64 == 0 ? 607 : 964) +
                                (V.stride[2] % 64 == 0 ? 607 : 964)) + 2313, tk::ceil_div(N, 128)),
                 2147418112);
    choice.candidate(true);  // attention_decode_general
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(R, 16), HKV), 2147418112)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(R, 16), HKV), B),
                 2134 + 5155 * tk::ceil_div(N, 128), 2147418112);
    choice.candidate(true);  // attention_decode_64_general
    choice.require({tk::grid_fits(tk::multiply(tk::ceil_div(R, 64), HKV), 2147418112)});
    choice.offer(tk::multiply(tk::multiply(tk::ceil_div(R, 64), HKV), B),
                 3976 + 6409 * tk::ceil_div(N, 128), 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<attention_decode_kernel<16, 1280, 16, 768, 4096, 1, 4>>(
            site, sizeof(attention_decode_shared<16, 1280, 16, 768>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(R, 16), HKV), B),
            tk::box{Q, {1, 1, 16, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, O, LSE, B, HKV, R, N, queries, scale));
    }
    if (best == 1) {
        return tk::finish(tk::run<attention_decode_kernel<64, 4352, 32, 512, 16384, 2, 2>>(
            site, sizeof(attention_decode_shared<64, 4352, 32, 512>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(R, 64), HKV), B),
            tk::box{Q, {1, 1, 64, 64}, 128}, tk::box{K, {1, 1, 128, 64}, 128},
            tk::box{V, {1, 1, 128, 64}, 128}, O, LSE, B, HKV, R, N, queries, scale));
    }
    if (best == 2) {
        return tk::finish(tk::run<attention_decode_general_kernel<16, 16, 768, 1, 4>>(
            site, sizeof(attention_decode_general_shared<16, 16, 768>),
            tk::kernel_shape(256).at_once(1).overlapping(),
            tk::multiply(tk::multiply(tk::ceil_div(R, 16), HKV), B), Q, K, V, O, LSE, B, HKV, R, N,
            queries, scale));
    }
    return tk::finish(tk::run<attention_decode_general_kernel<64, 32, 512, 2, 2>>(
        site, sizeof(attention_decode_general_shared<64, 32, 512>),
        tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(R, 64), HKV), B), Q, K, V, O, LSE, B, HKV, R, N,
        queries, scale));
}

}  // namespace

extern "C" {
int attention_decode(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                     DLTensor* O_given, DLTensor* LSE_given, int32_t queries, float scale, void*,
                     size_t, cudaStream_t stream) {
    return run_attention_decode("attention_decode", {0, 1, 2, 3}, Q_given, K_given, V_given,
                                O_given, LSE_given, queries, scale, stream);
}
TK_NO_WORKSPACE(attention_decode, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t, float)

int attention_decode_64(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        DLTensor* O_given, DLTensor* LSE_given, int32_t queries, float scale, void*,
                        size_t, cudaStream_t stream) {
    return run_attention_decode("attention_decode_64", {1, 3}, Q_given, K_given, V_given, O_given,
                                LSE_given, queries, scale, stream);
}
TK_NO_WORKSPACE(attention_decode_64, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t, float)

int attention_decode_16(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                        DLTensor* O_given, DLTensor* LSE_given, int32_t queries, float scale, void*,
                        size_t, cudaStream_t stream) {
    return run_attention_decode("attention_decode_16", {0, 2}, Q_given, K_given, V_given, O_given,
                                LSE_given, queries, scale, stream);
}
TK_NO_WORKSPACE(attention_decode_16, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*, int32_t, float)
}  // extern "C"
