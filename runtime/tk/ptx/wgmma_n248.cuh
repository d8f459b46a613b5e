// wgmma with N = 248: 124 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(248, 124, 125, 126, 127, 128, 129, 130)
