// Pipelines that a role reads in step share the place where it is in them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "ir/module.h"

namespace tkc::cuda {

// Two pipelines with as many stages, of which the role takes one element each in turn: elements of
// one number are in one stage and one phase. The second has no cursor then, which would take
// registers of every thread.
struct SharedCursors {
    std::map<std::uint32_t, ir::Value> leaders;  // by the element of the second: that of the first
    std::set<std::string> followers;             // pipelines that the role reads without a cursor
};
SharedCursors share_cursors(const ir::Kernel& kernel, const ir::Role& role);

}  // namespace tkc::cuda
