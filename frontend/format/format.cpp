// Prints lines as they are laid out.
#include "frontend/format/format.h"

#include <algorithm>
#include <utility>

#include "frontend/format/layout.h"
#include "frontend/format/lines.h"

namespace tkc::format {

namespace {

std::string_view without_trailing_blanks(std::string_view text) {
    return text.substr(0, text.find_last_not_of(" \t\r") + 1);
}

class Writer {
public:
    void put(std::uint32_t column, std::string_view text) {
        text_.append(column - column_, ' ');
        text_ += text;
        column_ = column + width_of(text);
    }
    void end_line() {
        text_ += '\n';
        column_ = 0;
    }
    std::string take() { return std::move(text_); }

private:
    std::string text_;
    std::uint32_t column_ = 0;
};

}  // namespace

std::string format(FileId id, std::string_view source) {
    const Lines file = read_lines(id, source);
    const Layout layout = lay_out(file);
    Writer out;
    for (std::size_t number = 0; number < file.lines.size(); ++number) {
        const Line& line = file.lines[number];
        if (number > 0 && line.paragraph != file.lines[number - 1].paragraph) out.end_line();
        for (std::uint32_t i = line.first; i < line.end; ++i)
            out.put(layout.columns[i], file.list.text(i));
        if (line.comment) {
            out.put(layout.comments[number], without_trailing_blanks(file.text(*line.comment)));
        }
        out.end_line();
    }
    return out.take();
}

bool differ_in_blanks_only(std::string_view a, std::string_view b) {
    const FileTokens left = read_tokens(0, a);
    const FileTokens right = read_tokens(0, b);
    const std::size_t count = left.list.tokens.size();
    if (count != right.list.tokens.size()) return false;
    for (std::size_t i = 0; i < count; ++i) {
        if (left.list.tokens[i].kind != right.list.tokens[i].kind) return false;
        if (left.list.text(i) != right.list.text(i)) return false;
    }
    const auto text = [](std::string_view source, Span span) {
        return without_trailing_blanks(source.substr(span.begin, span.end - span.begin));
    };
    return std::equal(left.comments.begin(), left.comments.end(), right.comments.begin(),
                      right.comments.end(),
                      [&](Span x, Span y) { return text(a, x) == text(b, y); });
}

}  // namespace tkc::format
