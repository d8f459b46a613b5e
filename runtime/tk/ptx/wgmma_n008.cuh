// wgmma with N = 8: 4 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(8, 4, 5, 6, 7, 8, 9, 10)
