// Made by tkc from gemm_tn.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_tn: kernel gemm_tn of gemm_tn.tk with BM = 128, BN = 256, BK = 64, CM = 1.
//
// Roles:
//   producer     1 warp (warp 8), 24 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 240 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 229440 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[64, 128], stages of ab.a
//     65536  131072  4 x bf16[64, 256], stages of ab.b
//    196608   32768  4 x bf16[64, 64], staging of C
//    229376      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct gemm_tn_shared {
    tk::shared_tile<tk::bf16, 64, 128> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tn_shared, ab_a) == 0);
static_assert(offsetof(gemm_tn_shared, ab_b) == 65536);
static_assert(offsetof(gemm_tn_shared, consumer_C) == 196608);
static_assert(offsetof(gemm_tn_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_tn_kernel(const __grid_constant__ CUtensorMap A_map,
                                                         const __grid_constant__ CUtensorMap B_map,
                                                         const __grid_constant__ CUtensorMap C_map,
                                                         const tk::tensor_argument<tk::bf16, 2> C,
                                                         int K, int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tn_shared& shared = *reinterpret_cast<gemm_tn_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(A_map);
        tk::tma_prefetch_map(B_map);
        tk::tma_prefetch_map(C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 256);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // gemm_tn.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_tn.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_tn.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a.T, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc,
                              tk::transposed(tk::columns<64>(shared.ab_a[s.stage], 64 * warpgroup)),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_tn.tk:15: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    const tk::global_tile<tk::bf16> C_tile{
                        tk::address(C, m + warpgroup * 64, n + panel), C.stride[0], 1,
                        M - (m + warpgroup * 64), N - (n + panel)};
                    tk::copy_to_global(C_tile, shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gemm_tn.tk:9: role producer(1 warp) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_tn.tk:10: for k in K by BK { produce ab { a = tma_load(A[k, m]); b =
                // tma_load(B[k, n]) multicast(m); } }
                for (int k = 0; k < K; k += 64) {
                    shared.ab.wait_empty(ab_next);
                    shared.ab.expect(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 k, m);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    }
}

// gemm_tn_pairs: kernel gemm_tn of gemm_tn.tk with BM = 128, BN = 256, BK = 64, CM = 2.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
// Clusters of 2 blocks, neighbours along m, share what they multicast.
//
// Shared memory, 229440 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[64, 128], stages of ab.a
//     65536  131072  4 x bf16[64, 256], stages of ab.b
//    196608   32768  4 x bf16[64, 64], staging of C
//    229376      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct gemm_tn_pairs_shared {
    tk::shared_tile<tk::bf16, 64, 128> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(gemm_tn_pairs_shared, ab_a) == 0);
static_assert(offsetof(gemm_tn_pairs_shared, ab_b) == 65536);
static_assert(offsetof(gemm_tn_pairs_shared, consumer_C) == 196608);
static_assert(offsetof(gemm_tn_pairs_shared, ab) == 229376);

__global__ void __launch_bounds__(384, 1) gemm_tn_pairs_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<tk::bf16, 2> C, int K,
    int M, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_tn_pairs_shared& shared = *reinterpret_cast<gemm_tn_pairs_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(A_map);
        tk::tma_prefetch_map(B_map);
        tk::tma_prefetch_map(C_map);
        shared.ab.init(1, 16);
        tk::publish_barriers();
    }
    tk::cluster_sync();

    const int m_tiles = tk::tiles(M, 256) * 2;
    const int n_tiles = tk::tiles(N, 256);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // gemm_tn.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 16);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_tn.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_tn.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a.T, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc,
                              tk::transposed(tk::columns<64>(shared.ab_a[s.stage], 64 * warpgroup)),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release<2>(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release<2>(previous_ab);

            // gemm_tn.tk:15: tma_store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                 tk::convert<tk::bf16>(tk::window<64, 64>(acc, 0, panel)), thread);
                tk::fence_async();
                if (leader) tk::tma_store_wait_read<0>();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    const tk::global_tile<tk::bf16> C_tile{
                        tk::address(C, m + warpgroup * 64, n + panel), C.stride[0], 1,
                        M - (m + warpgroup * 64), N - (n + panel)};
                    tk::copy_to_global(C_tile, shared.consumer_C[warpgroup * 2 + panel / 64 % 2]);
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map, shared.consumer_C[warpgroup * 2 + panel / 64 % 2],
                                  m + warpgroup * 64, n + panel);
                }
            }
        }

        // After the last program.
        if (leader) tk::tma_store_wait_read<0>();
    } else {
        // gemm_tn.tk:9: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            const int rank = tk::cluster_rank();
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 16);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_tn.tk:10: for k in K by BK { produce ab { a = tma_load(A[k, m]); b =
                // tma_load(B[k, n]) multicast(m); } }
                for (int k = 0; k < K; k += 64) {
                    shared.ab.wait_empty(ab_next);
                    shared.ab.expect(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 k, m);
                    tk::tma_load_multicast(tk::columns<128>(shared.ab_b[ab_next.stage], 128 * rank),
                                           B_map, shared.ab.full[ab_next.stage], 3, k,
                                           n + 128 * rank);
                    ab_next.advance();
                }
            }
        }
    }

    // Other blocks of the cluster may still arrive on this one's barriers.
    tk::cluster_sync();
}

