// The tile runtime in one include. Products also need tk/ptx/wgmma_nNNN.cuh for each N that is used.
#pragma once

#include "operations/ahead.cuh"
#include "operations/global.cuh"
#include "operations/grid.cuh"
#include "operations/map.cuh"
#include "operations/mma.cuh"
#include "operations/pipeline.cuh"
#include "operations/reduce.cuh"
#include "operations/row_exchange.cuh"
#include "operations/shared.cuh"
#include "operations/stripe.cuh"
#include "operations/tma.cuh"
#include "ptx/barrier.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/fence.cuh"
#include "ptx/math.cuh"
#include "ptx/registers.cuh"
