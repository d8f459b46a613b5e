// Dynamic scheduling: each block fetches the number of its next program from a counter. Its first
// program is its own number; the counter in global memory is 0 when the kernel starts. One warp per
// block fetches the number and passes it to the others through a pipeline whose stages each hold
// one number.
#pragma once

#include "../ptx/thread.cuh"
#include "pipeline.cuh"

#if TK_CUDA
namespace tk {

// The next program number, for the readers of stage `at`, which is empty. One lane. The number only
// decides which program is next, so it orders nothing in global memory (atomicAdd is
// relaxed: CUDA programming guide, atomic functions); the arrival releases what was stored in
// shared memory before it (PTX ISA, mbarrier.arrive: .release by default).
template <int Stages>
TK_DEVICE int fetch_program(pipeline<Stages>& next_programs, int (&numbers)[Stages],
                            const cursor<Stages>& at, unsigned* drawn) {
    const int next_program = static_cast<int>(gridDim.x + atomicAdd(drawn, 1u));
    numbers[at.stage] = next_program;
    ptx::mbarrier_arrive(next_programs.full[at.stage]);
    return next_program;
}

// The same for all lanes of a warp, of which `elected` fetches. No one else writes the number
// before this warp fetches again, and all lanes have read it by then.
template <int Stages>
TK_DEVICE int fetch_program(pipeline<Stages>& next_programs, int (&numbers)[Stages],
                            const cursor<Stages>& at, unsigned* drawn, bool elected) {
    if (elected) fetch_program(next_programs, numbers, at, drawn);
    __syncwarp();
    const int next_program = numbers[at.stage];
    __syncwarp();
    return next_program;
}

}  // namespace tk
#endif
