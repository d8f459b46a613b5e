// The commands that need no nvcc.
#include "driver/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/embedded.h"
#include "compiler/files.h"
#include "compiler/outputs.h"
#include "driver/fix.h"
#include "driver/gpu_protocol.h"
#include "driver/report.h"
#include "driver/sarif.h"

namespace tkc {

namespace {

int complain(const std::string& text) {
    fmt::print(stderr, "tkc: {}\n", text);
    return exit_usage;
}

// Prints to standard output; the code says whether it got there.
int print(const std::string& text) {
    const std::string reason = write_file("-", text);
    if (!reason.empty()) return complain(fmt::format("cannot write standard output: {}", reason));
    return exit_good;
}

// Puts in what can be fixed, and leaves in the last of `sessions` what remains. A fix shows what it
// hid, so this goes on until there is none.
std::optional<FileId> fix_file(const std::string& path, const CheckCommand& command,
                               std::deque<Session>& sessions) {
    constexpr int rounds = 10;
    FixedText fixed;
    std::string before;
    int edits = 0;
    std::optional<FileId> file;
    for (int round = 0;; ++round) {
        Session& session = sessions.back();
        // A file that is known by its path is not read again.
        if (edits > 0) session.sources.add(path, fixed.text);
        file = check_file(path, command.source, command.strict, session);
        if (!file || round == rounds) break;
        FixedText next = apply_fixes(session.diag, session.sources, *file);
        if (next.edits == 0) break;
        if (edits == 0) before = session.sources.file(*file).text;
        fixed = std::move(next);
        edits += fixed.edits;
        sessions.pop_back();
        sessions.emplace_back();
    }
    if (edits == 0) return file;
    const std::string reason = replace_text(path, before, fixed.text);
    if (!reason.empty()) {
        sessions.back().diag.error(Span{}, msg::cannot_write_file, path, reason);
    } else {
        fmt::print(stderr, "{}: {} made\n", path,
                   edits == 1 ? "1 edit" : fmt::format("{} edits", edits));
    }
    return file;
}

}  // namespace

int run(const CompileCommand& command) {
    const std::string& path = command.source.files[0];
    if (is_same_file(path, command.output))
        return complain(fmt::format("`-o {}` would overwrite the program", command.output));
    if (is_same_file(path, command.depfile))
        return complain(fmt::format("`--depfile {}` would overwrite the program", command.depfile));
    Session session;
    std::optional<std::string> text = compile(command, session);
    if (!text) return finish(session, command.source.json);
    if (!write_depfile(command.depfile, command.output, session))
        return finish(session, command.source.json);
    return finish_with(session, command.output, *text, command.source.json);
}

int run(const CheckCommand& command) {
    int code = exit_good;
    std::deque<Session> sessions;  // a file's messages do not depend on which others were named
    for (const std::string& path : command.source.files) {
        if (!command.sarif) sessions.clear();
        Session& session = sessions.emplace_back();
        std::optional<FileId> file =
            command.fix ? fix_file(path, command, sessions)
                        : check_file(path, command.source, command.strict, session);
        if (command.sarif) {
            code = std::max(code, exit_code_of(sessions.back()));
        } else if (file && command.verify) {
            std::string report;
            if (!verify_diagnostics(session.diag, session.sources, *file, report)) {
                fmt::print(stderr, "{}", report);
                code = std::max(code, exit_program);
            }
        } else {
            code = std::max(code, finish(sessions.back(), command.source.json));
        }
    }
    if (!command.sarif) return code;
    std::vector<const Session*> all;
    for (const Session& session : sessions) all.push_back(&session);
    if (code == exit_internal) print_bug_report_hint("a check of the IR failed");
    return std::max(code, print(render_sarif(all)));
}

int run(const ExplainCommand& command) {
    int code = exit_good;
    for (const std::string& path : command.source.files) {
        Session session;
        std::optional<std::string> text =
            explain_file(path, command.source, command.extents, session);
        code = std::max(code, text ? finish_with(session, "-", *text, command.source.json)
                                   : finish(session, command.source.json));
    }
    return code;
}

int run(const RuntimeCommand& command) {
    Session session;
    std::string reason = write_runtime(command.folder);
    if (!reason.empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, command.folder, reason);
    }
    return finish(session);
}

int run(const MessageCommand& command) {
    Session session;
    const CatalogueRow* row = find_message(command.message);
    if (row == nullptr) {
        session.diag.error(Span{}, msg::unknown_message, command.message);
        return finish(session);
    }
    return finish_with(session, "-", explain(*row, find_page(row->code).value_or("")), false);
}

int run(const ListPassesCommand&) {
    Session session;
    return finish_with(session, "-", list_passes(), false);
}

int run(const GpuWorkerCommand&) { return gpu::serve(); }

}  // namespace tkc
