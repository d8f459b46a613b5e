// What a computed list names outside of a tensor: holes.
//
// `load(X[2 * (m.start + range(8)), n])` reads zeros from row M on, as a range does, but a list may
// do so at any of its cells, and often that is what it is for: a convolution adds up neighbors of
// which some lie outside of the image. So holes are followed only where a cell is made of one such
// load, by functions of cells, masks, products and reductions of other axes. There the zeros are
// for nothing, and a maximum that takes them in is wrong as one of a range would be. Where a hole
// meets another tile it is data. So is what a list read from memory names: whoever wrote the list
// decided on that.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "checks/padding/analysis.h"
#include "facts/plain_signs.h"
#include "tiles/tile_function.h"

namespace tkc::checks::padding {

namespace {

// Whether memory says for each cell where it is read, and not only where the list begins or ends.
bool is_read_for_each_cell(const ir::Scalar& position) {
    bool found = false;
    ir::visit_nodes(position, [&](const ir::ScalarNode& n) {
        if (std::holds_alternative<ir::Element>(n.node)) found = true;
        const auto* load = std::get_if<ir::ElementLoad>(&n.node);
        if (load == nullptr) return;
        for (const ir::Scalar& index : load->position) {
            ir::visit_nodes(index, [&](const ir::ScalarNode& inner) {
                found = found || std::holds_alternative<ir::Row>(inner.node) ||
                        std::holds_alternative<ir::Column>(inner.node);
            });
        }
    });
    return found;
}

}  // namespace

// A condition on the place along an axis, with a name or a number for it.
ir::Scalar at_place(const ir::Scalar& condition, const ir::Scalar& place) {
    return ir::rewrite(condition, [&](const ir::Scalar& s) -> ir::Scalar {
        return std::holds_alternative<ir::Row>(s->node) ? place : nullptr;
    });
}

// ---- which cells they are

Holes PaddingAnalysis::holes_of_list(const ir::Range& range, const ir::Scalar& extent,
                                     const std::string& tensor) const {
    const ir::Scalar position = expanded(range.base);
    if (is_read_for_each_cell(position)) return {};
    ir::Facts facts = *facts_;
    facts.assume_range(cell_row, 0, range.length, 1);
    Holes made;
    for (const ir::Scalar& inside :
         {ir::call(Function::ge, {position, ir::integer(0)}), ir::less(position, extent)}) {
        if (facts.prove(ir::normal_form(at_place(inside, ir::symbol(cell_row)), bindings_)))
            continue;
        made.inside.push_back(inside);
    }
    if (made.inside.empty()) return {};
    made.fill = constant_fill(0);
    made.data = data_of_tensor(tensor);
    made.tensor = tensor;
    made.origin = op_->span;
    move_holes(made, {});
    return made;
}

// The same cells in other words.
void PaddingAnalysis::move_inside(std::vector<ir::Scalar>& all_inside, std::string& key,
                                  const std::map<std::string, ir::Scalar>& names) const {
    key.clear();
    for (ir::Scalar& inside : all_inside) {
        inside = ir::substitute(inside, names);
        const ir::Scalar named = at_place(inside, ir::symbol(cell_row));
        key += ir::normal_form(named, bindings_).key() + ";";
    }
}
void PaddingAnalysis::move_holes(Holes& holes,
                                 const std::map<std::string, ir::Scalar>& names) const {
    move_inside(holes.inside, holes.key, names);
}

bool PaddingAnalysis::hangs_on(const std::vector<ir::Scalar>& all_inside,
                               const std::string& variable) {
    return std::any_of(all_inside.begin(), all_inside.end(),
                       [&](const ir::Scalar& inside) { return ir::mentions(inside, variable); });
}

// Before the start of the axis, and past its end: where one of the conditions fails.
std::vector<Region> PaddingAnalysis::regions_of(const std::vector<ir::Scalar>& all_inside,
                                                std::size_t axis) const {
    std::vector<Region> made;
    for (const ir::Scalar& inside : all_inside) {
        const ir::Scalar named = at_place(inside, ir::symbol(axis == 0 ? cell_row : cell_column));
        const ir::NormalForm outside = ir::negation(ir::normal_form(named, bindings_));
        made.push_back({fmt::format("{} {}", axis, outside.key()),
                        [outside](ir::Facts& facts) { facts.assume(outside); }});
    }
    return made;
}

// The cells that have a position.
Region PaddingAnalysis::where_all_hold(const std::vector<ir::Scalar>& all_inside,
                                       std::size_t axis) const {
    Region made{fmt::format("{} inside", axis), nullptr};
    std::vector<ir::NormalForm> all;
    for (const ir::Scalar& inside : all_inside) {
        const ir::Scalar named = at_place(inside, ir::symbol(axis == 0 ? cell_row : cell_column));
        all.push_back(ir::normal_form(named, bindings_));
        made.key += " " + all.back().key();
    }
    made.assume = [all](ir::Facts& facts) {
        for (const ir::NormalForm& inside : all) facts.assume(inside);
    };
    return made;
}

// Whether a condition holds in all of these.
int PaddingAnalysis::decide(const ir::Scalar& condition, std::size_t axis,
                            const std::vector<ir::Scalar>& all_inside) const {
    return decide_in_all(condition, regions_of(all_inside, axis));
}

// In which launch the first cell of a slice lies before the axis, or past its end.
std::optional<ir::Witness> PaddingAnalysis::first_is_outside(
    const std::vector<ir::Scalar>& all_inside) const {
    for (const ir::Scalar& inside : all_inside) {
        const ir::NormalForm first = ir::normal_form(at_place(inside, ir::integer(0)), bindings_);
        if (auto witness = facts_->find({ir::negation(first)})) return witness;
    }
    return std::nullopt;
}

// Whether the first place of the list is one of the tensor.
bool PaddingAnalysis::has_a_cell(const Holes& holes) const { return first_is_inside(holes.inside); }
bool PaddingAnalysis::first_is_inside(const std::vector<ir::Scalar>& all_inside) const {
    return std::all_of(all_inside.begin(), all_inside.end(), [&](const ir::Scalar& inside) {
        return facts_->prove(ir::normal_form(at_place(inside, ir::integer(0)), bindings_));
    });
}

// ---- cell by cell

PaddingAnalysis::Listed PaddingAnalysis::listed(const ir::Scalar& cell, const Inputs& inputs,
                                                std::size_t axis) const {
    if (const auto* element = std::get_if<ir::Element>(&cell->node)) {
        const auto i = static_cast<std::size_t>(element->input);
        if (inputs.spread[i]) return {};
        const Holes& holes = inputs.tiles[i]->holes[axis];
        return {holes.inside.empty() ? nullptr : &holes, true};
    }
    if (const auto known = inputs.listed.find(cell); known != inputs.listed.end())
        return known->second;
    const auto* call = std::get_if<ir::Call>(&cell->node);
    Listed made;
    if (call != nullptr && call->function == Function::where) {
        made = listed_choice(*call, inputs, axis);
    } else {
        // The larger of two cells is one of them; a sum is another cell.
        const bool one_of_them =
            call != nullptr && (call->function == Function::max || call->function == Function::min);
        for (const ir::Scalar& part : parts_of(cell))
            made = listed_in_both(made, listed(part, inputs, axis), one_of_them);
    }
    inputs.listed.emplace(cell, made);
    return made;
}

PaddingAnalysis::Listed PaddingAnalysis::listed_in_both(const Listed& a, const Listed& b,
                                                        bool one_of_them) {
    if (!a.along || !b.along) return a.along ? a : b;
    if (a.holes != nullptr && b.holes != nullptr)
        return {a.holes->key == b.holes->key ? a.holes : nullptr, true};
    if (!one_of_them) return {nullptr, true};
    return {a.holes != nullptr ? a.holes : b.holes, true};
}

PaddingAnalysis::Listed PaddingAnalysis::listed_choice(const ir::Call& choice, const Inputs& inputs,
                                                       std::size_t axis) const {
    const ir::Scalar condition = with_known_cells(choice.arguments[0], inputs);
    const std::array<Listed, 2> sides{listed(choice.arguments[1], inputs, axis),
                                      listed(choice.arguments[2], inputs, axis)};
    for (std::size_t left_out = 0; left_out < 2; ++left_out) {
        const Holes* const holes = sides[left_out].holes;
        if (holes == nullptr) continue;
        if (decide(condition, axis, holes->inside) != static_cast<int>(left_out)) continue;
        // There are the other's cells: of a tile, they are what they are in that.
        const Listed& other = sides[1 - left_out];
        return other.along ? other : sides[left_out];
    }
    const Listed chosen = listed_in_both(sides[0], sides[1], true);
    return listed_in_both(chosen, listed(choice.arguments[0], inputs, axis), true);
}

// Whether a choice by places has put a number there, or a tile has it from one.
bool PaddingAnalysis::puts_number(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                  const Holes& holes) const {
    if (std::holds_alternative<ir::Element>(cell->node) ||
        std::holds_alternative<ir::Cast>(cell->node))
        return holes.stated;
    const auto* choice = std::get_if<ir::Call>(&cell->node);
    if (choice == nullptr || choice->function != Function::where) return false;
    const int holds = decide(with_known_cells(choice->arguments[0], inputs), axis, holes.inside);
    return holds >= 0 && !is_tile_along(choice->arguments[holds == 1 ? 1 : 2], inputs);
}

Holes PaddingAnalysis::holes_of(const ir::Scalar& cell, const Inputs& inputs,
                                std::size_t axis) const {
    const Holes* const found = listed(cell, inputs, axis).holes;
    if (found == nullptr) return {};
    Holes made = *found;
    std::optional<FillValue> fill;
    for (const Region& region : regions_of(made.inside, axis)) {
        FillContext context = context_without_cells();
        context.decide = [&](const ir::Scalar& c) {
            return decide(with_known_cells(c, inputs), region);
        };
        context.element = [&](std::int64_t n) {
            const auto i = static_cast<std::size_t>(n);
            const TilePadding& tile = *inputs.tiles[i];
            if (!inputs.spread[i] && tile.holes[axis].key == made.key) return tile.holes[axis].fill;
            const FillValue data = data_there(inputs, i, context.decide);
            const bool may_end = !inputs.spread[i] && tile.axis[axis].padded;
            return may_end ? join(data, tile.axis[axis].fill) : data;
        };
        const FillValue here = evaluate(cell, context);
        fill = fill ? join(*fill, here) : here;
    }
    made.fill = *fill;
    made.stated = puts_number(cell, inputs, axis, made);
    made.total = !mentions_places(cell);
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        made.total = made.total && (inputs.spread[i] || inputs.tiles[i]->holes[axis].total);
    });
    FillContext context = context_of_data(inputs);
    context.element = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        const TilePadding& tile = *inputs.tiles[i];
        const bool listed = !inputs.spread[i] && tile.holes[axis].key == made.key;
        return as_data(listed ? tile.holes[axis].data : tile.data);
    };
    const Region own = where_all_hold(made.inside, axis);
    context.decide = [&](const ir::Scalar& c) {
        return is_of_pad(c) ? 1 : decide(with_known_cells(c, inputs), own);
    };
    made.data = evaluate(cell, context);
    return made;
}

