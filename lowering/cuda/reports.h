// `print` and `assert` on the GPU: the kernel writes records, the launcher reads and tells them.
#pragma once

#include <vector>

#include "base/source.h"
#include "ir/module.h"
#include "lowering/cuda/emit_context.h"
#include "lowering/cuda/tree.h"

namespace tkc::cuda {

// The prints and asserts of a kernel, and of a debug build its waits on pipelines, numbered by
// their place in this list.
std::vector<const ir::Op*> reports_of(const ir::Kernel& kernel);

void emit(RoleContext& c, const ir::Print& op, Block& out);
void emit(RoleContext& c, const ir::Assert& op, Block& out);

// The last arguments of a wait that is watched: its number and the program.
std::vector<Expr> wait_site(RoleContext& c, const void* op);

// The table of a kernel's reports for its launcher: where each is, its text, and which
// types its numbers are.
Expr report_table(const ir::Kernel& kernel, const SourceManager* sources);

}  // namespace tkc::cuda
