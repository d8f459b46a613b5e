// Thread identity: lane, warp and warpgroup numbers, the elected lane, and the shared-window
// address of a pointer.
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

TK_DEVICE int lane_index() { return static_cast<int>(threadIdx.x) & 31; }

// The warp's number in the block, the same in all lanes. The shuffle tells the compiler so, which
// keeps branches on it uniform.
TK_DEVICE int warp_index() {
    return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) >> 5, 0);
}

// The warpgroup's number in the block: four consecutive warps that issue wgmma together.
TK_DEVICE int warpgroup_index() {
    return __shfl_sync(0xffffffffu, static_cast<int>(threadIdx.x) >> 7, 0);
}

// The thread's number in its warpgroup, 0..127.
TK_DEVICE int warpgroup_thread() { return static_cast<int>(threadIdx.x) & 127; }

// True in exactly one lane of a converged warp, always the same one (PTX ISA, elect.sync). Bulk
// copy groups belong to a thread, so issue, commit and wait must sit after the same election.
TK_DEVICE bool elect_one() {
    uint32_t chosen;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}"
                 : "=r"(chosen));
    return chosen != 0;
}

namespace ptx {

// The address in the shared::cta window, which is what the asynchronous instructions take.
TK_DEVICE uint32_t shared_address(const void* pointer) {
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

}  // namespace ptx
}  // namespace tk
#endif