// Holes that met another tile. Zeros are data there; a number computed from them, as exp(0), is
// nothing that anybody wants.
void PaddingAnalysis::lose_holes(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                 AxisPadding& made) const {
    for (const ir::Scalar& part : parts_of(cell)) {
        if (listed(part, inputs, axis).holes == nullptr) {
            lose_holes(part, inputs, axis, made);
            continue;
        }
        const Holes holes = holes_of(part, inputs, axis);
        if (holes.stated || holes.total || is_constant(holes.fill, 0)) continue;
        made.padded = true;
        lose_edge(made, "cells that a list names outside of `" + holes.tensor +
                            "` are combined with another tile");
        made.fill = {};
        made.tensor = holes.tensor;
        made.origin = holes.origin;
    }
}

// ---- reductions and products

void PaddingAnalysis::set_holes(const ir::Apply& n, const TilePadding& source,
                                TilePadding& made) const {
    const std::size_t along = ir::axis_index(n);
    const Holes& mine = source.holes[along];
    made.holes = {};
    switch (n.function) {
        case TileFunction::transpose: made.holes = {source.holes[1], source.holes[0]}; return;
        case TileFunction::convert_layout: made.holes = source.holes; return;
        case TileFunction::slice:
            made.holes = ir::padding::sliced(source, along, n.number).holes;
            for (Holes& holes : made.holes) move_holes(holes, {});
            return;
        case TileFunction::sum:
        case TileFunction::max:
        case TileFunction::min:
        case TileFunction::argmax:
        case TileFunction::argmin: break;
        case TileFunction::cumsum:
            if (mine.inside.empty()) break;
            made.holes[along] = mine;
            made.holes[along].fill = ir::padding::summed(join(mine.fill, source.data));
            made.holes[along].fill = join(constant_fill(0), made.holes[along].fill);
            made.holes[along].data = ir::padding::summed(mine.data);
            // The sum of the data before: that of a list that begins one place earlier leaves out
            // each cell's own.
            made.holes[along].total = true;
            break;
        case TileFunction::exchange:
            if (mine.inside.empty()) break;
            made.holes[along] = mine;
            for (ir::Scalar& inside : made.holes[along].inside)
                inside = at_place(
                    inside, ir::call(Function::bit_xor, {ir::row(), ir::integer(1LL << n.number)}));
            move_holes(made.holes[along], {});
            break;
        case TileFunction::fragments:
        case TileFunction::from_fragments: return;  // cells of other lines meet them
    }
    if (source.holes[1 - along].inside.empty()) return;
    Holes& kept = made.holes[1 - along] = source.holes[1 - along];
    // As padding whose place does not matter.
    TilePadding whole = source;
    whole.axis[1 - along].padded = true;
    whole.axis[1 - along].fill = kept.fill;
    whole.corner = join(kept.fill, source.axis[along].fill);
    kept.fill = ir::rules_of(n).pad(n, whole).axis[1 - along].fill;
    kept.data = made.data;
}

