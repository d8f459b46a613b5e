// `column`: a row as a column.
//
// Lanes hold the cells of a row and of a column in different places, so one in registers becomes
// the other only if lanes exchange data. But what comes from memory can be loaded as a column at
// once:
//
//     v = load V[m +: 64]       c = load V[m +: 64]   as f32[64, 1]
//     c = column(v * 2)         c * 2
//
// The arithmetic between is done again on the column, next to the row's, and a row that nothing
// else reads is dropped.
#include "frontend/check/columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "frontend/check/axes.h"
#include "frontend/check/builder.h"
#include "frontend/check/calls.h"
#include "frontend/check/context.h"
#include "frontend/check/expressions.h"
#include "frontend/check/memory.h"
#include "frontend/check/tiles.h"
#include "ir/walk.h"

namespace tkc::checker {

const ast::Call* Columns::loaded_column(const ast::Call& call) const {
    if (called_operation(*call.callee) != Operation::column || call.args.size() != 1)
        return nullptr;
    const ast::Arg& arg = call.args[0];
    const auto* load = std::get_if<ast::Call>(&arg.value->node);
    if (load == nullptr || arg.is_inout || arg.name || !call.hints.empty()) return nullptr;
    const std::optional<Operation> operation = called_operation(*load->callee);
    const bool loads = operation == Operation::load || operation == Operation::tma_load;
    return loads ? load : nullptr;
}

std::optional<TensorPart> Columns::check_column_source(const ast::Call& load, Span span,
                                                       ir::Transfer* transfer) {
    std::optional<TensorPart> part = memory_.check_load_source(load, span, transfer);
    if (!part || part->extents.size() == 1) return part;
    context_.error(span, msg::operand_kind, "`column` of a load", "a slice with one range",
                   "one of " + shape_text(part->extents[0], part->extents[1]));
    return std::nullopt;
}

Operand Columns::check_column(const ast::Call& call, Span span) {
    if (!context_.check_arguments(call, "column", 1, span)) return Poison{};
    const ast::Expr& argument = *call.args[0].value;
    if (const ast::Call* load = loaded_column(call)) {
        if (!std::all_of(load->hints.begin(), load->hints.end(), ast::is_cache_hint))
            return expressions_.check_value(argument);  // which refuses the others
        ir::Transfer transfer = ir::Transfer::automatic;
        const std::optional<TensorPart> part = check_column_source(*load, argument.span, &transfer);
        return part ? memory_.load_tile(*part, transfer, memory_.check_cache_hint(*load), true)
                    : Operand(Poison{});
    }
    const std::optional<Tile> tile =
        tiles_.as_tile(expressions_.check_value(argument), argument.span, "`column`");
    if (!tile) return Poison{};
    if (tile->rows != 1) {
        context_.error(argument.span, msg::operand_kind, "`column`",
                       "a row, which is a tile [1, n]", describe(*tile));
        return Poison{};
    }
    if (tile->cols == 1) return *tile;
    const std::optional<Tile> made = upright(*tile);
    if (made) return *made;
    const bool name = std::holds_alternative<ast::NameRef>(argument.node);
    const std::string text = context_.text(argument.span);
    const std::string turned = name ? text + ".T" : "(" + text + ").T";
    return context_.not_yet(span, NotYet::columns,
                            fmt::format("for a computed row, write `{}`", turned));
}

std::optional<Tile> Columns::upright(const Tile& row) {
    Tile made{row.cols, 1, nullptr, {}, {row.origins.cols, {}}};
    for (const ir::Value input : row.inputs) {
        const ir::TileType& type = builder_.role->tile(input);
        const bool cell = type.cols == 1 && type.space == ir::Space::registers;
        const std::optional<ir::Value> turned = cell ? input : upright(input);
        if (!turned) return std::nullopt;
        made.inputs.push_back(*turned);
    }
    std::map<std::string, ir::Scalar> pads;
    for (const std::string& name : ir::symbols_of(row.cell)) {
        const auto site = builder_.padding_sites.pads.find(name);
        if (site == builder_.padding_sites.pads.end()) continue;
        const std::string symbol = fmt::format("pad.{}", builder_.padding_sites.pads.size());
        PaddingSite turned = site->second;
        turned.axis = 0;
        builder_.padding_sites.pads[symbol] = std::move(turned);
        pads[name] = ir::symbol(symbol);
    }
    made.cell = ir::rewrite(ir::substitute(row.cell, pads), [](const ir::Scalar& s) -> ir::Scalar {
        if (std::holds_alternative<ir::Row>(s->node)) return ir::integer(0);
        if (std::holds_alternative<ir::Column>(s->node)) return ir::row();
        return nullptr;
    });
    return made;
}

// The column is made right after the row, so that both see the same memory.
std::optional<ir::Value> Columns::upright(ir::Value row) {
    if (const auto known = turned_.find(row.id); known != turned_.end()) return known->second;
    const ir::ValueInfo info = (*builder_.role)[row];
    const auto* type = std::get_if<ir::TileType>(&info.type);
    if (info.variable || type == nullptr || type->space != ir::Space::registers)
        return std::nullopt;
    const auto makes = [&](const ir::Op& op) { return ir::writes(op, row); };
    const auto find = [&]() -> std::pair<ir::Block*, ir::Block::iterator> {
        for (Builder::OpenBlock& block : builder_.blocks) {
            const auto found = std::find_if(block.ops.begin(), block.ops.end(), makes);
            if (found != block.ops.end()) return {&block.ops, found};
        }
        return {nullptr, {}};
    };
    const auto [block, place] = find();
    if (block == nullptr) return std::nullopt;
    ir::Op made = *place;
    ir::Value* result = nullptr;
    if (auto* load = ir::as<ir::Load>(made)) {
        const auto& ranges = load->source.ranges;
        const auto kept = std::count_if(ranges.begin(), ranges.end(), [](const ir::Range& r) {
            return r.kind != ir::Range::Kind::index;
        });
        if (kept == 1) result = &load->result;
    } else if (auto* splat = ir::as<ir::Splat>(made)) {
        result = &splat->result;
    } else if (auto* map = ir::as<ir::Map>(made)) {
        const std::optional<Tile> turned = upright({1, type->cols, map->expression, map->inputs});
        if (!turned) return std::nullopt;
        map->inputs = turned->inputs;
        map->expression = turned->cell;
        result = &map->result;
    }
    if (result == nullptr) return std::nullopt;
    *result = builder_.new_value(builder_.unique_name(info.name + "_column"),
                                 ir::TileType{type->dtype, type->cols, 1, ir::Space::registers});
    turned_[row.id] = *result;
    axes_.add_origins(*result, {axes_.origins_of(row).cols, {}});
    const ir::Value column = *result;
    const auto [at, behind] = find();  // the inputs' columns may have moved it
    at->insert(std::next(behind), std::move(made));
    return column;
}

// Later rows first: they may be made of earlier ones.
void Columns::drop_unused_rows() {
    for (auto row = turned_.rbegin(); row != turned_.rend(); ++row) {
        const ir::Value value{row->first};
        if (!ir::reads_of(builder_.role->body, value).empty()) continue;
        ir::rebuild(builder_.role->body, [&](ir::Op op, ir::Block& out) {
            if (!ir::writes(op, value)) out.push_back(std::move(op));
        });
    }
}

}  // namespace tkc::checker
