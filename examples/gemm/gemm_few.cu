// Made by tkc from gemm_few.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/cache.cuh"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n016.cuh"
#include "tk/tk.cuh"

// parts: kernel parts with BM = 16, BN = 64, BK = 128, WG = 1, S = 10.
// producer: 1 warp, 240 registers a thread; consumer: 1 warpgroup, 240 registers a thread.
// 256 threads, 255 registers each at first, 204960 bytes of shared memory; persistent.
struct parts_shared {
    tk::shared_tile<tk::bf16, 16, 128> ab_a[10];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[10];
    tk::pipeline<10> ab;
};
static_assert(offsetof(parts_shared, ab) == 204800);

__global__ void __launch_bounds__(256, 1) parts_kernel(
    const __grid_constant__ CUtensorMap B_map, const __grid_constant__ CUtensorMap A_map,
    const tk::tensor_argument<float, 3> Part, int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    parts_shared& shared = *reinterpret_cast<parts_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(B_map, A_map);
        shared.ab.init(1, 4);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 4) {
        // gemm_few.tk:17: role producer(1 warp) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 4 && tk::elect_one()) {
            const tk::cache_policy evict_first = tk::evict_first();
            const tk::cache_policy evict_last = tk::evict_last();
            tk::cursor<10> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 16;
                const int n = program / m_tiles % n_tiles * 64;
                const int s = program / (m_tiles * n_tiles);

                // gemm_few.tk:14: let chunk = ceil_div(K, P * BK) * BK;
                const int chunk = tk::divide_up(K, P * 128) * 128;

                // gemm_few.tk:18: for (k) in steps { produce ab { b = tma_load(B[n, k]) ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                    shared.ab.begin(ab_next, 20480);
                    tk::tma_load(shared.ab_b[ab_next.stage], tk::hinted(B_map, evict_first),
                                 shared.ab.full[ab_next.stage], n, k);
                    tk::tma_load(shared.ab_a[ab_next.stage], tk::hinted(A_map, evict_last),
                                 shared.ab.full[ab_next.stage], m, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_few.tk:20: role consumer(WG warpgroups) {
        tk::registers_at_most<240>();
        const int m_tiles = tk::tiles(M, 16);
        const int n_tiles = tk::tiles(N, 64);
        const int programs = m_tiles * n_tiles * P;
        const int thread = tk::warpgroup_thread();
        tk::cursor<10> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 16;
            const int n = program / m_tiles % n_tiles * 64;
            const int s = program / (m_tiles * n_tiles);

            // gemm_few.tk:14: let chunk = ceil_div(K, P * BK) * BK;
            const int chunk = tk::divide_up(K, P * 128) * 128;

            // gemm_few.tk:21: var acc: f32[BN, BM] = 0;
            tk::fragment<float, 64, 16> acc;
            tk::zero(acc);

            // gemm_few.tk:22: for (k) in steps { consume ab as e { acc += mma(e.b, e.a.T); } }
            tk::cursor<10> previous_ab;
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 128) {
                const tk::cursor<10> e = shared.ab.take(ab_next);
                tk::mma_async(acc, shared.ab_b[e.stage], tk::transposed(shared.ab_a[e.stage]));
                tk::ptx::wgmma_wait<1>();
                if (s * chunk < k) shared.ab.release(previous_ab);
                previous_ab = e;
            }
            tk::mma_wait<0>(acc);
            if (s * chunk < tk::min((s + 1) * chunk, K)) shared.ab.release(previous_ab);

            // gemm_few.tk:23: store(Part[s, n, m], acc);
            tk::store_global(tk::slice(Part, {s, n, m}, N - n, M - m), acc, thread);
        }
    }
}

// total: kernel total with BM = 16, BS = 4.
// 128 threads, 64 registers each, 2048 bytes of shared memory.
struct total_shared {
    tk::shared_tile<int, 1, 288> total_turned[1];
};

