// A pipeline's barriers, a "full" and an "empty" one per stage, and the cursor of a role.
#pragma once

#include <type_traits>

#include "../ptx/fence.cuh"
#include "../ptx/mbarrier.cuh"

namespace tk {

// Position of a role in the ring: stage index and phase parity. Starts at {0, 0} in every role, and
// lives as long as the kernel.
template <int Stages>
struct cursor {
    int stage = 0;
    uint32_t phase = 0;

    TK_HOST_DEVICE void advance() {
        stage += 1;
        if (stage == Stages) {
            stage = 0;
            phase ^= 1;
        }
    }

    // The same, `elements` times.
    TK_HOST_DEVICE void skip(int elements) {
        const int at = stage + elements;
        stage = at % Stages;
        phase ^= static_cast<uint32_t>(at / Stages) & 1;
    }
};

#if TK_CUDA
// The accesses to the stages of a pipeline besides ordinary loads and stores: products and bulk
// copies, which need a fence in between, or none.
struct with_asynchronous {};
struct ordinary_alone {};

template <int Stages>
struct pipeline {
    mbarrier full[Stages];
    mbarrier empty[Stages];

    // One thread, before the block's first barrier. writers: 1 for the lane that expects bytes,
    // plus one per warp that fills stages with ordinary stores, and one per lane that fills them
    // with asynchronous copies; readers: warps that release each stage, in all blocks that fill it.
    TK_DEVICE void init(int writers, int readers) {
        TK_UNROLL
        for (int stage = 0; stage < Stages; ++stage) {
            ptx::mbarrier_init(full[stage], writers);
            ptx::mbarrier_init(empty[stage], readers);
        }
    }

    // Writer: waits until the stage is free. Every thread that then fills it.
    TK_DEVICE void wait_empty(const cursor<Stages>& at) {
        ptx::mbarrier_wait(empty[at.stage], at.phase ^ 1);
    }

    // Writer: one lane; announces the bytes of all TMA loads of this element and arrives.
    TK_DEVICE void expect(const cursor<Stages>& at, int bytes) {
        ptx::mbarrier_arrive_expect(full[at.stage], bytes);
    }

    // Writer: one lane; both of these, for an element that only TMA loads fill.
    TK_DEVICE void begin(const cursor<Stages>& at, int bytes) {
        wait_empty(at);
        expect(at, bytes);
    }

    // Writer: every warp that filled the stage with ordinary stores, all lanes.
    template <class Accesses = with_asynchronous>
    TK_DEVICE void publish(const cursor<Stages>& at, Accesses = {}) {
        if constexpr (std::is_same_v<Accesses, with_asynchronous>) fence_async();
        __syncwarp();
        if (lane_index() == 0) ptx::mbarrier_arrive(full[at.stage]);
    }

    // Writer: every lane of every warp that started asynchronous copies into the stage; it arrives
    // once its own are complete, without waiting here. They were written through the generic proxy:
    // a reader fences before products or bulk copies read them.
    TK_DEVICE void publish_copies(const cursor<Stages>& at) {
        ptx::mbarrier_arrive_copies(full[at.stage]);
    }

    // Writer: one lane; waits until all of the element before `next` has landed. Only the writer
    // can fill its stage again, so the phase is not missed.
    TK_DEVICE void wait_landed(const cursor<Stages>& next) {
        const bool first = next.stage == 0;
        ptx::mbarrier_wait(full[first ? Stages - 1 : next.stage - 1],
                           first ? next.phase ^ 1 : next.phase);
    }

    // Reader: waits until the element has landed. Every thread that reads it or issues a product on
    // it.
    TK_DEVICE void wait_full(const cursor<Stages>& at) {
        ptx::mbarrier_wait(full[at.stage], at.phase);
    }

    // Reader: the same, and advances to the next; returns the position of the element.
    TK_DEVICE cursor<Stages> take(cursor<Stages>& next) {
        wait_full(next);
        const cursor<Stages> element = next;
        next.advance();
        return element;
    }

    // Reader: every reading warp, all lanes, after the wait that covers the products that read the
    // stage. Blocks: all blocks of the cluster, if each of them fills a part of the stage by
    // multicast; the empty barrier then counts the readers of all of them.
    template <int Blocks = 1>
    TK_DEVICE void release(const cursor<Stages>& at) {
        if constexpr (Blocks == 1) {
            if (lane_index() == 0) ptx::mbarrier_arrive(empty[at.stage]);
        } else {
            if (lane_index() < Blocks) ptx::mbarrier_arrive_remote(empty[at.stage], lane_index());
        }
    }

    // Reader: the same after reads by ordinary loads (ld.shared, ldmatrix). The fences are
    // MEMBAR.CTA: loads from this block's memory are complete before another block observes the
    // arrival, and lets TMA write there. An arrival with cluster scope would be MEMBAR.GPU, which
    // takes as long as an iteration (docs/decisions/0006-clusters.md).
    template <int Blocks = 1, class Accesses = with_asynchronous>
    TK_DEVICE void release_after_loads(const cursor<Stages>& at, Accesses = {}) {
        if constexpr (std::is_same_v<Accesses, with_asynchronous>) fence_async();
        else if constexpr (Blocks > 1) __threadfence_block();
        __syncwarp();
        release<Blocks>(at);
    }
};

// Among the warpgroups that take a block's programs in turn, the one that is next.
TK_DEVICE int turn_behind(int programs, int warpgroups) {
    const int first = static_cast<int>(blockIdx.x);
    const int step = static_cast<int>(gridDim.x);
    return ((programs - 1 - first) / step + 1) % warpgroups;
}

// After all init calls: one thread calls publish_barriers, then the whole block synchronizes.
TK_DEVICE void publish_barriers() { ptx::fence_mbarrier_init(); }
#endif

}  // namespace tk
