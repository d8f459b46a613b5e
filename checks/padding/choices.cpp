// Choices between two tiles, and masks that leave out the padding of one.
#include <algorithm>

#include "checks/padding/analysis.h"

namespace tkc::checks::padding {

namespace {

const ir::Call* as_choice(const ir::Scalar& s) {
    const auto* call = std::get_if<ir::Call>(&s->node);
    return call != nullptr && call->function == Function::where ? call : nullptr;
}

// When a choice takes that side.
ir::Scalar side_taken(const ir::Scalar& condition, std::size_t side) {
    return side == 1 ? condition : ir::call(Function::logical_not, {condition});
}

bool is_number_of_text(const ir::Scalar& s) {
    bool found = true;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found && (std::holds_alternative<ir::Integer>(n.node) ||
                          std::holds_alternative<ir::Real>(n.node) ||
                          std::holds_alternative<ir::Cast>(n.node));
    });
    return found;
}

}  // namespace

// Of `where(c, x, y)`, where c leaves out all padding of x: there are the cells of y. So the
// padding is that of y, if it lies there. Numbers there are padding themselves.
std::optional<AxisPadding> PaddingAnalysis::of_choice(const ir::Scalar& cell, const Inputs& inputs,
                                                      std::size_t axis) const {
    const auto* choice = std::get_if<ir::Call>(&cell->node);
    if (choice == nullptr || choice->function != Function::where) return std::nullopt;
    const ir::Scalar& condition = choice->arguments[0];
    const bool by_place = mentions_places(with_known_cells(condition, inputs));
    if (!by_place && !is_of_pad(condition) && !is_tile_along(condition, inputs))
        return std::nullopt;
    if (const auto known = inputs.choices.find(cell); known != inputs.choices.end())
        return known->second;
    std::optional<AxisPadding> made;
    const auto try_at = [&](const AxisPadding& place, std::size_t taken) {
        if (!place.padded || !place.edge) return;
        const FillValue truth = truth_past(condition, inputs, axis, place);
        if (!is_constant(truth, taken == 1 ? 1 : 0)) return;
        made = instead_of(place, choice->arguments[taken], inputs, axis);
        // What the padding's values decide, nobody has put there.
        const bool by_places = is_of_pad(condition) || decide(with_known_cells(condition, inputs),
                                                              inputs, axis, place) >= 0;
        if (!by_places) made->stated = made->meant = made->total = false;
        made->fill.for_all_data = made->fill.for_all_data && truth.for_all_data;
    };
    for (const std::size_t left_out : {std::size_t{1}, std::size_t{2}}) {
        if (!made)
            try_at(from_begin(of_axis(choice->arguments[left_out], inputs, axis)), 3 - left_out);
    }
    // `where(x > top, place, at)` of places that are kept: only the condition has padding.
    for (const std::size_t taken : {std::size_t{1}, std::size_t{2}}) {
        if (made || of_axis(choice->arguments[3 - taken], inputs, axis).padded) continue;
        const AxisPadding place = from_begin(place_of(condition, inputs, axis));
        try_at(place, taken);
        if (made && !made->padded && counts(*choice, taken, inputs, axis, place))
            *made = counted(place, choice->arguments[taken], inputs);
    }
    // Where both end at one place, the last cell of the data may be one of x.
    if (made) made->repeats = Repeats::no;
    inputs.choices.emplace(cell, made);
    return made;
}

bool is_tile(const ir::Scalar& cell) { return std::holds_alternative<ir::Element>(cell->node); }

bool is_side_of_both(const ir::Call& choice, std::size_t taken) {
    const auto* tile = std::get_if<ir::Element>(&choice.arguments[taken]->node);
    bool found = false;
    ir::visit_nodes(choice.arguments[3 - taken], [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        found = found || (tile != nullptr && element != nullptr && element->input == tile->input);
    });
    return found;
}

// Whether the values past the edge choose between two results for data that go on there, as in
// `where(x == 0, n + 1, n)`. A tile that stays as it was, the n of `where(x != 0, n + 1, n)` or the
// place of `where(x > top, col_index(x), place)`, is not a result of the choice.
bool PaddingAnalysis::counts(const ir::Call& choice, std::size_t taken, const Inputs& inputs,
                             std::size_t axis, const AxisPadding& place) const {
    const ir::Scalar& condition = choice.arguments[0];
    if (is_of_pad(condition) ||
        decide(with_known_cells(condition, inputs), inputs, axis, place) >= 0)
        return false;
    return !is_side_of_both(choice, taken) &&
           !(is_tile(choice.arguments[taken]) &&
             is_made_up(choice.arguments[3 - taken], inputs, axis));
}

