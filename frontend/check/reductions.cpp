// What goes along an axis of a tile: reductions and `pad`.
#include "frontend/check/reductions.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/tiles.h"

namespace tkc::checker {

namespace {

std::optional<ir::Reduction> reduction_called(std::string_view name) {
    if (name == "sum") return ir::Reduction::sum;
    if (name == "max") return ir::Reduction::max;
    if (name == "min") return ir::Reduction::min;
    return std::nullopt;
}

}  // namespace

bool has_axis(const ast::Call& call) {
    return std::any_of(call.args.begin(), call.args.end(),
                       [](const ast::Arg& a) { return a.name && a.name->text == "axis"; });
}

// `x, axis = 1`, and for `pad` also `with = v`: the axis, and the value of `with`.
std::optional<Reductions::AlongAxis> Reductions::check_along_axis(const ast::Call& call,
                                                                  std::string_view name,
                                                                  bool has_with, Span span) {
    AlongAxis made;
    const ast::Expr* axis = nullptr;
    const char* const form = has_with ? "with = -inf, axis = 1" : "axis = 1";
    for (const ast::Arg& arg : call.args) {
        const bool is_axis = arg.name && arg.name->text == "axis";
        const bool is_with = has_with && arg.name && arg.name->text == "with";
        const ast::Expr** place = is_axis ? &axis : is_with ? &made.with : &made.argument;
        if (arg.name && !is_axis && !is_with) {
            context_.error(arg.name->span, msg::unknown_argument, name, arg.name->text);
            return std::nullopt;
        }
        if (arg.is_inout || *place != nullptr) {
            context_
                .error(arg.span, msg::argument_count, name,
                       has_with ? "a tile, `axis` and `with`" : "a tile and `axis`",
                       call.args.size())
                .help("write `{}(x, {})`", name, form);
            return std::nullopt;
        }
        *place = arg.value.get();
    }
    if (made.argument == nullptr || (has_with && made.with == nullptr)) {
        context_
            .error(span, msg::argument_count, name,
                   has_with ? "a tile, `axis` and `with`" : "a tile and `axis`", call.args.size())
            .help("write `{}(x, {})`", name, form);
        return std::nullopt;
    }
    if (axis == nullptr) {
        context_
            .error(span, msg::axis_expected, name,
                   "does not say along which axis of the tile it goes")
            .help("write `{}({}, {})`: a column of one number for each row", name,
                  context_.text(made.argument->span), form);
        return std::nullopt;
    }
    const Operand value = expressions_.check_value(*axis);
    if (is_poison(value)) return std::nullopt;
    std::int64_t number = -1;
    if (is_scalar(value)) ir::is_constant(scalar(value), &number);
    if (number != 0 && number != 1) {
        context_.error(axis->span, msg::axis_expected, name,
                       "goes along axis 0 or 1 of a tile, found " + context_.quoted(axis->span));
        return std::nullopt;
    }
    made.axis = static_cast<int>(number);
    return made;
}

PaddingSite Reductions::padding_site(const ast::Expr& argument, int axis, Span span) const {
    PaddingSite site{span, context_.text(argument.span), axis, {}};
    for (const Inlining& inlined : context_.inlining)
        site.calls.push_back({inlined.call, inlined.function->name.text});
    return site;
}

bool Reductions::is_summed(const Tile& tile, std::string_view name, Span span) {
    const Dtype dtype = tile.cell->dtype;
    if (dtype == Dtype::f32 || dtype == Dtype::i32) return true;
    context_
        .error(span, msg::operand_kind, fmt::format("`{}`", name), "cells of f32 or i32",
               tkc::name(dtype))
        .help("write `{}({})`", is_real(dtype) ? "f32" : "i32", context_.text(span));
    return false;
}

Operand Reductions::check_reduction(std::string_view name, const ast::Call& call, Span span) {
    const std::optional<AlongAxis> form = check_along_axis(call, name, false, span);
    if (!form) return Poison{};
    const Operand value = expressions_.check_value(*form->argument);
    const std::optional<Tile> tile =
        tiles_.as_tile(value, form->argument->span, fmt::format("`{}`", name));
    if (!tile) return Poison{};
    if (!is_summed(*tile, name, form->argument->span)) return Poison{};
    const Dtype dtype = tile->cell->dtype;
    const std::int64_t extent = form->axis == 0 ? tile->rows : tile->cols;
    if (extent == 1) return *tile;
    const ir::Value source = tiles_.materialize(*tile, "");
    const ir::Value result = builder_.new_value(
        "", ir::TileType{dtype, form->axis == 0 ? 1 : tile->rows, form->axis == 0 ? tile->cols : 1,
                         ir::Space::registers});
    builder_.emit(ir::Reduce{result, source, *reduction_called(name), form->axis});
    axes_.add_origins(result, form->axis == 0 ? Origins{{}, tile->origins.cols}
                                              : Origins{tile->origins.rows, {}});
    builder_.padding_sites.reductions[{builder_.role->name, result.id}] =
        padding_site(*form->argument, form->axis, span);
    return tiles_.tile_of(result);
}

Operand Reductions::check_scan(const ast::Call& call, Span span) {
    const std::optional<AlongAxis> form = check_along_axis(call, "cumsum", false, span);
    if (!form) return Poison{};
    const std::optional<Tile> tile =
        tiles_.as_tile(expressions_.check_value(*form->argument), form->argument->span, "`cumsum`");
    if (!tile || !is_summed(*tile, "cumsum", form->argument->span)) return Poison{};
    if ((form->axis == 0 ? tile->rows : tile->cols) == 1) return *tile;
    // Along columns: the rows of the transpose.
    const Tile along_rows = form->axis == 0 ? tiles_.transposed(*tile) : *tile;
    const ir::Value source = tiles_.materialize(along_rows, "");
    const ir::Value result =
        builder_.new_value("", ir::TileType{along_rows.cell->dtype, along_rows.rows,
                                            along_rows.cols, ir::Space::registers});
    builder_.emit(ir::Scan{result, source});
    axes_.add_origins(result, along_rows.origins);
    return form->axis == 0 ? tiles_.transposed(tiles_.tile_of(result)) : tiles_.tile_of(result);
}

Operand Reductions::check_swap(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "swap_pairs", 1, span)) return Poison{};
    const ast::ExprPtr& argument = call.args[0].value;
    const Operand value = expressions_.check_value(*argument);
    const std::optional<Tile> tile = tiles_.as_tile(value, argument->span, "`swap_pairs`");
    if (!tile) return Poison{};
    if (tile->cols % 2 != 0) {
        context_.error(argument->span, msg::operand_kind, "`swap_pairs`",
                       "a tile with an even number of columns", describe(value));
        return Poison{};
    }
    const ir::Value source = tiles_.materialize(*tile, "");
    const ir::Value result = builder_.new_value(
        "", ir::TileType{tile->cell->dtype, tile->rows, tile->cols, ir::Space::registers});
    builder_.emit(ir::SwapPairs{result, source});
    axes_.add_origins(result, tile->origins);
    return tiles_.tile_of(result);
}

