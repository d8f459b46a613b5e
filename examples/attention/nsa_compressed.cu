// Made by tkc from nsa_compressed.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/argmax.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/tk.cuh"

// nsa_pooled: kernel nsa_pooled with T = bf16, D = 128, BS = 64.
// 128 threads, 64 registers each, 2048 bytes of shared memory: nsa_pooled_kernel<8, 16, 8, true>.
// nsa_pooled_general: kernel nsa_pooled with T = bf16, D = 128, BS = 64; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory: nsa_pooled_kernel<1, 32, 4, false>.
struct nsa_pooled_shared {
    tk::shared_tile<float, 4, 128> nsa_pooled_f32_rows_128[1];
};

template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_pooled_kernel(
    const tk::tensor_argument<const tk::bf16, 4> X, const tk::tensor_argument<tk::bf16, 4> Y, int B,
    int N, int HKV) {
    extern __shared__ __align__(1024) unsigned char memory[];
    nsa_pooled_shared& shared = *reinterpret_cast<nsa_pooled_shared*>(memory);

    tk::wait_for_previous_kernel();

    const int c_tiles = tk::divide_up(N, 64);

    // nsa_compressed.tk:11: kernel nsa_pooled<T: dtype = bf16, D: int = 128, BS: int = 64>(X: ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles;
    const int g = program / c_tiles % HKV;
    const int b = program / (c_tiles * HKV);

    // nsa_compressed.tk:14: let mean = sum(f32(load(X[b, c * BS +: BS, g, :])), axis = 0) * (1.0 ..
    tk::stripe<tk::bf16, 64, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_dense<vectors, 1, 3>(X, {b, c * 64, g, 0}, N - c * 64, 128), thread);
    tk::stripe<float, 64, 128, 128, row_threads, vector> t1 = tk::convert<float>(t0);
    tk::stripe<float, 1, 128, 128, row_threads, vector> t2;
    tk::reduce_columns(t2, t1, shared.nsa_pooled_f32_rows_128[0], tk::plus{}, thread, 1);

    // nsa_compressed.tk:15: store(Y[b, c, g, :], T(mean));
    tk::stripe<tk::bf16, 1, 128, 128, row_threads, vector> t3;
    tk::map(t3, [&](float t2) { return t2 * tk::divide(1.0f, float(tk::min(64, N - c * 64))); },
            t2);
    tk::store_slice<vectors>(tk::slice_if_dense<vectors, tk::no_axis, 3>(Y, {b, c, g, 0}, 1, 128),
                             t3, thread);
}

// nsa_pooled_backward: kernel nsa_pooled_backward with T = bf16, D = 128, BS = 64.
// 128 threads, 96 registers each: nsa_pooled_backward_kernel<5, 16, 8, true>.
// nsa_pooled_backward_general: kernel nsa_pooled_backward with T = bf16, D = 128, BS = 64; any
// strides and alignment.
// 128 threads, 255 registers each: nsa_pooled_backward_kernel<1, 32, 4, false>.
template <int blocks, int row_threads, int vector, bool vectors>
__global__ void __launch_bounds__(128, blocks) nsa_pooled_backward_kernel(
    const tk::tensor_argument<const tk::bf16, 4> dY, const tk::tensor_argument<tk::bf16, 4> dX,
    int B, int HKV, int N) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::divide_up(N, 64);

    // nsa_compressed.tk:18: kernel nsa_pooled_backward<T: dtype = bf16, D: int = 128, BS: int = ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles;
    const int g = program / c_tiles % HKV;
    const int b = program / (c_tiles * HKV);

    // nsa_compressed.tk:21: var each: f32[BS, D] = 0;
    tk::stripe<float, 64, 128, 128, row_threads, vector> each;
    tk::zero(each);

    // nsa_compressed.tk:22: each += f32(load(dY[b, c, g, :])) * (1.0 / f32(min(BS, N - c * BS)));
    tk::stripe<tk::bf16, 1, 128, 128, row_threads, vector> t0;
    tk::load_slice<vectors>(
        t0, tk::slice_if_dense<vectors, tk::no_axis, 3>(dY, {b, c, g, 0}, 1, 128), thread);
    tk::map(each, [&](float each, tk::bf16 t0) {
        return tk::fma(float(t0), tk::divide(1.0f, float(tk::min(64, N - c * 64))), each);
    }, each, t0);

    // nsa_compressed.tk:23: store(dX[b, c * BS +: BS, g, :], T(each));
    tk::stripe<tk::bf16, 64, 128, 128, row_threads, vector> t1 = tk::convert<tk::bf16>(each);
    tk::store_slice<vectors>(
        tk::slice_if_dense<vectors, 1, 3>(dX, {b, c * 64, g, 0}, N - c * 64, 128), t1, thread);
}

