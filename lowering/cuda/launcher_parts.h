// What the launchers of kernels and those of entries are made of.
#pragma once

#include <string>
#include <vector>

#include "ir/module.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

using Kernels = std::vector<const ir::Kernel*>;
Kernels candidates_of(const ir::Module& module, const std::vector<std::string>& candidates);

// What a launch function takes from its launcher: the tensors, extents and parameters that it
// uses, in this order.
struct Needs {
    std::vector<std::string> tensors, extents, scalars;
};
Needs needs_of(const ir::Kernel& kernel);

void append(Block& block, Block more);
Stmt return_if_failed(Expr status);
// if (!object.ok()) return object.result();
Stmt stop_if_refused(const std::string& object);

// object.require(holds, "sentence", {values}); nothing if the host cannot tell.
void require(const std::string& object, const ir::Signature& called, const ir::Condition& condition,
             Block& block);
// Whether every candidate has the condition, so that it is one of the call and not of a kernel.
bool is_common(const Kernels& kernels, const ir::Condition& condition);

// tk::selection choice{call.function(), site};
Stmt selection(const std::string& choice);
// The part of the choice that is about one of the kernels.
Block offer(const std::string& choice, const Kernels& kernels, const ir::Kernel& kernel);

// The function that does the work, as far as `site`; the C function only keeps its sentence.
Function run_function(const ir::Signature& called, const std::string& name,
                      const Block& conditions);

// The same of an entry, whole.
Item entry_function(const ir::Module& module, const ir::Entry& entry);

}  // namespace tkc::cuda
