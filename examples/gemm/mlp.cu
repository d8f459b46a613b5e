// Made by tkc from mlp.tk: change that, and not this.

#include <cuda.h>

#include "tk/host/tensor_argument.h"
#include "tk/operations/cells.cuh"
#include "tk/ptx/wgmma_n128.cuh"
#include "tk/tk.cuh"

// layer: kernel layer of mlp.tk with BM = 128, BN = 128, BK = 64.
//
// Roles:
//   producer     4 warps (warps 8 to 11), 24 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 240 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 163904 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[128, 64], stages of ab.a
//     65536   65536  4 x bf16[64, 128], stages of ab.b
//    131072   32768  4 x bf16[64, 64], staging of C
//    163840      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct layer_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(layer_shared, ab_a) == 0);
static_assert(offsetof(layer_shared, ab_b) == 65536);
static_assert(offsetof(layer_shared, consumer_C) == 131072);
static_assert(offsetof(layer_shared, ab) == 163840);

__global__ void __launch_bounds__(384, 1) layer_kernel(const __grid_constant__ CUtensorMap A_map,
                                                       const __grid_constant__ CUtensorMap B_map,
                                                       const __grid_constant__ CUtensorMap C_map,
                                                       const tk::tensor_argument<tk::bf16, 2> C,
                                                       int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    layer_shared& shared = *reinterpret_cast<layer_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(A_map);
        tk::tma_prefetch_map(B_map);
        tk::tma_prefetch_map(C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // mlp.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:15: store(C[m, n], bf16(acc));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
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
        // mlp.tk:9: role producer(4 warps) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // mlp.tk:10: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]);
                // } }
                for (int k = 0; k < K; k += 64) {
                    shared.ab.wait_empty(ab_next);
                    shared.ab.expect(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    }
}

// layer_general: kernel layer of mlp.tk with BM = 128, BN = 128, BK = 64, for tensors of any
// strides and alignment.
//
// Roles:
//   producer     4 warps (warps 8 to 11), 56 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 224 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 131136 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[128, 64], stages of ab.a
//     65536   65536  4 x bf16[64, 128], stages of ab.b
//    131072      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct layer_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(layer_general_shared, ab_a) == 0);
static_assert(offsetof(layer_general_shared, ab_b) == 65536);
static_assert(offsetof(layer_general_shared, ab) == 131072);

__global__ void __launch_bounds__(384, 1) layer_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> A, const tk::tensor_argument<const tk::bf16, 2> B,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    layer_general_shared& shared = *reinterpret_cast<layer_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(4, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // mlp.tk:12: role consumer(2 warpgroups) {
        tk::registers_at_least<224>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:13: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:14: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:15: store(C[m, n], bf16(acc));
            tk::fragment<tk::bf16, 64, 128> t0 = tk::convert<tk::bf16>(acc);
            const tk::global_tile<tk::bf16> C_tile{tk::address(C, m + 64 * warpgroup, n),
                                                   C.stride[0], C.stride[1],
                                                   M - (m + 64 * warpgroup), N - n};
            tk::store_global(C_tile, t0, thread);
        }
    } else {
        // mlp.tk:9: role producer(4 warps) {
        tk::registers_at_most<56>();
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:10: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]); } }
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_empty(ab_next);
                const tk::global_tile<const tk::bf16> A_tile{tk::address(A, m, k), A.stride[0],
                                                             A.stride[1], M - m, K - k};
                tk::copy_to_shared(shared.ab_a[ab_next.stage], A_tile, thread, 128);
                const tk::global_tile<const tk::bf16> B_tile{tk::address(B, k, n), B.stride[0],
                                                             B.stride[1], K - k, N - n};
                tk::copy_to_shared(shared.ab_b[ab_next.stage], B_tile, thread, 128);
                shared.ab.publish(ab_next);
                ab_next.advance();
            }
        }
    }
}

