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

}  // namespace tk
#endif
