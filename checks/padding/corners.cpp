// What lies past the edges of both axes, the corner.
//
// What AxisPadding::fill says is of the cells past the edge of one axis that lie before the edge of
// the other one. A tile that is made of others may go on past that edge: there it is the corner.
#include "checks/padding/analysis.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

// As joins_neutral, of the padding along both axes: cells that are padding of neither along
// one of them are not in the corner of the resulting tile.
bool PaddingAnalysis::corner_is_neutral(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                                        FillValue* fill) const {
    return joins_neutral(cell, fill, [&](const ir::Scalar& side) {
        TilePadding made;
        made.data = evaluate_data(side, inputs[0]);
        for (std::size_t axis = 0; axis < 2; ++axis)
            made.axis[axis] = of_axis(side, inputs[axis], axis);
        if (made.axis[0].padded && made.axis[1].padded) made.corner = corner_of(side, inputs, made);
        return made;
    });
}

FillValue PaddingAnalysis::corner_of(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                                     const TilePadding& made) const {
    FillValue fill;
    if (corner_is_neutral(cell, inputs, &fill)) return fill;
    std::set<std::int64_t> padded;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const auto i = static_cast<std::size_t>(element->input);
            if (!inputs[axis].spread[i] && inputs[axis].tiles[i]->axis[axis].padded)
                padded.insert(element->input);
        }
    });
    // One tile's corner is that of what is made of it, wherever it begins.
    const bool lost = !made.axis[0].edge || !made.axis[1].edge;
    const bool anywhere = lost && padded.size() > 1;
    FillContext context = context_without_cells();
    context.decide = [&](const ir::Scalar& c) {
        const ir::Scalar known = with_known_cells(c, inputs[0]);
        const int by_row = decide(known, 0, made.axis[0]);
        return by_row >= 0 ? by_row : decide(known, 1, made.axis[1]);
    };
    context.element = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        TilePadding tile = *inputs[0].tiles[i];
        // Along an axis where its padding begins elsewhere, the tile may have none there.
        std::array<bool, 2> elsewhere{};
        for (std::size_t axis = 0; axis < 2; ++axis) {
            AxisPadding& along = tile.axis[axis];
            along.padded = along.padded && !inputs[axis].spread[i];
            elsewhere[axis] = along.padded && !lost && along.key != made.axis[axis].key;
        }
        FillValue found = padding::corner_of(tile);
        if (anywhere && padded.contains(n)) {
            for (const AxisPadding& along : tile.axis)
                if (along.padded) found = join(found, along.fill);
            return join(found, as_data(tile.data));
        }
        const bool data = !tile.axis[0].padded && !tile.axis[1].padded;
        if (data) return data_there(inputs[0], i, context.decide);
        for (std::size_t axis = 0; axis < 2; ++axis) {
            if (elsewhere[axis])
                found = join(found, tile.axis[1 - axis].padded ? tile.axis[1 - axis].fill
                                                               : as_data(tile.data));
        }
        const bool nowhere = elsewhere[0] && elsewhere[1];
        return nowhere ? join(found, as_data(tile.data)) : found;
    };
    return evaluate(cell, context);
}

// What lies past the edge of this axis and of the other one; past this one, if it is the only one.
FillValue PaddingAnalysis::corner_beside(const ir::Scalar& cell,
                                         const std::array<Inputs, 2>& inputs,
                                         std::size_t axis) const {
    TilePadding made;
    for (std::size_t i = 0; i < 2; ++i) made.axis[i] = of_axis(cell, inputs[i], i);
    if (!made.axis[1 - axis].padded) return made.axis[axis].fill;
    return corner_of(cell, inputs, made);
}

// Whether the padding of what is made begins no later than that of an input, of which `alone` says
// that it is the only one with padding along this axis.
bool PaddingAnalysis::begins_with(const AxisPadding& made, const AxisPadding& input,
                                  bool alone) const {
    if (!made.padded) return false;
    const bool one_place = made.key == input.key && made.first_key == input.first_key &&
                           made.inside_key == input.inside_key;
    if (one_place && (made.edge || !made.inside.empty() || alone)) return true;
    if (!made.edge || !begin_of(input)) return false;
    return facts_->prove_at_least(
        ir::normal_form(begin_of(input), bindings_) - ir::normal_form(made.edge, bindings_), 0);
}

// The padding along both axes. Where the tile that is made goes on past the edge of an input along
// one axis, what lies past that edge counts among what the input holds past the edge of the other.
TilePadding PaddingAnalysis::with_corners(const ir::Scalar& cell, ir::Value result,
                                          std::array<Inputs, 2>& inputs) const {
    const ir::TileType& type = role_->tile(result);
    const std::size_t count = inputs[0].tiles.size();
    std::array<std::size_t, 2> padded{};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        for (std::size_t i = 0; i < count; ++i)
            if (!inputs[axis].spread[i] && inputs[axis].tiles[i]->axis[axis].padded) ++padded[axis];
    }
    TilePadding made;
    for (bool open = true; open;) {
        open = false;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            if ((axis == 0 ? type.rows : type.cols) == 1) continue;
            made.axis[axis] = of_axis(cell, inputs[axis], axis);
        }
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::size_t other = 1 - axis;
            for (std::size_t i = 0; i < count; ++i) {
                TilePadding tile = *inputs[axis].tiles[i];
                AxisPadding& along = tile.axis[axis];
                if (inputs[axis].spread[i] || inputs[other].spread[i]) continue;
                if (!along.padded || !tile.axis[other].padded) continue;
                const FillValue either = join(along.fill, tile.corner);
                if (either == along.fill) continue;
                if (begins_with(made.axis[other], tile.axis[other], padded[other] == 1)) continue;
                along.fill = either;
                along.repeats = Repeats::no;
                inputs[axis].tiles[i] = SharedTile(std::move(tile));
                open = true;
            }
        }
        if (!open) break;
        for (Inputs& along : inputs) along.forget();
    }
    return made;
}

// ---- what was left open

// `where(n.start + col < m.start + row, x, v)` is v past the last column in all rows of the data,
// and not in those past the last row. What AxisPadding::fill says is of the first alone, and what
// lies past both edges is the corner. So what was left open is asked again, of cells before the
// other edge, and with all choices of a cell at once.
void PaddingAnalysis::look_again(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                                 TilePadding& made) const {
    const std::array<AxisPadding, 2> first = made.axis;
    const ir::Scalar joined = with_joined_choices(cell, inputs[0]);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (!first[axis].padded || first[axis].fill.kind == FillValue::Kind::constant) continue;
        if (!first[1 - axis].edge && joined == cell) continue;
        Inputs beside = inputs[axis];
        beside.forget();
        beside.other_end = first[1 - axis].edge;
        const AxisPadding known = of_axis(joined, beside, axis);
        // The corner uses the edges: another one would leave cells that nothing is said of.
        const bool one_place = known.padded && known.key == first[axis].key &&
                               known.first_key == first[axis].first_key &&
                               known.inside_key == first[axis].inside_key;
        if (one_place) made.axis[axis] = known;
    }
}

}  // namespace tkc::checks::padding
