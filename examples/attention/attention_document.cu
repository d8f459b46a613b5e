// Made by tkc from attention_document.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cells.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// attention_document: kernel attention_document with D = 128, BM = 128, BN = 128.
// producer: 1 warp, 40 registers a thread; consumer: 2 warpgroups, 232 registers a thread.
// 384 threads, 168 registers each at first, 196688 bytes of shared memory; persistent.
struct attention_document_shared {
    tk::shared_tile<tk::bf16, 128, 128> qs_tile[1];
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[2];
    tk::shared_tile<tk::bf16, 128, 128> vs_tile[2];
    tk::shared_tile<tk::bf16, 64, 64> consumer_O[4];
    tk::pipeline<1> qs;
    tk::pipeline<2> ks;
    tk::pipeline<2> vs;
};
static_assert(offsetof(attention_document_shared, vs) == 196656);

__global__ void __launch_bounds__(384, 1) attention_document_kernel(
    const __grid_constant__ CUtensorMap Q_map, const __grid_constant__ CUtensorMap K_map,
    const __grid_constant__ CUtensorMap V_map, const __grid_constant__ CUtensorMap O_map,
    const tk::tensor_argument<const int, 2> first, const tk::tensor_argument<float, 3> LSE, int B,
    int H, int N, int HKV, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    attention_document_shared& shared = *reinterpret_cast<attention_document_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(Q_map, K_map, V_map, O_map);
        shared.qs.init(1, 8);
        shared.ks.init(1, 8);
        shared.vs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // attention_document.tk:25: role producer(1 warp) {
        tk::registers_at_most<40>();
        const int m_tiles = tk::tiles(N, 128);
        const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<2> ks_next, vs_next;
            tk::cursor<1> qs_next;
            for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs);
                 program < programs; program = tk::next_of_pairs(program, gridDim.x, programs)) {
                if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                    const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles),
                                                 m_tiles) * 128;
                    const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                    const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                    // attention_document.tk:18: let g     = h // (H / HKV);
                    const int g = h / (H / HKV);

                    // attention_document.tk:19: let begin = first[b, m.start] // BN * BN;
                    const int begin = tk::divide_down(tk::cell(first, b, m), 128) * 128;

                    // attention_document.tk:20: let end   = min(m.end, N);
                    const int end = tk::min(m + 128, N);

                    // attention_document.tk:26: produce qs = tma_load(Q[b, h, m, :]);
                    shared.qs.begin(qs_next, 32768);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, h, m, 0);
                    qs_next.advance();

                    // attention_document.tk:27: produce ks = tma_load(K[b, g, begin +: BN, :]);
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, g, begin, 0);
                    ks_next.advance();

                    // attention_document.tk:28: for j in begin + BN..end by BN {
                    for (int j = begin + 128; j < end; j += 128) {
                        // attention_document.tk:29: produce ks = tma_load(K[b, g, j, :]);
                        shared.ks.begin(ks_next, 32768);
                        tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                     shared.ks.full[ks_next.stage], b, g, j, 0);
                        ks_next.advance();

                        // attention_document.tk:30: produce vs = tma_load(V[b, g, j.prev, :]);
                        shared.vs.begin(vs_next, 32768);
                        tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                     shared.vs.full[vs_next.stage], b, g, j - 128, 0);
                        vs_next.advance();
                    }

                    // attention_document.tk:32: produce vs = tma_load(V[b, g, last_tile(end, ..
                    shared.vs.begin(vs_next, 32768);
                    tk::tma_load(shared.vs_tile[vs_next.stage], V_map,
                                 shared.vs.full[vs_next.stage], b, g,
                                 tk::max(tk::divide_up(end, 128) - 1, 0) * 128, 0);
                    vs_next.advance();
                }
            }
        }
    } else {
        // attention_document.tk:34: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int m_tiles = tk::tiles(N, 128);
        const int programs = tk::round_up_to_pairs(m_tiles) * H * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<2> ks_next, vs_next;
        tk::cursor<1> qs_next;
        for (int program = tk::first_of_pairs(blockIdx.x, gridDim.x, programs); program < programs;
             program = tk::next_of_pairs(program, gridDim.x, programs)) {
            if (program % tk::round_up_to_pairs(m_tiles) < m_tiles) {
                const int m = tk::last_first(program % tk::round_up_to_pairs(m_tiles), m_tiles) *
                    128;
                const int h = program / tk::round_up_to_pairs(m_tiles) % H;
                const int b = program / (tk::round_up_to_pairs(m_tiles) * H);

                // attention_document.tk:19: let begin = first[b, m.start] // BN * BN;
                const int begin = tk::divide_down(tk::cell(first, b, m), 128) * 128;

                // attention_document.tk:20: let end   = min(m.end, N);
                const int end = tk::min(m + 128, N);

                // attention_document.tk:35: let q: bf16[BM, D] = consume qs;
                const tk::cursor<1> q_element = shared.qs.take(qs_next);
                tk::fragment<tk::bf16, 64, 128> q_2;
                tk::load_shared(q_2, tk::rows<64>(shared.qs_tile[q_element.stage], 64 * warpgroup),
                                thread);
                shared.qs.release_after_loads(q_element);

                // attention_document.tk:37: var o: f32[BM, D] = 0;
                tk::fragment<float, 64, 128> o;
                tk::zero(o);

                // attention_document.tk:38: var sm = softmax.start<BM>(scale);
                tk::column_fragment<float, 64> sm_max;
                tk::fill(sm_max, -INFINITY);
                tk::column_fragment<float, 64> sm_sum;
                tk::zero(sm_sum);
                tk::column_fragment<float, 64> sm_correction;
                tk::fill(sm_correction, 1.0f);
                const float sm_c = scale * 1.442695f;

                // attention_document.tk:39: var s = mma(q, (consume ks).T);
                const tk::cursor<2> ks_element = shared.ks.take(ks_next);
                tk::fragment<float, 64, 128> s;
                tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element.stage]),
                              tk::accumulate_never{});
                tk::mma_wait<0>(s, q_2);
                shared.ks.release(ks_element);

                // attention_document.tk:40: var p = bf16(softmax.step(inout sm, visible(s, ..
                tk::fragment<float, 64, 128> s_2;
                tk::map(s_2, thread, [&](int row, int col, float s) {
                    const int x = begin + col;
                    return x >=
                        (b < B && m + 64 * warpgroup + row < N
                         ? tk::cell(first, b, m + 64 * warpgroup + row) : int{}) &&
                        x <= m + 64 * warpgroup + row ? (col < N - begin ? s : -INFINITY)
                        : -INFINITY;
                }, s);

                // <std.softmax>:30: let m  = max(sm.max, max(s, axis = 1));
                tk::column_fragment<float, 64> t2;
                tk::fold_rows(t2, s_2, tk::maximum{}, thread);
                tk::finish_rows(t2, tk::maximum{});
                tk::column_fragment<float, 64> m_2;
                tk::map(m_2, [](float sm_max, float t2) { return tk::max(sm_max, t2); },
                        sm_max, t2);

                // <std.softmax>:31: let m0 = where(m == -inf, 0, m) * sm.c;
                tk::column_fragment<float, 64> m0;
                tk::map(m0, [&](float m_2) { return (m_2 == -INFINITY ? 0.0f : m_2) * sm_c; }, m_2);

                // <std.softmax>:32: let p  = exp2(fma(s, sm.c, -m0));
                tk::fragment<float, 64, 128> p;
                tk::map(p, [&](float s_2, float m0) { return tk::exp2(tk::fma(s_2, sm_c, -m0)); },
                        s_2, m0);

                // <std.softmax>:33: sm.correction = where(m == sm.max, 1, exp2(fma(sm.max, sm.c, ..
                tk::map(sm_correction, [&](float m_2, float sm_max, float m0) {
                    return m_2 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0));
                }, m_2, sm_max, m0);

                // <std.softmax>:34: sm.sum = sm.sum * sm.correction + sum(p, axis = 1);
                tk::column_fragment<float, 64> t3;
                tk::fold_rows(t3, p, tk::plus{}, thread);
                tk::map(sm_sum, [](float sm_sum, float sm_correction, float t3) {
                    return tk::fma(sm_sum, sm_correction, t3);
                }, sm_sum, sm_correction, t3);

                // <std.softmax>:35: sm.max = m;
                sm_max = m_2;
                // attention_document.tk:40
                tk::fragment<tk::bf16, 64, 128> p_2 = tk::convert<tk::bf16>(p);

                // attention_document.tk:41: for j in begin + BN..end by BN {
                tk::fragment<float, 64, 128> s_3;
                for (int j = begin + 128; j < end; j += 128) {
                    // attention_document.tk:42: s = mma(q, (consume ks).T);
                    const tk::cursor<2> ks_element_2 = shared.ks.take(ks_next);
                    tk::mma_async(s, q_2, tk::transposed(shared.ks_tile[ks_element_2.stage]),
                                  tk::accumulate_never{});

                    // attention_document.tk:43: o += mma(p, consume vs);
                    const tk::cursor<2> vs_element = shared.vs.take(vs_next);
                    tk::mma_async(o, p_2, shared.vs_tile[vs_element.stage]);
                    tk::mma_wait<1>(s, q_2);
                    shared.ks.release(ks_element_2);

                    // attention_document.tk:44: p = bf16(softmax.step(inout sm, visible(s, ..
                    if (j + 127 <= m + 64 * warpgroup && j + 128 <= N) {
                        tk::map(s_3, thread, [&](int row, int col, float s) {
                            return j + col >=
                                (b < B && m + 64 * warpgroup + row < N
                                 ? tk::cell(first, b, m + 64 * warpgroup + row) : int{}) ? s
                                : -INFINITY;
                        }, s);
                    } else {
                        tk::map(s_3, thread, [&](int row, int col, float s) {
                            const int x = j + col;
                            return x >=
                                (b < B && m + 64 * warpgroup + row < N
                                 ? tk::cell(first, b, m + 64 * warpgroup + row) : int{}) &&
                                x <= m + 64 * warpgroup + row ? (col < N - j ? s : -INFINITY)
                                : -INFINITY;
                        }, s);
                    }
                    // <std.softmax>:30
                    tk::column_fragment<float, 64> t4;
                    tk::fold_rows(t4, s_3, tk::maximum{}, thread);
                    tk::finish_rows(t4, tk::maximum{});
                    tk::column_fragment<float, 64> m_3;
                    tk::map(m_3, [](float sm_max, float t4) { return tk::max(sm_max, t4); },
                            sm_max, t4);
                    // <std.softmax>:31
                    tk::column_fragment<float, 64> m0_2;
                    tk::map(m0_2, [&](float m_3) { return (m_3 == -INFINITY ? 0.0f : m_3) * sm_c; },
                            m_3);
                    // <std.softmax>:32
                    tk::hold_waits(warp);
                    tk::fragment<float, 64, 128> p_3;
                    tk::map(p_3, [&](float s_3, float m0_2) {
                        return tk::exp2(tk::fma(s_3, sm_c, -m0_2));
                    }, s_3, m0_2);
                    // <std.softmax>:33
                    tk::map(sm_correction, [&](float m_3, float sm_max, float m0_2) {
                        return m_3 == sm_max ? 1.0f : tk::exp2(tk::fma(sm_max, sm_c, -m0_2));
                    }, m_3, sm_max, m0_2);
                    // <std.softmax>:34
                    tk::column_fragment<float, 64> t5;
                    tk::fold_rows(t5, p_3, tk::plus{}, thread);
                    tk::map(sm_sum, [](float sm_sum, float sm_correction, float t5) {
                        return tk::fma(sm_sum, sm_correction, t5);
                    }, sm_sum, sm_correction, t5);
                    // <std.softmax>:35
                    sm_max = m_3;
                    tk::mma_wait<0>(o, p_2);
                    shared.vs.release(vs_element);
                    // attention_document.tk:44
                    p_2 = tk::convert<tk::bf16>(p_3);

                    // attention_document.tk:45: o *= sm.correction;
                    tk::map(o, [](float o, float sm_correction) { return o * sm_correction; },
                            o, sm_correction);
                }

                // attention_document.tk:47: o += mma(p, consume vs);
                const tk::cursor<2> vs_element_2 = shared.vs.take(vs_next);
                tk::mma_async(o, p_2, shared.vs_tile[vs_element_2.stage]);

                // attention_document.tk:48: tma_store(O[b, h, m, :], bf16(softmax.finish(sm, o)));
                tk::column_fragment<float, 64> t1 = sm_sum;
                tk::finish_rows(t1, tk::plus{});
                tk::column_fragment<float, 64> t0;
                tk::map(t0, [](float t1) { return t1 == 0.0f ? 0.0f : tk::divide(1.0f, t1); }, t1);
                tk::mma_wait<0>(o, p_2);
                shared.vs.release(vs_element_2);
                #pragma unroll
                for (int panel = 0; panel < 128; panel += 64) {
                    tk::fragment<tk::bf16, 64, 64> t6;
                    tk::map(t6, [](float o, float t0) { return o * t0; },
                            tk::window<64, 64>(o, 0, panel), t0);
                    tk::store_shared(shared.consumer_O[warpgroup * 2 + panel / 64 % 2], t6, thread);
                    tk::fence_async();
                    if (leader) tk::tma_store_wait_read<0>();
                    tk::barrier_sync(1 + warpgroup, 128);
                    if (leader) {
                        tk::tma_store(O_map, shared.consumer_O[warpgroup * 2 + panel / 64 % 2], b,
                                      h, m + warpgroup * 64, panel);
                    }
                }

                // attention_document.tk:49: store(LSE[b, h, m], softmax.lse(sm));
                tk::column_fragment<float, 64> t7;
                tk::map(t7, [&](float t1, float sm_max) {
                    return t1 == 0.0f ? -INFINITY
                        : tk::fma(sm_max, sm_c, tk::log2(t1)) * 0.6931472f;
                }, t1, sm_max);
                tk::store_global(
                    tk::slice<2, tk::no_axis>(LSE, {b, h, m + 64 * warpgroup},
                                              N - (m + 64 * warpgroup), 1), t7, thread);
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    }
}

