// Made by tkc from gemm_split.tk: change that, and not this.
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums: last bits of results may differ.

#include <cuda.h>

#include "tk/host/launcher.h"
#include "tk/operations/integer.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// parts: kernel parts with BM = 128, BN = 128, BK = 64, CM = 1, WG = 2, S = 6.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196704 bytes of shared memory; persistent.
struct parts_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[6];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[6];
    tk::pipeline<6> ab;
};
static_assert(offsetof(parts_shared, ab) == 196608);

__global__ void __launch_bounds__(384, 1) parts_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 3> Part, int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    parts_shared& shared = *reinterpret_cast<parts_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_split.tk:16: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<6> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int n = program / m_tiles % n_tiles * 128;
                const int s = program / (m_tiles * n_tiles);

                // gemm_split.tk:13: let chunk = ceil_div(K, P * BK) * BK;
                const int chunk = tk::divide_up(K, P * 64) * 64;

                // gemm_split.tk:17: for (k) in steps { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 64) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_split.tk:19: role consumer(WG warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<6> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int n = program / m_tiles % n_tiles * 128;
            const int s = program / (m_tiles * n_tiles);

            // gemm_split.tk:13: let chunk = ceil_div(K, P * BK) * BK;
            const int chunk = tk::divide_up(K, P * 64) * 64;

            // gemm_split.tk:20: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_split.tk:21: for (k) in steps { consume ab as e { acc += mma(e.a, e.b); } }
            tk::cursor<6> previous_ab;
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 64) {
                const tk::cursor<6> e = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[e.stage], 64 * warpgroup),
                              shared.ab_b[e.stage]);
                tk::ptx::wgmma_wait<1>();
                if (s * chunk < k) shared.ab.release(previous_ab);
                previous_ab = e;
            }
            tk::mma_wait<0>(acc);
            if (s * chunk < tk::min((s + 1) * chunk, K)) shared.ab.release(previous_ab);

            // gemm_split.tk:22: store(Part[s, m, n], acc);
            tk::store_global(
                tk::slice(Part, {s, m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n), acc,
                thread);
        }
    }
}

// parts_nt: kernel parts_nt with BM = 128, BN = 128, BK = 64, CM = 1, WG = 2, S = 6.
// producer: 1 warp, 24 registers a thread; consumer: 2 warpgroups, 240 registers a thread.
// 384 threads, 168 registers each at first, 196704 bytes of shared memory; persistent.
struct parts_nt_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[6];
    tk::shared_tile<tk::bf16, 128, 64> ab_b[6];
    tk::pipeline<6> ab;
};
static_assert(offsetof(parts_nt_shared, ab) == 196608);

__global__ void __launch_bounds__(384, 1) parts_nt_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const tk::tensor_argument<float, 3> Part, int M, int K, int N, int P) {
    extern __shared__ __align__(1024) unsigned char memory[];
    parts_nt_shared& shared = *reinterpret_cast<parts_nt_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_maps(A_map, B_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();
    tk::wait_for_previous_kernel();

    const int warp = tk::warp_index();

    if (warp >= 8) {
        // gemm_split.tk:33: role producer(1 warp) {
        tk::registers_at_most<24>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles * P;
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<6> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const int m = program % m_tiles * 128;
                const int n = program / m_tiles % n_tiles * 128;
                const int s = program / (m_tiles * n_tiles);

                // gemm_split.tk:30: let chunk = ceil_div(K, P * BK) * BK;
                const int chunk = tk::divide_up(K, P * 64) * 64;

                // gemm_split.tk:34: for (k) in steps { produce ab { a = tma_load(A[m, k]); b = ..
                #pragma unroll 1
                for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 64) {
                    shared.ab.begin(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 n, k);
                    ab_next.advance();
                }
            }
        }
    } else {
        // gemm_split.tk:36: role consumer(WG warpgroups) {
        tk::registers_at_least<240>();
        const int m_tiles = tk::tiles(M, 128);
        const int n_tiles = tk::tiles(N, 128);
        const int programs = m_tiles * n_tiles * P;
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<6> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const int m = program % m_tiles * 128;
            const int n = program / m_tiles % n_tiles * 128;
            const int s = program / (m_tiles * n_tiles);

            // gemm_split.tk:30: let chunk = ceil_div(K, P * BK) * BK;
            const int chunk = tk::divide_up(K, P * 64) * 64;

            // gemm_split.tk:37: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // gemm_split.tk:38: for (k) in steps { consume ab as e { acc += mma(e.a, e.b.T); } }
            tk::cursor<6> previous_ab;
            for (int k = s * chunk; k < tk::min((s + 1) * chunk, K); k += 64) {
                const tk::cursor<6> e = shared.ab.take(ab_next);
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[e.stage], 64 * warpgroup),
                              tk::transposed(shared.ab_b[e.stage]));
                tk::ptx::wgmma_wait<1>();
                if (s * chunk < k) shared.ab.release(previous_ab);
                previous_ab = e;
            }
            tk::mma_wait<0>(acc);
            if (s * chunk < tk::min((s + 1) * chunk, K)) shared.ab.release(previous_ab);

            // gemm_split.tk:39: store(Part[s, m, n], acc);
            tk::store_global(
                tk::slice(Part, {s, m + 64 * warpgroup, n}, M - (m + 64 * warpgroup), N - n), acc,
                thread);
        }
    }
}

