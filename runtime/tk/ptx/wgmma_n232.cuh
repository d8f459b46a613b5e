// wgmma with N = 232: 116 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(232, 116, 117, 118, 119, 120, 121, 122)
