// Elements of which a kernel states what they are, as `start[0] == 0` and `start[B] == T` of a
// table of packed sequences: data that are made up have to be so.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"

namespace tkc {

// `tensor[position] == value`, of a tensor of integers with one axis.
struct StatedElement {
    std::string tensor;
    ir::Scalar position;
    ir::Scalar value;
};

// What the asserts of the kernel state by an equation.
std::vector<StatedElement> stated_elements(const ir::Kernel& kernel);

}  // namespace tkc
