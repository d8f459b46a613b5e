// What extern_functions.tk calls.
#pragma once

// x toward zero, in least .. most.
__device__ __forceinline__ int clipped(float x, int least, int most) {
    const int whole = static_cast<int>(x);
    return whole < least ? least : whole > most ? most : whole;
}
