// Counters: how programs of one launch tell each other how far they are. One lane of a role counts,
// or waits; what its other lanes did, and do, is ordered by a meeting of the role before the one
// and after the other.
#pragma once

#include "../ptx/config.h"

#if TK_CUDA
namespace tk {

// What this thread did in memory, and what was ordered before that, is there for whoever acquires
// the number (PTX ISA, memory consistency model: release patterns, causality order). Bulk copies of
// this thread are among it once a wait for their group is over, without `.read` (PTX ISA,
// cp.async.bulk.wait_group; async proxy: completion is followed by an implicit proxy fence).
TK_DEVICE void signal(unsigned* counter) {
    asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(counter) : "memory");
}

// Until the counter is `count` or more. The stores of those that signaled are visible after it, for
// accesses of the generic proxy; a proxy fence follows where bulk copies come next (PTX ISA, memory
// consistency model: acquire patterns, proxy-preserved base causality order).
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
