// From a file to any stage of it. Each function reports what is wrong and then gives nothing.
#pragma once

#include <optional>
#include <string>

#include "driver/options.h"
#include "frontend/diagnose.h"
#include "frontend/source.h"

namespace tkc {

// What one run of the compiler read and said.
struct Session {
    SourceManager sources;
    Diagnostics diag;
};

// Finds all errors that can be found without nvcc. Empty only where the file cannot be read.
std::optional<FileId> check_file(const std::string& path, const SourceOptions& options,
                                 Session& session);

// The text of the stage that the command asks for. The input is .tk, or the IR's text in a .tir.
std::optional<std::string> compile(const CompileCommand& command, Session& session);

// A program as CUDA C++, and the C header of its launchers.
struct Translation {
    std::string cuda;
    std::string header;
};
std::optional<Translation> translate(const std::string& path, const SourceOptions& options,
                                     Session& session);

// What `tkc explain` prints.
std::optional<std::string> explain_file(const std::string& path, const SourceOptions& options,
                                        Session& session);

// The passes in order, with what each guarantees.
std::string list_passes();

}  // namespace tkc
