// Made by tkc from attention_softcap.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_softcap: kernel attention_softcap of attention_softcap.tk with D = 128, BM = 128, BN =
// 128.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 196688 bytes:
//    offset   bytes  what
//         0   32768  1 x bf16[128, 128], stages of qs.tile
//     32768   65536  2 x bf16[128, 128], stages of ks.tile
//     98304   65536  2 x bf16[128, 128], stages of vs.tile
//    163840   32768  4 x bf16[64, 64], staging of O
//    196608      16  barriers of qs, 1 stages
//    196624      32  barriers of ks, 2 stages
//    196656      32  barriers of vs, 2 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct attention_softcap_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_softcap_shared, qs_tile) == 0);
static_assert(offsetof(attention_softcap_shared, ks_tile) == 32768);
static_assert(offsetof(attention_softcap_shared, vs_tile) == 98304);
static_assert(offsetof(attention_softcap_shared, consumer_O) == 163840);
static_assert(offsetof(attention_softcap_shared, qs) == 196608);
static_assert(offsetof(attention_softcap_shared, ks) == 196624);
static_assert(offsetof(attention_softcap_shared, vs) == 196656);

__global__ void __launch_bounds__(384, 1) attention_softcap_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const float, 1> slope, int B, int H, int M, int HKV, int N,
    float scale, float cap) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_softcap_shared& shared = *reinterpret_cast<attention_softcap_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(K_map);
        tk::tma_prefetch_map(Q_map);
        tk::tma_prefetch_map(V_map);
        tk::tma_prefetch_map(O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // attention_softcap.tk:36: role consumer(2 warpgroups) pingpong {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next;
        tk::cursor<1> qs_next;
        tk::cursor<2> vs_next;
        // Warpgroup 0 has the first turn.
        if (warpgroup == 1) tk::barrier_arrive(4, 256);
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_softcap.tk:20: let shift = N - M;
                const int shift = N - M;

                // attention_softcap.tk:21: let end   = max(min(m.end + shift, N), 0);
                const int end = tk::max(tk::min(m + 128 + shift, N), 0);

                // attention_softcap.tk:22: let last  = last_tile(end, BN);
                const int last = tk::max(tk::divide_up(end, 128) - 1, 0) * 128;

                // attention_softcap.tk:37: let k = consume ks;
                shared.ks.wait_full(ks_next);
                const tk::cursor<2> k_element = ks_next;
                ks_next.advance();

                // attention_softcap.tk:38: let q = consume qs;
                shared.qs.wait_full(qs_next);
                const tk::cursor<1> q_element = qs_next;
                qs_next.advance();

                // attention_softcap.tk:39: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_softcap.tk:40: var sm = softmax.start<BM>(1.0);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = 1.0f * 1.442695f;

                // attention_softcap.tk:41: var s = mma(q, k.T);
                tk::fragment<float, 64, 128> s;
                tk::mma_async(s, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                              tk::transposed(shared.ks_tile[k_element.stage]),
                              tk::accumulate_never{});

                // attention_softcap.tk:42: var p = bf16(softmax.step(inout sm, scores(s, m.start +
                // shift, last.start, scale, cap, slope[h])));
                tk::mma_wait<0>(s);
                // attention_softcap.tk:37, continued
                shared.ks.release(k_element);
                // attention_softcap.tk:42, continued
                tk::fragment<float, 64, 128> s_2;
                tk::map(s_2, thread, [&](int row, int col, float s) {
                    const int x = m + shift + 64 * warpgroup + row - (last + col);
                    return x >= 0
                        ? (col < N - last
                           ? tk::fma(cap, tk::tanh(s * tk::divide(scale, cap)),
                                     -(tk::cell(slope, h) * float(x))) : -INFINITY) : -INFINITY;
                }, s);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t1;
                tk::fold_rows(t1, s_2, tk::maximum{}, thread);
                tk::finish_rows(t1, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, thread, [](int, int, float sm_max, float t1) {
                    return tk::max(sm_max, t1);
                }, sm_max, t1);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, thread, [&](int, int, float m_2) {
                    return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c;
                }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, thread, [&](int, int, float s_2, float m0) {
                    return tk::exp2(tk::fma(s_2, sm_c, -m0));
                }, s_2, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c,
                // -m0)));
                tk::map(sm_correction, thread, [&](int, int, float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t2;
                tk::fold_rows(t2, p, tk::plus{}, thread);
                tk::map(sm_sum, thread, [](int, int, float sm_sum, float sm_correction, float t2) {
                    return tk::fma(sm_sum, sm_correction, t2);
                }, sm_sum, sm_correction, t2);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;
                // attention_softcap.tk:42, continued
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_softcap.tk:43: for j in reversed 0..last.start by BN {
                tk::fragment<float, 64, 128> s_3;
                for (int j = (tk::divide_up(last, 128) - 1) * 128; j >= 0; j -= 128) {
                    // attention_softcap.tk:44: s = mma(q, (consume ks).T);
                    shared.ks.wait_full(ks_next);
                    const tk::cursor<2> ks_element = ks_next;
                    ks_next.advance();
                    tk::barrier_sync(4 + warpgroup, 256);
                    tk::mma_async(s, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                  tk::transposed(shared.ks_tile[ks_element.stage]),
                                  tk::accumulate_never{});

                    // attention_softcap.tk:45: o += mma(p, consume vs);
                    shared.vs.wait_full(vs_next);
                    const tk::cursor<2> vs_element = vs_next;
                    vs_next.advance();
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                    tk::barrier_arrive(5 - warpgroup, 256);

                    // attention_softcap.tk:46: p = bf16(softmax.step(inout sm, scores(s, m.start +
                    // shift, j.start, scale, cap, slope[h])));
                    tk::mma_wait<1>(s);
                    // attention_softcap.tk:44, continued
                    shared.ks.release(ks_element);
                    // attention_softcap.tk:46, continued
                    if (j + 127 <= m + shift + 64 * warpgroup && j + 128 <= N) {
                        tk::map(s_3, thread, [&](int row, int col, float s) {
                            return tk::fma(cap, tk::tanh(s * tk::divide(scale, cap)),
                                           -(tk::cell(slope, h) *
                                             float(m + shift + 64 * warpgroup + row - (j + col))));
                        }, s);
                    } else {
                        tk::map(s_3, thread, [&](int row, int col, float s) {
                            const int x = m + shift + 64 * warpgroup + row - (j + col);
                            return x >= 0
                                ? (col < N - j
                                   ? tk::fma(cap, tk::tanh(s * tk::divide(scale, cap)),
                                             -(tk::cell(slope, h) * float(x))) : -INFINITY)
                                : -INFINITY;
                        }, s);
                    }
                    // <std.softmax>:30, continued
                    tk::column_fragment<float, 64> t3;
                    tk::fold_rows(t3, s_3, tk::maximum{}, thread);
                    tk::finish_rows(t3, tk::maximum{});
                    tk::column_fragment<float, 64> m_3;
                    tk::map(m_3, thread, [](int, int, float sm_max, float t3) {
                        return tk::max(sm_max, t3);
                    }, sm_max, t3);
                    // <std.softmax>:31, continued
                    tk::column_fragment<float, 64> m0_2;
                    tk::map(m0_2, thread, [&](int, int, float m_3) {
                        return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c;
                    }, m_3);
                    // <std.softmax>:32, continued
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, thread, [&](int, int, float s_3, float m0_2) {
                        return tk::exp2(tk::fma(s_3, sm_c, -m0_2));
                    }, s_3, m0_2);
                    // <std.softmax>:33, continued
                    tk::map(sm_correction, thread,
                            [&](int, int, float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                    }, m_3, sm_max, m0_2);
                    // <std.softmax>:34, continued
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, p_3, tk::plus{}, thread);
                    tk::map(sm_sum, thread,
                            [](int, int, float sm_sum, float sm_correction, float t4) {
                        return tk::fma(sm_sum, sm_correction, t4);
                    }, sm_sum, sm_correction, t4);
                    // <std.softmax>:35, continued
                    sm_max = m_3;
                    // attention_softcap.tk:46, continued
                    tk::mma_wait<0>(o, p_2);
                    // attention_softcap.tk:45, continued
                    shared.vs.release(vs_element);
                    // attention_softcap.tk:46, continued
                    p_2 = tk::convert<tk::bf16>(p_3);

                    // attention_softcap.tk:47: o *= sm.correction;
                    tk::map(o, thread, [](int, int, float o, float sm_correction) {
                        return o * sm_correction;
                    }, o, sm_correction);
                }
                // attention_softcap.tk:38, continued
                shared.qs.release(q_element);

                // attention_softcap.tk:49: o += mma(p, consume vs);
                shared.vs.wait_full(vs_next);
                const tk::cursor<2> vs_element_2 = vs_next;
                vs_next.advance();
                tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                // attention_softcap.tk:50: tma_store(O[b, h, m, :], bf16(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t6 = sm_sum;
                tk::finish_rows(t6, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, thread, [](int, int, float t6) {
                    return t6 == 0.0f ? 0.0f : tk::divide(1.0f, t6);
                }, t6);
                tk::mma_wait<0>(o, p_2);
                // attention_softcap.tk:49, continued
                shared.vs.release(vs_element_2);
                // attention_softcap.tk:50, continued
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t5;
                    tk::map(t5, thread, [](int, int, float o, float t0) {
                        return o * t0;
                    }, tk::window<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t5, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b,
                                      h, m + warpgroup * 64, panel);
                    }
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
        // And the last one, so that no arrival is left over.
        if (warpgroup == 0) tk::barrier_sync(4, 256);
    } else {
        // attention_softcap.tk:27: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next;
            tk::cursor<1> qs_next;
            tk::cursor<2> vs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_softcap.tk:19: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_softcap.tk:20: let shift = N - M;
                    const int shift = N - M;

                    // attention_softcap.tk:21: let end   = max(min(m.end + shift, N), 0);
                    const int end = tk::max(tk::min(m + 128 + shift, N), 0);

                    // attention_softcap.tk:22: let last  = last_tile(end, BN);
                    const int last = tk::max(tk::divide_up(end, 128) - 1, 0) * 128;

                    // attention_softcap.tk:28: produce ks = tma_load(K[b, g, last, :]);
                    shared.ks.wait_empty(ks_next);
                    shared.ks.expect(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, last, 0);
                    ks_next.advance();

                    // attention_softcap.tk:29: produce qs = tma_load(Q[b, h, m, :]);
                    shared.qs.wait_empty(qs_next);
                    shared.qs.expect(qs_next, 32768);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, m, 0);
                    qs_next.advance();

                    // attention_softcap.tk:30: for j in reversed 0..last.start by BN {
                    for (int j = (tk::divide_up(last, 128) - 1) * 128; j >= 0; j -= 128) {
                        // attention_softcap.tk:31: produce ks = tma_load(K[b, g, j, :]);
                        shared.ks.wait_empty(ks_next);
                        shared.ks.expect(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g, j, 0);
                        ks_next.advance();

                        // attention_softcap.tk:32: produce vs = tma_load(V[b, g, j.start + BN +:
                        // BN, :]);
                        shared.vs.wait_empty(vs_next);
                        shared.vs.expect(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g, j + 128, 0);
                        vs_next.advance();
                    }

                    // attention_softcap.tk:34: produce vs = tma_load(V[b, g, 0 +: BN, :]);
                    shared.vs.wait_empty(vs_next);
                    shared.vs.expect(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g, 0, 0);
                    vs_next.advance();
                }
            }
        }
    }
}

