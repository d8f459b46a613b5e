// Made by tkc from attention_paged_fp8.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n008.cuh"
#include "tk/tk.cuh"

// attend_fp8: kernel attend_fp8 with T = bf16, KV = fp8_e4m3, D = 128, PAGED = true, PIECE = 64,
// WINDOW = 0, SOFTCAP = false, BH = 8, STAGES = 6.
// producer: 1 warp, 64 registers a thread; widener: 8 warps, 104 registers a thread; consumer: 1
// warpgroup, 240 registers a thread.
// 512 threads, 128 registers each at first, 138496 bytes of shared memory; persistent.
struct attend_fp8_shared {
    tk::shared_tile<tk::bf16, 8, 128> qs_tile[2];
    tk::shared_tile<tk::fp8_e4m3, 64, 128> ks_tile[6];
    tk::shared_tile<tk::fp8_e4m3, 64, 128> vs_tile[6];
    tk::shared_tile<tk::bf16, 64, 128> ws_tile[2];
    tk::shared_tile<tk::bf16, 64, 8> consumer_t5[2];
    tk::shared_tile<float, 4, 8> consumer_f32_rows_8[1];
    unsigned char unused[896];
    tk::pipeline<2> qs;
    tk::pipeline<6> ks;
    tk::pipeline<6> vs;
    tk::pipeline<2> ws;
};
static_assert(offsetof(attend_fp8_shared, ws) == 138464);

