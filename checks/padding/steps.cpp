// Where data of one step of a loop meet the padding of another.
//
// In `for c in C by 8 { p = p * load(X[r, c]); }`, p holds in its eight lanes what all steps have
// made. The last step has fewer columns, and the zeros past its edge would wipe out lanes that
// earlier steps had data for. A sum of p sees zeros there, which change nothing in it, and still is
// wrong. So wherever a tile goes on past the edge of one of another step, the function must leave
// it as it is: 0 in a sum, 1 in a product, -inf in a maximum. What does not is remembered, and
// refused where the loop has gone on with it and a reduction, a product or a store takes it.
#include <algorithm>

#include "checks/padding/analysis.h"
#include "language/function.h"

namespace tkc::checks::padding {

bool leaves_data(Function function, std::size_t at, const FillValue& padding,
                 const FillValue& data) {
    if (function == Function::max || function == Function::min) {
        const bool most = function == Function::max;
        if (is_constant(padding, most ? -HUGE_VAL : HUGE_VAL)) return true;
        if (!is_number(padding) || !is_number(data)) return false;
        const ir::RealBounds x = bounds_of(padding);
        const ir::RealBounds v = bounds_of(data);
        return most ? x.most <= v.least : x.least >= v.most;
    }
    const bool sums = function == Function::add || function == Function::sub ||
                      function == Function::bit_or || function == Function::bit_xor ||
                      function == Function::logical_or;
    const bool second = at == 1;
    const bool moves_bits = function == Function::shift_left || function == Function::shift_right;
    if (sums || (moves_bits && second)) return is_constant(padding, 0);
    const bool multiplies = function == Function::mul || function == Function::logical_and;
    if (multiplies || (function == Function::div && second)) return is_constant(padding, 1);
    return function == Function::bit_and && is_constant(padding, -1);
}

PaddingAnalysis::Met PaddingAnalysis::met(const ir::Scalar& cell, const Meeting& meeting) {
    if (const auto* element = std::get_if<ir::Element>(&cell->node))
        return meeting.inputs[static_cast<std::size_t>(element->input)];
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call != nullptr && call->function == Function::where) return met_choice(*call, meeting);
    if (call != nullptr && call->function == Function::fma)
        return met(in_two_steps(*call), meeting);
    const std::vector<ir::Scalar> parts = parts_of(cell);
    std::vector<Met> of_parts;
    for (const ir::Scalar& part : parts) of_parts.push_back(met(part, meeting));
    const auto any = [&](Met kind) {
        return std::find(of_parts.begin(), of_parts.end(), kind) != of_parts.end();
    };
    const bool ended = any(Met::padding) || any(Met::changed);
    if (!any(Met::data))
        return any(Met::changed) ? Met::changed : ended ? Met::padding : Met::neither;
    if (!ended) return Met::data;
    // A comparison that comes out one way, -inf > v, is no more than padding.
    if (call != nullptr && info(call->function).kind == FunctionKind::compare &&
        evaluate(cell, *meeting.context).kind == FillValue::Kind::constant)
        return Met::padding;
    if (call == nullptr || parts.size() != 2) return Met::changed;
    const std::size_t at = of_parts[0] == Met::data ? 1 : 0;
    const FillValue padding = evaluate(parts[at], *meeting.context);
    const FillValue data = evaluate(parts[1 - at], *meeting.context);
    return leaves_data(call->function, at, padding, data) ? Met::data : Met::changed;
}

PaddingAnalysis::Met PaddingAnalysis::met_choice(const ir::Call& choice, const Meeting& meeting) {
    const Met condition = met(choice.arguments[0], meeting);
    const std::array<Met, 2> sides{met(choice.arguments[1], meeting),
                                   met(choice.arguments[2], meeting)};
    int holds = meeting.context->decide(choice.arguments[0]);
    bool by_values = false;
    if (holds < 0) {
        const FillValue known = evaluate(choice.arguments[0], *meeting.context);
        by_values = known.kind == FillValue::Kind::constant;
        if (by_values) holds = known.value != 0 ? 1 : 0;
    }
    const auto is_made_of_data = [](Met side) { return side == Met::data || side == Met::changed; };
    if (holds >= 0) {
        const Met chosen = sides[holds == 1 ? 0 : 1];
        const Met other = sides[holds == 1 ? 1 : 0];
        // The values of padding have made `n + 1` of n.
        const std::size_t taken = holds == 1 ? 1 : 2;
        const bool as_it_was =
            is_side_of_both(choice, taken) ||
            (is_tile(choice.arguments[taken]) && (other == Met::neither || other == Met::padding));
        if (by_values && condition == Met::padding && chosen == Met::data && !as_it_was)
            return Met::changed;
        return chosen != Met::data && is_made_of_data(other) ? Met::changed : chosen;
    }
    if (sides[0] == sides[1] && sides[0] != Met::neither) return sides[0];
    const auto either = [&](Met kind) { return sides[0] == kind || sides[1] == kind; };
    const bool by_padding = condition == Met::padding || condition == Met::changed;
    if (either(Met::changed)) return Met::changed;
    if (!either(Met::data))
        return condition == Met::changed            ? Met::changed
               : by_padding || either(Met::padding) ? Met::padding
                                                    : condition;
    // What neither the one nor the other tile decides is for the author to choose.
    const bool replaced = by_padding || (condition == Met::data && either(Met::padding));
    return replaced ? Met::changed : Met::data;
}

