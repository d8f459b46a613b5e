// Programs that blocks take as they come to them: a ticket is the number of a program. The first
// one of a block is its own number, and the others come from a number in global memory, which is 0
// when the kernel starts. One warp of a block draws them, and hands them to the others by a
// pipeline whose stages hold a number each.
#pragma once

#include "../ptx/thread.cuh"
#include "pipeline.cuh"

#if TK_CUDA
namespace tk {

// The next ticket, for the readers of stage `at`, which is empty. One lane. Nothing else follows
// from the number than which program is next, so it orders nothing in global memory (atomicAdd is
// relaxed: CUDA programming guide, atomic functions); the arrival releases what was stored in
// shared memory before it (PTX ISA, mbarrier.arrive: .release by default).
template <int Stages>
TK_DEVICE int draw_ticket(pipeline<Stages>& tickets, int (&numbers)[Stages],
                          const cursor<Stages>& at, unsigned* drawn) {
    const int ticket = static_cast<int>(gridDim.x + atomicAdd(drawn, 1u));
    numbers[at.stage] = ticket;
    ptx::mbarrier_arrive(tickets.full[at.stage]);
    return ticket;
}

// The same for all lanes of a warp, of which `elected` draws. Nobody else writes the number before
// this warp draws again, and all lanes have read it then.
template <int Stages>
TK_DEVICE int draw_ticket(pipeline<Stages>& tickets, int (&numbers)[Stages],
                          const cursor<Stages>& at, unsigned* drawn, bool elected) {
    if (elected) draw_ticket(tickets, numbers, at, drawn);
    __syncwarp();
    const int ticket = numbers[at.stage];
    __syncwarp();
    return ticket;
}

}  // namespace tk
#endif
