// Made by tkc from gemm_accumulate.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n256.cuh"
#include "tk/tk.cuh"

// gemm_accumulate: kernel gemm_accumulate of gemm_accumulate.tk with BM = 128, BN = 256, BK = 64.
//
// Roles:
//   producer     1 warp (warp 8), 40 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 232 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 213056 bytes:
//    offset   bytes  what
//         0   49152  3 x bf16[128, 64], stages of ab.a
//     49152   98304  3 x bf16[64, 256], stages of ab.b
//    147456   65536  1 x bf16[128, 256], stages of cs.tile
//    147456   65536  8 x bf16[64, 64], staging of C
//    212992      48  barriers of ab, 3 stages
//    213040      16  barriers of cs, 1 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct gemm_accumulate_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[3];
    tk::shared_tile<tk::bf16, 64, 256> ab_b[3];
    tk::shared_tile<tk::bf16, 128, 256> cs_tile[1];
    tk::pipeline<3> ab;
    tk::pipeline<1> cs;
};
static_assert(offsetof(gemm_accumulate_shared, ab_a) == 0);
static_assert(offsetof(gemm_accumulate_shared, ab_b) == 49152);
static_assert(offsetof(gemm_accumulate_shared, cs_tile) == 147456);
static_assert(offsetof(gemm_accumulate_shared, ab) == 212992);
static_assert(offsetof(gemm_accumulate_shared, cs) == 213040);

__global__ void __launch_bounds__(384, 1) gemm_accumulate_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const __grid_constant__ CUtensorMap C_map_2,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    gemm_accumulate_shared& shared = *reinterpret_cast<gemm_accumulate_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(A_map);
        tk::tma_prefetch_map(B_map);
        tk::tma_prefetch_map(C_map);
        tk::tma_prefetch_map(C_map_2);
        shared.ab.init(1, 8);
        shared.cs.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 256);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // gemm_accumulate.tk:13: role consumer(2 warpgroups) {
        tk::registers_at_least<232>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<3> ab_next;
        tk::cursor<1> cs_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 256;

            // gemm_accumulate.tk:14: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 256> acc;
            tk::zero(acc);

            // gemm_accumulate.tk:15: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<3> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<3> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // gemm_accumulate.tk:16: consume cs as c { tma_store(C[m, n], bf16(acc + f32(c))); }
            shared.cs.wait_full(cs_next);
            const tk::cursor<1> c_element = cs_next;
            cs_next.advance();
            tk::fragment<tk::bf16, 64, 256> t1;
            tk::load_shared(t1, tk::rows<64>(shared.cs_tile[c_element.stage], 64 * warpgroup),
                            thread);
            #pragma unroll
            for (int panel = 0; panel < 256; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t0;
                tk::map(t0, thread, [](int, int, float acc, tk::bf16 t1) {
                    return acc + float(t1);
                }, tk::window<64, 64>(acc, 0, panel), tk::window<64, 64>(t1, 0, panel));
                tk::store_shared(
                    tk::block<64>(shared.cs_tile[c_element.stage], panel / 64 % 4 * 2 + warpgroup),
                    t0, thread);
                tk::fence_async();
                tk::barrier_sync(1 + warpgroup, 128);
                if (N % 8 != 0 && N < n + panel + 64) {
                    const tk::global_tile<tk::bf16> C_tile{
                        tk::address(C, m + warpgroup * 64, n + panel), C.stride[0], 1,
                        M - (m + warpgroup * 64), N - (n + panel)};
                    tk::copy_to_global(C_tile,
                                       tk::block<64>(shared.cs_tile[c_element.stage],
                                                     panel / 64 % 4 * 2 + warpgroup));
                    if (leader) tk::tma_store_nothing();
                } else if (leader) {
                    tk::tma_store(C_map_2,
                                  tk::block<64>(shared.cs_tile[c_element.stage],
                                                panel / 64 % 4 * 2 + warpgroup), m + warpgroup * 64,
                                  n + panel);
                }
            }
            if (leader) tk::tma_store_wait_read<0>();
            shared.cs.release_after_loads(c_element);
        }
    } else {
        // gemm_accumulate.tk:9: role producer(1 warp) {
        tk::registers_at_most<40>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<3> ab_next;
            tk::cursor<1> cs_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 256;

                // gemm_accumulate.tk:10: for k in K by BK { produce ab { a = tma_load(A[m, k]); b =
                // tma_load(B[k, n]); } }
                for (int k = 0; k < K; k += 64) {
                    shared.ab.wait_empty(ab_next);
                    shared.ab.expect(ab_next, 49152);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }

                // gemm_accumulate.tk:11: produce cs = tma_load(C[m, n]);
                shared.cs.wait_empty(cs_next);
                shared.cs.expect(cs_next, 65536);
                tk::tma_load(shared.cs_tile[cs_next.stage], C_map, shared.cs.full[cs_next.stage], m,
                             n);
                cs_next.advance();
            }
        }
    }
}

