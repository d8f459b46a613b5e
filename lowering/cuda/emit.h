// Scheduled IR to CUDA C++: the kernels. Their launchers are in launcher.h.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/source.h"
#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// The IR breaks a rule that the verifier holds the passes to: a bug of the compiler.
struct EmitError : std::logic_error {
    using std::logic_error::logic_error;
};

// A kernel in CUDA C++.
struct KernelCode {
    std::set<std::string> includes;  // paths as in #include "..."
    std::vector<Item> items;         // header comment, struct of shared memory, __global__ function
};

// `sources`, if given, supplies the lines of the .tk file for comments. The text depends on
// nothing else.
KernelCode emit_kernel(const ir::Kernel& kernel, const SourceManager* sources);

// Names that host code needs: of the __global__ function and of the struct of its shared memory.
std::string kernel_function(const ir::Kernel& kernel);
std::string shared_struct(const ir::Kernel& kernel);
// sizeof that struct, which has this name in the file, or 0.
Expr shared_size(const ir::Kernel& kernel, const std::string& shared);

// All kernels of a module as one file, includes first, those of what follows among them. Instances
// of templates have other names than kernel_function and shared_struct tell: those by which they
// are known in the file.
struct EmittedFile {
    File file;
    std::map<std::string, std::string> names;
};
EmittedFile emit_kernels(const ir::Module& module, const SourceManager* sources,
                         std::set<std::string> includes);

}  // namespace tkc::cuda
