// Diagnostics as text with frames of source lines, as rustc draws them.
//
//     error[TK1004]: missing `)` before `;`
//      --> gemm.tk:12:35
//        |
//     12 |     tma_store(C[m, n], bf16(acc);
//        |              -                  ^
//        |              |
//        |              opened here
//        = help: ...
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/diagnose.h"

namespace tkc {
namespace {

// The length in bytes of the UTF-8 character that starts at `i`; 1 for a byte that starts none.
std::size_t character_length(std::string_view text, std::size_t i) {
    auto byte = static_cast<unsigned char>(text[i]);
    std::size_t length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    if (byte > 0xf4 || i + length > text.size()) return 1;
    for (std::size_t k = 1; k < length; ++k) {
        if ((static_cast<unsigned char>(text[i + k]) & 0xc0) != 0x80) return 1;
    }
    return length;
}

char32_t character_at(std::string_view text, std::size_t i, std::size_t length) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    if (length == 1) return byte(0);
    char32_t code = byte(0) & (0xffU >> (length + 1));
    for (std::size_t k = 1; k < length; ++k) code = code << 6 | (byte(k) & 0x3fU);
    return code;
}

// How many columns of a terminal a character takes: characters of East Asia and pictures two, marks
// over the character before them none.
std::size_t width_of(char32_t c) {
    if (c < 0x300) return 1;
    const auto within = [c](std::initializer_list<std::pair<char32_t, char32_t>> ranges) {
        return std::any_of(ranges.begin(), ranges.end(),
                           [c](const auto& r) { return r.first <= c && c <= r.second; });
    };
    if (within({{0x300, 0x36f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}})) return 0;
    return within({{0x1100, 0x115f},
                   {0x2e80, 0xa4cf},
                   {0xac00, 0xd7a3},
                   {0xf900, 0xfaff},
                   {0xfe30, 0xfe6f},
                   {0xff00, 0xff60},
                   {0xffe0, 0xffe6},
                   {0x1f300, 0x1f64f},
                   {0x1f900, 0x1f9ff},
                   {0x20000, 0x3fffd}})
               ? 2
               : 1;
}

// Characters that a terminal takes as orders, or that turn the direction of a line.
bool is_printable(char32_t c, std::size_t length) {
    if (length == 1) return c >= 0x20 && c < 0x7f;
    return !(c < 0xa0 || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
             (c >= 0x2066 && c <= 0x2069) || c == 0xfeff);
}

constexpr std::size_t whole_at_most = 180;  // columns of a line that is printed whole
constexpr std::size_t shown_columns = 120;  // of a longer one
constexpr std::size_t shown_before = 50;    // of these, before what is marked

// A source line as it is printed: tabs expanded, unprintable characters as `?`, a long line only
// around the byte `middle`, and for every byte offset its printed column.
struct PrintedLine {
    std::string text;
    std::vector<std::size_t> columns;  // one more than bytes

    PrintedLine(std::string_view source, int tab_width, std::size_t middle) {
        for_each_character(source, tab_width,
                           [&](std::size_t, std::size_t length, char32_t, std::size_t column) {
                               for (std::size_t k = 0; k < length; ++k) columns.push_back(column);
                           });
        const std::size_t end = total_;
        columns.push_back(end);
        std::size_t from = 0;
        std::size_t to = end;
        if (end > whole_at_most) {
            const std::size_t at = columns[std::min(middle, columns.size() - 1)];
            from = std::min(at > shown_before ? at - shown_before : 0, end - shown_columns);
            to = from + shown_columns;
        }
        const std::size_t lead = from == 0 ? 0 : 2;
        text.append(lead, '.');
        for_each_character(source, tab_width,
                           [&](std::size_t i, std::size_t length, char32_t c, std::size_t column) {
                               if (column < from || column >= to) return;
                               if (c == '\t') text.append(static_cast<std::size_t>(tab_width), ' ');
                               else if (!is_printable(c, length)) text += '?';
                               else text += source.substr(i, length);
                           });
        if (to < end) text += "..";
        // What is not shown is marked under the dots.
        for (std::size_t& column : columns) {
            column = column < from ? 0 : std::min(column, to) - from + lead;
        }
    }

private:
    template <typename F>
    void for_each_character(std::string_view source, int tab_width, const F& f) {
        std::size_t column = 0;
        for (std::size_t i = 0; i < source.size();) {
            const std::size_t length = character_length(source, i);
            const char32_t c = character_at(source, i, length);
            f(i, length, c, column);
            column += c == '\t'                 ? static_cast<std::size_t>(tab_width)
                      : is_printable(c, length) ? width_of(c)
                                                : 1;
            i += length;
        }
        total_ = column;
    }

