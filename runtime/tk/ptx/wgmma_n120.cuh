// wgmma with N = 120: 60 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(120, 60, 61, 62, 63, 64, 65, 66)
