// wgmma with N = 96: 48 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(96, 48, 49, 50, 51, 52, 53, 54)
