// wgmma with N = 64: 32 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(64, 32, 33, 34, 35, 36, 37, 38)
