// wgmma with N = 152: 76 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(152, 76, 77, 78, 79, 80, 81, 82)
