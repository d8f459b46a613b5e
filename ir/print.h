// The text form of the IR. Derived from fields(); parse.h reads it back; docs/ir.md describes it.
#pragma once

#include <string>

#include "ir/module.h"

namespace tkc::ir {

std::string print(const Module& module);
std::string print(const Kernel& kernel, int indent = 0);
std::string print(const Role& role, int indent = 0);
// An operation with its blocks; `role` names its values.
std::string print(const Op& op, const Role& role, int indent = 0);
std::string print(const Block& block, const Role& role, int indent = 0);
// The operation's own line, without its blocks: for messages.
std::string print_line(const Op& op, const Role& role);
// The same for an operation that may be outside a role (null), among the kernel's lets.
std::string print_line(const Op& op, const Role* role);

// `bf16[128, 64] shared`, `element<ab>`.
std::string to_string(const Type& type);
std::string to_string(const TileType& type);
// `A[b, m +: 128, :64]`: a position, a span, a whole axis of 64.
std::string to_string(const Slice& slice);
// `%name`.
std::string to_string(Value value, const Role& role);

}  // namespace tkc::ir
