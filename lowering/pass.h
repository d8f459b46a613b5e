// What a pass is, and the one function that runs a list of them.
#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnose.h"
#include "ir/module.h"

namespace tkc::lowering {

// What a pass is given besides the module.
struct PassContext {
    Diagnostics& diag;
    bool debug = false;  // `print` and `assert` stay
    int errors_before = diag.error_count();

    // Whether the pass has reported one: modules compiled before may have had theirs.
    bool has_errors() const { return diag.error_count() != errors_before; }
};

// One step from tile IR to scheduled IR. A pass may rely on what those before it guarantee.
struct Pass {
    const char* name;        // kebab-case; for --only, --print-after, timing
    const char* guarantees;  // one line: what holds from here on
    void (*run)(PassContext&, ir::Module&);
};

struct PassOptions {
    std::vector<std::string> only{};          // run these alone; empty: all
    std::vector<std::string> print_before{};  // names of passes
    std::vector<std::string> print_after{};
    bool print_after_all = false;
    bool time = false;
    bool reread = false;          // what a pass leaves is printed and read back, before the next
    bool debug = false;           // `print` and `assert` stay
    bool verify = true;           // the verifier, before the first pass and after each
    std::ostream* out = nullptr;  // where prints and times go; null: standard error
};

// Runs the passes in order and stops after the first that reports an error or breaks the IR (a
// TK9xxx of the pass). True if none did.
bool run_passes(std::span<const Pass> passes, ir::Module& module, Diagnostics& diag,
                const PassOptions& options = {});

// The first name in the options that is not a pass; empty if all are known.
std::string_view unknown_pass(std::span<const Pass> passes, const PassOptions& options);

// One line a pass, with what it guarantees: for `tkc --list-passes` and the documentation.
std::string list_passes(std::span<const Pass> passes);

}  // namespace tkc::lowering