// hidden_layer: kernel hidden_layer of mlp.tk with BM = 128, BN = 128, BK = 64.
//
// Roles:
//   producer     4 warps (warps 8 to 11), 24 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 240 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 163904 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[128, 64], stages of ab.a
//     65536   65536  4 x bf16[64, 128], stages of ab.b
//    131072   32768  4 x bf16[64, 64], staging of C
//    163840      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct hidden_layer_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::shared_tile<tk::bf16, 64, 64> consumer_C[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(hidden_layer_shared, ab_a) == 0);
static_assert(offsetof(hidden_layer_shared, ab_b) == 65536);
static_assert(offsetof(hidden_layer_shared, consumer_C) == 131072);
static_assert(offsetof(hidden_layer_shared, ab) == 163840);

__global__ void __launch_bounds__(384, 1) hidden_layer_kernel(
    const __grid_constant__ CUtensorMap A_map, const __grid_constant__ CUtensorMap B_map,
    const __grid_constant__ CUtensorMap C_map, const tk::tensor_argument<const tk::bf16, 1> bias,
    const tk::tensor_argument<tk::bf16, 2> C, int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hidden_layer_shared& shared = *reinterpret_cast<hidden_layer_shared*>(memory);

    if (threadIdx.x == 0) {
        tk::tma_prefetch_map(A_map);
        tk::tma_prefetch_map(B_map);
        tk::tma_prefetch_map(C_map);
        shared.ab.init(1, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // mlp.tk:28: role consumer(2 warpgroups) {
        tk::registers_at_least<240>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        const bool leader = warp % 4 == 0 && tk::elect_one();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:29: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:30: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:31: store(C[m, n], bf16(max(acc + load(bias[n]), 0)));
            #pragma unroll
            for (int panel = 0; panel < 128; panel += 64) {
                tk::fragment<tk::bf16, 64, 64> t1;
                tk::map(t1, thread, [&](int, int col, float acc) {
                    return tk::max(acc +
                                   (n + panel + col < N ? float(tk::cell(bias, n + panel + col))
                                    : 0.0f), 0.0f);
                }, tk::window<64, 64>(acc, 0, panel));
                tk::store_shared(shared.consumer_C[warpgroup * 2 + panel / 64 % 2], t1, thread);
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
        // mlp.tk:25: role producer(4 warps) {
        tk::registers_at_most<24>();
        if (warp == 8 && tk::elect_one()) {
            tk::cursor<4> ab_next;
            for (int program = blockIdx.x; program < programs; program += gridDim.x) {
                const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
                const int m = point.row * 128;
                const int n = point.col * 128;

                // mlp.tk:26: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]);
                // } }
                for (int k = 0; k < K; k += 64) {
                    shared.ab.wait_empty(ab_next);
                    shared.ab.expect(ab_next, 32768);
                    tk::tma_load(shared.ab_a[ab_next.stage], A_map, shared.ab.full[ab_next.stage],
                                 m, k);
                    tk::tma_load(shared.ab_b[ab_next.stage], B_map, shared.ab.full[ab_next.stage],
                                 k, n);
                    ab_next.advance();
                }
            }
        }
    }
}

// hidden_layer_general: kernel hidden_layer of mlp.tk with BM = 128, BN = 128, BK = 64, for tensors
// of any strides and alignment.
//
// Roles:
//   producer     4 warps (warps 8 to 11), 56 registers a thread
//   consumer     2 warpgroups (warps 0 to 7), 224 registers a thread
// 384 threads a block, launched with 168 registers each. Persistent: any number of blocks computes
// the same.
//
// Shared memory, 131136 bytes:
//    offset   bytes  what
//         0   65536  4 x bf16[128, 64], stages of ab.a
//     65536   65536  4 x bf16[64, 128], stages of ab.b
//    131072      64  barriers of ab, 4 stages
//
// nvcc -std=c++17 -O3 -fmad=false -gencode=arch=compute_90a,code=sm_90a
// Without -fmad=false nvcc joins products and sums, and results may differ in their last bits.
struct hidden_layer_general_shared {
    tk::shared_tile<tk::bf16, 128, 64> ab_a[4];
    tk::shared_tile<tk::bf16, 64, 128> ab_b[4];
    tk::pipeline<4> ab;
};
static_assert(offsetof(hidden_layer_general_shared, ab_a) == 0);
static_assert(offsetof(hidden_layer_general_shared, ab_b) == 65536);
static_assert(offsetof(hidden_layer_general_shared, ab) == 131072);

__global__ void __launch_bounds__(384, 1) hidden_layer_general_kernel(
    const tk::tensor_argument<const tk::bf16, 2> A, const tk::tensor_argument<const tk::bf16, 2> B,
    const tk::tensor_argument<const tk::bf16, 1> bias, const tk::tensor_argument<tk::bf16, 2> C,
    int M, int K, int N) {
    extern __shared__ __align__(1024) unsigned char memory[];
    hidden_layer_general_shared& shared = *reinterpret_cast<hidden_layer_general_shared*>(memory);

    if (threadIdx.x == 0) {
        shared.ab.init(4, 8);
        tk::publish_barriers();
    }
    __syncthreads();

    const int m_tiles = tk::tiles(M, 128);
    const int n_tiles = tk::tiles(N, 128);
    const int programs = m_tiles * n_tiles;
    const int warp = tk::warp_index();

    if (warp < 8) {
        // mlp.tk:28: role consumer(2 warpgroups) {
        tk::registers_at_least<224>();
        const int warpgroup = tk::warpgroup_index();
        const int thread = tk::warpgroup_thread();
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:29: var acc: f32[BM, BN] = 0;
            tk::fragment<float, 64, 128> acc;
            tk::zero(acc);

            // mlp.tk:30: for k in K by BK { consume ab as s { acc += mma(s.a, s.b); } }
            tk::cursor<4> previous_ab;
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_full(ab_next);
                const tk::cursor<4> s = ab_next;
                ab_next.advance();
                tk::mma_async(acc, tk::rows<64>(shared.ab_a[s.stage], 64 * warpgroup),
                              shared.ab_b[s.stage]);
                tk::ptx::wgmma_wait<1>();
                if (k > 0) shared.ab.release(previous_ab);
                previous_ab = s;
            }
            tk::mma_wait<0>(acc);
            if (K > 0) shared.ab.release(previous_ab);

            // mlp.tk:31: store(C[m, n], bf16(max(acc + load(bias[n]), 0)));
            tk::fragment<tk::bf16, 64, 128> t1;
            tk::map(t1, thread, [&](int, int col, float acc) {
                return tk::max(acc + (n + col < N ? float(tk::cell(bias, n + col)) : 0.0f), 0.0f);
            }, acc);
            const tk::global_tile<tk::bf16> C_tile{tk::address(C, m + 64 * warpgroup, n),
                                                   C.stride[0], C.stride[1],
                                                   M - (m + 64 * warpgroup), N - n};
            tk::store_global(C_tile, t1, thread);
        }
    } else {
        // mlp.tk:25: role producer(4 warps) {
        tk::registers_at_most<56>();
        const int thread = int(threadIdx.x) - 256;
        tk::cursor<4> ab_next;
        for (int program = blockIdx.x; program < programs; program += gridDim.x) {
            const tk::grid_point point = tk::raster(program, m_tiles, n_tiles, 8);
            const int m = point.row * 128;
            const int n = point.col * 128;

            // mlp.tk:26: for k in K by BK { produce ab { a = load(A[m, k]); b = load(B[k, n]); } }
            for (int k = 0; k < K; k += 64) {
                shared.ab.wait_empty(ab_next);
                const tk::global_tile<const tk::bf16> A_tile{tk::address(A, m, k), A.stride[0],
                                                             A.stride[1], M - m, K - k};
                tk::copy_to_shared(shared.ab_a[ab_next.stage], A_tile, thread, 128);
                const tk::global_tile<const tk::bf16> B_tile{tk::address(B, k, n), B.stride[0],
                                                             B.stride[1], K - k, N - n};
                tk::copy_to_shared(shared.ab_b[ab_next.stage], B_tile, thread, 128);
                shared.ab.publish(ab_next);
                ab_next.advance();
            }
        }
    }
}