// Rows of the first operand, and columns of the second one.
void PaddingAnalysis::set_holes(const ir::Mma& n, const TilePadding& a, const TilePadding& b,
                                TilePadding& made) const {
    const Dtype dtype = role_->tile(n.result).dtype;
    const auto products = [dtype](const Holes& holes, const AxisPadding& inner,
                                  const TilePadding& other, const AxisPadding& other_inner) {
        Holes result = holes;
        const auto total = [&](const FillValue& x, const FillValue& y) {
            return sum_of_products(x, y, dtype);
        };
        result.fill = total(holes.fill, as_data(other.data));
        result.data = total(holes.data, as_data(other.data));
        if (!inner.padded && !other_inner.padded) return result;
        const FillValue mine = inner.padded ? join(holes.fill, inner.fill) : holes.fill;
        const FillValue theirs = other_inner.padded ? other_inner.fill : as_data(other.data);
        result.fill = padding::apply(Function::add, dtype, {result.fill, total(mine, theirs)});
        return result;
    };
    const AxisPadding& left = a.axis[n.a_transposed ? 0 : 1];
    const AxisPadding& right = b.axis[n.b_transposed ? 1 : 0];
    const Holes& rows = a.holes[n.a_transposed ? 1 : 0];
    const Holes& cols = b.holes[n.b_transposed ? 0 : 1];
    if (!rows.inside.empty()) made.holes[0] = products(rows, left, b, right);
    if (!cols.inside.empty()) made.holes[1] = products(cols, right, a, left);
}

