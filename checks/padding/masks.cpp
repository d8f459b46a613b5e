// What cells are by their places: masks, written in a `where` or with a name.
//
// `let inside = n.start + col_index(x) < N and t > 0;` is a tile of its own, as a loop may change t
// before it is used. So it is remembered what its cells are, and a condition that takes one of them
// is looked at as if it were written out. What is not known of a cell stays open: the mask leaves
// out the padding if its other part does.
#include <fmt/format.h>

#include "checks/padding/analysis.h"
#include "facts/value_range.h"
#include "ir/walk.h"

namespace tkc::checks::padding {

namespace {

// A cell of some tile, of which nothing is known: no input of the operation at hand.
constexpr std::int64_t unknown_cell = -1;

std::size_t nodes_of(const ir::Scalar& s) {
    std::size_t nodes = 0;
    ir::visit_nodes(s, [&](const ir::ScalarNode&) { ++nodes; });
    return nodes;
}

// With other words for the place of a cell.
ir::Scalar moved(const ir::Scalar& cell, const ir::Scalar& row, const ir::Scalar& column) {
    return ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        if (std::holds_alternative<ir::Row>(s->node)) return row;
        if (std::holds_alternative<ir::Column>(s->node)) return column;
        return nullptr;
    });
}

}  // namespace

bool has_unknown_cells(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        const auto* element = std::get_if<ir::Element>(&n.node);
        found = found || (element != nullptr && element->input == unknown_cell);
    });
    return found;
}

bool mentions_places(const ir::Scalar& s) {
    bool found = false;
    ir::visit_nodes(s, [&](const ir::ScalarNode& n) {
        found = found || std::holds_alternative<ir::Row>(n.node) ||
                std::holds_alternative<ir::Column>(n.node);
    });
    return found;
}

// ---- conditions

// A cell's place has a name while a condition is looked at.
ir::Bindings PaddingAnalysis::bindings_with_places(const ir::Kernel& kernel) {
    ir::Bindings bindings = ir::bindings_of(kernel);
    ir::Ranges ranges = *bindings.ranges;
    ranges[cell_row] = ir::range_of(ir::row(), ranges);
    ranges[cell_column] = ir::range_of(ir::column(), ranges);
    bindings.ranges = std::make_shared<const ir::Ranges>(std::move(ranges));
    return bindings;
}

// Whether a condition holds in the padding of what is made of `inputs`.
int PaddingAnalysis::decide(const ir::Scalar& condition, const Inputs& inputs, std::size_t axis,
                            const AxisPadding& place) const {
    const int holds = decide(condition, axis, place, inputs.other_end);
    undecided_ = undecided_ || (holds < 0 && mentions_places(condition));
    return holds;
}

// Whether a condition holds in the padding, before `other_end` of the other axis.
int PaddingAnalysis::decide(const ir::Scalar& condition, std::size_t axis, const AxisPadding& place,
                            const ir::Scalar& other_end) const {
    if (is_of_pad(condition)) return 0;  // as if it could be settled
    std::vector<Region> regions = regions_of(place, axis);
    for (Region& region : regions) {
        if (!other_end) break;
        const ir::NormalForm end = ir::normal_form(other_end, bindings_);
        const ir::NormalForm before =
            end - ir::symbol_form(axis == 0 ? cell_column : cell_row) - ir::NormalForm(1);
        region.key += " before " + end.key();
        region.assume = [before, assume = std::move(region.assume)](ir::Facts& facts) {
            assume(facts);
            facts.assume_at_least_zero(before);
        };
    }
    return decide_in_all(condition, regions);
}

// Whether a condition holds in the cells of a tile that are not padding.
int PaddingAnalysis::decide_in_data(const ir::Scalar& condition, const Inputs& inputs,
                                    const TilePadding& made) const {
    const ir::Scalar known = with_known_cells(condition, inputs);
    if (!mentions_places(known)) return -1;
    std::string key = "data";
    std::vector<ir::NormalForm> before;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        if (!begin_of(made.axis[axis]) || !made.axis[axis].edge) continue;
        key += fmt::format(" {} {}", axis, made.axis[axis].key);
        before.push_back(ir::normal_form(made.axis[axis].edge, bindings_) -
                         ir::symbol_form(axis == 0 ? cell_row : cell_column) - ir::NormalForm(1));
    }
    if (before.empty()) return -1;
    return decide(known, {key, [&before](ir::Facts& facts) {
                              for (const ir::NormalForm& x : before) facts.assume_at_least_zero(x);
                          }});
}

