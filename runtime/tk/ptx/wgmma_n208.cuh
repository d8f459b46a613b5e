// wgmma with N = 208: 104 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(208, 104, 105, 106, 107, 108, 109, 110)
