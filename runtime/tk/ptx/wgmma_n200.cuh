// wgmma with N = 200: 100 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(200, 100, 101, 102, 103, 104, 105, 106)