    std::size_t total_ = 0;
};

// One underline on one line. A span of several lines is two: its first line, and its last.
struct Mark {
    std::uint32_t line;
    std::size_t begin, end;  // byte columns from 0
    bool is_primary;
    std::string text;
};

class Painter {
public:
    Painter(const SourceManager& sources, RenderOptions options)
        : sources_(sources), options_(options) {}

    std::string paint(const Diagnostic& d) {
        const char* tone = d.severity == Severity::error     ? red
                           : d.severity == Severity::warning ? yellow
                                                             : green;
        line(style(tone, fmt::format("{}[{}]", severity_word(d.severity), code_word(d.code))) +
             style(bold, ": " + d.message));
        tone_ = tone;
        if (is_known(d.span)) frames(d);
        timeline(d);
        for (const Remark& remark : all_remarks(d, sources_)) {
            std::string_view word = remark.kind == Remark::Kind::help ? "help" : "note";
            std::string text = remark.text;  // further lines are indented under the first
            std::string indent = "\n" + std::string(gutter_ + 9, ' ');
            for (std::size_t i = 0; (i = text.find('\n', i)) != text.npos; i += indent.size()) {
                text.replace(i, 1, indent);
            }
            line(margin("") + style(blue, "= ") + style(bold, word) + ": " + text);
        }
        return std::move(out_);
    }

private:
    static constexpr const char* red = "1;31";
    static constexpr const char* yellow = "1;33";
    static constexpr const char* green = "1;32";
    static constexpr const char* blue = "1;34";
    static constexpr const char* bold = "1";

    std::string style(const char* code, std::string_view text) const {
        if (!options_.color || text.empty()) return std::string(text);
        return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
    }

    void line(std::string text) {
        while (!text.empty() && text.back() == ' ') text.pop_back();
        out_ += text + "\n";
    }

    std::string margin(std::string_view number) const {
        return style(blue, fmt::format("{:>{}} ", number, gutter_));
    }

    void add_marks(std::map<FileId, std::vector<Mark>>& files, Span span, bool is_primary,
                   const std::string& text) {
        LineColumn first = sources_.begin(span);
        LineColumn last = sources_.end(span);
        std::vector<Mark>& marks = files[span.file];
        if (first.line == last.line) {
            std::size_t begin = first.column - 1;
            marks.push_back({first.line, begin, std::max<std::size_t>(last.column - 1, begin + 1),
                             is_primary, text});
            return;
        }
        std::size_t length = sources_.file(span.file).line(first.line).size();
        marks.push_back({first.line, first.column - 1, std::max<std::size_t>(length, first.column),
                         is_primary, ""});
        std::uint32_t end_line =
            last.column == 1 ? last.line - 1 : last.line;  // ends with a newline
        if (end_line == first.line) {
            marks.back().text = text;
            return;
        }
        std::string_view closing = sources_.file(span.file).line(end_line);
        std::size_t end = last.column == 1 ? closing.size() : last.column - 1;
        std::size_t begin = std::min(closing.find_first_not_of(" \t"), end);
        if (begin >= end) begin = end == 0 ? 0 : end - 1;
        marks.push_back({end_line, begin, std::max(end, begin + 1), is_primary,
                         text.empty() ? "ends here" : text});
    }

    void frames(const Diagnostic& d) {
        std::map<FileId, std::vector<Mark>> files;
        add_marks(files, d.span, true, d.primary_label);
        for (const Label& label : d.labels) add_marks(files, label.span, false, label.text);
        std::uint32_t deepest = 0;
        for (auto& [file, marks] : files) {
            for (const Mark& mark : marks) deepest = std::max(deepest, mark.line);
        }
        gutter_ = std::to_string(deepest).size();
        line(std::string(gutter_, ' ') + style(blue, "--> ") + sources_.describe(d.span));
        frame(d.span.file, files[d.span.file]);
        for (auto& [file, marks] : files) {
            if (file == d.span.file) continue;
            line(std::string(gutter_, ' ') + style(blue, "::: ") + sources_.file(file).path + ":" +
                 std::to_string(marks.front().line));
            frame(file, marks);
        }
    }

