// Pieces and where they came from.
#include "base/derived_text.h"

#include <algorithm>

namespace tkc {

void DerivedText::copy(const SourceManager& sources, Span piece) {
    if (piece.begin == piece.end) return;
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), piece, true});
    text_ += sources.text(piece);
}

void DerivedText::add(std::string_view words, Span place) {
    if (words.empty()) return;
    pieces_.push_back({static_cast<std::uint32_t>(text_.size()), place, false});
    text_ += words;
}

void DerivedText::add(const DerivedText& more) {
    const auto before = static_cast<std::uint32_t>(text_.size());
    for (Piece piece : more.pieces_) {
        piece.begin += before;
        pieces_.push_back(piece);
    }
    text_ += more.text_;
}

const DerivedText::Piece& DerivedText::piece_at(std::uint32_t offset) const {
    const auto after =
        std::upper_bound(pieces_.begin(), pieces_.end(), offset,
                         [](std::uint32_t o, const Piece& piece) { return o < piece.begin; });
    return *std::prev(after);
}

Span DerivedText::origin_of(std::uint32_t offset) const {
    const Piece& piece = piece_at(offset);
    if (!piece.copied) return piece.place;
    const std::uint32_t at = piece.place.begin + (offset - piece.begin);
    return {piece.place.file, at, at + 1};
}

Span DerivedText::origin(std::uint32_t begin, std::uint32_t end) const {
    if (pieces_.empty()) return {};
    const Span first = origin_of(begin);
    if (end <= begin + 1) return first;
    const Span last = origin_of(end - 1);
    // A statement that was put together of several has the place where it begins.
    return last.file == first.file && last.end > first.begin
               ? Span{first.file, first.begin, last.end}
               : first;
}

}  // namespace tkc
