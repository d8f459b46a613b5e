// What an operand is as a tile, and tiles that become values of the IR.
#include "frontend/check/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "facts/real_bounds.h"
#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/context.h"
#include "frontend/check/numbers.h"

namespace tkc::checker {

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

Tiles::Tiles(Context& context, Builder& builder, Numbers& numbers, Axes& axes)
    : context_(context), builder_(builder), numbers_(numbers), axes_(axes) {}

Tile Tiles::tile_of(ir::Value value) const {
    const ir::TileType& type = builder_.role->tile(value);
    return {type.rows, type.cols, ir::element(0, type.dtype), {value}, axes_.origins_of(value)};
}

std::optional<ir::Value> Tiles::plain(const Tile& tile) const {
    const bool one =
        tile.inputs.size() == 1 && std::holds_alternative<ir::Element>(tile.cell->node);
    if (!one) return std::nullopt;
    const ir::TileType& type = builder_.role->tile(tile.inputs.front());
    const bool whole =
        type.rows == tile.rows && type.cols == tile.cols && type.space == ir::Space::registers;
    return whole ? std::optional(tile.inputs.front()) : std::nullopt;
}

bool Tiles::is_fixed(const Tile& tile) const {
    return std::none_of(tile.inputs.begin(), tile.inputs.end(),
                        [&](ir::Value v) { return (*builder_.role)[v].variable; });
}

bool Tiles::is_mask(const Tile& tile) const {
    return is_boolean(tile.cell->dtype) && is_fixed(tile);
}

void Tiles::compute(ir::Value result, const Tile& tile) {
    axes_.add_origins(result, tile.origins);
    bool places = false;
    ir::visit_nodes(tile.cell, [&](const ir::ScalarNode& n) {
        places = places || std::holds_alternative<ir::Row>(n.node) ||
                 std::holds_alternative<ir::Column>(n.node);
    });
    const std::optional<ir::Value> same = plain(tile);
    const ir::TileType& type = builder_.role->tile(result);
    if (same && type.rows == tile.rows && type.cols == tile.cols) {
        if (*same != result) builder_.emit(ir::Copy{result, *same});
    } else if (tile.inputs.empty() && !places) {
        builder_.emit(ir::Splat{result, tile.cell});
    } else {
        builder_.emit(ir::Map{result, tile.inputs, tile.cell});
    }
}

ir::Value Tiles::materialize(const Tile& tile, const std::string& name) {
    if (const std::optional<ir::Value> same = plain(tile); same && name.empty()) return *same;
    const ir::Value made = builder_.new_value(
        name, ir::TileType{tile.cell->dtype, tile.rows, tile.cols, ir::Space::registers});
    compute(made, tile);
    return made;
}

SharedTile Tiles::share(const Tile& tile) {
    const ir::Value source = materialize(tile, "");
    const ir::TileType type{tile.cell->dtype, tile.rows, tile.cols, ir::Space::shared};
    const ir::Value result = builder_.new_value("", type);
    builder_.emit(ir::Share{result, source});
    axes_.add_origins(result, tile.origins);
    return {result, type.dtype, type.rows, type.cols, false};
}

ir::Value Tiles::value_of(const SharedTile& tile) {
    if (!tile.part) return tile.value;
    const std::int64_t rows = tile.transposed ? tile.cols : tile.rows;
    const std::int64_t cols = tile.transposed ? tile.rows : tile.cols;
    const ir::Value made =
        builder_.new_value("", ir::TileType{tile.dtype, rows, cols, ir::Space::shared});
    builder_.emit(ir::Window{made, tile.value, tile.first_row, tile.first_col});
    const Origins whole = axes_.origins_of(tile.value);
    axes_.add_origins(made, {part_of(whole.rows, tile.first_row, rows),
                             part_of(whole.cols, tile.first_col, cols)});
    return made;
}

Tile Tiles::sliced(const Tile& tile, int axis, std::int64_t first, std::int64_t length) {
    if ((axis == 0 ? tile.rows : tile.cols) == length) return tile;
    const ir::Value source = materialize(tile, "");
    ir::TileType type{tile.cell->dtype, tile.rows, tile.cols, ir::Space::registers};
    (axis == 0 ? type.rows : type.cols) = length;
    const ir::Value result = builder_.new_value("", type);
    builder_.emit(ir::Apply{TileFunction::slice, result, source, axis, first, length});
    Origins origins = tile.origins;
    Origin& along = axis == 0 ? origins.rows : origins.cols;
    along = part_of(along, first, length);
    axes_.add_origins(result, origins);
    return tile_of(result);
}

Tile Tiles::transposed(const Tile& tile) {
    const ir::Value source = materialize(tile, "");
    const ir::Value result = builder_.new_value(
        "", ir::TileType{tile.cell->dtype, tile.cols, tile.rows, ir::Space::registers});
    builder_.emit(ir::Apply{TileFunction::transpose, result, source});
    axes_.add_origins(result, {tile.origins.cols, tile.origins.rows});
    return tile_of(result);
}

std::optional<Tile> Tiles::as_tile(const Operand& x, Span span, std::string_view what) {
    if (const auto* tile = std::get_if<Tile>(&x)) {
        Tile made = *tile;
        // Of a variable, what was assigned meanwhile.
        if (const std::optional<ir::Value> same = plain(made))
            made.origins = axes_.origins_of(*same);
        return made;
    }
    if (const auto* shared = std::get_if<SharedTile>(&x)) {
        Tile tile = tile_of(value_of(*shared));
        // A part of a variable is read here: who assigns to that does not know the part.
        if (shared->part && (*builder_.role)[shared->value].variable)
            tile = tile_of(materialize(tile, ""));
        return shared->transposed ? transposed(tile) : tile;
    }
    if (is_poison(x)) return std::nullopt;
    DiagnosticBuilder message =
        context_.error(span, msg::operand_kind, what, "a tile", describe(x));
    help_with_value(message, x, context_.text(span));
    return std::nullopt;
}

ir::Scalar Tiles::element_of(const TensorPart& part, Span span) {
    const ir::Tensor& tensor = *ir::find_tensor(builder_.kernel, part.slice.tensor);
    const bool own = tensor.mode == ir::Mode::inout || tensor.mode == ir::Mode::scratch;
    if (own && builder_.role != nullptr) return loaded_element(part, tensor.dtype);
    if (tensor.mode != ir::Mode::in) {
        DiagnosticBuilder message =
            context_.error(span, msg::read_of_output, tensor.name, mode_text(tensor.mode));
        message.label(tensor.span, "declared here");
        help_with_reading(message, tensor);
        return nullptr;
    }
    std::vector<ir::Scalar> position;
    for (const ir::Range& range : part.slice.ranges) position.push_back(range.base);
    return ir::element_load(tensor.name, std::move(position), false, tensor.dtype);
}

// What the program writes, too, is read in the order of its statements, as slices are.
ir::Scalar Tiles::loaded_element(const TensorPart& part, Dtype dtype) {
    ir::Slice slice = part.slice;
    for (ir::Range& range : slice.ranges) range = {ir::Range::Kind::index, range.base, 1};
    slice.ranges.back().kind = ir::Range::Kind::span;
    const ir::Value cell = builder_.new_value("", ir::TileType{dtype, 1, 1, ir::Space::registers});
    ir::Load load{cell, std::move(slice)};
    load.element = true;
    builder_.emit(std::move(load));
    if (!is_boolean(dtype)) return numbers_.read(cell, "element");
    const ir::Scalar flag =
        ir::call(Function::where, {ir::element(0, dtype), ir::integer(1), ir::integer(0)});
    const ir::Value number = materialize({1, 1, flag, {cell}, {}}, "");
    return ir::call(Function::ne, {numbers_.read(number, "element"), ir::integer(0)});
}

Operand Tiles::as_number(const Operand& x, Span span) {
    const auto* index = std::get_if<TileIndex>(&x);
    if (index != nullptr && index->width == 1) return index->start;
    const auto* part = std::get_if<TensorPart>(&x);
    if (part == nullptr || !part->single) return x;
    const ir::Scalar element = element_of(*part, span);
    return element ? Operand(element) : Operand(Poison{});
}

void Tiles::help_with_reading(DiagnosticBuilder& message, const ir::Tensor& tensor) {
    if (tensor.mode == ir::Mode::out) {
        message.help("if callers pass data in it, declare it `inout {}`", tensor.name);
        message.help("to use the stored tile again, name it with a `let` before storing it");
    } else if (tensor.mode == ir::Mode::accumulate) {
        message.help(
            "the sums are complete when all programs are done: read them in a second kernel, which "
            "an `entry` calls after this one");
    } else {
        message.help("read it in a role, in the order of the statements that write it");
    }
}

// Expressions that are not values, and what part of them is one.
void Tiles::help_with_value(DiagnosticBuilder& message, const Operand& x,
                            const std::string& written) const {
    if (const auto* index = std::get_if<TileIndex>(&x)) {
        if (index->aligned)
            message.help("its first element is `{}.start`, its index `{}.index`", written, written);
        else message.help("its first element is `{}.start`", written);
    } else if (std::holds_alternative<TensorPart>(x)) {
        message.help("write `load({})`", written);
    } else if (std::holds_alternative<TensorName>(x) || std::holds_alternative<View>(x)) {
        message.help("write `load({}[..])`, with the slice to load between the brackets", written);
    } else if (const auto* record = std::get_if<Record>(&x)) {
        const ir::Pipeline* pipeline = ir::find_pipeline(builder_.kernel, record->pipeline);
        if (pipeline == nullptr || pipeline->fields_.empty()) return;
        const std::string& field = pipeline->fields_.front().name;
        if (written.starts_with("consume "))
            message.help("name the field: `{} as s {{ .. }}`, and `s.{}` inside", written, field);
        else message.help("name the field: `{}.{}`", written, field);
    }
}

namespace {

// The least and the largest number of an integer dtype.
std::pair<std::int64_t, std::int64_t> bounds_of(Dtype dtype) {
    const bool natural = info(dtype).kind == DtypeClass::natural;
    const std::int64_t half = std::int64_t{1} << (info(dtype).bits - 2);  // a quarter of all values
    const std::int64_t most = natural ? 4 * (half - 1) + 3 : 2 * (half - 1) + 1;
    return {natural ? 0 : -most - 1, most};
}

}  // namespace

bool Tiles::check_range(const ir::Scalar& x, Dtype dtype, Span span) {
    if (is_real(x->dtype) && is_real(dtype) && dtype != Dtype::f64 && adapts(x)) {
        const double number = written_number(x).value_or(0);
        if (std::isinf(number)) return true;
        const ir::RealBounds reached = ir::finite_bounds(dtype);
        context_
            .error(span, msg::constant_range, fmt::format("{}", number), name(dtype),
                   fmt::format("{:.8g}", reached.least), fmt::format("{:.8g}", reached.most))
            .help(
                "infinity is written `inf`; f64 holds the number: convert the other operand, "
                "`f64(x)`");
        return false;
    }
    std::int64_t value = 0;
    if (!is_integer(x->dtype) || !is_integer(dtype) || !ir::is_constant(x, &value)) return true;
    const auto [least, most] = bounds_of(dtype);
    if (value >= least && value <= most) return true;
    DiagnosticBuilder message =
        context_.error(span, msg::constant_range, value, name(dtype), least, most);
    if (x->dtype == Dtype::i64)
        message.help("i64 holds it: convert the other operand, `i64(x)`, or declare it as i64");
    return false;
}

ir::Scalar Tiles::fitted(const ir::Scalar& x, Dtype dtype, Span span, std::string_view place) {
    const bool literal =
        adapts(x) && !is_boolean(dtype) && (is_integer(x->dtype) || is_real(dtype));
    if (literal || widens(x->dtype, dtype))
        return check_range(x, dtype, span) ? converted(x, dtype) : nullptr;
    DiagnosticBuilder message =
        context_.error(span, msg::narrowing, place, name(dtype), name(x->dtype), name(dtype));
    if (is_boolean(dtype)) return nullptr;
    const double value = is_integer(dtype) ? written_number(x).value_or(0) : 0;
    if (std::isinf(value)) {
        const auto [least, most] = bounds_of(dtype);
        message.help("integers have no infinity: the {} {} is {}", value < 0 ? "least" : "largest",
                     name(dtype), value < 0 ? least : most);
        return nullptr;
    }
    const std::string written = fmt::format("{}({})", name(dtype), context_.text(span));
    message.help("write `{}`", written);
    if (is_real(dtype) || is_integer(x->dtype)) message.fix(span, written);  // no fraction is lost
    return nullptr;
}

std::optional<Tile> Tiles::fitted_tile(const Operand& x, Place wanted, Span span,
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
        DiagnosticBuilder message = context_.error(
            span, msg::shape_of_place, place, tile_text(wanted.dtype, wanted.rows, wanted.cols),
            tile_text(tile->cell->dtype, tile->rows, tile->cols));
        const bool rows = wanted.cols == 1 && spreads(tile->rows, wanted.rows);
        const bool cols = wanted.rows == 1 && spreads(tile->cols, wanted.cols);
        if (rows != cols)
            message.help("to get one cell per {}, reduce: `max(x, axis = {})`, `sum(x, axis = {})`",
                         rows ? "row" : "column", rows ? 1 : 0, rows ? 1 : 0);
        return std::nullopt;
    }
    const ir::Scalar cell = fitted(tile->cell, wanted.dtype, span, place);
    if (!cell) return std::nullopt;
    Tile made{wanted.rows, wanted.cols, cell, tile->inputs, tile->origins};
    if (tile->rows != wanted.rows) made.origins.rows = {};
    if (tile->cols != wanted.cols) made.origins.cols = {};
    return made;
}

}  // namespace tkc::checker