    // = timeline:
    //     line 14  producer  fills stage 0 of `ks`
    void timeline(const Diagnostic& d) {
        if (d.timeline.empty()) return;
        line(margin("") + style(blue, "= ") + style(bold, "timeline") + ":");
        std::size_t width = 0;
        std::size_t digits = 0;
        for (const Moment& m : d.timeline) {
            width = std::max(width, m.who.size());
            digits = std::max(digits, std::to_string(sources_.begin(m.span).line).size());
        }
        for (const Moment& m : d.timeline) {
            line(margin("") + fmt::format("    line {:>{}}  {:<{}}  {}",
                                          sources_.begin(m.span).line, digits, m.who, width,
                                          m.text));
        }
    }

    void frame(FileId id, std::vector<Mark>& marks) {
        const SourceFile& file = sources_.file(id);
        std::stable_sort(marks.begin(), marks.end(),
                         [](const Mark& a, const Mark& b) { return a.line < b.line; });
        line(margin("") + style(blue, "|"));
        std::uint32_t previous = 0;
        for (std::size_t i = 0; i < marks.size();) {
            std::size_t j = i;
            while (j < marks.size() && marks[j].line == marks[i].line) ++j;
            std::uint32_t number = marks[i].line;
            if (previous != 0 && number == previous + 2) source_line(file, number - 1, 0);
            else if (previous != 0 && number > previous + 1) line(style(blue, "..."));
            middle_ = marks[i].begin;
            for (std::size_t k = i; k < j; ++k) {
                if (marks[k].is_primary) middle_ = marks[k].begin;
            }
            source_line(file, number, middle_);
            underlines(file, {marks.begin() + static_cast<std::ptrdiff_t>(i),
                              marks.begin() + static_cast<std::ptrdiff_t>(j)});
            previous = number;
            i = j;
        }
    }

    void source_line(const SourceFile& file, std::uint32_t number, std::size_t middle) {
        PrintedLine printed(file.line(number), options_.tab_width, middle);
        line(margin(std::to_string(number)) + style(blue, "| ") + printed.text);
    }

