// Text that was made of pieces of a source file and of words between them, and remembers where each
// piece came from: what is told about the text is told about the file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/source.h"

namespace tkc {

class DerivedText {
public:
    // A piece of a file as it is.
    void copy(const SourceManager& sources, Span piece);
    // Other words, which stand for what is at `place`.
    void add(std::string_view words, Span place);
    void add(const DerivedText& more);

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty(); }
    // Where a piece of this text, from byte to byte, came from.
    Span origin(std::uint32_t begin, std::uint32_t end) const;

private:
    struct Piece {
        std::uint32_t begin;  // in the text
        Span place;
        bool copied;  // byte by byte
    };
    const Piece& piece_at(std::uint32_t offset) const;
    Span origin_of(std::uint32_t offset) const;  // one byte

    std::string text_;
    std::vector<Piece> pieces_;
};

}  // namespace tkc
