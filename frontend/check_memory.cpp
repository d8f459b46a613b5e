// Slices of tensors, loads and stores. Pipelines are in check_pipeline.
#include <fmt/format.h>

#include "frontend/check_kernel.h"
#include "ir/overloaded.h"

namespace tkc::checker {

namespace {

std::string_view mode_text(ir::Mode mode) {
    switch (mode) {
        case ir::Mode::in: return "read only";
        case ir::Mode::out: return "`out`";
        case ir::Mode::inout: return "`inout`";
        case ir::Mode::accumulate: return "`accumulate`";
        case ir::Mode::scratch: return "`scratch`";
    }
    return "";
}

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

}  // namespace

Operand KernelChecker::check_index(const ast::Index& index, Span span) {
    const Operand base = check_value(*index.base);
    if (is_poison(base)) return Poison{};
    if (const auto* tensor = std::get_if<TensorName>(&base))
        return check_tensor_index(index, tensor->name, span);
    if (std::holds_alternative<Tile>(base) || std::holds_alternative<SharedTile>(base)) {
        return not_yet(span, NotYet::tile_slices);
    }
    error(index.base->span, msg::operand_kind, "`[..]`", "a tensor", describe(base));
    return Poison{};
}

std::optional<ir::Range> KernelChecker::check_subscript(const ast::Subscript& sub,
                                                        const ir::Scalar& extent) {
    ir::Range range;
    if (std::holds_alternative<ast::WholeAxis>(sub.node)) {
        range.kind = ir::Range::Kind::whole;
        range.base = ir::integer(0);
        if (ir::is_constant(extent, &range.length)) return range;
        error(sub.span, msg::whole_axis_extent, ir::to_string(extent))
            .help("write `{}: int` among the constants of the kernel, or a slice `base +: length`",
                  ir::to_string(extent));
        return std::nullopt;
    }
    if (const auto* position = std::get_if<ast::Position>(&sub.node)) {
        const Operand value = check_value(*position->value);
        if (is_poison(value)) return std::nullopt;
        if (const auto* index = std::get_if<TileIndex>(&value)) {
            return ir::Range{ir::Range::Kind::span, index->start, index->width};
        }
        if (std::holds_alternative<Tile>(value) || std::holds_alternative<SharedTile>(value)) {
            not_yet(sub.span, NotYet::gathers);
            return std::nullopt;
        }
        range.base = as_control(value, sub.span, "a position");
        return range.base ? std::optional(range) : std::nullopt;
    }
    const auto* slice = std::get_if<ast::Slice>(&sub.node);
    if (slice == nullptr) {
        error(sub.span, msg::operand_kind, "a slice", "`base +: length`", quoted(sub.span));
        return std::nullopt;
    }
    if (slice->step) {
        not_yet(sub.span, NotYet::boxes);
        return std::nullopt;
    }
    range.kind = ir::Range::Kind::span;
    range.base = check_control(*slice->base, "the base of a slice");
    const ir::Scalar length = check_control(*slice->length, "the length of a slice");
    if (!range.base || !length) return std::nullopt;
    if (!ir::is_constant(length, &range.length)) {
        not_yet(sub.span, NotYet::views);
        return std::nullopt;
    }
    if (range.length >= 1) return range;
    error(slice->length->span, msg::positive_number, "the length of a slice", 1, range.length);
    return std::nullopt;
}

Operand KernelChecker::check_tensor_index(const ast::Index& index, const std::string& name,
                                          Span span) {
    const ir::Tensor& tensor = *ir::find_tensor(kernel_, name);
    const std::size_t rank = tensor.extents.size();
    if (index.subscripts.size() != rank) {
        const std::size_t found = index.subscripts.size();
        error(span, msg::subscript_count, name,
              fmt::format("{} {}", rank, rank == 1 ? "axis" : "axes"),
              fmt::format("{} {}", found, found == 1 ? "subscript" : "subscripts"))
            .label(tensor.span, "declared here");
        return Poison{};
    }
    TensorPart part;
    part.slice.tensor = name;
    part.dtype = tensor.dtype;
    bool known = true;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::optional<ir::Range> range =
            check_subscript(index.subscripts[i], tensor.extents[i]);
        known = known && range.has_value();
        if (!range) continue;
        if (range->kind != ir::Range::Kind::index) part.extents.push_back(range->length);
        part.slice.ranges.push_back(*range);
    }
    if (!known) return Poison{};
    if (!part.extents.empty()) return part;
    if (tensor.mode != ir::Mode::in) {
        error(span, msg::read_of_output, name, mode_text(tensor.mode))
            .label(tensor.span, "declared here");
        return Poison{};
    }
    std::vector<ir::Scalar> position;
    for (const ir::Range& range : part.slice.ranges) position.push_back(range.base);
    return ir::element_load(name, std::move(position), false, tensor.dtype);
}

