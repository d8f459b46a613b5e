// Loops over cells that are compiled for the vectors of the machine that runs them.
#pragma once

// Before a function: compiled twice, for AVX2 and without; the loader takes what the processor has.
// Both round the same, as nothing is contracted (cmake/Flags.cmake) but in add_products.cpp.
// Sanitizers do not follow the indirection.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define TKC_VECTORISED __attribute__((target_clones("avx2", "default")))
// The same for loops of products and sums that round once, or whose products are exact.
#define TKC_FUSED __attribute__((target_clones("fma", "default")))
#else
#define TKC_VECTORISED
#define TKC_FUSED
#endif