#include "tk/host/launcher.h"

namespace {
// layer: BM = 128, BN = 128, BK = 64
tk::status launch_layer(const tk::launch_site& site, const tk::tensor& A, const tk::tensor& B,
                        const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&layer_kernel),
                                    static_cast<int>(sizeof(layer_shared)), {}, {}};
    CUtensorMap A_map;
    TK_RETURN_IF_FAILED(tk::encode(A_map, A, {128, 64}, 128));
    CUtensorMap B_map;
    TK_RETURN_IF_FAILED(tk::encode(B_map, B, {64, 64}, 128));
    CUtensorMap C_map;
    TK_RETURN_IF_FAILED(tk::encode(C_map, C, {64, 64}, 128));
    return tk::launch_kernel(kernel, layer_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, A_map, B_map, C_map,
                             tk::cells<tk::bf16, 2>(C), static_cast<int>(M), static_cast<int>(K),
                             static_cast<int>(N));
}

// layer_general: BM = 128, BN = 128, BK = 64
tk::status launch_layer_general(const tk::launch_site& site, const tk::tensor& A,
                                const tk::tensor& B, const tk::tensor& C, int64_t M, int64_t K,
                                int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&layer_general_kernel),
                                    static_cast<int>(sizeof(layer_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, layer_general_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384,
                             tk::cells<const tk::bf16, 2>(A), tk::cells<const tk::bf16, 2>(B),
                             tk::cells<tk::bf16, 2>(C), static_cast<int>(M), static_cast<int>(K),
                             static_cast<int>(N));
}

