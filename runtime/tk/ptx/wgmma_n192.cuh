// wgmma with N = 192: 96 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(192, 96, 97, 98, 99, 100, 101, 102)