// A choice of which one side is open: where the padding begins follows from the whole kernel
// (padding.h).
Operand Reductions::check_pad(const ast::Call& call, Span span) {
    const std::optional<AlongAxis> form = check_along_axis(call, "pad", true, span);
    if (!form) return Poison{};
    const std::vector<Operand> values = expressions_.check_in_order({form->argument, form->with});
    const std::optional<Tile> tile = tiles_.as_tile(values[0], form->argument->span, "`pad`");
    if (!tile || is_poison(values[1])) return Poison{};
    if (!is_scalar(values[1])) {
        context_.error(form->with->span, msg::operand_kind, "`with` of `pad`", "a number",
                       describe(values[1]));
        return Poison{};
    }
    const ir::Scalar with =
        tiles_.fitted(scalar(values[1]), tile->cell->dtype, form->with->span, "`with` of `pad`");
    if (!with) return Poison{};
    if ((form->axis == 0 ? tile->rows : tile->cols) == 1) return *tile;
    const std::string symbol = fmt::format("pad.{}", builder_.padding_sites.pads.size());
    builder_.padding_sites.pads[symbol] = padding_site(*form->argument, form->axis, span);
    const ir::Scalar place = form->axis == 0 ? ir::row() : ir::column();
    const ir::Scalar cell =
        ir::call(Function::where, {ir::less(place, ir::symbol(symbol)), tile->cell, with});
    return Tile{tile->rows, tile->cols, cell, tile->inputs, tile->origins};
}

}  // namespace tkc::checker
