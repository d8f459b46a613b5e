// wgmma with N = 176: 88 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(176, 88, 89, 90, 91, 92, 93, 94)
