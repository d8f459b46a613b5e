// wgmma with N = 240: 120 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(240, 120, 121, 122, 123, 124, 125, 126)
