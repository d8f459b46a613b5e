// Visits every part of a piece of syntax, parents first, in the order of the text.
#pragma once

#include <functional>
#include <string_view>

#include "frontend/parse/ast.h"

namespace tkc::checker {

// The call that the expression is, if it is one of the operation of this name; else null.
const ast::Call* call_of(const ast::Expr& expr, std::string_view operation);
// `load(..)` or `tma_load(..)`.
bool is_load(const ast::Expr& expr);

// Each hook may be empty.
struct Walk {
    std::function<void(const ast::Expr&)> expr;
    std::function<void(const ast::Stmt&)> stmt;
    std::function<void(const ast::Type&)> type;  // its extents are visited by `expr` as well
    std::function<void(const ast::Iter&)> iter;
    std::function<void(const ast::KernelItem&)> item;
};

void walk(const ast::Expr& expr, const Walk& hooks);
void walk(const ast::Type& type, const Walk& hooks);
void walk(const ast::Iter& iter, const Walk& hooks);
void walk(const ast::Stmt& stmt, const Walk& hooks);
void walk(const ast::Block& block, const Walk& hooks);
void walk(const ast::KernelItem& item, const Walk& hooks);
void walk(const ast::Kernel& kernel, const Walk& hooks);
// The expressions that are directly in a statement, without those of its blocks.
void walk_own(const ast::Stmt& stmt, const Walk& hooks);
// Their places: of a loop or a branch, what is before its block.
Span own_part(const ast::Stmt& stmt);

}  // namespace tkc::checker
