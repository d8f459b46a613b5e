// Tiles that are one or another, and padding whose place is lost.
#include "tiles/tile_padding.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tkc::ir::padding {

void lose_edge(AxisPadding& x, const std::string& why) {
    if (!x.padded) return;
    if (x.edge || x.lost.empty()) x.lost = why;
    x.edge = nullptr;
    x.key.clear();
    x.first = nullptr;
    x.first_key.clear();
    x.inside.clear();
    x.inside_key.clear();
}

const Scalar& begin_of(const AxisPadding& x) { return x.edge ? x.edge : x.first; }
const std::string& begin_key(const AxisPadding& x) { return x.edge ? x.key : x.first_key; }

AxisPadding from_begin(AxisPadding x) {
    if (x.edge || !x.first) return x;
    x.edge = std::exchange(x.first, nullptr);
    x.key = std::exchange(x.first_key, "");
    return x;
}

namespace {

// From there on cells may be padding, and data of another tile.
void keep_first(AxisPadding& x, const std::string& why) {
    const Scalar first = begin_of(x);
    const std::string key = begin_key(x);
    lose_edge(x, why);
    x.first = first;
    x.first_key = key;
}

AxisPadding join_axis(const AxisPadding& a, const FillValue& a_data, const AxisPadding& b,
                      const FillValue& b_data) {
    if (!a.padded && !b.padded) return {};
    // A tile without padding whose cells are all what fills the other's, the zeros of a sum that
    // begins, may be seen as padded at the same place.
    if (!b.padded) {
        AxisPadding made = a;
        const bool alike =
            b_data.kind == FillValue::Kind::constant &&
            (a.edge || (a.fill.kind == b_data.kind && is_constant(b_data, a.fill.value)));
        if (alike) made.fill = join(a.fill, b_data);
        if (!alike) keep_first(made, "the tile combines padded and unpadded tiles");
        return made;
    }
    if (!a.padded) return join_axis(b, b_data, a, a_data);
    AxisPadding made = a;
    made.fill = join(a.fill, b.fill);
    made.kept = a.kept && b.kept;
    made.stated = a.stated && b.stated;
    made.meant = a.meant && b.meant;
    made.total = a.total && b.total;
    made.repeats = std::min(a.repeats, b.repeats);
    made.allowed = a.allowed && b.allowed;
    made.earlier = a.earlier || b.earlier;
    made.changes = a.changes || b.changes;
    made.changed = a.changed || b.changed;
    made.among_data = a.among_data && b.among_data;
    if (a.key == b.key && a.first_key == b.first_key && a.inside_key == b.inside_key) return made;
    if (begin_key(a) == begin_key(b)) keep_first(made, "it combines tiles from several positions");
    else lose_edge(made, "it combines tiles from several positions");
    return made;
}

// What the cells hold if the tile is made up.
std::optional<FillValue> begun_of(const TilePadding& x, std::size_t axis) {
    return x.made_up[axis] ? x.data : x.begun[axis];
}

// A sum that begins with zeros may be seen as one of zeros at any cells.
Holes join_holes(const Holes& a, const FillValue& a_data, const Holes& b, const FillValue& b_data) {
    if (a.key.empty() && b.key.empty()) return {};
    if (a.key.empty()) return join_holes(b, b_data, a, a_data);
    const bool alike = b.key.empty() && a.fill.kind == FillValue::Kind::constant &&
                       is_constant(b_data, a.fill.value);
    if (!alike && a.key != b.key) return {};
    Holes made = a;
    if (alike) {
        made.fill = join(a.fill, b_data);
        made.data = join(a.data, b_data);
        made.stated = made.total = false;
        return made;
    }
    made.fill = join(a.fill, b.fill);
    made.data = join(a.data, b.data);
    made.stated = a.stated && b.stated;
    made.total = a.total && b.total;
    return made;
}

}  // namespace

TilePadding as_cells(TilePadding x, Dtype dtype) {
    for_each_fill(x, [&](FillValue& fill) { fill = as_cells(fill, dtype); });
    return x;
}

FillValue corner_of(const TilePadding& x) {
    if (x.axis[0].padded && x.axis[1].padded) return x.corner;
    if (x.axis[0].padded) return x.axis[0].fill;
    return x.axis[1].padded ? x.axis[1].fill : x.data;
}

void add(Iterations& x, const Iterations& other) {
    x.current.insert(other.current.begin(), other.current.end());
    x.earlier.insert(other.earlier.begin(), other.earlier.end());
    x.combined = x.combined || other.combined;
}

TilePadding join(const TilePadding& a, const TilePadding& b) {
    TilePadding made;
    for (std::size_t i = 0; i < 2; ++i) {
        made.axis[i] = join_axis(a.axis[i], a.data, b.axis[i], b.data);
        made.iterations[i] = a.iterations[i];
        add(made.iterations[i], b.iterations[i]);
    }
    for (std::size_t i = 0; i < 2; ++i) {
        made.made_up[i] = a.made_up[i] && b.made_up[i];
        if (made.made_up[i]) continue;
        made.begun[i] = begun_of(a, i);
        if (const auto other = begun_of(b, i))
            made.begun[i] = made.begun[i] ? join(*made.begun[i], *other) : *other;
    }
    for (std::size_t i = 0; i < 2; ++i)
        made.holes[i] = join_holes(a.holes[i], a.data, b.holes[i], b.data);
    made.data = join(a.data, b.data);
    made.corner = join(corner_of(a), corner_of(b));
    return made;
}

TilePadding sliced(TilePadding tile, std::size_t axis, std::int64_t first) {
    AxisPadding& along = tile.axis[axis];
    if (along.edge) along.edge = sub(along.edge, integer(first));
    if (along.first) along.first = sub(along.first, integer(first));
    if (first == 0) return tile;
    // All of the line's own cells may lie before it.
    for (FillValue* fill : {&along.fill, &tile.holes[axis].fill, &tile.corner})
        *fill = elsewhere(*fill);
    const auto move = [first](std::vector<Scalar>& inside, std::string& key) {
        for (Scalar& one : inside) {
            one = rewrite(one, [&](const Scalar& s) -> Scalar {
                return std::holds_alternative<Row>(s->node) ? add(row(), integer(first)) : nullptr;
            });
        }
        if (!key.empty()) key += " from " + std::to_string(first);
    };
    move(along.inside, along.inside_key);
    move(tile.holes[axis].inside, tile.holes[axis].key);
    return tile;
}

FillValue summed(const FillValue& x) {
    if (is_constant(x, 0) || !is_number(x)) return x;
    const RealBounds one = bounds_of(x);
    FillValue made = x;
    made.kind = FillValue::Kind::number;
    made.value = 0;
    // A sum of numbers with the same sign is at least as far from 0 as each of them.
    made.bounds = {one.least < 0 ? -HUGE_VAL : one.least, one.most > 0 ? HUGE_VAL : one.most};
    const bool cancels = one.least < 0 && one.most > 0 && x.infinite != Cause::none;
    if (cancels) {
        const Cause made_here = x.of_line ? Cause::same : std::max(Cause::large, x.infinite);
        made.nan = std::max(made.nan, made_here);
        made.nan_written = made.nan_written || (x.written.least && x.written.most);
        if (made.nan == Cause::any) return {};
    }
    return made;
}

}  // namespace tkc::ir::padding
