// The padding of what is computed cell by cell, and `pad`.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "base/overloaded.h"
#include "checks/padding/analysis.h"
#include "ir/value_range.h"

namespace tkc::checks::padding {

namespace {

constexpr const char* cell_row = "cell.row";
constexpr const char* cell_column = "cell.col";

bool mentions_places(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found || std::holds_alternative<ir::Row>(n.node) ||
                std::holds_alternative<ir::Column>(n.node);
    });
    return found;
}

}  // namespace

// ---- elementwise

FillContext PaddingAnalysis::context_without_cells() const {
    FillContext context;
    context.element = [](std::int64_t) { return finite_fill(); };
    context.positive = [this](const std::string& symbol) { return is_positive(symbol); };
    context.number = [this](const std::string& symbol) { return data_of_number(symbol); };
    context.decide = [](const ir::Scalar&) { return -1; };
    return context;
}

// Parameters are finite like all data; what a role computes may be infinite.
std::optional<FillValue> PaddingAnalysis::data_of_number(const std::string& symbol) const {
    if (const auto read = numbers_.find(symbol); read != numbers_.end()) return read->second;
    const auto let = lets_.find(symbol);
    if (let == lets_.end()) return std::nullopt;
    for (const std::string& name : ir::symbols_of(let->second)) {
        if (numbers_.contains(name)) return evaluate(let->second, context_without_cells());
    }
    return std::nullopt;
}

bool PaddingAnalysis::is_positive(const std::string& symbol) const {
    for (const std::map<std::string, ir::Scalar>* lets : {&lets_, &kernel_lets_}) {
        const auto let = lets->find(symbol);
        if (let == lets->end()) continue;
        const FillValue value = evaluate(let->second, context_without_cells());
        return is_finite(value) && (value.kind == FillValue::Kind::positive || value.value > 0);
    }
    for (const ir::Condition& condition : kernel_.conditions) {
        const auto* call = std::get_if<ir::Call>(&condition.holds->node);
        if (call == nullptr || call->arguments.size() != 2) continue;
        const bool above = call->function == Function::gt;
        const bool below = call->function == Function::lt;
        if (!above && !below) continue;
        const ir::Scalar& name = call->arguments[above ? 0 : 1];
        const ir::Scalar& bound = call->arguments[above ? 1 : 0];
        const auto* known = std::get_if<ir::Symbol>(&name->node);
        if (known == nullptr || known->name != symbol) continue;
        // A constant is wanted: names in the bound would lead from one condition to the next.
        FillContext context = context_without_cells();
        context.positive = [](const std::string&) { return false; };
        const FillValue least = evaluate(bound, context);
        if (least.kind == FillValue::Kind::constant && least.value >= 0) return true;
    }
    return false;
}

PaddingAnalysis::Inputs PaddingAnalysis::inputs_of(const ir::Map& map, std::size_t axis) const {
    Inputs made;
    for (const ir::Value v : map.inputs) {
        const ir::TileType& type = role_->tile(v);
        made.tiles.push_back(of(v));
        made.spread.push_back((axis == 0 ? type.rows : type.cols) == 1);
    }
    return made;
}

// The padding of `cell` along an axis, without its fill: where its inputs have theirs.
AxisPadding PaddingAnalysis::place_of(const ir::Scalar& cell, const Inputs& inputs,
                                      std::size_t axis) const {
    AxisPadding made;
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        const AxisPadding& input = inputs.tiles[i].axis[axis];
        if (inputs.spread[i] || !input.padded) return;
        if (!made.padded) {
            made = input;
        } else if (made.key != input.key || !input.edge) {
            lose_edge(made, input.edge ? "it joins tiles of several places" : input.lost);
        }
    });
    return made;
}

FillValue PaddingAnalysis::fill_of(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                   const AxisPadding& place,
                                   const std::vector<bool>& padded) const {
    FillContext context = context_without_cells();
    context.element = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        const TilePadding& tile = inputs.tiles[i];
        return padded[i] ? tile.axis[axis].fill : as_data(tile.data);
    };
    context.decide = [&](const ir::Scalar& c) { return decide(c, axis, place); };
    return evaluate(cell, context);
}

