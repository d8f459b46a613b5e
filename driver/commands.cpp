// The commands that need no nvcc.
#include "driver/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "driver/compile.h"
#include "driver/embedded.h"
#include "driver/gpu_protocol.h"
#include "driver/report.h"

namespace tkc {

namespace {

// Whether two paths name the same file that exists.
bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return std::filesystem::equivalent(a, b, error) && !error;
}

int complain(const std::string& text) {
    fmt::print(stderr, "tkc: {}\n", text);
    return exit_usage;
}

}  // namespace

int run(const CompileCommand& command) {
    const std::string& path = command.source.files[0];
    if (is_same_file(path, command.output)) {
        return complain(fmt::format("`-o {}` would overwrite the program", command.output));
    }
    Session session;
    std::optional<std::string> text = compile(command, session);
    if (!text) return finish(session, command.source.json);
    return finish_with(session, command.output, *text, command.source.json);
}

int run(const CheckCommand& command) {
    int code = exit_good;
    for (const std::string& path : command.source.files) {
        // A file's messages do not depend on which others were named.
        Session session;
        std::optional<FileId> file = check_file(path, command.source, command.strict, session);
        if (file && command.verify) {
            std::string report;
            if (!verify_diagnostics(session.diag, session.sources, *file, report)) {
                fmt::print(stderr, "{}", report);
                code = std::max(code, exit_program);
            }
        } else {
            code = std::max(code, finish(session, command.source.json));
        }
    }
    return code;
}

int run(const ExplainCommand& command) {
    int code = exit_good;
    for (const std::string& path : command.source.files) {
        Session session;
        std::optional<std::string> text = explain_file(path, command.source, session);
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
