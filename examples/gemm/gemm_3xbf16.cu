// Made by tkc from gemm_3xbf16.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// split: kernel split with BM = 8, BN = 1024.
// 256 threads, 80 registers each: split_kernel<3, 8, true>.
// split_general: kernel split with BM = 8, BN = 1024; any strides and alignment.
// 256 threads, 255 registers each: split_kernel<1, 2, false>.
template <int blocks, int vector, bool vectors>
__global__ void __launch_bounds__(256, blocks) split_kernel(
    const tk::tensor_argument<const float, 2> X, const tk::tensor_argument<tk::bf16, 2> Hi,
    const tk::tensor_argument<tk::bf16, 2> Lo, int R, int C) {
    tk::wait_for_previous_kernel();

    const int c_tiles = tk::tiles(tk::divide_up(C, 8) * 8, 1024);

    // gemm_3xbf16.tk:9: kernel split<BM: int = 8, BN: int = 1024>(X: f32[R, C], out Hi: bf16[R, ..
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int c = program % c_tiles * 1024;
    const int r = program / c_tiles * 8;

    // gemm_3xbf16.tk:12: let x  = load(X[r, c]);
    tk::stripe<float, 8, 1024, 256, 32, vector> x;
    tk::load_slice<vectors>(x, tk::slice_if_vectors<vectors>(X, {r, c}, R - r, C - c), thread);

    // gemm_3xbf16.tk:13: let hi = bf16(x);
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> hi = tk::convert<tk::bf16>(x);

    // gemm_3xbf16.tk:14: store(Hi[r, c], hi);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(Hi, {r, c}, R - r, tk::divide_up(C, 8) * 8 - c), hi, thread);

    // gemm_3xbf16.tk:15: store(Lo[r, c], bf16(x - hi));
    tk::stripe<tk::bf16, 8, 1024, 256, 32, vector> t1;
    tk::map(t1, [](float x, tk::bf16 hi) { return x - float(hi); }, x, hi);
    tk::store_slice<vectors>(
        tk::slice_if_vectors<vectors>(Lo, {r, c}, R - r, tk::divide_up(C, 8) * 8 - c), t1, thread);
}

// gemm_of_parts: kernel gemm_of_parts with BM = 128, BN = 256, CM = 1, WG = 2, S = 4.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_of_parts_kernel<128, 4, 256, 49152, 64>.
// gemm_of_parts_square: kernel gemm_of_parts with BM = 128, BN = 128, CM = 1, WG = 2, S = 6.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196704 bytes of shared memory; persistent:
// gemm_of_parts_kernel<128, 6, 128, 32768, 64>.
// gemm_of_parts_tall: kernel gemm_of_parts with BM = 256, BN = 128, CM = 1, WG = 2, S = 4.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196672 bytes of shared memory; persistent:
// gemm_of_parts_kernel<256, 4, 128, 49152, 128>.
template <int BM, int S, int BN>
struct gemm_of_parts_shared {
    tk::shared_tile<tk::bf16, BM, 32> ab_a1[S];
    tk::shared_tile<tk::bf16, BM, 32> ab_a2[S];
    tk::shared_tile<tk::bf16, 32, BN> ab_b1[S];
    tk::shared_tile<tk::bf16, 32, BN> ab_b2[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_of_parts_shared<128, 4, 256>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_of_parts_shared<128, 6, 128>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_of_parts_shared<256, 4, 128>, ab) == 196608);