// total: kernel total with BS = 4.
// 128 threads, 64 registers each.
__global__ void __launch_bounds__(128, 8) total_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 256);

    // gemm_split.tk:44: kernel total<BS: int = 4>(Part: f32[P, M, N], out C: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 256;
    const int m = program / n_tiles * 4;

    // gemm_split.tk:48: var all: f32[4, 256] = 0;
    tk::stripe<float, 4, 256, 128, 32, 8> all;
    tk::zero(all);

    // gemm_split.tk:49: for t in P by BS {
    for (int t = 0; t < P; t += 4) {
        // gemm_split.tk:50: for i in BS pipelined(BS) {
        #pragma unroll 4
        for (int i = 0; i < 4; i += 1) {
            // gemm_split.tk:51: let part = load(Part[min(t.start + i, P - 1), m, n]);
            tk::stripe<float, 4, 256, 128, 32, 8> part;
            tk::load_vectors(part,
                             tk::vector_slice(Part, {tk::min(t + i, P - 1), m, n},
                                              tk::min(t + i, P - 1) > -1 &&
                                              tk::min(t + i, P - 1) < P ? M - m : 0, N - n),
                             thread);

            // gemm_split.tk:52: all += where(t.start + i < P, part, 0);
            tk::map(all, [&](float all, float part) { return all + (t + i < P ? part : 0.0f); },
                    all, part);
        }
    }

    // gemm_split.tk:55: store(C[m, n], bf16(all));
    tk::stripe<tk::bf16, 4, 256, 128, 32, 8> t1 = tk::convert<tk::bf16>(all);
    tk::store_vectors(tk::vector_slice(C, {m, n}, M - m, N - n), t1, thread);
}

// total_general: kernel total with BS = 4; any strides and alignment.
// 128 threads, 255 registers each.
__global__ void __launch_bounds__(128, 1) total_general_kernel(
    const tk::tensor_argument<const float, 3> Part, const tk::tensor_argument<tk::bf16, 2> C, int P,
    int M, int N) {
    tk::wait_for_previous_kernel();

    const int n_tiles = tk::tiles(N, 256);

    // gemm_split.tk:44: kernel total<BS: int = 4>(Part: f32[P, M, N], out C: bf16[M, N])
    const int thread = int(threadIdx.x);
    const int program = blockIdx.x;
    const int n = program % n_tiles * 256;
    const int m = program / n_tiles * 4;

    // gemm_split.tk:48: var all: f32[4, 256] = 0;
    tk::stripe<float, 4, 256, 128, 32, 2> all;
    tk::zero(all);

    // gemm_split.tk:49: for t in P by BS {
    for (int t = 0; t < P; t += 4) {
        // gemm_split.tk:50: for i in BS pipelined(BS) {
        for (int i = 0; i < 4; i += 1) {
            // gemm_split.tk:51: let part = load(Part[min(t.start + i, P - 1), m, n]);
            tk::stripe<float, 4, 256, 128, 32, 2> part;
            tk::load_global(part,
                            tk::slice(Part, {tk::min(t + i, P - 1), m, n},
                                      tk::min(t + i, P - 1) > -1 && tk::min(t + i, P - 1) < P
                                      ? M - m : 0, N - n), thread);

            // gemm_split.tk:52: all += where(t.start + i < P, part, 0);
            tk::map(all, [&](float all, float part) { return all + (t + i < P ? part : 0.0f); },
                    all, part);
        }
    }

    // gemm_split.tk:55: store(C[m, n], bf16(all));
    tk::stripe<tk::bf16, 4, 256, 128, 32, 2> t1 = tk::convert<tk::bf16>(all);
    tk::store_global(tk::slice(C, {m, n}, M - m, N - n), t1, thread);
}