// A cell's place has a name while a condition is looked at.
ir::Bindings PaddingAnalysis::bindings_with_places(const ir::Kernel& kernel) {
    ir::Bindings bindings = ir::bindings_of(kernel);
    ir::Ranges ranges = *bindings.ranges;
    ranges[cell_row] = ir::range_of(ir::row(), ranges);
    ranges[cell_column] = ir::range_of(ir::column(), ranges);
    bindings.ranges = std::make_shared<const ir::Ranges>(std::move(ranges));
    return bindings;
}

// Whether a condition holds in the padding.
int PaddingAnalysis::decide(const ir::Scalar& condition, std::size_t axis,
                            const AxisPadding& place) const {
    std::string symbol;
    if (pad_of(condition, &symbol) != nullptr) return 0;  // told: as if it could be settled
    if (!place.edge || !mentions_places(condition)) return -1;
    // Each round of each loop, and each axis and corner, asks the same.
    const std::string question =
        fmt::format("{} {} {} {}", where_, axis, place.key, ir::to_string(condition));
    const auto known = decided_.find(question);
    if (known != decided_.end()) return known->second;
    const int answer = decide_anew(condition, axis, place);
    decided_.emplace(question, answer);
    return answer;
}

int PaddingAnalysis::decide_anew(const ir::Scalar& condition, std::size_t axis,
                                 const AxisPadding& place) const {
    if (const auto* call = std::get_if<ir::Call>(&condition->node)) {
        const bool both = call->function == Function::logical_and;
        if (both || call->function == Function::logical_or) {
            const int a = decide(call->arguments[0], axis, place);
            const int b = decide(call->arguments[1], axis, place);
            const int decides = both ? 0 : 1;
            if (a == decides || b == decides) return decides;
            return a == b ? a : -1;
        }
        if (call->function == Function::logical_not) {
            const int a = decide(call->arguments[0], axis, place);
            return a < 0 ? a : 1 - a;
        }
    }
    const ir::Scalar named = ir::rewrite(condition, [](const ir::Scalar& s) -> ir::Scalar {
        if (std::holds_alternative<ir::Row>(s->node)) return ir::symbol(cell_row);
        if (std::holds_alternative<ir::Column>(s->node)) return ir::symbol(cell_column);
        return nullptr;
    });
    const char* const moving = axis == 0 ? cell_row : cell_column;
    ir::Facts facts = *facts_;
    facts.assume_at_least_zero(ir::symbol_form(cell_row));
    facts.assume_at_least_zero(ir::symbol_form(cell_column));
    // Goals are simplified before they are proved: an edge that kept a maximum which is decided, as
    // that of a loop from max(m.start, 0), would not meet them.
    const ir::NormalForm edge = ir::normal_form(place.edge, bindings_);
    const ir::NormalForm simple = facts_->simplify(edge);
    facts.assume_at_least_zero(ir::symbol_form(moving) - edge);
    if (!(simple == edge)) facts.assume_at_least_zero(ir::symbol_form(moving) - simple);
    const ir::NormalForm truth = form_in_cell(named);
    if (facts.prove(truth)) return 1;
    return facts.prove(ir::negation(truth)) ? 0 : -1;
}

// Two tiles whose padding is of several places, joined by `max` while both are padded with -inf: a
// cell that is padding of one only holds what the other has there, and one that is padding of both
// is -inf. `min` and sums likewise.
bool PaddingAnalysis::joins_neutral(const ir::Scalar& cell, const Inputs& inputs, std::size_t axis,
                                    FillValue* fill) const {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    const std::optional<double> neutral = neutral_of(call->function, cell->dtype);
    if (!neutral) return false;
    FillContext context = context_without_cells();
    context.element = [&](std::int64_t n) {
        return inputs.tiles[static_cast<std::size_t>(n)].data;
    };
    FillValue found = constant_fill(*neutral);
    for (const ir::Scalar& side : call->arguments) {
        const AxisPadding padding = of_axis(side, inputs, axis);
        // Without padding: a tile that begins with what changes nothing.
        const FillValue there = padding.padded ? padding.fill : evaluate(side, context);
        if (!is_constant(there, *neutral)) return false;
        found = join(found, there);
    }
    *fill = found;
    return true;
}