// Padding from there on that holds what was chosen.
AxisPadding PaddingAnalysis::counted(AxisPadding place, const ir::Scalar& chosen,
                                     const Inputs& inputs) const {
    place.fill = elsewhere(as_data(evaluate_data(chosen, inputs)));
    place.kept = place.stated = place.meant = place.total = place.allowed = false;
    place.repeats = Repeats::no;
    return place;
}

// What a condition is past an edge, by places or by the values of its operands there: -inf > v is
// false, whatever v is. None of those may have ended before: there it would choose by padding.
FillValue PaddingAnalysis::truth_past(const ir::Scalar& condition, const Inputs& inputs,
                                      std::size_t axis, const AxisPadding& place) const {
    if (const int known = decide(with_known_cells(condition, inputs), inputs, axis, place);
        known >= 0) {
        FillValue made = constant_fill(known);
        made.for_all_data = true;
        return made;
    }
    if (is_of_pad(condition) || !is_tile_along(condition, inputs)) return {};
    std::vector<bool> padded(inputs.tiles.size(), false);
    std::set<std::size_t> some;
    bool none_before = true;
    const ir::NormalForm edge = ir::normal_form(place.edge, bindings_);
    ir::visit_nodes(condition, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i] || !input.padded) return;
        padded[i] = begin_of(input) && begin_key(input) == place.key;
        if (padded[i]) return;
        some.insert(i);
        none_before = none_before && begin_of(input) &&
                      facts_->prove_at_least(ir::normal_form(begin_of(input), bindings_) - edge, 0);
    });
    constexpr std::size_t most_choices = 3;
    if (!none_before || some.size() > most_choices) return {};
    const std::vector<std::size_t> choices(some.begin(), some.end());
    std::optional<FillValue> made;
    for (std::size_t set = 0; set < std::size_t{1} << choices.size(); ++set) {
        for (std::size_t i = 0; i < choices.size(); ++i) padded[choices[i]] = (set >> i & 1U) != 0;
        const FillValue one = fill_of(condition, inputs, axis, place, padded);
        made = made ? join(*made, one) : one;
    }
    return made.value_or(FillValue{});
}

// Whether cells differ along the axis because those of a tile do.
bool PaddingAnalysis::is_tile_along(const ir::Scalar& cell, const Inputs& inputs) {
    bool found = false;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        found = found ||
                (element != nullptr && !inputs.spread[static_cast<std::size_t>(element->input)]);
    });
    return found;
}

// Whether cells of tensors are in it only as they are in all cells along the axis.
bool PaddingAnalysis::is_made_up(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) {
    bool made_up = true;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        made_up = made_up && (inputs.spread[i] || inputs.tiles[i]->made_up[axis]);
    });
    return made_up;
}

// What it holds if some of its tiles are those that numbers began, and no tile has data then.
std::optional<FillValue> PaddingAnalysis::begun_of(const ir::Scalar& cell, const Inputs& inputs,
                                                   std::size_t axis) const {
    bool some = false;
    bool others = false;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const TilePadding& tile = *inputs.tiles[i];
        if (inputs.spread[i] || tile.made_up[axis]) return;
        (tile.begun[axis] ? some : others) = true;
    });
    if (!some || others) return std::nullopt;
    FillContext context = context_of_data(inputs);
    context.element = [&](std::int64_t n) {
        const TilePadding& tile = *inputs.tiles[static_cast<std::size_t>(n)];
        return as_data(tile.begun[axis].value_or(tile.data));
    };
    return elsewhere(evaluate(cell, context));
}

// Whether padding of that place begins there in the first step of the loops, which is when a tile
// that a step makes may be numbers yet.
bool PaddingAnalysis::begins_at(const AxisPadding& place, const std::string& key) const {
    AxisPadding first = place;
    for (auto loop = loops_.rbegin(); begin_key(first) != key; ++loop) {
        if (loop == loops_.rend()) return false;
        move_edge(first, {*loop});
    }
    return true;
}

// Padding as given, or that number from the edge of `place` on.
AxisPadding PaddingAnalysis::or_number(AxisPadding made, const AxisPadding& place,
                                       const FillValue& number) const {
    const FillValue fill = made.padded ? join(made.fill, number) : number;
    if (!made.padded || !begins_at(place, begin_key(made))) {
        made = place;
        lose_edge(made, "it combines tiles from several positions");
        made.first = begin_of(place);
        made.first_key = begin_key(place);
    }
    made.fill = fill;
    made.kept = made.stated = made.meant = made.total = made.allowed = false;
    made.repeats = Repeats::no;
    return made;
}