__global__ void __launch_bounds__(512, 1) attend_fp8_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const tk::tensor_argument<const float, 1> Ks,
    const tk::tensor_argument<const float, 1> Vs, const tk::tensor_argument<const int, 2> table,
    const tk::tensor_argument<const int, 1> lengths, const tk::tensor_argument<float, 5> Part,
    const tk::tensor_argument<float, 4> Log, int B, int HKV, int G, int MAXP, int S, int page,
    int pitch, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attend_fp8_shared& shared = *reinterpret_cast<attend_fp8_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map);
        shared.qs.init(1, 4);
        shared.ks.init(1, 4);
        shared.vs.init(1, 8);
        shared.ws.init(8, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4 && warp < 8) {
        // attention_paged_fp8.tk:29: role producer((if PIECE == 1 { 4 } else { 1 }) warps) {
        tk::registers_at_most<64>();
        const int m_tiles = tk::tiles(G, 8);
        const int programs = m_tiles * S * HKV * B;
        if (warp == 4 && tk::elect_one()) {
            tk::cursor<6> ks_next, vs_next;
            tk::cursor<2> qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 8;
                const int s = program / m_tiles % S;
                const int g = program / (m_tiles * S) % HKV;
                const int b = program / (m_tiles * S * HKV);

                // attention_paged_fp8.tk:20: let length = lengths[b];
                const int length = tk::cell(lengths, b);

                // attention_paged_fp8.tk:22: let chunk  = ceil_div(length - from, S * 64) * 64;
                const int chunk = tk::divide_up(length, S * 64) * 64;

                // attention_paged_fp8.tk:30: produce qs = tma_load(Q[b, g, m, :]);
                shared.qs.begin(qs_next, 2048);
                tk::tma_load(shared.qs_tile[qs_next.stage], Q_map, shared.qs.full[qs_next.stage], b,
                             g, m, 0);
                qs_next.advance();

                // attention_paged_fp8.tk:31: for (j) in keys {
                #pragma unroll 1
                for (int j = s * chunk; j < tk::min((s + 1) * chunk, length); j += 64) {
                    // attention_paged_fp8.tk:38: let at = (if PAGED { table[b, max(min(j.start ..
                    const int at = (tk::max(tk::min(tk::divide_down(j, page), MAXP - 1), 0) < MAXP
                                    ? tk::cell(table, b,
                                               tk::max(tk::min(tk::divide_down(j, page), MAXP - 1),
                                                       0)) : int{}) * pitch +
                        tk::remainder(j, page);

                    // attention_paged_fp8.tk:39: let Kp = K[at +: min(length - j.start, 64)];
                    const int Kp_end = at + tk::min(length - j, 64);

                    // attention_paged_fp8.tk:40: let Vp = V[at +: min(length - j.start, 64)];
                    const int Vp_end = at + tk::min(length - j, 64);

                    // attention_paged_fp8.tk:41: produce ks = tma_load(Kp[0 +: 64, g, :]);
                    shared.ks.begin(ks_next, 8192);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], at, g, 0);
                    ks_next.advance();

                    // attention_paged_fp8.tk:42: produce vs = tma_load(Vp[0 +: 64, g, :]) ..
                    shared.vs.begin(vs_next, 8192);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], at, g, 0);
                    vs_next.advance();
                }
            }
        }
    } else if (warp >= 8) {
        // attention_paged_fp8.tk:46: role widener(8 warps) registers(104) { for (j) in keys { ..
        tk::registers_at_most<104>();
        const int m_tiles = tk::tiles(G, 8);
        const int programs = m_tiles * S * HKV * B;
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<6> vs_next;
        tk::cursor<2> ws_next_2;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int s = program / m_tiles % S;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged_fp8.tk:20: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged_fp8.tk:22: let chunk  = ceil_div(length - from, S * 64) * 64;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged_fp8.tk:46: role widener(8 warps) registers(104) { for (j) in keys ..
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length); j += 64) {
                const tk::cursor<6> vs_element = shared.vs.take(vs_next);
                tk::stripe<tk::fp8_e4m3, 64, 128, 256, 32, 4> t1;
                tk::load_shared(t1, shared.vs_tile[vs_element.stage], thread);
                shared.vs.release_after_loads(vs_element);
                tk::stripe<tk::bf16, 64, 128, 256, 32, 4> t0;
                tk::map(t0, [](tk::fp8_e4m3 t1) { return float(t1); }, t1);
                shared.ws.wait_empty(ws_next_2);
                tk::store_shared(shared.ws_tile[ws_next_2.stage], t0, thread);
                shared.ws.publish(ws_next_2);
                ws_next_2.advance();
            }
        }
    } else {
        // attention_paged_fp8.tk:47: role consumer(1 warpgroup) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(G, 8);
        const int programs = m_tiles * S * HKV * B;
        const int thread = tk::warpgroup_thread();
        tk::cursor<6> ks_next;
        tk::cursor<2> qs_next, ws_next_2;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 8;
            const int s = program / m_tiles % S;
            const int g = program / (m_tiles * S) % HKV;
            const int b = program / (m_tiles * S * HKV);

            // attention_paged_fp8.tk:20: let length = lengths[b];
            const int length = tk::cell(lengths, b);

            // attention_paged_fp8.tk:22: let chunk  = ceil_div(length - from, S * 64) * 64;
            const int chunk = tk::divide_up(length, S * 64) * 64;

            // attention_paged_fp8.tk:48: let q = consume qs;
            const tk::cursor<2> q_element = shared.qs.take(qs_next);

            // attention_paged_fp8.tk:49: var o: f32[D, BH] = 0;
            tk::fragment<float, 128, 8> o;
            tk::zero(o);

            // attention_paged_fp8.tk:50: var top: f32[1, BH] = -1.0e30;
            tk::row_fragment<float, 8> top;
            tk::fill(top, -1e+30f);

            // attention_paged_fp8.tk:51: var total: f32[1, BH] = 0;
            tk::row_fragment<float, 8> total;
            tk::zero(total);

            // attention_paged_fp8.tk:52: for (j) in keys {
            tk::barrier_sync(2, 128);
            tk::fragment<float, 64, 8> t;
            for (int j = s * chunk; j < tk::min((s + 1) * chunk, length); j += 64) {
                // attention_paged_fp8.tk:53: let x = attention.capped_if(mma(T(f32(consume ks)), ..
                const tk::cursor<6> ks_element = shared.ks.take(ks_next);
                tk::fragment<tk::fp8_e4m3, 64, 128> t1;
                tk::load_shared(t1, shared.ks_tile[ks_element.stage], thread);
                shared.ks.release_after_loads(ks_element);
                tk::fragment<tk::bf16, 64, 128> t0;
                tk::map(t0, [](float t1) { return t1; }, t1);
                tk::fragment<float, 64, 8> x;
                tk::mma_async(x, t0, tk::transposed(shared.qs_tile[q_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(x, t0);

                // attention_paged_fp8.tk:57: let t = where(seen, pad(y, axis = 0, with = -inf), ..
                if (tk::min(length - j, 64) >= 64) {
                    tk::map(t, [&](float x) { return x * (scale * tk::cell(Ks, g) * 1.442695f); },
                            x);
                } else {
                    tk::map(t, thread, [&](int row, int, float x) {
                        return row < tk::min(length - j, 64)
                            ? x * (scale * tk::cell(Ks, g) * 1.442695f) : -INFINITY;
                    }, x);
                }

                // attention_paged_fp8.tk:58: let next = max(top, max(t, axis = 0));
                tk::row_fragment<float, 8> t2;
                tk::reduce_columns(t2, t, shared.consumer_f32_rows_8[0], tk::maximum{}, thread, 2);
                tk::row_fragment<float, 8> next;
                tk::map(next, [](float top, float t2) { return tk::max(top, t2); }, top, t2);

                // attention_paged_fp8.tk:59: let p = exp2(t - next);
                tk::fragment<float, 64, 8> p;
                tk::map(p, [](float t, float next) { return tk::exp2(t - next); }, t, next);

                // attention_paged_fp8.tk:60: let f = exp2(top - next);
                tk::row_fragment<float, 8> f;
                tk::map(f, [](float top, float next) { return tk::exp2(top - next); }, top, next);

                // attention_paged_fp8.tk:61: total = total * f + sum(p, axis = 0);
                tk::row_fragment<float, 8> t3;
                tk::reduce_columns(t3, p, shared.consumer_f32_rows_8[0], tk::plus{}, thread, 2);
                tk::map(total, [](float total, float f, float t3) { return tk::fma(total, f, t3); },
                        total, f, t3);

                // attention_paged_fp8.tk:62: top = next;
                top = next;

                // attention_paged_fp8.tk:63: o *= f;
                tk::map(o, [](float o, float f) { return o * f; }, o, f);

                // attention_paged_fp8.tk:64: o += mma((consume ws).T, shared(T(p)));
                const tk::cursor<2> ws_element = shared.ws.take(ws_next_2);
                tk::fragment<tk::bf16, 64, 8> t4 = tk::convert<tk::bf16>(p);
                tk::store_shared(shared.consumer_t5[tk::remainder(tk::divide_down(j, 64), 2)], t4,
                                 thread);
                tk::fence_async();
                tk::barrier_sync(2, 128);
                tk::mma_async(o, tk::transposed(shared.ws_tile[ws_element.stage]),
                              shared.consumer_t5[tk::remainder(tk::divide_down(j, 64), 2)]);
                tk::mma_wait<0>(o);
                shared.ws.release(ws_element);
            }
            shared.qs.release(q_element);

            // attention_paged_fp8.tk:66: store(Part[s, b, g, :, m], o * where(total == 0, 0, ..
            tk::fragment<float, 128, 8> t6;
            tk::map(t6, [&](float o, float total) {
                return o * (total == 0.0f ? 0.0f : tk::divide(tk::cell(Vs, g), total));
            }, o, total);
            tk::store_global(tk::slice(Part, {s, b, g, 0, m}, 128, G - m), t6, thread);

            // attention_paged_fp8.tk:67: store(Log[s, b, g, m], where(total == 0, -inf, ..
            tk::row_fragment<float, 8> t7;
            tk::map(t7, [](float total, float top) {
                return total == 0.0f ? -INFINITY : (tk::log2(total) + top) * 0.6931472f;
            }, total, top);
            tk::store_global(tk::slice<tk::no_axis, 3>(Log, {s, b, g, m}, 1, G - m), t7, thread);
        }
    }
}

// combine_columns: kernel combine_columns with T = bf16, D = 128, SINK = false, BH = 8, BS = 16.
// 64 threads, 255 registers each, 1024 bytes of shared memory.
struct combine_columns_shared {
    tk::shared_tile<int, 1, 160> combine_columns_turned[1];
};

__global__ void __launch_bounds__(64, 4) combine_columns_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<const float, 4> Log,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 3> LSE, int S, int B,
    int HKV, int G) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_columns_shared& shared = *reinterpret_cast<combine_columns_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(G, 8);
    const int warp = tk::warp_index();

    // attention_paged_fp8.tk:73: kernel combine_columns<T: dtype = bf16, D: int = 128, SINK: ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % 4 * 32;
        const int m = program / 4 % m_tiles * 8;
        const int g = program / (4 * m_tiles) % HKV;
        const int b = program / (4 * m_tiles * HKV);

        // attention_paged_fp8.tk:78: var o: f32[32, BH] = 0;
        tk::stripe<float, 32, 8, 64, 4, 8> o;
        tk::zero(o);

        // attention_paged_fp8.tk:79: var top: f32[1, BH] = -1.0e30;
        tk::stripe<float, 1, 8, 64, 4, 8> top;
        tk::fill(top, -1e+30f);

        // attention_paged_fp8.tk:80: var total: f32[1, BH] = 0;
        tk::stripe<float, 1, 8, 64, 4, 8> total;
        tk::zero(total);

        // attention_paged_fp8.tk:82: for t in S by BS {
        for (int t = 0; t < S; t += 16) {
            // attention_paged_fp8.tk:83: for i in BS pipelined(BS) {
            #pragma unroll 16
            for (int i = 0; i < 16; i += 1) {
                // attention_paged_fp8.tk:84: let s    = min(t.start + i, S - 1);
                const int s = tk::min(t + i, S - 1);

                // attention_paged_fp8.tk:85: let logs = where(t.start + i < S, load(Log[s, b, g, ..
                tk::stripe<float, 1, 8, 64, 4, 8> t0;
                tk::load_vectors(t0,
                                 tk::vector_slice<tk::no_axis, 3>(Log, {s, b, g, m}, 1,
                                                                  s > -1 && s < S ? G - m : 0),
                                 thread);
                tk::stripe<float, 1, 8, 64, 4, 8> logs;
                tk::map(logs, [&](float t0) { return t + i < S ? t0 : -INFINITY; }, t0);

                // attention_paged_fp8.tk:86: let next = max(top, logs);
                tk::stripe<float, 1, 8, 64, 4, 8> next;
                tk::map(next, [](float top, float logs) { return tk::max(top, logs); }, top, logs);

                // attention_paged_fp8.tk:87: let old  = exp(top - next);
                tk::stripe<float, 1, 8, 64, 4, 8> old;
                tk::map(old, [](float top, float next) { return tk::exp(top - next); }, top, next);

                // attention_paged_fp8.tk:88: let new  = exp(logs - next);
                tk::stripe<float, 1, 8, 64, 4, 8> new_2;
                tk::map(new_2, [](float logs, float next) { return tk::exp(logs - next); },
                        logs, next);

                // attention_paged_fp8.tk:89: o     = o * old + load(Part[s, b, g, d, m]) * new;
                tk::stripe<float, 32, 8, 64, 4, 8> t1;
                tk::load_vectors(t1,
                                 tk::vector_slice(Part, {s, b, g, d, m},
                                                  s > -1 && s < S ? 128 - d : 0, G - m), thread);
                tk::map(o, [](float o, float old, float t1, float new_2) {
                    return tk::fma(o, old, t1 * new_2);
                }, o, old, t1, new_2);

                // attention_paged_fp8.tk:90: total = total * old + new;
                tk::map(total, [](float total, float old, float new_2) {
                    return tk::fma(total, old, new_2);
                }, total, old, new_2);

                // attention_paged_fp8.tk:91: top   = next;
                top = next;
            }
        }

        // attention_paged_fp8.tk:94: store(O[b, g, m, d], T(o * where(total == 0, 0, 1 / ..
        tk::stripe<tk::bf16, 32, 8, 64, 4, 8> t2;
        tk::map(t2, [](float o, float total) {
            return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
        }, o, total);
        tk::stripe<tk::bf16, 8, 32, 64, 4, 8> t3;
        tk::transpose(t3, t2, shared.combine_columns_turned[0], thread, 1);
        tk::store_vectors(tk::dense_slice(O, {b, g, m, d}, G - m, 128 - d), t3, thread);

        // attention_paged_fp8.tk:95: if d.index == 0 { store(LSE[b, g, m], where(total == 0, ..
        if (d / 32 == 0) {
            tk::stripe<float, 1, 8, 64, 4, 8> t4;
            tk::map(t4, [](float total, float top) {
                return total == 0.0f ? -INFINITY : tk::log(total) + top;
            }, total, top);
            tk::store_vectors(tk::vector_slice<tk::no_axis, 2>(LSE, {b, g, m}, 1, G - m), t4,
                              thread);
        }
    }
}

