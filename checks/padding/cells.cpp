// The padding of what is computed cell by cell, and `pad`.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/overloaded.h"
#include "checks/padding/analysis.h"
#include "facts/value_range.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

std::vector<ir::Scalar> parts_of(const ir::Scalar& cell) {
    if (const auto* call = std::get_if<ir::Call>(&cell->node)) return call->arguments;
    if (const auto* cast = std::get_if<ir::Cast>(&cell->node)) return {cast->argument};
    if (const auto* called = std::get_if<ir::External>(&cell->node)) return called->arguments;
    return {};
}

// ---- elementwise

FillContext PaddingAnalysis::context_without_cells() const {
    FillContext context;
    context.element = [](std::int64_t) { return elsewhere(finite_fill()); };
    context.positive = [this](const std::string& symbol) { return is_positive(symbol); };
    context.parameter = [this](const std::string& symbol, Dtype dtype) {
        return bounds_of_parameter(symbol, dtype);
    };
    context.number = [this](const std::string& symbol) { return data_of_number(symbol); };
    context.between = [this](const ir::Scalar& integer) { return between(integer); };
    context.loaded = [this](const std::string& tensor) { return data_of_tensor(tensor); };
    context.decide = [](const ir::Scalar&) { return -1; };
    return context;
}

ir::RealBounds PaddingAnalysis::between(const ir::Scalar& integer) const {
    const ir::ValueRange range = ir::range_of(integer, *bindings_.ranges);
    ir::RealBounds made{static_cast<double>(range.least), static_cast<double>(range.most)};
    const auto* map = op_ == nullptr ? nullptr : ir::as<ir::Map>(*op_);
    if (map == nullptr) return made;
    const ir::TileType& type = role_->tile(map->result);
    const bool row = std::holds_alternative<ir::Row>(integer->node);
    if (row || std::holds_alternative<ir::Column>(integer->node))
        made.most = static_cast<double>((row ? type.rows : type.cols) - 1);
    return made;
}

// Of integers, more is known by their ranges, unless a role reads them from tiles.
std::optional<FillValue> PaddingAnalysis::data_of_number(const std::string& symbol) const {
    if (const auto read = numbers_.find(symbol); read != numbers_.end())
        return as_data(read->second);
    for (const std::map<std::string, ir::Scalar>* lets : {&lets_, &kernel_lets_}) {
        const auto let = lets->find(symbol);
        if (let == lets->end()) continue;
        const std::set<std::string> names = ir::symbols_of(let->second);
        const bool from_tiles = std::any_of(
            names.begin(), names.end(), [&](const auto& name) { return numbers_.contains(name); });
        if (is_real(let->second->dtype) || from_tiles)
            return as_data(evaluate(let->second, context_without_cells()));
    }
    return std::nullopt;
}

bool PaddingAnalysis::is_positive(const std::string& symbol) const {
    for (const std::map<std::string, ir::Scalar>* lets : {&lets_, &kernel_lets_}) {
        const auto let = lets->find(symbol);
        if (let == lets->end()) continue;
        const FillValue value = evaluate(let->second, context_without_cells());
        return ir::padding::is_positive(value);
    }
    const auto known = bounds_of_parameter(symbol, Dtype::f64);
    return known && known->least > 0;
}

