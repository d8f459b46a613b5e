// `--verify`: the diagnostics of a test file against the `//~` comments in it.
#include <algorithm>
#include <charconv>

#include "base/diagnose.h"

namespace tkc {
namespace {

struct Expectation {
    std::uint32_t line;        // of the code it speaks of; 0: no place in this file
    std::uint32_t begin, end;  // columns from 1, half open
    bool is_label;
    std::string text;
    std::uint32_t written_on;
    bool met = false;
};

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool read_number(std::string_view& text, std::uint32_t& value) {
    auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return false;
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    return true;
}

// One `//~` line. `source` is the whole line, so that the place of the carets is the place in the
// code.
Expectation read_expectation(std::string_view source, std::uint32_t code_line,
                             std::uint32_t written_on) {
    std::size_t start = source.find("//~") + 3;
    std::size_t mark = source.find_first_not_of(" \t", start);
    Expectation e{0, 0, 0, false, std::string(trim(source.substr(start))), written_on};
    if (mark == source.npos) return e;
    if (source[mark] == '^' || source[mark] == '-') {
        std::size_t end = source.find_first_not_of(source[mark], mark);
        if (end == source.npos) end = source.size();
        e = {code_line,
             static_cast<std::uint32_t>(mark + 1),
             static_cast<std::uint32_t>(end + 1),
             source[mark] == '-',
             std::string(trim(source.substr(end))),
             written_on};
    } else if (source[mark] == '@') {
        std::string_view rest = source.substr(mark + 1);
        std::uint32_t begin = 0, end = 0;
        bool good = read_number(rest, begin) && rest.substr(0, 2) == "..";
        if (good) rest.remove_prefix(2);
        if (good && read_number(rest, end))
            e = {code_line, begin, end, false, std::string(trim(rest)), written_on};
    }
    return e;
}

std::vector<Expectation> read_expectations(const SourceFile& file) {
    std::vector<Expectation> all;
    std::uint32_t code_line = 0;
    for (std::uint32_t number = 1; number <= file.line_count(); ++number) {
        std::string_view line = file.line(number);
        if (trim(line).substr(0, 3) == "//~") {
            all.push_back(read_expectation(line, code_line, number));
        } else {
            code_line = number;
        }
    }
    return all;
}

// Where a span shows on its first line: a span of several lines is underlined to the end of the
// first.
Expectation shape(const SourceManager& sources, FileId file, Span span, std::string text) {
    if (span.file != file) return {0, 0, 0, false, std::move(text), 0};
    LineColumn begin = sources.begin(span);
    LineColumn end = sources.end(span);
    std::uint32_t last = end.column;
    if (end.line != begin.line)
        last = static_cast<std::uint32_t>(sources.file(file).line(begin.line).size() + 1);
    return {begin.line, begin.column, std::max(last, begin.column + 1), false, std::move(text), 0};
}

bool meets(const Expectation& expected, const Expectation& actual) {
    return !expected.met && !expected.is_label && expected.line == actual.line &&
           expected.begin == actual.begin && expected.end == actual.end &&
           expected.text == actual.text;
}

bool meets_label(const Expectation& expected, const Expectation& actual) {
    return expected.is_label && expected.line == actual.line && expected.begin == actual.begin &&
           expected.end == actual.end && expected.text == actual.text;
}

// The comment that would announce `e`.
std::string annotation(const Expectation& e) {
    if (e.line == 0) return "//~ " + e.text;
    if (e.begin < 5) return fmt::format("//~ @{}..{} {}", e.begin, e.end, e.text);
    return fmt::format("//~{}{} {}", std::string(e.begin - 4, ' '),
                       std::string(e.end - e.begin, '^'), e.text);
}

}  // namespace

bool verify_diagnostics(const Diagnostics& diag, const SourceManager& sources, FileId file,
                        std::string& report) {
    std::vector<Expectation> expected = read_expectations(sources.file(file));
    const std::string& path = sources.file(file).path;
    bool good = true;
    for (const Diagnostic& d : diag.all()) {
        std::string text =
            fmt::format("{}[{}]: {}", severity_word(d.severity), code_word(d.code), d.message);
        Expectation actual = shape(sources, file, d.span, text);
        auto found = std::find_if(expected.begin(), expected.end(),
                                  [&](auto& e) { return meets(e, actual); });
        if (found != expected.end()) {
            found->met = true;
        } else {
            good = false;
            report += fmt::format(
                "{}:{}: not expected by any comment; to expect it, write under this line\n{}\n",
                path, actual.line, annotation(actual));
        }
        for (const Label& label : d.labels) {
            Expectation part = shape(sources, file, label.span, label.text);
            for (Expectation& e : expected) e.met = e.met || meets_label(e, part);
        }
    }
    for (const Expectation& e : expected) {
        if (e.met) continue;
        good = false;
        report += fmt::format("{}:{}: expected, but not reported{}\n    {}\n", path, e.written_on,
                              e.is_label ? " (a label)" : "", e.text);
    }
    return good;
}

}  // namespace tkc
