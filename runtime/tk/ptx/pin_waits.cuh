// Keeps ptxas from hoisting a wait for wgmma.
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk {

// A wait for products after it stays after it. ptxas (seen with CUDA 13.0 at -O3, for sm_90a)
// hoists wgmma.wait_group within a basic block as far as it likes, above arithmetic that should
// overlap the product. It does not cross an instruction that performance monitors see (PTX ISA,
// "pmevent"). This one never runs: no warp has the number 77, but ptxas cannot know, since
// tk::warp_index() comes from a shuffle. It costs a comparison and the space of an instruction, and
// would do no harm if it ran.
TK_DEVICE void pin_waits(int warp) {
    asm volatile("{\n.reg .pred p;\nsetp.eq.s32 p, %0, 77;\n@p pmevent 0;\n}" ::"r"(warp));
}

}  // namespace tk
#endif