#include "tk/host/launcher.h"

namespace {
// gemm_accumulate: BM = 128, BN = 256, BK = 64
tk::status launch_gemm_accumulate(const tk::launch_site& site, const tk::tensor& A,
                                  const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                  int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&gemm_accumulate_kernel),
                                    static_cast<int>(sizeof(gemm_accumulate_shared)), {}, {}};
    CUtensorMap A_map;
    TK_RETURN_IF_FAILED(tk::encode(A_map, A, {128, 64}, 128));
    CUtensorMap B_map;
    TK_RETURN_IF_FAILED(tk::encode(B_map, B, {64, 64}, 128));
    CUtensorMap C_map;
    TK_RETURN_IF_FAILED(tk::encode(C_map, C, {128, 64}, 128));
    CUtensorMap C_map_2;
    TK_RETURN_IF_FAILED(tk::encode(C_map_2, C, {64, 64}, 128));
    return tk::launch_kernel(kernel, gemm_accumulate_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, A_map, B_map, C_map,
                             C_map_2, tk::cells<tk::bf16, 2>(C), static_cast<int>(M),
                             static_cast<int>(K), static_cast<int>(N));
}

tk::status run_gemm_accumulate(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                               cudaStream_t stream) {
    tk::arguments call{"gemm_accumulate"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];

    call.require(B.shape[0] == K, "`K` is {} in axis 1 of `A`, but {} in axis 0 of `B`",
                 {K, B.shape[0]});
    call.require(C.shape[0] == M, "`M` is {} in axis 0 of `A`, but {} in axis 0 of `C`",
                 {M, C.shape[0]});
    call.require(C.shape[1] == N, "`N` is {} in axis 1 of `B`, but {} in axis 1 of `C`",
                 {N, C.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(K < 2147221504, "`K` is {}; extents must be less than 2147221504", {K});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(A.stride[1] == 1,
                 "neighbours in a row of `A` are {} elements apart; `tma_load` needs 1: pass a copy with dense rows, or use `load`",
                 {A.stride[1]});
    call.require(A.address % 16 == 0,
                 "`A` begins {} bytes past a multiple of 16; `tma_load` needs a multiple: pass a copy, or use `load`",
                 {tk::floor_mod(A.address, 16)});
    call.require(A.stride[0] % 8 == 0 && 0 < A.stride[0] && A.stride[0] < 549755813888,
                 "the rows of `A` start {} bytes apart; `tma_load` needs a positive multiple of 16: pad `K` to a multiple of 8, or use `load`",
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
    call.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 256))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));
    return launch_gemm_accumulate(site, A, B, C, M, K, N);
}

}  // namespace

extern "C" {
int gemm_accumulate(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*,
                    size_t, cudaStream_t stream) {
    return tk::finish(run_gemm_accumulate(A_given, B_given, C_given, stream));
}

size_t gemm_accumulate_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* gemm_accumulate_error() {
    return tk::last_sentence;
}
}  // extern "C"