#include "tk/host/launcher.h"

namespace {
// attention_softcap: D = 128, BM = 128, BN = 128
tk::status launch_attention_softcap(const tk::launch_site& site, const tk::tensor& Q,
                                    const tk::tensor& K, const tk::tensor& V,
                                    const tk::tensor& slope, const tk::tensor& O, int64_t B,
                                    int64_t H, int64_t M, int64_t HKV, int64_t N, float scale,
                                    float cap) {
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B);
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&attention_softcap_kernel),
                                    static_cast<int>(sizeof(attention_softcap_shared)), {}, {}};
    CUtensorMap K_map;
    TK_RETURN_IF_FAILED(tk::encode(K_map, K, {1, 1, 128, 64}, 128));
    CUtensorMap Q_map;
    TK_RETURN_IF_FAILED(tk::encode(Q_map, Q, {1, 1, 128, 64}, 128));
    CUtensorMap V_map;
    TK_RETURN_IF_FAILED(tk::encode(V_map, V, {1, 1, 128, 64}, 128));
    CUtensorMap O_map;
    TK_RETURN_IF_FAILED(tk::encode(O_map, O, {1, 1, 64, 64}, 128));
    return tk::launch_kernel(kernel, attention_softcap_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, K_map, Q_map, V_map,
                             O_map, tk::cells<const float, 1>(slope), static_cast<int>(B),
                             static_cast<int>(H), static_cast<int>(M), static_cast<int>(HKV),
                             static_cast<int>(N), scale, cap);
}

