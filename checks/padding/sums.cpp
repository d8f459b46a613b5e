// The padding that products and reductions take in.
#include <fmt/format.h>

#include <cmath>

#include "checks/padding/analysis.h"
#include "tiles/tile_function.h"

namespace tkc::checks::padding {

namespace {

// `shared(pad(x, axis = 0, with = 0)).T` for `shared(x).T`: registers are padded, and then shared.
std::string padded_operand(const checker::ProductSite::Operand& operand, int axis,
                           bool transposed) {
    std::string_view x = operand.written;
    if (transposed && x.ends_with(".T")) x.remove_suffix(2);
    constexpr std::string_view opening = "shared(";
    if (x.starts_with(opening) && x.ends_with(")")) {
        x.remove_prefix(opening.size());
        x.remove_suffix(1);
    }
    const std::string padded = fmt::format("pad({}, axis = {}, with = 0)", x, axis);
    return operand.shared ? fmt::format("shared({}){}", padded, transposed ? ".T" : "") : padded;
}

// What a product takes of its operand: of f32, as tf32.
TilePadding as_operand(TilePadding tile, Dtype dtype) {
    tile = as_cells(std::move(tile), dtype);
    if (dtype != Dtype::f32) return tile;
    ir::padding::for_each_fill(tile, [](FillValue& x) { x = ir::padding::as_tf32(x); });
    return tile;
}

// Whether cells of the result are other numbers than those of the tile.
bool computes(TileFunction function) {
    switch (function) {
        case TileFunction::transpose:
        case TileFunction::convert_layout:
        case TileFunction::slice: return false;
        case TileFunction::sum:
        case TileFunction::max:
        case TileFunction::min:
        case TileFunction::argmax:
        case TileFunction::argmin:
        case TileFunction::cumsum:
        case TileFunction::exchange:
        case TileFunction::fragments:
        case TileFunction::from_fragments: return true;
    }
    return true;
}

// Whether cells come from other places of the tile.
bool mixes_cells(TileFunction function) {
    switch (function) {
        case TileFunction::exchange:
        case TileFunction::fragments:
        case TileFunction::from_fragments: return true;
        case TileFunction::transpose:
        case TileFunction::convert_layout:
        case TileFunction::slice:
        case TileFunction::sum:
        case TileFunction::max:
        case TileFunction::min:
        case TileFunction::argmax:
        case TileFunction::argmin:
        case TileFunction::cumsum: return false;
    }
    return true;
}

}  // namespace

bool finds_place(TileFunction function) {
    return function == TileFunction::argmax || function == TileFunction::argmin;
}

FillValue sum_of_products(const FillValue& x, const FillValue& y, Dtype dtype) {
    return summed(padding::apply(Function::mul, dtype, {x, y}));
}

// ---- functions of tiles, and products

// Whether no cell of the data is beyond the padding that a maximum or minimum takes in. It must be
// decided by numbers that are finite for certain, and the line must have a cell.
bool PaddingAnalysis::is_beyond(const ir::Apply& n, const FillValue& fill, const FillValue& data) {
    const bool most = n.function == TileFunction::max || n.function == TileFunction::argmax;
    const bool least = n.function == TileFunction::min || n.function == TileFunction::argmin;
    if (!is_number(fill) || !is_number(data)) return false;
    const ir::RealBounds past = bounds_of(fill);
    const ir::RealBounds inside = bounds_of(data);
    return (most && past.most <= inside.least) || (least && past.least >= inside.most);
}

// Whether every cell of the data wins against it: of equal ones, a place is that of the first.
bool PaddingAnalysis::is_less_than_data(const ir::Apply& n, const FillValue& fill,
                                        const FillValue& data) {
    if (!is_number(fill) || !is_number(data)) return false;
    const bool most = n.function == TileFunction::max || n.function == TileFunction::argmax;
    return most ? bounds_of(fill).most < bounds_of(data).least
                : bounds_of(fill).least > bounds_of(data).most;
}

// Whether the line's own cells come first.
bool PaddingAnalysis::is_after_data(const AxisPadding& padding) const {
    return begin_of(padding) || (!padding.inside.empty() && first_is_inside(padding.inside));
}

// Whether what a maximum takes in is the line's last cell once more, as past the end of a running
// sum. That cell comes first, and whatever it is, so are these. A place wants them to be so
// exactly.
bool PaddingAnalysis::repeats_last_cell(const ir::Apply& n, const AxisPadding& padding) {
    if (!padding.edge) return false;
    if (finds_place(n.function)) return padding.repeats == Repeats::exactly;
    const bool one_of_them = n.function == TileFunction::max || n.function == TileFunction::min;
    return one_of_them && padding.repeats != Repeats::no;
}

bool PaddingAnalysis::has_a_cell(const AxisPadding& padding) const {
    return begin_of(padding) &&
           facts_->prove_at_least(ir::normal_form(begin_of(padding), bindings_), 1);
}

TilePadding PaddingAnalysis::of_function(const ir::Apply& n) const {
    const ir::TileFunctionRules& rules = ir::rules_of(n);
    // A branch may be one in which there is none: `if c.end <= C { s += sum(exp(x), axis = 1); }`.
    const TilePadding source = with_edges(of(n.source), n.source);
    const AxisPadding& included_padding = source.axis[ir::axis_index(n)];
    const std::optional<double> neutral = rules.neutral(role_->tile(n.source).dtype);
    if (settle_ && included_padding.padded && neutral) {
        const bool nothing = is_constant(included_padding.fill, *neutral) &&
                             (!finds_place(n.function) || is_after_data(included_padding) ||
                              is_less_than_data(n, included_padding.fill, source.data));
        const bool beyond = is_beyond(n, included_padding.fill, source.data) &&
                            (included_padding.fill.nan <= Cause::same || !finds_place(n.function));
        const bool once_more = repeats_last_cell(n, included_padding);
        if (!included_padding.changed &&
            (nothing || ((beyond || once_more) && has_a_cell(included_padding))))
            note_proof(op_->span, name(n.function),
                       fmt::format("it is {} along axis {}{}", text(included_padding.fill), n.axis,
                                   nothing     ? ""
                                   : once_more ? ", the last cell again"
                                               : ", the limit of any cell"));
        else report_included_padding(n, source);
    }
    // Running sums go on past holes, with what is in them, and past what lies before an axis.
    const bool runs = n.function == TileFunction::cumsum;
    if (settle_ && runs && !included_padding.inside.empty() &&
        !is_constant(included_padding.fill, 0))
        report_included_padding(n, source);
    if (settle_ && (neutral || runs) && !source.holes[ir::axis_index(n)].inside.empty())
        check_holes(n, source, runs ? 0 : *neutral);
    // Where the edge lies between pairs, data change places with data.
    TilePadding made = exchanges_whole_pairs(n, included_padding) ? source : rules.pad(n, source);
    if (computes(n.function)) {
        for (AxisPadding& axis : made.axis) axis.stated = axis.allowed = false;
    }
    if (mixes_cells(n.function)) {
        for (AxisPadding& axis : made.axis) {
            axis.total = false;
            axis.repeats = Repeats::no;
        }
    }
    for (AxisPadding& axis : made.axis) {
        if (runs && is_real(role_->tile(n.source).dtype))
            axis.repeats = std::min(axis.repeats, Repeats::nearly);
        if (finds_place(n.function) && axis.repeats == Repeats::nearly) axis.repeats = Repeats::no;
    }
    // What lies past both edges is joined to some lines, and not to those of data.
    if (neutral && included_padding.padded && !is_constant(source.corner, *neutral))
        made.axis[1 - ir::axis_index(n)].repeats = Repeats::no;
    set_holes(n, source, made);
    // The maximum of no cell at all is what changes nothing, and that is infinite.
    const bool perhaps_of_none =
        included_padding.padded && neutral && std::isinf(*neutral) && !has_a_cell(included_padding);
    if (perhaps_of_none) {
        const FillValue none = constant_fill(*neutral);
        made.data = join(made.data, none);
        for (Holes& holes : made.holes) holes.fill = join(holes.fill, none);
        for (AxisPadding& axis : made.axis) axis.fill = join(axis.fill, none);
    }
    // A maximum is -inf where all of its line is.
    if (n.function == TileFunction::max) made.data.placed.least = false;
    if (n.function == TileFunction::min) made.data.placed.most = false;
    follow_mixed(n, included_padding, source.data, made);
    made = as_cells(std::move(made), role_->tile(n.result).dtype);
    return n.function == TileFunction::slice ? with_edges(made, n.result) : made;
}

// A loop is followed more than once: the last time counts.
void PaddingAnalysis::note_proof(Span span, std::string_view what, std::string text) const {
    if (obligations_ == nullptr) return;
    Obligation made{fmt::format("`{}`: cells past the edge have no effect", what), Verdict::proved,
                    span, std::move(text)};
    for (Obligation& known : *obligations_) {
        if (known.span != span || known.what != made.what) continue;
        known = std::move(made);
        return;
    }
    obligations_->push_back(std::move(made));
}

void PaddingAnalysis::report_included_padding(const ir::Apply& n, const TilePadding& source) const {
    const std::size_t axis = ir::axis_index(n);
    const AxisPadding& padding = source.axis[axis];
    if (is_reported(n.source, axis)) return;
    reported_axes_[n.result.id] |= 1U << axis;
    const auto found = sites_.reductions.find({role_->name, n.result.id});
    const Span span = found == sites_.reductions.end() ? op_->span : found->second.span;
    DiagnosticBuilder message =
        diag_.error(span, msg::padding_reduced, name(n.function), n.axis, text(padding.fill));
    if (found != sites_.reductions.end()) add_calls(message, found->second.calls);
    add_origin(message, padding, span);
    if (padding.changed) return explain_changed(message, axis);
    const std::optional<double> neutral = ir::rules_of(n).neutral(role_->tile(n.source).dtype);
    if (neutral && is_constant(padding.fill, *neutral)) return explain_first(message, n);
    if (!padding.edge) {
        message.note("its start is unknown: {}",
                     padding.lost.empty() ? "its value is unknown" : padding.lost);
        if (!padding.inside.empty()) {
            advise_pad(message, n);
            return;
        }
        message.help(padding.lost == joins_several
                         ? std::string(help_with_joined)
                         : "pad or reduce each tile before combining it with others");
        message.help("or keep the old value: `s = pad(.., axis = {}, with = s)`", n.axis);
        return;
    }
    const auto* extent = std::get_if<ir::Symbol>(&padding.edge->node);
    if (extent != nullptr &&
        (is_beyond(n, padding.fill, source.data) || repeats_last_cell(n, padding)))
        message.note("it has no effect if a line has a cell: `requires {} >= 1`", extent->name);
    advise_pad(message, n);
}

// Padding that changes nothing but places.
void PaddingAnalysis::explain_first(DiagnosticBuilder& message, const ir::Apply& n) {
    message.note("it may come before the data, and among equal cells the first one wins");
    message.help("let the slice begin inside the tensor; or keep the data {} that",
                 n.function == TileFunction::argmax ? "above" : "below");
}

void PaddingAnalysis::advise_pad(DiagnosticBuilder& message, const ir::Apply& n) const {
    const auto found = sites_.reductions.find({role_->name, n.result.id});
    const FillValue with =
        constant_fill(ir::rules_of(n).neutral(role_->tile(n.source).dtype).value_or(0));
    if (found == sites_.reductions.end() || found->second.calls.empty()) {
        message.help("write `pad({}, axis = {}, with = {})`",
                     found == sites_.reductions.end() ? "x" : found->second.argument, n.axis,
                     text(with));
        return;
    }
    const checker::PaddingSite& site = found->second;
    const std::string& called = site.calls.front().function;
    if (site.outside) {
        message.help("write `pad({}, axis = {}, with = {})` in the call of `{}`", *site.outside,
                     n.axis, text(with), called);
    } else {
        message.help("pad the arguments of `{}` so that `{}` is {} there", called, site.argument,
                     text(with));
    }
}

TilePadding PaddingAnalysis::of_product(const ir::Mma& n) const {
    const TilePadding a = as_operand(of(n.a), role_->tile(n.a).dtype);
    const TilePadding b = as_operand(of(n.b), role_->tile(n.b).dtype);
    const AxisPadding& left = a.axis[n.a_transposed ? 0 : 1];
    const AxisPadding& right = b.axis[n.b_transposed ? 1 : 0];
    if (settle_) {
        // A tile of the step before has its place in the facts of this one: mostly none.
        check_contraction(n, with_edges(a, n.a), with_edges(b, n.b));
        check_holes(n, a, b);
    }
    const AxisPadding& rows = a.axis[n.a_transposed ? 1 : 0];
    const AxisPadding& cols = b.axis[n.b_transposed ? 0 : 1];
    // What the padded rows of `a`, or columns of `b`, hold where the inner axis has padding.
    const FillValue a_below = left.padded ? a.corner : rows.fill;
    const FillValue b_behind = right.padded ? b.corner : cols.fill;
    const FillValue a_inner = left.padded ? left.fill : as_data(a.data);
    const FillValue b_inner = right.padded ? right.fill : as_data(b.data);
    const bool inner = left.padded || right.padded;
    const Dtype dtype = role_->tile(n.result).dtype;
    const auto total = [&](const FillValue& x, const FillValue& y, const FillValue& inner_x,
                           const FillValue& inner_y) {
        const FillValue of_data = sum_of_products(x, y, dtype);
        if (!inner) return of_data;
        const FillValue of_inner = sum_of_products(inner_x, inner_y, dtype);
        return padding::apply(Function::add, dtype, {of_data, of_inner});
    };
    TilePadding made;
    made.data = sum_of_products(as_data(a.data), as_data(b.data), dtype);
    if (const FillValue taken = padding::apply(Function::mul, dtype, {a_inner, b_inner});
        inner && taken.nan > Cause::same) {
        AxisPadding by = left.padded ? left : right;
        by.fill = taken;
        mix(made.data, mixed_by(n, by), taken);
    }
    made.axis[0] = rows;
    made.axis[0].stated = made.axis[0].allowed = false;
    made.axis[0].total = false;
    made.axis[0].repeats = Repeats::no;
    made.axis[0].fill = total(rows.fill, as_data(b.data), a_below, b_inner);
    made.axis[1] = cols;
    made.axis[1].stated = made.axis[1].allowed = false;
    made.axis[1].total = false;
    made.axis[1].repeats = Repeats::no;
    made.axis[1].fill = total(as_data(a.data), cols.fill, a_inner, b_behind);
    made.corner = total(rows.fill, cols.fill, a_below, b_behind);
    set_holes(n, a, b, made);
    if (!n.accumulate) return as_cells(std::move(made), dtype);
    const TilePadding before = of(n.result);
    TilePadding both;
    for (std::size_t i = 0; i < 2; ++i) {
        // Next to other products they are data, but those of the same list.
        const bool begins = before.data.kind == FillValue::Kind::constant;
        const bool one_list = before.holes[i].key == made.holes[i].key;
        if (made.holes[i].inside.empty() || (!one_list && !begins)) continue;
        both.holes[i] = made.holes[i];
        const FillValue& old = one_list ? before.holes[i].fill : before.data;
        both.holes[i].fill = padding::apply(Function::add, dtype, {old, made.holes[i].fill});
    }
    for (std::size_t i = 0; i < 2; ++i) both.axis[i] = added(before, made, i, dtype);
    both.corner = padding::apply(Function::add, dtype,
                                 {padding::corner_of(before), padding::corner_of(made)});
    both.data = padding::apply(Function::add, dtype, {as_data(before.data), as_data(made.data)});
    return as_cells(std::move(both), dtype);
}

AxisPadding PaddingAnalysis::added(const TilePadding& x, const TilePadding& y, std::size_t i,
                                   Dtype dtype) {
    const AxisPadding& a = x.axis[i];
    const AxisPadding& b = y.axis[i];
    if (!a.padded && !b.padded) return {};
    AxisPadding made = a.padded ? a : b;
    const FillValue left = a.padded ? a.fill : as_data(x.data);
    const FillValue right = b.padded ? b.fill : as_data(y.data);
    made.fill = padding::apply(Function::add, dtype, {left, right});
    const auto goes_on = [](const AxisPadding& axis, const TilePadding& tile) {
        return axis.meant || (!axis.padded && tile.data.kind != FillValue::Kind::constant);
    };
    const auto changes_nothing = [](const AxisPadding& axis) {
        return !axis.padded || axis.meant || is_constant(axis.fill, 0);
    };
    made.stated = made.total = made.allowed = false;
    made.repeats = Repeats::no;
    made.earlier = a.earlier && (!b.padded || b.earlier || is_constant(b.fill, 0));
    made.changes = a.changes || (b.changes && !is_constant(b.fill, 0));
    made.changed = a.changed || b.changed;
    made.meant = (goes_on(a, x) && changes_nothing(b)) || (goes_on(b, y) && changes_nothing(a));
    if (!a.padded || !b.padded || (a.edge && a.key == b.key)) return made;
    lose_edge(made, "it accumulates products from several positions");
    for (const auto& [p, q] :
         {std::pair(a.fill, as_data(y.data)), std::pair(as_data(x.data), b.fill)})
        made.fill = join(made.fill, padding::apply(Function::add, dtype, {p, q}));
    return made;
}

void PaddingAnalysis::check_contraction(const ir::Mma& n, const TilePadding& a_tile,
                                        const TilePadding& b_tile) const {
    const std::size_t left_axis = n.a_transposed ? 0 : 1;
    const std::size_t right_axis = n.b_transposed ? 1 : 0;
    const AxisPadding& a = a_tile.axis[left_axis];
    const AxisPadding& b = b_tile.axis[right_axis];
    const bool one_place =
        a.padded && b.padded &&
        (a.edge ? a.key == b.key : !a.inside.empty() && a.inside_key == b.inside_key);
    const auto is_zero = [](const AxisPadding& x) { return is_constant(x.fill, 0); };
    // A mask that the author wrote is 0 there as padding is.
    const bool masks_a = a.padded && !b.padded && is_zero_at(n.b, right_axis, a.edge);
    const bool masks_b = b.padded && !a.padded && is_zero_at(n.a, left_axis, b.edge);
    const FillValue zero = constant_fill(0);
    const auto vanishes = [&](const FillValue& x, const FillValue& y) {
        return is_constant(padding::apply(Function::mul, Dtype::f32, {x, y}), 0);
    };
    const auto harmless = [&](const AxisPadding& x, const AxisPadding& other,
                              const TilePadding& other_tile, bool masked) {
        if (!x.padded) return true;
        if (x.changed) return false;
        if (masked) return vanishes(zero, x.fill);
        if (is_zero(x))
            return vanishes(x.fill,
                            other.padded ? other.fill : elsewhere(as_data(other_tile.data)));
        return one_place && is_zero(other) && vanishes(x.fill, other.fill);
    };
    const bool left = harmless(a, b, b_tile, masks_a);
    if (left && harmless(b, a, a_tile, masks_b)) {
        const auto words = [](const AxisPadding& x) {
            return x.padded ? text(x.fill) : "without padding";
        };
        if (a.padded || b.padded)
            note_proof(
                op_->span, "mma",
                fmt::format("along the inner axis, `a` is {} and `b` is {}", words(a), words(b)));
        return;
    }
    const bool of_b = left || (is_zero(a) && !a.changed && b.padded);
    const AxisPadding& bad = of_b ? b : a;
    if (is_reported(n.a, left_axis) || is_reported(n.b, right_axis)) return;
    reported_axes_[n.result.id] = 3;
    const checker::ProductSite* const site = site_of(n);
    const Span span = site == nullptr ? op_->span : of_b ? site->b.span : site->a.span;
    DiagnosticBuilder message = diag_.error(span, msg::padding_multiplied, text(bad.fill));
    if (site != nullptr) add_calls(message, site->calls);
    add_origin(message, bad, span);
    const AxisPadding& other = of_b ? a : b;
    const bool would_do = one_place && is_zero(other);
    if (bad.fill.kind == FillValue::Kind::foreign && would_do) {
        message.help(
            "write `load`, which returns zeros there; or, since operand `{}` is 0 there, "
            "`allow_foreign` after the load, if `{}` never holds NaN or infinity",
            of_b ? 'a' : 'b', bad.tensor);
        return;
    }
    if (bad.changed) return explain_changed(message, of_b ? right_axis : left_axis);
    if (is_zero(bad)) {
        message.note("operand `{}` has data there and may be infinite, and 0 times infinity is NaN",
                     of_b ? 'a' : 'b');
        message.help("set that operand to 0 there: `where(position < edge, .., 0)`");
        return;
    }
    if (!bad.edge) {
        message.note("its start is unknown: {}",
                     bad.lost.empty() ? "its value is unknown" : bad.lost);
        message.help("pad the tiles that operand `{}` is computed from, before combining them",
                     of_b ? 'b' : 'a');
        return;
    }
    advise_pad(message, n, of_b);
}

const checker::ProductSite* PaddingAnalysis::site_of(const ir::Mma& n) const {
    const auto site = sites_.products.find({role_->name, n.a.id, n.b.id});
    return site == sites_.products.end() ? nullptr : &site->second;
}

// Around the operand at fault.
void PaddingAnalysis::advise_pad(DiagnosticBuilder& message, const ir::Mma& n, bool of_b) const {
    const checker::ProductSite* const site = site_of(n);
    const bool transposed = of_b ? n.b_transposed : n.a_transposed;
    const int axis = of_b == transposed ? 1 : 0;  // before `.T`
    if (site == nullptr) {
        message.help("write `pad(x, axis = {}, with = 0)` around operand `{}`", axis,
                     of_b ? 'b' : 'a');
        return;
    }
    const checker::ProductSite::Operand& operand = of_b ? site->b : site->a;
    if (!site->calls.empty()) {
        message.help("pad the arguments of `{}` so that `{}` is 0 there",
                     site->calls.front().function, operand.written);
        return;
    }
    message.help("write `{}`", padded_operand(operand, axis, transposed));
}

}  // namespace tkc::checks::padding
