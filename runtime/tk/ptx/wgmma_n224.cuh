// wgmma with N = 224: 112 accumulator registers per thread.
#pragma once

#include "wgmma.cuh"

TK_DEFINE_WGMMA(224, 112, 113, 114, 115, 116, 117, 118)