AxisPadding PaddingAnalysis::of_axis(const ir::Scalar& cell, const Inputs& inputs,
                                     std::size_t axis) const {
    AxisPadding made = place_of(cell, inputs, axis);
    if (!made.padded) return made;
    if (joins_neutral(cell, inputs, axis, &made.fill)) return made;
    std::vector<bool> padded(inputs.tiles.size(), false);  // of those that stand in the cell
    ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        if (element == nullptr) return;
        const auto i = static_cast<std::size_t>(element->input);
        padded[i] = !inputs.spread[i] && inputs.tiles[i].axis[axis].padded;
    });
    made.fill = fill_of(cell, inputs, axis, made, padded);
    if (made.edge) return made;
    // Several places: cells that are padding of some may be data of the others.
    std::vector<std::size_t> choices;
    for (std::size_t i = 0; i < padded.size(); ++i) {
        if (padded[i]) choices.push_back(i);
    }
    constexpr std::size_t most_choices = 6;
    if (choices.size() > most_choices) made.fill = {};
    for (std::size_t set = 1; choices.size() <= most_choices && set + 1 < 1U << choices.size();
         ++set) {
        for (std::size_t i = 0; i < choices.size(); ++i) padded[choices[i]] = (set >> i & 1U) != 0;
        made.fill = join(made.fill, fill_of(cell, inputs, axis, made, padded));
    }
    return made;
}

// As joins_neutral, of the padding along both axes: what is padding of neither along one of them is
// no corner of the tile that is made.
bool PaddingAnalysis::corner_is_neutral(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                                        FillValue* fill) const {
    const auto* call = std::get_if<ir::Call>(&cell->node);
    if (call == nullptr || call->arguments.size() != 2) return false;
    const std::optional<double> neutral = neutral_of(call->function, cell->dtype);
    if (!neutral) return false;
    FillContext context = context_without_cells();
    context.element = [&](std::int64_t n) {
        return inputs[0].tiles[static_cast<std::size_t>(n)].data;
    };
    FillValue found = constant_fill(*neutral);
    for (const ir::Scalar& side : call->arguments) {
        TilePadding tile;
        for (std::size_t axis = 0; axis < 2; ++axis)
            tile.axis[axis] = of_axis(side, inputs[axis], axis);
        tile.data = evaluate(side, context);
        if (tile.axis[0].padded && tile.axis[1].padded) tile.corner = corner_of(side, inputs, tile);
        const FillValue there = padding::corner_of(tile);
        if (!is_constant(there, *neutral)) return false;
        found = join(found, there);
    }
    *fill = found;
    return true;
}

FillValue PaddingAnalysis::corner_of(const ir::Scalar& cell, const std::array<Inputs, 2>& inputs,
                                     const TilePadding& made) const {
    FillValue fill;
    if (corner_is_neutral(cell, inputs, &fill)) return fill;
    if (!made.axis[0].edge || !made.axis[1].edge) {
        // One tile's corner is that of what is made of it, wherever it begins.
        std::set<std::int64_t> padded;
        ir::visit_nodes(cell, [&](const ir::ScalarNode& n) {
            const auto* element = std::get_if<ir::Element>(&n.node);
            if (element == nullptr) return;
            for (std::size_t axis = 0; axis < 2; ++axis) {
                const auto i = static_cast<std::size_t>(element->input);
                if (!inputs[axis].spread[i] && inputs[axis].tiles[i].axis[axis].padded)
                    padded.insert(element->input);
            }
        });
        if (padded.size() > 1) return {};
    }
    FillContext context = context_without_cells();
    context.element = [&](std::int64_t n) {
        const auto i = static_cast<std::size_t>(n);
        TilePadding tile = inputs[0].tiles[i];
        for (std::size_t axis = 0; axis < 2; ++axis)
            if (inputs[axis].spread[i]) tile.axis[axis].padded = false;
        const FillValue x = padding::corner_of(tile);
        return tile.axis[0].padded || tile.axis[1].padded ? x : as_data(x);
    };
    context.decide = [&](const ir::Scalar& c) {
        const int by_row = decide(c, 0, made.axis[0]);
        return by_row >= 0 ? by_row : decide(c, 1, made.axis[1]);
    };
    return evaluate(cell, context);
}

// The cell over its place, if it is made of that or of one tile that is.
ir::Scalar PaddingAnalysis::cell_by_place(const ir::Map& map, const ir::Scalar& cell,
                                          const std::array<Inputs, 2>& inputs) const {
    constexpr std::size_t most_nodes = 64;
    if (mentions_places(cell)) return expanded(cell);
    if (map.inputs.size() != 1 || inputs[0].spread[0] || inputs[1].spread[0]) return nullptr;
    const auto known = state_->cells.find(map.inputs[0].id);
    if (known == state_->cells.end()) return nullptr;
    const ir::Scalar made = ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        return std::holds_alternative<ir::Element>(s->node) ? known->second.cell : nullptr;
    });
    std::size_t nodes = 0;
    ir::visit_nodes(made, [&](const ir::ScalarNode&) { ++nodes; });
    return nodes <= most_nodes ? made : nullptr;
}