// combine_columns_general: kernel combine_columns with T = bf16, D = 128, SINK = false, BH = 8, BS
// = 16; any strides and alignment.
// 64 threads, 255 registers each, 1024 bytes of shared memory.
struct combine_columns_general_shared {
    tk::shared_tile<int, 1, 160> combine_columns_turned[1];
};

__global__ void __launch_bounds__(64, 1) combine_columns_general_kernel(
    const tk::tensor_argument<const float, 5> Part, const tk::tensor_argument<const float, 4> Log,
    const tk::tensor_argument<tk::bf16, 4> O, const tk::tensor_argument<float, 3> LSE, int S, int B,
    int HKV, int G) {
    extern __shared__ __align__(1024) unsigned char memory[];
    combine_columns_general_shared& shared =
        *reinterpret_cast<combine_columns_general_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int m_tiles = tk::tiles(G, 8);
    const int warp = tk::warp_index();

    // attention_paged_fp8.tk:73: kernel combine_columns<T: dtype = bf16, D: int = 128, SINK: ..
    if (warp < 2) {
        const int thread = int(threadIdx.x);
        const int program = blockIdx.x;
        const int d = program % 4 * 32;
        const int m = program / 4 % m_tiles * 8;
        const int g = program / (4 * m_tiles) % HKV;
        const int b = program / (4 * m_tiles * HKV);

        // attention_paged_fp8.tk:78: var o: f32[32, BH] = 0;
        tk::stripe<float, 32, 8, 64, 16, 2> o;
        tk::zero(o);

        // attention_paged_fp8.tk:79: var top: f32[1, BH] = -1.0e30;
        tk::stripe<float, 1, 8, 64, 16, 2> top;
        tk::fill(top, -1e+30f);

        // attention_paged_fp8.tk:80: var total: f32[1, BH] = 0;
        tk::stripe<float, 1, 8, 64, 16, 2> total;
        tk::zero(total);

        // attention_paged_fp8.tk:82: for t in S by BS {
        for (int t = 0; t < S; t += 16) {
            // attention_paged_fp8.tk:83: for i in BS pipelined(BS) {
            for (int i = 0; i < 16; i += 1) {
                // attention_paged_fp8.tk:84: let s    = min(t.start + i, S - 1);
                const int s = tk::min(t + i, S - 1);

                // attention_paged_fp8.tk:85: let logs = where(t.start + i < S, load(Log[s, b, g, ..
                tk::stripe<float, 1, 8, 64, 16, 2> t0;
                tk::load_global(t0,
                                tk::slice<tk::no_axis, 3>(Log, {s, b, g, m}, 1,
                                                          s > -1 && s < S ? G - m : 0), thread);
                tk::stripe<float, 1, 8, 64, 16, 2> logs;
                tk::map(logs, [&](float t0) { return t + i < S ? t0 : -INFINITY; }, t0);

                // attention_paged_fp8.tk:86: let next = max(top, logs);
                tk::stripe<float, 1, 8, 64, 16, 2> next;
                tk::map(next, [](float top, float logs) { return tk::max(top, logs); }, top, logs);

                // attention_paged_fp8.tk:87: let old  = exp(top - next);
                tk::stripe<float, 1, 8, 64, 16, 2> old;
                tk::map(old, [](float top, float next) { return tk::exp(top - next); }, top, next);

                // attention_paged_fp8.tk:88: let new  = exp(logs - next);
                tk::stripe<float, 1, 8, 64, 16, 2> new_2;
                tk::map(new_2, [](float logs, float next) { return tk::exp(logs - next); },
                        logs, next);

                // attention_paged_fp8.tk:89: o     = o * old + load(Part[s, b, g, d, m]) * new;
                tk::stripe<float, 32, 8, 64, 16, 2> t1;
                tk::load_global(t1,
                                tk::slice(Part, {s, b, g, d, m}, s > -1 && s < S ? 128 - d : 0,
                                          G - m), thread);
                tk::map(o, [](float o, float old, float t1, float new_2) {
                    return tk::fma(o, old, t1 * new_2);
                }, o, old, t1, new_2);

                // attention_paged_fp8.tk:90: total = total * old + new;
                tk::map(total, [](float total, float old, float new_2) {
                    return tk::fma(total, old, new_2);
                }, total, old, new_2);

                // attention_paged_fp8.tk:91: top   = next;
                top = next;
            }
        }

        // attention_paged_fp8.tk:94: store(O[b, g, m, d], T(o * where(total == 0, 0, 1 / ..
        tk::stripe<tk::bf16, 32, 8, 64, 16, 2> t2;
        tk::map(t2, [](float o, float total) {
            return o * (total == 0.0f ? 0.0f : tk::divide(1.0f, total));
        }, o, total);
        tk::stripe<tk::bf16, 8, 32, 64, 16, 2> t3;
        tk::transpose(t3, t2, shared.combine_columns_turned[0], thread, 1);
        tk::store_global(tk::slice(O, {b, g, m, d}, G - m, 128 - d), t3, thread);

        // attention_paged_fp8.tk:95: if d.index == 0 { store(LSE[b, g, m], where(total == 0, ..
        if (d / 32 == 0) {
            tk::stripe<float, 1, 8, 64, 16, 2> t4;
            tk::map(t4, [](float total, float top) {
                return total == 0.0f ? -INFINITY : tk::log(total) + top;
            }, total, top);
            tk::store_global(tk::slice<tk::no_axis, 2>(LSE, {b, g, m}, 1, G - m), t4, thread);
        }
    }
}

