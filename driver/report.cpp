// Printing diagnostics, and the exit code that follows from them.
#include "driver/report.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "compiler/exit_codes.h"
#include "compiler/files.h"
#include "driver/diagnostics_json.h"

namespace tkc {

namespace {

// Whether a message is about the call, files or the toolkit, and not about the program.
bool is_about_usage(const Diagnostic& diagnostic) {
    constexpr int codes[] = {
        msg::cannot_read_file.code, msg::cannot_write_file.code, msg::nvcc_not_found.code,
        msg::nvcc_too_old.code,     msg::unknown_pass.code,      msg::unknown_message.code,
    };
    return std::find(std::begin(codes), std::end(codes), diagnostic.code) != std::end(codes);
}

// `gemm.cu: gemm.tk lib.tk`, with spaces and other characters that make interprets escaped.
std::string depfile_text(const std::string& output, const SourceManager& sources) {
    const auto escaped = [](const std::string& path) {
        std::string text;
        for (const char c : path) {
            if (c == ' ' || c == '#') text += '\\';
            text += c == '$' ? "$$" : std::string(1, c);
        }
        return text;
    };
    std::string rule = escaped(output) + ":";
    for (const std::string& path : sources.paths_on_disk()) rule += " " + escaped(path);
    return rule + "\n";
}

}  // namespace

bool write_depfile(const std::string& path, const std::string& output, Session& session) {
    if (path.empty()) return true;
    const std::string reason = write_file(path, depfile_text(output, session.sources));
    if (!reason.empty()) session.diag.error(Span{}, msg::cannot_write_file, path, reason);
    return reason.empty();
}

// Colors help on a terminal and disturb elsewhere; https://no-color.org.
bool want_color(int descriptor) {
    const char* never = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe): one thread
    const char* terminal = std::getenv("TERM");   // NOLINT(concurrency-mt-unsafe)
    return ::isatty(descriptor) != 0 && (never == nullptr || *never == '\0') &&
           terminal != nullptr && std::string_view(terminal) != "dumb";
}

int finish(const Session& session, bool json) {
    if (json) {
        fmt::print("{}", render_json(session.diag, session.sources));
    } else {
        fmt::print(
            stderr, "{}",
            render_text(session.diag, session.sources, {.color = want_color(STDERR_FILENO)}));
    }
    // Output that got lost must not look like success to a script.
    bool lost = std::fflush(stdout) != 0;
    const int code = exit_code_of(session);
    if (code == exit_internal) print_bug_report_hint("a check of the IR failed");
    return lost ? std::max(code, exit_usage) : code;
}

int exit_code_of(const Session& session) {
    const auto& all = session.diag.all();
    const auto is_internal = [](const Diagnostic& d) { return d.code == msg::internal_error.code; };
    if (std::any_of(all.begin(), all.end(), is_internal)) return exit_internal;
    if (std::any_of(all.begin(), all.end(), is_about_usage)) return exit_usage;
    return session.diag.has_errors() ? exit_program : exit_good;
}

int finish_with(Session& session, const std::string& path, const std::string& text, bool json) {
    std::string reason = write_file(path, text);
    if (!reason.empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, path == "-" ? "standard output" : path,
                           reason);
    }
    return finish(session, json);
}

}  // namespace tkc