tk::status run_attention_softcap(const DLTensor* Q_given, const DLTensor* K_given,
                                 const DLTensor* V_given, const DLTensor* slope_given,
                                 DLTensor* O_given, float scale, float cap, cudaStream_t stream) {
    tk::arguments call{"attention_softcap"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor slope = call.take("slope", slope_given, tk::dtype_f32, 1, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t M = Q.shape[2];
    const int64_t HKV = K.shape[1];
    const int64_t N = K.shape[2];

    call.require(Q.shape[3] == 128, "axis 3 of `Q` is {}; this kernel is made for 128",
                 {Q.shape[3]});
    call.require(K.shape[0] == B, "`B` is {} in axis 0 of `Q`, but {} in axis 0 of `K`",
                 {B, K.shape[0]});
    call.require(K.shape[3] == 128, "axis 3 of `K` is {}; this kernel is made for 128",
                 {K.shape[3]});
    call.require(V.shape[0] == B, "`B` is {} in axis 0 of `Q`, but {} in axis 0 of `V`",
                 {B, V.shape[0]});
    call.require(V.shape[1] == HKV, "`HKV` is {} in axis 1 of `K`, but {} in axis 1 of `V`",
                 {HKV, V.shape[1]});
    call.require(V.shape[2] == N, "`N` is {} in axis 2 of `K`, but {} in axis 2 of `V`",
                 {N, V.shape[2]});
    call.require(V.shape[3] == 128, "axis 3 of `V` is {}; this kernel is made for 128",
                 {V.shape[3]});
    call.require(slope.shape[0] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 0 of `slope`",
                 {H, slope.shape[0]});
    call.require(O.shape[0] == B, "`B` is {} in axis 0 of `Q`, but {} in axis 0 of `O`",
                 {B, O.shape[0]});
    call.require(O.shape[1] == H, "`H` is {} in axis 1 of `Q`, but {} in axis 1 of `O`",
                 {H, O.shape[1]});
    call.require(O.shape[2] == M, "`M` is {} in axis 2 of `Q`, but {} in axis 2 of `O`",
                 {M, O.shape[2]});
    call.require(O.shape[3] == 128, "axis 3 of `O` is {}; this kernel is made for 128",
                 {O.shape[3]});
    call.require(B < 2147221504, "`B` is {}; extents must be less than 2147221504", {B});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(HKV < 2147221504, "`HKV` is {}; extents must be less than 2147221504", {HKV});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV});
    call.require(tk::floor_mod(H, HKV) == 0, "`attention_softcap` requires `H % HKV == 0`");
    call.require(scale > 0.0f, "`attention_softcap` requires `scale > 0`");
    call.require(cap > 0.0f, "`attention_softcap` requires `cap > 0`");
    call.require(0 < HKV, "`HKV` is at least 1, because `attention_softcap` divides by it");
    call.require(0 < tk::floor_div(H, HKV),
                 "`H/HKV` is at least 1, because `attention_softcap` divides by it");
    call.require(Q.stride[3] == 1,
                 "neighbours in a row of `Q` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {Q.stride[3]});
    call.require(Q.address % 16 == 0,
                 "`Q` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(Q.address, 16)});
    call.require(Q.stride[2] % 8 == 0 && 0 < Q.stride[2] && Q.stride[2] < 549755813888,
                 "the rows of `Q` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {Q.stride[2] * 2});
    call.require(Q.stride[1] % 8 == 0 && 0 < Q.stride[1] && Q.stride[1] < 549755813888,
                 "neighbours along axis 1 of `Q` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {Q.stride[1] * 2});
    call.require(Q.stride[0] % 8 == 0 && 0 < Q.stride[0] && Q.stride[0] < 549755813888,
                 "neighbours along axis 0 of `Q` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {Q.stride[0] * 2});
    call.require(K.stride[3] == 1,
                 "neighbours in a row of `K` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {K.stride[3]});
    call.require(K.address % 16 == 0,
                 "`K` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(K.address, 16)});
    call.require(K.stride[2] % 8 == 0 && 0 < K.stride[2] && K.stride[2] < 549755813888,
                 "the rows of `K` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {K.stride[2] * 2});
    call.require(K.stride[1] % 8 == 0 && 0 < K.stride[1] && K.stride[1] < 549755813888,
                 "neighbours along axis 1 of `K` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {K.stride[1] * 2});
    call.require(K.stride[0] % 8 == 0 && 0 < K.stride[0] && K.stride[0] < 549755813888,
                 "neighbours along axis 0 of `K` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {K.stride[0] * 2});
    call.require(V.stride[3] == 1,
                 "neighbours in a row of `V` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {V.stride[3]});
    call.require(V.address % 16 == 0,
                 "`V` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(V.address, 16)});
    call.require(V.stride[2] % 8 == 0 && 0 < V.stride[2] && V.stride[2] < 549755813888,
                 "the rows of `V` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {V.stride[2] * 2});
    call.require(V.stride[1] % 8 == 0 && 0 < V.stride[1] && V.stride[1] < 549755813888,
                 "neighbours along axis 1 of `V` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {V.stride[1] * 2});
    call.require(V.stride[0] % 8 == 0 && 0 < V.stride[0] && V.stride[0] < 549755813888,
                 "neighbours along axis 0 of `V` are {} bytes apart; `tma_load` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `load`",
                 {V.stride[0] * 2});
    call.require(O.stride[3] == 1,
                 "neighbours in a row of `O` are {} elements apart; `tma_store` needs 1: pass a copy with dense rows, or use `store`",
                 {O.stride[3]});
    call.require(O.address % 16 == 0,
                 "`O` begins {} bytes past a multiple of 16; `tma_store` needs a multiple: pass a copy, or use `store`",
                 {tk::floor_mod(O.address, 16)});
    call.require(O.stride[2] % 8 == 0 && 0 < O.stride[2] && O.stride[2] < 549755813888,
                 "the rows of `O` start {} bytes apart; `tma_store` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `store`",
                 {O.stride[2] * 2});
    call.require(O.stride[1] % 8 == 0 && 0 < O.stride[1] && O.stride[1] < 549755813888,
                 "neighbours along axis 1 of `O` are {} bytes apart; `tma_store` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `store`",
                 {O.stride[1] * 2});
    call.require(O.stride[0] % 8 == 0 && 0 < O.stride[0] && O.stride[0] < 549755813888,
                 "neighbours along axis 0 of `O` are {} bytes apart; `tma_store` needs a positive multiple of 16: pad its rows to a multiple of 8 elements, or use `store`",
                 {O.stride[0] * 2});
    call.require(tk::multiply(tk::ceil_div(M, 128), H) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), H)});
    call.require(tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::multiply(tk::ceil_div(M, 128), H), B)});
    call.require(1 <= tk::floor_div(H, HKV),
                 "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                 {tk::floor_div(H, HKV)});
    call.require(M - 1 + 128 + (N - M) < 2147483648,
                 "`m + 128 + shift` reaches {}; it must fit in 32 bits", {M - 1 + 128 + (N - M)});
    call.require(M - 1 + (N - M) < 2147483648, "`m + shift` reaches {}; it must fit in 32 bits",
                 {M - 1 + (N - M)});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));
    return launch_attention_softcap(site, Q, K, V, slope, O, B, H, M, HKV, N, scale, cap);
}

}  // namespace

extern "C" {
int attention_softcap(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                      const DLTensor* slope_given, DLTensor* O_given, float scale, float cap, void*,
                      size_t, cudaStream_t stream) {
    return tk::finish(
        run_attention_softcap(Q_given, K_given, V_given, slope_given, O_given, scale, cap, stream));
}

size_t attention_softcap_workspace(const DLTensor*, const DLTensor*, const DLTensor*,
                                   const DLTensor*, DLTensor*, float, float) {
    return 0;
}

const char* attention_softcap_error() {
    return tk::last_sentence;
}
}  // extern "C"
