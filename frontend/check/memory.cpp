// Loads and stores. Slices are in views.cpp, pipelines in pipelines.cpp.
#include "frontend/check/memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/limits.h"
#include "frontend/check/names.h"
#include "frontend/check/tiles.h"
#include "frontend/check/types.h"
#include "frontend/check/views.h"
#include "ir/store_rules.h"

namespace tkc::checker {

namespace {

std::string extents_text(const std::vector<std::int64_t>& extents) {
    std::string list;
    for (const std::int64_t e : extents) list += (list.empty() ? "" : ", ") + std::to_string(e);
    return "[" + list + "]";
}

// A slice as the tile that it loads: one range is a row.
std::pair<std::int64_t, std::int64_t> tile_extents(const TensorPart& part) {
    if (part.extents.size() == 1) return {1, part.extents[0]};
    return {part.extents[0], part.extents[1]};
}

// Memory adds f32 and i32 alone.
std::string_view instead_of_adding_to(Dtype dtype) {
    if (dtype == Dtype::u32)
        return "add `i32(..)` to a tensor of i32: `u32(..)` of its sums, in a second kernel of an "
               "`entry`, is the sum of u32";
    if (bits_of(dtype) == 64)
        return "let one program compute the sum, with a loop, `sum` and `store`; or add to a "
               "tensor of f32 or i32, if that is wide enough";
    if (dtype == Dtype::boolean)
        return "add `where(c, 1, 0)` to a tensor of i32, and compare it with 0 in a second kernel "
               "of "
               "an `entry`";
    if (is_real(dtype))
        return "add to a tensor of f32, and round it in a second kernel of an `entry`";
    return "add `i32(..)` to a tensor of i32, and narrow it in a second kernel of an `entry`";
}

bool takes_foreign(const ast::Call& call) {
    return std::any_of(call.hints.begin(), call.hints.end(), [](const ast::Hint& hint) {
        return hint.kind == ast::HintKind::allow_foreign;
    });
}

// A position outside of its view names nothing: zeros are loaded there and nothing is stored, and
// no cell of a neighbor is reached.
void keep_within(TensorPart& part) {
    for (std::size_t i = 0; i < part.within.size(); ++i) {
        ir::Range& range = part.slice.ranges[i];
        if (part.within[i])
            range.base = ir::call(Function::where, {part.within[i], range.base, ir::integer(-1)});
    }
}

}  // namespace

std::optional<TensorPart> Memory::check_slice(const ast::Expr& expr, std::string_view operation) {
    const auto* index = std::get_if<ast::Index>(&expr.node);
    const Operand value =
        index != nullptr ? views_.check_part(*index, expr.span) : expressions_.check_value(expr);
    if (is_poison(value)) return std::nullopt;
    if (const auto* view = std::get_if<View>(&value); view != nullptr && index != nullptr) {
        views_.report_view_moved(*index, *view, expr.span);
        return std::nullopt;
    }
    const auto* part = std::get_if<TensorPart>(&value);
    if (part == nullptr) {
        DiagnosticBuilder message =
            context_.error(expr.span, msg::slice_expected, operation, describe(value));
        if (std::holds_alternative<TensorName>(value) || std::holds_alternative<View>(value)) {
            message.help("name the part: `{}[m, n]`", context_.text(expr.span));
        }
        return std::nullopt;
    }
    if (part->element && operation.starts_with("tma_")) {
        DiagnosticBuilder message = context_.error(expr.span, msg::slice_without_range, operation);
        if (operation == "tma_load")
            message.help("read a single element without it: `{}`", context_.text(expr.span));
        else message.help("`store` writes single elements; TMA moves at least 16 bytes");
        return std::nullopt;
    }
    for (const std::int64_t extent : part->extents) {
        if (extent <= tile_extent_limit) continue;
        DiagnosticBuilder message = context_.error(
            expr.span, msg::above_maximum, "the extent of a tile", tile_extent_limit, extent);
        Types::help_with_extent(message);
        return std::nullopt;
    }
    if (part->extents.size() <= 2) return *part;
    context_.not_yet(expr.span, NotYet::boxes,
                     "give all but two of the axes a single position: a grid variable without "
                     "`by`, `b in B`, or a loop over it");
    return std::nullopt;
}

std::optional<TensorPart> Memory::check_load_source(const ast::Call& call, Span span,
                                                    ir::Transfer* transfer) {
    const bool tma = called_operation(*call.callee) == Operation::tma_load;
    *transfer = tma ? ir::Transfer::tma : ir::Transfer::automatic;
    const std::string_view operation = tma ? "tma_load" : "load";
    if (!context_.check_arguments(call, operation, 1, span)) return std::nullopt;
    std::optional<TensorPart> part = check_slice(*call.args[0].value, operation);
    if (!part) return std::nullopt;
    if (!takes_foreign(call)) keep_within(*part);
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, part->slice.tensor);
    const bool readable = tensor.mode == ir::Mode::in || tensor.mode == ir::Mode::inout ||
                          tensor.mode == ir::Mode::scratch;
    if (readable) return part;
    DiagnosticBuilder message = context_.error(call.args[0].value->span, msg::read_of_output,
                                               tensor.name, mode_text(tensor.mode));
    message.label(tensor.span, "declared here");
    Tiles::help_with_reading(message, tensor);
    return std::nullopt;
}