// importance: kernel importance with T = bf16, D = 128, G = 16, BS = 64, BC = 128, RANGE = 256, BG
// = 16.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 58576 bytes of shared memory; persistent.
struct importance_shared {
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[1];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[6];
    tk::shared_tile<float, 1, 16> ls_tile[6];
    unsigned char unused[256];
    tk::pipeline<1> ks;
    tk::pipeline<6> qs;
    tk::pipeline<6> ls;
};
static_assert(offsetof(importance_shared, ls) == 58480);

__global__ void __launch_bounds__(384, 1) importance_kernel(
    const __grid_constant__ CUtensorMap K_map, const __grid_constant__ CUtensorMap Q_map,
    const __grid_constant__ CUtensorMap LSE_map, const tk::tensor_argument<float, 4> Score, int B,
    int N, int HKV, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    importance_shared& shared = *reinterpret_cast<importance_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(K_map, Q_map, LSE_map);
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.ls.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // nsa_compressed.tk:40: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
        const int r_tiles = tk::tiles(N, 256);
        const int programs = c_tiles * r_tiles * HKV * B;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<1> ks_next;
            tk::cursor<6> ls_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int c = program % c_tiles * 128;
                const int r = program / c_tiles % r_tiles * 256;
                const int g = program / (c_tiles * r_tiles) % HKV;
                const int b = program / (c_tiles * r_tiles * HKV);

                // nsa_compressed.tk:34: let end  = min(r.end, N);
                const int end = tk::min(r + 256, N);

                // nsa_compressed.tk:35: let from = min(max((c.start + 1) * BS - 1, r.start), end);
                const int from = tk::min(tk::max((c + 1) * 64 - 1, r), end);

                // nsa_compressed.tk:41: if from < end { produce ks = load(K[b, c, g, :]); }
                if (from < end) {
                    shared.ks.begin(ks_next, 32768);
                    tk::tma_load(shared.ks_tile[ks_next.stage], K_map,
                                 shared.ks.full[ks_next.stage], b, c, g, 0);
                    ks_next.advance();
                }

                // nsa_compressed.tk:42: for t in from..end {
                #pragma unroll 1
                for (int t = from; t < end; t += 1) {
                    // nsa_compressed.tk:43: produce qs = load(Q[b, t, g, 0 +: BG, :]);
                    shared.qs.begin(qs_next, 4096);
                    tk::tma_load(shared.qs_tile[qs_next.stage], Q_map,
                                 shared.qs.full[qs_next.stage], b, t, g, 0, 0);
                    qs_next.advance();

                    // nsa_compressed.tk:44: produce ls = load(LSE[b, t, g, 0 +: BG]);
                    shared.ls.begin(ls_next, 64);
                    tk::tma_load(shared.ls_tile[ls_next.stage], LSE_map,
                                 shared.ls.full[ls_next.stage], b, t, g, 0);
                    ls_next.advance();
                }
            }
        }
    } else {
        // nsa_compressed.tk:47: role consumer(BC / 64 warpgroups) {
        tk::registers_at_least<240>();
        const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
        const int r_tiles = tk::tiles(N, 256);
        const int programs = c_tiles * r_tiles * HKV * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> ks_next;
        tk::cursor<6> qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % c_tiles * 128;
            const int r = program / c_tiles % r_tiles * 256;
            const int g = program / (c_tiles * r_tiles) % HKV;
            const int b = program / (c_tiles * r_tiles * HKV);

            // nsa_compressed.tk:34: let end  = min(r.end, N);
            const int end = tk::min(r + 256, N);

            // nsa_compressed.tk:35: let from = min(max((c.start + 1) * BS - 1, r.start), end);
            const int from = tk::min(tk::max((c + 1) * 64 - 1, r), end);

            // nsa_compressed.tk:48: for t in r.start..from { store(Score[b, t, g, c], 0.0 * ..
            for (int t = r; t < from; t += 1) {
                tk::row_fragment<float, 128> t0;
                tk::map(t0, thread, [](int, int col) { return 0.0f * float(col); });
                if (warpgroup == 0) {
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Score, {b, t, g, c}, 1,
                                                  t < N ? tk::divide_up(N, 64) - c : 0), t0,
                        thread);
                }
            }

            // nsa_compressed.tk:49: if from < end {
            if (from < end) {
                // nsa_compressed.tk:50: let k: T[BC, D] = consume ks;
                const tk::cursor<1> k_element = shared.ks.take(ks_next);
                tk::fragment<tk::bf16, 64, 128> k_2;
                tk::load_shared(k_2, tk::rows<64>(shared.ks_tile[k_element.stage], 64 * warpgroup),
                                thread);
                shared.ks.release_after_loads(k_element);

                // nsa_compressed.tk:51: for t in from..end {
                tk::fragment<float, 64, 16> p;
                for (int t = from; t < end; t += 1) {
                    // nsa_compressed.tk:52: let s = mma(k, (consume qs).T);
                    const tk::cursor<6> qs_element = shared.qs.take(qs_next);
                    tk::fragment<float, 64, 16> s;
                    tk::mma_async(s, k_2, tk::transposed(shared.qs_tile[qs_element.stage]),
                                  tk::accumulate_never{});

                    // nsa_compressed.tk:53: let l = consume ls;
                    shared.ls.wait_full(qs_element);
                    tk::mma_wait<0>(s, k_2);
                    shared.qs.release(qs_element);

                    // nsa_compressed.tk:55: let p = where(seen, exp2(s * (scale * LOG2E) - l * ..
                    tk::row_fragment<float, 16> t1;
                    tk::load_shared(t1, shared.ls_tile[qs_element.stage], thread);
                    shared.ls.release_after_loads(qs_element);
                    if ((c + 64 * warpgroup + 63 + 1) * 64 <= t + 1) {
                        tk::map(p, [&](float s, float t1) {
                            return tk::exp2(tk::fma(s, scale * 1.442695f, -(t1 * 1.442695f)));
                        }, s, t1);
                    } else {
                        tk::map(p, thread, [&](int row, int col, float s, float t1) {
                            return (c + 64 * warpgroup + row + 1) * 64 <= t + 1 && col < 16
                                ? tk::exp2(tk::fma(s, scale * 1.442695f, -(t1 * 1.442695f))) : 0.0f;
                        }, s, t1);
                    }

                    // nsa_compressed.tk:56: store(Score[b, t, g, c], sum(p, axis = 1));
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::finish_rows(t2, tk::plus{});
                    tk::barrier_sync(3, 256);
                    tk::store_global(
                        tk::slice<3, tk::no_axis>(Score, {b, t, g, c + 64 * warpgroup},
                                                  t < N
                                                  ? tk::divide_up(N, 64) - (c + 64 * warpgroup) : 0,
                                                  1), t2, thread);
                }
            }
        }
    }
}

