// wgmma with N = 136: 68 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(136, 68, 69, 70, 71, 72, 73, 74)