__global__ void __launch_bounds__(128, 8) total_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int N, int M) {
    extern __shared__ __align__(1024) unsigned char memory[];
    total_shared& shared = *reinterpret_cast<total_shared*>(memory);

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

// total_general: kernel total with BM = 16, BS = 4; any strides and alignment.
// 128 threads, 255 registers each, 2048 bytes of shared memory.
struct total_general_shared {
    tk::shared_tile<int, 1, 288> total_turned[1];
};

__global__ void __launch_bounds__(128, 1) total_general_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int N, int M) {
    extern __shared__ __align__(1024) unsigned char memory[];
    total_general_shared& shared = *reinterpret_cast<total_general_shared*>(memory);

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

namespace {
tk::status launch_parts(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                        const tk::tensor& Part, int64_t M, int64_t K, int64_t N, int64_t P) {
    return tk::run<parts_kernel>(
        site, sizeof(parts_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), P),
        tk::box{B, {64, 64}, 128}, tk::box{A, {16, 64}, 128}, Part, M, K, N, P);
}

tk::status launch_total(const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& C,
                        int64_t P, int64_t N, int64_t M) {
    return tk::run<total_kernel>(site, sizeof(total_shared), tk::kernel_shape(128).overlapping(),
                                 tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), Part, C, P,
                                 N, M);
}

tk::status launch_total_general(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& C, int64_t P, int64_t N, int64_t M) {
    return tk::run<total_general_kernel>(
        site, sizeof(total_general_shared), tk::kernel_shape(128).overlapping(),
        tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), Part, C, P, N, M);
}

}  // namespace

extern "C" {
int parts(const DLTensor* A_given, const DLTensor* B_given, DLTensor* Part_given, void*, size_t,
          cudaStream_t stream) {
    tk::arguments call{"parts"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    const int64_t P = Part.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("N", B, 0, Part, 1),
         tk::same_extent("M", A, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"P", P}}), tk::fits("P*128", P * 128),
         tk::that(0 < P * 128, "`P*128` is at least 1, because `parts` divides by it"),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), P),
                       2147418112),
         tk::that(1 <= P * 128,
                  "`ceil_div(K, P*128)` divides by `P*128`, which is {}: it must be at least 1",
                  {P * 128}), tk::fits("ceil_div(K, P*128)*128", tk::ceil_div(K, P * 128) * 128),
         tk::fits("s*chunk", tk::multiply(P - 1, tk::ceil_div(K, P * 128) * 128)),
         tk::fits("(s + 1)*chunk", tk::multiply(P - 1 + 1, tk::ceil_div(K, P * 128) * 128))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<parts_kernel>(
        site, sizeof(parts_shared), tk::kernel_shape(256).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), P),
        tk::box{B, {64, 64}, 128}, tk::box{A, {16, 64}, 128}, Part, M, K, N, P));
}
TK_NO_WORKSPACE(parts, const DLTensor*, const DLTensor*, DLTensor*)

int total(const DLTensor* Part_given, DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"total"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    const int64_t N = Part.shape[1];
    const int64_t M = Part.shape[2];
    call.require(
        {tk::same_extent("M", Part, 2, C, 0), tk::same_extent("N", Part, 1, C, 1),
         tk::extents_fit({{"P", P}, {"N", N}, {"M", M}}),
         tk::that(P >= 1, "`total` requires `P >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16));
    const bool fast = tk::hold(
        {tk::suits_fast(Part, "M"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    if (fast) {
        return tk::finish(
            tk::run<total_kernel>(site, sizeof(total_shared), tk::kernel_shape(128).overlapping(),
                                  programs, Part, C, P, N, M));
    }
    return tk::finish(tk::run<total_general_kernel>(
        site, sizeof(total_general_shared), tk::kernel_shape(128).overlapping(), programs, Part, C,
        P, N, M));
}
TK_NO_WORKSPACE(total, const DLTensor*, DLTensor*)

int gemm_few(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
             DLTensor* Part_given, int32_t splits, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_few"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 0, C, 1), tk::same_extent("N", B, 0, Part, 1),
         tk::same_extent("M", A, 0, Part, 2), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`gemm_few` requires `splits >= 1`")});
    // parts(A, B, Part)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*128", int64_t{splits} * 128),
        tk::that(0 < int64_t{splits} * 128,
                 "`splits*128` is at least 1, because `parts` divides by it"),
        tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), 2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(M, 16), tk::ceil_div(N, 64)), int64_t{splits}),
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
    // total(Part, C)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 32), tk::ceil_div(M, 16)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // total(Part, C)
    const bool choice_2 = tk::hold(
        {tk::suits_fast(Part, "M"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N"),
         tk::whole_vectors(C, 8)});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_parts(site, A, B, Part, M, K, N, int64_t{splits}));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_total(site, tk::read_only(Part), C, int64_t{splits}, N, M));
    } else {
        TK_FINISH_IF_FAILED(
            launch_total_general(site, tk::read_only(Part), C, int64_t{splits}, N, M));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_few, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t)
}  // extern "C"