// Past the edge; or before the start of the axis and past its end.
std::vector<Region> PaddingAnalysis::regions_of(const AxisPadding& place, std::size_t axis) const {
    if (!begin_of(place)) return regions_of(place.inside, axis);
    const auto assume = [&place, axis, this](ir::Facts& facts) {
        // Goals are simplified before they are proved: an edge that kept a maximum which is
        // decided, as that of a loop from max(m.start, 0), would not meet them.
        const ir::NormalForm along = ir::symbol_form(axis == 0 ? cell_row : cell_column);
        const ir::NormalForm edge = ir::normal_form(begin_of(place), bindings_);
        const ir::NormalForm simple = facts_->simplify(edge);
        facts.assume_at_least_zero(along - edge);
        if (!(simple == edge)) facts.assume_at_least_zero(along - simple);
    };
    return {{fmt::format("{} {}", axis, begin_key(place)), assume}};
}

// Whether it holds in all cells of all regions.
int PaddingAnalysis::decide_in_all(const ir::Scalar& condition,
                                   const std::vector<Region>& regions) const {
    int made = -1;
    for (std::size_t i = 0; i < regions.size(); ++i) {
        const int here = decide(condition, regions[i]);
        made = i == 0 || made == here ? here : -1;
    }
    return made;
}

// By what the condition's operands are there: `where(col < n, 1, 0) > 0` of a mask of numbers.
int PaddingAnalysis::by_values(const ir::Scalar& condition, const Region& region) const {
    bool chooses = false;
    ir::visit_nodes(condition, [&](const ir::ScalarNode& n) {
        const auto* call = std::get_if<ir::Call>(&n.node);
        chooses = chooses || (call != nullptr && call->function == Function::where);
    });
    if (!chooses) return -1;
    const FillValue made =
        by_places(condition, [&](const ir::Scalar& c) { return decide(c, region); });
    const bool known = made.kind == FillValue::Kind::constant && made.for_all_data;
    return known ? static_cast<int>(made.value != 0) : -1;
}

// Whether it holds in all of these cells.
int PaddingAnalysis::decide(const ir::Scalar& condition, const Region& region) const {
    if (!mentions_places(condition)) return -1;
    if (const auto* call = std::get_if<ir::Call>(&condition->node)) {
        const bool both = call->function == Function::logical_and;
        if (both || call->function == Function::logical_or) {
            const int a = decide(call->arguments[0], region);
            const int b = decide(call->arguments[1], region);
            const int decides = both ? 0 : 1;
            if (a == decides || b == decides) return decides;
            if (a >= 0 && b >= 0) return a;
            // Where `col <= row and row < M` holds, the row lies before M.
            const bool open = a < 0 && b < 0;
            return open && decides_beside(call->arguments, region, both) ? decides : -1;
        }
        if (call->function == Function::logical_not) {
            const int a = decide(call->arguments[0], region);
            return a < 0 ? a : 1 - a;
        }
    }
    if (const int known = by_values(condition, region); known >= 0) return known;
    if (has_unknown_cells(condition)) return -1;  // two of them are not one
    // Each round of each loop, and each axis and corner, asks the same. A proof rests on the facts
    // alone, which are the same in every round; what numbers hold (by_values) is not.
    const std::string question =
        fmt::format("{} {} {}", where_, region.key, ir::to_string(condition));
    const auto known = proved_.find(question);
    if (known != proved_.end()) return known->second;
    const int answer = by_proof(condition, region);
    proved_.emplace(question, answer);
    return answer;
}

// Whether the second condition is false (true) in all cells of the region in which the first one is
// true (false).
bool PaddingAnalysis::decides_beside(const std::vector<ir::Scalar>& conditions,
                                     const Region& region, bool holds) const {
    for (const ir::Scalar& one : conditions)
        if (has_unknown_cells(one) || !mentions_places(one)) return false;
    const Region beside{
        fmt::format("{} {} {}", region.key, holds ? "and" : "or", ir::to_string(conditions[0])),
        [&](ir::Facts& facts) {
            region.assume(facts);
            const ir::NormalForm truth = form_of_cell(conditions[0]);
            facts.assume(holds ? truth : ir::negation(truth));
        }};
    return decide(conditions[1], beside) == (holds ? 0 : 1);
}

ir::NormalForm PaddingAnalysis::form_of_cell(const ir::Scalar& condition) const {
    return form_in_cell(moved(condition, ir::symbol(cell_row), ir::symbol(cell_column)));
}

int PaddingAnalysis::by_proof(const ir::Scalar& condition, const Region& region) const {
    ir::Facts facts = *facts_;
    facts.assume_at_least_zero(ir::symbol_form(cell_row));
    facts.assume_at_least_zero(ir::symbol_form(cell_column));
    region.assume(facts);
    const ir::NormalForm truth = form_of_cell(condition);
    if (facts.prove(truth)) return 1;
    return facts.prove(ir::negation(truth)) ? 0 : -1;
}

