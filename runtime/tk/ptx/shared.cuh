// Ordinary loads and stores at an address of the shared window.
#pragma once

#include "mbarrier.cuh"

#if TK_CUDA
namespace tk::ptx {

// An operand may be wider than what it holds (PTX ISA, "Operand Size Exceeding Instruction-Type
// Size"), and asm has none of 8 bits.
TK_DEVICE void store_shared_b8(uint32_t address, uint8_t value) {
    asm volatile("st.shared.b8 [%0], %1;" ::"r"(address), "h"(static_cast<uint16_t>(value))
                 : "memory");
}
TK_DEVICE void store_shared_b16(uint32_t address, uint16_t value) {
    asm volatile("st.shared.b16 [%0], %1;" ::"r"(address), "h"(value) : "memory");
}
TK_DEVICE void store_shared_b32(uint32_t address, uint32_t value) {
    asm volatile("st.shared.b32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}
// To the same place of another block of the cluster; completes 4 bytes of the phase of its
// `barrier` (PTX ISA, "mapa", "st.async").
TK_DEVICE void store_shared_async_b32(uint32_t address, mbarrier& barrier, int block,
                                      uint32_t value) {
    asm volatile(
        "{\n.reg .b32 remote, remote_barrier;\n"
        "mapa.shared::cluster.u32 remote, %0, %2;\n"
        "mapa.shared::cluster.u32 remote_barrier, %1, %2;\n"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [remote], %3, "
        "[remote_barrier];\n}" ::"r"(address),
        "r"(shared_address(&barrier)), "r"(block), "r"(value)
        : "memory");
}
TK_DEVICE void store_shared_v2(uint32_t address, uint32_t x, uint32_t y) {
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(address), "r"(x), "r"(y) : "memory");
}
TK_DEVICE void store_shared_v4(uint32_t address, uint32_t x, uint32_t y, uint32_t z, uint32_t w) {
    asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address), "r"(x), "r"(y), "r"(z),
                 "r"(w)
                 : "memory");
}
TK_DEVICE uint8_t load_shared_b8(uint32_t address) {
    uint16_t value;
    asm volatile("ld.shared.u8 %0, [%1];" : "=h"(value) : "r"(address) : "memory");
    return static_cast<uint8_t>(value);
}
TK_DEVICE uint16_t load_shared_b16(uint32_t address) {
    uint16_t value;
    asm volatile("ld.shared.b16 %0, [%1];" : "=h"(value) : "r"(address) : "memory");
    return value;
}
TK_DEVICE uint32_t load_shared_b32(uint32_t address) {
    uint32_t value;
    asm volatile("ld.shared.b32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
    return value;
}
TK_DEVICE void load_shared_v2(uint32_t address, uint32_t& x, uint32_t& y) {
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address) : "memory");
}
TK_DEVICE void load_shared_v4(uint32_t address, uint32_t& x, uint32_t& y, uint32_t& z,
                              uint32_t& w) {
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                 : "r"(address)
                 : "memory");
}

}  // namespace tk::ptx
#endif
