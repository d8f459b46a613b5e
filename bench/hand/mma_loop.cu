// mma.sync m16n8k16 alone, in tiles of 64 x 64 x 16 a warp: what products of warps could reach if
// operands cost nothing.
#include <cuda_runtime.h>

#include <cstdint>

#include "tk/ptx/mma.cuh"

namespace {

__global__ void __launch_bounds__(256) loop(const uint32_t* operands, float* out, int steps) {
    float acc[4][8][4] = {};
    uint32_t a[4][4];
    uint32_t b[8][2];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) a[i][j] = operands[32 * (4 * i + j) + threadIdx.x % 32];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 2; ++j) b[i][j] = operands[32 * (16 + 2 * i + j) + threadIdx.x % 32];
#pragma unroll 4
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (int row = 0; row < 4; ++row)
#pragma unroll
            for (int col = 0; col < 8; ++col)
                tk::ptx::mma_m16n8<tk::bf16, tk::bf16>(acc[row][col], a[row], b[col]);
    }
    float sum = 0;
    for (auto& row : acc)
        for (auto& part : row)
            for (float x : part) sum += x;
    if (sum == 1.5f) *out = sum;  // so that the products are not left out
}

}  // namespace

// `steps` times 64 x 64 x 16 by each of `warps` warps of each of `blocks` blocks; `operands` are 1,024 words of two
// numbers each.
extern "C" int mma_loop(const uint32_t* operands, float* out, int steps, int blocks, int warps, cudaStream_t stream) {
    loop<<<blocks, 32 * warps, 0, stream>>>(operands, out, steps);
    return cudaGetLastError();
}