namespace {
tk::status launch_attend_fp8(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& V,
    const tk::tensor& Ks, const tk::tensor& Vs, const tk::tensor& table, const tk::tensor& lengths,
    const tk::tensor& Part, const tk::tensor& Log, int64_t B, int64_t HKV, int64_t G, int64_t MAXP,
    int64_t S, int32_t page, int32_t pitch, float scale) {
    return tk::run<attend_fp8_kernel>(
        site, sizeof(attend_fp8_shared), tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(G, 8), S), HKV), B),
        tk::box{Q, {1, 1, 8, 64}, 128}, tk::box{K, {64, 1, 128}, 128},
        tk::box{V, {64, 1, 128}, 128}, Ks, Vs, table, lengths, Part, Log, B, HKV, G, MAXP, S, page,
        pitch, scale);
}

tk::status launch_combine_columns(const tk::launch_site& site, const tk::tensor& Part,
                                  const tk::tensor& Log, const tk::tensor& O, const tk::tensor& LSE,
                                  int64_t S, int64_t B, int64_t HKV, int64_t G) {
    return tk::run<combine_columns_kernel>(site, sizeof(combine_columns_shared),
                                           tk::kernel_shape(64).overlapping(),
                                           tk::multiply(tk::multiply(4 * tk::ceil_div(G, 8), HKV),
                                                        B), Part, Log, O, LSE, S, B, HKV, G);
}

