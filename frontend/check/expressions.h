// Expressions: which are allowed where, and in which order they are evaluated.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"

namespace tkc::checker {

class Expressions {
public:
    explicit Expressions(Parts& parts);

    Operand check(const ast::Expr& expr);
    Operand check_value(const ast::Expr& expr);  // never Nothing
    // The values of expressions that are evaluated one after the other.
    std::vector<Operand> check_in_order(const std::vector<const ast::Expr*>& exprs);
    // Reports an operand that was read before a call changed it, by `inout`.
    void check_unchanged(const Operand& value, const ast::Expr& expr, std::size_t since);
    // A member of what has been evaluated.
    Operand member_of(Operand base, const ast::Member& member);

private:
    Operand check_any(const ast::Expr& expr);  // of any size
    Operand check_name_ref(const ast::NameRef& name, Span span);
    // As check_value; what changes is not read yet.
    Operand unread(const ast::Expr& expr);
    Operand check_unary(const ast::Unary& unary, Span span);
    Operand check_binary(const ast::Binary& binary, Span span);
    Operand index_member(const TileIndex& index, const ast::Name& member);
    Operand check_member(const ast::Member& member);
    Operand check_if_expr(const ast::IfExpr& choice, Span span);

    Arithmetic& arithmetic_;
    Builder& builder_;
    Calls& calls_;
    Context& context_;
    Names& names_;
    Numbers& numbers_;
    Pipelines& pipelines_;
    Structs& structs_;
    Tiles& tiles_;
    Types& types_;
    Views& views_;
};

}  // namespace tkc::checker
