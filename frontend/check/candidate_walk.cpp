// The operations of two candidates, one after the other.
#include "frontend/check/candidate_walk.h"

#include <fmt/format.h>

#include <algorithm>

#include "facts/facts.h"
#include "facts/launch_facts.h"
#include "ir/walk.h"

namespace tkc::checker {

namespace {

// A place that is not followed may be the right one.
void leave_open(CutCells& at) {
    if (at.doubt != Doubt::undecided) return;
    at.doubt = Doubt::none;
    at.assume(at.cause);
}

// The grid variable takes one value: the first tile holds the axis.
bool is_one_tile(const ir::Kernel& kernel, const ir::GridAxis& axis) {
    const ir::Bindings bindings = ir::bindings_of(kernel);
    const ir::Facts facts = ir::facts_of_launch(kernel, bindings);
    const ir::Scalar rest = ir::sub(ir::integer(axis.step), ir::sub(axis.end, axis.begin));
    return facts.prove_at_least(ir::normal_form(rest, bindings), 0);
}

}  // namespace

std::vector<DoubtfulStore> CandidatePair::run() {
    if (first_.grid.size() != other_.grid.size() || first_.roles.size() != other_.roles.size())
        return {};
    bindings_ = ir::bindings_of(first_);
    for (const ir::Role& role : first_.roles)
        ir::walk_only<ir::Store>(role.body,
                                 [&](const ir::Store& op) { ++stores_[op.target.tensor]; });
    for (std::size_t i = 0; i < first_.grid.size(); ++i) {
        const ir::GridAxis& a = first_.grid[i];
        const ir::GridAxis& b = other_.grid[i];
        if (a.step == b.step || (is_one_tile(first_, a) && is_one_tile(other_, b))) continue;
        names_.insert_or_assign(a.var, start_of(a.var));
        grid_.insert(a.var);
        steps_.insert_or_assign(a.var, std::array{a.step, b.step});
        ends_.insert_or_assign(a.var, a.end);
        if (ir::is_zero(a.begin)) first_tiles_.insert(a.var);
    }
    walk(first_.lets, other_.lets);
    const std::map<std::string, CutCells> outside = names_;
    // Twice: a role may read what a later one fills.
    for (int round = 0; round < 2; ++round) {
        found_.clear();
        for (std::size_t r = 0; r < first_.roles.size() && alike_; ++r) {
            role_ = &first_.roles[r];
            other_role_ = &other_.roles[r];
            names_ = outside;
            tiles_.clear();
            elements_.clear();
            walk(role_->body, other_role_->body);
        }
    }
    return std::move(found_);
}

CutCells CandidatePair::start_of(const std::string& range) {
    CutCells made;
    made.starts[range] = 1;
    made.ranges.insert(range);
    return made;
}

CutCells CandidatePair::number(const ir::Scalar& a, const ir::Scalar& b, Span span) {
    CutAxes none;
    return both(a, b, names(), {}, none, span);
}

std::set<std::size_t> CandidatePair::steps_around() const {
    std::set<std::size_t> made;
    for (std::size_t depth = 1; depth <= depth_; ++depth) made.insert(depth);
    return made;
}

CutAxes CandidatePair::axes_of(ir::Value a, ir::Value b) const {
    const auto* x = std::get_if<ir::TileType>(&role_->values[a.id].type);
    const auto* y = std::get_if<ir::TileType>(&other_role_->values[b.id].type);
    if (x == nullptr || y == nullptr) return {};
    return {CutAxis{x->rows, y->rows}, CutAxis{x->cols, y->cols}};
}

void CandidatePair::set(ir::Value v, CutCells made, Span span) {
    made.span = span;
    made.steps.insert(condition_steps_.begin(), condition_steps_.end());
    tiles_.insert_or_assign(v.id, std::move(made));
}

CutCells CandidatePair::turned(CutCells x) {
    std::swap(x.axes[0], x.axes[1]);
    std::swap(x.places[0], x.places[1]);
    std::swap(x.along[0], x.along[1]);
    return x;
}

void CandidatePair::see_range(const ir::Range& a, const ir::Range& b, CutAxis& axis,
                              CutCells& cells, Span span) {
    if (a.kind == ir::Range::Kind::gather) {
        CutAxes along{axis, {}};
        CutCells at = both(a.base, b.base, names(), {}, along, span);
        settle(at, along, Doubt::place, span);
        leave_open(at);
        axis.over = along[0].over.value_or("");
        depend(cells, at);
        return;
    }
    const CutCells at = number(a.base, b.base, span);
    depend(cells, at);
    const bool begins = at.starts.size() == 1 && at.starts.begin()->second == 1;
    if (at.doubt != Doubt::none || at.starts.size() > 1 || (!at.starts.empty() && !begins)) {
        cells.doubt = Doubt::none;
        cells.assume(at.doubt != Doubt::none
                         ? at.cause
                         : Cause{span, "decides how far a memory position is from a tile"});
        return;
    }
    axis.over = begins ? at.starts.begin()->first : "";
    const auto steps = steps_.find(*axis.over);
    if (steps != steps_.end() && steps->second != std::array{axis.extent, axis.other})
        cells.assume({span, fmt::format("decides how much of a tile of `{}` this is", *axis.over)});
    if (at.difference == 0) return;
    const std::string what =
        begins
            ? fmt::format("decides how far a memory position is from the tile of `{}`", *axis.over)
            : "decides a memory position";
    cells.suspect(Doubt::place, {span, what});
}

void CandidatePair::see_end(const ir::Slice& slice, std::size_t i, const std::string& range,
                            CutCells& cells) {
    const auto end = ends_.find(range);
    const auto tensor = std::find_if(first_.tensors.begin(), first_.tensors.end(),
                                     [&](const ir::Tensor& t) { return t.name == slice.tensor; });
    if (end == ends_.end() || tensor == first_.tensors.end()) return;
    const ir::Range& along = slice.ranges[i];
    const ir::Scalar edge = along.edge ? along.edge : tensor->extents[i];
    const ir::NormalForm rest = ir::normal_form(
        ir::sub(ir::sub(end->second, ir::symbol(range)), ir::sub(edge, along.base)), bindings_);
    if (!facts_) facts_ = ir::facts_of_launch(first_, bindings_);
    if (facts_->prove_at_least(rest, 0)) cells.vanishes.insert(range);
    else cells.past.insert(range);
}

CutCells CandidatePair::see_slice(const ir::Slice& a, const ir::Slice& b, const CutAxes& types,
                                  Span span) {
    CutCells made;
    made.axes = types;
    std::vector<std::size_t> spans;
    for (std::size_t i = 0; i < a.ranges.size(); ++i) {
        if (a.ranges[i].kind != ir::Range::Kind::index) spans.push_back(i);
    }
    std::size_t next = spans.size() == 1 && types[0].is_long() ? 0 : 2 - spans.size();
    for (std::size_t i = 0; i < a.ranges.size(); ++i) {
        const ir::Range& x = a.ranges[i];
        const ir::Range& y = b.ranges[i];
        if (x.kind != y.kind) {
            made.assume({span, "changes these memory positions"});
            continue;
        }
        if (x.kind != ir::Range::Kind::index) {
            const std::size_t axis = std::min<std::size_t>(next++, 1);
            CutAxis& along = made.axes[axis];
            see_range(x, y, along, made, span);
            if (x.kind == ir::Range::Kind::span && along.over && !along.over->empty())
                see_end(a, i, *along.over, made);
            continue;
        }
        CutCells at = number(x.base, y.base, span);
        CutAxes none;
        settle(at, none, Doubt::place, span);
        leave_open(at);
        depend(made, at);
    }
    for (std::size_t i = 0; i < 2; ++i) made.along[i] = types[i].is_long();
    made.fold = Fold::nothing;
    made.crude = false;
    made.has_other = true;
    return made;
}

void CandidatePair::give_up(Span span) {
    if (!alike_) return;
    alike_ = false;
    found_.clear();
    found_.push_back({Doubt::none, {span, "changes which operations there are"}, span});
}

void CandidatePair::walk(const ir::Block& a, const ir::Block& b) {
    for (std::size_t i = 0; i < std::min(a.size(), b.size()) && alike_; ++i) {
        if (a[i].node.index() != b[i].node.index()) {
            give_up(a[i].span);
            return;
        }
        std::visit(
            [&]<class T>(const T& op) {
                if constexpr (!ir::ScheduledOp<T>) see(op, std::get<T>(b[i].node), a[i].span);
            },
            a[i].node);
    }
    if (a.size() == b.size() || !alike_) return;
    const ir::Block& longer = a.size() > b.size() ? a : b;
    give_up(longer[std::min(a.size(), b.size())].span);
}

void CandidatePair::see(const ir::Let& a, const ir::Let& b, Span span) {
    names_.insert_or_assign(a.name, number(a.value, b.value, span));
    bindings_ = ir::bindings_of({ir::Op{a, span}}, std::move(bindings_));
}

void CandidatePair::see(const ir::Splat& a, const ir::Splat& b, Span span) {
    CutCells made = number(a.value, b.value, span);
    made.axes = axes_of(a.result, b.result);
    set(a.result, std::move(made), span);
}

void CandidatePair::see(const ir::Map& a, const ir::Map& b, Span span) {
    if (a.inputs.size() != b.inputs.size()) {
        give_up(span);
        return;
    }
    CutAxes axes = axes_of(a.result, b.result);
    CutCells meeting;
    std::vector<const CutCells*> inputs;
    for (const ir::Value v : a.inputs) {
        const CutCells& x = tile(v);
        inputs.push_back(&x);
        for (std::size_t i = 0; i < 2; ++i)
            join_axis(axes[i], x.axes[i], x.along[i], meeting, span);
    }
    CutCells made = both(a.expression, b.expression, names(), inputs, axes, span);
    depend(made, meeting);
    made.axes = axes;
    set(a.result, std::move(made), span);
}

void CandidatePair::see(const ir::ReadNumber& a, const ir::ReadNumber&, Span) {
    names_.insert_or_assign(a.name, tile(a.source));
}

void CandidatePair::see(const ir::Copy& a, const ir::Copy&, Span span) {
    const auto element = elements_.find(a.source.id);
    if (element != elements_.end()) elements_.insert_or_assign(a.result.id, element->second);
    set(a.result, tile(a.source), span);
}

void CandidatePair::see(const ir::Share& a, const ir::Share&, Span span) {
    set(a.result, a.transposed ? turned(tile(a.source)) : tile(a.source), span);
}

void CandidatePair::see(const ir::Window& a, const ir::Window& b, Span span) {
    CutCells made = tile(a.source);
    const CutAxes parts = axes_of(a.result, b.result);
    bool part_of_cut = a.row != b.row || a.col != b.col;
    for (std::size_t i = 0; i < 2; ++i) {
        CutAxis& axis = made.axes[i];
        const bool whole = axis.extent == parts[i].extent && axis.other == parts[i].other;
        part_of_cut = part_of_cut || (!whole && axis.over && !axis.over->empty());
        axis.extent = parts[i].extent;
        axis.other = parts[i].other;
    }
    if (part_of_cut) made.assume({span, "decides which part of a tile this is"});
    set(a.result, std::move(made), span);
}

void CandidatePair::see(const ir::Mma& a, const ir::Mma& b, Span span) {
    const CutCells left = a.a_transposed ? turned(tile(a.a)) : tile(a.a);
    const CutCells right = a.b_transposed ? turned(tile(a.b)) : tile(a.b);
    CutCells made;
    CutAxis inner = left.axes[1];
    join_axis(inner, right.axes[0], right.along[0], made, span);
    for (const CutCells* x : {&left, &right}) {
        CutCells operand = *x;
        settle(operand, operand.axes, Doubt::certain, span);
        depend(made, operand);
    }
    made.vanish_with(left);
    made.vanish_with(right);
    made.along = {left.along[0], right.along[1]};
    const bool zero =
        (left.literal && *left.literal == 0) || (right.literal && *right.literal == 0);
    sum_up(made, inner, left.along[1] || right.along[0], zero, Fold::sum, span);
    made.axes = axes_of(a.result, b.result);
    made.axes[0].over = left.axes[0].over;
    made.axes[1].over = right.axes[1].over;
    if (a.accumulate) {
        CutCells before = tile(a.result);
        settle(before, before.axes, Doubt::certain, span);
        const Fold fold = added(before, made, 1);
        depend(made, before);
        made.vanishes = both_vanish(before, made);
        made.fold = fold;
        made.and_a_number = before.and_a_number;
        made.moves = made.moves || !made.itself.empty();
    }
    set(a.result, std::move(made), span);
}

void CandidatePair::sum_up(CutCells& made, const CutAxis& axis, bool varies, bool zero, Fold fold,
                           Span span) {
    if (varies) {
        const bool of_sum = made.fold == fold && made.itself.empty();
        if (axis.over && !axis.over->empty()) {
            made.parts.insert({*axis.over, {span, ""}});
            if (made.past.erase(*axis.over) > 0 && !made.assumed)
                made.assumed = {
                    span,
                    fmt::format("decides how many cells past the end of `{}` are included here",
                                *axis.over)};
            made.vanishes.erase(*axis.over);
            made.fold = made.fold == Fold::nothing || of_sum ? fold : Fold::other;
        } else if (made.fold != Fold::nothing && !of_sum) {
            made.fold = Fold::other;
        }
        // As where a `pad` alone distinguishes cells.
        if (axis.differs() && !axis.over)
            made.assume({span, fmt::format("is how many cells are included here, {} or {}",
                                           axis.extent, axis.other)});
        if (axis.in_tile && axis.differs())
            made.suspect(Doubt::undecided,
                         {span, fmt::format("is how many cells are added up here, {} or {}",
                                            axis.extent, axis.other)});
    } else if (axis.differs() && !zero) {
        made.suspect(Doubt::certain,
                     {span, fmt::format("is how many equal cells are added up here, {} or {}",
                                        axis.extent, axis.other)});
    }
}

void CandidatePair::see(const ir::Apply& a, const ir::Apply& b, Span span) {
    if (a.function != b.function || a.axis != b.axis) {
        give_up(span);
        return;
    }
    const auto along = static_cast<std::size_t>(a.axis);
    CutCells made = tile(a.source);
    const bool zero = made.literal && *made.literal == 0 && made.difference == 0;
    CutAxes source = made.axes;
    switch (a.function) {
        case TileFunction::sum:
        case TileFunction::cumsum:
            settle(made, source, Doubt::certain, span);
            sum_up(made, source[along], made.along[along], zero,
                   a.function == TileFunction::sum ? Fold::sum : Fold::other, span);
            break;
        case TileFunction::max:
        case TileFunction::min:
            settle(made, source, Doubt::certain, span);
            sum_up(made, source[along], made.along[along], true,
                   a.function == TileFunction::max ? Fold::largest : Fold::smallest, span);
            break;
        case TileFunction::argmax:
        case TileFunction::argmin:
            settle(made, source, Doubt::certain, span);
            sum_up(made, source[along], made.along[along], true, Fold::other, span);
            // Counted from where the tile begins.
            if (source[along].over && !source[along].over->empty())
                made.starts[*source[along].over] -= 1;
            break;
        case TileFunction::transpose: {
            made = turned(std::move(made));
            const CutAxes types = axes_of(a.result, b.result);
            for (std::size_t i = 0; i < 2; ++i) {
                made.axes[i].extent = types[i].extent;
                made.axes[i].other = types[i].other;
            }
            set(a.result, std::move(made), span);
            return;
        }
        // Rows of a tile that change places: a place in the tensor, or one that is not
        // followed.
        case TileFunction::exchange:
        case TileFunction::slice:
        case TileFunction::fragments:
        case TileFunction::from_fragments:
        case TileFunction::convert_layout:
            settle(made, source, Doubt::undecided, span);
            if (source[along].differs() || made.doubt == Doubt::undecided)
                made.assume({span, a.function == TileFunction::slice
                                       ? "decides which part of a tile this is"
                                       : "decides which cells of a tile are swapped"});
            break;
    }
    made.axes = axes_of(a.result, b.result);
    for (std::size_t i = 0; i < 2; ++i) {
        made.axes[i].over = made.axes[i].is_long() ? source[i].over : std::nullopt;
        made.axes[i].in_tile = source[i].in_tile;
        if (!made.axes[i].is_long()) made.along[i] = false;
    }
    if (a.function == TileFunction::cumsum) made.along[along] = true;
    set(a.result, std::move(made), span);
}

void CandidatePair::see(const ir::Produce& a, const ir::Produce& b, Span) {
    const std::string around = filled_;
    filled_ = a.pipeline;
    walk(a.body, b.body);
    filled_ = around;
}

void CandidatePair::fill(const std::string& field, CutCells made) {
    // The reader's loops have names of their own.
    made.steps.clear();
    made.itself.clear();
    if (made.fold != Fold::nothing) made.fold = Fold::other;
    if (!controls_.empty()) made.assume(controls_.back().cause);
    const auto [known, added] = fields_.emplace(std::pair(filled_, field), made);
    std::vector<std::string> loops;
    for (const auto& [range, depth] : cut_loops_) loops.push_back(range);
    loops_of_writers_.emplace(std::pair(filled_, field), std::move(loops));
    if (added) return;
    CutCells& all = known->second;
    for (std::size_t i = 0; i < 2; ++i) {
        if (all.axes[i].over != made.axes[i].over) all.axes[i].over.reset();
    }
    all.vanishes = both_vanish(all, made);
    depend(all, made);
}

std::optional<std::string> CandidatePair::loop_of_reader(
    const std::vector<std::string>& loops_of_writer, const std::string& range) const {
    if (cut_loops_.empty()) return std::nullopt;
    const auto found = std::find(loops_of_writer.begin(), loops_of_writer.end(), range);
    if (found != loops_of_writer.end() && loops_of_writer.size() == cut_loops_.size()) {
        const std::string& same =
            cut_loops_[static_cast<std::size_t>(found - loops_of_writer.begin())].first;
        if (steps_.at(same) == steps_.at(range)) return same;
    }
    return cut_loops_.back().first;
}

void CandidatePair::see(const ir::Fill& a, const ir::Fill& b, Span span) {
    if (a.source.ranges.size() != b.source.ranges.size()) return;
    CutAxes types;
    for (const ir::Pipeline& p : first_.pipelines) {
        for (std::size_t f = 0; p.name == filled_ && f < p.fields_.size(); ++f) {
            if (p.fields_[f].name != a.field) continue;
            const ir::Pipeline* q = pipeline_of_other(p.name);
            if (q == nullptr || f >= q->fields_.size()) continue;
            const ir::TileType& x = p.fields_[f].type;
            const ir::TileType& y = q->fields_[f].type;
            types = {CutAxis{x.rows, y.rows}, CutAxis{x.cols, y.cols}};
        }
    }
    fill(a.field, see_slice(a.source, b.source, types, span));
}

const ir::Pipeline* CandidatePair::pipeline_of_other(const std::string& name) const {
    const auto found = std::find_if(other_.pipelines.begin(), other_.pipelines.end(),
                                    [&](const ir::Pipeline& p) { return p.name == name; });
    return found == other_.pipelines.end() ? nullptr : &*found;
}

void CandidatePair::see(const ir::Put& a, const ir::Put&, Span) {
    fill(a.field, a.transposed ? turned(tile(a.source)) : tile(a.source));
}

void CandidatePair::see(const ir::Consume& a, const ir::Consume&, Span) {
    elements_.insert_or_assign(a.result.id, a.pipeline);
}

void CandidatePair::see(const ir::Field& a, const ir::Field& b, Span span) {
    CutCells made;
    const auto element = elements_.find(a.element.id);
    const auto known =
        element == elements_.end() ? fields_.end() : fields_.find({element->second, a.field});
    if (known != fields_.end()) made = known->second;
    const CutAxes types = axes_of(a.result, b.result);
    for (std::size_t i = 0; i < 2; ++i) {
        made.axes[i].extent = types[i].extent;
        made.axes[i].other = types[i].other;
        std::optional<std::string>& over = made.axes[i].over;
        if (over && !over->empty() && !grid_.contains(*over))
            over = loop_of_reader(loops_of_writers_.at(known->first), *over);
    }
    if (known == fields_.end()) made.along = {true, true};
    made.steps = steps_around();
    set(a.result, std::move(made), span);
}

void CandidatePair::see(const ir::Store& a, const ir::Store& b, Span span) {
    if (a.target.ranges.size() != b.target.ranges.size()) return;
    CutCells value = a.transposed ? turned(tile(a.source)) : tile(a.source);
    CutAxes types = axes_of(a.source, b.source);
    if (a.transposed) std::swap(types[0], types[1]);
    const CutCells target = see_slice(a.target, b.target, types, span);
    CutAxes axes = value.axes;
    for (std::size_t i = 0; i < 2; ++i)
        join_axis(axes[i], target.axes[i], value.along[i], value, span);
    settle(value, axes, Doubt::certain, span);
    const auto tensor =
        std::find_if(first_.tensors.begin(), first_.tensors.end(),
                     [&](const ir::Tensor& t) { return t.name == a.target.tensor; });
    if (tensor == first_.tensors.end()) return;
    const bool adds = tensor->mode == ir::Mode::accumulate;
    DoubtfulStore found{value.doubt, value.cause, span, tensor->name};
    for (const auto& [range, part] : value.parts) {
        // All programs along the range, or all steps, add theirs to the same.
        const bool of_loop = std::any_of(cut_loops_.begin(), cut_loops_.end(),
                                         [&](const auto& loop) { return loop.first == range; });
        if (adds && (grid_.contains(range) || of_loop) && !target.ranges.contains(range)) {
            if (value.fold != Fold::sum)
                value.assume(
                    {part.span, fmt::format("decides which cells of `{}` lie in one tile", range)});
            continue;
        }
        if (found.doubt == Doubt::certain || (value.carried && !grid_.contains(range))) continue;
        found.doubt = value.carried ? Doubt::none : Doubt::certain;
        found.cause = {part.span, fmt::format("decides which cells of `{}` lie in one tile, and a "
                                              "result is computed from only those",
                                              range)};
    }
    for (const std::string& range : grid_) {
        if (!adds || found.doubt == Doubt::certain || target.carried) continue;
        if (target.ranges.contains(range) || value.ranges.contains(range)) continue;
        if (condition_ranges_.contains(range)) continue;  // not all of them
        if (value.literal && *value.literal == 0) continue;
        found.doubt = Doubt::certain;
        found.cause = {span, fmt::format("decides how many programs there are along `{}`, and "
                                         "each of them adds the same here",
                                         range)};
    }
    for (const auto& [range, depth] : cut_loops_) {
        if (!adds || found.doubt == Doubt::certain || target.carried || value.carried) continue;
        if (value.steps.contains(depth) || target.steps.contains(depth)) continue;
        if (condition_steps_.contains(depth)) continue;
        if (value.literal && *value.literal == 0) continue;
        found.doubt = Doubt::certain;
        found.cause = {span, fmt::format("decides how many iterations there are along `{}`, and "
                                         "each of them adds the same here",
                                         range)};
    }
    // What a loop carries may make up for a doubt.
    if (value.carried && found.doubt != Doubt::certain) {
        if (found.doubt == Doubt::none)
            found.cause = value.assumed.value_or(
                Cause{span, "decides in which iterations a loop reaches this"});
        found.doubt = Doubt::none;
    }
    ask_controls(found, *tensor, value, target);
    // What is stored further along may be what belongs there: a trial shows it.
    if (found.doubt == Doubt::none && found.cause.what.empty() && target.doubt != Doubt::none)
        found.cause = target.cause;
    for (const CutCells* x : {&std::as_const(value), &target}) {
        if (found.doubt != Doubt::none || !found.cause.what.empty()) break;
        if (x->assumed) found.cause = *x->assumed;
        else if (x->carried)
            found.cause = {span, "decides in which iterations a loop reaches this"};
    }
    if (!found.cause.what.empty()) found_.push_back(std::move(found));
}

void CandidatePair::see(const ir::Load& a, const ir::Load& b, Span span) {
    if (a.source.ranges.size() != b.source.ranges.size()) return;
    CutCells made = see_slice(a.source, b.source, axes_of(a.result, b.result), span);
    // What the kernel wrote there before is not followed.
    if (stores_.contains(a.source.tensor)) {
        made.assumed = Cause{span, "decides when the value that is read here is written"};
        made.steps.merge(steps_around());
    }
    set(a.result, std::move(made), span);
}

}  // namespace tkc::checker
