// wgmma with N = 56: 28 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(56, 28, 29, 30, 31, 32, 33, 34)