// What conditions say that compare it with a constant: `requires scale > 0, scale < inf`.
std::optional<ir::RealBounds> PaddingAnalysis::bounds_of_parameter(const std::string& symbol,
                                                                   Dtype dtype) const {
    std::optional<ir::RealBounds> made;
    const ir::RealBounds finite = ir::finite_bounds(dtype);
    for (const ir::Condition& condition : kernel_.conditions) {
        const auto* call = std::get_if<ir::Call>(&condition.holds->node);
        if (call == nullptr || call->arguments.size() != 2) continue;
        const bool above = call->function == Function::gt || call->function == Function::ge;
        const bool below = call->function == Function::lt || call->function == Function::le;
        if (!above && !below) continue;
        const bool strict = call->function == Function::gt || call->function == Function::lt;
        for (std::size_t side = 0; side < 2; ++side) {
            const auto* known = std::get_if<ir::Symbol>(&call->arguments[side]->node);
            if (known == nullptr || known->name != symbol) continue;
            // A constant is wanted: names in the bound would lead from one condition to the next.
            FillContext context;
            context.positive = [](const std::string&) { return false; };
            context.decide = [](const ir::Scalar&) { return -1; };
            const FillValue limit = evaluate(call->arguments[1 - side], context);
            if (limit.kind != FillValue::Kind::constant) continue;
            if (!made) made = ir::bounds_of(dtype);
            if (above == (side == 0)) {
                const double least = !strict                      ? limit.value
                                     : limit.value == 0           ? ir::least_above_zero(dtype)
                                     : limit.value < finite.least ? finite.least
                                                                  : limit.value;
                made->least = std::max(made->least, least);
            } else {
                const double most = strict && limit.value > finite.most ? finite.most : limit.value;
                made->most = std::min(made->most, most);
            }
        }
    }
    return made && made->least <= made->most ? made : std::nullopt;
}

PaddingAnalysis::Inputs PaddingAnalysis::inputs_of(const ir::Map& map, std::size_t axis) const {
    Inputs made;
    for (const ir::Value v : map.inputs) {
        const ir::TileType& type = role_->tile(v);
        made.tiles.push_back(shared(v));
        made.spread.push_back((axis == 0 ? type.rows : type.cols) == 1);
        made.cells.push_back(known_cell(v));
        made.values.push_back(v);
    }
    return made;
}

// Cells that join two tiles: padding of either. Where both have it at one place, it is there.
void PaddingAnalysis::join_places(AxisPadding& made, const AxisPadding& other) const {
    if (!other.padded) return;
    if (!made.padded) {
        made = other;
        return;
    }
    if (made.edge && other.edge && made.key == other.key) return;
    if (!made.inside.empty() && made.inside_key == other.inside_key) return;
    ir::Scalar first;
    if (begin_of(made) && begin_of(other)) {
        const ir::NormalForm a = ir::normal_form(begin_of(made), bindings_);
        const ir::NormalForm b = ir::normal_form(begin_of(other), bindings_);
        if (begin_key(made) == begin_key(other) || facts_->prove_at_least(b - a, 0))
            first = begin_of(made);
        else if (facts_->prove_at_least(a - b, 0)) first = begin_of(other);
        else if (is_of_launch(begin_of(made)) && is_of_launch(begin_of(other)))
            first = ir::call(Function::min, {begin_of(made), begin_of(other)});
    }
    const std::string why =
        made.edge ? other.edge ? std::string(joins_several) : other.lost : made.lost;
    lose_edge(made, why);
    made.first = first;
    made.first_key = first ? ir::normal_form(first, bindings_).key() : "";
}

// The padding of `cell` along an axis, without its fill: where its inputs have theirs, but for
// choices that leave it out.
AxisPadding PaddingAnalysis::place_of(const ir::Scalar& cell, const Inputs& inputs,
                                      std::size_t axis) const {
    if (const auto* element = std::get_if<ir::Element>(&cell->node)) {
        const auto i = static_cast<std::size_t>(element->input);
        return inputs.spread[i] ? AxisPadding{} : inputs.tiles[i]->axis[axis];
    }
    if (const auto known = inputs.places.find(cell); known != inputs.places.end())
        return known->second;
    AxisPadding made;
    if (const auto chosen = of_choice(cell, inputs, axis)) {
        made = *chosen;
    } else {
        for (const ir::Scalar& part : parts_of(cell))
            join_places(made, place_of(part, inputs, axis));
    }
    inputs.places.emplace(cell, made);
    return made;
}

FillValue PaddingAnalysis::fill_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                   const AxisPadding& place,
                                   const std::vector<bool>& padded) const {
    FillContext context = context_without_cells();
    context.decide = [&](const ir::Scalar& c) {
        return decide(with_known_cells(c, inputs), inputs, axis, place);
    };
    context.element = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        if (padded[i]) return inputs.tiles[i]->axis[axis].fill;
        const FillValue data = data_there(inputs, i, context.decide);
        return inputs.spread[i] ? beside_extreme(data, inputs, i, axis) : data;
    };
    return evaluate(cell, context);
}

