// wgmma with N = 32: 16 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(32, 16, 17, 18, 19, 20, 21, 22)
