// Races between programs, and reads of what nobody wrote.
#include "emulator/global_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/array.h"

namespace tkc::emulator {

std::string element_text(const std::string& name, const Tensor& tensor, std::int64_t element) {
    // Elements are distinct, so that the axis of the longest stride says how often it is taken.
    std::vector<std::size_t> axes(tensor.extents.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    std::sort(axes.begin(), axes.end(),
              [&](std::size_t a, std::size_t b) { return tensor.strides[a] > tensor.strides[b]; });
    std::int64_t rest = element - tensor.origin;
    std::vector<std::int64_t> position(tensor.extents.size());
    for (const std::size_t axis : axes) {
        if (tensor.extents[axis] == 1 || tensor.strides[axis] == 0) continue;
        position[axis] = rest / tensor.strides[axis];
        rest %= tensor.strides[axis];
    }
    return fmt::format("`{}`{}", name, to_string(position));
}

std::int64_t first_unwritten(const Tensor& tensor, const ElementLog& log) {
    std::vector<std::int64_t> position(tensor.extents.size());
    std::int64_t element = tensor.origin;
    for (std::int64_t left = tensor.elements(); left > 0; --left) {
        if (!log.is_written(element)) return element;
        for (std::size_t axis = position.size(); axis-- > 0;) {
            element += tensor.strides[axis];
            if (++position[axis] < tensor.extents[axis]) break;
            element -= tensor.strides[axis] * tensor.extents[axis];
            position[axis] = 0;
        }
    }
    return -1;
}

void GlobalAccess::refuse(const ElementLog::Race& race, std::int64_t element,
                          const Span& span) const {
    const std::string mine = grid.describe(program);
    const std::string other = grid.describe(race.program);
    std::string text =
        fmt::format("{} and {} write the same elements of `{}`", other, mine, tensor);
    if (!write || !race.wrote) {
        text = fmt::format("{} reads {}, which {} writes", write ? other : mine,
                           element_text(tensor, arguments.tensors.at(tensor), element),
                           write ? mine : other);
    }
    throw Stop{Outcome::End::hazard, text, {{span, ""}}};
}

void GlobalAccess::refuse_undefined(std::int64_t element) const {
    throw Fault(fmt::format("reads {}, which this program has not written",
                            element_text(tensor, arguments.tensors.at(tensor), element)));
}

}  // namespace tkc::emulator
