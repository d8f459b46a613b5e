// What lies past the edge of a tile and is written to memory, or becomes a number.
//
// A store writes no cell that lies outside of its target. So padding stays where it is if the
// target ends where the tile's data do, or before. Where the target goes on, padding would be
// written to cells that hold something else, or be added to them. It must be 0 there, or what the
// author means to have there.
#include <fmt/format.h>

#include <cmath>

#include "checks/padding/analysis.h"
#include "tiles/tile_function.h"

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

// In a workspace of whole blocks, some number past the edge is as good as any. A number that is
// known to be other than 0 is a mistake: an exponential of nothing.
bool is_other_than_0(const FillValue& x) {
    const ir::RealBounds bounds = bounds_of(x);
    const bool number = x.kind == FillValue::Kind::number;
    return (x.kind == FillValue::Kind::constant && x.value != 0) || is_positive(x) ||
           (number && (bounds.least > 0 || bounds.most < 0));
}

bool is_foreign(const FillValue& x) { return x.kind == FillValue::Kind::foreign; }

std::string in_words(const std::optional<ir::Witness>& witness) {
    return !witness || witness->text.empty() ? "" : " with " + witness->text;
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

// Whether padding is written in some launch, and in which. Where tiles of several places meet, that
// of one of them begins at the first place.
std::optional<ir::Witness> PaddingAnalysis::written(
    const AxisPadding& padding, const std::vector<ir::NormalForm>& cells) const {
    if (!begin_of(padding)) return std::nullopt;
    const ir::NormalForm from = ir::normal_form(begin_of(padding), bindings_);
    std::vector<ir::NormalForm> goals = {ir::at_least_zero(from)};
    for (const ir::NormalForm& end : cells)
        goals.push_back(ir::at_least_zero(end - from - ir::NormalForm(1)));
    return facts_->find(goals);
}

// The same of cells where one of these conditions fails, at either end of a slice or in a list. Of
// lists, a few places are tried.
std::optional<ir::Witness> PaddingAnalysis::written(
    const std::vector<ir::Scalar>& all_inside, const ir::Range* target, std::int64_t length,
    const std::vector<ir::NormalForm>& cells) const {
    for (const std::int64_t place : std::set<std::int64_t>{0, 1 % length, length / 2, length - 1}) {
        for (const ir::Scalar& inside : all_inside) {
            std::vector<ir::NormalForm> goals = {
                ir::negation(ir::normal_form(at_place(inside, ir::integer(place)), bindings_))};
            for (const ir::NormalForm& end : cells)
                goals.push_back(ir::at_least_zero(end - ir::NormalForm(place + 1)));
            if (target != nullptr && target->kind == ir::Range::Kind::span)
                goals.push_back(ir::at_least_zero(
                    ir::normal_form(expanded(target->base), bindings_) + ir::NormalForm(place)));
            if (auto witness = facts_->find(goals)) return witness;
        }
    }
    return std::nullopt;
}

// Whether the padding must not be written, if the target goes on.
bool PaddingAnalysis::may_not_be_written(const ir::Store& n, const AxisPadding& padding,
                                         std::int64_t length,
                                         const std::vector<ir::NormalForm>& cells) const {
    // At both ends, padding of a slice is there in every step.
    if (padding.changed && padding.inside.empty()) return true;
    if (is_constant(padding.fill, 0)) return false;
    const ir::Mode mode = ir::find_tensor(kernel_, n.target.tensor)->mode;
    const bool adds = mode == ir::Mode::accumulate;
    // `pad(.., with = -1)` is what the author wants to have there. Infinity changes nothing in a
    // maximum, and serves there.
    const bool stated = padding.stated && !adds && !std::isinf(padding.fill.value);
    if (stated || (padding.meant && !adds) || (padding.total && length == 1)) return false;
    if (is_other_than_0(padding.fill) || !padding.inside.empty()) return true;
    if (!padding.edge) return adds;  // else it may be data of a tile that is joined
    const bool read_again = mode == ir::Mode::scratch || mode == ir::Mode::inout;
    return adds || read_again || !is_of_blocks(padding, length, cells);
}

// Whether the target is made of whole blocks, of which some have no data in their last cells: its
// edge cuts no tile, and where the data end is another cell for each program or step.
bool PaddingAnalysis::is_of_blocks(const AxisPadding& padding, std::int64_t length,
                                   const std::vector<ir::NormalForm>& cells) const {
    const auto moves = [&](const std::string& symbol) { return steps_.contains(symbol); };
    const std::set<std::string> symbols =
        ir::symbols_of(ir::substitute(padding.edge, kernel_lets_));
    return std::any_of(symbols.begin(), symbols.end(), moves) &&
           std::all_of(cells.begin(), cells.end(), [&](const ir::NormalForm& end) {
               return facts_->prove_at_least(end, length);
           });
}

// Padding may be stored to scratch that goes on, where it is 0 or a number of the author's. What
// reads it there must not take it for data: the maximum of a line with zeros at its end.
void PaddingAnalysis::note_padding_of_scratch(const ir::Store& n) {
    const ir::Tensor& tensor = *ir::find_tensor(kernel_, n.target.tensor);
    if (tensor.mode != ir::Mode::scratch) return;
    const SharedTile& source = shared(n.source);
    const auto ranges = ranges_of(n.target, role_->tile(n.source));
    for (std::size_t i = 0; i < 2; ++i) {
        if (!ranges[i]) continue;
        const ir::Range& range = n.target.ranges[*ranges[i]];
        const AxisPadding& axis = source->axis[i];
        StoredPadding made;
        const bool number =
            !axis.padded && source->made_up[i] && source->data.kind == FillValue::Kind::constant;
        if (number) made.fill = source->data;
        if (axis.padded && axis.edge && !range.edge && range.kind != ir::Range::Kind::gather &&
            axis.fill.kind == FillValue::Kind::constant) {
            const ir::Scalar base =
                range.kind == ir::Range::Kind::whole ? ir::integer(0) : expanded(range.base);
            const std::string end = ir::normal_form(ir::add(base, axis.edge), bindings_).key();
            const ir::Scalar& own = tensor.extents[*ranges[i]];
            const bool outside = ir::normal_form(own, bindings_).key() == end;
            for (const ir::Tensor& other : kernel_.tensors) {
                if (outside) break;
                for (const ir::Scalar& extent : other.extents) {
                    if (ir::normal_form(extent, bindings_).key() == end) made.end = extent;
                }
            }
            if (made.end) made.fill = axis.fill;
        }
        const auto [known, first] = stored_padding_.try_emplace({tensor.name, *ranges[i]}, made);
        if (first) continue;
        StoredPadding& old = known->second;
        const bool either =
            number || (old.end == nullptr && old.fill.kind == FillValue::Kind::constant);
        const bool same = old.end && made.end && ir::same(old.end, made.end);
        if (!either && !same) old = {};
        else old = {old.end ? old.end : made.end, join(old.fill, made.fill)};
    }
}

const StoredPadding* PaddingAnalysis::padding_of_scratch(const std::string& tensor,
                                                         std::size_t at) const {
    const auto found = stored_padding_.find({tensor, at});
    return found == stored_padding_.end() || !found->second.end ? nullptr : &found->second;
}

void PaddingAnalysis::check_store(const ir::Store& n) const {
    const TilePadding source = of(n.source);
    const ir::TileType& type = role_->tile(n.source);
    const auto ranges = ranges_of(n.target, type);
    const bool adds = ir::find_tensor(kernel_, n.target.tensor)->mode == ir::Mode::accumulate;
    std::array<std::vector<ir::NormalForm>, 2> cells;
    std::array<bool, 2> outside{};  // no padding along this axis is written
    for (std::size_t i = 0; i < 2; ++i) {
        cells[i] = cells_in(n.target, ranges[i]);
        const AxisPadding& axis = source.axis[i];
        outside[i] = !axis.padded ||
                     std::any_of(cells[i].begin(), cells[i].end(),
                                 [&](const ir::NormalForm& end) { return begins_at(axis, end); });
    }
    if (is_foreign(source.data)) return report_stored(n, 0, source.data, adds, std::nullopt);
    for (std::size_t i = 0; i < 2; ++i) {
        if (outside[i] || is_reported(n.source, i)) continue;
        const bool both = source.axis[1 - i].padded && !outside[1 - i];
        const FillValue& fill = source.axis[i].fill;
        if (is_foreign(fill) || (both && is_foreign(source.corner))) {
            report_stored(n, i, is_foreign(fill) ? fill : source.corner, adds, std::nullopt);
            return;
        }
        const std::int64_t length = i == 0 ? type.rows : type.cols;
        AxisPadding padding = source.axis[i];
        if (!may_not_be_written(n, padding, length, cells[i])) {
            // What lies past both edges may be other than what lies past each of them.
            const auto is_corner = [&](const AxisPadding& axis) {
                return axis.meant || (axis.fill.kind == FillValue::Kind::constant &&
                                      is_constant(source.corner, axis.fill.value));
            };
            if (!both || is_corner(source.axis[0]) || is_corner(source.axis[1])) continue;
            padding.fill = source.corner;
            padding.stated = false;
            if (!may_not_be_written(n, padding, length, cells[i])) continue;
        }
        const ir::Range* const range = ranges[i] ? &n.target.ranges[*ranges[i]] : nullptr;
        const std::optional<ir::Witness> witness =
            padding.inside.empty() ? written(padding, cells[i])
                                   : written(padding.inside, range, length, cells[i]);
        const bool anywhere =
            adds && !begin_of(padding) && padding.inside.empty() && !padding.among_data;
        if (!witness && !anywhere) continue;
        report_stored(n, i, padding.fill, adds, witness);
        return;
    }
    for (std::size_t i = 0; i < 2; ++i) {
        const Holes& holes = source.holes[i];
        const bool harmless = holes.inside.empty() || is_constant(holes.fill, 0) ||
                              ((holes.stated || holes.total) && !adds) || is_reported(n.source, i);
        if (harmless) continue;
        const ir::Range* const range = ranges[i] ? &n.target.ranges[*ranges[i]] : nullptr;
        const auto witness = written(holes.inside, range, i == 0 ? type.rows : type.cols, cells[i]);
        if (!witness) continue;
        DiagnosticBuilder message =
            diag_.error(op_->span, msg::padding_stored, text(holes.fill),
                        adds ? "added to" : "stored to", n.target.tensor, in_words(witness));
        add_origin(message, holes, op_->span);
        message.help("write `pad(.., axis = {}, with = 0)` around the tile", i);
        return;
    }
}

void PaddingAnalysis::report_stored(const ir::Store& n, std::size_t axis, const FillValue& fill,
                                    bool adds, const std::optional<ir::Witness>& witness) const {
    const TilePadding source = of(n.source);
    const AxisPadding& padding =
        source.axis[axis].padded ? source.axis[axis] : source.axis[1 - axis];
    DiagnosticBuilder message =
        diag_.error(op_->span, msg::padding_stored, text(fill), adds ? "added to" : "stored to",
                    n.target.tensor, in_words(witness));
    add_origin(message, padding, op_->span);
    if (!padding.edge && !padding.lost.empty())
        message.note("its start is unknown: {}", padding.lost);
    if (is_foreign(fill)) {
        message.help(
            "write `load`, which returns zeros there; or store to a view that ends with the data");
        return;
    }
    if (padding.changed) return explain_changed(message, axis);
    if (!padding.edge) {
        message.help("pad each tile with 0 before combining it with others");
        return;
    }
    message.help("write `pad(.., axis = {}, with = 0)` around the tile", axis);
}

// Whether padding must not become data. The last cell of a running sum is the sum of the line,
// where that has added zeros.
bool PaddingAnalysis::may_not_be_read(const AxisPadding& padding) {
    if (padding.changed) return true;
    if (is_constant(padding.fill, 0)) return false;
    if (padding.stated || padding.meant || padding.total || padding.allowed) return false;
    // Of tiles that are joined, it may be data of one.
    return padding.edge != nullptr || !padding.inside.empty() || is_other_than_0(padding.fill);
}

// A number that a tile of one cell is read as, and a row or column that goes with every cell of its
// line: `carry = carry + c[:, 63 +: 1]`. From here on it is data.
void PaddingAnalysis::check_single(ir::Value v) const {
    const ir::TileType& type = role_->tile(v);
    if (type.rows != 1 && type.cols != 1) return;
    const TilePadding source = of(v);
    const ir::NormalForm one(1);
    for (std::size_t i = 0; i < 2; ++i) {
        const AxisPadding& axis = source.axis[i];
        if ((i == 0 ? type.rows : type.cols) != 1 || is_reported(v, i)) continue;
        const bool past = axis.padded && !begins_at(axis, one);
        const bool number = type.rows == type.cols;
        const bool neighbor =
            (past && is_foreign(axis.fill)) || (number && is_foreign(source.data));
        std::optional<ir::Witness> witness;
        if (!neighbor && past && may_not_be_read(axis))
            witness = axis.inside.empty() ? written(axis, {one}) : first_is_outside(axis.inside);
        const Holes& holes = source.holes[i];
        const bool listed = !neighbor && !witness && !holes.inside.empty() && !holes.stated &&
                            !holes.total && !is_constant(holes.fill, 0);
        if (listed) witness = first_is_outside(holes.inside);
        if (!neighbor && !witness) continue;
        reported_axes_[v.id] |= 3;
        const FillValue& fill = is_foreign(source.data) ? source.data
                                : listed                ? holes.fill
                                                        : axis.fill;
        DiagnosticBuilder message = diag_.error(op_->span, msg::padding_read,
                                                number   ? "number"
                                                : i == 0 ? "row"
                                                         : "column",
                                                text(fill), in_words(witness));
        if (listed) add_origin(message, holes, op_->span);
        else add_origin(message, axis, op_->span);
        if (neighbor)
            message.help(
                "write `load`, which returns zeros there; or `allow_foreign` after the load, if "
                "this cell belongs to the program");
        else if (axis.changed) explain_changed(message, i);
        else message.help("write `pad(.., axis = {}, with = 0)` around the tile", i);
        return;
    }
}

// How far the edge lies from the last one that cuts no cells that change places.
ir::NormalForm PaddingAnalysis::place_in_pair(const ir::Apply& n, const ir::Scalar& edge) const {
    const std::int64_t pair = std::int64_t{2} << n.number;
    return ir::normal_form(ir::call(Function::mod, {edge, ir::integer(pair)}), bindings_);
}

bool PaddingAnalysis::exchanges_whole_pairs(const ir::Apply& n, const AxisPadding& padding) const {
    return n.function == TileFunction::exchange && padding.edge &&
           facts_->prove_at_least(-place_in_pair(n, padding.edge), 0);
}

// Numbers past the edge that change places with data.
void PaddingAnalysis::check_exchange(const ir::Apply& n) const {
    const std::size_t axis = ir::axis_index(n);
    const AxisPadding padding = with_edges(of(n.source), n.source).axis[axis];
    if (!padding.padded || padding.stated || is_constant(padding.fill, 0)) return;
    if (!padding.edge) {
        if (is_other_than_0(padding.fill)) report_included_padding(n, of(n.source));
        return;
    }
    const ir::TileType& type = role_->tile(n.source);
    const ir::NormalForm from = ir::normal_form(padding.edge, bindings_);
    const ir::NormalForm place = place_in_pair(n, padding.edge);
    const bool apart =
        facts_
            ->find({ir::at_least_zero(from), ir::at_least_zero(place - ir::NormalForm(1)),
                    ir::at_least_zero(ir::NormalForm(axis == 0 ? type.rows : type.cols) - from)})
            .has_value();
    if (apart) report_included_padding(n, of(n.source));
}

}  // namespace tkc::checks::padding
