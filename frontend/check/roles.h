// Roles, or the one role that the statements of a kernel without roles are.
#pragma once

#include <map>

#include "base/function_ref.h"
#include "frontend/check/forward.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"

namespace tkc::checker {

class Roles {
public:
    explicit Roles(Parts& parts);

    void check_role(const ast::Role& role);
    void check_warps(const ast::Warps& warps, Span span);
    void check_pingpong(Span span);
    // What is in a kernel without roles is one role of the width that its grid says.
    void check_body();
    // After the roles: those whose warpgroups take programs in turn.
    void check_alternating();

private:
    void check_role_head(const ast::Role& role, ir::Role& made);
    void run_round_robin(ir::Role& made, Span span, std::string_view whole);
    void let_alternate(ir::Role& made, const ast::Alternate& word, Span span);
    // One role: `head` gives it its name and width, `body` checks its statements.
    void check_work(Span place, FunctionRef<void(ir::Role&)> head, FunctionRef<void()> body);

    Axes& axes_;
    Builder& builder_;
    Columns& columns_;
    Context& context_;
    Expressions& expressions_;
    Gathers& gathers_;
    Names& names_;
    Numbers& numbers_;
    Statements& statements_;
    Types& types_;

    std::int64_t warps_ = 0;  // of a kernel without roles; 0: the compiler's choice
    bool warps_said_ = false;
    std::optional<Span> pingpong_{};           // of a kernel without roles
    std::map<std::string, Span> alternate_{};  // the word, by role
};

}  // namespace tkc::checker
