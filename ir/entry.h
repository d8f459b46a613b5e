// Kernels as an entry calls them: what they are made of, over the entry's own names.
#pragma once

#include <map>
#include <string>

#include "ir/module.h"

namespace tkc::ir {

// What the names of a kernel's contract stand for in a call: extents, parameters and constants,
// and shapes, strides and addresses of its tensors.
std::map<std::string, Scalar> names_of_call(const Signature& entry, const EntryCall& call,
                                            const Kernel& kernel);

// The launch contract of `kernel` in a call: conditions and their sentences, the grid and the cost
// of a program, all over the entry's names and without what holds always. Constants and parameters
// are those of the entry, and nothing else of the kernel is there.
Kernel called_kernel(const Entry& entry, const EntryCall& call, const Kernel& kernel);

// `first(A, B, T)`, for people.
std::string to_string(const EntryCall& call);

// Whether two calls give the same bits: sums of a kernel in scratch of the entry count too.
bool is_deterministic(const Module& module, const Entry& entry);

// The contracts of all kernels that the entry may launch.
std::vector<Kernel> called_kernels(const Module& module, const Entry& entry);

}  // namespace tkc::ir
