// `tkc build`: from the program to a shared library and its C header.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

// The program with fewer blocks a multiprocessor for kernels that ptxas spilled. What there is to
// say about the program was said the first time.
std::optional<Translation> translate_again(const BuildCommand& command,
                                           const std::map<std::string, std::int64_t>& limits) {
    Session silent;
    SourceOptions options = command.source;
    options.notes = false;
    return translate(options.files[0], options, limits, silent);
}

bool build(const BuildCommand& command, Session& session) {
    std::map<std::string, std::int64_t> limits;
    std::optional<Translation> code =
        translate(command.source.files[0], command.source, limits, session);
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
    const std::string source =
        command.keep ? beside(command.output, ".cu")
                     : scratch.path() + "/" + fs::path(command.output).stem().string() + ".cu";
    if (!write_depfile(command.depfile, command.output, session)) return false;
    std::vector<std::string> folders =
        header_folders(command.source.files, command.source.include_dirs);
    folders.insert(folders.begin(), runtime);
    // Each round leaves a kernel that spills fewer blocks, so this ends.
    while (code) {
        if (!write_or_report(source, code->cuda, session)) return false;
        // Debug builds watch their waits, which takes registers, and need not be fast.
        const KernelTable* const table = command.source.debug ? nullptr : &code->kernels;
        const Built built = compile_library(nvcc, *find_target(command.source.target), source,
                                            folders, command.output, session, table);
        if (built.crowded.empty() || session.diag.has_errors()) return built.good;
        for (const auto& [kernel, blocks] : built.crowded) limits[kernel] = blocks - 1;
        code = translate_again(command, limits);
    }
    session.diag.error(Span{}, msg::cannot_read_file, command.source.files[0],
                       "it changed while it was compiled");
    return false;
}

}  // namespace

int run(const BuildCommand& command) {
    Session session;
    build(command, session);
    return finish(session, command.source.json);
}

}  // namespace tkc
