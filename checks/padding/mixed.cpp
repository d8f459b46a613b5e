// What becomes of sums that take in padding which may be NaN.
//
// Past the edge, x * s is 0, or NaN where s is infinite. Then x * s is infinite or NaN in the row's
// own cells as well, so a sum may take both in: it is NaN where it would be infinite. Such a sum is
// marked, and so is all that is made of it. What decides by it, as a comparison does, would make a
// wrong finite number of NaN, and is refused.
#include <fmt/format.h>

#include "checks/padding/analysis.h"
#include "tiles/tile_function.h"

namespace tkc::checks::padding {

namespace {

bool is_mixing(const FillValue& fill) {
    return is_number(fill) && (fill.nan == Cause::own || fill.nan == Cause::large);
}

}  // namespace

std::uint32_t PaddingAnalysis::mixed_by(ir::Value result, std::string what, std::size_t axis,
                                        const AxisPadding& padding) const {
    for (std::size_t i = 0; i < mixings_.size(); ++i) {
        if (mixings_[i].role != role_->name || mixings_[i].result != result.id) continue;
        mixings_[i].padding = padding;
        return static_cast<std::uint32_t>(i + 1);
    }
    mixings_.push_back({role_->name, result.id, std::move(what), axis, padding, op_->span});
    return static_cast<std::uint32_t>(mixings_.size());
}

std::uint32_t PaddingAnalysis::mixed_by(const ir::Mma& n, const AxisPadding& padding) const {
    const std::uint32_t made = mixed_by(n.result, "", 0, padding);
    const checker::ProductSite* const site = site_of(n);
    if (site != nullptr) mixings_[made - 1].span = join(site->a.span, site->b.span);
    return made;
}

// Marks data that took such padding in.
void PaddingAnalysis::mix(FillValue& data, std::uint32_t by, const FillValue& fill) {
    data.mixed = by;
    data.mixed_finite = fill.nan == Cause::large;
}

// A function along an axis: whether its results are mixed, and whether it decides by such cells.
void PaddingAnalysis::follow_mixed(const ir::Apply& n, const AxisPadding& included_padding,
                                   const FillValue& data, TilePadding& made) const {
    const bool takes = ir::rules_of(n).neutral(role_->tile(n.source).dtype).has_value();
    made.data.mixed = data.mixed;
    made.data.mixed_finite = data.mixed_finite;
    if (takes && included_padding.padded && is_mixing(included_padding.fill) &&
        !repeats_last_cell(n, included_padding))
        mix(made.data,
            mixed_by(n.result, std::string(name(n.function)), ir::axis_index(n), included_padding),
            included_padding.fill);
    if (data.mixed == 0) return;
    switch (n.function) {
        case TileFunction::argmax:
        case TileFunction::argmin:
            report_mixed(data);
            made.data.mixed = 0;
            return;
        case TileFunction::max:
        case TileFunction::min: made.data.mixed_finite = true; return;
        case TileFunction::sum:
        case TileFunction::cumsum:
        case TileFunction::exchange:
        case TileFunction::fragments:
        case TileFunction::from_fragments:
        case TileFunction::transpose:
        case TileFunction::convert_layout:
        case TileFunction::slice: return;
    }
}

// Cells that join two tiles, `v + x * s`: past the edge of x, those of v meet what may be NaN. What
// a choice leaves out does not meet them.
void PaddingAnalysis::mix_by_joining(const ir::Map& map, const ir::Scalar& cell,
                                     const std::array<Inputs, 2>& inputs, FillValue& data) const {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr || call->arguments.size() != 2) return;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        for (std::size_t i = 0; i < 2; ++i) {
            const AxisPadding ends = of_axis(call->arguments[i], inputs[axis], axis);
            if (!ends.padded || !is_mixing(ends.fill)) continue;
            const ir::Scalar& other = call->arguments[1 - i];
            const AxisPadding there = of_axis(other, inputs[axis], axis);
            // Of a place that is lost, the result's padding says as much.
            if (!begin_of(ends) || (there.padded && !begin_of(there))) continue;
            const bool ends_too =
                there.padded &&
                (begin_key(there) == begin_key(ends) ||
                 facts_->prove_at_least(ir::normal_form(begin_of(ends), bindings_) -
                                            ir::normal_form(begin_of(there), bindings_),
                                        0));
            const bool no_data = !there.padded && (!is_tile_along(other, inputs[axis]) ||
                                                   evaluate_data(other, inputs[axis]).kind ==
                                                       FillValue::Kind::constant);
            if (ends_too || no_data) continue;
            const std::uint32_t by =
                mixed_by(map.result, std::string(info(call->function).name), axis, ends);
            return mix(data, by, ends.fill);
        }
    }
}

// Elements of a tensor that the kernel writes, which may be infinite and NaN, and mixed if what is
// stored to it is.
FillValue PaddingAnalysis::data_of_tensor(const std::string& tensor) const {
    const auto found = stored_.find(tensor);
    return found == stored_.end() ? finite_fill() : found->second;
}

void PaddingAnalysis::note_stored(const ir::Store& n) {
    note_padding_of_scratch(n);
    const FillValue data = of(n.source).data;
    FillValue& known = stored_.at(n.target.tensor);
    if (data.mixed == 0) return;
    if (known.mixed == 0) known.mixed = data.mixed;
    known.mixed_finite = known.mixed_finite || data.mixed_finite;
}

// What decides: a branch, how often a loop runs, a number that is chosen.
void PaddingAnalysis::check_condition(const ir::Scalar& condition) const {
    if (!settle_) return;
    FillContext context = context_without_cells();
    context.hides = [this](const FillValue& data) { report_mixed(data); };
    static_cast<void>(evaluate(condition, context));
}

void PaddingAnalysis::report_mixed(const FillValue& data) const {
    if (!settle_ || !reported_.insert(data.mixed).second) return;
    const Mixing& origin = mixings_[data.mixed - 1];
    const auto found = sites_.reductions.find({origin.role, origin.result});
    const checker::PaddingSite* const site =
        found == sites_.reductions.end() ? nullptr : &found->second;
    const Span span = site == nullptr ? origin.span : site->span;
    const std::string fill = text(origin.padding.fill);
    DiagnosticBuilder message =
        origin.what.empty()
            ? diag_.error(span, msg::padding_multiplied, fill)
            : diag_.error(span, msg::padding_reduced, origin.what, origin.axis, fill);
    if (site != nullptr) add_calls(message, site->calls);
    add_origin(message, origin.padding, span);
    message.label(op_->span,
                  "a value computed from that is compared here, where NaN and infinity differ");
    if (origin.what.empty()) message.help("write `pad(.., with = 0)` around the computed operand");
    else
        message.help("write `pad({}, axis = {}, with = 0)`",
                     site == nullptr || !site->calls.empty() ? ".." : site->argument, origin.axis);
}

}  // namespace tkc::checks::padding
