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

void CandidatePair::see(const ir::If& a, const ir::If& b, Span span) {
    const CutCells condition = number(a.condition, b.condition, span);
    const std::size_t before = condition_depth_;
    const std::set<std::string> ranges_before = condition_ranges_;
    condition_depth_ = std::max(before, condition.depth);
    condition_ranges_.insert(condition.ranges.begin(), condition.ranges.end());
    std::set<std::uint32_t> changed = changed_in(a.then_body);
    changed.merge(changed_in(a.else_body));
    const std::map<std::uint32_t, CutCells> start = kept(changed);
    walk(a.then_body, b.then_body);
    const std::map<std::uint32_t, CutCells> then = kept(changed);
    for (const auto& [id, cells] : start) tiles_.insert_or_assign(id, cells);
    walk(a.else_body, b.else_body);
    CutAxes none;
    CutCells decides = condition;
    settle(decides, none, Doubt::undecided, span);
    for (const auto& [id, cells] : then) {
        const auto known = tiles_.find(id);
        // One of two numbers, by the place of a tile.
        const bool chosen = known != tiles_.end() && known->second.literal && cells.literal &&
                            *known->second.literal != *cells.literal;
        join(id, cells);
        if (chosen && decides.doubt != Doubt::none)
            tiles_.at(id).suspect(Doubt::undecided, decides.cause);
    }
    condition_depth_ = before;
    condition_ranges_ = ranges_before;
}

void CandidatePair::join(std::uint32_t id, const CutCells& other) {
    const auto [known, added] = tiles_.emplace(id, other);
    if (added) return;
    CutCells& all = known->second;
    for (std::size_t i = 0; i < 2; ++i) {
        if (all.axes[i].over != other.axes[i].over) all.axes[i].over.reset();
    }
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
    var.depth = depth_;
    names_.insert_or_assign(a.var, var);
    if (a.step != b.step) cut_loops_.emplace_back(a.var, depth_);
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
    for (auto& [id, cells] : tiles_) {
        if (changed.contains(id) && cut)
            leave(id, cells, before.at(id), a.step != b.step, bounded, begin, end);
        cells.ranges.erase(a.var);
        std::erase_if(cells.parts, [&](const auto& p) { return p.first == a.var; });
        for (CutAxis& axis : cells.axes) {
            if (axis.over == a.var) axis.over.reset();
        }
        if (cells.depth >= depth_) cells.depth = depth_ - 1;
    }
    --depth_;
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
    made.parts = x.parts;
    made.carried = true;
    made.itself = {id};
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
    if (once.doubt == Doubt::certain) x.suspect(once.doubt, once.cause);
}

void CandidatePair::leave(std::uint32_t id, CutCells& x, const CutCells& before, bool steps_differ,
                          bool bounded, const CutCells& begin, const CutCells& end) {
    const bool own = x.itself == std::set<std::uint32_t>{id};
    const bool counts = own && x.moves && x.depth < depth_;
    const bool last = x.itself.empty() && !x.carried && x.doubt == Doubt::none;
    x.carried = before.carried || !bounded;
    if (counts && steps_differ) {
        x.suspect(Doubt::certain, {x.span,
                                   "decides how many steps the loop takes, and this "
                                   "changes the variable by the same in each of them"});
    } else if (counts) {
        // As many as the tile has: all tiles together are the axis.
        for (const CutCells* bound : {&begin, &end}) {
            for (const std::string& range : bound->ranges) x.parts.insert({range, {x.span, ""}});
        }
        x.carried = before.carried;
    } else if (last) {
        const auto part = std::find_if(x.parts.begin(), x.parts.end(),
                                       [&](const auto& p) { return !grid_.contains(p.first); });
        if (part != x.parts.end())
            x.suspect(Doubt::undecided,
                      {part->second.span,
                       fmt::format("is the width of the last tile of `{}`, which is all that "
                                   "the variable keeps of the loop",
                                   part->first)});
    }
    if (own) {  // the steps may add up to the same
        std::erase_if(x.starts, [&](const auto& s) { return x.loops.contains(s.first); });
        if (x.doubt != Doubt::certain) x.doubt = Doubt::none;
    }
    x.itself = before.itself;
    x.moves = x.moves && !x.itself.empty();
}

}  // namespace tkc::checker
