// `tkc build`: from the program to a shared library and its C header.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/read_text.h"
#include "compiler/files.h"
#include "compiler/nvcc.h"
#include "compiler/outputs.h"
#include "driver/commands.h"
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

// What `tkc build` writes.
struct Outputs {
    std::string library;
    std::string header;
    std::string source;   // the CUDA; empty: it is not kept
    std::string depfile;  // empty: none

    std::vector<std::string> paths() const {
        std::vector<std::string> all{library, header};
        if (!source.empty()) all.push_back(source);
        if (!depfile.empty()) all.push_back(depfile);
        return all;
    }
};

Outputs outputs_of(const BuildCommand& command) {
    return {command.output, beside(command.output, ".h"),
            command.keep ? beside(command.output, ".cu") : "", command.depfile};
}

// A header of C that tkc wrote says so in its first line; somebody else's is not replaced.
bool is_foreign_header(const std::string& path) {
    std::string reason;
    const std::optional<std::string> text = read_text(path, reason);
    return text && text->substr(0, text->find('\n')).find("made by tkc") == std::string::npos;
}

// Why an output cannot be written without a loss; empty: it can.
std::string loss_of(const Outputs& outputs, const std::vector<std::string>& sources) {
    const std::vector<std::string> paths = outputs.paths();
    for (std::size_t i = 0; i < paths.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            if (is_same_file(paths[i], paths[j]))
                return fmt::format("`{}` would overwrite `{}`", paths[i], paths[j]);
        }
        for (const std::string& source : sources) {
            if (is_same_file(paths[i], source))
                return fmt::format("`{}` would overwrite the program", paths[i]);
        }
    }
    std::error_code error;
    if (fs::exists(outputs.library, error) && !fs::is_regular_file(outputs.library, error))
        return fmt::format("`{}` is not a regular file", outputs.library);
    if (is_foreign_header(outputs.header))
        return fmt::format(
            "its header would overwrite `{}`, which tkc did not write; choose another name for the "
            "library",
            outputs.header);
    return "";
}

// The program with fewer blocks a multiprocessor for kernels that ptxas spilled: of the same texts,
// which are not read again. What there is to say about the program was said the first time.
std::optional<Translation> translate_again(const BuildCommand& command,
                                           const std::map<std::string, std::int64_t>& limits,
                                           const Session& session) {
    Session silent;
    silent.sources = session.sources;
    SourceOptions options = command.source;
    options.notes = false;
    return translate(options.files[0], options, limits, silent);
}

bool build(const BuildCommand& command, Session& session) {
    std::map<std::string, std::int64_t> limits;
    std::optional<Translation> code =
        translate(command.source.files[0], command.source, limits, session);
    if (!code) return false;
    const Outputs outputs = outputs_of(command);
    const std::string loss = loss_of(outputs, session.sources.paths_on_disk());
    if (!loss.empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, outputs.library, loss);
        return false;
    }

    Nvcc nvcc;
    if (!find_nvcc(command.nvcc, nvcc, session.diag)) return false;
    ScratchFolder scratch;
    if (scratch.path().empty()) {
        session.diag.error(Span{}, msg::cannot_write_file, "a temporary folder", scratch.reason());
        return false;
    }
    std::string runtime = runtime_folder(scratch.path(), session.diag);
    if (runtime.empty()) return false;

    // nvcc runs for half a minute: whether its result can be written is found out before.
    if (!write_or_report(outputs.header, code->header, session)) return false;
    if (!write_depfile(outputs.depfile, outputs.library, session)) return false;
    const std::string source =
        outputs.source.empty()
            ? scratch.path() + "/" + fs::path(outputs.library).stem().string() + ".cu"
            : outputs.source;
    std::vector<std::string> folders =
        header_folders(command.source.files, command.source.include_dirs);
    folders.insert(folders.begin(), runtime);
    // Each round leaves a kernel that spills fewer blocks, so this ends.
    while (code) {
        if (!write_or_report(source, code->cuda, session)) return false;
        // Debug builds watch their waits, which takes registers, and need not be fast.
        const KernelTable* const table = command.source.debug ? nullptr : &code->kernels;
        const Built built = compile_library(nvcc, *find_target(command.source.target), source,
                                            folders, outputs.library, session, table);
        if (built.crowded.empty() || session.diag.has_errors()) return built.good;
        for (const auto& [kernel, blocks] : built.crowded) limits[kernel] = blocks;
        code = translate_again(command, limits, session);
    }
    session.diag.error(Span{}, msg::internal_error,
                       "a kernel with fewer blocks per multiprocessor does not compile");
    return false;
}

}  // namespace

int run(const BuildCommand& command) {
    Session session;
    build(command, session);
    return finish(session, command.source.json);
}

}  // namespace tkc