// importance_general: kernel importance with T = bf16, D = 128, G = 16, BS = 64, BC = 128, RANGE =
// 256, BG = 16; any strides and alignment.
// producer: 1 warp, 56 registers a thread; consumer: 2 warpgroups, 224 registers a thread.
// 384 threads, 168 registers each at first, 58576 bytes of shared memory; persistent.
struct importance_general_shared {
    tk::shared_tile<tk::bf16, 128, 128> ks_tile[1];
    tk::shared_tile<tk::bf16, 16, 128> qs_tile[6];
    tk::shared_tile<float, 1, 16> ls_tile[6];
    unsigned char unused[256];
    tk::pipeline<1> ks;
    tk::pipeline<6> qs;
    tk::pipeline<6> ls;
};
static_assert(offsetof(importance_general_shared, ls) == 58480);

__global__ void __launch_bounds__(384, 1) importance_general_kernel(
    const tk::tensor_argument<const tk::bf16, 5> Q, const tk::tensor_argument<const tk::bf16, 4> K,
    const tk::tensor_argument<const float, 4> LSE, const tk::tensor_argument<float, 4> Score, int B,
    int N, int HKV, float scale) {
    extern __shared__ __align__(1024) unsigned char memory[];
    importance_general_shared& shared = *reinterpret_cast<importance_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ks.init(1, 8);
        shared.qs.init(1, 8);
        shared.ls.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // nsa_compressed.tk:40: role producer(1 warp) {
        tk::registers_at_most<56>();
        const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
        const int r_tiles = tk::tiles(N, 256);
        const int programs = c_tiles * r_tiles * HKV * B;
        if (warp == 8) {
            const int thread = int(threadIdx.x) - 256;
            tk::cursor<1> ks_next;
            tk::cursor<6> ls_next, qs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int c = program % c_tiles * 128;
                const int r = program / c_tiles % r_tiles * 256;
                const int g = program / (c_tiles * r_tiles) % HKV;
                const int b = program / (c_tiles * r_tiles * HKV);

                // nsa_compressed.tk:34: let end  = min(r.end, N);
                const int end = tk::min(r + 256, N);

                // nsa_compressed.tk:35: let from = min(max((c.start + 1) * BS - 1, r.start), end);
                const int from = tk::min(tk::max((c + 1) * 64 - 1, r), end);

                // nsa_compressed.tk:41: if from < end { produce ks = load(K[b, c, g, :]); }
                if (from < end) {
                    shared.ks.wait_empty(ks_next);
                    tk::copy_to_shared(shared.ks_tile[ks_next.stage],
                                       tk::slice<1, 3>(K, {b, c, g, 0}, tk::divide_up(N, 64) - c,
                                                       128), thread, 32);
                    shared.ks.publish(ks_next, tk::ordinary_alone{});
                    ks_next.advance();
                }

                // nsa_compressed.tk:42: for t in from..end {
                #pragma unroll 1
                for (int t = from; t < end; t += 1) {
                    // nsa_compressed.tk:43: produce qs = load(Q[b, t, g, 0 +: BG, :]);
                    shared.qs.wait_empty(qs_next);
                    tk::copy_to_shared(shared.qs_tile[qs_next.stage],
                                       tk::slice(Q, {b, t, g, 0, 0}, t < N ? 16 : 0, 128), thread,
                                       32);
                    shared.qs.publish(qs_next);
                    qs_next.advance();

                    // nsa_compressed.tk:44: produce ls = load(LSE[b, t, g, 0 +: BG]);
                    shared.ls.wait_empty(ls_next);
                    tk::copy_to_shared(shared.ls_tile[ls_next.stage],
                                       tk::slice<tk::no_axis, 3>(LSE, {b, t, g, 0}, 1,
                                                                 t < N ? 16 : 0), thread, 32);
                    shared.ls.publish(ls_next, tk::ordinary_alone{});
                    ls_next.advance();
                }
            }
        }
    } else {
        // nsa_compressed.tk:47: role consumer(BC / 64 warpgroups) {
        tk::registers_at_least<224>();
        const int c_tiles = tk::tiles(tk::divide_up(N, 64), 128);
        const int r_tiles = tk::tiles(N, 256);
        const int programs = c_tiles * r_tiles * HKV * B;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<1> ks_next;
        tk::cursor<6> qs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int c = program % c_tiles * 128;
            const int r = program / c_tiles % r_tiles * 256;
            const int g = program / (c_tiles * r_tiles) % HKV;
            const int b = program / (c_tiles * r_tiles * HKV);

            // nsa_compressed.tk:34: let end  = min(r.end, N);
            const int end = tk::min(r + 256, N);

            // nsa_compressed.tk:35: let from = min(max((c.start + 1) * BS - 1, r.start), end);
            const int from = tk::min(tk::max((c + 1) * 64 - 1, r), end);

            // nsa_compressed.tk:48: for t in r.start..from { store(Score[b, t, g, c], 0.0 * ..
            for (int t = r; t < from; t += 1) {
                tk::row_fragment<float, 128> t0;
                tk::map(t0, thread, [](int, int col) { return 0.0f * float(col); });
                if (warpgroup == 0) {
                    tk::store_global(
                        tk::slice<tk::no_axis, 3>(Score, {b, t, g, c}, 1,
                                                  t < N ? tk::divide_up(N, 64) - c : 0), t0,
                        thread);
                }
            }

            // nsa_compressed.tk:49: if from < end {
            if (from < end) {
                // nsa_compressed.tk:50: let k: T[BC, D] = consume ks;
                const tk::cursor<1> k_element = shared.ks.take(ks_next);
                tk::fragment<tk::bf16, 64, 128> k_2;
                tk::load_shared(k_2, tk::rows<64>(shared.ks_tile[k_element.stage], 64 * warpgroup),
                                thread);
                shared.ks.release_after_loads(k_element, tk::ordinary_alone{});

                // nsa_compressed.tk:51: for t in from..end {
                tk::fragment<float, 64, 16> p;
                for (int t = from; t < end; t += 1) {
                    // nsa_compressed.tk:52: let s = mma(k, (consume qs).T);
                    const tk::cursor<6> qs_element = shared.qs.take(qs_next);
                    tk::fragment<float, 64, 16> s;
                    tk::mma_async(s, k_2, tk::transposed(shared.qs_tile[qs_element.stage]),
                                  tk::accumulate_never{});

                    // nsa_compressed.tk:53: let l = consume ls;
                    shared.ls.wait_full(qs_element);
                    tk::mma_wait<0>(s, k_2);
                    shared.qs.release(qs_element);

                    // nsa_compressed.tk:55: let p = where(seen, exp2(s * (scale * LOG2E) - l * ..
                    tk::row_fragment<float, 16> t1;
                    tk::load_shared(t1, shared.ls_tile[qs_element.stage], thread);
                    shared.ls.release_after_loads(qs_element, tk::ordinary_alone{});
                    if ((c + 64 * warpgroup + 63 + 1) * 64 <= t + 1) {
                        tk::map(p, [&](float s, float t1) {
                            return tk::exp2(tk::fma(s, scale * 1.442695f, -(t1 * 1.442695f)));
                        }, s, t1);
                    } else {
                        tk::map(p, thread, [&](int row, int col, float s, float t1) {
                            return (c + 64 * warpgroup + row + 1) * 64 <= t + 1 && col < 16
                                ? tk::exp2(tk::fma(s, scale * 1.442695f, -(t1 * 1.442695f))) : 0.0f;
                        }, s, t1);
                    }

                    // nsa_compressed.tk:56: store(Score[b, t, g, c], sum(p, axis = 1));
                    tk::column_fragment<float, 64> t2;
                    tk::fold_rows(t2, p, tk::plus{}, thread);
                    tk::finish_rows(t2, tk::plus{});
                    tk::barrier_sync(3, 256);
                    tk::store_global(
                        tk::slice<3, tk::no_axis>(Score, {b, t, g, c + 64 * warpgroup},
                                                  t < N
                                                  ? tk::divide_up(N, 64) - (c + 64 * warpgroup) : 0,
                                                  1), t2, thread);
                }
            }
        }
    }
}