// Cells from the edge of `place` on are those of `cell`.
AxisPadding PaddingAnalysis::instead_of(AxisPadding place, const ir::Scalar& cell,
                                        const Inputs& inputs, std::size_t axis) const {
    AxisPadding made = data_instead_of(place, cell, inputs, axis);
    const std::optional<FillValue> number = begun_of(cell, inputs, axis);
    return number ? or_number(std::move(made), place, *number) : made;
}

AxisPadding PaddingAnalysis::data_instead_of(AxisPadding place, const ir::Scalar& cell,
                                             const Inputs& inputs, std::size_t axis) const {
    AxisPadding there = of_axis(cell, inputs, axis);
    if (!there.padded) {
        const bool tile = is_tile_along(cell, inputs);
        const std::vector<bool> none(inputs.tiles.size(), false);
        place.fill = fill_of(cell, inputs, axis, place, none);
        place.kept = tile;
        place.stated = !tile;
        place.meant = place.total = place.allowed = false;
        place.repeats = Repeats::no;
        const bool number =
            place.fill.kind == FillValue::Kind::constant || is_made_up(cell, inputs, axis);
        return !tile || number ? place : AxisPadding{};
    }
    if (begin_of(there)) {
        const ir::NormalForm left =
            ir::normal_form(begin_of(there), bindings_) - ir::normal_form(place.edge, bindings_);
        if (begin_key(there) == place.key || facts_->prove_at_least(left, 0)) return there;
    }
    // Some of its padding may lie before, where the other tile has data.
    lose_edge(there, there.edge ? "it combines tiles from several positions" : there.lost);
    there.fill = join(there.fill, elsewhere(as_data(evaluate_data(cell, inputs))));
    return there;
}

// ---- several choices of one cell

// With `where(a and b, x, v)` for `where(a, where(b, x, v), v)`: neither may leave out all of the
// padding alone. The inner choice may be what is known of a tile.
ir::Scalar PaddingAnalysis::with_joined_choices(const ir::Scalar& cell,
                                                const Inputs& inputs) const {
    return ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        const ir::Call* choice = as_choice(s);
        if (choice == nullptr || is_of_pad(choice->arguments[0])) return nullptr;
        for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
            const ir::Scalar& other = choice->arguments[3 - side];
            std::vector<ir::Scalar> conditions{side_taken(choice->arguments[0], side)};
            const ir::Scalar chosen =
                inside_of_choices(choice->arguments[side], other, inputs, conditions);
            if (conditions.size() == 1) continue;
            ir::Scalar all = conditions.front();
            for (std::size_t i = 1; i < conditions.size(); ++i)
                all = ir::call(Function::logical_and, {all, conditions[i]});
            return ir::call(Function::where, {all, with_joined_choices(chosen, inputs), other});
        }
        return nullptr;
    });
}

// What x holds wherever it is not v by a choice; the conditions of that choice, and of those in it,
// are added to `conditions`.
ir::Scalar PaddingAnalysis::inside_of_choices(ir::Scalar x, const ir::Scalar& v,
                                              const Inputs& inputs,
                                              std::vector<ir::Scalar>& conditions) const {
    ir::Scalar at = x;
    bool known = false;  // what is known of a tile's cells, and not what they are made of
    for (bool found = true; found;) {
        found = false;
        const auto* element = std::get_if<ir::Element>(&at->node);
        if (element != nullptr && !known && is_number_of_text(v)) {
            known = true;
            if (ir::Scalar cell = inputs.cells[static_cast<std::size_t>(element->input)]) at = cell;
        }
        const ir::Call* choice = as_choice(at);
        if (choice == nullptr || is_of_pad(choice->arguments[0])) break;
        if (known && has_unknown_cells(choice->arguments[0])) break;
        for (const std::size_t side : {std::size_t{1}, std::size_t{2}}) {
            if (!ir::same(choice->arguments[3 - side], v)) continue;
            conditions.push_back(side_taken(choice->arguments[0], side));
            at = ir::Scalar(choice->arguments[side]);
            if (!known) x = at;
            found = true;
            break;
        }
    }
    return x;
}

bool PaddingAnalysis::is_of_pad(const ir::Scalar& condition) const {
    std::string symbol;
    return pad_of(condition, &symbol) != nullptr;
}

}  // namespace tkc::checks::padding
