// mbarrier: the counter of arrivals and bytes of every pipeline (PTX ISA, "mbarrier").
#pragma once

#include "thread.cuh"

namespace tk {

// One barrier object in shared memory.
struct alignas(8) mbarrier {
    uint64_t word;
};

#if TK_CUDA
namespace ptx {

TK_DEVICE void mbarrier_init(mbarrier& barrier, uint32_t arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&barrier)),
                 "r"(arrivals)
                 : "memory");
}

// Makes fresh barriers visible to the copy engine and to the cluster; by the thread that made them,
// before the block's (or the cluster's) barrier.
TK_DEVICE void fence_mbarrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

TK_DEVICE void mbarrier_arrive(mbarrier& barrier) {
    asm volatile(
        "mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];" ::"r"(shared_address(&barrier))
        : "memory");
}

// An arrival that the hardware performs once all cp.async copies that this thread has started are
// complete; one of the arrivals that the barrier was initialized for (PTX ISA,
// "cp.async.mbarrier.arrive", `.noinc`). It does not release other writes of the thread.
TK_DEVICE void mbarrier_arrive_copies(mbarrier& barrier) {
    asm volatile(
        "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(&barrier))
        : "memory");
}

// One arrival that also raises the number of bytes the phase still waits for.
TK_DEVICE void mbarrier_arrive_expect(mbarrier& barrier, uint32_t bytes) {
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(&barrier)),
                 "r"(bytes)
                 : "memory");
}

// An arrival on the same barrier of another block of the cluster; a wait is possible only on one's
// own. Block scope, which is the default: it says that this thread's reads of the stage are over.
// Cluster scope would also publish ordinary writes, for which ptxas emits MEMBAR.ALL.GPU: it cost a
// third of the speed.
TK_DEVICE void mbarrier_arrive_remote(mbarrier& barrier, uint32_t rank) {
    asm volatile(
        "{\n.reg .b32 remote;\n"
        "mapa.shared::cluster.u32 remote, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}" ::"r"(shared_address(&barrier)),
        "r"(rank)
        : "memory");
}

// Waits until the phase of this parity is complete. A fresh barrier is in phase 0: waiting for
// parity 1 passes at once, which is how empty stages start out free.
TK_DEVICE void mbarrier_wait(mbarrier& barrier, uint32_t parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "wait_%=:\n"
        "mbarrier.try_wait.parity.acquire.cta.shared::cta.b64 done, [%0], %1;\n"
        "@done bra ready_%=;\n"
        "bra wait_%=;\n"
        "ready_%=:\n}" ::"r"(shared_address(&barrier)),
        "r"(parity)
        : "memory");
}

// Whether the phase of this parity is complete, for waits with a timeout.
TK_DEVICE bool mbarrier_test(mbarrier& barrier, uint32_t parity) {
    uint32_t over = 0;
    asm volatile(
        "{\n.reg .pred done;\n"
        "mbarrier.test_wait.parity.acquire.cta.shared::cta.b64 done, [%1], %2;\n"
        "selp.u32 %0, 1, 0, done;\n}"
        : "=r"(over)
        : "r"(shared_address(&barrier)), "r"(parity)
        : "memory");
    return over != 0;
}

// As mbarrier_wait, if threads of other blocks of the cluster arrive with data of their own.
TK_DEVICE void mbarrier_wait_cluster(mbarrier& barrier, uint32_t parity) {
    asm volatile(
        "{\n.reg .pred done;\n"
        "wait_%=:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%0], %1;\n"
        "@done bra ready_%=;\n"
        "bra wait_%=;\n"
        "ready_%=:\n}" ::"r"(shared_address(&barrier)),
        "r"(parity)
        : "memory");
}

}  // namespace ptx
#endif
}  // namespace tk
