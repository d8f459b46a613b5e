// The padding of tiles that loops carry.
//
// A tile that a step leaves behind has its place in that step: padding begins at E(j). At the head
// of the next step that is E(j - step), and behind the loop E(last). What stood there before the
// loop joins in where it has the place of a step before the first one, E(begin - step): so it is
// with a loop whose first step was written out before it, as in attention.
#include "checks/padding/analysis.h"

#include <fmt/format.h>

namespace tkc::checks::padding {

namespace {

// Calls f(axis, the same axis in `other`) for all that both know.
template <class F>
void for_each_axis(PaddingState& state, PaddingState& other, const F& f) {
    const auto both = [&](TilePadding& x, TilePadding& y) {
        for (std::size_t i = 0; i < 2; ++i) f(x.axis[i], y.axis[i]);
    };
    for (auto& [id, tile] : state.tiles) {
        const auto found = other.tiles.find(id);
        if (found != other.tiles.end()) both(tile, found->second);
    }
    for (auto& [id, fields] : state.elements) {
        const auto found = other.elements.find(id);
        if (found == other.elements.end()) continue;
        for (auto& [name, tile] : fields) {
            const auto same = found->second.find(name);
            if (same != found->second.end()) both(tile, same->second);
        }
    }
}

template <class F>
void for_each_axis(PaddingState& state, const F& f) {
    for (auto& [id, tile] : state.tiles) {
        for (AxisPadding& axis : tile.axis) f(axis);
    }
    for (auto& [id, fields] : state.elements) {
        for (auto& [name, tile] : fields) {
            for (AxisPadding& axis : tile.axis) f(axis);
        }
    }
}

}  // namespace

// What stands at `place` of the loop's variable counted from the step behind `after`: the tiles of
// `before` where no step was made, else those of `after`.
PaddingState PaddingAnalysis::joined(PaddingState before, PaddingState after, const ir::For& loop,
                                     const ir::Scalar& place) const {
    const auto at = [&](const ir::Scalar& edge, const ir::Scalar& step) {
        return ir::substitute(edge, {{loop.var, step}});
    };
    const auto key = [&](const ir::Scalar& edge) { return ir::normal_form(edge, bindings_).key(); };
    const auto moves = [&](const AxisPadding& axis) {
        return axis.edge && ir::symbols_of(axis.edge).count(loop.var) != 0;
    };
    const ir::Scalar before_first = ir::sub(expanded(loop.begin), ir::integer(loop.step));
    if (!loop.reversed) {
        for_each_axis(before, after, [&](AxisPadding& old, AxisPadding& made) {
            if (!moves(made) || !old.edge) return;
            if (key(at(made.edge, before_first)) != old.key) return;
            old.edge = at(made.edge, place);
            old.key = key(old.edge);
        });
    }
    std::erase_if(after.cells, [&](const auto& known) {
        return ir::symbols_of(known.second.cell).count(loop.var) != 0;
    });
    for_each_axis(after, [&](AxisPadding& axis) {
        if (!moves(axis)) return;
        if (loop.reversed) {
            lose_edge(axis, "the tile comes from another step of the loop over `" + loop.var + "`");
            return;
        }
        axis.edge = at(axis.edge, place);
        axis.key = key(axis.edge);
    });
    return join(std::move(before), after);
}

void PaddingAnalysis::follow_loop(ir::For& loop, PaddingState& state, const ir::Facts& facts) {
    ir::Facts inner = facts;
    const ir::NormalForm first = form(loop.begin);
    const ir::NormalForm behind_last = form(loop.end);
    inner.assume_range(loop.var, first, behind_last, loop.step);
    const std::size_t outside = where_.size();
    where_ += fmt::format("@{}:{}:{}:{}", loop.var, first.key(), behind_last.key(), loop.step);
    const ir::Scalar begin = expanded(loop.begin);
    const ir::Scalar step = ir::integer(loop.step);
    const ir::Scalar previous = ir::sub(ir::symbol(loop.var), step);
    const bool settle = std::exchange(settle_, false);
    PaddingState head = state;
    PaddingState behind;  // a step that begins with `head`, once rounds end
    bool stable = true;
    for (int round = 0;; ++round) {
        behind = head;
        follow(loop.body, behind, inner);
        PaddingState after = joined(state, behind, loop, previous);
        if (after == head) break;
        head = std::move(after);
        if (round < most_steps) continue;
        // A place that moves on with every round is none; without places the rounds end.
        for_each_axis(head, [](AxisPadding& axis) {
            lose_edge(axis, "the loop moves it on with every step");
        });
        stable = round < 2 * most_steps;
        if (!stable) break;
    }
    settle_ = settle;
    // Nested loops would be followed once more in each step of the outer one, for nothing.
    if (settle || !stable) {
        behind = std::move(head);
        follow(loop.body, behind, inner);
    }
    // The last step; the one before the first where there is none.
    const ir::Scalar trips = ir::call(
        Function::max, {ir::ceil_div(ir::sub(expanded(loop.end), begin), step), ir::integer(0)});
    const ir::Scalar last = ir::sub(ir::add(begin, ir::mul(trips, step)), step);
    state = joined(std::move(state), std::move(behind), loop, last);
    where_.resize(outside);
}

}  // namespace tkc::checks::padding
