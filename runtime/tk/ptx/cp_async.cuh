// cp.async: 16 bytes from global to shared memory without passing through registers (PTX ISA,
// "cp.async").
#pragma once

#include "config.h"

#if TK_CUDA
namespace tk::ptx {

// Copies the first `bytes` (0..16) of 16 and fills the rest with zeros; both addresses 16-byte
// aligned.
TK_DEVICE void cp_async_16(uint32_t shared, const void* global, uint32_t bytes) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(global),
                 "r"(bytes)
                 : "memory");
}

// The same with a policy for the L2 cache.
TK_DEVICE void cp_async_16(uint32_t shared, const void* global, uint32_t bytes, uint64_t policy) {
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2, %3;" ::"r"(shared),
                 "l"(global), "r"(bytes), "l"(policy)
                 : "memory");
}

// Copies 16 bytes, or fills them with zeros, and then reads nothing, wherever `global` points.
TK_DEVICE void cp_async_16_if(bool copied, uint32_t shared, const void* global) {
    asm volatile(
        "{\n.reg .pred ignored;\n"
        "setp.eq.u32 ignored, %2, 0;\n"
        "cp.async.cg.shared.global [%0], [%1], 16, ignored;\n}" ::"r"(shared),
        "l"(global), "r"(static_cast<uint32_t>(copied))
        : "memory");
}
TK_DEVICE void cp_async_16_if(bool copied, uint32_t shared, const void* global, uint64_t policy) {
    asm volatile(
        "{\n.reg .pred ignored;\n"
        "setp.eq.u32 ignored, %2, 0;\n"
        "cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, ignored, %3;\n}" ::"r"(shared),
        "l"(global), "r"(static_cast<uint32_t>(copied)), "l"(policy)
        : "memory");
}

TK_DEVICE void cp_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int Pending>
TK_DEVICE void cp_async_wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(Pending) : "memory");
}

}  // namespace tk::ptx
#endif