// The cell where none of its inputs is padding.
FillValue PaddingAnalysis::evaluate_data(const ir::Scalar& cell, const Inputs& inputs) const {
    return evaluate(cell, context_of_data(inputs));
}

FillContext PaddingAnalysis::context_of_data(const Inputs& inputs) const {
    FillContext context = context_without_cells();
    context.data = true;
    context.element = [&](std::int64_t n) {
        return as_data(inputs.tiles[static_cast<std::size_t>(n)]->data);
    };
    context.alone = [&](const ir::Scalar& operand, const ir::Scalar& other) {
        return goes_further(operand, other, inputs);
    };
    return context;
}

// Whether the operand may have data where the other one has padding.
bool PaddingAnalysis::goes_further(const ir::Scalar& operand, const ir::Scalar& other,
                                   const Inputs& inputs) const {
    return std::any_of(inputs.both->begin(), inputs.both->end(), [&](const Inputs& along) {
        const std::size_t axis = &along == &inputs.both->front() ? 0 : 1;
        const AxisPadding ends = place_of(other, along, axis);
        if (!ends.padded || !is_tile_along(operand, along)) return false;
        const AxisPadding mine = place_of(operand, along, axis);
        if (!mine.edge || !begin_of(ends)) return true;
        if (mine.key == begin_key(ends)) return false;
        return !facts_->prove_at_least(
            ir::normal_form(begin_of(ends), bindings_) - ir::normal_form(mine.edge, bindings_), 0);
    });
}

// Two tiles whose padding is of several places, joined by `max` while both are padded with -inf: a
// cell that is padding of one only holds what the other has there, and one that is padding of both
// is -inf. So it is with any number that no cell of either is less than. `min` and sums likewise.
bool PaddingAnalysis::joins_neutral(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                    FillValue* fill) const {
    return joins_neutral(cell, fill, [&](const ir::Scalar& side) {
        TilePadding made;
        made.data = evaluate_data(side, inputs);
        made.axis[axis] = of_axis(side, inputs, axis);
        return made;
    });
}

bool PaddingAnalysis::joins_neutral(
    const ir::Scalar& cell, FillValue* fill,
    const std::function<TilePadding(const ir::Scalar& side)>& of_side) const {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    const std::optional<double> neutral = neutral_of(call->function, cell->dtype);
    if (!neutral) return false;
    const TilePadding sides[]{of_side(call->arguments[0]), of_side(call->arguments[1])};
    // Without padding: a tile that begins with what changes nothing.
    const FillValue one = padding::corner_of(sides[0]);
    const FillValue other = padding::corner_of(sides[1]);
    if (one.kind != FillValue::Kind::constant || !is_constant(other, one.value)) return false;
    const bool no_further = std::all_of(std::begin(sides), std::end(sides), [&](const auto& side) {
        if (!is_number(side.data)) return false;
        const ir::RealBounds data = bounds_of(side.data);
        return (call->function == Function::max && one.value <= data.least) ||
               (call->function == Function::min && one.value >= data.most);
    });
    if (!is_constant(one, *neutral) && !no_further) return false;
    *fill = join(one, other);
    return true;
}

ir::Scalar in_two_steps(const ir::Call& fma) {
    return ir::add(ir::mul(fma.arguments[0], fma.arguments[1]), fma.arguments[2]);
}

