// Functions of whole tiles, and `pad`.
#include "frontend/check/tile_functions.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/tiles.h"
#include "tiles/tile_function.h"

namespace tkc::checker {

bool has_axis(const ast::Call& call) {
    return std::any_of(call.args.begin(), call.args.end(),
                       [](const ast::Arg& a) { return a.name && a.name->text == "axis"; });
}

std::optional<TileFunctions::AlongAxis> TileFunctions::check_along_axis(const ast::Call& call,
                                                                        std::string_view name,
                                                                        std::string_view further,
                                                                        std::string_view form,
                                                                        Span span) {
    AlongAxis made;
    const ast::Expr* axis = nullptr;
    const bool has_further = !further.empty();
    const std::string takes =
        has_further ? fmt::format("a tile, `axis` and `{}`", further) : "a tile and `axis`";
    for (const ast::Arg& arg : call.args) {
        const bool is_axis = arg.name && arg.name->text == "axis";
        const bool is_further = has_further && arg.name && arg.name->text == further;
        const ast::Expr** place = is_axis ? &axis : is_further ? &made.further : &made.argument;
        if (arg.name && !is_axis && !is_further) {
            context_.error(arg.name->span, msg::unknown_argument, name, arg.name->text);
            return std::nullopt;
        }
        if (arg.is_inout || *place != nullptr) {
            context_.error(arg.span, msg::argument_count, name, takes, call.args.size())
                .help("write `{}(x, {})`", name, form);
            return std::nullopt;
        }
        *place = arg.value.get();
    }
    if (made.argument == nullptr || (has_further && made.further == nullptr)) {
        context_.error(span, msg::argument_count, name, takes, call.args.size())
            .help("write `{}(x, {})`", name, form);
        return std::nullopt;
    }
    if (axis == nullptr) {
        context_.error(span, msg::axis_expected, name, "needs an axis")
            .help("write `{}({}, {})`: along each row", name, context_.text(made.argument->span),
                  form);
        return std::nullopt;
    }
    const Operand value = expressions_.check_value(*axis);
    if (is_poison(value)) return std::nullopt;
    std::int64_t number = -1;
    if (is_scalar(value)) ir::is_constant(scalar(value), &number);
    if (number != 0 && number != 1) {
        DiagnosticBuilder message =
            context_.error(axis->span, msg::axis_expected, name,
                           "needs axis 0 or 1 of a tile, found " + context_.quoted(axis->span));
        std::int64_t from_end = 0;
        const bool known = is_scalar(value) && ir::is_constant(scalar(value), &from_end);
        if (known && (from_end == -1 || from_end == -2))
            message.help("write `axis = {}`: axes are not counted from the end", from_end + 2);
        else
            message.help(
                "axis 1 reduces each row to one cell, axis 0 each column: axes of tiles, not of "
                "the tensors that they are loaded from");
        return std::nullopt;
    }
    made.axis = static_cast<int>(number);
    return made;
}

// What a `pad` along that axis with a number is of, for who writes another number there.
static const ast::Expr& before_pad(const ast::Expr& written, int axis) {
    const auto* call = std::get_if<ast::Call>(&written.node);
    const auto* name = call == nullptr ? nullptr : std::get_if<ast::NameRef>(&call->callee->node);
    if (name == nullptr || name->text != "pad") return written;
    const ast::Expr* argument = nullptr;
    bool same_axis = false;
    for (const ast::Arg& arg : call->args) {
        if (!arg.name) argument = arg.value.get();
        if (!arg.name || arg.name->text != "axis") continue;
        const auto* number = std::get_if<ast::IntLiteral>(&arg.value->node);
        same_axis = number != nullptr && number->value == static_cast<std::uint64_t>(axis);
    }
    return argument != nullptr && same_axis ? before_pad(*argument, axis) : written;
}

PaddingSite TileFunctions::padding_site(const ast::Expr& argument, int axis, Span span) const {
    PaddingSite site{span, context_.text(before_pad(argument, axis).span), axis, {}};
    for (const Inlining& inlined : context_.inlining)
        site.calls.push_back({inlined.call, inlined.function->name.text});
    site.outside = context_.argument_outside(argument.span);
    return site;
}

std::optional<std::int64_t> TileFunctions::check_number(TileFunction function,
                                                        const ast::Expr& expr) {
    const Operand value = expressions_.check_value(expr);
    if (is_poison(value)) return std::nullopt;
    std::int64_t number = 0;
    if (is_scalar(value) && ir::is_constant(scalar(value), &number)) return number;
    context_
        .error(expr.span, msg::operand_kind,
               fmt::format("`{}` of `{}`", info(function).number, name(function)), "a constant",
               context_.quoted(expr.span))
        .help(
            "a loop variable is not a constant: write the iterations out, or call a function with "
            "a `const` parameter for each of them");
    return std::nullopt;
}

Operand TileFunctions::check_call(TileFunction function, const ast::Call& call, Span span) {
    const std::string_view called = name(function);
    const std::string_view number = info(function).number;
    const std::string form = number.empty() ? "axis = 1" : fmt::format("axis = 1, {} = 0", number);
    const std::optional<AlongAxis> written = check_along_axis(call, called, number, form, span);
    if (!written) return Poison{};
    const ast::Expr& argument = *written->argument;
    const std::optional<Tile> tile = tiles_.as_tile(expressions_.check_value(argument),
                                                    argument.span, fmt::format("`{}`", called));
    if (!tile) return Poison{};
    ir::Apply apply;
    apply.function = function;
    apply.axis = written->axis;
    if (written->further != nullptr) {
        const std::optional<std::int64_t> value = check_number(function, *written->further);
        if (!value) return Poison{};
        apply.number = *value;
    }
    const ir::TileFunctionRules& rules = ir::rules_of(function);
    const auto type = rules.type(
        apply, ir::TileType{tile->cell->dtype, tile->rows, tile->cols, ir::Space::registers});
    if (const auto* problem = std::get_if<ir::TypeProblem>(&type)) {
        const ast::Expr& wrong = problem->of_number ? *written->further : argument;
        const std::string what = problem->of_number ? fmt::format("`{}` of `{}`", number, called)
                                                    : fmt::format("`{}`", called);
        DiagnosticBuilder message =
            context_.error(wrong.span, msg::operand_kind, what, problem->wanted, problem->found);
        if (!problem->help.empty())
            message.help("{}",
                         fmt::format(fmt::runtime(problem->help), context_.text(argument.span)));
        return Poison{};
    }
    if ((apply.axis == 0 ? tile->rows : tile->cols) == 1)
        return Tile{tile->rows, tile->cols, rules.of_one_cell(tile->cell), tile->inputs,
                    tile->origins};
    const bool turned = apply.axis == 0 && rules.goes_along_rows_only();
    if (turned) apply.axis = 1;
    const Tile source = turned ? tiles_.transposed(*tile) : *tile;
    auto made = std::get<ir::TileType>(type);
    if (turned) std::swap(made.rows, made.cols);
    apply.source = tiles_.materialize(source, "");
    apply.result = builder_.new_value("", made);
    const ir::Value result = apply.result;
    builder_.emit(std::move(apply));
    axes_.add_origins(result, {made.rows == source.rows ? source.origins.rows : Origin{},
                               made.cols == source.cols ? source.origins.cols : Origin{}});
    if (rules.neutral(source.cell->dtype))
        builder_.padding_sites.reductions[{builder_.role->name, result.id}] =
            padding_site(argument, written->axis, span);
    return turned ? tiles_.transposed(tiles_.tile_of(result)) : tiles_.tile_of(result);
}

Operand TileFunctions::check_fragments(TileFunction function, const ast::Call& call, Span span) {
    const std::string_view called = name(function);
    const bool back = function == TileFunction::from_fragments;
    if (!context_.check_arguments(call, called, back ? 2 : 1, span)) return Poison{};
    const ast::Expr& argument = *call.args[0].value;
    const std::optional<Tile> tile = tiles_.as_tile(expressions_.check_value(argument),
                                                    argument.span, fmt::format("`{}`", called));
    if (!tile) return Poison{};
    ir::Apply apply;
    apply.function = function;
    if (back) {
        const ast::Expr& columns = *call.args[1].value;
        const Operand value = expressions_.check_value(columns);
        if (is_poison(value)) return Poison{};
        if (!is_scalar(value) || !ir::is_constant(scalar(value), &apply.number)) {
            context_.error(columns.span, msg::operand_kind,
                           fmt::format("the columns of `{}`", called), "a constant",
                           context_.quoted(columns.span));
            return Poison{};
        }
    }
    const auto type = ir::rules_of(function).type(
        apply, ir::TileType{tile->cell->dtype, tile->rows, tile->cols, ir::Space::registers});
    if (const auto* problem = std::get_if<ir::TypeProblem>(&type)) {
        const std::string what =
            fmt::format("{}`{}`", problem->of_number ? "the columns of " : "", called);
        DiagnosticBuilder message =
            context_.error(problem->of_number ? call.args[1].value->span : argument.span,
                           msg::operand_kind, what, problem->wanted, problem->found);
        if (!problem->help.empty())
            message.help("{}",
                         fmt::format(fmt::runtime(problem->help), context_.text(argument.span)));
        return Poison{};
    }
    apply.source = tiles_.materialize(*tile, "");
    apply.result = builder_.new_value("", std::get<ir::TileType>(type));
    const ir::Value result = apply.result;
    builder_.emit(std::move(apply));
    return tiles_.tile_of(result);
}

// A choice of which one side is open: where the padding begins follows from the whole kernel
// (padding.h).
Operand TileFunctions::check_pad(const ast::Call& call, Span span) {
    const std::optional<AlongAxis> form =
        check_along_axis(call, "pad", "with", "with = -inf, axis = 1", span);
    if (!form) return Poison{};
    const std::vector<Operand> values =
        expressions_.check_in_order({form->argument, form->further});
    const std::optional<Tile> tile = tiles_.as_tile(values[0], form->argument->span, "`pad`");
    if (!tile || is_poison(values[1])) return Poison{};
    const Operand with = tiles_.as_number(values[1], form->further->span);
    if (is_poison(with)) return Poison{};
    const std::optional<Tile> there = tiles_.fitted_tile(
        with, {tile->cell->dtype, tile->rows, tile->cols}, form->further->span, "`with` of `pad`");
    if (!there) return Poison{};
    if ((form->axis == 0 ? tile->rows : tile->cols) == 1) return *tile;
    const std::string symbol = fmt::format("pad.{}", builder_.padding_sites.pads.size());
    PaddingSite& site = builder_.padding_sites.pads[symbol];
    site = padding_site(*form->argument, form->axis, span);
    site.with_tile = !there->inputs.empty();
    const ir::Scalar place = form->axis == 0 ? ir::row() : ir::column();
    std::vector<ir::Value> inputs;
    const ir::Scalar inside = renumbered(*tile, inputs);
    const ir::Scalar past = renumbered(*there, inputs);
    const ir::Scalar cell =
        ir::call(Function::where, {ir::less(place, ir::symbol(symbol)), inside, past});
    return Tile{tile->rows, tile->cols, cell, inputs, tile->origins};
}

}  // namespace tkc::checker