#include "tk/host/launcher.h"

namespace {
// gemm_tn: BM = 128, BN = 256, BK = 64, CM = 1
tk::status launch_gemm_tn(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                          const tk::tensor& C, int64_t K, int64_t M, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm_tn_kernel),
                                    static_cast<int>(sizeof(gemm_tn_shared)), {}, {}};
    CUtensorMap A_map;
    TK_RETURN_IF_FAILED(tk::encode(A_map, A, {64, 64}, 128));
    CUtensorMap B_map;
    TK_RETURN_IF_FAILED(tk::encode(B_map, B, {64, 64}, 128));
    CUtensorMap C_map;
    TK_RETURN_IF_FAILED(tk::encode(C_map, C, {64, 64}, 128));
    return tk::launch_kernel(kernel, gemm_tn_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, A_map, B_map, C_map,
                             tk::cells<tk::bf16, 2>(C), static_cast<int>(K), static_cast<int>(M),
                             static_cast<int>(N));
}

// gemm_tn_pairs: BM = 128, BN = 256, BK = 64, CM = 2
tk::status launch_gemm_tn_pairs(const tk::launch_site& site, const tk::tensor& A,
                                const tk::tensor& B, const tk::tensor& C, int64_t K, int64_t M,
                                int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm_tn_pairs_kernel),
                                    static_cast<int>(sizeof(gemm_tn_pairs_shared)), {}, {}, 2};
    int resident = 0;
    TK_RETURN_IF_FAILED(tk::resident_blocks(kernel, site.device, 384, resident));
    CUtensorMap A_map;
    TK_RETURN_IF_FAILED(tk::encode(A_map, A, {64, 64}, 128));
    CUtensorMap B_map;
    TK_RETURN_IF_FAILED(tk::encode(B_map, B, {64, 64}, 128));
    CUtensorMap C_map;
    TK_RETURN_IF_FAILED(tk::encode(C_map, C, {64, 64}, 128));
    return tk::launch_kernel(kernel, gemm_tn_pairs_kernel, site, tk::smaller(programs, resident),
                             384, A_map, B_map, C_map, tk::cells<tk::bf16, 2>(C),
                             static_cast<int>(K), static_cast<int>(M), static_cast<int>(N));
}

tk::status run_gemm_tn(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                       cudaStream_t stream) {
    tk::arguments call{"gemm_tn"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t K = A.shape[0];
    const int64_t M = A.shape[1];
    const int64_t N = B.shape[1];

    call.require(B.shape[0] == K, "`K` is {} in axis 0 of `A`, but {} in axis 0 of `B`",
                 {K, B.shape[0]});
    call.require(C.shape[0] == M, "`M` is {} in axis 1 of `A`, but {} in axis 0 of `C`",
                 {M, C.shape[0]});
    call.require(C.shape[1] == N, "`N` is {} in axis 1 of `B`, but {} in axis 1 of `C`",
                 {N, C.shape[1]});
    call.require(K < 2147221504, "`K` is {}; extents must be less than 2147221504", {K});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(A.stride[1] == 1,
                 "neighbours in a row of `A` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A.stride[1]});
    call.require(A.address % 16 == 0,
                 "`A` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A.address, 16)});
    call.require(A.stride[0] % 8 == 0 && 0 < A.stride[0] && A.stride[0] < 549755813888,
                 "the rows of `A` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `M` to a multiple of 8, or use `load`",
                 {A.stride[0] * 2});
    call.require(B.stride[1] == 1,
                 "neighbours in a row of `B` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B.stride[1]});
    call.require(B.address % 16 == 0,
                 "`B` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B.address, 16)});
    call.require(B.stride[0] % 8 == 0 && 0 < B.stride[0] && B.stride[0] < 549755813888,
                 "the rows of `B` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `N` to a multiple of 8, or use `load`",
                 {B.stride[0] * 2});
    call.require(C.stride[1] == 1,
                 "neighbours in a row of `C` are {} elements apart; `tma_store` needs 1: pass a copy with dense rows, or use `store`",
                 {C.stride[1]});
    call.require(C.address % 16 == 0,
                 "`C` begins {} bytes past a multiple of 16; `tma_store` needs a multiple: pass a copy, or use `store`",
                 {tk::floor_mod(C.address, 16)});
    call.require(C.stride[0] % 8 == 0 && 0 < C.stride[0] && C.stride[0] < 549755813888,
                 "the rows of `C` start {} bytes apart; `tma_store` needs a positive multiple of 16: pad `N` to a multiple of 8, or use `store`",
                 {C.stride[0] * 2});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // gemm_tn
    choice.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)) < 2147418112,
                   "the grid has {} programs; it must have less than 2147418112",
                   {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256))});
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(
                     tk::larger(1024,
                                (A.stride[0] % 64 == 0 ? 328 : 482) +
                                (B.stride[0] % 64 == 0 ? 656 : 964)) + 20, tk::ceil_div(K, 64)));
    choice.candidate();  // gemm_tn_pairs
    choice.require(tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256)) < 2147418112,
                   "the grid has {} programs; it must have less than 2147418112",
                   {tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256))});
    choice.offer(tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256)),
                 3580 +
                 tk::multiply(tk::larger(1024, (A.stride[0] % 64 == 0 ? 328 : 482) + 656) + 20,
                              tk::ceil_div(K, 64)));
    if (choice.best() == 0) return launch_gemm_tn(site, A, B, C, K, M, N);
    if (choice.best() == 1) return launch_gemm_tn_pairs(site, A, B, C, K, M, N);
    return choice.result();
}