void PaddingAnalysis::add_origin(DiagnosticBuilder& message, const Holes& holes, Span span) {
    const Span& origin = holes.origin;
    const bool around =
        origin.file == span.file && origin.begin <= span.begin && span.end <= origin.end;
    if (around) message.note("the list may contain positions outside of `{}`", holes.tensor);
    else
        message.label(origin, "this slice of `{}` may contain positions outside of it",
                      holes.tensor);
}

void PaddingAnalysis::check_holes(const ir::Apply& n, const TilePadding& source,
                                  double neutral) const {
    const std::size_t axis = ir::axis_index(n);
    const Holes& holes = source.holes[axis];
    const bool nothing =
        is_constant(holes.fill, neutral) && (!finds_place(n.function) || has_a_cell(holes) ||
                                             is_less_than_data(n, holes.fill, holes.data));
    if (nothing || (is_beyond(n, holes.fill, source.data) && has_a_cell(holes))) {
        note_proof(op_->span, name(n.function),
                   fmt::format("list positions outside of `{}` hold {} along axis {}", holes.tensor,
                               text(holes.fill), n.axis));
        return;
    }
    if (is_reported(n.source, axis)) return;
    reported_axes_[n.result.id] |= 1U << axis;
    const auto found = sites_.reductions.find({role_->name, n.result.id});
    const Span span = found == sites_.reductions.end() ? op_->span : found->second.span;
    DiagnosticBuilder message =
        diag_.error(span, msg::padding_reduced, name(n.function), n.axis, text(holes.fill));
    if (found != sites_.reductions.end()) add_calls(message, found->second.calls);
    add_origin(message, holes, span);
    if (is_constant(holes.fill, neutral)) return explain_first(message, n);
    advise_pad(message, n);
}

