// Elementwise arithmetic on numbers and tiles: one rule for dtypes, one for shapes, one operation.
#include "frontend/check/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/axes.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"
#include "frontend/check/tiles.h"

namespace tkc::checker {

namespace {

// Of a function of numbers that is called with tiles.
bool is_of_cells(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found || std::holds_alternative<ir::Element>(n.node);
    });
    return found;
}

// The IR compares numbers only: of two bools it chooses.
ir::Scalar meaning_of(Function function, const std::vector<ir::Scalar>& cells) {
    const bool equality = function == Function::eq || function == Function::ne;
    if (!equality || !is_boolean(cells[0]->dtype)) return ir::call(function, cells);
    const ir::Scalar other = ir::call(Function::logical_not, {cells[1]});
    const bool equal = function == Function::eq;
    return ir::call(Function::where,
                    {cells[0], equal ? cells[1] : other, equal ? other : cells[1]});
}

// Of two names of dtypes, whether they are the same.
std::optional<bool> same_dtypes(const std::vector<Operand>& operands) {
    if (operands.size() != 2) return std::nullopt;
    const auto* a = std::get_if<DtypeName>(&operands[0]);
    const auto* b = std::get_if<DtypeName>(&operands[1]);
    if (a == nullptr || b == nullptr) return std::nullopt;
    return a->dtype == b->dtype;
}

}  // namespace

// As `shape_diagrams` shows it: text short enough to be printed before its type.
Arithmetic::Arithmetic(Context& context, Numbers& numbers, Axes& axes, Tiles& tiles)
    : context_(context), numbers_(numbers), axes_(axes), tiles_(tiles) {}

std::string Arithmetic::operand_name(const Cells& cells, std::size_t operand) const {
    const std::string written = context_.operand_text(cells.spans, operand);
    const bool is_short =
        written != ".." && written.size() <= 24 && written.find('\n') == std::string::npos;
    return is_short ? written : "";
}

// A row where a column is meant shows in the extents, too.
void Arithmetic::help_with_column(DiagnosticBuilder& message, const Cells& cells,
                                  const Tile& tile) const {
    const bool second = tile.rows == 1 && tile.cols == cells.rows && cells.cols != 1;
    const bool first = cells.rows == 1 && cells.cols == tile.rows && tile.cols != 1;
    if (!second && !first) return;
    const std::string written =
        context_.operand_text(cells.spans, second ? cells.cells.size() : cells.widest);
    if (written == ".." || written.size() > 64 || written.starts_with("column(")) return;
    message.help("a slice with one range is a row: write `{}` for one value per row",
                 axes_.turned_text(written));
}

// Extents agree, or one of them is 1.
bool Arithmetic::broadcast(Cells& cells, std::string_view written, Span span, const Tile& tile) {
    const auto joined = [](std::int64_t a, std::int64_t b) {
        return a == 1 ? b : b == 1 || a == b ? a : 0;
    };
    const std::int64_t rows = joined(cells.rows, tile.rows);
    const std::int64_t cols = joined(cells.cols, tile.cols);
    if (rows == 0 || cols == 0) {
        DiagnosticBuilder message =
            context_.error(span, msg::shapes_differ, fmt::format("`{}`", written),
                           shape_text(cells.rows, cells.cols), shape_text(tile.rows, tile.cols));
        const std::int64_t left = rows == 0 ? cells.rows : cells.cols;
        const std::int64_t right = rows == 0 ? tile.rows : tile.cols;
        message.primary("the {} are {} and {}", rows == 0 ? "rows" : "columns", left, right);
        const std::size_t axis = rows == 0 ? 0 : 1;
        message.note("{}",
                     shape_diagrams({shape_diagram(operand_name(cells, cells.widest),
                                                   cells.cells[cells.widest]->dtype, cells.rows,
                                                   cells.cols, axis),
                                     shape_diagram(operand_name(cells, cells.cells.size()),
                                                   tile.cell->dtype, tile.rows, tile.cols, axis)},
                                    rows == 0 ? "the rows" : "the columns"));
        help_with_column(message, cells, tile);
        return false;
    }
    if (!cells.tile || tile.rows * tile.cols > cells.rows * cells.cols)
        cells.widest = cells.cells.size();
    cells.rows = rows;
    cells.cols = cols;
    cells.tile = true;
    return true;
}

