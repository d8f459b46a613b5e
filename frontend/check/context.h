// Where the checker is in the text of a kernel, and the messages that it gives there.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/check/file_context.h"
#include "frontend/check/values.h"
#include "frontend/parse/ast_walk.h"
#include "target/target.h"

namespace tkc::checker {

// A function that is being inlined.
struct Inlining {
    const ast::Function* function = nullptr;
    Span call;
    std::optional<Operand> result;
    std::size_t depth = 0;               // of blocks, where its body began
    std::optional<WrittenType> type;     // of the result
    std::string constant;                // by whose name it was called; empty: by its own
    const ast::Call* written = nullptr;  // none: it is applied to cells
};

// The constants that a call of a kernel in an entry gives, and what the kernel is called with them.
struct CalledInstance {
    std::string name;
    std::map<std::string, Operand> constants;
    Span call;
    const char* words = "for this call";  // next to the call, in messages
};

class Context {
public:
    Context(FileContext& its_file, const Unit& its_unit, const ast::LaunchHead& head);
    Context(const Context&) = delete;
    Context& operator=(const Context&) = delete;
    ~Context();

    template <std::size_t holes, typename... Args>
    DiagnosticBuilder error(Span span, const Message<holes, Severity::error>& m,
                            const Args&... args) {
        failed = true;
        DiagnosticBuilder builder = file.error(span, m, args...);
        add_context(builder);
        return builder;
    }
    Operand not_yet(Span span, NotYet what, const std::string& help = "");
    // A construct is in a place that allows only definitions and choices of numbers; the help is
    // what to do where that is outside of roles.
    DiagnosticBuilder impure(Span span, const std::string& found, std::string_view help = "");
    // Whether the target has something; false if an error was reported. `what` begins the message:
    // `a product`. For what cannot be checked without it; everything else is in
    // ir/target_features.h.
    bool on_target(bool has, Span span, std::string_view what);
    // Whether a note is wanted at `span`, where none is yet.
    bool notes(Span span);
    // Whether the call gives `count` arguments without names, and after them at most the one that
    // is called `last`; false if an error was reported.
    bool check_arguments(const ast::Call& call, std::string_view name, std::size_t count, Span span,
                         std::string_view last = {});
    // One more of what there may be `limit` of; false where that is too many.
    bool counts(std::size_t& counter, std::size_t limit, std::string_view what, Span span);

    std::string text(Span span) const { return std::string(file.sources.text(span)); }
    // The argument of the outermost call that a parameter of the innermost one stands for; none:
    // what is written at `span` is not a parameter all the way.
    std::optional<std::string> argument_outside(Span span) const;
    std::string quoted(Span span) const;  // in backticks, shortened where it is long
    // An operand as written; `..` where operands are not known one by one.
    std::string operand_text(const std::vector<Span>& spans, std::size_t operand) const;
    const Target& target() const { return *file.options.target; }
    const TargetLimits& limits() const { return target().limits; }
    bool has_roles() const;
    // The body that is being looked at: of a function, of a role, or of a kernel without roles.
    void walk_body(const Walk& hooks) const;

    FileContext& file;
    const Unit* unit;  // the file whose names are seen: changes while a function is inlined
    const ast::LaunchHead& syntax;
    std::span<const ast::KernelItem> items;   // of a kernel
    const ast::Instance* instance = nullptr;  // at most one of these two
    const CalledInstance* called = nullptr;
    const ast::Role* role_syntax = nullptr;    // that is being looked at
    const ast::Space* space_syntax = nullptr;  // that is being looked at
    const ast::Block* unused_body = nullptr;   // of a function that nobody calls
    Span statement;
    std::vector<Inlining> inlining;
    const ast::Function* on_cells = nullptr;  // of numbers, whose arguments are cells of tiles
    std::vector<ir::Value> changed;           // by calls, through `inout`, in order
    bool consume_refused = false;             // under `where` and if-expressions
    bool without_grid = false;                // told
    std::optional<std::string> cluster;       // the axis that `cluster` names, with one program too
    // Of a kernel without roles: its warps multiply by themselves. Else `needs_warps` says that a
    // product asked for it, and nothing more is to be believed.
    bool products_by_warps = false;
    bool needs_warps = false;
    bool width_follows = false;  // `warps(auto)`: the role's width is found after its body
    bool needs_derived_roles =
        false;  // of a kernel: its roles are made of its text (frontend/derive)
    bool failed = false;
    NumbersOfExtents numbers_of_extents;  // of a kernel with a schedule
    // Variables, by the places of their declarations, whose numbers change where the text does not
    // tell which value they have: known when the kernel is looked at again. Those found this time.
    std::set<std::pair<FileId, std::uint32_t>> changing;
    std::set<std::pair<FileId, std::uint32_t>> found_changing;

private:
    void add_context(DiagnosticBuilder& builder) const;

    bool over_limit_ = false;  // told
};

}  // namespace tkc::checker
