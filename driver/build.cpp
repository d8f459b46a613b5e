// `tkc build`: from the program to a shared library and its C header.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "driver/commands.h"
#include "driver/files.h"
#include "driver/nvcc.h"
#include "driver/outputs.h"
#include "driver/report.h"

namespace tkc {

namespace fs = std::filesystem;

namespace {

// `text` with another extension: libgemm.so, libgemm.h.
std::string beside(const std::string& path, const char* extension) {
    return fs::path(path).replace_extension(extension).string();
}

bool write_or_report(const std::string& path, const std::string& text, Session& session) {
    std::string reason = write_file(path, text);
    if (!reason.empty()) session.diag.error(Span{}, msg::cannot_write_file, path, reason);
    return reason.empty();
}

bool build(const BuildCommand& command, Session& session) {
    std::optional<Translation> code = translate(command.source.files[0], command.source, session);
    if (!code) return false;

    Nvcc nvcc;
    if (!find_nvcc(command.nvcc, nvcc, session.diag)) return false;
    ScratchFolder scratch;
    if (scratch.path().empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, "a scratch folder", scratch.reason());
        return false;
    }
    std::string runtime = runtime_folder(scratch.path(), session.diag);
    if (runtime.empty()) return false;

    // nvcc runs for half a minute: whether its result can be written is found out before.
    std::string header = beside(command.output, ".h");
    if (!write_or_report(header, code->header, session)) return false;
    std::string source =
        command.keep ? beside(command.output, ".cu")
                     : scratch.path() + "/" + fs::path(command.output).stem().string() + ".cu";
    if (!write_depfile(command.depfile, command.output, session)) return false;
    // How many blocks of kernels of warps share a multiprocessor is an estimate. ptxas knows, and
    // where it spills there are fewer.
    SourceOptions options = command.source;
    options.notes = false;  // which were told
    const Target& target = *find_target(options.target);
    std::map<std::string, std::int64_t> most_blocks;
    while (code) {
        Spills spills{code->blocks, code->general, {}};
        if (!write_or_report(source, code->cuda, session)) return false;
        // Debug builds watch their waits, which takes registers, and need not be fast.
        if (compile_library(nvcc, target, source, runtime, command.output, session.diag,
                            command.source.debug, &spills))
            return true;
        for (const KernelReport& report : spills.found) {
            const auto blocks = code->blocks.find(report.kernel);
            if (blocks != code->blocks.end()) most_blocks[report.kernel] = blocks->second - 1;
            else session.diag.error(Span{}, msg::registers_spilled, report.kernel, report.spills);
        }
        if (session.diag.has_errors() || spills.found.empty()) return false;
        code = translate(command.source.files[0], options, session, most_blocks);
    }
    return false;
}

}  // namespace

int run(const BuildCommand& command) {
    Session session;
    build(command, session);
    return finish(session, command.source.json);
}

}  // namespace tkc