std::optional<Cells> Arithmetic::to_cells(std::string_view written, Span span,
                                          const std::vector<Operand>& operands,
                                          std::vector<Span> spans) {
    Cells cells;
    cells.spans = std::move(spans);
    std::vector<Tile> tiles;
    std::vector<std::size_t> places;  // which operands those are
    for (const Operand& given : operands) {
        const Operand x = tiles_.as_number(given, span);
        if (is_poison(x)) return std::nullopt;
        if (is_scalar(x)) {
            cells.cells.push_back(scalar(x));
            continue;
        }
        const bool tile_like =
            std::holds_alternative<Tile>(x) || std::holds_alternative<SharedTile>(x);
        if (!tile_like) {
            const std::string operand = context_.operand_text(cells.spans, cells.cells.size());
            const auto* part = std::get_if<TensorPart>(&x);
            DiagnosticBuilder message =
                part != nullptr
                    ? context_.error(span, msg::slice_outside_operation, part->slice.tensor)
                    : context_.error(span, msg::operand_kind, fmt::format("`{}`", written),
                                     "scalars or tiles", describe(x));
            if (part != nullptr && axes_.means_column(*part, operands))
                message.help("write `column(load({}))`, one value per row", operand);
            else tiles_.help_with_value(message, x, operand);
            const auto* index = std::get_if<TileIndex>(&x);
            if (index != nullptr && (written == "+" || written == "-"))
                message.help("the range shifted by 1 is `{}.start + 1 +: {}`", operand,
                             index->width);
            return std::nullopt;
        }
        const std::optional<Tile> tile = tiles_.as_tile(x, span, written);
        if (!tile || !broadcast(cells, written, span, *tile)) return std::nullopt;
        tiles.push_back(*tile);
        places.push_back(cells.cells.size());
        cells.cells.push_back(renumbered(*tile, cells.inputs));
    }
    if (!axes_.check_axes(written, span, tiles, cells.spans, places)) return std::nullopt;
    cells.origins = Axes::joined_origins(tiles);
    return cells;
}

bool Arithmetic::unify_numbers(std::string_view written, Span span, Cells& operands,
                               std::size_t from) {
    std::vector<ir::Scalar>& cells = operands.cells;
    std::optional<Dtype> found;
    std::size_t first = from;  // the operand that `found` is from
    // A literal beyond f32. A formula of literals follows it to f64.
    const bool any_wide = std::any_of(cells.begin(), cells.end(), [](const ir::Scalar& s) {
        return s->dtype == Dtype::f64 && adapts(s);
    });
    for (std::size_t i = from; i < cells.size(); ++i) {
        const Dtype dtype = cells[i]->dtype;
        if (is_boolean(dtype)) {
            DiagnosticBuilder message = context_.error(
                span, msg::operand_kind, fmt::format("`{}`", written), "numbers", "a bool");
            if (written == "&" || written == "|" || written == "~")
                message.help("conditions are combined with `and`, `or` and `not`");
            else message.help("write `where({}, 1, 0)`", context_.operand_text(operands.spans, i));
            return false;
        }
        if (adapts(cells[i]) || (any_wide && is_written(cells[i]))) continue;
        const std::optional<Dtype> both = found ? common_dtype(*found, dtype) : dtype;
        if (!both) {
            const std::string_view hint = is_real(*found) || is_real(dtype) ? "f32" : "i32";
            DiagnosticBuilder message = context_.error(
                span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found), name(dtype));
            // Next to floats it is the integers that become floats.
            const std::size_t whole = is_integer(dtype) ? i : first;
            const std::string operand = context_.operand_text(operands.spans, whole);
            if (is_integer(*found) != is_integer(dtype) && operand != "..") {
                const bool wide = *found == Dtype::f64 || dtype == Dtype::f64;
                const std::string meant = fmt::format("{}({})", wide ? "f64" : "f32", operand);
                message.help("write `{}`", meant).fix(operands.spans[whole], meant);
            } else {
                message.help("convert one of them: `{}(..)`", hint);
            }
            return false;
        }
        if (!found || *both != *found) first = i;
        found = both;
    }
    // Only constants: infinities are f32, numbers as they are.
    for (std::size_t i = from; i < cells.size(); ++i) {
        if (adapts(cells[i]) && is_real(cells[i]->dtype) && (!found || is_integer(*found))) {
            if (found) {
                context_.error(span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found),
                               name(cells[i]->dtype));
                return false;
            }
            found = any_wide ? Dtype::f64 : Dtype::f32;
        }
    }
    // A literal is i32; any other dtype was written, or is that of what came out as a constant.
    if (!found) {
        for (std::size_t i = from; i < cells.size(); ++i) {
            const Dtype dtype = cells[i]->dtype;
            if (dtype == Dtype::i32) continue;
            const std::optional<Dtype> both = found ? common_dtype(*found, dtype) : dtype;
            if (!both) {
                context_
                    .error(span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found),
                           name(dtype))
                    .help("convert one of them: `i32(..)`");
                return false;
            }
            found = both;
        }
    }
    for (std::size_t i = from; found && i < cells.size(); ++i) {
        const bool known = is_real(cells[i]->dtype) && i < operands.spans.size();
        if (!tiles_.check_range(cells[i], *found, known ? operands.spans[i] : span)) return false;
        cells[i] = converted(cells[i], *found);
    }
    return true;
}