// Whether a tile, padded or not, is 0 along an axis from `edge` on.
bool PaddingAnalysis::is_zero_at(ir::Value tile, std::size_t axis, const ir::Scalar& edge) const {
    const auto known = state_->cells.find(tile.id);
    if (known == state_->cells.end() || !edge) return false;
    AxisPadding place;
    place.padded = true;
    place.edge = edge;
    place.key = ir::normal_form(edge, bindings_).key();
    FillContext context = context_without_cells();
    context.element = [](std::int64_t) { return FillValue{}; };
    context.decide = [&](const ir::Scalar& c) { return decide(c, axis, place); };
    return is_constant(evaluate(known->second.cell, context), 0);
}

void PaddingAnalysis::follow_map(ir::Op& op) {
    auto& map = std::get<ir::Map>(op.node);
    const std::array<Inputs, 2> inputs{inputs_of(map, 0), inputs_of(map, 1)};
    const ir::Scalar cell = with_pads_settled(map.expression, inputs);
    const ir::TileType& type = role_->tile(map.result);
    TilePadding made;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if ((axis == 0 ? type.rows : type.cols) > 1)
            made.axis[axis] = of_axis(cell, inputs[axis], axis);
    }
    FillContext context = context_without_cells();
    context.element = [&](std::int64_t n) {
        return inputs[0].tiles[static_cast<std::size_t>(n)].data;
    };
    context.decide = [&](const ir::Scalar& c) {
        std::string symbol;
        return pad_of(c, &symbol) != nullptr ? 1 : -1;  // a `pad` leaves data as they are
    };
    made.data = evaluate(map.expression, context);
    if (made.axis[0].padded && made.axis[1].padded) made.corner = corner_of(cell, inputs, made);
    const ir::Scalar by_place = cell_by_place(map, cell, inputs);
    const ir::Value result = map.result;
    if (settle_ && cell != map.expression) replace(op, cell);
    set(result, made);
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
        const AxisPadding padding = of_axis(x, inputs[axis], axis);
        const FillValue wanted = evaluate(choice->arguments[2], context_without_cells());
        const bool already = padding.fill.kind == FillValue::Kind::constant &&
                             padding.fill.for_all_data && padding.fill == wanted;
        if (!padding.padded || already) return x;
        if (!padding.edge) {
            if (settle_) report_unknown_pad(*site, padding);
            return nullptr;
        }
        const ir::Scalar edge = named_edge(padding.edge);
        if (!edge) {
            AxisPadding lost = padding;
            lost.lost = "it hangs on a number that has changed since";
            if (settle_) report_unknown_pad(*site, lost);
            return nullptr;
        }
        const ir::Scalar place = axis == 0 ? ir::row() : ir::column();
        return ir::call(Function::where, {ir::less(place, edge), x, choice->arguments[2]});
    });
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
        message.note("the slice of `{}` may reach past its edge", padding.tensor);
    } else {
        message.label(origin, "this slice of `{}` may reach past its edge", padding.tensor);
    }
    if (padding.fill.kind != FillValue::Kind::any) return;
    // -inf times a number is known where the number's sign is.
    for (const ir::Parameter& parameter : kernel_.parameters) {
        if (!is_real(parameter.dtype) || is_positive(parameter.name)) continue;
        message.note("the sign of `{}` is not known; if it is positive, write `requires {} > 0`",
                     parameter.name, parameter.name);
        return;
    }
}

void PaddingAnalysis::report_unknown_pad(const checker::PaddingSite& site,
                                         const AxisPadding& padding) const {
    const ir::Value result = std::get<ir::Map>(op_->node).result;
    const auto axis = static_cast<std::size_t>(site.axis);
    if (is_spoiled(result, axis)) return;
    spoiled_[result.id] |= 1U << axis;
    DiagnosticBuilder message =
        diag_.error(site.span, msg::padding_unknown, site.axis,
                    padding.lost.empty() ? "nothing is known of it" : padding.lost);
    add_calls(message, site.calls);
    add_origin(message, padding, site.span);
}

}  // namespace tkc::checks::padding