// ---- cells

// The cell over its place, of a tile that is repeated along an axis of one cell. Null: not known.
ir::Scalar PaddingAnalysis::known_cell(ir::Value tile) const {
    const auto known = state_->cells.find(tile.id);
    if (known == state_->cells.end()) return nullptr;
    const ir::TileType& type = role_->tile(tile);
    const ir::Scalar zero = ir::integer(0);
    return moved(known->second.cell, type.rows == 1 ? zero : ir::row(),
                 type.cols == 1 ? zero : ir::column());
}

// The same expression, with what is known of the cells that it takes.
ir::Scalar PaddingAnalysis::with_known_cells(const ir::Scalar& cell, const Inputs& inputs) {
    return ir::rewrite(cell, [&](const ir::Scalar& s) -> ir::Scalar {
        const auto* element = std::get_if<ir::Element>(&s->node);
        if (element == nullptr || element->input == unknown_cell) return nullptr;
        return inputs.cells[static_cast<std::size_t>(element->input)];
    });
}

// The cell over its place. Null: it has nothing to do with that.
ir::Scalar PaddingAnalysis::cell_by_place(const ir::Scalar& cell, const Inputs& inputs) {
    constexpr std::size_t most_nodes = 64;
    const ir::Scalar known = with_known_cells(cell, inputs);
    const ir::Scalar& made = nodes_of(known) <= most_nodes ? known : cell;
    if (!mentions_places(made)) return nullptr;
    return ir::rewrite(made, [](const ir::Scalar& s) -> ir::Scalar {
        if (!std::holds_alternative<ir::Element>(s->node)) return nullptr;
        return ir::element(unknown_cell, s->dtype);
    });
}

// What cells are by their places alone, where conditions are decided so.
FillValue PaddingAnalysis::by_places(const ir::Scalar& cell,
                                     const std::function<int(const ir::Scalar&)>& decide) const {
    FillContext context = context_without_cells();
    context.element = [](std::int64_t) { return FillValue{}; };
    context.decide = decide;
    return evaluate(cell, context);
}

// Data of an input that has no padding there: a mask is one number past the edge of another tile.
FillValue PaddingAnalysis::data_there(const Inputs& inputs, std::size_t input,
                                      const std::function<int(const ir::Scalar&)>& decide) const {
    if (const ir::Scalar& cell = inputs.cells[input]) {
        const FillValue made = by_places(cell, decide);
        if (made.kind == FillValue::Kind::constant) return made;
    }
    const FillValue& data = inputs.tiles[input]->data;
    return inputs.spread[input] ? as_data(data) : elsewhere(as_data(data));
}

void PaddingAnalysis::copy_cells(ir::Value from, ir::Value to) {
    const auto found = state_->cells.find(from.id);
    if (found != state_->cells.end()) state_->cells[to.id] = CellsByPlace(found->second);
}

// Of a part of a tile, from that row and column on.
void PaddingAnalysis::copy_cells_from(ir::Value from, ir::Value to, std::int64_t row,
                                      std::int64_t col) {
    const auto found = state_->cells.find(from.id);
    if (found == state_->cells.end()) return;
    state_->cells[to.id] = {moved(found->second.cell, ir::add(ir::row(), ir::integer(row)),
                                  ir::add(ir::column(), ir::integer(col)))};
}

void PaddingAnalysis::copy_cells_of(const ir::Apply& n) {
    const auto found = state_->cells.find(n.source.id);
    if (found == state_->cells.end()) return;
    if (n.function == TileFunction::transpose)
        state_->cells[n.result.id] = {moved(found->second.cell, ir::column(), ir::row())};
    if (n.function == TileFunction::slice)
        copy_cells_from(n.source, n.result, n.axis == 0 ? n.number : 0, n.axis == 0 ? 0 : n.number);
}

// Whether a tile, padded or not, is 0 along an axis from `edge` on.
bool PaddingAnalysis::is_zero_at(ir::Value tile, std::size_t axis, const ir::Scalar& edge) const {
    if (!edge) return false;
    AxisPadding place;
    place.padded = true;
    place.edge = edge;
    place.key = ir::normal_form(edge, bindings_).key();
    return is_zero_where(tile, [&](const ir::Scalar& c) { return decide(c, axis, place); });
}

bool PaddingAnalysis::is_zero_where(ir::Value tile,
                                    const std::function<int(const ir::Scalar&)>& decide) const {
    const auto known = state_->cells.find(tile.id);
    return known != state_->cells.end() && is_constant(by_places(known->second.cell, decide), 0);
}

}  // namespace tkc::checks::padding
