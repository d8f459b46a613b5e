// Slices of tiles, `x[:, 64 +: 64]`: with constant bounds, since a tile has constant extents and
// each of its cells a place that is known.
#include "frontend/check/tile_slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/tiles.h"
#include "ir/swizzle.h"

namespace tkc::checker {

namespace {

constexpr const char* axis_names[] = {"row", "column"};

}  // namespace

Operand TileSlices::slice_of(const ast::Index& index, const Operand& base, Span span) {
    if (index.subscripts.size() != 2) {
        DiagnosticBuilder message = context_.error(
            span, msg::tile_slice, describe(base),
            fmt::format("it has 2 axes, found {} subscript{}", index.subscripts.size(),
                        index.subscripts.size() == 1 ? "" : "s"));
        const std::string written = context_.text(index.base->span);
        const auto* mask = std::get_if<ast::Position>(&index.subscripts[0].node);
        const std::optional<Dtype> dtype =
            mask == nullptr ? std::nullopt : dtype_of(expressions_.check_value(*mask->value));
        if (dtype && is_boolean(*dtype))
            message.help("to select cells, write `where({}, {}, 0)`",
                         context_.text(mask->value->span), written);
        else message.help("`:` selects all of an axis: `{}[:, 0 +: 8]`", written);
        return Poison{};
    }
    const std::optional<Cut> rows = check_subscript(index.subscripts[0], base, 0);
    const std::optional<Cut> cols = check_subscript(index.subscripts[1], base, 1);
    if (!rows || !cols) return Poison{};
    if (const auto* tile = std::get_if<Tile>(&base)) {
        const Tile some = tiles_.sliced(*tile, 0, rows->first, rows->length);
        return tiles_.sliced(some, 1, cols->first, cols->length);
    }
    SharedTile made = std::get<SharedTile>(base);
    made.part = made.part || rows->length != made.rows || cols->length != made.cols;
    made.rows = rows->length;
    made.cols = cols->length;
    made.first_row += (made.transposed ? cols : rows)->first;
    made.first_col += (made.transposed ? rows : cols)->first;
    return made;
}

std::optional<std::int64_t> TileSlices::check_constant(const ast::Expr& expr, std::string_view what,
                                                       std::int64_t least) {
    const Operand value = expressions_.check_value(expr);
    if (is_poison(value)) return std::nullopt;
    if (!is_scalar(value) || !is_integer(scalar(value)->dtype)) {
        DiagnosticBuilder message =
            context_.error(expr.span, msg::operand_kind, what, "an integer", describe(value));
        const auto* tile = std::get_if<Tile>(&value);
        if (tile != nullptr && tile->cols == 1)
            message.help(
                "to get one cell per row of `x`, write `sum(where(col_index(x) == {}, x, 0), axis "
                "= 1)`",
                context_.text(expr.span));
        return std::nullopt;
    }
    std::int64_t found = 0;
    if (!ir::is_constant(scalar(value), &found)) {
        context_.error(expr.span, msg::not_constant, what)
            .help(
                "to get the cells of column `i`, write `sum(where(col_index(x) == i, x, 0), axis = "
                "1)`; for a single row this is the cell itself")
            .help(
                "for parts indexed by a loop, write them out, or call a function with a `const` "
                "parameter for each of them");
        return std::nullopt;
    }
    if (found >= least) return found;
    context_.error(expr.span, msg::positive_number, what, least, found);
    return std::nullopt;
}

// One row. A column would have to become a row, as of a tensor.
std::optional<TileSlices::Cut> TileSlices::check_position(const ast::Position& position,
                                                          const ast::Subscript& sub,
                                                          const Operand& base, int axis) {
    const auto first = check_constant(*position.value, "a position in a tile", 0);
    if (!first) return std::nullopt;
    if (axis == 0) return Cut{*first, 1};
    context_
        .error(sub.span, msg::tile_slice, describe(base),
               "one column would be a row, since a single position drops its axis")
        .help("write `{} +: 1`: a column of one cell per row", context_.text(sub.span));
    return std::nullopt;
}

std::optional<TileSlices::Cut> TileSlices::check_subscript(const ast::Subscript& sub,
                                                           const Operand& base, int axis) {
    const std::int64_t extent = extents_of(base)[static_cast<std::size_t>(axis)];
    if (std::holds_alternative<ast::WholeAxis>(sub.node)) return Cut{0, extent};
    std::optional<Cut> cut;
    if (const auto* position = std::get_if<ast::Position>(&sub.node)) {
        cut = check_position(*position, sub, base, axis);
    } else if (const auto* slice = std::get_if<ast::Slice>(&sub.node)) {
        const auto first = check_constant(*slice->base, "the start of a slice of a tile", 0);
        const auto length = check_constant(*slice->length, "the length of a slice of a tile", 1);
        if (first && length) cut = Cut{*first, *length};
    } else {
        context_.error(sub.span, msg::operand_kind, "a slice of a tile", "`base +: length`",
                       context_.quoted(sub.span));
    }
    if (!cut || (cut->first < extent && cut->length <= extent - cut->first)) return cut;
    context_
        .error(
            sub.span, msg::tile_slice, describe(base),
            fmt::format("{} {} is out of bounds", axis_names[axis], std::max(cut->first, extent)))
        .note("its {}s are 0 to {}", axis_names[axis], extent - 1);
    return std::nullopt;
}

bool TileSlices::check_operand(const SharedTile& tile, char which, Span span) {
    if (!tile.part) return true;
    const ir::TileType& whole = builder_.role->tile(tile.value);
    const bool by_warps = builder_.role->unit == ir::Unit::warp;
    const std::int64_t unit = 16 / bytes(whole.dtype);  // ldmatrix takes 16 bytes of a row
    const std::int64_t row_bytes = whole.cols * bytes(whole.dtype);
    std::string wanted;
    if (row_bytes % (by_warps ? 16 : 32) != 0 || (!by_warps && whole.rows % 8 != 0)) {
        wanted = fmt::format("a part of {}, which is not swizzled",
                             tile_text(whole.dtype, whole.rows, whole.cols));
    } else if (by_warps) {
        if (tile.first_col % unit != 0)
            wanted = fmt::format("a part whose columns begin at a multiple of {}", unit);
    } else {
        const std::int64_t panel = ir::panel_columns(whole);
        const std::int64_t cols = tile.transposed ? tile.rows : tile.cols;
        // Whether rows run along the extent that both operands share.
        const bool k_major = tile.transposed == (which == 'b');
        const bool within = std::has_single_bit(static_cast<std::uint64_t>(cols)) &&
                            cols <= panel && tile.first_col % cols == 0;
        const std::int64_t step = k_major ? 2 * unit : panel;
        if (tile.first_row % 8 != 0) wanted = "a part whose rows begin at a multiple of 8";
        else if (tile.first_col % step != 0 && (k_major || !within))
            wanted = fmt::format("a part whose columns begin at a multiple of {}", step);
    }
    if (wanted.empty()) return true;
    std::string written = context_.text(span);
    const bool turned = tile.transposed && written.ends_with(".T");
    if (turned) written = written.substr(0, written.size() - 2);
    context_
        .error(span, msg::tile_slice_operand, which, tile.first_row, tile.first_col,
               tile_text(whole.dtype, whole.rows, whole.cols))
        .note("a product reads {} in place", wanted)
        .help("copy it: `shared({}){}`", written, turned ? ".T" : "");
    return false;
}

}  // namespace tkc::checker
