// The lines of a file as the author broke them: what is on each, and which bracket it is in.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "frontend/format/spacing.h"
#include "frontend/parse/tokens.h"

namespace tkc::format {

// A token with what is known of its place. An item is what commas, semicolons and the ends of
// blocks divide: a statement, a declaration, a parameter, an argument.
struct Place {
    std::uint32_t inside = no_token;  // the bracket around it; of a closing one, around the pair
    std::uint32_t item = 0;           // the first token of its item
    std::uint32_t line = 0;           // the number of its line
    std::uint32_t width = 0;          // in characters
    std::uint32_t old_column = 0;     // from 0
    std::uint32_t blanks = 0;         // before it, where it is not the first of its line
};

struct Line {
    std::uint32_t first = 0;  // its tokens: none where `first` is `end`
    std::uint32_t end = 0;
    std::optional<Span> comment;
    std::uint32_t comment_column = 0;  // in the old text
    std::uint32_t paragraph = 0;       // grows at blank lines

    bool has_code() const { return first != end; }
};

struct Lines {
    TokenList list;
    std::vector<std::uint32_t> partner;  // of brackets, with `<` and `>` round constants
    std::vector<Place> places;           // of each token
    std::vector<Line> lines;             // all that have tokens

    bool opens(std::size_t i) const { return format::opens(partner, i); }
    bool closes(std::size_t i) const { return format::closes(partner, i); }
    bool starts_item(std::size_t i) const { return places[i].item == i; }
    bool is_first(std::size_t i) const { return lines[places[i].line].first == i; }
    bool is_last(std::size_t i) const { return lines[places[i].line].end == i + 1; }
    std::string_view text(Span comment) const {
        return list.source.substr(comment.begin, comment.end - comment.begin);
    }
};

Lines read_lines(FileId file, std::string_view source);

// Characters of a text in UTF-8.
std::uint32_t width_of(std::string_view text);

}  // namespace tkc::format