tk::status launch_combine_columns_general(
    const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& Log, const tk::tensor& O,
    const tk::tensor& LSE, int64_t S, int64_t B, int64_t HKV, int64_t G) {
    return tk::run<combine_columns_general_kernel>(
        site, sizeof(combine_columns_general_shared), tk::kernel_shape(64).overlapping(),
        tk::multiply(tk::multiply(4 * tk::ceil_div(G, 8), HKV), B), Part, Log, O, LSE, S, B, HKV,
        G);
}

}  // namespace

extern "C" {
int attend_fp8(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
               const DLTensor* Ks_given, const DLTensor* Vs_given, const DLTensor* table_given,
               const DLTensor* lengths_given, DLTensor* Part_given, DLTensor* Log_given,
               int32_t page, int32_t pitch, float scale, float cap, void*, size_t,
               cudaStream_t stream) {
    tk::arguments call{"attend_fp8"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_fp8_e4m3, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_fp8_e4m3, 3, tk::access::read);
    const tk::tensor Ks = call.take("Ks", Ks_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Vs = call.take("Vs", Vs_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t G = Q.shape[2];
    const int64_t L = K.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t S = Part.shape[0];
    call.require({
        tk::fixed_extent(Q, 3, 128), tk::same_extent("HKV", Q, 1, K, 1),
        tk::fixed_extent(K, 2, 128), tk::same_extent("L", K, 0, V, 0),
        tk::same_extent("HKV", Q, 1, V, 1), tk::fixed_extent(V, 2, 128),
        tk::same_extent("HKV", Q, 1, Ks, 0), tk::same_extent("HKV", Q, 1, Vs, 0),
        tk::same_extent("B", Q, 0, table, 0), tk::same_extent("B", Q, 0, lengths, 0),
        tk::same_extent("B", Q, 0, Part, 1), tk::same_extent("HKV", Q, 1, Part, 2),
        tk::fixed_extent(Part, 3, 128), tk::same_extent("G", Q, 2, Part, 4),
        tk::same_extent("S", Part, 0, Log, 0), tk::same_extent("B", Q, 0, Log, 1),
        tk::same_extent("HKV", Q, 1, Log, 2), tk::same_extent("G", Q, 2, Log, 3),
        tk::extents_fit({{"B", B}, {"HKV", HKV}, {"G", G}, {"L", L}, {"MAXP", MAXP}, {"S", S}}),
        tk::fits("S*64", S * 64), tk::that(MAXP >= 1, "`attend_fp8` requires `MAXP >= 1`"),
        tk::that(int64_t{page} >= 1, "`attend_fp8` requires `page >= 1`"),
        tk::that(int64_t{pitch} >= 1, "`attend_fp8` requires `pitch >= 1`"),
        tk::that(L >= int64_t{page}, "`attend_fp8` requires `L >= page`"),
        tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                 "`attend_fp8` requires `page % PIECE == 0 or MAXP == 1`"),
        tk::that(scale > 0.0f, "`attend_fp8` requires `scale > 0`"),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend_fp8` divides by it"),
        tk::that(0 < S * 64, "`S*64` is at least 1, because `attend_fp8` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend_fp8` divides by it"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
        tk::grid_fits(tk::multiply(tk::ceil_div(G, 8), S), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(G, 8), S), HKV), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(G, 8), S), HKV), B),
                      2147418112),
        tk::that(1 <= S * 64,
                 "`ceil_div(length, S*64)` divides by `S*64`, which is {}: it must be at least 1",
                 {S * 64}),
        tk::fits("ceil_div(length, S*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(S - 1, tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(S - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length) + 63",
                 tk::smaller(
                     tk::multiply(S - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}), S * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(S - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            S * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(S - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                S * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<attend_fp8_kernel>(
        site, sizeof(attend_fp8_shared), tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(G, 8), S), HKV), B),
        tk::box{Q, {1, 1, 8, 64}, 128}, tk::box{K, {64, 1, 128}, 128},
        tk::box{V, {64, 1, 128}, 128}, Ks, Vs, table, lengths, Part, Log, B, HKV, G, MAXP, S, page,
        pitch, scale));
}
TK_NO_WORKSPACE(attend_fp8, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t,
                int32_t, float, float)

