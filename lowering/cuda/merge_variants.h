// One template for kernels whose text differs in numbers alone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/module.h"
#include "lowering/cuda/emit.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// An emitted kernel on its way into the file.
struct EmittedKernel {
    const ir::Kernel* kernel = nullptr;
    KernelCode code;
};

// The kernels as they are in the file, and by what names launchers know those whose names
// changed.
struct MergedKernels {
    std::vector<Item> items;
    std::map<std::string, std::string> names;
};

// Kernels of one source that are the same up to integers, and up to moving vectors or single cells,
// become instances of a template, whose parameters are what differs.
MergedKernels merge_variants(std::vector<EmittedKernel> kernels);

}  // namespace tkc::cuda
