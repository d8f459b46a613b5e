// The padding that products and reductions take in.
#include <fmt/format.h>

#include <cmath>

#include "checks/padding/analysis.h"
#include "ir/tile_function.h"

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

}  // namespace

// ---- functions of tiles, and products

// Whether no cell of the data is beyond the padding that a maximum or minimum takes in. It must be
// decided by numbers that are finite for certain, and the line must have a cell.
bool PaddingAnalysis::is_beyond(const ir::Apply& n, const FillValue& fill, const FillValue& data) {
    const bool most = n.function == TileFunction::max || n.function == TileFunction::argmax;
    const bool least = n.function == TileFunction::min || n.function == TileFunction::argmin;
    if (fill.assumes_finite || data.assumes_finite) return false;
    const ir::RealBounds past = bounds_of(fill);
    const ir::RealBounds inside = bounds_of(data);
    return (most && past.most <= inside.least) || (least && past.least >= inside.most);
}

bool PaddingAnalysis::has_a_cell(const AxisPadding& padding) const {
    return begin_of(padding) &&
           facts_->prove_at_least(ir::normal_form(begin_of(padding), bindings_), 1);
}

TilePadding PaddingAnalysis::of_function(const ir::Apply& n) const {
    const ir::TileFunctionRules& rules = ir::rules_of(n);
    const TilePadding source = of(n.source);
    const AxisPadding& taken_in = source.axis[ir::axis_index(n)];
    const std::optional<double> neutral = rules.neutral(role_->tile(n.source).dtype);
    if (settle_ && taken_in.padded && neutral) {
        const bool nothing = is_constant(taken_in.fill, *neutral);
        if (nothing || (is_beyond(n, taken_in.fill, source.data) && has_a_cell(taken_in)))
            note_proof(op_->span, name(n.function),
                       fmt::format("it is {} along axis {}{}", text(taken_in.fill), n.axis,
                                   nothing ? "" : ", as far as a cell may go"));
        else report_taken_in(n, source);
    }
    if (settle_ && neutral && !source.holes[ir::axis_index(n)].inside.empty())
        check_holes(n, source, *neutral);
    TilePadding made = rules.pad(n, source);
    set_holes(n, source, made);
    // The maximum of no cell at all is what changes nothing, and that is infinite.
    const bool perhaps_of_none =
        taken_in.padded && neutral && std::isinf(*neutral) && !has_a_cell(taken_in);
    if (perhaps_of_none) {
        made.data = assumed_finite(made.data);
        for (Holes& holes : made.holes) holes.fill = assumed_finite(holes.fill);
        for (AxisPadding& axis : made.axis) axis.fill = assumed_finite(axis.fill);
    }
    return n.function == TileFunction::slice ? with_edges(made, n.result) : made;
}

// A loop is followed more than once: the last time counts.
void PaddingAnalysis::note_proof(Span span, std::string_view what, std::string text) const {
    if (obligations_ == nullptr) return;
    Obligation made{fmt::format("`{}`: what lies past the edge changes nothing", what),
                    Verdict::proved, span, std::move(text)};
    for (Obligation& known : *obligations_) {
        if (known.span != span || known.what != made.what) continue;
        known = std::move(made);
        return;
    }
    obligations_->push_back(std::move(made));
}

