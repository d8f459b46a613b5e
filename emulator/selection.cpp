// Reading and writing what brackets choose, in runs of neighboring cells.
#include "emulator/selection.h"

#include <algorithm>

namespace tkc::emulator {

namespace {

// Calls f(offset in the array, offset in the selection, cells) for every run of cells that are
// neighbors in both and lie inside.
template <class F>
void for_each_run(const Shape& shape, const Selection& selection, std::size_t axis,
                  std::int64_t outer, std::int64_t& inner, const F& f) {
    if (axis == shape.size()) {
        f(outer, inner, std::int64_t{1});
        ++inner;
        return;
    }
    const AxisChoice& choice = selection[axis];
    const std::int64_t extent = shape[axis];
    if (axis + 1 == shape.size() && !choice.is_list && choice.step == 1) {
        const std::int64_t first = std::max<std::int64_t>(choice.begin, 0);
        const std::int64_t last = std::min(choice.begin + choice.count, extent);
        if (first < last) f(outer * extent + first, inner + first - choice.begin, last - first);
        inner += choice.count;
        return;
    }
    std::int64_t below = 1;  // cells of the selection for one place of this axis
    for (std::size_t i = axis + 1; i < shape.size(); ++i) below *= selection[i].size();
    for (std::int64_t i = 0; i < choice.size(); ++i) {
        const std::int64_t place = choice.place(i);
        if (place < 0 || place >= extent) {
            inner += below;
        } else {
            for_each_run(shape, selection, axis + 1, outer * extent + place, inner, f);
        }
    }
}

}  // namespace

Shape shape_of(const Selection& selection) {
    Shape shape;
    for (const AxisChoice& choice : selection) {
        if (!choice.dropped) shape.push_back(choice.size());
    }
    return shape;
}

Array read(const Array& from, const Selection& selection) {
    Array result = Array::zeros(shape_of(selection), from.kind);
    result.wraps = from.wraps;
    std::int64_t at = 0;
    const auto copy = [&]<class T>(std::vector<T>& to) {
        for_each_run(from.shape, selection, 0, 0, at,
                     [&](std::int64_t source, std::int64_t target, std::int64_t count) {
                         std::copy_n(from.of<T>().begin() + source, count, to.begin() + target);
                     });
    };
    std::visit(copy, result.cells);
    return result;
}

void write(Array& to, const Selection& selection, const Array& value) {
    if (value.kind > to.kind) to = as_kind(std::move(to), value.kind);
    std::int64_t at = 0;
    const auto copy = [&]<class T>(std::vector<T>& cells) {
        std::vector<T> room;
        const std::vector<T>& from = cells_as(value, room);
        for_each_run(to.shape, selection, 0, 0, at,
                     [&](std::int64_t target, std::int64_t source, std::int64_t count) {
                         std::copy_n(from.begin() + source, count, cells.begin() + target);
                     });
    };
    std::visit(copy, to.cells);
}

}  // namespace tkc::emulator
