// `print`, `assert` and `assume`.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/numbers.h"
#include "frontend/check/requirements.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"

namespace tkc::checker {

namespace {

const std::string* literal_of(const ast::Expr& expr) {
    const auto* literal = std::get_if<ast::StringLiteral>(&expr.node);
    return literal == nullptr ? nullptr : &literal->value;
}

std::size_t count_holes(const std::string& text) {
    std::size_t holes = 0;
    for (std::size_t at = text.find("{}"); at != std::string::npos; at = text.find("{}", at + 2)) {
        ++holes;
    }
    return holes;
}

}  // namespace

Operand Calls::check_print(const ast::Call& call, Span span) {
    const std::string* text = call.args.empty() ? nullptr : literal_of(*call.args[0].value);
    if (text == nullptr) {
        const Span place = call.args.empty() ? span : call.args[0].value->span;
        context_.error(place, msg::report_form, "print", "must begin with its text")
            .help("write `print(\"x is {}\", x);`");
        return Poison{};
    }
    if (!context_.check_arguments(call, "print", call.args.size(), span))
        return Poison{};  // no names
    ir::Print made{*text, {}};
    for (std::size_t i = 1; i < call.args.size(); ++i) {
        const ast::Expr& argument = *call.args[i].value;
        const Operand value = expressions_.check_value(argument);
        if (is_poison(value)) return Poison{};
        if (!is_scalar(value)) {
            DiagnosticBuilder message =
                context_.error(argument.span, msg::operand_kind, "a value of `print`", "a scalar",
                               describe(value));
            if (std::holds_alternative<TileIndex>(value)) {
                message.help("write `{}.start`", context_.text(argument.span));
            } else {
                message.help("`assert(condition)` checks all cells of a tile");
            }
            return Poison{};
        }
        made.values.push_back(scalar(value));
    }
    constexpr std::size_t most = 8;  // that a record of the runtime holds
    if (made.values.size() > most) {
        context_
            .error(span, msg::above_maximum, "the number of values of `print`", most,
                   made.values.size())
            .help("write two `print`s");
        return Poison{};
    }
    const std::size_t holes = count_holes(*text);
    if (holes != made.values.size()) {
        context_.error(call.args[0].value->span, msg::report_form, "print",
                       fmt::format("has {} `{{}}` for {} value{}", holes, made.values.size(),
                                   made.values.size() == 1 ? "" : "s"));
        return Poison{};
    }
    builder_.emit(std::move(made));
    return Nothing{};
}

Operand Calls::check_assert(const ast::Call& call, Span span) {
    const std::size_t count = call.args.size() == 2 ? 2 : 1;
    if (call.args.size() > 2) {
        context_.error(span, msg::argument_count, "assert", "1 or 2 arguments", call.args.size())
            .help("write `assert(condition, \"text\")`");
        return Poison{};
    }
    if (!context_.check_arguments(call, "assert", count, span)) return Poison{};
    const ast::Expr& argument = *call.args[0].value;
    std::string said = context_.text(argument.span);
    if (count == 2) {
        const std::string* given = literal_of(*call.args[1].value);
        if (given == nullptr) {
            context_.error(call.args[1].value->span, msg::report_form, "assert",
                           "must end with its text");
            return Poison{};
        }
        said += ": " + *given;
    }
    const Operand value = expressions_.check_value(argument);
    if (is_poison(value)) return Poison{};
    const std::optional<Dtype> dtype = dtype_of(value);
    if (!dtype || !is_boolean(*dtype)) {
        context_.error(argument.span, msg::operand_kind, "a condition", "a bool, or a tile of them",
                       describe(value));
        return Poison{};
    }
    if (is_scalar(value)) {
        builder_.emit(ir::Assert{scalar(value), {}, said});
        return Nothing{};
    }
    const std::optional<Tile> tile = tiles_.as_tile(value, argument.span, "`assert`");
    if (!tile) return Poison{};
    const ir::Scalar flag = ir::call(Function::where, {tile->cell, ir::integer(1), ir::integer(0)});
    const ir::Value flags = tiles_.materialize({tile->rows, tile->cols, flag, tile->inputs}, "");
    builder_.emit(ir::Assert{nullptr, flags, said});
    return Nothing{};
}

// What the launch knows is a condition of it, like `requires`; the rest is checked where it is.
Operand Calls::check_assume(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "assume", 1, span)) return Poison{};
    const Span place = call.args[0].value->span;
    const ir::Scalar holds = types_.check_condition(*call.args[0].value);
    if (!holds) return Poison{};
    const ir::Scalar known = numbers_.without_lets(holds);
    std::int64_t value = 0;
    if (ir::is_constant(known, &value)) {
        if (value == 0) context_.error(place, msg::requirement_fails, context_.quoted(place));
    } else if (numbers_.is_known_at_launch(known)) {
        ir::Condition made;
        made.holds = known;
        made.text = "`" + context_.syntax.name.text + "` assumes `" + context_.text(place) + "`";
        made.span = place;
        builder_.kernel.conditions.push_back(std::move(made));
    } else {
        builder_.emit(ir::Assert{holds, {}, context_.text(place)});
        requirements_.trust(place);
    }
    return Nothing{};
}

}  // namespace tkc::checker
