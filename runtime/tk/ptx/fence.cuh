// Proxy fences: order ordinary accesses to shared memory before those of the copy engine and tensor
// cores.
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// By every thread that wrote shared memory with ordinary stores (stmatrix too), before the barrier
// after which TMA or wgmma reads it; by readers too, before they hand the memory back to TMA (PTX
// ISA, "Async proxy").
TK_DEVICE void fence_async() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The same for all memory: by every thread that read or wrote global memory with ordinary accesses,
// before the barrier after which TMA stores or loads there.
TK_DEVICE void fence_async_all() { asm volatile("fence.proxy.async;" ::: "memory"); }

}  // namespace tk
#endif
