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
void for_each_tile(PaddingState& state, const F& f) {
    for (auto& [id, tile] : state.tiles) f(tile);
    for (auto& [id, fields] : state.elements) {
        for (auto& [name, tile] : fields) f(tile);
    }
}

template <class F>
void for_each_axis(PaddingState& state, const F& f) {
    for_each_tile(state, [&](TilePadding& tile) {
        for (AxisPadding& axis : tile.axis) f(axis);
    });
}

bool moves(const AxisPadding& axis, const ir::For& loop) {
    return begin_of(axis) && ir::symbols_of(begin_of(axis)).count(loop.var) != 0;
}

// What the next step finds: tiles of another step, and what those have lost.
PaddingState as_earlier(PaddingState behind, const ir::For& loop) {
    for_each_axis(behind, [&](AxisPadding& axis) {
        axis.earlier =
            axis.earlier || moves(axis, loop) || (axis.padded && (axis.kept || !begin_of(axis)));
        axis.changed = axis.changed || axis.changes;
        axis.changes = false;
    });
    return behind;
}

// Bounds that a step moved on give way, so that steps come to an end.
void widen(const PaddingState& before, PaddingState& now) {
    const auto tiles = [](const TilePadding& old, TilePadding& made) {
        for (std::size_t i = 0; i < 2; ++i)
            made.axis[i].fill = ir::padding::widened(old.axis[i].fill, made.axis[i].fill);
        made.data = ir::padding::widened(old.data, made.data);
        made.corner = ir::padding::widened(old.corner, made.corner);
        for (std::size_t i = 0; i < 2; ++i)
            made.holes[i].fill = ir::padding::widened(old.holes[i].fill, made.holes[i].fill);
    };
    for (auto& [id, tile] : now.tiles) {
        const auto found = before.tiles.find(id);
        if (found != before.tiles.end()) tiles(found->second, tile);
    }
    for (auto& [id, fields] : now.elements) {
        const auto found = before.elements.find(id);
        if (found == before.elements.end()) continue;
        for (auto& [name, tile] : fields) {
            const auto same = found->second.find(name);
            if (same != found->second.end()) tiles(same->second, tile);
        }
    }
}

// Nothing of any tile.
void forget(PaddingState& state) {
    for_each_tile(state, [](TilePadding& x) {
        for (AxisPadding& axis : x.axis) axis.fill = {};
        x.holes = {};
        x.data = padding::as_data({});
        x.corner = {};
    });
}

}  // namespace

// What stands at `place` of the loop's variable counted from the step behind `after`: the tiles of
// `before` where no step was made, else those of `after`.
PaddingState PaddingAnalysis::joined(PaddingState before, PaddingState after, const ir::For& loop,
                                     const ir::Scalar& place) const {
    const auto at = [&](AxisPadding axis, const ir::Scalar& step) {
        move_edge(axis, {{loop.var, step}});
        return axis;
    };
    const ir::Scalar before_first = ir::sub(expanded(loop.begin), ir::integer(loop.step));
    if (!loop.reversed) {
        for_each_axis(before, after, [&](AxisPadding& old, AxisPadding& made) {
            if (!moves(made, loop) || !old.edge) return;
            if (at(made, before_first).key != old.key) return;
            const AxisPadding moved = at(made, place);
            old.edge = moved.edge;
            old.key = moved.key;
        });
    }
    std::erase_if(after.cells, [&](const auto& known) {
        return ir::symbols_of(expanded(known.second.cell)).count(loop.var) != 0;
    });
    // Holes of another step are data of this one.
    for_each_tile(after, [&](TilePadding& tile) {
        for (Holes& holes : tile.holes) {
            if (hangs_on(holes, loop.var)) holes = {};
        }
    });
    for_each_axis(after, [&](AxisPadding& axis) {
        if (!moves(axis, loop)) return;
        if (!loop.reversed) return move_edge(axis, {{loop.var, place}});
        lose_edge(axis, "the tile comes from another step of the loop over `" + loop.var + "`");
    });
    return join(std::move(before), after);
}

// A tile that keeps what it had past the edge, `s = pad(t, axis = 1, with = s)`, has no cell past
// the edge of any step. Where edges only come closer, these are the cells past the first step's
// edge. That is tried: the next rounds prove it, or come to something else.
PaddingState PaddingAnalysis::from_first_step(PaddingState behind, const ir::For& loop) const {
    for_each_axis(behind, [&](AxisPadding& axis) {
        if (axis.kept && moves(axis, loop)) move_edge(axis, {{loop.var, expanded(loop.begin)}});
    });
    return behind;
}

void PaddingAnalysis::follow_loop(ir::For& loop, PaddingState& state, const ir::Facts& facts) {
    check_condition(loop.begin);
    check_condition(loop.end);
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
    constexpr int exact_steps = 1;
    for (int round = 0;; ++round) {
        behind = head;
        follow(loop.body, behind, inner);
        PaddingState after = joined(state, as_earlier(behind, loop), loop, previous);
        if (after == head) break;
        if (round == 0)
            after = joined(state, as_earlier(from_first_step(behind, loop), loop), loop, previous);
        if (round >= exact_steps) widen(head, after);
        head = std::move(after);
        if (round < most_steps) continue;
        // A place that moves on with every round is none; without places the rounds end.
        for_each_axis(head, [](AxisPadding& axis) {
            lose_edge(axis, "the loop moves it on with every step");
        });
        stable = round < 2 * most_steps;
        if (stable) continue;
        forget(head);
        break;
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
    behind = as_earlier(std::move(behind), loop);
    for_each_axis(behind, [](AxisPadding& axis) { axis.earlier = false; });
    state = joined(std::move(state), std::move(behind), loop, last);
    where_.resize(outside);
}

}  // namespace tkc::checks::padding