// chosen: kernel chosen with BS = 64, W = 128, ROWS = 8.
// 256 threads, 48 registers each: chosen_kernel<5, 128, 4, true>.
// chosen_general: kernel chosen with BS = 64, W = 128, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: chosen_kernel<1, 128, 2, false>.
// chosen_512: kernel chosen with BS = 64, W = 512, ROWS = 8.
// 256 threads, 48 registers each: chosen_kernel<5, 512, 4, true>.
// chosen_512_general: kernel chosen with BS = 64, W = 512, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: chosen_kernel<1, 512, 2, false>.
// chosen_2048: kernel chosen with BS = 64, W = 2048, ROWS = 8.
// 256 threads, 255 registers each: chosen_kernel<1, 2048, 4, true>.
// chosen_2048_general: kernel chosen with BS = 64, W = 2048, ROWS = 8; any strides and alignment.
// 256 threads, 255 registers each: chosen_kernel<1, 2048, 4, false>.
template <int blocks, int W, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) chosen_kernel(
    const tk::tensor_argument<const float, 4> Score, const tk::tensor_argument<int, 4> list,
    const tk::tensor_argument<int, 3> count, int B, int N, int HKV, int SEL) {
    tk::wait_for_previous_kernel();

    const int t_tiles = tk::tiles(N, 8);

    // nsa_compressed.tk:63: kernel chosen<BS: int = 64, W: int = 128, ROWS: int = 8>(
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int t = program % t_tiles * 8;
    const int g = program / t_tiles % HKV;
    const int b = program / (t_tiles * HKV);

    // nsa_compressed.tk:69: let score = load(Score[b, t, g, 0 +: W]);
    tk::stripe<float, 8, W, 256, 32, vector> score;
    tk::load_slice<vectors>(score,
                            tk::slice_if_vectors<vectors, 1, 3>(Score, {b, t, g, 0}, N - t,
                                                                tk::divide_up(N, 64)), thread);

    // nsa_compressed.tk:71: var x = pad(where(block > own, -inf, where(block == 0 or block >= ..
    tk::stripe<float, 8, W, 256, 32, vector> x;
    tk::map(x, thread, [&](int row, int col, float score) {
        const int x_2 = (t + row) / 64;
        return col < tk::divide_up(N, 64)
            ? (col > x_2 ? -INFINITY : col == 0 || col >= x_2 - 1 ? INFINITY : score) : -INFINITY;
    }, score);

    // nsa_compressed.tk:72: for i in SEL {
    for (int i = 0; i < SEL; i += 1) {
        // nsa_compressed.tk:73: let at = argmax(x, axis = 1);
        tk::stripe<int, 8, 1, 256, 32, vector> at;
        tk::locate_in_rows(at, x, tk::maximum{}, thread);

        // nsa_compressed.tk:74: store(list[b, t, g, i], where(i <= own, at, -1));
        tk::stripe<int, 8, 1, 256, 32, vector> t2;
        tk::map(t2, thread, [&](int row, int, int at) { return i <= (t + row) / 64 ? at : -1; },
                at);
        tk::store_global(tk::slice<1, tk::no_axis>(list, {b, t, g, i}, N - t, 1), t2, thread);

        // nsa_compressed.tk:75: x = where(block == at, -inf, x);
        tk::map(x, thread, [](int, int col, int at, float x) { return col == at ? -INFINITY : x; },
                at, x);
    }

    // nsa_compressed.tk:77: store(count[b, t, g], min(own + 1, SEL));
    tk::stripe<int, 8, 1, 256, 32, vector> t3;
    tk::map(t3, thread, [&](int row, int) { return tk::min((t + row) / 64 + 1, SEL); });
    tk::store_global(tk::slice<1, tk::no_axis>(count, {b, t, g}, N - t, 1), t3, thread);
}

