// setmaxnreg: moves registers between the warpgroups of a block (PTX ISA, "setmaxnreg").
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// First statement of a role's branch, by every warp of the warpgroup. Count: multiple of
// 8, 24..256. The counts of all warpgroups must not exceed what the block was launched with:
// nothing checks that, a block that asks for more never starts its work.
template <int Count>
TK_DEVICE void registers_at_most() {
    static_assert(Count % 8 == 0 && Count >= 24 && Count <= 256);
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(Count));
}

// The same, for a warpgroup that needs more than it was launched with.
template <int Count>
TK_DEVICE void registers_at_least() {
    static_assert(Count % 8 == 0 && Count >= 24 && Count <= 256);
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(Count));
}

}  // namespace tk
#endif