Operand Memory::check_load(const ast::Call& call, Span span) {
    ir::Transfer transfer = ir::Transfer::automatic;
    const std::optional<TensorPart> part = check_load_source(call, span, &transfer);
    if (!part) return Poison{};
    return load_tile(*part, transfer, check_cache_hint(call), false);
}

ir::CacheHint Memory::check_cache_hint(const ast::Call& call) {
    ir::CacheHint cache = ir::CacheHint::none;
    const ast::Hint* first = nullptr;
    for (const ast::Hint& hint : call.hints) {
        if (!ast::is_cache_hint(hint)) continue;
        if (first != nullptr) {
            const bool twice = first->kind == hint.kind;
            const std::string other = context_.text(first->span);
            context_
                .error(hint.span, msg::misplaced_hint, context_.text(hint.span),
                       twice ? "is written twice" : fmt::format("contradicts `{}`", other))
                .label(first->span, "{}", twice ? "here too" : "which is here")
                .help("keep one of them");
            return cache;
        }
        first = &hint;
        cache = hint.kind == ast::HintKind::evict_first ? ir::CacheHint::evict_first
                                                        : ir::CacheHint::evict_last;
    }
    return cache;
}

Operand Memory::load_tile(const TensorPart& part, ir::Transfer transfer, ir::CacheHint cache,
                          bool upright) {
    auto [rows, cols] = tile_extents(part);
    if (upright) std::swap(rows, cols);
    const ir::Value result =
        builder_.new_value("", ir::TileType{part.dtype, rows, cols, ir::Space::registers});
    builder_.emit(ir::Load{result, part.slice, transfer, cache, false, part.places_in_view});
    axes_.add_origins(result, axes_.origins_of(part, upright));
    return tiles_.tile_of(result);
}

