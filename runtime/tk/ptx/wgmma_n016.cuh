// wgmma with N = 16: 8 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(16, 8, 9, 10, 11, 12, 13, 14)
