// The statements of a body.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/scope.h"
#include "frontend/parse/operand_uses.h"

namespace tkc::checker {

class Statements {
public:
    explicit Statements(Parts& parts);

    void check_block(const ast::Block& block);
    // The same, where what declares names for the block has opened their scope.
    void check_body(const ast::Block& block);
    void check_stmt(const ast::Stmt& stmt);
    // What an assignment changes: a variable, or a field of one. Null if an error was reported.
    Operand* assignable(const ast::Expr& target);
    // The number that is assigned to changes: the kernel has to be looked at again.
    void let_change(const ast::Expr& target);
    // Where the variable was declared that `target` is, or is a field of.
    Span origin_of(const ast::Expr& target);
    // A `let` of the kernel that is used before its turn.
    void resolve_let(Entity& entity);
    void check_shared_reads();  // of the role

private:
    // The right side of a definition: a value of the type written before the `=`, if there is one.
    Operand check_definition(const ast::Let& let);
    // Whether products read a tile that is loaded under this name from shared memory.
    bool goes_to_shared(const std::string& name, const Tile& tile);
    void check_let(const ast::Let& let);
    bool adopt(ir::Value value, const std::string& name);
    // What a `let` or a `var` called `name` holds: its value, under this name in the IR.
    Operand named(const std::string& name, Operand value, Span span);
    // `changing`: its numbers change, too.
    Operand make_variable(const std::string& name, const Operand& value, Span span, bool changing);
    Operand make_number_variable(const std::string& name, const ir::Scalar& value);
    void check_var(const ast::Let& var);
    void check_shared_var(const ast::SharedVar& var);
    void check_assign(const ast::Assign& assign);
    bool assign_tile(const ast::Assign& assign,
                     const Tile& target);  // false if an error was reported
    void assign_number(const ast::Assign& assign, Operand& target);
    void assign_shared(const ast::Assign& assign, const SharedTile& target);
    Operand returned_by(const ast::Block& block);
    void check_if(const ast::If& branch);
    void check_call_stmt(const ast::CallStmt& stmt);
    void report_return_on_condition(Span span);
    std::string instead_of_return(Span span) const;
    void check_return(const ast::Return& ret, Span span);

    Arithmetic& arithmetic_;
    Axes& axes_;
    Builder& builder_;
    Context& context_;
    Expressions& expressions_;
    Functions& functions_;
    Loops& loops_;
    Names& names_;
    Numbers& numbers_;
    Pipelines& pipelines_;
    Products& products_;
    Structs& structs_;
    Tiles& tiles_;
    Types& types_;
    Views& views_;

    std::size_t statement_count_ = 0;          // with those of the functions
    std::size_t first_new_value_ = 0;          // of the definition at hand
    std::optional<OperandUses> operand_uses_;  // of the kernel, when somebody asks
};

}  // namespace tkc::checker
