// `pad`, and what divides in padding.
#include <fmt/format.h>

#include "checks/padding/analysis.h"

namespace tkc::checks::padding {

// ---- pad

const checker::PaddingSite* PaddingAnalysis::pad_of(const ir::Scalar& condition,
                                                    std::string* symbol) const {
    const auto* less = std::get_if<ir::Call>(&condition->node);
    if (less == nullptr || less->function != Function::lt) return nullptr;
    const auto* edge = std::get_if<ir::Symbol>(&less->arguments[1]->node);
    const auto site = edge == nullptr ? sites_.pads.end() : sites_.pads.find(edge->name);
    if (site == sites_.pads.end()) return nullptr;
    *symbol = edge->name;
    return &site->second;
}

namespace {

ir::Scalar both(const ir::Scalar& a, const ir::Scalar& b) {
    return a && b ? ir::call(Function::logical_and, {a, b}) : a ? a : b;
}

// Whether a cell is none of the holes. Null: all are none.
ir::Scalar has_position(const std::vector<ir::Scalar>& all_inside, std::size_t axis) {
    ir::Scalar made;
    for (const ir::Scalar& one : all_inside) {
        made = both(made, ir::rewrite(one, [&](const ir::Scalar& s) -> ir::Scalar {
                        const bool place = std::holds_alternative<ir::Row>(s->node);
                        return place && axis == 1 ? ir::column() : nullptr;
                    }));
    }
    return made;
}

// `v + x` or `max(v, x)`, where padding of x that changes nothing leaves v: a `pad` with v may
// begin where v ends.
bool goes_on_with(const ir::Scalar& kept, const ir::Scalar& cell) {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    if (!neutral_of(call->function, cell->dtype)) return false;
    return ir::same(call->arguments[0], kept) || ir::same(call->arguments[1], kept);
}

}  // namespace

// Inner ones first: what the padding of a `pad`'s argument is may depend on another's.
ir::Scalar PaddingAnalysis::with_pads_settled(const ir::Scalar& cell,
                                              const std::array<Inputs, 2>& inputs) {
    return ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        const auto* choice = std::get_if<ir::Call>(&s->node);
        if (choice == nullptr || choice->function != Function::where) return nullptr;
        std::string symbol;
        const checker::PaddingSite* site = pad_of(choice->arguments[0], &symbol);
        if (site == nullptr) return nullptr;
        const auto axis = static_cast<std::size_t>(site->axis);
        const ir::Scalar& x = choice->arguments[1];
        AxisPadding padding = of_axis(x, inputs[axis], axis);
        const Holes holes = holes_of(x, inputs[axis], axis);
        ir::Scalar inside = has_position(holes.inside, axis);
        if (!padding.padded && !inside) return x;
        if (site->with_tile) {
            // A tile has data of its own to put there. A number, or a tile that is one, would only
            // wipe out data of those tiles that go on past the first edge.
            const ir::Scalar& there = choice->arguments[2];
            const bool one_number =
                !is_tile_along(there, inputs[axis]) ||
                (!of_axis(there, inputs[axis], axis).padded &&
                 evaluate_data(there, inputs[axis]).kind == FillValue::Kind::constant);
            // Past the first edge there is nothing of some tile, and `with` is wanted for whatever
            // the others made of that: `v * 0.5 + x` is `v * 0.5` there, and not the `v` to keep.
            if (!one_number || !settle_) {
                const AxisPadding first = from_begin(place_of(x, inputs[axis], axis));
                const bool same = !first.edge && goes_on_with(there, x);
                padding = same ? from_begin(padding) : first;
            }
        } else {
            const FillValue wanted = evaluate(choice->arguments[2], context_without_cells());
            const auto already = [&](const FillValue& fill) {
                return fill.kind == FillValue::Kind::constant && fill.for_all_data &&
                       fill.nan == Cause::none && is_constant(wanted, fill.value);
            };
            if (inside && already(holes.fill)) inside = nullptr;
            if (padding.padded && already(padding.fill) && already(corner_beside(x, inputs, axis)))
                padding = {};
            if (!padding.padded && !inside) return x;
        }
        const auto chosen = [&](const ir::Scalar& condition) {
            return ir::call(Function::where, {condition, x, choice->arguments[2]});
        };
        if (!padding.padded) return chosen(inside);
        const bool both_ends = !padding.inside.empty() && !site->with_tile;
        if (both_ends) return chosen(both(has_position(padding.inside, axis), inside));
        if (!padding.edge) {
            if (settle_) report_unknown_pad(*site, padding);
            return nullptr;
        }
        const ir::Scalar edge = named_edge(padding.edge);
        if (!edge) {
            AxisPadding lost = padding;
            lost.lost = "it depends on a number that has changed since";
            if (settle_) report_unknown_pad(*site, lost);
            return nullptr;
        }
        const ir::Scalar before = ir::less(axis == 0 ? ir::row() : ir::column(), edge);
        return chosen(both(before, inside));
    });
}

// ---- divisors

// In the padding of a divisor are zeros mostly, by which nothing may be divided on any machine: a
// divisor is 1 there. Where the place is lost, what lies there counts as data.
ir::Scalar PaddingAnalysis::with_divisors(const ir::Scalar& cell,
                                          const std::array<Inputs, 2>& inputs) {
    return ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        const auto* call = std::get_if<ir::Call>(&s->node);
        if (call == nullptr || !is_integer(s->dtype)) return nullptr;
        const bool divides = call->function == Function::div || call->function == Function::mod ||
                             call->function == Function::ceil_div;
        if (!divides) return nullptr;
        const ir::Scalar divisor = with_one_in_padding(call->arguments[1], inputs);
        if (divisor == call->arguments[1]) return nullptr;
        return ir::call(call->function, {call->arguments[0], divisor});
    });
}