void PaddingAnalysis::report_taken_in(const ir::Apply& n, const TilePadding& source) const {
    const std::size_t axis = ir::axis_index(n);
    const AxisPadding& padding = source.axis[axis];
    if (is_spoiled(n.source, axis)) return;
    spoiled_[n.result.id] |= 1U << axis;
    const auto found = sites_.reductions.find({role_->name, n.result.id});
    const Span span = found == sites_.reductions.end() ? op_->span : found->second.span;
    DiagnosticBuilder message =
        diag_.error(span, msg::padding_reduced, name(n.function), n.axis, text(padding.fill));
    if (found != sites_.reductions.end()) add_calls(message, found->second.calls);
    add_origin(message, padding, span);
    if (!padding.edge) {
        message.note("where it begins is lost: {}",
                     padding.lost.empty() ? "nothing is known of it" : padding.lost);
        message.help(padding.lost == joins_several
                         ? std::string(help_with_joined)
                         : "pad or reduce each tile before it is joined with others");
        message.help("or keep what was there: `s = pad(.., axis = {}, with = s)`", n.axis);
        return;
    }
    const auto* extent = std::get_if<ir::Symbol>(&padding.edge->node);
    if (extent != nullptr && is_beyond(n, padding.fill, source.data))
        message.note("it changes nothing where a line has a cell: `requires {} >= 1`",
                     extent->name);
    advise_pad(message, n);
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
    const TilePadding a = of(n.a);
    const TilePadding b = of(n.b);
    const AxisPadding& left = a.axis[n.a_transposed ? 0 : 1];
    const AxisPadding& right = b.axis[n.b_transposed ? 1 : 0];
    if (settle_) {
        // A tile of the step before has its place in the facts of this one: mostly none.
        const TilePadding left_here = with_edges(a, n.a);
        const TilePadding right_here = with_edges(b, n.b);
        check_contraction(n, left_here.axis[n.a_transposed ? 0 : 1],
                          right_here.axis[n.b_transposed ? 1 : 0]);
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
    const auto total = [&](const FillValue& x, const FillValue& y, const FillValue& inner_x,
                           const FillValue& inner_y) {
        const FillValue of_data = summed(padding::apply(Function::mul, {x, y}));
        const FillValue of_inner = summed(padding::apply(Function::mul, {inner_x, inner_y}));
        return inner ? padding::apply(Function::add, {of_data, of_inner}) : of_data;
    };
    TilePadding made;
    made.axis[0] = rows;
    made.axis[0].fill = total(rows.fill, as_data(b.data), a_below, b_inner);
    made.axis[1] = cols;
    made.axis[1].fill = total(as_data(a.data), cols.fill, a_inner, b_behind);
    made.corner = total(rows.fill, cols.fill, a_below, b_behind);
    set_holes(n, a, b, made);
    if (!n.accumulate) return made;
    const TilePadding before = of(n.result);
    TilePadding both;
    for (std::size_t i = 0; i < 2; ++i) {
        // Beside other products they are data, but those of the same list.
        const bool begins = before.data.kind == FillValue::Kind::constant;
        const bool one_list = before.holes[i].key == made.holes[i].key;
        if (made.holes[i].inside.empty() || (!one_list && !begins)) continue;
        both.holes[i] = made.holes[i];
        const FillValue& old = one_list ? before.holes[i].fill : before.data;
        both.holes[i].fill = padding::apply(Function::add, {old, made.holes[i].fill});
    }
    for (std::size_t i = 0; i < 2; ++i) both.axis[i] = added(before, made, i);
    both.corner =
        padding::apply(Function::add, {padding::corner_of(before), padding::corner_of(made)});
    return both;
}

AxisPadding PaddingAnalysis::added(const TilePadding& x, const TilePadding& y, std::size_t i) {
    const AxisPadding& a = x.axis[i];
    const AxisPadding& b = y.axis[i];
    if (!a.padded && !b.padded) return {};
    AxisPadding made = a.padded ? a : b;
    const FillValue left = a.padded ? a.fill : as_data(x.data);
    const FillValue right = b.padded ? b.fill : as_data(y.data);
    made.fill = padding::apply(Function::add, {left, right});
    if (!a.padded || !b.padded || (a.edge && a.key == b.key)) return made;
    lose_edge(made, "products of several places add up in it");
    for (const auto& [p, q] :
         {std::pair(a.fill, as_data(y.data)), std::pair(as_data(x.data), b.fill)})
        made.fill = join(made.fill, padding::apply(Function::add, {p, q}));
    return made;
}

void PaddingAnalysis::check_contraction(const ir::Mma& n, const AxisPadding& a,
                                        const AxisPadding& b) const {
    const std::size_t left_axis = n.a_transposed ? 0 : 1;
    const std::size_t right_axis = n.b_transposed ? 1 : 0;
    const bool one_place = a.padded && b.padded && a.edge && a.key == b.key;
    const auto is_zero = [](const AxisPadding& x) { return is_constant(x.fill, 0); };
    // A mask that the author wrote is 0 there as padding is.
    const bool masks_a = a.padded && !b.padded && is_zero_at(n.b, right_axis, a.edge);
    const bool masks_b = b.padded && !a.padded && is_zero_at(n.a, left_axis, b.edge);
    const auto harmless = [&](const AxisPadding& x, const AxisPadding& other, bool masked) {
        if (!x.padded) return true;
        if (is_zero(x)) return !other.padded || is_finite(other.fill);
        return ((one_place && is_zero(other)) || masked) && is_finite(x.fill);
    };
    const bool left = harmless(a, b, masks_a);
    if (left && harmless(b, a, masks_b)) {
        const auto words = [](const AxisPadding& x) {
            return x.padded ? text(x.fill) : "without padding";
        };
        if (a.padded || b.padded)
            note_proof(
                op_->span, "mma",
                fmt::format("along the inner axis, `a` is {}, `b` is {}", words(a), words(b)));
        return;
    }
    const bool of_b = left || (is_zero(a) && b.padded);
    const AxisPadding& bad = of_b ? b : a;
    if (is_spoiled(n.a, left_axis) || is_spoiled(n.b, right_axis)) return;
    spoiled_[n.result.id] = 3;
    const checker::ProductSite* const site = site_of(n);
    const Span span = site == nullptr ? op_->span : of_b ? site->b.span : site->a.span;
    DiagnosticBuilder message = diag_.error(span, msg::padding_multiplied, text(bad.fill));
    if (site != nullptr) add_calls(message, site->calls);
    add_origin(message, bad, span);
    const AxisPadding& other = of_b ? a : b;
    const bool would_do = one_place && is_zero(other);
    if (bad.fill.kind == FillValue::Kind::foreign && would_do) {
        message.help(
            "write `load`, which gives zeros there; or, as operand `{}` is 0 there, "
            "`allow_foreign` after the load, if `{}` never holds NaN or infinity",
            of_b ? 'a' : 'b', bad.tensor);
        return;
    }
    if (!bad.edge) {
        message.note("where it begins is lost: {}",
                     bad.lost.empty() ? "nothing is known of it" : bad.lost);
        message.help("pad the tiles that operand `{}` is made of, before they are joined",
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
