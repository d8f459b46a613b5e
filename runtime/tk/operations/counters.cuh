// Counters, through which programs of one launch signal their progress. One lane of a role
// increments or waits; barriers of the role before and after it order the accesses of its other
// lanes.
#pragma once

#include "../ptx/config.h"

#if TK_CUDA
namespace tk {

// The memory accesses of this thread, and those ordered before them, are visible to any thread that
// acquires the count (PTX ISA, memory consistency model: release patterns, causality order). This
// includes bulk copies of this thread after a wait for their group without `.read` (PTX ISA,
// cp.async.bulk.wait_group; async proxy: completion is followed by an implicit proxy fence).
TK_DEVICE void signal(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

// Waits until the counter is `count` or more. The stores of those that signaled are then visible to
// accesses of the generic proxy; bulk copies also need a proxy fence (PTX ISA, memory consistency
// model: acquire patterns, proxy-preserved base causality order).
TK_DEVICE void await(const unsigned* counter, int count) {
    constexpr unsigned back_off = 20;  // ns
    while (true) {
        unsigned reached;
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                     : "=r"(reached)
                     : "l"(counter)
                     : "memory");
        if (static_cast<int>(reached) >= count) return;
        asm volatile("nanosleep.u32 %0;" ::"n"(back_off));
    }
}

}  // namespace tk
#endif
