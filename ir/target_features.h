// What a kernel uses that its target lacks.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc::ir {

struct MissingFeature {
    std::string what;  // begins a sentence: `a pipeline`
    Span span;
};

// In the order of the kernel: tensors, pipelines, roles and what is in them. The checker reports
// them, and the verifier refuses what reaches it otherwise.
std::vector<MissingFeature> missing_features(const Kernel& kernel);

}  // namespace tkc::ir