tk::status run_layer(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given,
                     cudaStream_t stream) {
    tk::arguments call{"layer"};
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
    call.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // layer
    choice.prefer(A.stride[1] == 1);
    choice.prefer(A.address % 16 == 0);
    choice.prefer(A.stride[0] % 8 == 0 && 0 < A.stride[0] && A.stride[0] < 549755813888);
    choice.prefer(B.stride[1] == 1);
    choice.prefer(B.address % 16 == 0);
    choice.prefer(B.stride[0] % 8 == 0 && 0 < B.stride[0] && B.stride[0] < 549755813888);
    choice.prefer(C.stride[1] == 1);
    choice.prefer(C.address % 16 == 0);
    choice.prefer(C.stride[0] % 8 == 0 && 0 < C.stride[0] && C.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 2540 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 328 : 482) +
                                (B.stride[0] % 64 == 0 ? 328 : 482)) + 20, tk::ceil_div(K, 64)));
    choice.candidate(true);  // layer_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 3676 + 2068 * tk::ceil_div(K, 64));
    if (choice.best() == 0) return launch_layer(site, A, B, C, M, K, N);
    if (choice.best() == 1) return launch_layer_general(site, A, B, C, M, K, N);
    return choice.result();
}

// hidden_layer: BM = 128, BN = 128, BK = 64
tk::status launch_hidden_layer(const tk::launch_site& site, const tk::tensor& A,
                               const tk::tensor& B, const tk::tensor& bias, const tk::tensor& C,
                               int64_t M, int64_t K, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&hidden_layer_kernel),
                                    static_cast<int>(sizeof(hidden_layer_shared)), {}, {}};
    CUtensorMap A_map;
    TK_RETURN_IF_FAILED(tk::encode(A_map, A, {128, 64}, 128));
    CUtensorMap B_map;
    TK_RETURN_IF_FAILED(tk::encode(B_map, B, {64, 64}, 128));
    CUtensorMap C_map;
    TK_RETURN_IF_FAILED(tk::encode(C_map, C, {64, 64}, 128));
    return tk::launch_kernel(kernel, hidden_layer_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384, A_map, B_map, C_map,
                             tk::cells<const tk::bf16, 1>(bias), tk::cells<tk::bf16, 2>(C),
                             static_cast<int>(M), static_cast<int>(K), static_cast<int>(N));
}

