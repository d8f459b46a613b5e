// What the commands get out of a file: verdicts, texts, explanations. Each function reports what is
// wrong and then gives nothing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "compiler/compilation.h"
#include "compiler/nvcc.h"

namespace tkc {

// Finds all errors that can be found without nvcc. Empty only where the file cannot be read.
// `strict`: what is not proved is an error.
std::optional<FileId> check_file(const std::string& path, const SourceOptions& options, bool strict,
                                 Session& session);

// The text of the stage that the command asks for. The input is .tk, or the IR's text in a .tir.
std::optional<std::string> compile(const CompileCommand& command, Session& session);

// A program as CUDA C++, and the C header of its launchers.
struct Translation {
    std::string cuda;
    std::string header;
    KernelTable kernels;
};
// `blocks_at_most`: see Compilation::limit_blocks.
std::optional<Translation> translate(const std::string& path, const SourceOptions& options,
                                     const std::map<std::string, std::int64_t>& blocks_at_most,
                                     Session& session);

// What `tkc explain` prints.
std::optional<std::string> explain_file(const std::string& path, const SourceOptions& options,
                                        const Extents& extents, Session& session);

// The syntax tree of a .tk file.
std::optional<ast::File> parse_file(const std::string& path, Session& session);

// What tests run: kernels as tile IR, with the conditions that their launchers check, and what they
// are lowered to.
struct Stages {
    ir::Module tile;
    ir::Module scheduled;
};
struct Wanted {
    std::string kernel = {};  // or entry, or function; empty: all, with their instances
    // Of a kernel: its instances, too. Else it is compiled for its default constants.
    bool every_instance = false;
};
// `proofs`: refuse what `tkc check` refuses.
std::optional<Stages> compile_stages(const ast::File& tree, const SourceOptions& options,
                                     const Wanted& wanted, bool proofs, Session& session);

// A lowered module as CUDA C++.
// `names`, if given, gets the instances of templates, by the functions that kernels would be alone.
std::string cuda_text(const ir::Module& module, const Session& session,
                      std::map<std::string, std::string>* names = nullptr);

// The passes in order, with what each guarantees.
std::string list_passes();

}  // namespace tkc
