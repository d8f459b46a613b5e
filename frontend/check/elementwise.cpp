// Elementwise arithmetic on numbers and tiles: one rule for dtypes, one for shapes, one operation.
#include <fmt/format.h>

#include <algorithm>

#include "base/overloaded.h"
#include "frontend/check/kernel_checker.h"

namespace tkc::checker {

namespace {

// The cell of `tile` with its inputs numbered as in `inputs`, which takes those it lacks.
ir::Scalar renumbered(const Tile& tile, std::vector<ir::Value>& inputs) {
    std::vector<std::int64_t> places;
    bool same = true;
    for (std::size_t i = 0; i < tile.inputs.size(); ++i) {
        const auto found = std::find(inputs.begin(), inputs.end(), tile.inputs[i]);
        places.push_back(found - inputs.begin());
        if (found == inputs.end()) inputs.push_back(tile.inputs[i]);
        same = same && places.back() == static_cast<std::int64_t>(i);
    }
    if (same) return tile.cell;
    return ir::rewrite(tile.cell, [&](const ir::Scalar& s) -> ir::Scalar {
        const auto* element = std::get_if<ir::Element>(&s->node);
        if (element == nullptr) return nullptr;
        return ir::element(places[static_cast<std::size_t>(element->input)], s->dtype);
    });
}

// What numbers of two dtypes become when they meet: nothing narrows.
std::optional<Dtype> common(Dtype a, Dtype b) {
    if (a == b) return a;
    const bool reals = is_real(a) && is_real(b);
    if (reals && (a == Dtype::f32 || b == Dtype::f32)) return Dtype::f32;
    if (info(a).kind == info(b).kind && is_integer(a)) return info(a).bits > info(b).bits ? a : b;
    return std::nullopt;
}

bool widens(Dtype from, Dtype to) { return from == to || common(from, to) == to; }

}  // namespace

Tile KernelChecker::tile_of(ir::Value value) const {
    const ir::TileType& type = role_->tile(value);
    return {type.rows, type.cols, ir::element(0, type.dtype), {value}, origins_of(value)};
}

std::optional<ir::Value> KernelChecker::plain(const Tile& tile) const {
    const bool one =
        tile.inputs.size() == 1 && std::holds_alternative<ir::Element>(tile.cell->node);
    if (!one) return std::nullopt;
    const ir::TileType& type = role_->tile(tile.inputs.front());
    const bool whole =
        type.rows == tile.rows && type.cols == tile.cols && type.space == ir::Space::registers;
    return whole ? std::optional(tile.inputs.front()) : std::nullopt;
}

void KernelChecker::compute(ir::Value result, const Tile& tile) {
    add_origins(result, tile.origins);
    bool places = false;
    ir::visit_nodes(tile.cell, [&](const ir::ScalarNode& n) {
        places = places || std::holds_alternative<ir::Row>(n.node) ||
                 std::holds_alternative<ir::Column>(n.node);
    });
    const std::optional<ir::Value> same = plain(tile);
    const ir::TileType& type = role_->tile(result);
    if (same && type.rows == tile.rows && type.cols == tile.cols) {
        if (*same != result) emit(ir::Copy{result, *same});
    } else if (tile.inputs.empty() && !places) {
        emit(ir::Splat{result, tile.cell});
    } else {
        emit(ir::Map{result, tile.inputs, tile.cell});
    }
}

ir::Value KernelChecker::materialize(const Tile& tile, const std::string& name) {
    if (const std::optional<ir::Value> same = plain(tile); same && name.empty()) return *same;
    const ir::Value made =
        new_value(name, ir::TileType{tile.cell->dtype, tile.rows, tile.cols, ir::Space::registers});
    compute(made, tile);
    return made;
}

Tile KernelChecker::transposed(const Tile& tile) {
    const ir::Value source = materialize(tile, "");
    const ir::Value result =
        new_value("", ir::TileType{tile.cell->dtype, tile.cols, tile.rows, ir::Space::registers});
    emit(ir::Transpose{result, source});
    add_origins(result, {tile.origins.cols, tile.origins.rows});
    return tile_of(result);
}

std::optional<Tile> KernelChecker::as_tile(const Operand& x, Span span, std::string_view what) {
    if (const auto* tile = std::get_if<Tile>(&x)) {
        Tile made = *tile;
        // Of a variable, what was assigned meanwhile.
        if (const std::optional<ir::Value> same = plain(made)) made.origins = origins_of(*same);
        return made;
    }
    if (const auto* shared = std::get_if<SharedTile>(&x)) {
        if (!shared->transposed) return tile_of(shared->value);
        if (role_->unit == ir::Unit::warp) return transposed(tile_of(shared->value));
        not_yet(span, NotYet::transposed_values);
        return std::nullopt;
    }
    if (is_poison(x)) return std::nullopt;
    DiagnosticBuilder message = error(span, msg::operand_kind, what, "a tile", describe(x));
    help_with_value(message, x, text(span));
    return std::nullopt;
}

// What is no value, and what of it is one.
void KernelChecker::help_with_value(DiagnosticBuilder& message, const Operand& x,
                                    const std::string& written) const {
    if (const auto* index = std::get_if<TileIndex>(&x)) {
        if (index->aligned)
            message.help("its first element is `{}.start`, its number `{}.index`", written,
                         written);
        else message.help("its first element is `{}.start`", written);
    } else if (std::holds_alternative<TensorPart>(x)) {
        message.help("write `load({})`", written);
    } else if (std::holds_alternative<TensorName>(x) || std::holds_alternative<View>(x)) {
        message.help("write `load({}[..])`, with the part to take between the brackets", written);
    } else if (const auto* record = std::get_if<Record>(&x)) {
        const ir::Pipeline* pipeline = ir::find_pipeline(kernel_, record->pipeline);
        if (pipeline == nullptr || pipeline->fields_.empty()) return;
        const std::string& field = pipeline->fields_.front().name;
        if (written.starts_with("consume "))
            message.help("name the field: `{} as s {{ .. }}`, and `s.{}` inside", written, field);
        else message.help("name the field: `{}.{}`", written, field);
    }
}

// `..` where operands are not known one by one.
std::string KernelChecker::operand_text(const std::vector<Span>& spans, std::size_t operand) const {
    const bool known = operand < spans.size() && !(spans[operand] == Span{});
    if (!known) return "..";
    const std::string written = text(spans[operand]);
    const bool enclosed = written.front() == '(' && written.find(')') + 1 == written.size();
    return enclosed ? written.substr(1, written.size() - 2) : written;
}

bool KernelChecker::check_range(const ir::Scalar& x, Dtype dtype, Span span) {
    std::int64_t value = 0;
    if (!is_integer(x->dtype) || !is_integer(dtype) || !ir::is_constant(x, &value)) return true;
    const bool natural = info(dtype).kind == DtypeClass::natural;
    const std::int64_t half = std::int64_t{1} << (info(dtype).bits - 2);  // a quarter of all values
    const std::int64_t most = natural ? 4 * (half - 1) + 3 : 2 * (half - 1) + 1;
    const std::int64_t least = natural ? 0 : -most - 1;
    if (value >= least && value <= most) return true;
    error(span, msg::constant_range, value, name(dtype), least, most);
    return false;
}

ir::Scalar KernelChecker::fitted(const ir::Scalar& x, Dtype dtype, Span span,
                                 std::string_view place) {
    const bool literal =
        adapts(x) && !is_boolean(dtype) && (is_integer(x->dtype) || is_real(dtype));
    if (literal || widens(x->dtype, dtype))
        return check_range(x, dtype, span) ? converted(x, dtype) : nullptr;
    DiagnosticBuilder message = error(span, msg::narrowing, place, name(dtype), name(x->dtype));
    if (is_boolean(dtype)) return nullptr;
    const std::string written = fmt::format("{}({})", name(dtype), text(span));
    message.help("write `{}`", written);
    if (is_real(dtype) || is_integer(x->dtype)) message.fix(span, written);  // no fraction is lost
    return nullptr;
}

std::optional<Tile> KernelChecker::fitted_tile(const Operand& x, Place wanted, Span span,
                                               std::string_view place) {
    if (is_scalar(x)) {
        const ir::Scalar cell = fitted(scalar(x), wanted.dtype, span, place);
        if (!cell) return std::nullopt;
        return Tile{wanted.rows, wanted.cols, cell, {}};
    }
    std::optional<Tile> tile = as_tile(x, span, place);
    if (!tile) return std::nullopt;
    const auto spreads = [](std::int64_t from, std::int64_t to) { return from == to || from == 1; };
    if (!spreads(tile->rows, wanted.rows) || !spreads(tile->cols, wanted.cols)) {
        error(span, msg::shape_of_place, place, tile_text(wanted.dtype, wanted.rows, wanted.cols),
              tile_text(tile->cell->dtype, tile->rows, tile->cols));
        return std::nullopt;
    }
    const ir::Scalar cell = fitted(tile->cell, wanted.dtype, span, place);
    if (!cell) return std::nullopt;
    Tile made{wanted.rows, wanted.cols, cell, tile->inputs, tile->origins};
    if (tile->rows != wanted.rows) made.origins.rows = {};
    if (tile->cols != wanted.cols) made.origins.cols = {};
    return made;
}

// As `drawn_shapes` shows it: what is short enough to stand before its type.
std::string KernelChecker::operand_name(const Cells& cells, std::size_t operand) const {
    const std::string written = operand_text(cells.spans, operand);
    const bool is_short =
        written != ".." && written.size() <= 24 && written.find('\n') == std::string::npos;
    return is_short ? written : "";
}

// Extents agree, or one of them is 1.
bool KernelChecker::broadcast(Cells& cells, std::string_view written, Span span, const Tile& tile) {
    const auto joined = [](std::int64_t a, std::int64_t b) {
        return a == 1 ? b : b == 1 || a == b ? a : 0;
    };
    const std::int64_t rows = joined(cells.rows, tile.rows);
    const std::int64_t cols = joined(cells.cols, tile.cols);
    if (rows == 0 || cols == 0) {
        DiagnosticBuilder message =
            error(span, msg::shapes_differ, fmt::format("`{}`", written),
                  shape_text(cells.rows, cells.cols), shape_text(tile.rows, tile.cols));
        const std::int64_t left = rows == 0 ? cells.rows : cells.cols;
        const std::int64_t right = rows == 0 ? tile.rows : tile.cols;
        message.primary("the {} are {} and {}", rows == 0 ? "rows" : "columns", left, right);
        const std::size_t axis = rows == 0 ? 0 : 1;
        message.note("{}", drawn_shapes({drawn_shape(operand_name(cells, cells.widest),
                                                     cells.cells[cells.widest]->dtype, cells.rows,
                                                     cells.cols, axis),
                                         drawn_shape(operand_name(cells, cells.cells.size()),
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

std::optional<KernelChecker::Cells> KernelChecker::to_cells(std::string_view written, Span span,
                                                            const std::vector<Operand>& operands,
                                                            std::vector<Span> spans) {
    Cells cells;
    cells.spans = std::move(spans);
    std::vector<Tile> tiles;
    std::vector<std::size_t> places;  // which operands those are
    for (const Operand& x : operands) {
        if (is_poison(x)) return std::nullopt;
        if (is_scalar(x)) {
            cells.cells.push_back(scalar(x));
            continue;
        }
        const bool tile_like =
            std::holds_alternative<Tile>(x) || std::holds_alternative<SharedTile>(x);
        if (!tile_like) {
            const std::string operand = operand_text(cells.spans, cells.cells.size());
            const auto* part = std::get_if<TensorPart>(&x);
            DiagnosticBuilder message =
                part != nullptr ? error(span, msg::slice_outside_operation, part->slice.tensor)
                                : error(span, msg::operand_kind, fmt::format("`{}`", written),
                                        "numbers and tiles", describe(x));
            if (part != nullptr && means_column(*part, operands))
                message.help("write `column(load({}))`, one number for each row", operand);
            else help_with_value(message, x, operand);
            return std::nullopt;
        }
        const std::optional<Tile> tile = as_tile(x, span, written);
        if (!tile || !broadcast(cells, written, span, *tile)) return std::nullopt;
        tiles.push_back(*tile);
        places.push_back(cells.cells.size());
        cells.cells.push_back(renumbered(*tile, cells.inputs));
    }
    if (!check_axes(written, span, tiles, cells.spans, places)) return std::nullopt;
    cells.origins = joined_origins(tiles);
    return cells;
}

bool KernelChecker::unify_numbers(std::string_view written, Span span, Cells& operands,
                                  std::size_t from) {
    std::vector<ir::Scalar>& cells = operands.cells;
    std::optional<Dtype> found;
    std::size_t first = from;  // the operand that `found` is from
    for (std::size_t i = from; i < cells.size(); ++i) {
        const Dtype dtype = cells[i]->dtype;
        if (is_boolean(dtype)) {
            DiagnosticBuilder message =
                error(span, msg::operand_kind, fmt::format("`{}`", written), "numbers", "a bool");
            message.help("write `where({}, 1, 0)`", operand_text(operands.spans, i));
            return false;
        }
        if (adapts(cells[i])) continue;
        const std::optional<Dtype> both = found ? common(*found, dtype) : dtype;
        if (!both) {
            const std::string_view hint = is_real(*found) || is_real(dtype) ? "f32" : "i32";
            DiagnosticBuilder message = error(
                span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found), name(dtype));
            // Beside floats it is the whole numbers that become floats.
            const std::size_t whole = is_integer(dtype) ? i : first;
            const std::string operand = operand_text(operands.spans, whole);
            if (is_integer(*found) != is_integer(dtype) && operand != "..") {
                message.help("write `f32({})`", operand);
                message.fix(operands.spans[whole], fmt::format("f32({})", operand));
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
                error(span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found), "f32");
                return false;
            }
            found = Dtype::f32;
        }
    }
    // A literal is i32; any other dtype was written, or is that of what came out as a constant.
    if (!found) {
        for (std::size_t i = from; i < cells.size(); ++i) {
            const Dtype dtype = cells[i]->dtype;
            if (dtype == Dtype::i32) continue;
            const std::optional<Dtype> both = found ? common(*found, dtype) : dtype;
            if (!both) {
                error(span, msg::dtypes_differ, fmt::format("`{}`", written), name(*found),
                      name(dtype))
                    .help("convert one of them: `i32(..)`");
                return false;
            }
            found = both;
        }
    }
    for (std::size_t i = from; found && i < cells.size(); ++i) {
        if (!check_range(cells[i], *found, span)) return false;
        cells[i] = converted(cells[i], *found);
    }
    return true;
}

bool KernelChecker::to_reals(std::string_view written, Span span, Cells& cells) {
    for (std::size_t i = 0; i < cells.cells.size(); ++i) {
        ir::Scalar& cell = cells.cells[i];
        if (is_real(cell->dtype) || adapts(cell)) {
            cell = converted(cell, Dtype::f32);
            continue;
        }
        DiagnosticBuilder message = error(span, msg::operand_kind, fmt::format("`{}`", written),
                                          "floats", name(cell->dtype));
        const std::string operand = operand_text(cells.spans, i);
        if (is_boolean(cell->dtype)) message.help("write `where({}, 1.0, 0.0)`", operand);
        else message.help("write `f32({})`", operand);
        return false;
    }
    return true;
}

bool KernelChecker::to_bools(std::string_view written, Span span,
                             const std::vector<ir::Scalar>& cells, const std::vector<Span>& spans) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (is_boolean(cells[i]->dtype)) continue;
        DiagnosticBuilder message = error(span, msg::operand_kind, fmt::format("`{}`", written),
                                          "bools", name(cells[i]->dtype));
        message.help("compare it: `{} != 0`", operand_text(spans, i));
        return false;
    }
    return true;
}

bool KernelChecker::unify(Function function, std::string_view written, Span span, Cells& cells) {
    std::vector<ir::Scalar>& list = cells.cells;
    const auto all_bools = [&](std::size_t from) {
        return std::all_of(list.begin() + static_cast<std::ptrdiff_t>(from), list.end(),
                           [](const ir::Scalar& s) { return is_boolean(s->dtype); });
    };
    const bool equality = function == Function::eq || function == Function::ne;
    switch (info(function).kind) {
        case FunctionKind::real: return to_reals(written, span, cells);
        case FunctionKind::logic: return to_bools(written, span, list, cells.spans);
        case FunctionKind::select:
            return to_bools(written, span, {list.front()}, cells.spans) &&
                   (all_bools(1) || unify_numbers(written, span, cells, 1));
        case FunctionKind::compare:
            return (equality && all_bools(0)) || unify_numbers(written, span, cells, 0);
        case FunctionKind::arithmetic: return unify_numbers(written, span, cells, 0);
        case FunctionKind::integer:
        case FunctionKind::bits: break;
    }
    if (!unify_numbers(written, span, cells, 0)) return false;
    const Dtype dtype = list.front()->dtype;
    const bool bits = info(function).kind == FunctionKind::bits;
    if (bits ? dtype == Dtype::i32 || dtype == Dtype::u32 : is_integer(dtype)) return true;
    DiagnosticBuilder message = error(span, msg::operand_kind, fmt::format("`{}`", written),
                                      bits ? "i32 or u32" : "whole numbers", name(dtype));
    const std::string operand = operand_text(cells.spans, 0);
    if (is_integer(dtype)) message.help("convert it: `i32({})`", operand);
    else message.help("`i32({})` is a whole number, without what stands behind the point", operand);
    return false;
}

Operand KernelChecker::apply(Function function, std::string_view written, Span span,
                             const std::vector<Operand>& operands, std::vector<Span> spans) {
    std::optional<Cells> cells = to_cells(written, span, operands, std::move(spans));
    if (!cells || !unify(function, written, span, *cells)) return Poison{};
    const bool divides =
        function == Function::div || function == Function::mod || function == Function::ceil_div;
    if (divides && is_integer(cells->cells[0]->dtype)) {
        std::int64_t divisor = 1;
        if (!ir::is_constant(cells->cells[1], &divisor)) {
            if (!cells->tile) divisors_.emplace_back(without_lets(cells->cells[1]), span);
        } else if (divisor < 1) {
            error(span, msg::division_by_constant, divisor);
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
    ir::Scalar cell = ir::call(function, cells->cells);
    if (!check_range(cell, cell->dtype, span)) return Poison{};
    if (!cells->tile) return cell;
    return Tile{cells->rows, cells->cols, std::move(cell), std::move(cells->inputs),
                std::move(cells->origins)};
}

Operand KernelChecker::convert(Dtype dtype, const Operand& x, Span span, Span argument) {
    if (is_poison(x)) return x;
    const std::string written = fmt::format("`{}`", name(dtype));
    if (dtype == Dtype::f64) return not_yet(span, NotYet::doubles);
    const std::optional<Dtype> from = dtype_of(x);
    if (!from || (is_boolean(dtype) && !is_boolean(*from))) {
        DiagnosticBuilder message =
            error(span, msg::operand_kind, written, "a number or a tile", describe(x));
        if (from) message.help("compare it: `{} != 0`", text(argument));
        else help_with_value(message, x, text(argument));
        return Poison{};
    }
    if (is_scalar(x)) {
        return check_range(scalar(x), dtype, span) ? Operand(converted(scalar(x), dtype))
                                                   : Poison{};
    }
    std::optional<Tile> tile = as_tile(x, span, written);
    if (!tile || !check_range(tile->cell, dtype, span)) return Poison{};
    tile->cell = converted(tile->cell, dtype);
    return *tile;
}

}  // namespace tkc::checker
