// `return`, and what to write where there can be none.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/functions.h"
#include "frontend/check/statements.h"
#include "frontend/check/structs.h"
#include "frontend/check/types.h"

namespace tkc::checker {

// What to write instead of a `return` that would leave something early.
std::string Statements::instead_of_return(Span span) const {
    const ast::If* branch = nullptr;
    bool in_else = false;
    bool in_loop = false;
    Walk hooks;
    hooks.stmt = [&](const ast::Stmt& stmt) {
        if (span.begin < stmt.span.begin || stmt.span.end < span.end) return;
        in_loop = in_loop || std::holds_alternative<ast::For>(stmt.node) ||
                  std::holds_alternative<ast::ForSpace>(stmt.node);
        const auto* found = std::get_if<ast::If>(&stmt.node);
        if (found == nullptr) return;
        // Of an `else if`, or an `if` in another, what does not return is not a single condition.
        in_else = branch != nullptr || found->else_block.has_value();
        branch = found;
    };
    context_.walk_body(hooks);
    if (in_loop)
        return "a loop runs all its iterations: record in a `var` that the work is done, and test "
               "it with an `if`";
    if (branch == nullptr) return "it ends with its block: remove the `return`";
    if (in_else) return "write what follows under an `if`, or in the other branch";
    return fmt::format("write what follows under `if not ({}) {{ .. }}`",
                       context_.text(branch->condition->span));
}

void Statements::report_return_on_condition(Span span) {
    DiagnosticBuilder message = context_.error(
        span, msg::misplaced_return, "in a loop, or under a condition known only at run time");
    const bool of_value = context_.inlining.back().function->result.has_value();
    if (of_value)
        message.help(
            "under a condition, let both branches end in `return`, with only `let`s before it");
    else message.help("{}", instead_of_return(span));
}

void Statements::check_return(const ast::Return& ret, Span span) {
    if (context_.inlining.empty()) {
        context_.error(span, msg::misplaced_return, "outside of a function")
            .help("{}", instead_of_return(span));
        return;
    }
    if (builder_.blocks.size() != context_.inlining.back().depth) {
        report_return_on_condition(span);
        return;
    }
    Operand value = Nothing{};
    const std::optional<WrittenType> wanted = context_.inlining.back().type;
    const bool told = context_.inlining.back().function->result && !wanted;
    if (told) value = Poison{};
    else if (ret.value) value = structs_.check_right_side(*ret.value, wanted ? &*wanted : nullptr);
    if (ret.value && wanted) value = functions_.returned(value, *wanted, ret.value->span);
    context_.inlining.back().result = std::move(value);
}

}  // namespace tkc::checker
