// What lies past the edge of a tile and is written to memory, or becomes a number.
//
// A store writes no cell that lies outside of its target. So padding stays where it is if the
// target ends where the tile's data do, or before. Where the target goes on, padding would be
// written to cells that hold something else, or be added to them.
#include <fmt/format.h>

#include "checks/padding/analysis.h"

namespace tkc::checks::padding {

namespace {

// The ranges of a slice that are axes of the tile, by axis. Null: the tile has one cell there.
std::array<std::optional<std::size_t>, 2> ranges_of(const ir::Slice& slice,
                                                    const ir::TileType& type) {
    std::array<std::optional<std::size_t>, 2> found;
    std::vector<std::size_t> ranges;
    for (std::size_t i = 0; i < slice.ranges.size(); ++i) {
        if (slice.ranges[i].kind != ir::Range::Kind::index) ranges.push_back(i);
    }
    if (ranges.size() == 1) found[type.rows == 1 ? 1 : 0] = ranges[0];
    for (std::size_t i = 0; ranges.size() == 2 && i < 2; ++i) found[i] = ranges[i];
    return found;
}

// What is added changes something. Of some number nobody knows: in a workspace of whole blocks,
// sums past the edge are as good as any.
bool is_other_than_0(const FillValue& x) {
    const ir::RealBounds bounds = bounds_of(x);
    const bool number = x.kind == FillValue::Kind::number;
    return (x.kind == FillValue::Kind::constant && x.value != 0) || is_positive(x) ||
           (number && (bounds.least > 0 || bounds.most < 0));
}

}  // namespace

// Whether the padding begins at `cells` or past it.
bool PaddingAnalysis::begins_at(const AxisPadding& padding, const ir::NormalForm& cells) const {
    const ir::Scalar& begin = begin_of(padding);
    return begin && facts_->prove_at_least(ir::normal_form(begin, bindings_) - cells, 0);
}

// How many cells of the tile lie in the target along an axis: the least of these.
std::vector<ir::NormalForm> PaddingAnalysis::cells_in(const ir::Slice& target,
                                                      std::optional<std::size_t> at) const {
    if (!at) return {ir::NormalForm(1)};
    const ir::Range& range = target.ranges[*at];
    const bool gather = range.kind == ir::Range::Kind::gather;
    // As of_slice() has the edge of what is loaded, so that what wraps is equal, too.
    const auto from_base = [&](const ir::Scalar& end) {
        const bool span = range.kind == ir::Range::Kind::span;
        return ir::normal_form(span ? ir::sub(end, expanded(range.base)) : end, bindings_);
    };
    std::vector<ir::NormalForm> made;
    if (range.kind != ir::Range::Kind::whole) made.emplace_back(range.length);
    if (range.edge) made.push_back(from_base(expanded(range.edge)));
    if (!gather) made.push_back(from_base(ir::find_tensor(kernel_, target.tensor)->extents[*at]));
    return made;
}

// Whether padding is written in some launch, and in which. Where only a place is known before which
// there is none, no launch shows it.
std::optional<ir::Witness> PaddingAnalysis::written(
    const AxisPadding& padding, const std::vector<ir::NormalForm>& cells) const {
    if (!padding.edge) return std::nullopt;
    const ir::NormalForm from = ir::normal_form(padding.edge, bindings_);
    std::vector<ir::NormalForm> goals = {ir::at_least_zero(from)};
    for (const ir::NormalForm& end : cells)
        goals.push_back(ir::at_least_zero(end - from - ir::NormalForm(1)));
    return facts_->find(goals);
}

void PaddingAnalysis::check_store(const ir::Store& n) const {
    const TilePadding source = of(n.source);
    const auto ranges = ranges_of(n.target, role_->tile(n.source));
    const bool adds = ir::find_tensor(kernel_, n.target.tensor)->mode == ir::Mode::accumulate;
    const auto foreign = [](const FillValue& x) { return x.kind == FillValue::Kind::foreign; };
    std::array<std::vector<ir::NormalForm>, 2> cells;
    std::array<bool, 2> outside{};  // no padding along this axis is written
    for (std::size_t i = 0; i < 2; ++i) {
        cells[i] = cells_in(n.target, ranges[i]);
        const AxisPadding& axis = source.axis[i];
        outside[i] = !axis.padded ||
                     std::any_of(cells[i].begin(), cells[i].end(),
                                 [&](const ir::NormalForm& end) { return begins_at(axis, end); });
    }
    if (foreign(source.data)) return report_stored(n, 0, source.data, adds, nullptr);
    for (std::size_t i = 0; i < 2; ++i) {
        if (outside[i] || is_spoiled(n.source, i)) continue;
        const bool both = source.axis[1 - i].padded && !outside[1 - i];
        const FillValue& fill = source.axis[i].fill;
        if (foreign(fill) || (both && foreign(source.corner))) {
            report_stored(n, i, foreign(fill) ? fill : source.corner, adds, nullptr);
            return;
        }
        if (!adds || !is_other_than_0(fill)) continue;
        const std::optional<ir::Witness> witness = written(source.axis[i], cells[i]);
        if (!witness) continue;
        report_stored(n, i, fill, adds, &*witness);
        return;
    }
}

void PaddingAnalysis::report_stored(const ir::Store& n, std::size_t axis, const FillValue& fill,
                                    bool adds, const ir::Witness* witness) const {
    const TilePadding source = of(n.source);
    const AxisPadding& padding =
        source.axis[axis].padded ? source.axis[axis] : source.axis[1 - axis];
    DiagnosticBuilder message =
        diag_.error(op_->span, msg::padding_stored, text(fill), adds ? "added to" : "stored to",
                    n.target.tensor,
                    witness == nullptr || witness->text.empty() ? "" : " with " + witness->text);
    add_origin(message, padding, op_->span);
    if (!padding.edge && !padding.lost.empty())
        message.note("where it begins is lost: {}", padding.lost);
    if (fill.kind == FillValue::Kind::foreign) {
        message.help(
            "write `load`, which gives zeros there; or store to a view that ends with the data");
        return;
    }
    message.help("write `pad(.., axis = {}, with = 0)` around the tile", axis);
}

// A number that a tile of one cell is read as.
void PaddingAnalysis::check_number(const ir::ReadNumber& n) const {
    const TilePadding source = of(n.source);
    const auto foreign = [](const FillValue& x) { return x.kind == FillValue::Kind::foreign; };
    for (std::size_t i = 0; i < 2; ++i) {
        const AxisPadding& axis = source.axis[i];
        const bool past = axis.padded && foreign(axis.fill) && !begins_at(axis, ir::NormalForm(1));
        if ((!past && !foreign(source.data)) || is_spoiled(n.source, i)) continue;
        DiagnosticBuilder message = diag_.error(op_->span, msg::padding_read);
        add_origin(message, axis, op_->span);
        message.help("write `load`, which gives zeros there");
        return;
    }
}

}  // namespace tkc::checks::padding
