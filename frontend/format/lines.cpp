// Lines, items and columns from the tokens.
#include "frontend/format/lines.h"

#include <algorithm>
#include <utility>

namespace tkc::format {

namespace {

constexpr std::uint32_t tab = 4;

// Columns of places, from 0, asked for in order.
class Columns {
public:
    explicit Columns(std::string_view source) : source_(source) {}
    std::uint32_t of(std::uint32_t place) {
        for (; at_ < place; ++at_) {
            if (source_[at_] == '\n') column_ = 0;
            else if (source_[at_] == '\t') column_ += tab - column_ % tab;
            else column_ += width_of(source_.substr(at_, 1));
        }
        return column_;
    }

private:
    std::string_view source_;
    std::uint32_t at_ = 0;
    std::uint32_t column_ = 0;
};

// Whether commas divide what is in the bracket. In a block they do not: `for b in B, h in H`.
bool is_divided_by_commas(const TokenList& list, std::size_t opener) {
    if (!list.is(opener, "{")) return true;
    return opener > 0 && (list.is(opener - 1, "=") || list.is(opener - 1, "return"));
}

// Whether an item goes on after the `}` before the token.
bool goes_on(const TokenList& list, std::size_t i) {
    static constexpr std::string_view words[] = {"else", ")", "]", ",", ";", "{", "trusts"};
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return list.is(i, word); });
}

void find_items(Lines& file) {
    struct Open {
        std::uint32_t bracket;
        std::uint32_t item = no_token;  // none has begun
    };
    const TokenList& list = file.list;
    std::vector<Open> open{{no_token}};
    for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
        if (file.closes(i) && open.size() > 1) open.pop_back();
        if (open.back().item == no_token) open.back().item = i;
        file.places[i].inside = open.back().bracket;
        file.places[i].item = open.back().item;
        const std::uint32_t bracket = open.back().bracket;
        const bool commas = bracket != no_token && is_divided_by_commas(list, bracket);
        const bool block_ends = list.is(i, "}") && i + 1 < list.tokens.size() &&
                                !goes_on(list, i + 1) &&
                                !is_divided_by_commas(list, file.partner[i]);
        if (list.is(i, commas ? "," : ";") || block_ends) open.back().item = no_token;
        if (file.opens(i)) open.push_back({i});
    }
}

// Puts tokens and comments, in the order in which they are, on the lines of the source.
class LineFinder {
public:
    explicit LineFinder(Lines& file) : file_(file), columns_(file.list.source) {}

    void run(const std::vector<Span>& comments) {
        const std::vector<Token>& tokens = file_.list.tokens;
        auto comment = comments.begin();
        for (std::uint32_t i = 0; i < tokens.size(); ++i) {
            for (; comment != comments.end() && comment->begin < tokens[i].begin; ++comment)
                add_comment(*comment, i);
            if (tokens[i].kind != TokenKind::End) add_token(i);
        }
    }

private:
    void add_comment(Span comment, std::uint32_t next) {
        find_line(comment.begin, next, false);
        file_.lines.back().comment = comment;
        file_.lines.back().comment_column = columns_.of(comment.begin);
        end_ = comment.end;
    }

    void add_token(std::uint32_t i) {
        const Token& token = file_.list.tokens[i];
        find_line(token.begin, i, file_.closes(i));
        file_.lines.back().end = i + 1;
        Place& place = file_.places[i];
        place.line = static_cast<std::uint32_t>(file_.lines.size() - 1);
        place.width = width_of(file_.list.text(i));
        place.old_column = columns_.of(token.begin);
        if (!file_.is_first(i)) place.blanks = blanks_before(file_.list, file_.partner, i);
        end_ = token.end;
    }

    // Begins a line where there is a line end before `begin`. Blank lines at either end of what
    // brackets hold are none.
    void find_line(std::uint32_t begin, std::uint32_t next, bool closes) {
        const std::string_view between = file_.list.source.substr(end_, begin - end_);
        const auto newlines = std::count(between.begin(), between.end(), '\n');
        if (newlines == 0 && !file_.lines.empty()) return;
        const bool opened = !file_.lines.empty() && file_.lines.back().has_code() &&
                            file_.opens(file_.lines.back().end - 1);
        if (newlines > 1 && !opened && !closes) ++paragraph_;
        file_.lines.push_back({next, next, std::nullopt, 0, paragraph_});
    }

    Lines& file_;
    Columns columns_;
    std::uint32_t end_ = 0;  // of what was last
    std::uint32_t paragraph_ = 0;
};

}  // namespace

std::uint32_t width_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

Lines read_lines(FileId id, std::string_view source) {
    FileTokens read = read_tokens(id, source);
    Lines file{std::move(read.list), {}, {}, {}};
    file.partner = pair_all_brackets(file.list);
    file.places.resize(file.list.tokens.size());
    find_items(file);
    LineFinder(file).run(read.comments);
    return file;
}

}  // namespace tkc::format
