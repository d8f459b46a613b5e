// Performance notes: what the author's program makes slow, at its line, and what to write instead.
//
// They are read off scheduled IR, after its checks, and say nothing about the general variants of
// kernels, which are slow by the choice of whoever calls them with such operands.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/diagnose.h"
#include "ir/module.h"

namespace tkc::lowering {

// Why loads are not moved to a derived producer, by their places.
struct StayingLoad {
    Span place;
    std::string why;
};

// What the authors of kernels wrote, where it is not what their roles show.
struct WrittenKernels {
    std::vector<StayingLoad> staying;
    std::set<std::string> without_roles;  // which were derived, by their sources
};

void note_performance(const ir::Kernel& kernel, const WrittenKernels& written, Diagnostics& diag);

// The part of the above about products and what overlaps with them.
void note_products(const ir::Role& role, Diagnostics& diag);

// Whether the operation computes with a tile of rows and columns in registers; products do not.
bool is_tile_arithmetic(const ir::Role& role, const ir::Op& op);

}  // namespace tkc::lowering
