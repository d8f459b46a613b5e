// wgmma with N = 168: 84 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(168, 84, 85, 86, 87, 88, 89, 90)
