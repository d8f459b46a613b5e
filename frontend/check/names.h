// The names of a kernel: declaring, finding, guessing, and those that were never used.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/scope.h"

namespace tkc::checker {

class Names {
public:
    explicit Names(Parts& parts);

    Entity* declare(EntityKind kind, const ast::Name& name, Operand value);
    Entity* lookup(Span span, const std::string& name, std::string_view what);
    void report_unknown(Span span, const std::string& name, std::string_view what);
    void report_unknown_module(Span span, const std::string& name);
    void close_scope(Scope::Mark mark);
    // Of a branch that a constant condition leaves out: names must be known, nothing else.
    void check_names(const ast::Block& block);
    void check_names(const ast::Stmt& stmt);
    void check_names(const ast::Expr& expr);
    void check_names(const ast::Type& type);

    Scope scope;

private:
    Builder& builder_;
    Context& context_;
    Statements& statements_;
    Structs& structs_;
    Types& types_;
};

}  // namespace tkc::checker
