// Named barriers of a block and the barrier of a cluster (PTX ISA, "barrier", "barrier.cluster").
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// Waits for `threads` threads at barrier `id` (1..15; 0 is __syncthreads). Whole warps, from one
// place.
TK_DEVICE void barrier_sync(int id, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Arrives at barrier `id` without waiting; `threads` counts those who arrive and those who wait.
TK_DEVICE void barrier_arrive(int id, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// All threads of all blocks of the cluster: before remote traffic starts, and before a block may
// exit.
TK_DEVICE void cluster_sync() {
    asm volatile(
        "barrier.cluster.arrive.release.aligned;\n"
        "barrier.cluster.wait.acquire.aligned;" ::
            : "memory");
}

// This block's number in its cluster.
TK_DEVICE uint32_t cluster_rank() {
    uint32_t rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

}  // namespace tk
#endif
