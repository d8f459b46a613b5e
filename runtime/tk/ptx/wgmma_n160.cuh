// wgmma with N = 160: 80 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(160, 80, 81, 82, 83, 84, 85, 86)
