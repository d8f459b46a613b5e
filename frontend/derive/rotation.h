// Where the body of a pipelined loop is cut, so that its last product runs under the arithmetic of
// the next step.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frontend/derive/loads.h"
#include "frontend/parse/ast.h"

namespace tkc::derive {

// The statements of a body by their numbers: first, rest, late, in the order of a step. The loop
// becomes
//
//     first(0) rest(0)  for every further step j { first(j) late(j - 1) rest(j) }  late(last)
//
// where `late` computes numbers of its step again that other statements of the step have, too.
struct Cut {
    std::vector<std::size_t> first;  // products that depend on no arithmetic of the step
    std::vector<std::size_t> rest;
    std::vector<std::size_t> late;   // a product that depends on such, and what depends on it
    std::vector<std::size_t> again;  // numbers that both roles compute, and `late` reads
    std::set<std::string> carried;   // declared before `late`, and read in it
    std::set<std::string> own;       // declared there, and not read in `late`
};

// Whether the sets have a name in common.
bool meet(const std::set<std::string>& a, const std::set<std::string>& b);
// The variable that a place is, or is in; no name of one where it is in memory.
std::string root_of(const ast::Expr& place);

// Nothing where the order may not change, or nothing is gained by it.
std::optional<Cut> cut_of(const ast::For& loop, const Loads& loads);

}  // namespace tkc::derive
