// wgmma with N = 24: 12 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(24, 12, 13, 14, 15, 16, 17, 18)
