// Lets the next kernel of a stream start while the current one ends (PTX ISA, griddepcontrol; CUDA Programming Guide,
// "Programmatic dependent launch").
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// By every thread, before it reads or writes global memory: a kernel launched as kernel_shape::overlapping has blocks
// on the device when all blocks of the previous kernel have ended, but before their writes are visible. Waits until
// they are. In a kernel that was launched otherwise it does not wait.
TK_DEVICE void wait_for_previous_kernel() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace tk
#endif
