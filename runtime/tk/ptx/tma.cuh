// The tensor copy engine: loads, stores and reductions of boxes, by one thread (PTX ISA, "cp.async.bulk.tensor").
#pragma once

#include "mbarrier.cuh"

// The driver's type; declared, not included, because cuda.h is wanted on the host side only.
struct CUtensorMap_st;

#if TK_CUDA
namespace tk::ptx {

// A box of coordinates, innermost dimension first, as the instructions take them.
#define TK_TMA_COORDINATES_1 "{%2}"
#define TK_TMA_COORDINATES_2 "{%2, %3}"
#define TK_TMA_COORDINATES_3 "{%2, %3, %4}"
#define TK_TMA_COORDINATES_4 "{%2, %3, %4, %5}"
#define TK_TMA_COORDINATES_5 "{%2, %3, %4, %5, %6}"
#define TK_TMA_OPERANDS_1(c) "r"(c[0])
#define TK_TMA_OPERANDS_2(c) TK_TMA_OPERANDS_1(c), "r"(c[1])
#define TK_TMA_OPERANDS_3(c) TK_TMA_OPERANDS_2(c), "r"(c[2])
#define TK_TMA_OPERANDS_4(c) TK_TMA_OPERANDS_3(c), "r"(c[3])
#define TK_TMA_OPERANDS_5(c) TK_TMA_OPERANDS_4(c), "r"(c[4])

// `barrier` is the operand after the coordinates, `mask` the one after that.
#define TK_DEFINE_TMA(rank, barrier, mask)                                                            \
    TK_DEVICE void tma_load(uint32_t shared, const CUtensorMap_st* map, uint32_t full,                \
                            const int (&c)[rank]) {                                                   \
        asm volatile("cp.async.bulk.tensor." #rank                                                    \
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "              \
                     "[%1, " TK_TMA_COORDINATES_##rank "], [%" #barrier "];" ::"r"(shared),           \
                     "l"(map), TK_TMA_OPERANDS_##rank(c), "r"(full)                                   \
                     : "memory");                                                                     \
    }                                                                                                 \
    TK_DEVICE void tma_load_multicast(uint32_t shared, const CUtensorMap_st* map, uint32_t full,      \
                                      uint16_t blocks, const int (&c)[rank]) {                        \
        asm volatile("cp.async.bulk.tensor." #rank                                                    \
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                     \
                     ".multicast::cluster [%0], [%1, " TK_TMA_COORDINATES_##rank "], [%" #barrier     \
                     "], %" #mask ";" ::"r"(shared),                                                  \
                     "l"(map), TK_TMA_OPERANDS_##rank(c), "r"(full), "h"(blocks)                      \
                     : "memory");                                                                     \
    }                                                                                                 \
    TK_DEVICE void tma_store(uint32_t shared, const CUtensorMap_st* map, const int (&c)[rank]) {      \
        asm volatile("cp.async.bulk.tensor." #rank "d.global.shared::cta.tile.bulk_group [%1, "       \
                     TK_TMA_COORDINATES_##rank "], [%0];" ::"r"(shared),                              \
                     "l"(map), TK_TMA_OPERANDS_##rank(c)                                              \
                     : "memory");                                                                     \
    }                                                                                                 \
    TK_DEVICE void tma_reduce_add(uint32_t shared, const CUtensorMap_st* map,                         \
                                  const int (&c)[rank]) {                                             \
        asm volatile("cp.reduce.async.bulk.tensor." #rank                                             \
                     "d.global.shared::cta.add.tile.bulk_group [%1, " TK_TMA_COORDINATES_##rank       \
                     "], [%0];" ::"r"(shared),                                                        \
                     "l"(map), TK_TMA_OPERANDS_##rank(c)                                              \
                     : "memory");                                                                     \
    }

TK_DEFINE_TMA(1, 3, 4)
TK_DEFINE_TMA(2, 4, 5)
TK_DEFINE_TMA(3, 5, 6)
TK_DEFINE_TMA(4, 6, 7)
TK_DEFINE_TMA(5, 7, 8)
#undef TK_DEFINE_TMA

TK_DEVICE void prefetch_tensor_map(const CUtensorMap_st* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

TK_DEVICE void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Waits until at most Pending of this thread's groups still have shared memory to read.
template <int Pending>
TK_DEVICE void bulk_wait_read() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(Pending) : "memory");
}

// Waits until at most Pending of this thread's groups are unfinished: the writes of the others are
// in memory.
template <int Pending>
TK_DEVICE void bulk_wait() {
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace tk::ptx
#endif
