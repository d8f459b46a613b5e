// wgmma with N = 128: 64 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(128, 64, 65, 66, 67, 68, 69, 70)
