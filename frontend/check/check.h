// From the syntax tree of a file to tile IR: names, types, constants and instances.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/derived_text.h"
#include "base/diagnose.h"
#include "frontend/check/numbers_of_extents.h"
#include "frontend/check/open_candidates.h"
#include "frontend/check/padding_sites.h"
#include "frontend/parse/ast.h"
#include "ir/module.h"
#include "target/target.h"

namespace tkc {

// `-D NAME=VALUE`: the value of a constant of the main file's kernels, in place of its default.
struct Define {
    std::string name;
    std::string value;
};

// Imported files that were read, as their texts are: a program is checked more than once while
// roles are derived for its kernels.
using ReadFiles = std::map<FileId, std::shared_ptr<const ast::File>>;

struct CheckOptions {
    std::vector<Define> defines;
    std::vector<std::string>
        include_dirs;  // searched for `import name;` after the importing file's
    // The text of a module that tkc carries (`std.softmax`), if it has it.
    std::function<std::optional<std::string>(std::string_view module)> embedded;
    // The modules that tkc carries, for help with names that are not known.
    std::vector<std::string> library = {};
    // If not empty: this kernel, entry or function only. A kernel is checked for its default
    // constants, and in addition the instances that give it another schedule.
    std::string only_kernel = {};
    // With `only_kernel`: all instances of the kernel, as in the whole file.
    bool every_instance = false;
    const Target* target = &default_target();
    bool notes = false;  // what is allowed, and may not be meant
    // Imported files whose kernels got roles: these texts are read in place of the files'.
    std::map<FileId, DerivedText> derived = {};
    std::shared_ptr<ReadFiles> read = {};  // by all checks of one program; null: none are kept
};

// A kernel by its file and its name.
using KernelPlace = std::pair<FileId, std::string>;

// Every kernel of the file, once for its default constants and once for each of its instances, the
// launchers and the entries.
struct CheckedFile {
    ir::Module module;                                         // without the kernels that are wrong
    std::map<std::string, checker::PaddingSites> padding;      // by kernel: what is left to settle
    std::map<std::string, checker::NumbersOfExtents> extents;  // by kernel with a schedule
    std::vector<OpenCandidates> open_candidates;               // whether they compute the same
    bool good = false;  // nothing was wrong; else at least one error was reported
    // Kernels of other files that ask for roles, and the sources of those in the module.
    std::map<KernelPlace, std::set<std::string>> asking_elsewhere = {};
};
CheckedFile check(const ast::File& file, SourceManager& sources, Diagnostics& diag,
                  const CheckOptions& options);

}  // namespace tkc