// hidden_layer_general: BM = 128, BN = 128, BK = 64
tk::status launch_hidden_layer_general(const tk::launch_site& site, const tk::tensor& A,
                                       const tk::tensor& B, const tk::tensor& bias,
                                       const tk::tensor& C, int64_t M, int64_t K, int64_t N) {
    const int64_t programs = tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128));
    if (programs == 0) return {};
    static tk::kernel_handle kernel{reinterpret_cast<const void*>(&hidden_layer_general_kernel),
                                    static_cast<int>(sizeof(hidden_layer_general_shared)), {}, {}};
    return tk::launch_kernel(kernel, hidden_layer_general_kernel, site,
                             tk::smaller(programs, site.multiprocessors), 384,
                             tk::cells<const tk::bf16, 2>(A), tk::cells<const tk::bf16, 2>(B),
                             tk::cells<const tk::bf16, 1>(bias), tk::cells<tk::bf16, 2>(C),
                             static_cast<int>(M), static_cast<int>(K), static_cast<int>(N));
}

tk::status run_hidden_layer(const DLTensor* A_given, const DLTensor* B_given,
                            const DLTensor* bias_given, DLTensor* C_given, cudaStream_t stream) {
    tk::arguments call{"hidden_layer"};
    const tk::tensor A = call.take("A", A_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor B = call.take("B", B_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor C = call.take("C", C_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = A.shape[0];
    const int64_t K = A.shape[1];
    const int64_t N = B.shape[1];

    call.require(B.shape[0] == K, "`K` is {} in axis 1 of `A`, but {} in axis 0 of `B`",
                 {K, B.shape[0]});
    call.require(bias.shape[0] == N, "`N` is {} in axis 1 of `B`, but {} in axis 0 of `bias`",
                 {N, bias.shape[0]});
    call.require(C.shape[0] == M, "`M` is {} in axis 0 of `A`, but {} in axis 0 of `C`",
                 {M, C.shape[0]});
    call.require(C.shape[1] == N, "`N` is {} in axis 1 of `B`, but {} in axis 1 of `C`",
                 {N, C.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(K < 2147221504, "`K` is {}; extents must be less than 2147221504", {K});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    call.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // The cheapest by the estimate of those that suit; general ones only where no other does.
    tk::selection choice{call.function(), site};
    choice.candidate();  // hidden_layer
    choice.prefer(A.stride[1] == 1);
    choice.prefer(A.address % 16 == 0);
    choice.prefer(A.stride[0] % 8 == 0 && 0 < A.stride[0] && A.stride[0] < 549755813888);
    choice.prefer(B.stride[1] == 1);
    choice.prefer(B.address % 16 == 0);
    choice.prefer(B.stride[0] % 8 == 0 && 0 < B.stride[0] && B.stride[0] < 549755813888);
    choice.prefer(C.stride[1] == 1);
    choice.prefer(C.address % 16 == 0);
    choice.prefer(C.stride[0] % 8 == 0 && 0 < C.stride[0] && C.stride[0] < 549755813888);
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 3052 +
                 tk::multiply(
                     tk::larger(512,
                                (A.stride[0] % 64 == 0 ? 328 : 482) +
                                (B.stride[0] % 64 == 0 ? 328 : 482)) + 20, tk::ceil_div(K, 64)));
    choice.candidate(true);  // hidden_layer_general
    choice.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                 4188 + 2068 * tk::ceil_div(K, 64));
    if (choice.best() == 0) return launch_hidden_layer(site, A, B, bias, C, M, K, N);
    if (choice.best() == 1) return launch_hidden_layer_general(site, A, B, bias, C, M, K, N);
    return choice.result();
}

tk::status run_mlp(const DLTensor* X_given, const DLTensor* W1_given, const DLTensor* bias_given,
                   const DLTensor* W2_given, DLTensor* T_given, DLTensor* Y_given,
                   cudaStream_t stream) {
    tk::arguments call{"mlp"};
    const tk::tensor X = call.take("X", X_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor W1 = call.take("W1", W1_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor bias = call.take("bias", bias_given, tk::dtype_bf16, 1, tk::access::read);
    const tk::tensor W2 = call.take("W2", W2_given, tk::dtype_bf16, 2, tk::access::read);
    const tk::tensor T = call.take("T", T_given, tk::dtype_bf16, 2, tk::access::write);
    const tk::tensor Y = call.take("Y", Y_given, tk::dtype_bf16, 2, tk::access::write);
    if (!call.ok()) return call.result();
    const int64_t M = X.shape[0];
    const int64_t K = X.shape[1];
    const int64_t H = W1.shape[1];
    const int64_t N = W2.shape[1];

    call.require(W1.shape[0] == K, "`K` is {} in axis 1 of `X`, but {} in axis 0 of `W1`",
                 {K, W1.shape[0]});
    call.require(bias.shape[0] == H, "`H` is {} in axis 1 of `W1`, but {} in axis 0 of `bias`",
                 {H, bias.shape[0]});
    call.require(W2.shape[0] == H, "`H` is {} in axis 1 of `W1`, but {} in axis 0 of `W2`",
                 {H, W2.shape[0]});
    call.require(T.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `T`",
                 {M, T.shape[0]});
    call.require(T.shape[1] == H, "`H` is {} in axis 1 of `W1`, but {} in axis 1 of `T`",
                 {H, T.shape[1]});
    call.require(Y.shape[0] == M, "`M` is {} in axis 0 of `X`, but {} in axis 0 of `Y`",
                 {M, Y.shape[0]});
    call.require(Y.shape[1] == N, "`N` is {} in axis 1 of `W2`, but {} in axis 1 of `Y`",
                 {N, Y.shape[1]});
    call.require(M < 2147221504, "`M` is {}; extents must be less than 2147221504", {M});
    call.require(K < 2147221504, "`K` is {}; extents must be less than 2147221504", {K});
    call.require(H < 2147221504, "`H` is {}; extents must be less than 2147221504", {H});
    call.require(N < 2147221504, "`N` is {}; extents must be less than 2147221504", {N});
    // hidden_layer(X, W1, bias, T)
    call.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(H, 128)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(H, 128))});
    // layer(T, W2, Y)
    call.require(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)) < 2147418112,
                 "the grid has {} programs; it must have less than 2147418112",
                 {tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128))});
    if (!call.ok()) return call.result();

    const tk::device_scope device{call.device()};
    TK_RETURN_IF_FAILED(device.result());
    tk::launch_site site;
    TK_RETURN_IF_FAILED(tk::find_site(site, stream));

    // hidden_layer(X, W1, bias, T)
    tk::selection choice_1{call.function(), site};
    choice_1.candidate();  // hidden_layer
    choice_1.prefer(X.stride[1] == 1);
    choice_1.prefer(X.address % 16 == 0);
    choice_1.prefer(X.stride[0] % 8 == 0 && 0 < X.stride[0] && X.stride[0] < 549755813888);
    choice_1.prefer(W1.stride[1] == 1);
    choice_1.prefer(W1.address % 16 == 0);
    choice_1.prefer(W1.stride[0] % 8 == 0 && 0 < W1.stride[0] && W1.stride[0] < 549755813888);
    choice_1.prefer(T.stride[1] == 1);
    choice_1.prefer(T.address % 16 == 0);
    choice_1.prefer(T.stride[0] % 8 == 0 && 0 < T.stride[0] && T.stride[0] < 549755813888);
    choice_1.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(H, 128)),
                   3052 +
                   tk::multiply(
                       tk::larger(512,
                                  (X.stride[0] % 64 == 0 ? 328 : 482) +
                                  (W1.stride[0] % 64 == 0 ? 328 : 482)) + 20, tk::ceil_div(K, 64)));
    choice_1.candidate(true);  // hidden_layer_general
    choice_1.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(H, 128)),
                   4188 + 2068 * tk::ceil_div(K, 64));
    if (choice_1.best() < 0) return choice_1.result();

    // layer(T, W2, Y)
    tk::selection choice_2{call.function(), site};
    choice_2.candidate();  // layer
    choice_2.prefer(T.stride[1] == 1);
    choice_2.prefer(T.address % 16 == 0);
    choice_2.prefer(T.stride[0] % 8 == 0 && 0 < T.stride[0] && T.stride[0] < 549755813888);
    choice_2.prefer(W2.stride[1] == 1);
    choice_2.prefer(W2.address % 16 == 0);
    choice_2.prefer(W2.stride[0] % 8 == 0 && 0 < W2.stride[0] && W2.stride[0] < 549755813888);
    choice_2.prefer(Y.stride[1] == 1);
    choice_2.prefer(Y.address % 16 == 0);
    choice_2.prefer(Y.stride[0] % 8 == 0 && 0 < Y.stride[0] && Y.stride[0] < 549755813888);
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   2540 +
                   tk::multiply(
                       tk::larger(512,
                                  (T.stride[0] % 64 == 0 ? 328 : 482) +
                                  (W2.stride[0] % 64 == 0 ? 328 : 482)) + 20, tk::ceil_div(H, 64)));
    choice_2.candidate(true);  // layer_general
    choice_2.offer(tk::multiply(tk::ceil_div(M, 128), tk::ceil_div(N, 128)),
                   3676 + 2068 * tk::ceil_div(H, 64));
    if (choice_2.best() < 0) return choice_2.result();

    if (choice_1.best() == 0) {
        TK_RETURN_IF_FAILED(launch_hidden_layer(site, X, W1, bias, T, M, K, H));
    }
    if (choice_1.best() == 1) {
        TK_RETURN_IF_FAILED(launch_hidden_layer_general(site, X, W1, bias, T, M, K, H));
    }
    if (choice_2.best() == 0) {
        TK_RETURN_IF_FAILED(launch_layer(site, tk::read_only(T), W2, Y, M, H, N));
    }
    if (choice_2.best() == 1) {
        TK_RETURN_IF_FAILED(launch_layer_general(site, tk::read_only(T), W2, Y, M, H, N));
    }
    return {};
}

}  // namespace