bool Arithmetic::to_reals(Function function, std::string_view written, Span span, Cells& cells) {
    const bool wide = std::any_of(cells.cells.begin(), cells.cells.end(),
                                  [](const ir::Scalar& s) { return s->dtype == Dtype::f64; });
    if (wide && !is_exact_in_f64(function)) {
        for (const ir::Scalar& cell : cells.cells)
            if (adapts(cell) && !tiles_.check_range(cell, Dtype::f32, span)) return false;
        context_.not_yet(span, NotYet::functions_of_doubles);
        return false;
    }
    for (std::size_t i = 0; i < cells.cells.size(); ++i) {
        ir::Scalar& cell = cells.cells[i];
        if (is_real(cell->dtype) || adapts(cell)) {
            cell = converted(cell, wide ? Dtype::f64 : Dtype::f32);
            continue;
        }
        DiagnosticBuilder message = context_.error(
            span, msg::operand_kind, fmt::format("`{}`", written), "floats", name(cell->dtype));
        const std::string operand = context_.operand_text(cells.spans, i);
        if (is_boolean(cell->dtype)) message.help("write `where({}, 1.0, 0.0)`", operand);
        else message.help("write `f32({})`", operand);
        return false;
    }
    return true;
}

bool Arithmetic::to_bools(std::string_view written, Span span, const std::vector<ir::Scalar>& cells,
                          const std::vector<Span>& spans) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (is_boolean(cells[i]->dtype)) continue;
        DiagnosticBuilder message = context_.error(
            span, msg::operand_kind, fmt::format("`{}`", written), "bools", name(cells[i]->dtype));
        message.help("compare it: `{} != 0`", context_.operand_text(spans, i));
        return false;
    }
    return true;
}

bool Arithmetic::unify(Function function, std::string_view written, Span span, Cells& cells) {
    std::vector<ir::Scalar>& list = cells.cells;
    const auto all_bools = [&](std::size_t from) {
        return std::all_of(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
                           [](const ir::Scalar& s) { return is_boolean(s->dtype); });
    };
    const bool equality = function == Function::eq || function == Function::ne;
    switch (info(function).kind) {
        case FunctionKind::real:
        case FunctionKind::pattern: return to_reals(function, written, span, cells);
        case FunctionKind::logic: return to_bools(written, span, list, cells.spans);
        case FunctionKind::select:
            return to_bools(written, span, {list.front()}, cells.spans) &&
                   (all_bools(1) || unify_numbers(written, span, cells, 1));
        case FunctionKind::compare:
            return (equality && all_bools(0)) || unify_numbers(written, span, cells, 0);
        case FunctionKind::arithmetic: return unify_numbers(written, span, cells, 0);
        case FunctionKind::integer:
        case FunctionKind::number:
        case FunctionKind::bits: break;
    }
    if (!unify_numbers(written, span, cells, 0)) return false;
    const Dtype dtype = list.front()->dtype;
    const FunctionKind kind = info(function).kind;
    const bool bits = kind == FunctionKind::bits;
    if (kind == FunctionKind::number ? dtype == Dtype::i32
        : bits                       ? dtype == Dtype::i32 || dtype == Dtype::u32
                                     : is_integer(dtype))
        return true;
    const char* const wanted = kind == FunctionKind::number ? "i32"
                               : bits                       ? "i32 or u32"
                                                            : "integers";
    DiagnosticBuilder message =
        context_.error(span, msg::operand_kind, fmt::format("`{}`", written), wanted, name(dtype));
    const std::string operand = context_.operand_text(cells.spans, 0);
    if (is_integer(dtype)) message.help("convert it: `i32({})`", operand);
    else message.help("`i32({})` is an integer, without the fractional part", operand);
    if (function == Function::mod && cells.spans.size() == 2)
        message.help("for floating-point values, write `{0} - floor({0} / {1}) * {1}`", operand,
                     context_.operand_text(cells.spans, 1));
    return false;
}

