// `requires` is what a launch checks, `trusts` what nobody does: which of both a condition is, and
// where it is.
#include "frontend/check/requirements.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "facts/launch_facts.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"
#include "frontend/check/types.h"
#include "ir/contract.h"

namespace tkc::checker {

// Records what is stated, and returns its kind.
Requirements::Stated Requirements::check_stated(const ast::Expr& expr) {
    const auto* call = std::get_if<ast::Call>(&expr.node);
    const std::optional<Operation> operation =
        call == nullptr ? std::nullopt : called_operation(*call->callee);
    if (operation == Operation::within) return check_within(*call, expr.span), Stated::belief;
    if (operation == Operation::increasing)
        return check_increasing(*call, expr.span), Stated::belief;
    if (operation == Operation::balanced) return check_balanced(*call, expr.span), Stated::belief;
    if (operation == Operation::disjoint || operation == Operation::covers ||
        operation == Operation::reads_own)
        return check_output_fact(*call, *operation, expr.span), Stated::belief;
    const ir::Scalar holds = types_.check_condition(expr);
    if (!holds) return Stated::nothing;
    bool loads = false;
    ir::visit_nodes(holds, [&](const ir::ScalarNode& n) {
        loads = loads || std::holds_alternative<ir::ElementLoad>(n.node);
    });
    if (loads) {
        numbers_.facts_read.push_back({holds, expr.span, context_.text(expr.span)});
        trust(expr.span);
        builder_.kernel.trusted.push_back({ir::stated_condition, ir::to_string(holds), expr.span});
        return Stated::belief;
    }
    std::int64_t value = 0;
    if (ir::is_constant(holds, &value)) {
        if (value == 0)
            context_.error(expr.span, msg::requirement_fails, context_.quoted(expr.span));
        return Stated::nothing;
    }
    ir::Condition made;
    made.holds = holds;
    made.text = "`" + context_.syntax.name.text + "` requires `" +
                ir::words_of_message(context_.text(expr.span)) + "`";
    made.span = expr.span;
    builder_.kernel.conditions.push_back(std::move(made));
    return Stated::condition;
}

void Requirements::check_requires() {
    std::vector<const ast::Expr*> beliefs;     // in `requires`
    std::vector<const ast::Expr*> conditions;  // in `trusts`
    for (const ast::ExprPtr& stated : context_.syntax.conditions) {
        if (check_stated(*stated) == Stated::belief) beliefs.push_back(stated.get());
    }
    for (const ast::ExprPtr& stated : context_.syntax.beliefs) {
        if (check_stated(*stated) == Stated::condition) conditions.push_back(stated.get());
    }
    // An entry has no `trusts`, wherever it is written: EntryChecker reports it.
    if (!context_.items.empty()) report_misplaced(beliefs, conditions);
}

// balanced(p): as many elements of the pipeline are made as taken.
void Requirements::check_balanced(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "balanced", 1, span)) return;
    const ast::Expr& argument = *call.args[0].value;
    const auto* name = std::get_if<ast::NameRef>(&argument.node);
    std::vector<std::string> known;
    for (const ast::KernelItem& item : context_.items) {
        const auto* pipeline = std::get_if<ast::Pipeline>(&item.node);
        if (pipeline != nullptr) known.push_back(pipeline->name.text);
    }
    if (name == nullptr) {
        context_.error(argument.span, msg::operand_kind, "`balanced`", "the name of a pipeline",
                       "something else");
    } else if (std::find(known.begin(), known.end(), name->text) == known.end()) {
        DiagnosticBuilder message =
            context_.error(argument.span, msg::unknown_name, "pipeline", name->text);
        suggest(message, argument.span, name->text, known);
    } else {
        builder_.kernel.trusted.push_back({"balanced", name->text, span});
    }
}

// Both clauses as they are meant, and what they replace. Nothing where a comment would be lost.
std::optional<std::pair<Span, std::string>> Requirements::sorted_clauses(
    const std::vector<const ast::Expr*>& beliefs,
    const std::vector<const ast::Expr*>& conditions) const {
    std::vector<std::string> requires_, trusts;
    Span whole = {};
    const auto add = [&](const ast::ExprPtr& stated, const std::vector<const ast::Expr*>& moved,
                         std::vector<std::string>& stays, std::vector<std::string>& goes) {
        const bool moves = std::find(moved.begin(), moved.end(), stated.get()) != moved.end();
        (moves ? goes : stays).push_back(context_.text(stated->span));
        whole = whole == Span{} ? stated->span : join(whole, stated->span);
    };
    for (const ast::ExprPtr& stated : context_.syntax.conditions)
        add(stated, beliefs, requires_, trusts);
    for (const ast::ExprPtr& stated : context_.syntax.beliefs)
        add(stated, conditions, trusts, requires_);
    const std::string before = context_.text({whole.file, 0, whole.begin});
    const std::string_view word = context_.syntax.conditions.empty() ? "trusts" : "requires";
    const std::size_t begin = before.rfind(word);
    if (begin == std::string::npos) return std::nullopt;
    whole.begin = static_cast<std::uint32_t>(begin);
    for (const ast::Comment& comment : context_.unit->file->comments) {
        if (comment.span.begin >= whole.begin && comment.span.end <= whole.end) return std::nullopt;
    }
    // Where the clause has a line of its own, the other one gets its own, too.
    const std::size_t line = before.find_last_of('\n', begin) + 1;
    const bool first = before.find_first_not_of(" \t", line) == begin;
    const std::string between = first ? "\n" + before.substr(line, begin - line) : " ";
    std::string made;
    if (!requires_.empty()) made += fmt::format("requires {}", fmt::join(requires_, ", "));
    if (!requires_.empty() && !trusts.empty()) made += between;
    if (!trusts.empty()) made += fmt::format("trusts {}", fmt::join(trusts, ", "));
    return std::pair(whole, made);
}

void Requirements::report_misplaced(const std::vector<const ast::Expr*>& beliefs,
                                    const std::vector<const ast::Expr*>& conditions) {
    bool fixed = false;
    const auto report = [&](const std::vector<const ast::Expr*>& moved, const auto& message,
                            std::string_view clause) {
        if (moved.empty()) return;
        std::vector<std::string> list;
        for (const ast::Expr* stated : moved) list.push_back(context_.text(stated->span));
        DiagnosticBuilder builder =
            context_.error(moved.front()->span, message, context_.quoted(moved.front()->span));
        for (const ast::Expr* stated : moved) {
            if (stated != moved.front()) builder.label(stated->span, "together with this");
        }
        builder.help("write `{} {}`", clause, fmt::join(list, ", "));
        const auto sorted = sorted_clauses(beliefs, conditions);
        if (sorted && !fixed) builder.fix(sorted->first, sorted->second);
        fixed = true;
    };
    report(beliefs, msg::required_cannot_be_checked, "trusts");
    report(conditions, msg::trusted_can_be_checked, "requires");
}

}  // namespace tkc::checker
