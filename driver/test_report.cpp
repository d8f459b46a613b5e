// Lines, the summary and XML of `tkc test`.
#include "driver/test_report.h"

#include <fmt/format.h>

#include <string_view>

namespace tkc {

namespace {

std::string styled(const char* code, std::string_view text, bool color) {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string duration(double milliseconds) {
    if (milliseconds < 9.95) return fmt::format("{:.1f} ms", milliseconds);
    if (milliseconds < 9950) return fmt::format("{:.0f} ms", milliseconds);
    return fmt::format("{:.1f} s", milliseconds / 1000);
}

// Text for XML 1.0, which has no control characters.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&': out += "&amp;"; break;
            case '<': out += "&lt;"; break;
            case '>': out += "&gt;"; break;
            case '"': out += "&quot;"; break;
            case '\n':
            case '\t': out += c; break;
            default: out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
        }
    }
    return out;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string junit_case(const TestLine& line) {
    std::string out = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.4f}\">\n",
                                  escaped(line.file), escaped(line.name), line.milliseconds / 1000);
    if (line.status == TestLine::Status::failed) {
        out += fmt::format("      <failure message=\"{}\">{}</failure>\n",
                           escaped(first_line(line.messages)), escaped(line.messages));
    } else if (line.status != TestLine::Status::passed) {
        out += fmt::format("      <skipped message=\"{}\"/>\n", escaped(line.reason));
    }
    if (!line.printed.empty()) {
        out += fmt::format("      <system-out>{}</system-out>\n",
                           escaped(fmt::format("{}", fmt::join(line.printed, "\n"))));
    }
    return out + "    </testcase>\n";
}

}  // namespace

void TestCounts::add(const TestLine& line) {
    switch (line.status) {
        case TestLine::Status::passed: ++passed; return;
        case TestLine::Status::failed: ++failed; return;
        case TestLine::Status::refused:
        case TestLine::Status::skipped: ++skipped; return;
    }
}

TestLine RepeatedMessages::shortened(TestLine line) {
    const std::string& text = line.messages;
    const std::size_t end = text.find('\n');
    if (line.test.empty() || end == std::string::npos || end + 1 == text.size()) return line;
    std::string key = text;
    for (std::size_t at = key.find(line.test); at != std::string::npos; at = key.find(line.test))
        key.erase(at, line.test.size());
    const auto [first, is_new] = first_.emplace(std::move(key), line.test);
    if (is_new) return line;
    line.messages.erase(end + 1);
    line.messages += fmt::format("  = note: otherwise as for {}\n", first->second);
    return line;
}

std::string render_line(const TestLine& line, bool color) {
    std::string out;
    switch (line.status) {
        case TestLine::Status::passed:
            out = fmt::format("{} {}  {}\n", styled("32", "pass", color), line.name,
                              duration(line.milliseconds));
            break;
        case TestLine::Status::failed:
            out = fmt::format("{} {}  {}\n", styled("1;31", "FAIL", color), line.name,
                              duration(line.milliseconds));
            break;
        case TestLine::Status::refused:
        case TestLine::Status::skipped:
            out = fmt::format("{} {}  {}\n", styled("33", "skip", color), line.name, line.reason);
            break;
    }
    for (const std::string& text : line.printed) out += "     | " + text + "\n";
    return out + line.messages;
}

std::string render_summary(const TestCounts& counts, double seconds, bool color) {
    std::string out =
        styled("32", fmt::format("{} passed", counts.passed), color && !counts.failed);
    if (counts.failed > 0) {
        out += ", " + styled("1;31", fmt::format("{} failed", counts.failed), color);
    }
    if (counts.skipped > 0) out += fmt::format(", {} skipped", counts.skipped);
    return out + fmt::format("  ({:.1f} s)\n", seconds);
}

std::string render_junit(const std::vector<TestLine>& lines) {
    std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
    for (std::size_t i = 0; i < lines.size();) {
        std::size_t end = i;
        TestCounts counts;
        double milliseconds = 0;
        std::string cases;
        for (; end < lines.size() && lines[end].file == lines[i].file; ++end) {
            counts.add(lines[end]);
            milliseconds += lines[end].milliseconds;
            cases += junit_case(lines[end]);
        }
        out += fmt::format(
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" "
            "time=\"{:.4f}\">\n{}  </testsuite>\n",
            escaped(lines[i].file), end - i, counts.failed, counts.skipped, milliseconds / 1000,
            cases);
        i = end;
    }
    return out + "</testsuites>\n";
}

}  // namespace tkc
