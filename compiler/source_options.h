// What is asked of the compilation of a file.
#pragma once

#include <string>
#include <vector>

#include "frontend/check/check.h"
#include "target/target.h"

namespace tkc {

// What `tkc FILE` writes, in the order in which it comes to be.
enum class Emit { ast, roles, ir, lowered, cuda, header, contract };

// What several commands share.
struct SourceOptions {
    std::vector<std::string> files;
    std::vector<Define> defines;
    std::vector<std::string> include_dirs;
    std::string target{default_target().name};
    bool debug = false;  // `print` and `assert` stay in what is emitted
    bool json = false;   // messages, as one object a line on standard output
    bool notes = true;   // performance notes are reported
};

// How the passes are run and watched; `tkc FILE` only.
struct PassPrintOptions {
    std::vector<std::string> only;
    std::vector<std::string> print_before;
    std::vector<std::string> print_after;
    bool print_after_all = false;
    bool time_passes = false;
    bool reread = false;  // after each pass, go on with what the text of the IR says
};

// `tkc FILE`.
struct CompileCommand {
    SourceOptions source;
    Emit emit = Emit::cuda;
    std::string output;   // `-`: standard output
    std::string depfile;  // what make and ninja read: which files the output is made from
    PassPrintOptions watch;
};

}  // namespace tkc
