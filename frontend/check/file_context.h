// What all of the checker shares: the files at hand, where messages go, and what is not done yet.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "frontend/check/check.h"
#include "frontend/check/values.h"

namespace tkc::checker {

enum class NotYet : std::uint8_t {
#define TK_NOT_YET(id, text) id,
#include "frontend/check/unsupported.def"
#undef TK_NOT_YET
};

// One source file: its declarations by name, and the files it imports by the name used for them.
struct Unit {
    const ast::File* file = nullptr;
    std::shared_ptr<const ast::File> owned;  // of an imported file
    std::string name;                        // of an imported file: no other one is called so
    std::map<std::string, const ast::Decl*, std::less<>> decls;
    std::map<std::string, const Unit*, std::less<>> modules;
};

// A kernel as tile IR, whose padding is not settled yet.
struct CheckedKernel {
    ir::Kernel kernel;
    PaddingSites padding;
    NumbersOfExtents extents = {};
};
// Keeps what is not of the IR for the file and hands the kernel on.
ir::Kernel kept(CheckedFile& file, CheckedKernel made);

struct FileContext {
    SourceManager& sources;
    Diagnostics& diag;
    const CheckOptions& options;
    std::map<FileId, std::unique_ptr<Unit>> imported;  // null while being read, and if that failed
    std::vector<FileId> importing;                     // the chain that is being read
    std::set<const void*> used;                        // functions and structs that a kernel needs
    std::set<std::pair<FileId, std::uint32_t>> noted;  // where a note is already
    bool stopped = false;  // something is not done yet: nothing more is said about this file
    int errors_before = diag.error_count();  // of what was compiled before

    template <std::size_t holes, typename... Args>
    DiagnosticBuilder error(Span span, const Message<holes, Severity::error>& m,
                            const Args&... args) {
        if (stopped) return DiagnosticBuilder(nullptr);
        return diag.error(span, m, args...);
    }
    template <std::size_t holes, typename... Args>
    DiagnosticBuilder warning(Span span, const Message<holes, Severity::warning>& m,
                              const Args&... args) {
        if (stopped) return DiagnosticBuilder(nullptr);
        return diag.warning(span, m, args...);
    }
    void not_yet(Span span, NotYet what, const std::string& help = "");
    bool failed() const { return stopped || diag.error_count() != errors_before; }
};

// The first construct of the file's kernels and entries that cannot be lowered yet and shows in its
// syntax alone. Found before names are looked at, so that such a file gives one message.
bool report_not_yet(FileContext& file_context, const ast::File& file);
// Of one declaration: what an entry calls in another file.
bool report_not_yet(FileContext& file_context, const ast::Decl& decl);

// "a kernel", "an entry", ..
std::string_view kind_of(const ast::Decl& decl);
const ast::Name& declared_name(const ast::Decl& decl);

// Fills `unit.decls` and `unit.modules`, reading imported files.
void collect_declarations(FileContext& file_context, Unit& unit);
void read_imports(FileContext& file_context, Unit& unit);
// `visible`, `masks.causal`: a function of the file, or of one that it imports. It says itself by
// which name all files know it: no other function has it.
std::optional<FunctionName> find_function_name(const Unit& unit, std::string_view text);
// .. by the name that all files know it by.
std::optional<FunctionName> find_known_function(const FileContext& file_context, const Unit& unit,
                                                std::string_view text);
// What to write where `name` is not known and a module has it, or is called so. Empty: none does.
enum class Wanted : std::uint8_t { name, function, type, module };
std::string import_help(FileContext& file_context, const Unit& unit, const std::string& name,
                        Wanted wanted);

// References and tests: that what they name exists.
void check_references(FileContext& file_context, const Unit& unit);
// Whether the file has a test of one of its functions: then it has a use without a kernel.
bool tests_functions(const Unit& unit);

// Of `known`, the name that `name` was probably meant to be; empty where none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& known);
// Says so, with `prefix` before the name; false where none is near. What is at `span` is
// replaced by `--fix` where there is one answer only.
bool suggest(DiagnosticBuilder& message, Span span, std::string_view name,
             const std::vector<std::string>& known, std::string_view prefix = "");
// The function of a module that `wanted` was probably meant to be, or the heads of all that it has.
void suggest_function_of(const FileContext& file_context, DiagnosticBuilder& message,
                         const Unit& module, const std::string& module_name,
                         const ast::Name& wanted);

}  // namespace tkc::checker
