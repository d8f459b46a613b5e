// The workspace of a function of the C interface: where the counters of the kernels lie that it
// launches. They follow each other on the stream, so all of them use the same memory.
#pragma once

#include "lowering/cuda/launcher_parts.h"

namespace tkc::cuda {

// Whether one of the kernels has counters, or takes its programs from one.
bool needs_workspace(const Kernels& kernels);
// Whether launchers of these and of those kernels ask for as much memory, by the same formula.
bool same_workspace(const Kernels& a, const Kernels& b);
// `const int64_t counter_bytes = ..;`, as many as the one with the most needs; names are those of
// `called`.
Stmt counter_bytes(const ir::Signature& called, const Kernels& kernels);
// Refuses a workspace that is too small; sets the counters to 0.
Stmt check_workspace();
Stmt clear_counters();
// `size_t NAME_workspace(..)`; nothing if the kernels need none.
std::vector<Item> workspace_function(const ir::Signature& called, const Kernels& kernels,
                                     const std::string& name);

}  // namespace tkc::cuda
