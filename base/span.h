// A piece of source text: which file, from which byte to which. Everything that can be wrong
// carries one.
#pragma once

#include <cstdint>

namespace tkc {

// Half-open range of bytes [begin, end) of file `file` (a number given out by the SourceManager).
struct Span {
    std::uint32_t file = 0;
    std::uint32_t begin = 0;
    std::uint32_t end = 0;

    friend bool operator==(const Span&, const Span&) = default;
};

// The smallest span that covers both; they must lie in one file.
constexpr Span join(Span a, Span b) {
    return {a.file, a.begin < b.begin ? a.begin : b.begin, a.end > b.end ? a.end : b.end};
}

}  // namespace tkc