// Which inputs go on, and which have ended: those of this step, or those of others.
std::vector<PaddingAnalysis::Met> PaddingAnalysis::met_inputs(const ir::Scalar& cell,
                                                              const Inputs& inputs,
                                                              std::size_t axis,
                                                              bool of_this_step) const {
    std::vector<Met> made(inputs.tiles.size(), Met::neither);
    AxisPadding end;
    std::set<std::size_t> others;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i]) return;
        // What loops before this have computed goes on with their data.
        const bool computed = of_this_step && !input.earlier &&
                              inputs.tiles[i]->iterations[axis].combined &&
                              (!input.padded || begin_of(input));
        if (!input.padded && !computed) return;
        if (computed || input.earlier == of_this_step) {
            others.insert(i);
            return;
        }
        made[i] = input.changes ? Met::changed : Met::padding;
        join_places(end, input);
    });
    if (!end.padded) return {};
    bool any = false;
    for (const std::size_t i : others) {
        const AxisPadding& mine = inputs.tiles[i]->axis[axis];
        const bool ends_before = mine.edge && begin_of(end) &&
                                 facts_->prove_at_least(ir::normal_form(begin_of(end), bindings_) -
                                                            ir::normal_form(mine.edge, bindings_),
                                                        0);
        made[i] = ends_before ? Met::padding : Met::data;
        any = any || !ends_before;
    }
    return any ? made : std::vector<Met>{};
}

// Whether the result is made of changed data. They lie from `place` on, where a choice may leave
// them out.
bool PaddingAnalysis::takes(bool AxisPadding::*which, const ir::Scalar& cell, const Inputs& inputs,
                            std::size_t axis, const AxisPadding& place) const {
    if (const auto* element = std::get_if<ir::Element>(&cell->node)) {
        const auto i = static_cast<std::size_t>(element->input);
        return !inputs.spread[i] && inputs.tiles[i]->axis[axis].*which;
    }
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call != nullptr && call->function == Function::where) {
        const int holds = decide(with_known_cells(call->arguments[0], inputs), axis, place);
        if (holds >= 0)
            return takes(which, call->arguments[holds == 1 ? 1 : 2], inputs, axis, place);
    }
    const std::vector<ir::Scalar> parts = parts_of(cell);
    return std::any_of(parts.begin(), parts.end(), [&](const ir::Scalar& part) {
        return takes(which, part, inputs, axis, place);
    });
}

// Whether each cell is computed from those of several iterations of a loop.
bool PaddingAnalysis::is_combined(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) {
    bool found = false;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        found = found || (!inputs.spread[i] && inputs.tiles[i]->iterations[axis].combined);
    });
    return found;
}

// Along the axis, what the inputs combine.
Iterations PaddingAnalysis::combined(const Inputs& inputs, std::size_t axis) {
    Iterations made;
    for (std::size_t i = 0; i < inputs.tiles.size(); ++i) {
        if (!inputs.spread[i]) add(made, inputs.tiles[i]->iterations[axis]);
    }
    made.combined = made.combined || std::any_of(made.current.begin(), made.current.end(),
                                                 [&](const std::string& variable) {
                                                     return made.earlier.contains(variable);
                                                 });
    return made;
}

void PaddingAnalysis::follow_steps(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                   AxisPadding& made) const {
    if (!made.padded) return;
    made.earlier = made.changes = made.changed = false;
    bool this_step = false;
    bool earlier = false;
    // Where data were changed, in this step and before.
    AxisPadding here;
    AxisPadding before;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i] || !input.padded) return;
        (input.earlier ? earlier : this_step) = true;
        if (input.changes) join_places(here, input);
        if (input.changed) join_places(before, input);
    });
    made.changes = here.padded && takes(&AxisPadding::changes, cell, inputs, axis, here);
    made.changed = before.padded && takes(&AxisPadding::changed, cell, inputs, axis, before);
    made.earlier = earlier && !this_step;
    for (const bool of_this_step : {true, false}) {
        Meeting meeting{nullptr, met_inputs(cell, inputs, axis, of_this_step)};
        if (meeting.inputs.empty()) continue;
        AxisPadding place;
        for (std::size_t i = 0; i < inputs.tiles.size(); ++i) {
            const AxisPadding& input = inputs.tiles[i]->axis[axis];
            if (!inputs.spread[i] && input.padded && input.earlier != of_this_step)
                join_places(place, input);
        }
        FillContext context = context_without_cells();
        context.decide = [&](const ir::Scalar& c) {
            return decide(with_known_cells(c, inputs), axis, place);
        };
        context.element = [&](std::int64_t n) {
            const auto i = static_cast<std::size_t>(n);
            const Met kind = meeting.inputs[i];
            if (kind == Met::padding || kind == Met::changed)
                return inputs.tiles[i]->axis[axis].fill;
            if (kind == Met::data) return as_data(inputs.tiles[i]->data);
            return data_there(inputs, i, context.decide);
        };
        meeting.context = &context;
        const Met result = met(cell, meeting);
        if (of_this_step) {
            made.changes = result == Met::changed;
            made.earlier = result == Met::data && (earlier || !this_step);
            // Outside of the loop that computed them, no iteration follows.
            made.changed = made.changed || (made.changes && !earlier);
        } else {
            made.changes = made.changes || result == Met::changed;
        }
    }
}

void PaddingAnalysis::explain_changed(DiagnosticBuilder& message, std::size_t axis) {
    message.note("one iteration has padding where another has data, and changes that data");
    message.help(
        "pad the loaded tile with a neutral value, `pad(load(..), axis = {}, with = 1)` in a "
        "product, -inf in a maximum",
        axis);
    message.help("or keep the old value: `s = pad(.., axis = {}, with = s)`", axis);
}

}  // namespace tkc::checks::padding
