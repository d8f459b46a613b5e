// Branches and loops of two candidates.
//
//     for k in K by BK { s += sum(load(X[m, k]), axis = 1); n += 1; }
//
// What a loop carries from tile to tile may make up for their width: `s` may be right. Of `n`
// nothing is known but the number of tiles.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/check/candidate_walk.h"
#include "ir/walk.h"

namespace tkc::checker {

namespace {

bool share_a_range(const std::set<std::string>& a, const std::set<std::string>& b) {
    return std::any_of(a.begin(), a.end(), [&](const std::string& x) { return b.contains(x); });
}

// Of a variable that a branch may have changed, or a step of a loop.
Fold either(Fold a, Fold b) {
    if (a == b || b == Fold::itself) return a;
    return a == Fold::itself ? b : Fold::other;
}

}  // namespace

// `m.start == 0`, where the tiles of `m` begin with 0: one of them, whatever their width.
bool CandidatePair::is_first_tile(const ir::Scalar& condition) const {
    const auto* call = std::get_if<ir::Call>(&condition->node);
    if (call == nullptr) return false;
    const auto both_sides = [&](const auto& holds) {
        return holds(call->arguments[0]) && holds(call->arguments[1]);
    };
    if (call->function == Function::logical_and) {
        // Others may be about what is the same in both.
        return both_sides([&](const ir::Scalar& x) {
            const std::set<std::string> names = ir::symbols_of(x);
            return is_first_tile(x) || std::none_of(names.begin(), names.end(), [&](const auto& n) {
                       return names_.contains(n) && !names_.at(n).starts.empty();
                   });
        });
    }
    const auto* name = std::get_if<ir::Symbol>(&call->arguments[0]->node);
    return call->function == Function::eq && name != nullptr && first_tiles_.contains(name->name) &&
           ir::is_zero(call->arguments[1]);
}

std::optional<Control> CandidatePair::control_of(const ir::Scalar& condition, const CutCells& value,
                                                 Span span) const {
    Control made;
    made.ranges = value.ranges;
    made.crude = value.crude;
    if (value.doubt != Doubt::none) {
        made.cause = value.cause;
        made.once = !value.crude && is_first_tile(condition);
    } else if (value.assumed) {
        made.cause = *value.assumed;
    } else if (!value.parts.empty()) {
        const auto& [range, part] = *value.parts.begin();
        made.cause = {
            part.span,
            fmt::format(
                "decides which cells of `{}` lie in one tile, and a condition selects only those",
                range)};
    } else if (value.carried) {
        made.cause = {span, "decides in which iterations of a loop this is tested"};
    } else {
        return std::nullopt;
    }
    return made;
}

void CandidatePair::ask_controls(DoubtfulStore& found, const ir::Tensor& tensor,
                                 const CutCells& value, const CutCells& target) const {
    // Every element of an output is written, so the only store to it does that, wherever it is.
    if (tensor.mode == ir::Mode::out && stores_.at(tensor.name) == 1) return;
    for (const Control& control : controls_) {
        const bool apart = !share_a_range(control.ranges, target.ranges) &&
                           !share_a_range(control.ranges, value.ranges) && value.parts.empty();
        if (control.once && apart) continue;
        if (control.crude && found.doubt < Doubt::undecided) {
            found.doubt = Doubt::undecided;
            found.cause = control.cause;
        } else if (found.doubt == Doubt::none && found.cause.what.empty()) {
            found.cause = control.cause;
        }
    }
}

void CandidatePair::see(const ir::If& a, const ir::If& b, Span span) {
    CutCells condition = number(a.condition, b.condition, span);
    CutAxes none;
    settle(condition, none, Doubt::undecided, span);
    std::optional<Control> control = control_of(a.condition, condition, span);
    const std::set<std::size_t> steps_before = condition_steps_;
    const std::set<std::string> ranges_before = condition_ranges_;
    condition_steps_.insert(condition.steps.begin(), condition.steps.end());
    condition_ranges_.insert(condition.ranges.begin(), condition.ranges.end());
    std::set<std::uint32_t> changed = changed_in(a.then_body);
    changed.merge(changed_in(a.else_body));
    const std::map<std::uint32_t, CutCells> start = kept(changed);
    if (control) controls_.push_back(*control);
    walk(a.then_body, b.then_body);
    const std::map<std::uint32_t, CutCells> then = kept(changed);
    for (const auto& [id, cells] : start) tiles_.insert_or_assign(id, cells);
    if (control) controls_.back().once = false;  // all tiles but one
    walk(a.else_body, b.else_body);
    if (control) controls_.pop_back();
    for (const auto& [id, cells] : then) {
        const auto known = tiles_.find(id);
        // One of two numbers, by the place of a tile.
        const bool chosen = known != tiles_.end() && known->second.literal && cells.literal &&
                            *known->second.literal != *cells.literal;
        join(id, cells);
        if (!control) continue;
        CutCells& either_of_both = tiles_.at(id);
        if (control->crude || chosen) either_of_both.suspect(Doubt::undecided, control->cause);
        else if (!either_of_both.assumed) either_of_both.assumed = control->cause;
    }
    condition_steps_ = steps_before;
    condition_ranges_ = ranges_before;
}

void CandidatePair::join(std::uint32_t id, const CutCells& other) {
    const auto [known, added] = tiles_.emplace(id, other);
    if (added) return;
    CutCells& all = known->second;
    for (std::size_t i = 0; i < 2; ++i) {
        if (all.axes[i].over != other.axes[i].over) all.axes[i].over.reset();
    }
    const Fold fold = either(all.fold, other.fold);
    const bool same = all.starts == other.starts && all.places == other.places &&
                      all.difference == other.difference;
    if (!same) {
        CutCells x = other;
        settle(x, x.axes, Doubt::certain, x.span);
        settle(all, all.axes, Doubt::certain, all.span);
        depend(all, x);
    } else {
        depend(all, other);
    }
    all.fold = fold;
    all.vanishes = both_vanish(all, other);
    if (all.literal != other.literal) all.literal.reset();
}

std::set<std::uint32_t> CandidatePair::changed_in(const ir::Block& body) const {
    std::set<std::uint32_t> list;
    for (const auto& [id, cells] : tiles_) {
        // All else is made once.
        if (!role_->values[id].variable) continue;
        if (!ir::writes_of(body, ir::Value{id}).empty()) list.insert(id);
    }
    return list;
}

std::map<std::uint32_t, CutCells> CandidatePair::kept(const std::set<std::uint32_t>& list) const {
    std::map<std::uint32_t, CutCells> made;
    for (const std::uint32_t id : list) made.emplace(id, tiles_.at(id));
    return made;
}

void CandidatePair::see(const ir::For& a, const ir::For& b, Span span) {
    const CutCells begin = number(a.begin, b.begin, span);
    const CutCells end = number(a.end, b.end, span);
    const auto fixed = [](const CutCells& x) {
        return x.doubt == Doubt::none && x.starts.empty() && x.difference == 0;
    };
    const bool shifted = begin.starts == end.starts && begin.doubt == Doubt::none &&
                         end.doubt == Doubt::none && begin.difference == 0 && end.difference == 0 &&
                         a.step == b.step;
    const bool bounded = (fixed(begin) && fixed(end)) || shifted;
    const bool cut = a.step != b.step || !bounded;
    ++depth_;
    CutCells var;
    if (a.step != b.step) {
        var = start_of(a.var);
        var.loops = {a.var};
    }
    if (a.step == b.step && shifted) var.starts = begin.starts;
    if (a.step == b.step && !bounded) var.carried = begin.starts.empty();
    var.steps = {depth_};
    for (const CutCells* bound : {&begin, &end}) {
        var.steps.insert(bound->steps.begin(), bound->steps.end());
        var.ranges.insert(bound->ranges.begin(), bound->ranges.end());
    }
    var.has_other = a.step == b.step;
    names_.insert_or_assign(a.var, var);
    if (ir::is_zero(a.begin)) first_tiles_.insert(a.var);
    else first_tiles_.erase(a.var);
    const std::set<std::size_t> steps_before = condition_steps_;
    const std::set<std::string> ranges_before = condition_ranges_;
    for (const CutCells* bound : {&begin, &end}) {
        condition_steps_.insert(bound->steps.begin(), bound->steps.end());
        if (!bounded) condition_ranges_.insert(bound->ranges.begin(), bound->ranges.end());
    }
    if (!bounded) controls_.push_back(length_of(begin, end, span));
    if (a.step != b.step) {
        cut_loops_.emplace_back(a.var, depth_);
        steps_.insert_or_assign(a.var, std::array{a.step, b.step});
        ends_.insert_or_assign(a.var, a.end);
    }
    const std::set<std::uint32_t> changed = changed_in(a.body);
    const std::map<std::uint32_t, CutCells> before = kept(changed);
    if (cut) {
        for (const std::uint32_t id : changed) carry(id);
    }
    // Twice, since a variable may depend on one that a later line changes; not so in deep nests,
    // where each loop would double the work.
    const int rounds = changed.empty() || depth_ > 4 ? 1 : 2;
    for (int round = 0; round < rounds && alike_; ++round) {
        walk(a.body, b.body);
        if (round + 1 == rounds) break;
        for (const std::uint32_t id : changed) {
            const CutCells once = tiles_.at(id);
            tiles_.insert_or_assign(id, before.at(id));
            if (cut) carry(id);
            if (cut) depend_across(tiles_.at(id), once);
            else join(id, once);
        }
    }
    if (a.step != b.step) cut_loops_.pop_back();
    if (!bounded) controls_.pop_back();
    condition_steps_ = steps_before;
    condition_ranges_ = ranges_before;
    const CutLoop loop{a.var, a.step != b.step, bounded, fixed(begin) && fixed(end), &begin, &end};
    for (auto& [id, cells] : tiles_) {
        if (changed.contains(id) && cut) leave(id, cells, before.at(id), loop);
        cells.ranges.erase(a.var);
        cells.past.erase(a.var);
        cells.vanishes.erase(a.var);
        std::erase_if(cells.parts, [&](const auto& p) { return p.first == a.var; });
        for (CutAxis& axis : cells.axes) {
            if (axis.over == a.var) axis.over.reset();
        }
        cells.steps.erase(depth_);
    }
    --depth_;
}

Control CandidatePair::length_of(const CutCells& begin, const CutCells& end, Span span) {
    Control made;
    made.cause = {span, "decides how many iterations a loop has"};
    for (const CutCells* bound : {&begin, &end}) {
        made.ranges.insert(bound->ranges.begin(), bound->ranges.end());
        if (bound->doubt != Doubt::none) made.cause = bound->cause;
    }
    return made;
}

void CandidatePair::carry(std::uint32_t id) {
    CutCells& x = tiles_.at(id);
    CutCells made;
    made.axes = x.axes;
    for (CutAxis& axis : made.axes) {
        if (axis.over && !axis.over->empty() && !grid_.contains(*axis.over)) axis.over.reset();
    }
    for (std::size_t i = 0; i < 2; ++i) made.along[i] = x.along[i] || x.places[i] != 0;
    made.ranges = x.ranges;
    made.past = x.past;
    made.parts = x.parts;
    made.carried = true;
    made.itself = {id};
    made.fold = Fold::itself;
    made.has_other = x.has_other;
    made.assumed = x.assumed;
    made.span = x.span;
    if (x.doubt == Doubt::certain) made.suspect(x.doubt, x.cause);
    x = std::move(made);
}

void CandidatePair::depend_across(CutCells& x, const CutCells& once) const {
    for (const auto& part : once.parts) {
        if (grid_.contains(part.first)) x.parts.insert(part);
    }
    for (std::size_t i = 0; i < 2; ++i) x.along[i] = x.along[i] || once.along[i];
    x.ranges.insert(once.ranges.begin(), once.ranges.end());
    x.past.insert(once.past.begin(), once.past.end());
    x.has_other = x.has_other || once.has_other;
    if (!x.assumed) x.assumed = once.assumed;
    if (once.doubt == Doubt::certain) x.suspect(once.doubt, once.cause);
}

void CandidatePair::leave(std::uint32_t id, CutCells& x, const CutCells& before,
                          const CutLoop& loop) {
    const bool own = x.itself == std::set<std::uint32_t>{id};
    const bool counts =
        own && x.moves && (!x.steps.contains(depth_) || (x.and_a_number && loop.steps_differ));
    const bool last = x.itself.empty() && !x.carried && x.doubt == Doubt::none;
    if (!counts && !is_whole(x, own, loop) && !x.assumed)
        x.assumed = x.doubt != Doubt::none
                        ? x.cause
                        : Cause{x.span, "decides through which tiles a loop reaches this"};
    x.carried = before.carried || !loop.bounded;
    if (counts && loop.steps_differ) {
        x.suspect(Doubt::certain, {x.span,
                                   "decides how many iterations the loop has, and each of them "
                                   "changes the variable by the same amount"});
    } else if (counts) {
        // As many as the tile has: all tiles together are the axis.
        for (const CutCells* bound : {loop.begin, loop.end}) {
            for (const std::string& range : bound->ranges) x.parts.insert({range, {x.span, ""}});
        }
        x.carried = before.carried;
    } else if (last) {
        const auto part = std::find_if(x.parts.begin(), x.parts.end(),
                                       [&](const auto& p) { return !grid_.contains(p.first); });
        if (part != x.parts.end())
            x.suspect(
                Doubt::undecided,
                {part->second.span, fmt::format("is the width of the last tile of `{}`, the only "
                                                "one that the variable keeps after the loop",
                                                part->first)});
    }
    if (!x.itself.empty()) {  // the steps may add up to the same
        std::erase_if(x.starts, [&](const auto& s) { return x.loops.contains(s.first); });
        if (x.doubt != Doubt::certain) {
            x.doubt = Doubt::none;
            x.cause = {};
        }
    }
    x.itself = before.itself;
    x.and_a_number = false;
    if (before.fold == Fold::nothing) x.fold = Fold::nothing;
    x.moves = x.moves && !x.itself.empty();
}

bool CandidatePair::is_whole(const CutCells& x, bool own, const CutLoop& loop) const {
    if (x.doubt != Doubt::none) return false;
    switch (x.fold) {
        case Fold::itself: return own;
        case Fold::nothing:  // the same in every step, or what the last one makes of no tile
            return x.itself.empty() && !x.carried && !x.steps.contains(depth_) && loop.fixed;
        case Fold::sum:
        case Fold::largest:
        case Fold::smallest: return own && loop.fixed && x.parts.contains(loop.var);
        case Fold::other: return false;
    }
    return false;
}

}  // namespace tkc::checker
