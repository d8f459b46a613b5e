// What brackets choose of an array: for every axis some places, in order.
#pragma once

#include <vector>

#include "emulator/array.h"

namespace tkc::emulator {

// Places begin, begin + step, .. of one axis; or those listed. They may lie outside of the axis:
// there is 0 to read, and nothing is written.
struct AxisChoice {
    std::int64_t begin = 0;
    std::int64_t count = 1;
    std::int64_t step = 1;
    bool dropped = false;              // a single position: the axis goes
    std::vector<std::int64_t> listed;  // if `is_list`, instead of the above
    bool is_list = false;

    std::int64_t size() const { return is_list ? static_cast<std::int64_t>(listed.size()) : count; }
    std::int64_t place(std::int64_t i) const {
        return is_list ? listed[static_cast<std::size_t>(i)] : begin + i * step;
    }
};

// One choice for each axis of the array.
using Selection = std::vector<AxisChoice>;

Shape shape_of(const Selection& selection);
Array read(const Array& from, const Selection& selection);
// `value` has the selection's shape.
void write(Array& to, const Selection& selection, const Array& value);

}  // namespace tkc::emulator
