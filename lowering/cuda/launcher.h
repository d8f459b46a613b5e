// The C interface of a module: a function for each ir::Launcher that checks its arguments, picks a
// kernel and launches it, and the header that declares it. docs/launcher.md describes it to its
// users.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/source.h"
#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// What kernels and structs of shared memory are called in the file, where that is not the name that
// they would have alone: `gemm_kernel<128>` of gemm_square_kernel.
using InstanceNames = std::map<std::string, std::string>;

// The headers of the runtime that the launchers of the module need.
std::set<std::string> launcher_includes(const ir::Module& module);

// All launchers of the module; the emitted kernels are before them.
// `sources`, if given, says in debug builds where what is printed is.
std::vector<Item> launcher_items(const ir::Module& module, const SourceManager* sources = nullptr,
                                 const InstanceNames& names = {});

// The text of the header for C and C++; `source` is the name of the .tk file.
std::string launcher_header(const ir::Module& module, const std::string& source);

// The C type of a scalar parameter.
std::string parameter_type(Dtype dtype);

// `BM = 128, BN = 256`: the constants of an instance, for comments.
std::string constants_text(const ir::Kernel& kernel);

// Whether the estimates of two kernels are ever compared: a general one runs only where no other
// can.
bool compares_costs(const std::vector<const ir::Kernel*>& kernels);
// `ceil_div(M, 128) programs of 1024*ceil_div(K, 64) + 3456 cycles`: what is compared.
std::string cost_text(const ir::Kernel& kernel);

}  // namespace tkc::cuda