// `v + x`, `v * x` or `max(v, x)` where the padding of x changes no cell of v: a running sum
// goes on past the edge of what is added to it. The padding is that of v, if it begins no earlier.
std::optional<AxisPadding> PaddingAnalysis::of_running(const ir::Scalar& cell, const Inputs& inputs,
                                                       std::size_t axis) const {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr) return std::nullopt;
    if (call->function == Function::fma) return of_running(in_two_steps(*call), inputs, axis);
    if (call->arguments.size() != 2) return std::nullopt;
    // Two tiles: a long chain of `x * 0.5` would be followed twice at each step.
    for (const ir::Scalar& side : call->arguments)
        if (!is_tile_along(side, inputs)) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side) {
        if (side == 1 && call->function == Function::sub) continue;
        const ir::Scalar& running = call->arguments[side];
        AxisPadding added = of_axis(call->arguments[1 - side], inputs, axis);
        if (!added.padded || !begin_of(added)) continue;
        AxisPadding made = of_axis(running, inputs, axis);
        const FillValue data = evaluate_data(running, inputs);
        if (!leaves_data(call->function, 1 - side, added.fill,
                         made.padded ? join(made.fill, data) : data))
            continue;
        if (!made.padded) {
            const bool begins = added.edge && data.kind == FillValue::Kind::constant &&
                                is_tile_along(running, inputs);
            const bool as_it_was = std::holds_alternative<ir::Element>(running->node);
            if (!begins && as_it_was && is_combined(running, inputs, axis)) {
                // What loops have computed goes on with data, or with what it began as.
                const std::optional<FillValue> begun = begun_of(running, inputs, axis);
                return begun ? or_number({}, added, *begun) : AxisPadding{};
            }
            if (!begins) continue;
            added.fill = data;
            added.kept = true;
            added.repeats = Repeats::no;
            return added;
        }
        if (!begin_of(made) || begin_key(made) == begin_key(added)) continue;
        const ir::NormalForm left = ir::normal_form(begin_of(made), bindings_) -
                                    ir::normal_form(begin_of(added), bindings_);
        if (!facts_->prove_at_least(left, 0)) continue;
        made.repeats = Repeats::no;  // where both end at one place, the last cell has what is added
        const std::optional<FillValue> begun = begun_of(running, inputs, axis);
        return begun ? or_number(made, added, *begun) : made;
    }
    return std::nullopt;
}

// Each part of an expression is asked for by several of those around it.
AxisPadding PaddingAnalysis::of_axis(const ir::Scalar& cell, const Inputs& inputs,
                                     std::size_t axis) const {
    if (const auto known = inputs.made.find(cell); known != inputs.made.end()) return known->second;
    AxisPadding made = made_of(cell, inputs, axis);
    inputs.made.emplace(cell, made);
    return made;
}

AxisPadding PaddingAnalysis::made_of(const ir::Scalar& cell, const Inputs& inputs,
                                     std::size_t axis) const {
    if (auto chosen = of_choice(cell, inputs, axis)) return *chosen;
    if (auto running = of_running(cell, inputs, axis)) return *running;
    AxisPadding made = place_of(cell, inputs, axis);
    if (!made.padded) return made;
    made.repeats = repeats(cell, inputs, axis, made);
    if (joins_neutral(cell, inputs, axis, &made.fill)) return made;
    // The inputs that are padding wherever the cell is, and those that may be.
    std::vector<bool> padded(inputs.tiles.size(), false);
    std::set<std::size_t> some;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i] || !input.padded) return;
        padded[i] = (input.edge && input.key == begin_key(made)) ||
                    (!input.inside.empty() && input.inside_key == made.inside_key);
        if (!padded[i]) some.insert(i);
    });
    constexpr std::size_t most_choices = 6;
    if (some.size() > most_choices) {
        made.fill = {};
        return made;
    }
    const std::vector<std::size_t> choices(some.begin(), some.end());
    const bool any = std::find(padded.begin(), padded.end(), true) != padded.end();
    std::optional<FillValue> fill;
    for (std::size_t set = 0; set < std::size_t{1} << choices.size(); ++set) {
        if (set == 0 && !any && !made.edge) continue;  // padding of none of them
        for (std::size_t i = 0; i < choices.size(); ++i) padded[choices[i]] = (set >> i & 1U) != 0;
        if (choices.size() > 1 && !may_be_padded(padded, choices, inputs, axis)) continue;
        const FillValue one = fill_of(cell, inputs, axis, made, padded);
        fill = fill ? join(*fill, one) : one;
    }
    made.fill = fill.value_or(FillValue{});
    if (made.fill.kind == FillValue::Kind::constant) as_one_number(cell, inputs, axis, made);
    const bool as_it_is = std::holds_alternative<ir::Element>(cell->node) ||
                          std::holds_alternative<ir::Cast>(cell->node);
    if (!as_it_is) {
        made.stated = made.allowed = false;
        made.total = is_total(cell, inputs, axis);
        made.meant =
            goes_on_with_data(cell, inputs, axis) || names_edge(cell, inputs, axis, begin_of(made));
    }
    return made;
}