    // The row of ^^^^ and ----, the text of the rightmost mark next to it, and the others below,
    // each under its mark, from right to left.
    void underlines(const SourceFile& file, std::vector<Mark> marks) {
        PrintedLine printed(file.line(marks[0].line), options_.tab_width, middle_);
        auto column = [&](std::size_t byte) {
            std::size_t last = printed.columns.size() - 1;  // past the end of the line: count on
            return byte <= last ? printed.columns[byte] : printed.columns[last] + (byte - last);
        };
        std::stable_sort(marks.begin(), marks.end(),
                         [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
        std::size_t width = 0;
        for (const Mark& mark : marks) width = std::max(width, column(mark.end));
        std::string row(width, ' ');
        for (bool primary : {false, true}) {  // the primary mark is drawn over the others
            for (const Mark& mark : marks) {
                if (mark.is_primary != primary) continue;
                std::size_t from = column(mark.begin);
                std::size_t to = std::max(column(mark.end), from + 1);
                std::fill(row.begin() + static_cast<std::ptrdiff_t>(from),
                          row.begin() + static_cast<std::ptrdiff_t>(to), primary ? '^' : '-');
            }
        }
        std::size_t rightmost = marks.size() - 1;
        for (std::size_t k = 0; k < marks.size();
             ++k) {  // text may be next to it only if nothing follows
            if (column(marks[k].end) == width) rightmost = k;
        }
        std::string beside = marks[rightmost].text.empty() ? "" : " " + marks[rightmost].text;
        const char* beside_tone = marks[rightmost].is_primary ? tone_ : blue;
        line(margin("") + style(blue, "| ") + paint_row(row) + style(beside_tone, beside));
        marks.erase(marks.begin() + static_cast<std::ptrdiff_t>(rightmost));
        std::erase_if(marks, [](const Mark& mark) { return mark.text.empty(); });
        if (!marks.empty())
            line(margin("") + style(blue, "| ") + stems(marks, marks.size(), column));
        for (std::size_t k = marks.size(); k-- > 0;) {
            std::string lead = stems(marks, k, column);
            std::size_t from = column(marks[k].begin);
            lead.resize(from, ' ');
            line(margin("") + style(blue, "| ") + style(blue, lead) +
                 style(marks[k].is_primary ? tone_ : blue, marks[k].text));
        }
    }

    template <typename Column>
    static std::string stems(const std::vector<Mark>& marks, std::size_t count,
                             const Column& column) {
        std::string row;
        for (std::size_t k = 0; k < count; ++k) {
            std::size_t from = column(marks[k].begin);
            if (row.size() <= from) row.resize(from, ' '), row += '|';
        }
        return row;
    }

    std::string paint_row(const std::string& row) const {
        if (!options_.color) return row;
        std::string out;
        for (std::size_t i = 0; i < row.size();) {
            std::size_t j = row.find_first_not_of(row[i], i);
            std::string run = row.substr(i, j - i);
            out += row[i] == '^' ? style(tone_, run) : row[i] == '-' ? style(blue, run) : run;
            i = j == row.npos ? row.size() : j;
        }
        return out;
    }

    const SourceManager& sources_;
    RenderOptions options_;
    const char* tone_ = red;
    std::size_t gutter_ = 1;
    std::size_t middle_ = 0;  // of the line being painted: the byte that is shown in any case
    std::string out_;
};

}  // namespace

std::vector<Remark> all_remarks(const Diagnostic& d, const SourceManager& sources) {
    std::vector<Remark> all = d.remarks;
    const bool told = std::any_of(all.begin(), all.end(),
                                  [](const Remark& r) { return r.kind == Remark::Kind::help; });
    if (d.fix.size() != 1 || told) return all;
    const auto short_enough = [](std::string_view x) { return x.size() <= shown_columns; };
    const std::string_view old = sources.text(d.fix[0].span);
    const std::string& text = d.fix[0].text;
    if (!short_enough(old) || !short_enough(text)) return all;
    all.push_back({Remark::Kind::help, old.empty()    ? fmt::format("insert `{}`", text)
                                       : text.empty() ? fmt::format("remove `{}`", old)
                                                      : fmt::format("write `{}`", text)});
    return all;
}

std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources,
                        RenderOptions options) {
    return Painter(sources, options).paint(diagnostic);
}

namespace {

// Of as many repetitions of a message, only the lines are said.
constexpr std::size_t repeats_said_once = 2;

// Whether both say the same of two places in a file, at more length than their first lines: the
// second one would add nothing but its line.
bool says_the_same(const Diagnostic& a, const Diagnostic& b) {
    const auto same_remarks = [&] {
        return std::equal(
            a.remarks.begin(), a.remarks.end(), b.remarks.begin(), b.remarks.end(),
            [](const Remark& x, const Remark& y) { return x.kind == y.kind && x.text == y.text; });
    };
    const bool more = !a.remarks.empty() || !a.labels.empty();
    return more && is_known(a.span) && a.span.file == b.span.file && a.code == b.code &&
           a.message == b.message && a.primary_label == b.primary_label &&
           a.labels.size() == b.labels.size() && a.timeline.empty() && b.timeline.empty() &&
           same_remarks();
}

std::string lines_text(const std::vector<std::uint32_t>& lines) {
    constexpr std::size_t most = 8;
    std::string text;
    for (std::size_t i = 0; i < lines.size() && i < most; ++i) {
        const bool last = i + 1 == lines.size();
        text += fmt::format("{}{}", i == 0 ? "" : last ? " and " : ", ", lines[i]);
    }
    if (lines.size() > most) text += fmt::format(" and {} more", lines.size() - most);
    return text;
}

}  // namespace

std::string render_text(const Diagnostics& diag, const SourceManager& sources,
                        RenderOptions options) {
    std::string out;
    std::vector<const Diagnostic*> left = diag.in_order();
    while (!left.empty()) {
        Diagnostic first = *left.front();
        std::vector<const Diagnostic*> others;
        std::copy_if(left.begin() + 1, left.end(), std::back_inserter(others),
                     [&](const Diagnostic* d) { return says_the_same(first, *d); });
        left.erase(left.begin());
        if (others.size() >= repeats_said_once) {
            std::vector<std::uint32_t> lines;
            for (const Diagnostic* d : others) {
                lines.push_back(sources.begin(d->span).line);
                std::erase(left, d);
            }
            first.remarks.push_back(
                {Remark::Kind::note, fmt::format("the same in lines {}", lines_text(lines))});
        }
        if (!out.empty()) out += "\n";
        out += render_text(first, sources, options);
    }
    if (diag.suppressed_count() > 0) {
        out += fmt::format("\nand {} more errors, not shown\n", diag.suppressed_count());
    }
    return out;
}

}  // namespace tkc
