// wgmma with N = 48: 24 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(48, 24, 25, 26, 27, 28, 29, 30)