template <int BM, int S, int BN, int bytes, int rows_4>
__global__ void __launch_bounds__(384, 1) gemm_of_parts_kernel(
    const __grid_constant__ CUtensorMap A1_map, const __grid_constant__ CUtensorMap A2_map,
    const __grid_constant__ CUtensorMap B1_map, const __grid_constant__ CUtensorMap B2_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_of_parts_shared<BM, S, BN>& shared =
        *reinterpret_cast<gemm_of_parts_shared<BM, S, BN>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A1_map, A2_map, B1_map, B2_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_3xbf16.tk:25: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * BN;

                // gemm_3xbf16.tk:26: for k in K by 32 {
                #pragma unroll 1
                for (int k = 0; k < K; k += 32) {
                    // gemm_3xbf16.tk:27: produce ab {
                    shared.ab.begin(ab_next, bytes);

                    // gemm_3xbf16.tk:28: a1 = tma_load(A1[m, k]); a2 = tma_load(A2[m, k]);
                    tk::tma_load(shared.ab_a1[ab_next.stage], A1_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_a2[ab_next.stage], A2_map, shared.ab.full[ab_next.stage],
                                 m, k);

                    // gemm_3xbf16.tk:29: b1 = tma_load(B1[k, n]) multicast(m); b2 = ..
                    tk::tma_load(shared.ab_b1[ab_next.stage], B1_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    tk::tma_load(shared.ab_b2[ab_next.stage], B2_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    // gemm_3xbf16.tk:27
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_3xbf16.tk:33: role consumer(WG warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, BN);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * BN;

            // gemm_3xbf16.tk:34: var acc: f32[BM, BN] = 0;
            tk::fragment<float, rows_4, BN> acc;
            tk::zero(acc);

            // gemm_3xbf16.tk:35: for k in K by 32 { consume ab as s { acc += mma(s.a2, s.b1); ..
            tk::cursor<S> previous_ab;
            for (int k = 0; k < K; k += 32) {
                const tk::cursor<S> s = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<rows_4>(shared.ab_a2[s.stage], rows_4 * warpgroup),
                              shared.ab_b1[s.stage]);
                tk::mma_async(acc, tk::rows<rows_4>(shared.ab_a1[s.stage], rows_4 * warpgroup),
                              shared.ab_b2[s.stage]);
                tk::mma_async(acc, tk::rows<rows_4>(shared.ab_a1[s.stage], rows_4 * warpgroup),
                              shared.ab_b1[s.stage]);
                tk::ptx::wgmma_wait<3>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_3xbf16.tk:36: store(C[m, n], acc);
            tk::store_global(
                tk::slice(C, {m + rows_4 * warpgroup, n}, M - (m + rows_4 * warpgroup), N - n), acc,
                thread);
        }
    }
}

// gemm_of_parts_precise: kernel gemm_of_parts_precise with BM = 128, BK = 64, WG = 2, S = 3.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196656 bytes of shared memory; persistent:
// gemm_of_parts_precise_kernel<128, 64, 3, 384, 8, 24, 65536, 240>.
// gemm_of_parts_precise_tall: kernel gemm_of_parts_precise with BM = 192, BK = 32, WG = 3, S = 5.
// producer: 1 warp, 32 registers a thread; consumer: 3 warpgroups, 160 registers a thread.
// 512 threads, 128 registers each at first, 204880 bytes of shared memory; persistent:
// gemm_of_parts_precise_kernel<192, 32, 5, 512, 12, 32, 40960, 160>.
template <int BM, int BK, int S>
struct gemm_of_parts_precise_shared {
    tk::shared_tile<tk::bf16, BM, BK> ab_a1[S];
    tk::shared_tile<tk::bf16, BM, BK> ab_a2[S];
    tk::shared_tile<tk::bf16, BK, 128> ab_b1[S];
    tk::shared_tile<tk::bf16, BK, 128> ab_b2[S];
    tk::pipeline<S> ab;
};
static_assert(__builtin_offsetof(gemm_of_parts_precise_shared<128, 64, 3>, ab) == 196608);
static_assert(__builtin_offsetof(gemm_of_parts_precise_shared<192, 32, 5>, ab) == 204800);

template <int BM, int BK, int S, int threads, int takers, int registers, int bytes, int registers_2>
__global__ void __launch_bounds__(threads, 1) gemm_of_parts_precise_kernel(
    const __grid_constant__ CUtensorMap A1_map, const __grid_constant__ CUtensorMap A2_map,
    const __grid_constant__ CUtensorMap B1_map, const __grid_constant__ CUtensorMap B2_map,
    const tk::tensor_argument<float, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_of_parts_precise_shared<BM, BK, S>& shared =
        *reinterpret_cast<gemm_of_parts_precise_shared<BM, BK, S>*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A1_map, A2_map, B1_map, B2_map);
        shared.ab.init(1, takers);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= takers) {
        // gemm_3xbf16.tk:51: role producer(1 warp) {
        tk::registers_at_most<registers>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        if (warp == takers && tk::elect_one()) {
            tk::cursor<S> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * BM;
                const int n = point.col * 128;

                // gemm_3xbf16.tk:52: for k in K by BK {
                #pragma unroll 1
                for (int k = 0; k < K; k += BK) {
                    // gemm_3xbf16.tk:53: produce ab { a1 = tma_load(A1[m, k]); a2 = ..
                    shared.ab.begin(ab_next, bytes);
                    tk::tma_load(shared.ab_a1[ab_next.stage], A1_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_a2[ab_next.stage], A2_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b1[ab_next.stage], B1_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    tk::tma_load(shared.ab_b2[ab_next.stage], B2_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_3xbf16.tk:56: role consumer(WG warpgroups) {
        tk::registers_at_least<registers_2>();
        const int m_tiles = tk::tiles(M, BM);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<S> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * BM;
            const int n = point.col * 128;

            // gemm_3xbf16.tk:57: var acc: f32[BM, 128] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_3xbf16.tk:58: for k in K by BK {
            for (int k = 0; k < K; k += BK) {
                // gemm_3xbf16.tk:59: consume ab as s {
                const tk::cursor<S> s = shared.ab.take(ab_next);

                // gemm_3xbf16.tk:60: var t = mma(s.a2, s.b1);
                tk::fragment<float, 64, 128> t;
                tk::mma_async(t, tk::rows<64>(shared.ab_a2[s.stage], 64 * warpgroup),
                              shared.ab_b1[s.stage], tk::accumulate_never{});

                // gemm_3xbf16.tk:61: t += mma(s.a1, s.b2);
                tk::mma_async(t, tk::rows<64>(shared.ab_a1[s.stage], 64 * warpgroup),
                              shared.ab_b2[s.stage]);

                // gemm_3xbf16.tk:62: t += mma(s.a1, s.b1);
                tk::mma_async(t, tk::rows<64>(shared.ab_a1[s.stage], 64 * warpgroup),
                              shared.ab_b1[s.stage]);
                tk::mma_wait<0>(t);
                shared.ab.release(s);

                // gemm_3xbf16.tk:63: acc += t;
                tk::map(acc, [](float acc, float t) { return acc + t; }, acc, t);
            }

            // gemm_3xbf16.tk:66: store(C[m, n], acc);
            tk::store_global(tk::slice(C, {m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n),
                             acc, thread);
        }
    }
}

namespace {
int run_gemm_of_parts(const char* function, tk::candidates offered, const DLTensor* A1_given,
                      const DLTensor* A2_given, const DLTensor* B1_given, const DLTensor* B2_given,
                      DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A1 = call.take("A1", A1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor A2 = call.take("A2", A2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B1 = call.take("B1", B1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B2 = call.take("B2", B2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A1.shape[0];
    const int64_t KP = A1.shape[1];
    const int64_t K = B1.shape[0];
    const int64_t NP = B1.shape[1];
    const int64_t N = C.shape[1];
    call.require(
        {tk::same_extent("M", A1, 0, A2, 0), tk::same_extent("KP", A1, 1, A2, 1),
         tk::same_extent("K", B1, 0, B2, 0), tk::same_extent("NP", B1, 1, B2, 1),
         tk::same_extent("M", A1, 0, C, 0),
         tk::extents_fit({{"M", M}, {"KP", KP}, {"K", K}, {"NP", NP}, {"N", N}}),
         tk::that(KP >= K, "`gemm_of_parts` requires `KP >= K`"),
         tk::that(NP >= N, "`gemm_of_parts` requires `NP >= N`"), tk::suits_tma_load(A1, "KP"),
         tk::suits_tma_load(A2, "KP"), tk::suits_tma_load(B1, "NP"), tk::suits_tma_load(B2, "NP")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_of_parts
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 9692 +
                 tk::multiply(
                     tk::larger(1536,
                                (A1.stride[0] % 64 == 0 ? 152 : 241) +
                                (A2.stride[0] % 64 == 0 ? 152 : 241) +
                                (B1.stride[0] % 64 == 0 ? 304 : 482) +
                                (B2.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_of_parts_square
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 5596 +
                 tk::multiply(
                     tk::larger(768,
                                (A1.stride[0] % 64 == 0 ? 152 : 241) +
                                (A2.stride[0] % 64 == 0 ? 152 : 241) +
                                (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    choice.candidate();  // gemm_of_parts_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                 9692 +
                 tk::multiply(
                     tk::larger(1536,
                                (A1.stride[0] % 64 == 0 ? 304 : 482) +
                                (A2.stride[0] % 64 == 0 ? 304 : 482) +
                                (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_of_parts_kernel<128, 4, 256, 49152, 64>>(
            site, sizeof(gemm_of_parts_shared<128, 4, 256>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A1, {128, 32}, 64},
            tk::box{A2, {128, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C,
            M, K, N));
    }
    if (best == 1) {
        return tk::finish(tk::run<gemm_of_parts_kernel<128, 6, 128, 32768, 64>>(
            site, sizeof(gemm_of_parts_shared<128, 6, 128>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A1, {128, 32}, 64},
            tk::box{A2, {128, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C,
            M, K, N));
    }
    return tk::finish(tk::run<gemm_of_parts_kernel<256, 4, 128, 49152, 128>>(
        site, sizeof(gemm_of_parts_shared<256, 4, 128>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A1, {256, 32}, 64},
        tk::box{A2, {256, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N));
}

int run_gemm_of_parts_precise(const char* function, tk::candidates offered,
                              const DLTensor* A1_given, const DLTensor* A2_given,
                              const DLTensor* B1_given, const DLTensor* B2_given, DLTensor* C_given,
                              cudaStream_t stream) {
    tk::arguments call{function};
    const tk::tensor A1 = call.take("A1", A1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor A2 = call.take("A2", A2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B1 = call.take("B1", B1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B2 = call.take("B2", B2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A1.shape[0];
    const int64_t KP = A1.shape[1];
    const int64_t K = B1.shape[0];
    const int64_t NP = B1.shape[1];
    const int64_t N = C.shape[1];
    call.require(
        {tk::same_extent("M", A1, 0, A2, 0), tk::same_extent("KP", A1, 1, A2, 1),
         tk::same_extent("K", B1, 0, B2, 0), tk::same_extent("NP", B1, 1, B2, 1),
         tk::same_extent("M", A1, 0, C, 0),
         tk::extents_fit({{"M", M}, {"KP", KP}, {"K", K}, {"NP", NP}, {"N", N}}),
         tk::that(KP >= K, "`gemm_of_parts_precise` requires `KP >= K`"),
         tk::that(NP >= N, "`gemm_of_parts_precise` requires `NP >= N`"),
         tk::suits_tma_load(A1, "KP"), tk::suits_tma_load(A2, "KP"), tk::suits_tma_load(B1, "NP"),
         tk::suits_tma_load(B2, "NP")});
    if (!call.ok()) return tk::finish(call.result());

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call, offered};
    choice.candidate();  // gemm_of_parts_precise
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 5596 +
                 tk::multiply(
                     tk::larger(1710,
                                (A1.stride[0] % 64 == 0 ? 304 : 482) +
                                (A2.stride[0] % 64 == 0 ? 304 : 482) +
                                (B1.stride[0] % 64 == 0 ? 304 : 482) +
                                (B2.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                 2147418112);
    choice.candidate();  // gemm_of_parts_precise_tall
    choice.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                 7644 +
                 tk::multiply(
                     tk::larger(1326,
                                (A1.stride[0] % 64 == 0 ? 228 : 362) +
                                (A2.stride[0] % 64 == 0 ? 228 : 362) +
                                (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                 2147418112);
    if (!choice.ok()) return tk::finish(choice.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    const int best = choice.best(site);
    if (best == 0) {
        return tk::finish(tk::run<gemm_of_parts_precise_kernel<128, 64, 3, 384, 8, 24, 65536, 240>>(
            site, sizeof(gemm_of_parts_precise_shared<128, 64, 3>),
            tk::kernel_shape(384).at_once(1).overlapping(),
            tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A1, {128, 64}, 128},
            tk::box{A2, {128, 64}, 128}, tk::box{B1, {64, 64}, 128}, tk::box{B2, {64, 64}, 128}, C,
            M, K, N));
    }
    return tk::finish(tk::run<gemm_of_parts_precise_kernel<192, 32, 5, 512, 12, 32, 40960, 160>>(
        site, sizeof(gemm_of_parts_precise_shared<192, 32, 5>),
        tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), tk::box{A1, {192, 32}, 64},
        tk::box{A2, {192, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N));
}

tk::status launch_split(const tk::launch_site& site, const tk::tensor& X, const tk::tensor& Hi,
                        const tk::tensor& Lo, int64_t R, int64_t C) {
    return tk::run<split_kernel<3, 8, true>>(
        site, 0, tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(C, 8) * 8, 1024), 0), tk::ceil_div(R, 8)),
        X, Hi, Lo, R, C);
}

tk::status launch_split_general(const tk::launch_site& site, const tk::tensor& X,
                                const tk::tensor& Hi, const tk::tensor& Lo, int64_t R, int64_t C) {
    return tk::run<split_kernel<1, 2, false>>(
        site, 0, tk::kernel_shape(256).overlapping(),
        tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(C, 8) * 8, 1024), 0), tk::ceil_div(R, 8)),
        X, Hi, Lo, R, C);
}

tk::status launch_gemm_of_parts(const tk::launch_site& site, const tk::tensor& A1,
                                const tk::tensor& A2, const tk::tensor& B1, const tk::tensor& B2,
                                const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<gemm_of_parts_kernel<128, 4, 256, 49152, 64>>(
        site, sizeof(gemm_of_parts_shared<128, 4, 256>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)), tk::box{A1, {128, 32}, 64},
        tk::box{A2, {128, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N);
}

tk::status launch_gemm_of_parts_square(
    const tk::launch_site& site, const tk::tensor& A1, const tk::tensor& A2, const tk::tensor& B1,
    const tk::tensor& B2, const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<gemm_of_parts_kernel<128, 6, 128, 32768, 64>>(
        site, sizeof(gemm_of_parts_shared<128, 6, 128>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A1, {128, 32}, 64},
        tk::box{A2, {128, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N);
}

tk::status launch_gemm_of_parts_tall(
    const tk::launch_site& site, const tk::tensor& A1, const tk::tensor& A2, const tk::tensor& B1,
    const tk::tensor& B2, const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<gemm_of_parts_kernel<256, 4, 128, 49152, 128>>(
        site, sizeof(gemm_of_parts_shared<256, 4, 128>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)), tk::box{A1, {256, 32}, 64},
        tk::box{A2, {256, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N);
}

tk::status launch_gemm_of_parts_precise(
    const tk::launch_site& site, const tk::tensor& A1, const tk::tensor& A2, const tk::tensor& B1,
    const tk::tensor& B2, const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<gemm_of_parts_precise_kernel<128, 64, 3, 384, 8, 24, 65536, 240>>(
        site, sizeof(gemm_of_parts_precise_shared<128, 64, 3>),
        tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), tk::box{A1, {128, 64}, 128},
        tk::box{A2, {128, 64}, 128}, tk::box{B1, {64, 64}, 128}, tk::box{B2, {64, 64}, 128}, C, M,
        K, N);
}

tk::status launch_gemm_of_parts_precise_tall(
    const tk::launch_site& site, const tk::tensor& A1, const tk::tensor& A2, const tk::tensor& B1,
    const tk::tensor& B2, const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    return tk::run<gemm_of_parts_precise_kernel<192, 32, 5, 512, 12, 32, 40960, 160>>(
        site, sizeof(gemm_of_parts_precise_shared<192, 32, 5>),
        tk::kernel_shape(512).at_once(1).overlapping(),
        tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)), tk::box{A1, {192, 32}, 64},
        tk::box{A2, {192, 32}, 64}, tk::box{B1, {32, 64}, 128}, tk::box{B2, {32, 64}, 128}, C, M, K,
        N);
}

}  // namespace

extern "C" {
int split(const DLTensor* X_given, DLTensor* Hi_given, DLTensor* Lo_given, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"split"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor Hi = call.take("Hi", Hi_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Lo = call.take("Lo", Lo_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t R = X.shape[0];
    const int64_t C = X.shape[1];
    call.require(
        {tk::same_extent("R", X, 0, Hi, 0), tk::same_extent("R", X, 0, Lo, 0),
         tk::extents_fit({{"R", R}, {"C", C}}),
         tk::that(Hi.shape[1] == tk::ceil_div(C, 8) * 8,
                  "axis 1 of `Hi` is {}; it must be `ceil_div(C, 8)*8`, which is {}",
                  {Hi.shape[1], tk::ceil_div(C, 8) * 8}),
         tk::that(Lo.shape[1] == tk::ceil_div(C, 8) * 8,
                  "axis 1 of `Lo` is {}; it must be `ceil_div(C, 8)*8`, which is {}",
                  {Lo.shape[1], tk::ceil_div(C, 8) * 8}),
         tk::grid_fits(
             tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(C, 8) * 8, 1024), 0),
                          tk::ceil_div(R, 8)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(C, 8) * 8, 1024), 0),
                                          tk::ceil_div(R, 8));
    const bool fast = tk::hold(
        {tk::suits_fast(X, "C"), tk::whole_vectors(X, 8), tk::suits_fast(Hi),
         tk::that(tk::ceil_div(C, 8) * 8 % 8 == 0), tk::suits_fast(Lo)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<split_kernel<3, 8, true>, split_kernel<1, 2, false>>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(256).overlapping(), programs, X, Hi, Lo, R, C));
}
TK_NO_WORKSPACE(split, const DLTensor*, DLTensor*, DLTensor*)

int gemm_of_parts(const DLTensor* A1_given, const DLTensor* A2_given, const DLTensor* B1_given,
                  const DLTensor* B2_given, DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_of_parts("gemm_of_parts", {0, 1, 2}, A1_given, A2_given, B1_given, B2_given,
                             C_given, stream);
}
TK_NO_WORKSPACE(gemm_of_parts, const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*,
                DLTensor*)

int gemm_of_parts_square(const DLTensor* A1_given, const DLTensor* A2_given,
                         const DLTensor* B1_given, const DLTensor* B2_given, DLTensor* C_given,
                         void*, size_t, cudaStream_t stream) {
    return run_gemm_of_parts("gemm_of_parts_square", {1}, A1_given, A2_given, B1_given, B2_given,
                             C_given, stream);
}
TK_NO_WORKSPACE(gemm_of_parts_square, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_of_parts_tall(const DLTensor* A1_given, const DLTensor* A2_given, const DLTensor* B1_given,
                       const DLTensor* B2_given, DLTensor* C_given, void*, size_t,
                       cudaStream_t stream) {
    return run_gemm_of_parts("gemm_of_parts_tall", {2}, A1_given, A2_given, B1_given, B2_given,
                             C_given, stream);
}
TK_NO_WORKSPACE(gemm_of_parts_tall, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_of_parts_precise(const DLTensor* A1_given, const DLTensor* A2_given,
                          const DLTensor* B1_given, const DLTensor* B2_given, DLTensor* C_given,
                          void*, size_t, cudaStream_t stream) {
    return run_gemm_of_parts_precise("gemm_of_parts_precise", {0, 1}, A1_given, A2_given, B1_given,
                                     B2_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_of_parts_precise, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_of_parts_precise_tall(const DLTensor* A1_given, const DLTensor* A2_given,
                               const DLTensor* B1_given, const DLTensor* B2_given,
                               DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return run_gemm_of_parts_precise("gemm_of_parts_precise_tall", {1}, A1_given, A2_given,
                                     B1_given, B2_given, C_given, stream);
}
TK_NO_WORKSPACE(gemm_of_parts_precise_tall, const DLTensor*, const DLTensor*, const DLTensor*,
                const DLTensor*, DLTensor*)

int gemm_3xbf16(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                DLTensor* A1_given, DLTensor* A2_given, DLTensor* B1_given, DLTensor* B2_given,
                void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_3xbf16"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor A1 = call.take("A1", A1_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor A2 = call.take("A2", A2_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor B1 = call.take("B1", B1_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor B2 = call.take("B2", B2_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::same_extent("M", A, 0, A1, 0),
         tk::same_extent("M", A, 0, A2, 0), tk::same_extent("K", A, 1, B1, 0),
         tk::same_extent("K", A, 1, B2, 0), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(A1.shape[1] == tk::ceil_div(K, 8) * 8,
                  "axis 1 of `A1` is {}; it must be `ceil_div(K, 8)*8`, which is {}",
                  {A1.shape[1], tk::ceil_div(K, 8) * 8}),
         tk::that(A2.shape[1] == tk::ceil_div(K, 8) * 8,
                  "axis 1 of `A2` is {}; it must be `ceil_div(K, 8)*8`, which is {}",
                  {A2.shape[1], tk::ceil_div(K, 8) * 8}),
         tk::that(B1.shape[1] == tk::ceil_div(N, 8) * 8,
                  "axis 1 of `B1` is {}; it must be `ceil_div(N, 8)*8`, which is {}",
                  {B1.shape[1], tk::ceil_div(N, 8) * 8}),
         tk::that(B2.shape[1] == tk::ceil_div(N, 8) * 8,
                  "axis 1 of `B2` is {}; it must be `ceil_div(N, 8)*8`, which is {}",
                  {B2.shape[1], tk::ceil_div(N, 8) * 8})});
    // split(A, A1, A2)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(K, 8) * 8, 1024), 0),
                         tk::ceil_div(M, 8)), 2147483648)});
    // split(B, B1, B2)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 8) * 8, 1024), 0),
                         tk::ceil_div(K, 8)), 2147483648)});
    // gemm_of_parts(A1, A2, B1, B2, C)
    call.require({
        tk::that(tk::ceil_div(K, 8) * 8 < 2147221504,
                 "`ceil_div(K, 8)*8` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(K, 8) * 8}),
        tk::that(tk::ceil_div(N, 8) * 8 < 2147221504,
                 "`ceil_div(N, 8)*8` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 8) * 8}),
        tk::that(tk::ceil_div(K, 8) * 8 >= K, "`gemm_of_parts` requires `(ceil_div(K, 8)*8) >= K`"),
        tk::that(tk::ceil_div(N, 8) * 8 >= N, "`gemm_of_parts` requires `(ceil_div(N, 8)*8) >= N`"),
        tk::that(A1.stride[1] == 1,
                 "neighbours in a row of `A1` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A1.stride[1]}),
        tk::that(A1.address % 16 == 0,
                 "`A1` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A1.address, 16)}),
        tk::that(A1.stride[0] % 8 == 0 && 0 < A1.stride[0] && A1.stride[0] < 549755813888,
                 "the rows of `A1` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(K, 8)*8` to a multiple of 8, or use `load`",
                 {A1.stride[0] * 2}),
        tk::that(A2.stride[1] == 1,
                 "neighbours in a row of `A2` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A2.stride[1]}),
        tk::that(A2.address % 16 == 0,
                 "`A2` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A2.address, 16)}),
        tk::that(A2.stride[0] % 8 == 0 && 0 < A2.stride[0] && A2.stride[0] < 549755813888,
                 "the rows of `A2` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(K, 8)*8` to a multiple of 8, or use `load`",
                 {A2.stride[0] * 2}),
        tk::that(B1.stride[1] == 1,
                 "neighbours in a row of `B1` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B1.stride[1]}),
        tk::that(B1.address % 16 == 0,
                 "`B1` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B1.address, 16)}),
        tk::that(B1.stride[0] % 8 == 0 && 0 < B1.stride[0] && B1.stride[0] < 549755813888,
                 "the rows of `B1` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 8)*8` to a multiple of 8, or use `load`",
                 {B1.stride[0] * 2}),
        tk::that(B2.stride[1] == 1,
                 "neighbours in a row of `B2` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B2.stride[1]}),
        tk::that(B2.address % 16 == 0,
                 "`B2` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B2.address, 16)}),
        tk::that(B2.stride[0] % 8 == 0 && 0 < B2.stride[0] && B2.stride[0] < 549755813888,
                 "the rows of `B2` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 8)*8` to a multiple of 8, or use `load`",
                 {B2.stride[0] * 2})});
    if (!call.ok()) return tk::finish(call.result());

    // split(A, A1, A2)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(A, "K"), tk::whole_vectors(A, 8), tk::suits_fast(A1), tk::suits_fast(A2)});

    // split(B, B1, B2)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(B, "N"), tk::whole_vectors(B, 8), tk::suits_fast(B1), tk::suits_fast(B2)});

    // gemm_of_parts(A1, A2, B1, B2, C)
    tk::selection choice_3{call};
    choice_3.candidate();  // gemm_of_parts
    choice_3.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                   9692 +
                   tk::multiply(
                       tk::larger(1536,
                                  (A1.stride[0] % 64 == 0 ? 152 : 241) +
                                  (A2.stride[0] % 64 == 0 ? 152 : 241) +
                                  (B1.stride[0] % 64 == 0 ? 304 : 482) +
                                  (B2.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 32)),
                   2147418112);
    choice_3.candidate();  // gemm_of_parts_square
    choice_3.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   5596 +
                   tk::multiply(
                       tk::larger(768,
                                  (A1.stride[0] % 64 == 0 ? 152 : 241) +
                                  (A2.stride[0] % 64 == 0 ? 152 : 241) +
                                  (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                  (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                   2147418112);
    choice_3.candidate();  // gemm_of_parts_tall
    choice_3.offer(tk::multiply(tk::ceil_div(M, 256), tk::ceil_div(N, 128)),
                   9692 +
                   tk::multiply(
                       tk::larger(1536,
                                  (A1.stride[0] % 64 == 0 ? 304 : 482) +
                                  (A2.stride[0] % 64 == 0 ? 304 : 482) +
                                  (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                  (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                   2147418112);
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_split(site, A, A1, A2, M, K));
    } else {
        TK_FINISH_IF_FAILED(launch_split_general(site, A, A1, A2, M, K));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_split(site, B, B1, B2, K, N));
    } else {
        TK_FINISH_IF_FAILED(launch_split_general(site, B, B1, B2, K, N));
    }
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_gemm_of_parts(site, tk::read_only(A1), tk::read_only(A2), tk::read_only(B1),
                                 tk::read_only(B2), C, M, K, N));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_gemm_of_parts_square(site, tk::read_only(A1), tk::read_only(A2),
                                        tk::read_only(B1), tk::read_only(B2), C, M, K, N));
    }
    if (choice_3.best(site) == 2) {
        TK_FINISH_IF_FAILED(
            launch_gemm_of_parts_tall(site, tk::read_only(A1), tk::read_only(A2), tk::read_only(B1),
                                      tk::read_only(B2), C, M, K, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_3xbf16, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*)

int gemm_3xbf16_precise(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                        DLTensor* A1_given, DLTensor* A2_given, DLTensor* B1_given,
                        DLTensor* B2_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_3xbf16_precise"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_f32, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_f32, 2, tk::access::write);
    const tk::tensor A1 = call.take("A1", A1_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor A2 = call.take("A2", A2_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor B1 = call.take("B1", B1_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor B2 = call.take("B2", B2_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::same_extent("M", A, 0, A1, 0),
         tk::same_extent("M", A, 0, A2, 0), tk::same_extent("K", A, 1, B1, 0),
         tk::same_extent("K", A, 1, B2, 0), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(A1.shape[1] == tk::ceil_div(K, 8) * 8,
                  "axis 1 of `A1` is {}; it must be `ceil_div(K, 8)*8`, which is {}",
                  {A1.shape[1], tk::ceil_div(K, 8) * 8}),
         tk::that(A2.shape[1] == tk::ceil_div(K, 8) * 8,
                  "axis 1 of `A2` is {}; it must be `ceil_div(K, 8)*8`, which is {}",
                  {A2.shape[1], tk::ceil_div(K, 8) * 8}),
         tk::that(B1.shape[1] == tk::ceil_div(N, 8) * 8,
                  "axis 1 of `B1` is {}; it must be `ceil_div(N, 8)*8`, which is {}",
                  {B1.shape[1], tk::ceil_div(N, 8) * 8}),
         tk::that(B2.shape[1] == tk::ceil_div(N, 8) * 8,
                  "axis 1 of `B2` is {}; it must be `ceil_div(N, 8)*8`, which is {}",
                  {B2.shape[1], tk::ceil_div(N, 8) * 8})});
    // split(A, A1, A2)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(K, 8) * 8, 1024), 0),
                         tk::ceil_div(M, 8)), 2147483648)});
    // split(B, B1, B2)
    call.require({
        tk::grid_fits(
            tk::multiply(tk::larger(tk::ceil_div(tk::ceil_div(N, 8) * 8, 1024), 0),
                         tk::ceil_div(K, 8)), 2147483648)});
    // gemm_of_parts_precise(A1, A2, B1, B2, C)
    call.require({
        tk::that(tk::ceil_div(K, 8) * 8 < 2147221504,
                 "`ceil_div(K, 8)*8` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(K, 8) * 8}),
        tk::that(tk::ceil_div(N, 8) * 8 < 2147221504,
                 "`ceil_div(N, 8)*8` is {}; extents must be less than 2147221504",
                 {tk::ceil_div(N, 8) * 8}),
        tk::that(tk::ceil_div(K, 8) * 8 >= K,
                 "`gemm_of_parts_precise` requires `(ceil_div(K, 8)*8) >= K`"),
        tk::that(tk::ceil_div(N, 8) * 8 >= N,
                 "`gemm_of_parts_precise` requires `(ceil_div(N, 8)*8) >= N`"),
        tk::that(A1.stride[1] == 1,
                 "neighbours in a row of `A1` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A1.stride[1]}),
        tk::that(A1.address % 16 == 0,
                 "`A1` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A1.address, 16)}),
        tk::that(A1.stride[0] % 8 == 0 && 0 < A1.stride[0] && A1.stride[0] < 549755813888,
                 "the rows of `A1` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(K, 8)*8` to a multiple of 8, or use `load`",
                 {A1.stride[0] * 2}),
        tk::that(A2.stride[1] == 1,
                 "neighbours in a row of `A2` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A2.stride[1]}),
        tk::that(A2.address % 16 == 0,
                 "`A2` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A2.address, 16)}),
        tk::that(A2.stride[0] % 8 == 0 && 0 < A2.stride[0] && A2.stride[0] < 549755813888,
                 "the rows of `A2` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(K, 8)*8` to a multiple of 8, or use `load`",
                 {A2.stride[0] * 2}),
        tk::that(B1.stride[1] == 1,
                 "neighbours in a row of `B1` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B1.stride[1]}),
        tk::that(B1.address % 16 == 0,
                 "`B1` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B1.address, 16)}),
        tk::that(B1.stride[0] % 8 == 0 && 0 < B1.stride[0] && B1.stride[0] < 549755813888,
                 "the rows of `B1` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 8)*8` to a multiple of 8, or use `load`",
                 {B1.stride[0] * 2}),
        tk::that(B2.stride[1] == 1,
                 "neighbours in a row of `B2` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B2.stride[1]}),
        tk::that(B2.address % 16 == 0,
                 "`B2` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B2.address, 16)}),
        tk::that(B2.stride[0] % 8 == 0 && 0 < B2.stride[0] && B2.stride[0] < 549755813888,
                 "the rows of `B2` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `ceil_div(N, 8)*8` to a multiple of 8, or use `load`",
                 {B2.stride[0] * 2})});
    if (!call.ok()) return tk::finish(call.result());

    // split(A, A1, A2)
    const bool choice_1 = tk::hold(
        {tk::suits_fast(A, "K"), tk::whole_vectors(A, 8), tk::suits_fast(A1), tk::suits_fast(A2)});

    // split(B, B1, B2)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(B, "N"), tk::whole_vectors(B, 8), tk::suits_fast(B1), tk::suits_fast(B2)});

    // gemm_of_parts_precise(A1, A2, B1, B2, C)
    tk::selection choice_3{call};
    choice_3.candidate();  // gemm_of_parts_precise
    choice_3.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   5596 +
                   tk::multiply(
                       tk::larger(1710,
                                  (A1.stride[0] % 64 == 0 ? 304 : 482) +
                                  (A2.stride[0] % 64 == 0 ? 304 : 482) +
                                  (B1.stride[0] % 64 == 0 ? 304 : 482) +
                                  (B2.stride[0] % 64 == 0 ? 304 : 482)) + 20, tk::ceil_div(K, 64)),
                   2147418112);
    choice_3.candidate();  // gemm_of_parts_precise_tall
    choice_3.offer(tk::multiply(tk::ceil_div(M, 192), tk::ceil_div(N, 128)),
                   7644 +
                   tk::multiply(
                       tk::larger(1326,
                                  (A1.stride[0] % 64 == 0 ? 228 : 362) +
                                  (A2.stride[0] % 64 == 0 ? 228 : 362) +
                                  (B1.stride[0] % 64 == 0 ? 152 : 241) +
                                  (B2.stride[0] % 64 == 0 ? 152 : 241)) + 20, tk::ceil_div(K, 32)),
                   2147418112);
    if (!choice_3.ok()) return tk::finish(choice_3.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (choice_1) {
        TK_FINISH_IF_FAILED(launch_split(site, A, A1, A2, M, K));
    } else {
        TK_FINISH_IF_FAILED(launch_split_general(site, A, A1, A2, M, K));
    }
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_split(site, B, B1, B2, K, N));
    } else {
        TK_FINISH_IF_FAILED(launch_split_general(site, B, B1, B2, K, N));
    }
    if (choice_3.best(site) == 0) {
        TK_FINISH_IF_FAILED(
            launch_gemm_of_parts_precise(site, tk::read_only(A1), tk::read_only(A2),
                                         tk::read_only(B1), tk::read_only(B2), C, M, K, N));
    }
    if (choice_3.best(site) == 1) {
        TK_FINISH_IF_FAILED(
            launch_gemm_of_parts_precise_tall(site, tk::read_only(A1), tk::read_only(A2),
                                              tk::read_only(B1), tk::read_only(B2), C, M, K, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_3xbf16_precise, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*,
                DLTensor*, DLTensor*, DLTensor*)
}  // extern "C"
