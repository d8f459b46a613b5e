// wgmma with N = 40: 20 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(40, 20, 21, 22, 23, 24, 25, 26)
