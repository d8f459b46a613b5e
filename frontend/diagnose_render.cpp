// Diagnostics as text with frames of source lines (as rustc draws them), and as JSON.
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
#include <map>
#include <nlohmann/json.hpp>

#include "frontend/diagnose.h"

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

// A source line as it is printed: tabs expanded, unprintable bytes as `?`, and for every byte
// offset its printed column. A character counts as one column (wide ones are rare in code).
struct PrintedLine {
    std::string text;
    std::vector<std::size_t> columns;  // one more than bytes

    PrintedLine(std::string_view source, int tab_width) {
        std::size_t column = 0;
        for (std::size_t i = 0; i < source.size();) {
            std::size_t length = character_length(source, i);
            auto byte = static_cast<unsigned char>(source[i]);
            std::size_t width = byte == '\t' ? static_cast<std::size_t>(tab_width) : 1;
            for (std::size_t k = 0; k < length; ++k) columns.push_back(column);
            if (byte == '\t') text.append(width, ' ');
            else if (length == 1 && (byte < 0x20 || byte >= 0x7f)) text += '?';
            else text += source.substr(i, length);
            column += width;
            i += length;
        }
        columns.push_back(column);
    }
};

// One underline on one line. A span of several lines is two: its first line, and its last.
struct Mark {
    std::uint32_t line;
    std::size_t begin, end;  // byte columns from 0
    bool is_primary;
    std::string text;
};

// What a fix does, where no help says it already.
std::vector<Remark> all_remarks(const Diagnostic& d, const SourceManager& sources) {
    std::vector<Remark> all = d.remarks;
    const bool told = std::any_of(all.begin(), all.end(),
                                  [](const Remark& r) { return r.kind == Remark::Kind::Help; });
    if (d.fix.size() != 1 || told) return all;
    const std::string_view old = sources.text(d.fix[0].span);
    const std::string& text = d.fix[0].text;
    all.push_back({Remark::Kind::Help, old.empty()    ? fmt::format("insert `{}`", text)
                                       : text.empty() ? fmt::format("remove `{}`", old)
                                                      : fmt::format("write `{}`", text)});
    return all;
}

class Painter {
public:
    Painter(const SourceManager& sources, RenderOptions options)
        : sources_(sources), options_(options) {}

    std::string paint(const Diagnostic& d) {
        const char* tone = d.severity == Severity::Error     ? red
                           : d.severity == Severity::Warning ? yellow
                                                             : green;
        line(style(tone, fmt::format("{}[{}]", severity_word(d.severity), code_word(d.code))) +
             style(bold, ": " + d.message));
        tone_ = tone;
        if (is_known(d.span)) frames(d);
        timeline(d);
        for (const Remark& remark : all_remarks(d, sources_)) {
            std::string_view word = remark.kind == Remark::Kind::Help ? "help" : "note";
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
            if (previous != 0 && number == previous + 2) source_line(file, number - 1);
            else if (previous != 0 && number > previous + 1) line(style(blue, "..."));
            source_line(file, number);
            underlines(file, {marks.begin() + static_cast<std::ptrdiff_t>(i),
                              marks.begin() + static_cast<std::ptrdiff_t>(j)});
            previous = number;
            i = j;
        }
    }

    void source_line(const SourceFile& file, std::uint32_t number) {
        PrintedLine printed(file.line(number), options_.tab_width);
        line(margin(std::to_string(number)) + style(blue, "| ") + printed.text);
    }

    // The row of ^^^^ and ----, the text of the rightmost mark beside it, and the others below,
    // each under its mark, from right to left.
    void underlines(const SourceFile& file, std::vector<Mark> marks) {
        PrintedLine printed(file.line(marks[0].line), options_.tab_width);
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
             ++k) {  // text may stand beside it only if nothing follows
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
    std::string out_;
};

nlohmann::ordered_json json_span(const SourceManager& sources, Span span) {
    if (!is_known(span)) return nullptr;
    LineColumn begin = sources.begin(span);
    LineColumn end = sources.end(span);
    return {{"file", sources.file(span.file).path},
            {"line", begin.line},
            {"column", begin.column},
            {"end_line", end.line},
            {"end_column", end.column}};
}

}  // namespace

std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources,
                        RenderOptions options) {
    return Painter(sources, options).paint(diagnostic);
}

std::string render_text(const Diagnostics& diag, const SourceManager& sources,
                        RenderOptions options) {
    std::string out;
    for (const Diagnostic* d : diag.in_order()) {
        if (!out.empty()) out += "\n";
        out += render_text(*d, sources, options);
    }
    if (diag.suppressed_count() > 0) {
        out += fmt::format("\nand {} more errors, not shown\n", diag.suppressed_count());
    }
    return out;
}

std::string render_json(const Diagnostics& diag, const SourceManager& sources) {
    std::string out;
    for (const Diagnostic* each : diag.in_order()) {
        const Diagnostic& d = *each;
        nlohmann::ordered_json object{{"severity", severity_word(d.severity)},
                                      {"code", code_word(d.code)},
                                      {"name", d.name},
                                      {"message", d.message},
                                      {"span", json_span(sources, d.span)},
                                      {"label", d.primary_label}};
        object["labels"] = nlohmann::ordered_json::array();
        for (const Label& label : d.labels) {
            object["labels"].push_back(
                {{"span", json_span(sources, label.span)}, {"text", label.text}});
        }
        object["remarks"] = nlohmann::ordered_json::array();
        for (const Remark& remark : all_remarks(d, sources)) {
            std::string_view kind = remark.kind == Remark::Kind::Help ? "help" : "note";
            object["remarks"].push_back({{"kind", kind}, {"text", remark.text}});
        }
        if (!d.timeline.empty()) object["timeline"] = nlohmann::ordered_json::array();
        for (const Moment& m : d.timeline) {
            object["timeline"].push_back(
                {{"span", json_span(sources, m.span)}, {"role", m.who}, {"text", m.text}});
        }
        object["fixes"] = nlohmann::ordered_json::array();
        for (const Edit& edit : d.fix) {
            object["fixes"].push_back(
                {{"span", json_span(sources, edit.span)}, {"replacement", edit.text}});
        }
        // Source text may hold bytes that are no UTF-8; they are replaced, never thrown at.
        out += object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    }
    return out;
}

}  // namespace tkc
