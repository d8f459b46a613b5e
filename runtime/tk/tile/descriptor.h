// wgmma matrix descriptors of tiles in panels (PTX ISA, "Matrix descriptor"); plain constexpr
// functions.
#pragma once

#include "layout.h"

namespace tk {

// One product reads a window of panels. Two orders: K-major, lines are rows of M or N and a line
// runs along K; MN-major, lines are steps of K and a line runs along M or N (16-bit types only).
enum class operand_order { k_major, mn_major };

// Swizzle code of the descriptor; not the code of the tensor map.
TK_HOST_DEVICE constexpr uint32_t descriptor_swizzle(int span) {
    return span == 128 ? 1u : span == 64 ? 2u : span == 32 ? 3u : 0u;
}

// The leading byte offset. K-major: unused when swizzled (1 by convention), else from one 16-byte
// column of K to the next. MN-major: to the next panel of M or N; unswizzled, between groups of 8
// lines of K.
TK_HOST_DEVICE constexpr int descriptor_leading(operand_order order, int span, int lines) {
    if (order == operand_order::k_major) return span == 16 ? lines * 16 : 16;
    return span == 16 ? 128 : lines * span;
}

// The stride byte offset: to the next 8 lines; MN-major and unswizzled, to the next 8 of M or N.
TK_HOST_DEVICE constexpr int descriptor_stride(operand_order order, int span, int lines) {
    if (order == operand_order::mn_major && span == 16) return lines * 16;
    return 8 * span;
}

// The upper word: stride and swizzle, the same for every step.
TK_HOST_DEVICE constexpr uint32_t descriptor_high(operand_order order, int span, int lines) {
    return static_cast<uint32_t>(descriptor_stride(order, span, lines) >> 4) |
           descriptor_swizzle(span) << 30;
}

// The lower word: start address and leading offset. Steps are added to it; an address below 256 KiB
// never carries out of its 14 bits.
TK_HOST_DEVICE constexpr uint32_t descriptor_low(operand_order order, int span, int lines,
                                                 uint32_t address) {
    return ((address & 0x3ffffu) >> 4) |
           static_cast<uint32_t>(descriptor_leading(order, span, lines) >> 4) << 16;
}

// How far the window moves for the K step `step` (32 bytes of K) and the M or N block at `first`
// (K-major: first in lines, a multiple of 8; MN-major: in elements of 2 bytes, a multiple of the
// panel).
TK_HOST_DEVICE constexpr int descriptor_advance(operand_order order, int span, int lines, int step,
                                                int first) {
    if (order == operand_order::k_major)
        return step * 32 / span * lines * span + step * 32 % span + first * span;
    return step * 16 * span + first * 2 / span * lines * span;
}

TK_HOST_DEVICE constexpr uint64_t descriptor(operand_order order, int span, int lines,
                                             uint32_t address) {
    return static_cast<uint64_t>(descriptor_high(order, span, lines)) << 32 |
           descriptor_low(order, span, lines, address);
}

}  // namespace tk