extern "C" {
int attention_document(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* V_given,
                       const DLTensor* first_given, DLTensor* O_given, DLTensor* LSE_given,
                       float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"attention_document"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor V = call.take("V", V_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor first = call.take("first", first_given, tk::dtype_i32, 2, tk::access::read);
    const tk::tensor O = call.take("O", O_given, tk::dtype_bf16, 4, tk::access::write);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t H = Q.shape[1];
    const int64_t N = Q.shape[2];
    const int64_t HKV = K.shape[1];
    call.require(
        {tk::fixed_extent(Q, 3, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("N", Q, 2, K, 2), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, V, 0), tk::same_extent("HKV", K, 1, V, 1),
         tk::same_extent("N", Q, 2, V, 2), tk::fixed_extent(V, 3, 128),
         tk::same_extent("B", Q, 0, first, 0), tk::same_extent("N", Q, 2, first, 1),
         tk::same_extent("B", Q, 0, O, 0), tk::same_extent("H", Q, 1, O, 1),
         tk::same_extent("N", Q, 2, O, 2), tk::fixed_extent(O, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("H", Q, 1, LSE, 1),
         tk::same_extent("N", Q, 2, LSE, 2),
         tk::extents_fit({{"B", B}, {"H", H}, {"N", N}, {"HKV", HKV}}),
         tk::that(1 <= HKV, "`H%HKV` divides by `HKV`, which is {}: it must be at least 1", {HKV}),
         tk::that(tk::floor_mod(H, HKV) == 0, "`attention_document` requires `H % HKV == 0`"),
         tk::that(scale > 0.0f, "`attention_document` requires `scale > 0`"),
         tk::that(0 < HKV, "`HKV` is at least 1, because `attention_document` divides by it"),
         tk::that(0 < tk::floor_div(H, HKV),
                  "`H/HKV` is at least 1, because `attention_document` divides by it"),
         tk::suits_tma_load(Q), tk::suits_tma_load(K), tk::suits_tma_load(V),
         tk::suits_tma_store(O), tk::grid_fits(tk::multiply(tk::ceil_div(N, 128), H), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 128), H), B), 2147418112),
         tk::that(1 <= tk::floor_div(H, HKV),
                  "`h/(H/HKV)` divides by `H/HKV`, which is {}: it must be at least 1",
                  {tk::floor_div(H, HKV)})});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<attention_document_kernel>(
        site, sizeof(attention_document_shared), tk::kernel_shape(384).at_once(1),
        tk::multiply(tk::multiply(tk::ceil_div(N, 128), H), B), tk::box{Q, {1, 1, 128, 64}, 128},
        tk::box{K, {1, 1, 128, 64}, 128}, tk::box{V, {1, 1, 128, 64}, 128},
        tk::box{O, {1, 1, 64, 64}, 128}, first, LSE, B, H, N, HKV, scale));
}
TK_NO_WORKSPACE(attention_document, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*, DLTensor*, float)
}  // extern "C"
