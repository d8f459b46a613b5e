// wgmma with N = 256: 128 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(256, 128, 129, 130, 131, 132, 133, 134)
