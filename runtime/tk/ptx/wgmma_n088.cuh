// wgmma with N = 88: 44 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(88, 44, 45, 46, 47, 48, 49, 50)
