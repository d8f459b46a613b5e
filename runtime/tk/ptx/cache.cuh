// Accesses that tell the L2 cache how to treat their lines: policies, and instructions with one
// (PTX ISA, "Cache Eviction Priority Hints", "createpolicy", and `.level::cache_hint` of "ld",
// "ld.global.nc", "st" and "cp.async.bulk.tensor"; all but the last from sm_80 on). A policy is a
// performance hint: no result depends on it.
#pragma once

#include "tma.cuh"

#if TK_CUDA
namespace tk::ptx {

// All accessed lines are evicted before others, or after them.
TK_DEVICE uint64_t policy_evict_first() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}
TK_DEVICE uint64_t policy_evict_last() {
    uint64_t policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    return policy;
}

// ---- loads and stores of 1 to 16 bytes, at multiples of their size -----------------------------

// `load_fixed`: no program writes the memory in this launch, so the load may be reordered with
// stores. `held`: the type of the register.
#define TK_DEFINE_HINTED_LOADS(unit, held, operands, ...)                                  \
    TK_DEVICE unit load_fixed(const unit* from, uint64_t policy) {                         \
        held x;                                                                            \
        asm("ld.global.nc.L2::cache_hint." operands:__VA_ARGS__ : "l"(from), "l"(policy)); \
        return static_cast<unit>(x);                                                       \
    }                                                                                      \
    TK_DEVICE unit load(const unit* from, uint64_t policy) {                               \
        held x;                                                                            \
        asm volatile("ld.global.L2::cache_hint." operands:__VA_ARGS__                      \
                     : "l"(from), "l"(policy)                                              \
                     : "memory");                                                          \
        return static_cast<unit>(x);                                                       \
    }
#define TK_DEFINE_HINTED_STORE(unit, held, operands, ...)                                     \
    TK_DEVICE void store(unit* to, const unit& value, uint64_t policy) {                      \
        const held x = value;                                                                 \
        asm volatile("st.global.L2::cache_hint." operands ::"l"(to), "l"(policy), __VA_ARGS__ \
                     : "memory");                                                             \
    }

TK_DEFINE_HINTED_LOADS(uint4, uint4, "v4.u32 {%0, %1, %2, %3}, [%4], %5;", "=r"(x.x), "=r"(x.y),
                       "=r"(x.z), "=r"(x.w))
TK_DEFINE_HINTED_LOADS(uint2, uint2, "v2.u32 {%0, %1}, [%2], %3;", "=r"(x.x), "=r"(x.y))
TK_DEFINE_HINTED_LOADS(uint32_t, uint32_t, "u32 %0, [%1], %2;", "=r"(x))
TK_DEFINE_HINTED_LOADS(uint16_t, uint16_t, "u16 %0, [%1], %2;", "=h"(x))
TK_DEFINE_HINTED_LOADS(uint8_t, uint16_t, "u8 %0, [%1], %2;", "=h"(x))
TK_DEFINE_HINTED_STORE(uint4, uint4, "v4.u32 [%0], {%2, %3, %4, %5}, %1;", "r"(x.x), "r"(x.y),
                       "r"(x.z), "r"(x.w))
TK_DEFINE_HINTED_STORE(uint2, uint2, "v2.u32 [%0], {%2, %3}, %1;", "r"(x.x), "r"(x.y))
TK_DEFINE_HINTED_STORE(uint32_t, uint32_t, "u32 [%0], %2, %1;", "r"(x))
TK_DEFINE_HINTED_STORE(uint16_t, uint16_t, "u16 [%0], %2, %1;", "h"(x))
TK_DEFINE_HINTED_STORE(uint8_t, uint16_t, "u8 [%0], %2, %1;", "h"(x))
#undef TK_DEFINE_HINTED_LOADS
#undef TK_DEFINE_HINTED_STORE

// ---- copies ------------------------------------------------------------------------------------

// As those without a policy; `second`, `third` and `fourth` are the operands after the coordinates.
#define TK_DEFINE_HINTED_TMA(rank, second, third, fourth)                                         \
    TK_DEVICE void tma_load(uint32_t shared, const CUtensorMap_st* map, uint32_t full,            \
                            const int(&c)[rank], uint64_t policy) {                               \
        asm volatile("cp.async.bulk.tensor." #rank                                                \
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                 \
                     ".L2::cache_hint [%0], [%1, " TK_TMA_COORDINATES_##rank                      \
                     "], [%" #second "], %" #third ";" ::"r"(shared),                             \
                     "l"(map), TK_TMA_OPERANDS_##rank(c), "r"(full), "l"(policy)                  \
                     : "memory");                                                                 \
    }                                                                                             \
    TK_DEVICE void tma_load_multicast(uint32_t shared, const CUtensorMap_st* map, uint32_t full,  \
                                      uint16_t blocks, const int(&c)[rank], uint64_t policy) {    \
        asm volatile("cp.async.bulk.tensor." #rank                                                \
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"                 \
                     ".multicast::cluster.L2::cache_hint [%0], [%1, " TK_TMA_COORDINATES_##rank   \
                     "], [%" #second "], %" #third ", %" #fourth ";" ::"r"(shared),               \
                     "l"(map), TK_TMA_OPERANDS_##rank(c), "r"(full), "h"(blocks), "l"(policy)     \
                     : "memory");                                                                 \
    }                                                                                             \
    TK_DEVICE void tma_store(uint32_t shared, const CUtensorMap_st* map, const int(&c)[rank],     \
                             uint64_t policy) {                                                   \
        asm volatile(                                                                             \
            "cp.async.bulk.tensor." #rank                                                         \
            "d.global.shared::cta.tile.bulk_group.L2::cache_hint [%1, " TK_TMA_COORDINATES_##rank \
            "], [%0], %" #second ";" ::"r"(shared),                                               \
            "l"(map), TK_TMA_OPERANDS_##rank(c), "l"(policy)                                      \
            : "memory");                                                                          \
    }

TK_DEFINE_HINTED_TMA(1, 3, 4, 5)
TK_DEFINE_HINTED_TMA(2, 4, 5, 6)
TK_DEFINE_HINTED_TMA(3, 5, 6, 7)
TK_DEFINE_HINTED_TMA(4, 6, 7, 8)
TK_DEFINE_HINTED_TMA(5, 7, 8, 9)
#undef TK_DEFINE_HINTED_TMA

}  // namespace tk::ptx
#endif
