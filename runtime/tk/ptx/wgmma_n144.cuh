// wgmma with N = 144: 72 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(144, 72, 73, 74, 75, 76, 77, 78)
