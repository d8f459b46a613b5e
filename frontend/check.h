// From the syntax tree of a file to tile IR: names, types, constants and instances.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/ast.h"
#include "frontend/diagnose.h"
#include "ir/module.h"

namespace tkc {

// `-D NAME=VALUE`: the value of a constant of the main file's kernels, in place of its default.
struct Define {
    std::string name;
    std::string value;
};

// Padding that was shown to change nothing where it is taken in.
struct PaddingProof {
    std::string kernel;
    Span span;
    std::string what;  // `max`: what lies past the edge changes nothing
    std::string text;  // what it is there
};

struct CheckOptions {
    std::vector<Define> defines;
    std::vector<std::string>
        include_dirs;  // searched for `import name;` after the importing file's
    // The text of a module that tkc carries (`std.softmax`), if it has it.
    std::function<std::optional<std::string>(std::string_view module)> embedded;
    // The modules that tkc carries, for help with names that are not known.
    std::vector<std::string> library = {};
    // If not empty: this kernel only, for its default constants.
    std::string only_kernel = {};
    std::vector<PaddingProof>* padding = nullptr;  // takes them where somebody asks
    bool notes = false;                            // what is allowed, and may not be meant
};

// Every kernel of the file, once for its default constants and once for each of its instances, and
// the launchers. Empty where anything was wrong; then at least one error was reported.
std::optional<ir::Module> check(const ast::File& file, SourceManager& sources, Diagnostics& diag,
                                const CheckOptions& options);

}  // namespace tkc
