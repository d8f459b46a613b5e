// The padding of tiles that loops carry.
//
// A tile that a step leaves has its place in that step: padding begins at E(j). At the head
// of the next step that is E(j - step), and after the loop E(last). What was there before the
// loop joins in where it has the place of a step before the first one, E(begin - step): so it is
// with a loop whose first step was written out before it, as in attention.
#include "checks/padding/analysis.h"

#include <fmt/format.h>

#include <optional>

namespace tkc::checks::padding {

namespace {

template <class F>
void for_each_tile(PaddingState& state, const F& f) {
    for (SharedTile& tile : state.tiles) {
        if (tile) f(tile);
    }
    for (auto& [id, fields] : state.elements) {
        for (auto& [name, tile] : fields) f(tile);
    }
}

// Calls f(tile, the same tile in `other`) for all that both know.
template <class F>
void for_each_tile(PaddingState& state, const PaddingState& other, const F& f) {
    for (std::size_t id = 0; id < state.tiles.size(); ++id) {
        if (state.tiles[id] && other.tiles[id]) f(state.tiles[id], other.tiles[id]);
    }
    for (auto& [id, fields] : state.elements) {
        const auto found = other.elements.find(id);
        if (found == other.elements.end()) continue;
        for (auto& [name, tile] : fields) {
            const auto same = found->second.find(name);
            if (same != found->second.end()) f(tile, same->second);
        }
    }
}

// Calls f on those axes of the tile for which `concerns` is true. A tile of which no axis is stays
// one that others share.
template <class Concerns, class F>
void change_axes(SharedTile& tile, const Concerns& concerns, const F& f) {
    std::optional<TilePadding> made;
    for (std::size_t i = 0; i < 2; ++i) {
        if (!concerns(tile->axis[i])) continue;
        if (!made) made = *tile;
        f(made->axis[i]);
    }
    if (made) tile = SharedTile(std::move(*made));
}
template <class Concerns, class F>
void change_axes(PaddingState& state, const Concerns& concerns, const F& f) {
    for_each_tile(state, [&](SharedTile& tile) { change_axes(tile, concerns, f); });
}

// Calls f for those axes of tiles that have the variable there.
template <class F>
void change_iterations(PaddingState& state, std::set<std::string> Iterations::*where,
                       const std::string& variable, const F& f) {
    for_each_tile(state, [&](SharedTile& tile) {
        const auto& along = tile->iterations;
        if (!(along[0].*where).contains(variable) && !(along[1].*where).contains(variable)) return;
        TilePadding made = *tile;
        for (Iterations& one : made.iterations) {
            if ((one.*where).contains(variable)) f(one);
        }
        tile = SharedTile(std::move(made));
    });
}

bool moves(const AxisPadding& axis, const ir::For& loop) {
    return begin_of(axis) && ir::mentions(begin_of(axis), loop.var);
}

// What the next step finds: tiles of another step, and what those have lost.
PaddingState as_earlier(PaddingState left, const ir::For& loop) {
    const auto is_earlier = [&](const AxisPadding& axis) {
        return axis.earlier || (axis.padded && (axis.kept || !begin_of(axis))) || moves(axis, loop);
    };
    change_axes(
        left,
        [&](const AxisPadding& axis) {
            return axis.changes || (!axis.earlier && is_earlier(axis));
        },
        [&](AxisPadding& axis) {
            axis.earlier = is_earlier(axis);
            axis.changed = axis.changed || axis.changes;
            axis.changes = false;
        });
    change_iterations(left, &Iterations::current, loop.var, [&](Iterations& along) {
        along.current.erase(loop.var);
        along.earlier.insert(loop.var);
    });
    return left;
}

// Bounds that a step moved on give way, so that steps come to an end.
void widen(const PaddingState& before, PaddingState& now) {
    for_each_tile(now, before, [](SharedTile& tile, const SharedTile& old) {
        TilePadding made = *tile;
        const auto widen = [](const FillValue& was, FillValue& fill) {
            fill = ir::padding::widened(was, fill);
        };
        for (std::size_t i = 0; i < 2; ++i) {
            widen(old->axis[i].fill, made.axis[i].fill);
            widen(old->holes[i].fill, made.holes[i].fill);
        }
        for (std::size_t i = 0; i < 2; ++i) {
            if (old->begun[i] && made.begun[i]) widen(*old->begun[i], *made.begun[i]);
        }
        widen(old->data, made.data);
        widen(old->corner, made.corner);
        if (!(made == *tile)) tile = SharedTile(std::move(made));
    });
}

// Nothing of any tile.
void forget(PaddingState& state) {
    for_each_tile(state, [](SharedTile& tile) {
        TilePadding x = *tile;
        for (AxisPadding& axis : x.axis) axis.fill = {};
        x.holes = {};
        x.data = padding::as_data({});
        x.corner = {};
        tile = SharedTile(std::move(x));
    });
}

}  // namespace

// What is at `place` of the loop's variable counted from the step after `after`: the tiles of
// `before` where no step was made, else those of `after`.
PaddingState PaddingAnalysis::joined(PaddingState before, PaddingState after, const ir::For& loop,
                                     const ir::Scalar& place) const {
    const auto at = [&](AxisPadding axis, const ir::Scalar& step) {
        move_edge(axis, {{loop.var, step}});
        return axis;
    };
    const ir::Scalar before_first = ir::sub(expanded(loop.begin), ir::integer(loop.step));
    if (!loop.reversed) {
        for_each_tile(before, after, [&](SharedTile& tile, const SharedTile& made) {
            for (std::size_t i = 0; i < 2; ++i) {
                const AxisPadding& axis = made->axis[i];
                if (!tile->axis[i].edge || !moves(axis, loop)) continue;
                if (at(axis, before_first).key != tile->axis[i].key) continue;
                const AxisPadding moved = at(axis, place);
                TilePadding going_on = *tile;
                going_on.axis[i].edge = moved.edge;
                going_on.axis[i].key = moved.key;
                tile = SharedTile(std::move(going_on));
            }
        });
    }
    return join(std::move(before), after_step(std::move(after), loop, place));
}

// What a step has left, at `place` of the loop's variable.
PaddingState PaddingAnalysis::after_step(PaddingState after, const ir::For& loop,
                                         const ir::Scalar& place) const {
    std::erase_if(after.cells, [&](const auto& known) {
        return ir::symbols_of(expanded(known.second.cell)).count(loop.var) != 0;
    });
    // Holes of another step are data of this one.
    for_each_tile(after, [&](SharedTile& tile) {
        for (std::size_t i = 0; i < 2; ++i) {
            if (!hangs_on(tile->holes[i].inside, loop.var)) continue;
            TilePadding made = *tile;
            made.holes[i] = {};
            tile = SharedTile(std::move(made));
        }
    });
    change_axes(
        after, [&](const AxisPadding& axis) { return hangs_on(axis.inside, loop.var); },
        [&](AxisPadding& axis) { lose_edge(axis, axis.lost); });
    change_axes(
        after, [&](const AxisPadding& axis) { return moves(axis, loop); },
        [&](AxisPadding& axis) {
            if (!loop.reversed) return move_edge(axis, {{loop.var, place}});
            lose_edge(axis,
                      "the tile comes from another iteration of the loop over `" + loop.var + "`");
        });
    return after;
}

// A tile that keeps what it had past the edge, `s = pad(t, axis = 1, with = s)`, has no cell past
// the edge of any step. Where edges only come closer, these are the cells past the first step's
// edge. That is tried: the next rounds prove it, or come to something else.
PaddingState PaddingAnalysis::from_first_step(PaddingState left, const ir::For& loop) const {
    change_axes(
        left, [&](const AxisPadding& axis) { return axis.kept && moves(axis, loop); },
        [&](AxisPadding& axis) {
            move_edge(axis, {{loop.var, expanded(loop.begin)}});
        });
    return left;
}

void PaddingAnalysis::follow_loop(ir::For& loop, PaddingState& state, const ir::Facts& facts) {
    check_condition(loop.begin);
    check_condition(loop.end);
    ir::Facts inner = facts;
    const ir::NormalForm first = form(loop.begin);
    const ir::NormalForm after_last = form(loop.end);
    inner.assume_range(loop.var, first, after_last, loop.step);
    const std::size_t outside = where_.size();
    where_ += fmt::format("@{}:{}:{}:{}", loop.var, first.key(), after_last.key(), loop.step);
    const ir::Scalar begin = expanded(loop.begin);
    const ir::Scalar step = ir::integer(loop.step);
    // The last step; the one before the first where there is none.
    const ir::Scalar trips = ir::call(
        Function::max, {ir::ceil_div(ir::sub(expanded(loop.end), begin), step), ir::integer(0)});
    const ir::Scalar last = ir::sub(ir::add(begin, ir::mul(trips, step)), step);
    loops_.emplace_back(loop.var, loop.reversed ? last : begin);
    const ir::Scalar previous = ir::sub(ir::symbol(loop.var), step);
    const bool settle = std::exchange(settle_, false);
    PaddingState head = state;
    PaddingState left;  // a step that begins with `head`, once rounds end
    bool stable = true;
    constexpr int exact_steps = 1;
    for (int round = 0;; ++round) {
        left = head;
        follow(loop.body, left, inner);
        PaddingState after = joined(state, as_earlier(left, loop), loop, previous);
        if (after == head) break;
        if (round == 0)
            after = joined(state, as_earlier(from_first_step(left, loop), loop), loop, previous);
        if (round >= exact_steps) widen(head, after);
        head = std::move(after);
        if (round < most_steps) continue;
        // A place that moves on with every round is none; without places the rounds end.
        change_axes(
            head, [](const AxisPadding&) { return true; },
            [](AxisPadding& axis) { lose_edge(axis, "the loop advances it in every iteration"); });
        stable = round < 2 * most_steps;
        if (stable) continue;
        forget(head);
        break;
    }
    settle_ = settle;
    // Nested loops would be followed once more in each step of the outer one, for nothing.
    if (settle || !stable) {
        left = std::move(head);
        follow(loop.body, left, inner);
    }
    loops_.pop_back();
    left = as_earlier(std::move(left), loop);
    change_axes(
        left, [](const AxisPadding& axis) { return axis.earlier; },
        [](AxisPadding& axis) { axis.earlier = false; });
    change_iterations(left, &Iterations::earlier, loop.var,
                      [&](Iterations& along) { along.earlier.erase(loop.var); });
    // Where a step is certain, nothing is left as it was before the loop.
    const bool certain = facts.prove_at_least(ir::normal_form(trips, bindings_), 1);
    state = certain ? after_step(std::move(left), loop, last)
                    : joined(std::move(state), std::move(left), loop, last);
    where_.resize(outside);
}

}  // namespace tkc::checks::padding
