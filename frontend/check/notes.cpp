// Notes of what is allowed, and often not what was meant: `--no-notes` leaves them out.
#include <fmt/format.h>

#include "frontend/check/calls.h"
#include "frontend/check/context.h"

namespace tkc::checker {

namespace {

// The product that is widened: `a * b` in `f32(a * b)`.
const ast::Binary* product_of(const ast::Expr& expr) {
    const auto* binary = std::get_if<ast::Binary>(&expr.node);
    return binary != nullptr && binary->op == ast::BinaryOp::multiply ? binary : nullptr;
}

std::string without_parentheses(const std::string& written) {
    const bool enclosed = written.front() == '(' && written.find(')') + 1 == written.size();
    return enclosed ? written.substr(1, written.size() - 2) : written;
}

}  // namespace

// f32(a * b) of narrow a and b: their product is exact in f32, and has 3 to 11 bits here.
void Calls::note_rounded_before_widening(Dtype to, const ast::Expr& argument, const Operand& value,
                                         Span span) {
    const ast::Binary* product = product_of(argument);
    const std::optional<Dtype> from = dtype_of(value);
    if (product == nullptr || to != Dtype::f32 || !from || !is_narrow_real(*from)) return;
    if (!std::holds_alternative<Tile>(value) || !context_.notes(span)) return;
    const std::string left = without_parentheses(context_.text(product->left->span));
    const std::string right = without_parentheses(context_.text(product->right->span));
    DiagnosticBuilder note = context_.file.diag.note(
        argument.span, msg::rounded_before_widening,
        without_parentheses(context_.text(argument.span)), name(*from), name(to));
    note.help("write `f32({}) * f32({})`, which is exact", left, right);
}

// max(x, 1) where max(x, axis = 1) may be meant. With a number that has a point nothing is said,
// nor of columns and of limits that are common: max(x, 0), min(x, 1).
void Calls::note_extreme_of_cells(Function function, const std::vector<const ast::Expr*>& arguments,
                                  const std::vector<Operand>& operands, Span span) {
    const bool largest = function == Function::max;
    if (!largest && function != Function::min) return;
    const auto* tile = std::get_if<Tile>(&operands[0]);
    const auto* number = std::get_if<ast::IntLiteral>(&arguments[1]->node);
    const std::uint64_t axis = largest ? 1 : 0;
    if (tile == nullptr || number == nullptr || number->value != axis) return;
    if (!is_real(tile->cell->dtype) || tile->rows == 1 || tile->cols == 1 || !context_.notes(span))
        return;
    const std::string_view name = info(function).name;
    const std::string operand = context_.text(arguments[0]->span);
    DiagnosticBuilder note = context_.file.diag.note(span, msg::extreme_of_cells, name, axis);
    note.help(
        "to reduce along an axis, write `{}({}, axis = {})`; if the comparison is intended, write "
        "`{}({}, {}.0)`",
        name, operand, axis, name, operand, axis);
}

}  // namespace tkc::checker
