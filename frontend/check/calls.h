// Calls: conversions, scalar functions, operations, and functions of other modules.
#pragma once

#include "frontend/check/forward.h"
#include "frontend/check/values.h"
#include "language/operation.h"

namespace tkc::checker {

// The operation that `expr` names as what is called; empty for anything else.
std::optional<Operation> called_operation(const ast::Expr& expr);
bool is_called_name(const ast::Expr& expr, std::string* name);
// The exponent of a power of reals that is written as an integer, 1 to 16 or -1 to -16.
std::optional<std::int64_t> whole_exponent(const Operand& base, const ir::Scalar& exponent);
// A hint after a call that moves no tile.
void report_misplaced_hint(Context& context, const ast::Hint& hint, const ast::Expr& callee);

class Calls {
public:
    explicit Calls(Parts& parts);

    Operand check_call(const ast::Call& call, Span span);

private:
    Operand check_operation(Operation operation, const ast::Call& call, Span span);
    Operand check_function_call(Function function, const ast::Call& call, Span span);
    Operand check_power(const Operand& base, std::int64_t exponent, Span span, Span written);
    Operand check_conversion(Dtype dtype, const ast::Call& call, Span span);
    Operand check_shared(const ast::Call& call, Span span);
    Operand check_scalar(const ast::Call& call, Span span);
    Operand check_cell_index(Operation operation, const ast::Call& call, Span span);
    Operand check_range(const ast::Call& call, Span span);
    Operand check_last_tile(const ast::Call& call, Span span);
    Operand check_module_call(const ast::Call& call, Span span);
    void note_rounded_before_widening(Dtype to, const ast::Expr& argument, const Operand& value,
                                      Span span);
    void note_extreme_of_cells(Function function, const std::vector<const ast::Expr*>& arguments,
                               const std::vector<Operand>& operands, Span span);
    Operand check_counting(Operation operation, const ast::Call& call, Span span);
    Operand check_print(const ast::Call& call, Span span);
    Operand check_assert(const ast::Call& call, Span span);
    Operand check_assume(const ast::Call& call, Span span);

    Arithmetic& arithmetic_;
    Axes& axes_;
    Builder& builder_;
    Columns& columns_;
    Context& context_;
    Expressions& expressions_;
    Functions& functions_;
    Memory& memory_;
    Names& names_;
    Numbers& numbers_;
    Products& products_;
    TileFunctions& tile_functions_;
    Requirements& requirements_;
    Tiles& tiles_;
    Types& types_;
};

}  // namespace tkc::checker