// Padding that is one number wherever some of the tiles have ended begins where the first of them
// does: `exp(x - top)` is 0 past the edge of x, and has no data of `top` there. And it may be kept
// from step to step where it is what a loop begins with.
void PaddingAnalysis::as_one_number(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                    AxisPadding& made) {
    bool edges = true;
    bool begins = false;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (inputs.spread[i]) return;
        edges = edges && (!input.padded || input.edge);
        begins = begins || (!input.padded && is_constant(inputs.tiles[i]->data, made.fill.value));
    });
    if (edges) made = from_begin(std::move(made));
    made.kept = made.kept || (made.edge && begins);
}

// Whether there may be a cell that is padding of these of the inputs, and data of the others: none
// is past an edge and before one that lies no further on.
bool PaddingAnalysis::may_be_padded(const std::vector<bool>& padded,
                                    const std::vector<std::size_t>& inputs_asked,
                                    const Inputs& inputs, std::size_t axis) const {
    for (const std::size_t past : inputs_asked) {
        const AxisPadding& ended = inputs.tiles[past]->axis[axis];
        if (!padded[past] || !ended.edge) continue;
        for (const std::size_t before : inputs_asked) {
            const AxisPadding& going_on = inputs.tiles[before]->axis[axis];
            if (padded[before] || !going_on.edge) continue;
            const ir::NormalForm left =
                ir::normal_form(ended.edge, bindings_) - ir::normal_form(going_on.edge, bindings_);
            if (facts_->prove_at_least(left, 0)) return false;
        }
    }
    return true;
}

// Whether each cell past the edge is what the last cell of the data is, if what goes on is data.
bool PaddingAnalysis::is_total(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis) {
    bool all = !mentions_places(cell);
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        all = all && (inputs.spread[i] || input.total);
    });
    return all;
}

// Whether each cell past the edge is made of the same as the last cell of the data. What is nearly
// the same gives that only by functions that do not jump.
Repeats PaddingAnalysis::repeats(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                 const AxisPadding& place) {
    if (!place.edge || mentions_places(cell)) return Repeats::no;
    Repeats made = Repeats::exactly;
    bool jumps = false;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        if (const auto* call = std::get_if<ir::Call>(&n.node)) {
            const FunctionInfo& function = info(call->function);
            jumps = jumps || function.kind != FunctionKind::arithmetic ||
                    function.digits != FunctionDigits::exact;
        }
        jumps = jumps || std::holds_alternative<ir::External>(n.node) ||
                (std::holds_alternative<ir::Cast>(n.node) && !is_real(n.dtype));
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i]->axis[axis];
        if (!inputs.spread[i])
            made = std::min(made, input.key == place.key ? input.repeats : Repeats::no);
    });
    return made == Repeats::nearly && jumps ? Repeats::no : made;
}

// Whether a choice by places and the edge has put there what is there: numbers that are written, or
// what a tile holds that was put there before.
bool PaddingAnalysis::names_edge(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                 const ir::Scalar& edge) const {
    const auto* choice = std::get_if<ir::Call>(&cell->node);
    if (!edge || choice == nullptr || choice->function != Function::where) return false;
    const ir::Scalar condition = expanded(with_known_cells(choice->arguments[0], inputs));
    if (!mentions_places(condition)) return false;
    const std::set<std::string> wanted = ir::symbols_of(edge);
    const std::set<std::string> names = ir::symbols_of(condition);
    const bool found = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        return wanted.contains(name) && !steps_.contains(name);
    });
    return found && std::all_of(choice->arguments.begin() + 1, choice->arguments.end(),
                                [&](const ir::Scalar& side) {
                                    const AxisPadding put = of_axis(side, inputs, axis);
                                    return !put.padded || is_constant(put.fill, 0) || put.stated ||
                                           put.meant;
                                });
}