ir::Scalar PaddingAnalysis::with_one_in_padding(const ir::Scalar& divisor,
                                                const std::array<Inputs, 2>& inputs) {
    const auto may_be_zero = [](const FillValue& x) { return bounds_of(x).least < 1; };
    TilePadding known;
    for (std::size_t axis = 0; axis < 2; ++axis)
        known.axis[axis] = of_axis(divisor, inputs[axis], axis);
    std::array<bool, 2> replaced{};
    for (std::size_t axis = 0; axis < 2; ++axis)
        replaced[axis] = known.axis[axis].padded && may_be_zero(known.axis[axis].fill);
    const bool corner = known.axis[0].padded && known.axis[1].padded && !replaced[0] &&
                        !replaced[1] && may_be_zero(corner_of(divisor, inputs, known));
    if (corner) replaced[1] = true;
    ir::Scalar inside;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const ir::Scalar edge =
            replaced[axis] && known.axis[axis].edge ? named_edge(known.axis[axis].edge) : nullptr;
        if (!edge) continue;
        inside = both(inside, ir::less(axis == 0 ? ir::row() : ir::column(), edge));
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const Holes holes = holes_of(divisor, inputs[axis], axis);
        if (may_be_zero(holes.fill)) inside = both(inside, has_position(holes.inside, axis));
    }
    if (!inside) return divisor;
    return ir::call(Function::where, {inside, divisor, ir::integer(1, divisor->dtype)});
}

// The edge in the words of the role: what stands for numbers that the role reads from tiles is
// these numbers again. Null: one of them is from another place, where it may have been another.
ir::Scalar PaddingAnalysis::with_read_numbers(const ir::Scalar& edge) const {
    bool known = true;
    const ir::Scalar made = ir::rewrite(edge, [&](const ir::Scalar& s) -> ir::Scalar {
        const auto* load = std::get_if<ir::ElementLoad>(&s->node);
        if (load == nullptr || load->tensor[0] != ir::unknown_number_mark) return nullptr;
        const std::string name = load->tensor.substr(1);
        const auto read = lets_.find(name);
        known = known && read != lets_.end() && ir::same(read->second, s);
        return ir::symbol(name);
    });
    return known ? made : nullptr;
}

// An edge that is read from memory gets a name, so that it is read once and not for every cell.
// Null: it cannot be said here.
ir::Scalar PaddingAnalysis::named_edge(const ir::Scalar& written) {
    const ir::Scalar edge = with_read_numbers(written);
    if (!edge) return nullptr;
    bool loads = false;
    ir::visit_nodes(edge, [&](const ir::ScalarNode& n) {
        loads = loads || std::holds_alternative<ir::ElementLoad>(n.node);
    });
    if (!loads || !settle_) return edge;
    const std::string key = role_->name + ": " + ir::to_string(edge);
    const auto [known, added] = edges_.emplace(key, ir::Let{});
    if (added) {
        std::string name = "edge";
        for (int n = 2; !names_.insert(name).second; ++n) name = "edge_" + std::to_string(n);
        known->second = {name, edge};
    }
    lets_[known->second.name] = edge;
    return ir::symbol(known->second.name);
}

void PaddingAnalysis::add_calls(DiagnosticBuilder& message,
                                const std::vector<checker::CallSite>& calls) {
    for (std::size_t i = calls.size(); i > 0; --i)
        message.label(calls[i - 1].span, "in this call of `{}`", calls[i - 1].function);
}

void PaddingAnalysis::add_origin(DiagnosticBuilder& message, const AxisPadding& padding,
                                 Span span) const {
    if (padding.tensor.empty()) return;
    const Span& origin = padding.origin;
    const bool around =
        origin.file == span.file && origin.begin <= span.begin && span.end <= origin.end;
    if (around) {
        message.note("the slice of `{}` may extend past its edge", padding.tensor);
    } else {
        message.label(origin, "this slice of `{}` may extend past its edge", padding.tensor);
    }
    if (padding.fill.kind != FillValue::Kind::any) return;
    // -inf times a number is known where the number's sign is.
    for (const ir::Parameter& parameter : kernel_.parameters) {
        if (!is_real(parameter.dtype) || is_positive(parameter.name)) continue;
        message.note("the sign of `{}` is unknown; if it is positive, write `requires {} > 0`",
                     parameter.name, parameter.name);
        return;
    }
}

void PaddingAnalysis::report_unknown_pad(const checker::PaddingSite& site,
                                         const AxisPadding& padding) const {
    const ir::Value result = std::get<ir::Map>(op_->node).result;
    const auto axis = static_cast<std::size_t>(site.axis);
    if (is_reported(result, axis)) return;
    reported_axes_[result.id] |= 1U << axis;
    DiagnosticBuilder message =
        diag_.error(site.span, msg::padding_unknown, site.axis,
                    padding.lost.empty() ? "its value is unknown" : padding.lost);
    add_calls(message, site.calls);
    add_origin(message, padding, site.span);
    if (padding.lost == joins_several) message.help(std::string(help_with_joined));
}

}  // namespace tkc::checks::padding
