// wgmma with N = 184: 92 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(184, 92, 93, 94, 95, 96, 97, 98)