Operand Memory::check_store(Operation operation, const ast::Call& call, Span span) {
    const std::string_view written = name(operation);
    if (!context_.check_arguments(call, written, 2, span)) return Poison{};
    const ast::Expr& target = *call.args[0].value;
    const ast::Expr& source = *call.args[1].value;
    std::optional<TensorPart> part = check_slice(target, written);
    const Operand value = expressions_.check_value(source);
    if (!part || is_poison(value)) return Poison{};
    keep_within(*part);
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, part->slice.tensor);
    const bool tma = operation == Operation::tma_store;
    const std::string_view way = tma ? name(Operation::store) : written;
    const ir::StoreRules& rules = ir::rules_of_stores(tensor.mode);
    if (tensor.mode == ir::Mode::in || rules.operation != way) {
        const bool adds = way == name(Operation::reduce_add);
        DiagnosticBuilder message =
            context_.error(target.span, msg::write_of_input, tensor.name, mode_text(tensor.mode),
                           adds ? "added" : "stored");
        message.label(tensor.span, "declared here");
        if (tensor.mode == ir::Mode::in || adds)
            message.help("write `{} {}: ..` among the parameters", adds ? "accumulate" : "out",
                         tensor.name);
        else message.help("write `{}(.., ..)`", rules.operation);
        return Poison{};
    }
    if (!rules.takes(tensor.dtype)) {
        DiagnosticBuilder message =
            context_.error(target.span, msg::operand_kind, fmt::format("`{}`", written),
                           fmt::format("a tensor of {}", rules.types), tkc::name(tensor.dtype));
        if (tensor.mode == ir::Mode::accumulate)
            message.help("{}", instead_of_adding_to(tensor.dtype));
        return Poison{};
    }
    if (tma && ir::has_edge(part->slice)) {
        context_.error(target.span, msg::tma_store_through_view, tensor.name);
        return Poison{};
    }
    std::pair<std::int64_t, std::int64_t> wanted = tile_extents(*part);
    std::optional<Tile> tile;
    const Operand number = tiles_.as_number(value, source.span);
    if (is_poison(number)) return Poison{};
    if (is_scalar(number)) tile = Tile{wanted.first, wanted.second, scalar(number), {}};
    else tile = tiles_.as_tile(value, source.span, fmt::format("`{}`", written));
    if (!tile) return Poison{};
    const bool upright = part->extents.size() == 1 && tile->cols == 1;
    if (upright) std::swap(wanted.first, wanted.second);
    if (tile->rows != wanted.first || tile->cols != wanted.second) {
        DiagnosticBuilder message =
            context_.error(span, msg::store_shape, written, shape_text(tile->rows, tile->cols),
                           extents_text(part->extents));
        message.label(target.span, "{}", "the slice is " + extents_text(part->extents));
        message.label(source.span, "the value is {}",
                      tile_text(tile->cell->dtype, tile->rows, tile->cols));
        if (part->extents.size() == 2) {
            const std::size_t axis = tile->rows != wanted.first ? 0 : 1;
            message.note(
                "{}", shape_diagrams(
                          {shape_diagram("slice", tensor.dtype, wanted.first, wanted.second, axis),
                           shape_diagram("value", tile->cell->dtype, tile->rows, tile->cols, axis)},
                          axis == 0 ? "the rows" : "the columns"));
            const auto repeats = [](std::int64_t from, std::int64_t to) {
                return from == to || from == 1;
            };
            if (repeats(tile->rows, wanted.first) && repeats(tile->cols, wanted.second))
                message.help("write `let all: {} = {};`, which repeats it, and store `all`",
                             tile_text(tile->cell->dtype, wanted.first, wanted.second),
                             context_.text(source.span));
        } else if (part->extents.size() == 1 && tile->rows > 1 && tile->cols > 1) {
            message.help(
                "to get one cell per row, reduce the rows, as in `sum(x, axis = 1)`; column `i` is "
                "`sum(where(col_index(x) == i, x, 0), axis = 1)`");
        }
        return Poison{};
    }
    const ir::Scalar cell =
        tiles_.fitted(tile->cell, tensor.dtype, source.span, "`" + tensor.name + "`");
    if (!cell) return Poison{};
    const auto* shared = std::get_if<SharedTile>(&value);
    const bool direct =
        shared != nullptr && !shared->transposed && !shared->part && shared->dtype == tensor.dtype;
    if (tma && builder_.role->unit == ir::Unit::warp && !direct)
        return context_.not_yet(span, NotYet::bulk_stores_of_warps);
    const ir::Value from =
        direct ? shared->value
               : tiles_.materialize({tile->rows, tile->cols, cell, tile->inputs}, "");
    builder_.emit(ir::Store{part->slice, from, tma ? ir::Transfer::tma : ir::Transfer::automatic,
                            check_cache_hint(call), false, part->places_in_view});
    return Nothing{};
}

}  // namespace tkc::checker