tk::status run_gemm_tn_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                             cudaStream_t stream) {
    tk::arguments call{"gemm_tn_pairs"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t K = A.shape[0];
    const int64_t M = A.shape[1];
    const int64_t N = B.shape[1];

    call.require(B.shape[0] == K, "`K` is {} in axis 0 of `A`, but {} in axis 0 of `B`",
                 {K, B.shape[0]});
    call.require(C.shape[0] == M, "`M` is {} in axis 1 of `A`, but {} in axis 0 of `C`",
                 {M, C.shape[0]});
    call.require(C.shape[1] == N, "`N` is {} in axis 1 of `B`, but {} in axis 1 of `C`",
                 {N, C.shape[1]});
    call.require(K < 2147221504, "`K` is {}; extents must be less than 2147221504", {K});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(A.stride[1] == 1,
                 "neighbours in a row of `A` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A.stride[1]});
    call.require(A.address % 16 == 0,
                 "`A` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A.address, 16)});
    call.require(A.stride[0] % 8 == 0 && 0 < A.stride[0] && A.stride[0] < 549755813888,
                 "the rows of `A` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `M` to a multiple of 8, or use `load`",
                 {A.stride[0] * 2});
    call.require(B.stride[1] == 1,
                 "neighbours in a row of `B` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {B.stride[1]});
    call.require(B.address % 16 == 0,
                 "`B` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(B.address, 16)});
    call.require(B.stride[0] % 8 == 0 && 0 < B.stride[0] && B.stride[0] < 549755813888,
                 "the rows of `B` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `N` to a multiple of 8, or use `load`",
                 {B.stride[0] * 2});
    call.require(C.stride[1] == 1,
                 "neighbours in a row of `C` are {} elements apart; `tma_store` needs 1: pass a copy with dense rows, or use `store`",
                 {C.stride[1]});
    call.require(C.address % 16 == 0,
                 "`C` begins {} bytes past a multiple of 16; `tma_store` needs a multiple: pass a copy, or use `store`",
                 {tk::floor_mod(C.address, 16)});
    call.require(C.stride[0] % 8 == 0 && 0 < C.stride[0] && C.stride[0] < 549755813888,
                 "the rows of `C` start {} bytes apart; `tma_store` needs a positive multiple of 16: pad `N` to a multiple of 8, or use `store`",
                 {C.stride[0] * 2});
    call.require(tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 256) * 2, tk::ceil_div(N, 256))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));
    return launch_gemm_tn_pairs(site, A, B, C, K, M, N);
}

}  // namespace

extern "C" {
int gemm_tn(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
            cudaStream_t stream) {
    return tk::finish(run_gemm_tn(A_given, B_given, C_given, stream));
}

size_t gemm_tn_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* gemm_tn_error() {
    return tk::last_sentence;
}

int gemm_tn_pairs(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                  size_t, cudaStream_t stream) {
    return tk::finish(run_gemm_tn_pairs(A_given, B_given, C_given, stream));
}

size_t gemm_tn_pairs_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* gemm_tn_pairs_error() {
    return tk::last_sentence;
}
}  // extern "C"