namespace {
tk::status launch_parts(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                        const tk::tensor& Part, int64_t M, int64_t K, int64_t N, int64_t P) {
    return tk::run<parts_kernel>(
        site, sizeof(parts_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
        tk::box{A, {128, 64}, 128}, tk::box{B, {64, 64}, 128}, Part, M, K, N, P);
}

tk::status launch_total(const tk::launch_site& site, const tk::tensor& Part, const tk::tensor& C,
                        int64_t P, int64_t M, int64_t N) {
    return tk::run<total_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                 tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4)), Part, C, P,
                                 M, N);
}

tk::status launch_total_general(const tk::launch_site& site, const tk::tensor& Part,
                                const tk::tensor& C, int64_t P, int64_t M, int64_t N) {
    return tk::run<total_general_kernel>(site, 0, tk::kernel_shape(128).overlapping(),
                                         tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4)),
                                         Part, C, P, M, N);
}

tk::status launch_parts_nt(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                           const tk::tensor& Part, int64_t M, int64_t K, int64_t N, int64_t P) {
    return tk::run<parts_nt_kernel>(
        site, sizeof(parts_nt_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
        tk::box{A, {128, 64}, 128}, tk::box{B, {128, 64}, 128}, Part, M, K, N, P);
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
    const int64_t N = B.shape[1];
    const int64_t P = Part.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, Part, 1),
         tk::same_extent("N", B, 1, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"P", P}}), tk::fits("P*64", P * 64),
         tk::that(0 < P * 64, "`P*64` is at least 1, because `parts` divides by it"),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "N"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
                       2147418112),
         tk::that(1 <= P * 64,
                  "`ceil_div(K, P*64)` divides by `P*64`, which is {}: it must be at least 1",
                  {P * 64}), tk::fits("ceil_div(K, P*64)*64", tk::ceil_div(K, P * 64) * 64),
         tk::fits("s*chunk", tk::multiply(P - 1, tk::ceil_div(K, P * 64) * 64)),
         tk::fits("(s + 1)*chunk", tk::multiply(P - 1 + 1, tk::ceil_div(K, P * 64) * 64))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<parts_kernel>(
        site, sizeof(parts_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
        tk::box{A, {128, 64}, 128}, tk::box{B, {64, 64}, 128}, Part, M, K, N, P));
}
TK_NO_WORKSPACE(parts, const DLTensor*, const DLTensor*, DLTensor*)

int parts_nt(const DLTensor* A_given, const DLTensor* B_given, DLTensor* Part_given, void*, size_t,
             cudaStream_t stream) {
    tk::arguments call{"parts_nt"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[0];
    const int64_t P = Part.shape[0];
    call.require(
        {tk::same_extent("K", A, 1, B, 1), tk::same_extent("M", A, 0, Part, 1),
         tk::same_extent("N", B, 0, Part, 2),
         tk::extents_fit({{"M", M}, {"K", K}, {"N", N}, {"P", P}}), tk::fits("P*64", P * 64),
         tk::that(0 < P * 64, "`P*64` is at least 1, because `parts_nt` divides by it"),
         tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"),
         tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112),
         tk::grid_fits(tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
                       2147418112),
         tk::that(1 <= P * 64,
                  "`ceil_div(K, P*64)` divides by `P*64`, which is {}: it must be at least 1",
                  {P * 64}), tk::fits("ceil_div(K, P*64)*64", tk::ceil_div(K, P * 64) * 64),
         tk::fits("s*chunk", tk::multiply(P - 1, tk::ceil_div(K, P * 64) * 64)),
         tk::fits("(s + 1)*chunk", tk::multiply(P - 1 + 1, tk::ceil_div(K, P * 64) * 64))});
    if (!call.ok()) return tk::finish(call.result());

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run<parts_nt_kernel>(
        site, sizeof(parts_nt_shared), tk::kernel_shape(384).at_once(1).overlapping(),
        tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), P),
        tk::box{A, {128, 64}, 128}, tk::box{B, {128, 64}, 128}, Part, M, K, N, P));
}
TK_NO_WORKSPACE(parts_nt, const DLTensor*, const DLTensor*, DLTensor*)

