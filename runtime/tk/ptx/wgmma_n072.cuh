// wgmma with N = 72: 36 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(72, 36, 37, 38, 39, 40, 41, 42)