namespace {
int run_chosen(const char* function, tk::candidates offered, const DLTensor* Score_given,
               DLTensor* list_given, DLTensor* count_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor Score = call.take("Score", Score_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Score.shape[0];
    const int64_t N = Score.shape[1];
    const int64_t HKV = Score.shape[2];
    const int64_t SEL = list.shape[3];
    call.require(
        {tk::same_extent("B", Score, 0, list, 0), tk::same_extent("N", Score, 1, list, 1),
         tk::same_extent("HKV", Score, 2, list, 2), tk::same_extent("B", Score, 0, count, 0),
         tk::same_extent("N", Score, 1, count, 1), tk::same_extent("HKV", Score, 2, count, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
         tk::that(Score.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Score` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Score.shape[3], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B);

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // chosen
    choice.prefer({tk::suits_fast(Score), tk::that(tk::ceil_div(N, 64) % 4 == 0)});
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 128, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 1871 + 43 * SEL);
    choice.candidate(true);  // chosen_general
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 128, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 1871 + 43 * SEL);
    choice.candidate();  // chosen_512
    choice.prefer({tk::suits_fast(Score), tk::that(tk::ceil_div(N, 64) % 4 == 0)});
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 512, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 2975 + 163 * SEL);
    choice.candidate(true);  // chosen_512_general
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 512, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 2975 + 163 * SEL);
    choice.candidate();  // chosen_2048
    choice.prefer({tk::suits_fast(Score), tk::that(tk::ceil_div(N, 64) % 4 == 0)});
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 2048, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 7391 + 643 * SEL);
    choice.candidate(true);  // chosen_2048_general
    choice.require(
        {tk::that(tk::ceil_div(N, 64) <= 2048, "`chosen` requires `ceil_div(N, BS) <= W`")});
    choice.offer(programs, 7391 + 643 * SEL);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(
            tk::run<chosen_kernel<5, 128, 4, true>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                    programs, Score, list, count, B, N, HKV, SEL));
    }
    if (best == 1) {
        return tk::finish(
            tk::run<chosen_kernel<1, 128, 2, false>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                     programs, Score, list, count, B, N, HKV, SEL));
    }
    if (best == 2) {
        return tk::finish(
            tk::run<chosen_kernel<5, 512, 4, true>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                    programs, Score, list, count, B, N, HKV, SEL));
    }
    if (best == 3) {
        return tk::finish(
            tk::run<chosen_kernel<1, 512, 2, false>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                     programs, Score, list, count, B, N, HKV, SEL));
    }
    if (best == 4) {
        return tk::finish(
            tk::run<chosen_kernel<1, 2048, 4, true>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                     programs, Score, list, count, B, N, HKV, SEL));
    }
    return tk::finish(
        tk::run<chosen_kernel<1, 2048, 4, false>>(site, 0, tk::kernel_shape(256).overlapping(),
                                                  programs, Score, list, count, B, N, HKV, SEL));
}

tk::status launch_importance(const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K,
                             const tk::tensor& LSE, const tk::tensor& Score, int64_t B, int64_t N,
                             int64_t HKV, float scale) {
    return tk::run<importance_kernel>(
        site, sizeof(importance_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 256)), HKV), B), tk::box{K, {1, 128, 1, 64}, 128},
        tk::box{Q, {1, 1, 1, 16, 64}, 128}, tk::box{LSE, {1, 1, 1, 16}, 0}, Score, B, N, HKV,
        scale);
}

tk::status launch_importance_general(
    const tk::launch_site& site, const tk::tensor& Q, const tk::tensor& K, const tk::tensor& LSE,
    const tk::tensor& Score, int64_t B, int64_t N, int64_t HKV, float scale) {
    return tk::run<importance_general_kernel>(
        site, sizeof(importance_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 256)), HKV), B), Q, K, LSE, Score, B, N, HKV, scale);
}

tk::status launch_chosen(const tk::launch_site& site, const tk::tensor& Score,
                         const tk::tensor& list, const tk::tensor& count, int64_t B, int64_t N,
                         int64_t HKV, int64_t SEL) {
    return tk::run<chosen_kernel<5, 128, 4, true>>(
        site, 0, tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), Score, list, count, B, N, HKV, SEL);
}

tk::status launch_chosen_general(const tk::launch_site& site, const tk::tensor& Score,
                                 const tk::tensor& list, const tk::tensor& count, int64_t B,
                                 int64_t N, int64_t HKV, int64_t SEL) {
    return tk::run<chosen_kernel<1, 128, 2, false>>(
        site, 0, tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), Score, list, count, B, N, HKV, SEL);
}

}  // namespace

extern "C" {
int nsa_pooled(const DLTensor* X_given, DLTensor* Y_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"nsa_pooled"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = X.shape[0];
    const int64_t N = X.shape[1];
    const int64_t HKV = X.shape[2];
    call.require(
        {tk::fixed_extent(X, 3, 128), tk::same_extent("B", X, 0, Y, 0),
         tk::same_extent("HKV", X, 2, Y, 2), tk::fixed_extent(Y, 3, 128),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
         tk::that(Y.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `Y` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Y.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), B),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(X), tk::suits_fast(Y)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(
        tk::run_one_of<nsa_pooled_kernel<8, 16, 8, true>, nsa_pooled_kernel<1, 32, 4, false>>(
            fast ? 0 : 1, site, sizeof(nsa_pooled_shared), tk::kernel_shape(128).overlapping(),
            programs, X, Y, B, N, HKV));
}
TK_NO_WORKSPACE(nsa_pooled, const DLTensor*, DLTensor*)

int nsa_pooled_backward(const DLTensor* dY_given, DLTensor* dX_given, void*, size_t,
                        cudaStream_t stream) {
    tk::arguments call{"nsa_pooled_backward"};
    const tk::tensor dY = call.take("dY", dY_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor dX = call.take("dX", dX_given, tk::dtype_bf16, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = dY.shape[0];
    const int64_t HKV = dY.shape[2];
    const int64_t N = dX.shape[1];
    call.require(
        {tk::fixed_extent(dY, 3, 128), tk::same_extent("B", dY, 0, dX, 0),
         tk::same_extent("HKV", dY, 2, dX, 2), tk::fixed_extent(dX, 3, 128),
         tk::extents_fit({{"B", B}, {"HKV", HKV}, {"N", N}}),
         tk::that(dY.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `dY` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {dY.shape[1], tk::ceil_div(N, 64)}),
         tk::grid_fits(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), B),
                       2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::multiply(tk::larger(tk::ceil_div(N, 64), 0), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(dY), tk::suits_fast(dX)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<nsa_pooled_backward_kernel<5, 16, 8, true>>(
            site, 0, tk::kernel_shape(128).overlapping(), programs, dY, dX, B, HKV, N));
    }
    return tk::finish(tk::run<nsa_pooled_backward_kernel<1, 32, 4, false>>(
        site, 0, tk::kernel_shape(128).overlapping(), programs, dY, dX, B, HKV, N));
}
TK_NO_WORKSPACE(nsa_pooled_backward, const DLTensor*, DLTensor*)

int importance(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* LSE_given,
               DLTensor* Score_given, float scale, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"importance"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor Score = call.take("Score", Score_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    call.require({
        tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
        tk::same_extent("HKV", Q, 2, K, 2), tk::fixed_extent(K, 3, 128),
        tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("N", Q, 1, LSE, 1),
        tk::same_extent("HKV", Q, 2, LSE, 2), tk::fixed_extent(LSE, 3, 16),
        tk::same_extent("B", Q, 0, Score, 0), tk::same_extent("N", Q, 1, Score, 1),
        tk::same_extent("HKV", Q, 2, Score, 2), tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}}),
        tk::that(K.shape[1] == tk::ceil_div(N, 64),
                 "axis 1 of `K` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {K.shape[1], tk::ceil_div(N, 64)}),
        tk::that(Score.shape[3] == tk::ceil_div(N, 64),
                 "axis 3 of `Score` is {}; it must be `ceil_div(N, 64)`, which is {}",
                 {Score.shape[3], tk::ceil_div(N, 64)}),
        tk::that(scale > 0.0f, "`importance` requires `scale > 0`"),
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                         tk::ceil_div(N, 256)), 2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 256)), HKV), 2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 256)), HKV), B), 2147418112),
        tk::fits("(c.start + row_index + 1)*64", (tk::ceil_div(N, 64) - 1 + 262143 + 1) * 64)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(
        tk::multiply(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                         tk::ceil_div(N, 256)), HKV), B);
    const bool fast = tk::hold({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(LSE)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(tk::run<importance_kernel>(
            site, sizeof(importance_shared), tk::kernel_shape(384).at_once(1).overlapping(),
            programs, tk::box{K, {1, 128, 1, 64}, 128}, tk::box{Q, {1, 1, 1, 16, 64}, 128},
            tk::box{LSE, {1, 1, 1, 16}, 0}, Score, B, N, HKV, scale));
    }
    return tk::finish(tk::run<importance_general_kernel>(
        site, sizeof(importance_general_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        programs, Q, K, LSE, Score, B, N, HKV, scale));
}
TK_NO_WORKSPACE(importance, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, float)

int chosen(const DLTensor* Score_given, DLTensor* list_given, DLTensor* count_given, void*, size_t,
           cudaStream_t stream) {
    return run_chosen("chosen", {0, 1}, Score_given, list_given, count_given, stream);
}
TK_NO_WORKSPACE(chosen, const DLTensor*, DLTensor*, DLTensor*)

int chosen_512(const DLTensor* Score_given, DLTensor* list_given, DLTensor* count_given, void*,
               size_t, cudaStream_t stream) {
    return run_chosen("chosen_512", {2, 3}, Score_given, list_given, count_given, stream);
}
TK_NO_WORKSPACE(chosen_512, const DLTensor*, DLTensor*, DLTensor*)

int chosen_2048(const DLTensor* Score_given, DLTensor* list_given, DLTensor* count_given, void*,
                size_t, cudaStream_t stream) {
    return run_chosen("chosen_2048", {4, 5}, Score_given, list_given, count_given, stream);
}
TK_NO_WORKSPACE(chosen_2048, const DLTensor*, DLTensor*, DLTensor*)

int nsa_blocks(const DLTensor* Q_given, const DLTensor* K_given, const DLTensor* LSE_given,
               DLTensor* list_given, DLTensor* count_given, DLTensor* Score_given, float scale,
               void*, size_t, cudaStream_t stream) {
    tk::arguments call{"nsa_blocks"};
    const tk::tensor Q = call.take("Q", Q_given, tk::dtype_bf16, 5, tk::access::read);
    const tk::tensor K = call.take("K", K_given, tk::dtype_bf16, 4, tk::access::read);
    const tk::tensor LSE = call.take("LSE", LSE_given, tk::dtype_f32, 4, tk::access::read);
    const tk::tensor list = call.take("list", list_given, tk::dtype_i32, 4, tk::access::write);
    const tk::tensor count = call.take("count", count_given, tk::dtype_i32, 3, tk::access::write);
    const tk::tensor Score = call.take("Score", Score_given, tk::dtype_f32, 4, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t B = Q.shape[0];
    const int64_t N = Q.shape[1];
    const int64_t HKV = Q.shape[2];
    const int64_t SEL = list.shape[3];
    call.require(
        {tk::fixed_extent(Q, 3, 16), tk::fixed_extent(Q, 4, 128), tk::same_extent("B", Q, 0, K, 0),
         tk::same_extent("HKV", Q, 2, K, 2), tk::fixed_extent(K, 3, 128),
         tk::same_extent("B", Q, 0, LSE, 0), tk::same_extent("N", Q, 1, LSE, 1),
         tk::same_extent("HKV", Q, 2, LSE, 2), tk::fixed_extent(LSE, 3, 16),
         tk::same_extent("B", Q, 0, list, 0), tk::same_extent("N", Q, 1, list, 1),
         tk::same_extent("HKV", Q, 2, list, 2), tk::same_extent("B", Q, 0, count, 0),
         tk::same_extent("N", Q, 1, count, 1), tk::same_extent("HKV", Q, 2, count, 2),
         tk::same_extent("B", Q, 0, Score, 0), tk::same_extent("N", Q, 1, Score, 1),
         tk::same_extent("HKV", Q, 2, Score, 2),
         tk::extents_fit({{"B", B}, {"N", N}, {"HKV", HKV}, {"SEL", SEL}}),
         tk::that(K.shape[1] == tk::ceil_div(N, 64),
                  "axis 1 of `K` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {K.shape[1], tk::ceil_div(N, 64)}),
         tk::that(Score.shape[3] == tk::ceil_div(N, 64),
                  "axis 3 of `Score` is {}; it must be `ceil_div(N, 64)`, which is {}",
                  {Score.shape[3], tk::ceil_div(N, 64)}),
         tk::that(scale > 0.0f, "`nsa_blocks` requires `scale > 0`")});
    // importance(Q, K, LSE, Score, scale)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                         tk::ceil_div(N, 256)), 2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                             tk::ceil_div(N, 256)), HKV), 2147418112),
        tk::grid_fits(
            tk::multiply(
                tk::multiply(
                    tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 64), 128), 0),
                                 tk::ceil_div(N, 256)), HKV), B), 2147418112),
        tk::fits("(c.start + row_index + 1)*64", (tk::ceil_div(N, 64) - 1 + 262143 + 1) * 64)});
    // chosen(Score, list, count)
    call.require(
        {tk::that(tk::ceil_div(N, 64) <= 128, "`chosen` requires `ceil_div(N, BS) <= W`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 8), HKV), 2147483648),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(N, 8), HKV), B), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // importance(Q, K, LSE, Score, scale)
    const bool choice_1 = tk::hold({tk::suits_fast(Q), tk::suits_fast(K), tk::suits_fast(LSE)});

    // chosen(Score, list, count)
    const bool choice_2 = tk::hold({tk::suits_fast(Score), tk::that(tk::ceil_div(N, 64) % 4 == 0)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_importance(site, Q, K, LSE, Score, B, N, HKV, scale));
    } else {
        TK_FINISH_IF_FAILED(launch_importance_general(site, Q, K, LSE, Score, B, N, HKV, scale));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_chosen(site, tk::read_only(Score), list, count, B, N, HKV, SEL));
    } else {
        TK_FINISH_IF_FAILED(
            launch_chosen_general(site, tk::read_only(Score), list, count, B, N, HKV, SEL));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(nsa_blocks, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, float)
}  // extern "C"
