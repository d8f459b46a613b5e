// ldmatrix and stmatrix: 8x8 blocks of 16-bit elements between shared memory and a warp's
// registers.
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk::ptx {

// stmatrix is available from sm_90 on, ldmatrix everywhere.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
inline constexpr bool has_stmatrix = false;
#else
inline constexpr bool has_stmatrix = true;
#endif

// Lane l passes the address of row l % 8 of block l / 8; register i holds block i (PTX ISA,
// "stmatrix").
TK_DEVICE void stmatrix_x4(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
}

TK_DEVICE void stmatrix_x2(uint32_t address, uint32_t r0, uint32_t r1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(r0),
                 "r"(r1)
                 : "memory");
}

// The same with every block transposed: what lane 4 g + q holds becomes column g.
TK_DEVICE void stmatrix_x4_transposed(uint32_t address, uint32_t r0, uint32_t r1, uint32_t r2,
                                      uint32_t r3) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(r0), "r"(r1), "r"(r2), "r"(r3)
        : "memory");
}

TK_DEVICE void stmatrix_x2_transposed(uint32_t address, uint32_t r0, uint32_t r1) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(r0), "r"(r1)
                 : "memory");
}

TK_DEVICE void ldmatrix_x4(uint32_t address, uint32_t& r0, uint32_t& r1, uint32_t& r2,
                           uint32_t& r3) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(address)
                 : "memory");
}

TK_DEVICE void ldmatrix_x2(uint32_t address, uint32_t& r0, uint32_t& r1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(address)
                 : "memory");
}

// The same with every block transposed: lane 4 g + q gets column g of it.
TK_DEVICE void ldmatrix_x4_transposed(uint32_t address, uint32_t& r0, uint32_t& r1, uint32_t& r2,
                                      uint32_t& r3) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)
                 : "r"(address)
                 : "memory");
}

TK_DEVICE void ldmatrix_x2_transposed(uint32_t address, uint32_t& r0, uint32_t& r1) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r0), "=r"(r1)
                 : "r"(address)
                 : "memory");
}

}  // namespace tk::ptx
#endif