Operand Arithmetic::apply(Function function, std::string_view written, Span span,
                          const std::vector<Operand>& operands, std::vector<Span> spans) {
    if (const std::optional<bool> same = same_dtypes(operands);
        same && (function == Function::eq || function == Function::ne))
        return ir::boolean(*same == (function == Function::eq));
    std::optional<Cells> cells = to_cells(written, span, operands, std::move(spans));
    if (!cells || !unify(function, written, span, *cells)) return Poison{};
    const bool divides =
        function == Function::div || function == Function::mod || function == Function::ceil_div;
    if (divides && is_integer(cells->cells[0]->dtype)) {
        std::int64_t divisor = 1;
        if (!ir::is_constant(cells->cells[1], &divisor)) {
            if (!cells->tile && !is_of_cells(cells->cells[1]))
                numbers_.divide_by(cells->cells[1], span);
        } else if (divisor < 1) {
            context_.error(span, msg::division_by_constant, divisor);
            return Poison{};
        }
        const bool exact = function == Function::div && written != "//";
        if (exact && !check_exact(cells->cells[0], cells->cells[1], span, cells->spans))
            return Poison{};
    }
    if (written == "//" && !is_integer(cells->cells[0]->dtype)) {
        report_floor_of_reals(cells->cells[0]->dtype, span, cells->spans);
        return Poison{};
    }
    ir::Scalar cell = meaning_of(function, cells->cells);
    if (!tiles_.check_range(cell, cell->dtype, span)) return Poison{};
    if (!cells->tile) return cell;
    return Tile{cells->rows, cells->cols, std::move(cell), std::move(cells->inputs),
                std::move(cells->origins)};
}

Operand Arithmetic::apply_cells(std::string_view name, Span span,
                                const std::vector<Operand>& operands,
                                const std::vector<Span>& spans,
                                const std::vector<const ast::FnParam*>& params,
                                const std::vector<Dtype>& types,
                                FunctionRef<ir::Scalar(const std::vector<ir::Scalar>&)> meaning) {
    std::optional<Cells> cells = to_cells(name, span, operands, spans);
    if (!cells) return Poison{};
    for (std::size_t i = 0; i < types.size(); ++i) {
        cells->cells[i] =
            tiles_.fitted(cells->cells[i], types[i], spans[i],
                          fmt::format("parameter `{}` of `{}`", params[i]->name.text, name));
        if (!cells->cells[i]) return Poison{};
    }
    ir::Scalar cell = meaning(cells->cells);
    if (!cell) return Poison{};
    if (!cells->tile) return cell;
    return Tile{cells->rows, cells->cols, std::move(cell), std::move(cells->inputs),
                std::move(cells->origins)};
}

Operand Arithmetic::convert(Dtype dtype, const Operand& given, Span span, Span argument) {
    const Operand x = tiles_.as_number(given, argument);
    if (is_poison(x)) return x;
    const std::string written = fmt::format("`{}`", name(dtype));
    const std::optional<Dtype> from = dtype_of(x);
    if (!from || (is_boolean(dtype) && !is_boolean(*from))) {
        DiagnosticBuilder message =
            context_.error(span, msg::operand_kind, written, "a scalar or a tile", describe(x));
        if (from) message.help("compare it: `{} != 0`", context_.text(argument));
        else tiles_.help_with_value(message, x, context_.text(argument));
        return Poison{};
    }
    if (is_scalar(x)) {
        return tiles_.check_range(scalar(x), dtype, span) ? Operand(converted(scalar(x), dtype))
                                                          : Poison{};
    }
    std::optional<Tile> tile = tiles_.as_tile(x, span, written);
    if (!tile || !tiles_.check_range(tile->cell, dtype, span)) return Poison{};
    tile->cell = converted(tile->cell, dtype);
    return *tile;
}

}  // namespace tkc::checker
