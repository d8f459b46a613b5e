// Maxima and minima of the tile at hand.
//
// In exp(x - top), x is -inf past the edge, and top may be -inf, which makes NaN of it. But if top
// is the maximum of the lines of x, or more than that, it is -inf only where all cells of the line
// are, or are NaN: then the padding is what the line's own cells are. The same holds of minima and
// of inf. So of such a number, that one value can only be NaN.
#include <algorithm>

#include "checks/padding/analysis.h"

namespace tkc::checks::padding {

namespace {

void join_sets(std::set<std::uint32_t>& all, const std::set<std::uint32_t>& more) {
    all.insert(more.begin(), more.end());
}

}  // namespace

void keep_common(std::map<std::uint32_t, Extremes>& a, const std::map<std::uint32_t, Extremes>& b) {
    const auto keep = [](std::set<std::uint32_t>& mine, const std::set<std::uint32_t>& theirs) {
        std::erase_if(mine, [&](std::uint32_t tile) { return !theirs.contains(tile); });
    };
    const Extremes nothing;
    for (auto& [id, known] : a) {
        const auto other = b.find(id);
        const Extremes& theirs = other == b.end() ? nothing : other->second;
        keep(known.most, theirs.most);
        keep(known.least, theirs.least);
    }
    std::erase_if(a, [&](const auto& known) { return known.second == nothing; });
}

void PaddingAnalysis::forget_extremes(ir::Value v) {
    state_->extremes.erase(v.id);
    for (auto& [id, known] : state_->extremes) {
        known.most.erase(v.id);
        known.least.erase(v.id);
    }
}

void PaddingAnalysis::note_extremes(const ir::Apply& n) {
    if (n.function == TileFunction::max) state_->extremes[n.result.id].most = {n.source.id};
    if (n.function == TileFunction::min) state_->extremes[n.result.id].least = {n.source.id};
}

// `max(top, next)` is no less than either.
void PaddingAnalysis::note_extremes(const ir::Map& n) {
    const auto* call = std::get_if<ir::Call>(&n.expression->node);
    const bool most = call != nullptr && call->function == Function::max;
    const bool least = call != nullptr && call->function == Function::min;
    if (!most && !least) return;
    Extremes made;
    for (const ir::Scalar& argument : call->arguments) {
        const auto* element = std::get_if<ir::Element>(&argument->node);
        if (element == nullptr) continue;
        const ir::Value tile = n.inputs[static_cast<std::size_t>(element->input)];
        const auto known = state_->extremes.find(tile.id);
        if (known == state_->extremes.end()) continue;
        if (most) join_sets(made.most, known->second.most);
        else join_sets(made.least, known->second.least);
    }
    made.most.erase(n.result.id);
    made.least.erase(n.result.id);
    if (!(made == Extremes{})) state_->extremes[n.result.id] = made;
}

// A number of the line, next to padding of the tiles of which it is the maximum or minimum.
FillValue PaddingAnalysis::beside_extreme(FillValue number, const Inputs& inputs, std::size_t input,
                                          std::size_t axis) const {
    const auto known = state_->extremes.find(inputs.values[input].id);
    if (known == state_->extremes.end() || number.kind != FillValue::Kind::number) return number;
    const ir::RealBounds finite = ir::finite_bounds(role_->tile(inputs.values[input]).dtype);
    for (std::size_t i = 0; i < inputs.tiles.size(); ++i) {
        const AxisPadding& padding = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i] || !padding.padded) continue;
        const std::uint32_t tile = inputs.values[i].id;
        const bool most = known->second.most.contains(tile) &&
                          is_constant(padding.fill, -HUGE_VAL) &&
                          number.bounds.least < finite.least;
        const bool least = known->second.least.contains(tile) &&
                           is_constant(padding.fill, HUGE_VAL) && number.bounds.most > finite.most;
        if (most) {
            number.bounds.least = finite.least;
            number.written.least = false;
        }
        if (least) {
            number.bounds.most = finite.most;
            number.written.most = false;
        }
        if (most || least) number.nan = std::max(number.nan, Cause::same);
    }
    return number;
}

}  // namespace tkc::checks::padding
