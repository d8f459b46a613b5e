// wgmma with N = 216: 108 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(216, 108, 109, 110, 111, 112, 113, 114)
