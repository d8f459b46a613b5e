// In which column each token and each comment is printed.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/format/lines.h"

namespace tkc::format {

struct Layout {
    std::vector<std::uint32_t> columns;   // of each token
    std::vector<std::uint32_t> comments;  // of the comment of each line that has one
};

// Laid out once, a text stays as it is: every rule that uses old columns gives these columns
// where they are those of the layout already.
Layout lay_out(const Lines& file);

}  // namespace tkc::format