int total(const DLTensor* Part_given, DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"total"};
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t P = Part.shape[0];
    const int64_t M = Part.shape[1];
    const int64_t N = Part.shape[2];
    call.require(
        {tk::same_extent("M", Part, 1, C, 0), tk::same_extent("N", Part, 2, C, 1),
         tk::extents_fit({{"P", P}, {"M", M}, {"N", N}}),
         tk::that(P >= 1, "`total` requires `P >= 1`"),
         tk::grid_fits(tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());
    const int64_t programs = tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4));
    const bool fast =
        tk::hold({tk::suits_fast(Part, "N"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    return tk::finish(tk::run_one_of<total_kernel, total_general_kernel>(
        fast ? 0 : 1, site, 0, tk::kernel_shape(128).overlapping(), programs, Part, C, P, M, N));
}
TK_NO_WORKSPACE(total, const DLTensor*, DLTensor*)

int gemm_split(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
               DLTensor* Part_given, int32_t splits, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_split"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Part = call.take("Part", Part_given, tk::dtype_f32, 3, tk::access::write);
    if (!call.ok()) return tk::finish(call.result());
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];
    call.require(
        {tk::same_extent("K", A, 1, B, 0), tk::same_extent("M", A, 0, C, 0),
         tk::same_extent("N", B, 1, C, 1), tk::same_extent("M", A, 0, Part, 1),
         tk::same_extent("N", B, 1, Part, 2), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`gemm_split` requires `splits >= 1`")});
    // parts(A, B, Part)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `parts` divides by it"),
        tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "N"),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), int64_t{splits}),
            2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(K, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(K, splits*64)*64", tk::ceil_div(K, int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1, tk::ceil_div(K, int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(K, int64_t{splits} * 64) * 64))});
    // total(Part, C)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // total(Part, C)
    const bool choice_2 =
        tk::hold({tk::suits_fast(Part, "N"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_parts(site, A, B, Part, M, K, N, int64_t{splits}));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_total(site, tk::read_only(Part), C, int64_t{splits}, M, N));
    } else {
        TK_FINISH_IF_FAILED(
            launch_total_general(site, tk::read_only(Part), C, int64_t{splits}, M, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_split, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t)

int gemm_nt_split(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                  DLTensor* Part_given, int32_t splits, void*, size_t, cudaStream_t stream) {
    tk::arguments call{"gemm_nt_split"};
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
         tk::same_extent("N", B, 0, C, 1), tk::same_extent("M", A, 0, Part, 1),
         tk::same_extent("N", B, 0, Part, 2), tk::extents_fit({{"M", M}, {"K", K}, {"N", N}}),
         tk::that(Part.shape[0] == int64_t{splits},
                  "axis 0 of `Part` is {}; it must be `splits`, which is {}",
                  {Part.shape[0], int64_t{splits}}),
         tk::that(int64_t{splits} >= 1, "`gemm_nt_split` requires `splits >= 1`")});
    // parts_nt(A, B, Part)
    call.require({
        tk::that(int64_t{splits} < 2147221504,
                 "`splits` is {}; extents must be less than 2147221504", {int64_t{splits}}),
        tk::fits("splits*64", int64_t{splits} * 64),
        tk::that(0 < int64_t{splits} * 64,
                 "`splits*64` is at least 1, because `parts_nt` divides by it"),
        tk::suits_tma_load(A, "K"), tk::suits_tma_load(B, "K"),
        tk::grid_fits(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), 2147418112),
        tk::grid_fits(
            tk::multiply(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)), int64_t{splits}),
            2147418112),
        tk::that(1 <= int64_t{splits} * 64,
                 "`ceil_div(K, splits*64)` divides by `splits*64`, which is {}: it must be at least 1",
                 {int64_t{splits} * 64}),
        tk::fits("ceil_div(K, splits*64)*64", tk::ceil_div(K, int64_t{splits} * 64) * 64),
        tk::fits("s*chunk",
                 tk::multiply(int64_t{splits} - 1, tk::ceil_div(K, int64_t{splits} * 64) * 64)),
        tk::fits("(s + 1)*chunk",
                 tk::multiply(int64_t{splits} - 1 + 1,
                              tk::ceil_div(K, int64_t{splits} * 64) * 64))});
    // total(Part, C)
    call.require(
        {tk::grid_fits(tk::multiply(tk::ceil_div(N, 256), tk::ceil_div(M, 4)), 2147483648)});
    if (!call.ok()) return tk::finish(call.result());

    // total(Part, C)
    const bool choice_2 =
        tk::hold({tk::suits_fast(Part, "N"), tk::whole_vectors(Part, 8), tk::suits_fast(C, "N")});

    const tk::launch_scope site{call.device(), stream};
    if (!site.ok()) return tk::finish(site.result());
    TK_FINISH_IF_FAILED(launch_parts_nt(site, A, B, Part, M, K, N, int64_t{splits}));
    if (choice_2) {
        TK_FINISH_IF_FAILED(launch_total(site, tk::read_only(Part), C, int64_t{splits}, M, N));
    } else {
        TK_FINISH_IF_FAILED(
            launch_total_general(site, tk::read_only(Part), C, int64_t{splits}, M, N));
    }
    return tk::finish({});
}
TK_NO_WORKSPACE(gemm_nt_split, const DLTensor*, const DLTensor*, DLTensor*, DLTensor*, int32_t)
}  // extern "C"
