// wgmma with N = 112: 56 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(112, 56, 57, 58, 59, 60, 61, 62)