extern "C" {
int layer(const DLTensor* A_given, const DLTensor* B_given, DLTensor* C_given, void*, size_t,
          cudaStream_t stream) {
    return tk::finish(run_layer(A_given, B_given, C_given, stream));
}

size_t layer_workspace(const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* layer_error() {
    return tk::last_sentence;
}

int hidden_layer(const DLTensor* A_given, const DLTensor* B_given, const DLTensor* bias_given,
                 DLTensor* C_given, void*, size_t, cudaStream_t stream) {
    return tk::finish(run_hidden_layer(A_given, B_given, bias_given, C_given, stream));
}

size_t hidden_layer_workspace(const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*) {
    return 0;
}

const char* hidden_layer_error() {
    return tk::last_sentence;
}

int mlp(const DLTensor* X_given, const DLTensor* W1_given, const DLTensor* bias_given,
        const DLTensor* W2_given, DLTensor* T_given, DLTensor* Y_given, void*, size_t,
        cudaStream_t stream) {
    return tk::finish(run_mlp(X_given, W1_given, bias_given, W2_given, T_given, Y_given, stream));
}

size_t mlp_workspace(const DLTensor*, const DLTensor*, const DLTensor*, const DLTensor*, DLTensor*,
                     DLTensor*) {
    return 0;
}

const char* mlp_error() {
    return tk::last_sentence;
}
}  // extern "C"