int combine_columns(const DLTensor* Part_given, const DLTensor* Log_given,
                    const DLTensor* Sink_given, DLTensor* O_given, DLTensor* LSE_given, void*,
                    size_t, cudaStream_t stream) {
    tk::arguments call{"combine_columns"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::read);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Sink = call.take("Sink", Sink_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t S = Part.shape[0];
    const int64_t B = Part.shape[1];
    const int64_t HKV = Part.shape[2];
    const int64_t G = Part.shape[4];
    const int64_t HS = Sink.shape[0];
    const int64_t GS = Sink.shape[1];
    call.require(
        {tk::fixed_extent(Part, 3, 128), tk::same_extent("S", Part, 0, Log, 0),
         tk::same_extent("B", Part, 1, Log, 1), tk::same_extent("HKV", Part, 2, Log, 2),
         tk::same_extent("G", Part, 4, Log, 3), tk::same_extent("B", Part, 1, O, 0),
         tk::same_extent("HKV", Part, 2, O, 1), tk::same_extent("G", Part, 4, O, 2),
         tk::fixed_extent(O, 3, 128), tk::same_extent("B", Part, 1, LSE, 0),
         tk::same_extent("HKV", Part, 2, LSE, 1), tk::same_extent("G", Part, 4, LSE, 2),
         tk::extents_fit({{"S", S}, {"B", B}, {"HKV", HKV}, {"G", G}, {"HS", HS}, {"GS", GS}}),
         tk::that(S >= 1, "`combine_columns` requires `S >= 1`"),
         tk::grid_fits(tk::multiply(4 * tk::ceil_div(G, 8), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(4 * tk::ceil_div(G, 8), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(4 * tk::ceil_div(G, 8), HKV), B);
    const bool fast = tk::hold(
        {tk::suits_fast(Part, "G"), tk::whole_vectors(Part, 8), tk::suits_fast(Log, "G"),
         tk::suits_fast(O), tk::suits_fast(LSE, "G")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<combine_columns_kernel>(
            site, sizeof(combine_columns_shared), tk::kernel_shape(64).overlapping(), programs,
            Part, Log, O, LSE, S, B, HKV, G));
    }
    return tk::finish(tk::run<combine_columns_general_kernel>(
        site, sizeof(combine_columns_general_shared), tk::kernel_shape(64).overlapping(), programs,
        Part, Log, O, LSE, S, B, HKV, G));
}
TK_NO_WORKSPACE(combine_columns, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                DLTensor*)

int attention_paged_fp8(
    const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
    const DLTensor* Ks_given, const DLTensor* Vs_given, const DLTensor* table_given,
    const DLTensor* lengths_given, const DLTensor* Sink_given, DLTensor* O_given,
    DLTensor* LSE_given, DLTensor* Part_given, DLTensor* Log_given, int32_t page, int32_t pitch,
    int32_t splits, float scale, float cap, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_paged_fp8"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_fp8_e4m3, 3, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_fp8_e4m3, 3, tk::access::read);
    const tk::tensor Ks = call.take("Ks", Ks_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor Vs = call.take("Vs", Vs_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor table = call.take("table", table_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor lengths = call.take("lengths", lengths_given, tk::dtype_i32, 1,
                                         tk::access::read);
    const tk::tensor Sink = call.take("Sink", Sink_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 5, tk::access::write);
    const tk::tensor Log = call.take("Log", Log_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t HKV = Q.shape[1];
    const int64_t G = Q.shape[2];
    const int64_t L = K.shape[0];
    const int64_t MAXP = table.shape[1];
    const int64_t HS = Sink.shape[0];
    const int64_t GS = Sink.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("HKV", Q, 1, K, 1),
         tk::fixed_extent(K, 2, 128), tk::same_extent("L", K, 0, V, 0),
         tk::same_extent("HKV", Q, 1, V, 1), tk::fixed_extent(V, 2, 128),
         tk::same_extent("HKV", Q, 1, Ks, 0), tk::same_extent("HKV", Q, 1, Vs, 0),
         tk::same_extent("B", Q, 0, table, 0), tk::same_extent("B", Q, 0, lengths, 0),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("HKV", Q, 1, O, 1),
         tk::same_extent("G", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("HKV", Q, 1, LSE, 1),
         tk::same_extent("G", Q, 2, LSE, 2), tk::same_extent("B", Q, 0, Part, 1),
         tk::same_extent("HKV", Q, 1, Part, 2), tk::fixed_extent(Part, 3, 128),
         tk::same_extent("G", Q, 2, Part, 4), tk::same_extent("B", Q, 0, Log, 1),
         tk::same_extent("HKV", Q, 1, Log, 2), tk::same_extent("G", Q, 2, Log, 3),
         tk::extents_fit(
             {{"B", B}, {"HKV", HKV}, {"G", G}, {"L", L}, {"MAXP", MAXP}, {"HS", HS}, {"GS", GS}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(Log.shape[0] == int64_t{splits},
                  "axis 0 of `Log` is {}; it must be `splits`, which is {}",
                  {Log.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`attention_paged_fp8` requires `splits >= 1`"),
         tk::that(MAXP >= 1, "`attention_paged_fp8` requires `MAXP >= 1`"),
         tk::that(int64_t{page} >= 1, "`attention_paged_fp8` requires `page >= 1`"),
         tk::that(int64_t{pitch} >= 1, "`attention_paged_fp8` requires `pitch >= 1`"),
         tk::that(L >= int64_t{page}, "`attention_paged_fp8` requires `L >= page`"),
         tk::that(int64_t{page} % 64 == 0 || MAXP == 1,
                  "`attention_paged_fp8` requires `page % PIECE == 0 or MAXP == 1`"),
         tk::that(scale > 0.0f, "`attention_paged_fp8` requires `scale > 0`")});
    // attend_fp8(Q, K, V, Ks, Vs, table, lengths, Part, Log, page, pitch, scale, cap)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{pitch}, "`pitch` is at least 1, because `attend_fp8` divides by it"),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `attend_fp8` divides by it"),
        tk::that(0 < int64_t{page}, "`page` is at least 1, because `attend_fp8` divides by it"),
        tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
        tk::grid_fits(tk::multiply(tk::ceil_div(G, 8), int64_t{splits}), 2147418112),
        tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(G, 8), int64_t{splits}), HKV),
                      2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::multiply(tk::ceil_div(G, 8), int64_t{splits}), HKV), B),
            2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(length, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(length, splits*64)*64",
                 tk::ceil_div(tk::multiply(MAXP, int64_t{page}), int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                           int64_t{splits} * 64) * 64)),
        tk::fits("min((s + 1)*chunk, length) + 63",
                 tk::smaller(
                     tk::multiply(int64_t{splits} - 1 + 1,
                                  tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                               int64_t{splits} * 64) * 64),
                     tk::multiply(MAXP, int64_t{page})) + 63),
        tk::that(1 <= int64_t{page},
                 "`j.start/page` divides by `page`, which is {}: it must be at least 1",
                 {int64_t{page}}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch}))),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})),
                 "`table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch}))}),
        tk::fits("table[b, max(min(j.start/page, MAXP - 1), 0)]*pitch + j.start%page",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1)),
        tk::fits("at + min(length - j.start, 64)",
                 tk::larger(0,
                            tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                         int64_t{pitch})) + (int64_t{page} - 1) +
                 tk::smaller(tk::multiply(MAXP, int64_t{page}), 64)),
        tk::that(-2147483648 <=
                 tk::smaller(0,
                             tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                          int64_t{pitch})) +
                 tk::smaller(0 -
                             (tk::smaller(
                                  tk::multiply(int64_t{splits} - 1 + 1,
                                               tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                            int64_t{splits} * 64) * 64),
                                  tk::multiply(MAXP, int64_t{page})) - 1), 64),
                 "`at + min(length - j.start, 64)` reaches {}; it must fit in 32 bits",
                 {
                     tk::smaller(0,
                                 tk::multiply(tk::floor_div(L - int64_t{page}, int64_t{pitch}),
                                              int64_t{pitch})) +
                     tk::smaller(0 -
                                 (tk::smaller(
                                      tk::multiply(int64_t{splits} - 1 + 1,
                                                   tk::ceil_div(tk::multiply(MAXP, int64_t{page}),
                                                                int64_t{splits} * 64) * 64),
                                      tk::multiply(MAXP, int64_t{page})) - 1), 64)})});
    // combine_columns(Part, Log, Sink, O, LSE)
    call.require(
        {tk::grid_fits(tk::multiply(4 * tk::ceil_div(G, 8), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(4 * tk::ceil_div(G, 8), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // combine_columns(Part, Log, Sink, O, LSE)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Part, "G"), tk::whole_vectors(Part, 8), tk::suits_fast(Log, "G"),
         tk::suits_fast(O), tk::suits_fast(LSE, "G")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(
        launch_attend_fp8(site, Q, K, V, Ks, Vs, table, lengths, Part, Log, B, HKV, G, MAXP,
                          int64_t{splits}, page, pitch, scale));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_combine_columns(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, HKV, G));
    } else {
        TK_FINISH_IF_FAILED(launch_combine_columns_general(
            site, tk::read_only(Part), tk::read_only(Log), O, LSE, int64_t{splits}, B, HKV, G));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(attention_paged_fp8, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*, DLTensor*, DLTensor*, DLTensor*, int32_t, int32_t, int32_t, float, float)
}  // extern "C"