std::optional<TensorPart> KernelChecker::check_slice(const ast::Expr& expr,
                                                     std::string_view operation) {
    const auto* index = std::get_if<ast::Index>(&expr.node);
    const auto* base = index == nullptr ? nullptr : std::get_if<ast::NameRef>(&index->base->node);
    const Entity* tensor = base == nullptr ? nullptr : scope_.find(base->text);
    const bool all_numbers =
        tensor != nullptr && tensor->kind == EntityKind::tensor &&
        std::all_of(index->subscripts.begin(), index->subscripts.end(),
                    [&](const ast::Subscript& s) {
                        const auto* position = std::get_if<ast::Position>(&s.node);
                        if (position == nullptr) return false;
                        const auto* name = std::get_if<ast::NameRef>(&position->value->node);
                        const Entity* known = name == nullptr ? nullptr : scope_.find(name->text);
                        if (known != nullptr) return is_scalar(known->value);
                        return std::holds_alternative<ast::IntLiteral>(position->value->node) ||
                               std::holds_alternative<ast::Binary>(position->value->node);
                    });
    if (all_numbers &&
        index->subscripts.size() == ir::find_tensor(kernel_, base->text)->extents.size()) {
        error(expr.span, msg::slice_without_range, operation);
        return std::nullopt;
    }
    const Operand value = check_value(expr);
    if (is_poison(value)) return std::nullopt;
    const auto* part = std::get_if<TensorPart>(&value);
    if (part == nullptr) {
        DiagnosticBuilder message =
            error(expr.span, msg::slice_expected, operation, describe(value));
        if (std::holds_alternative<TensorName>(value)) {
            message.help("name the part to take: `{}[m, n]`", text(expr.span));
        }
        return std::nullopt;
    }
    for (const std::int64_t extent : part->extents) {
        if (extent <= tile_extent_limit) continue;
        error(expr.span, msg::above_maximum, "the extent of a tile", tile_extent_limit, extent);
        return std::nullopt;
    }
    if (part->extents.size() <= 2) return *part;
    not_yet(expr.span, NotYet::boxes);
    return std::nullopt;
}

std::optional<TensorPart> KernelChecker::check_load_source(const ast::Call& call, Span span,
                                                           ir::Transfer* transfer) {
    const bool tma = called_operation(*call.callee) == Operation::tma_load;
    *transfer = tma ? ir::Transfer::tma : ir::Transfer::automatic;
    const std::string_view operation = tma ? "tma_load" : "load";
    if (!check_arguments(call, operation, 1, span)) return std::nullopt;
    std::optional<TensorPart> part = check_slice(*call.args[0].value, operation);
    if (!part) return std::nullopt;
    const ir::Tensor& tensor = *ir::find_tensor(kernel_, part->slice.tensor);
    const bool readable = tensor.mode == ir::Mode::in || tensor.mode == ir::Mode::inout ||
                          tensor.mode == ir::Mode::scratch;
    if (readable) return part;
    error(call.args[0].value->span, msg::read_of_output, tensor.name, mode_text(tensor.mode))
        .label(tensor.span, "declared here");
    return std::nullopt;
}

Operand KernelChecker::check_load(const ast::Call& call, Span span) {
    ir::Transfer transfer = ir::Transfer::automatic;
    const std::optional<TensorPart> part = check_load_source(call, span, &transfer);
    if (!part) return Poison{};
    return load_tile(*part, transfer, false);
}

Operand KernelChecker::load_tile(const TensorPart& part, ir::Transfer transfer, bool upright) {
    auto [rows, cols] = tile_extents(part);
    if (upright) std::swap(rows, cols);
    const ir::Value result =
        new_value("", ir::TileType{part.dtype, rows, cols, ir::Space::registers});
    emit(ir::Load{result, part.slice, transfer});
    return tile_of(result);
}

Operand KernelChecker::check_store(Operation operation, const ast::Call& call, Span span) {
    const std::string_view written = name(operation);
    if (!check_arguments(call, written, 2, span)) return Poison{};
    const ast::Expr& target = *call.args[0].value;
    const ast::Expr& source = *call.args[1].value;
    const std::optional<TensorPart> part = check_slice(target, written);
    const Operand value = check_value(source);
    if (!part || is_poison(value)) return Poison{};
    const ir::Tensor& tensor = *ir::find_tensor(kernel_, part->slice.tensor);
    if (tensor.mode == ir::Mode::in || tensor.mode == ir::Mode::accumulate) {
        DiagnosticBuilder message =
            error(target.span, msg::write_of_input, tensor.name, mode_text(tensor.mode));
        message.label(tensor.span, "declared here");
        if (tensor.mode == ir::Mode::in)
            message.help("write `out {}: ..` among the parameters", tensor.name);
        return Poison{};
    }
    const std::optional<Tile> tile = as_tile(value, source.span, fmt::format("`{}`", written));
    if (!tile) return Poison{};
    std::pair<std::int64_t, std::int64_t> wanted = tile_extents(*part);
    const bool upright = part->extents.size() == 1 && tile->cols == 1;
    if (upright) std::swap(wanted.first, wanted.second);
    if (tile->rows != wanted.first || tile->cols != wanted.second) {
        DiagnosticBuilder message =
            error(span, msg::store_shape, written, shape_text(tile->rows, tile->cols),
                  extents_text(part->extents));
        message.label(target.span, "{}", "the slice is " + extents_text(part->extents));
        message.label(source.span, "the value is {}",
                      tile_text(tile->cell->dtype, tile->rows, tile->cols));
        return Poison{};
    }
    const ir::Scalar cell = fitted(tile->cell, tensor.dtype, source.span, "`" + tensor.name + "`");
    if (!cell) return Poison{};
    const auto* shared = std::get_if<SharedTile>(&value);
    const bool direct = shared != nullptr && shared->dtype == tensor.dtype;
    const ir::Value from =
        direct ? shared->value : materialize({tile->rows, tile->cols, cell, tile->inputs}, "");
    const ir::Transfer transfer =
        operation == Operation::tma_store ? ir::Transfer::tma : ir::Transfer::automatic;
    emit(ir::Store{part->slice, from, transfer});
    return Nothing{};
}

}  // namespace tkc::checker
