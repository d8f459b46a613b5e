// What every runtime header needs: function qualifiers that also let a host compiler read the headers.
#pragma once

#include <cstddef>
#include <cstdint>

// Address and descriptor functions are plain constexpr code, so that a CPU test can call them; whatever
// holds inline PTX is visible to nvcc alone (TK_CUDA).
#if defined(__CUDACC__)
#define TK_CUDA 1
#define TK_DEVICE __device__ __forceinline__
#define TK_HOST_DEVICE __host__ __device__ __forceinline__
#define TK_UNROLL _Pragma("unroll")
#define TK_NO_UNROLL _Pragma("unroll 1")
#define TK_UNROLL_SOME _Pragma("unroll 8")
#else
#define TK_CUDA 0
#define TK_DEVICE inline
#define TK_HOST_DEVICE inline
#define TK_UNROLL
#define TK_NO_UNROLL
#define TK_UNROLL_SOME
#endif