// Whether a tile without padding goes on past the edges of others, which are 0 there: what is made
// of them is as if they had ended with zeros.
bool PaddingAnalysis::goes_on_with_data(const ir::Scalar& cell, const Inputs& inputs,
                                        std::size_t axis) const {
    const bool any = std::any_of(inputs.tiles.begin(), inputs.tiles.end(), [&](const auto& tile) {
        const auto i = static_cast<std::size_t>(&tile - inputs.tiles.data());
        const bool whole = !tile->axis[axis].padded && tile->data.kind != FillValue::Kind::constant;
        return !inputs.spread[i] && (whole || tile->axis[axis].meant);
    });
    if (!any) return false;
    bool found = false;
    for (const ir::Scalar& part : parts_of(cell)) {
        const AxisPadding of_part = of_axis(part, inputs, axis);
        const bool whole = !of_part.padded && is_tile_along(part, inputs);
        const bool ends = of_part.padded && !of_part.meant;
        if (ends && !is_constant(of_part.fill, 0)) return false;
        found = found || whole || of_part.meant;
    }
    return found;
}

void PaddingAnalysis::follow_map(ir::Op& op) {
    auto& map = std::get<ir::Map>(op.node);
    std::array<Inputs, 2> inputs{inputs_of(map, 0), inputs_of(map, 1)};
    for (Inputs& along : inputs) along.both = &inputs;
    if (settle_) {
        for (const ir::Value v : map.inputs) check_single(v);
    }
    undecided_ = false;
    with_corners(map.expression, map.result, inputs);
    const ir::Scalar cell = with_divisors(with_pads_settled(map.expression, inputs), inputs);
    const ir::TileType& type = role_->tile(map.result);
    TilePadding made = with_corners(cell, map.result, inputs);
    if (undecided_) look_again(cell, inputs, made);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        made.made_up[axis] = is_made_up(cell, inputs[axis], axis);
        if (!made.made_up[axis]) made.begun[axis] = begun_of(cell, inputs[axis], axis);
    }
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if ((axis == 0 ? type.rows : type.cols) == 1) continue;
        made.iterations[axis] = combined(inputs[axis], axis);
        follow_steps(cell, inputs[axis], axis, made.axis[axis]);
        made.holes[axis] = holes_of(cell, inputs[axis], axis);
        if (made.holes[axis].inside.empty()) lose_holes(cell, inputs[axis], axis, made.axis[axis]);
    }
    FillContext context = context_of_data(inputs[0]);
    context.decide = [&](const ir::Scalar& c) {
        // A `pad` with a number leaves data as they are; one with a tile adds that tile's. Cells
        // that a list names outside of a tensor count as data.
        std::string symbol;
        const checker::PaddingSite* site = pad_of(c, &symbol);
        const auto axis = site == nullptr ? 0 : static_cast<std::size_t>(site->axis);
        const bool kept = site != nullptr && !site->with_tile && made.holes[axis].inside.empty();
        return kept ? 1 : site != nullptr ? -1 : decide_in_data(c, inputs[0], made);
    };
    context.hides = [this](const FillValue& data) { report_mixed(data); };
    made.data = evaluate(map.expression, context);
    mix_by_joining(map, cell, inputs, made.data);
    if (made.axis[0].padded && made.axis[1].padded) made.corner = corner_of(cell, inputs, made);
    const ir::Scalar by_place = cell_by_place(cell, inputs[0]);
    const ir::Value result = map.result;
    const ir::Map written = map;
    if (settle_ && cell != map.expression) replace(op, cell);
    set(result, made);
    note_extremes(written);
    if (by_place) state_->cells[result.id] = {by_place};
}

// A map whose `pad`s are settled may have become a simpler operation.
void PaddingAnalysis::replace(ir::Op& op, const ir::Scalar& cell) const {
    auto& map = std::get<ir::Map>(op.node);
    const ir::Value result = map.result;
    const bool same = std::holds_alternative<ir::Element>(cell->node) && map.inputs.size() == 1 &&
                      role_->tile(map.inputs[0]) == role_->tile(result);
    if (same) {
        op = ir::at(op.span, ir::Copy{result, ir::Value(map.inputs[0])});
    } else if (map.inputs.empty() && !mentions_places(cell)) {
        op = ir::at(op.span, ir::Splat{result, cell});
    } else {
        map.expression = cell;
    }
}

}  // namespace tkc::checks::padding
