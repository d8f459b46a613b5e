// Kernels of a stream of which the next one starts while the last one ends (PTX ISA, griddepcontrol; CUDA Programming
// Guide, "Programmatic dependent launch").
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// By every thread, before it reads or writes global memory: a kernel launched as kernel_shape::overlapping has blocks
// on the device when all blocks of the kernel before it have ended, before what those wrote can be seen. Waits until it
// can. In a kernel that was launched otherwise it waits for nothing.
TK_DEVICE void wait_for_previous_kernel() {
    asm volatile("griddepcontrol.wait;" ::: "memory");
}

}  // namespace tk
#endif