// One operand must be 0 there, and the other a number, which data are taken to be.
void PaddingAnalysis::check_holes(const ir::Mma& n, const TilePadding& a,
                                  const TilePadding& b) const {
    const std::size_t left_axis = n.a_transposed ? 0 : 1;
    const std::size_t right_axis = n.b_transposed ? 1 : 0;
    const Holes& left = a.holes[left_axis];
    const Holes& right = b.holes[right_axis];
    const auto harmless = [&](const Holes& x, const Holes& other, ir::Value tile,
                              std::size_t axis) {
        if (x.inside.empty() || is_constant(x.fill, 0)) return true;
        const bool zero =
            (other.key == x.key && is_constant(other.fill, 0)) ||
            is_zero_where(tile, [&](const ir::Scalar& c) { return decide(c, axis, x.inside); });
        return zero &&
               is_constant(padding::apply(Function::mul, Dtype::f32, {constant_fill(0), x.fill}),
                           0);
    };
    const bool of_b = harmless(left, right, n.b, right_axis);
    if (of_b && harmless(right, left, n.a, left_axis)) return;
    if (is_reported(n.a, left_axis) || is_reported(n.b, right_axis)) return;
    reported_axes_[n.result.id] = 3;
    const Holes& bad = of_b ? right : left;
    const checker::ProductSite* const site = site_of(n);
    const Span span = site == nullptr ? op_->span : of_b ? site->b.span : site->a.span;
    DiagnosticBuilder message = diag_.error(span, msg::padding_multiplied, text(bad.fill));
    if (site != nullptr) add_calls(message, site->calls);
    add_origin(message, bad, span);
    advise_pad(message, n, of_b);
}

}  // namespace tkc::checks::padding
