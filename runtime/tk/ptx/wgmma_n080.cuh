// wgmma with N = 80: 40 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(80, 40, 41, 42, 43, 44, 45, 46)
