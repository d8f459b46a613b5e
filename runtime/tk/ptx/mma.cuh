// mma.sync: products of one warp, whose operands and results lie in its registers (PTX ISA, "matrix
// multiply-accumulate operation using mma instruction").
#pragma once

#include "../tile/dtypes.cuh"
#include "config.h"

#if TK_CUDA
namespace tk::ptx {

// d += a b of [16, 16] x [16, 8]. Lane 4 g + q holds of d the rows g and g + 8 at columns 2 q and
// 2 q + 1; of a those rows at columns 2 q, 2 q + 1, 2 q + 8 and 2 q + 9, two to a register; of b
// those rows as columns of a, at column g.
template <class T>
TK_DEVICE void mma_m16n8k16(float* d, const uint32_t* a, const uint32_t* b) {
    static_assert(std::is_same_v<T, bf16> || std::is_same_v<T, f16>);
    if constexpr (std::is_same_v<T, bf16>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
            "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
            : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

}  // namespace tk::ptx
#endif
