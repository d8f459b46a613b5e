// wgmma with N = 104: 52 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(104, 52, 53, 54, 55, 56, 57, 58)
