// The diagnostics engine: what a message is, how one is reported, rendered and verified in tests.
//
// The messages themselves are in language/diagnostics.def; each becomes `msg::identifier`, and
//
//     diag.error(call.span, msg::unknown_name, name).label(decl, "declared here").help("...");
//
// is checked at compile time: the number of arguments, that they can be printed, and the severity.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <deque>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/source.h"

namespace tkc {

enum class Severity { error, warning, note };  // Note: about performance, never about correctness

// One row of the catalogue. `holes` is the number of arguments of its text.
template <std::size_t holes, Severity severity_>
struct Message {
    static constexpr Severity severity = severity_;
    int code;
    std::string_view name;
    std::string_view text;
};

namespace detail {

// Counts the {} of a message and rejects, at compile time, a text that breaks the house style.
consteval std::size_t count_holes(std::string_view text) {
    if (text.empty() || text.back() == '.') throw "a message has no final period";
    if (text[0] >= 'A' && text[0] <= 'Z') throw "a message starts with a small letter";
    if (text.find("illegal") != text.npos || text.find("invalid") != text.npos) {
        throw "say what was found and what the rule is, not `invalid`";
    }
    std::size_t holes = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '{' && text[i] != '}') continue;
        if (i + 1 == text.size()) throw "unbalanced brace: write {{ or }}";
        if (text[i] == '{' && text[i + 1] == '}') ++holes;
        else if (text[i] != text[i + 1]) throw "a hole is exactly {}";
        ++i;
    }
    return holes;
}

}  // namespace detail

namespace msg {
#define TK_ERROR(code, name, text) \
    inline constexpr Message<detail::count_holes(text), Severity::error> name{code, #name, text};
#define TK_WARNING(code, name, text) \
    inline constexpr Message<detail::count_holes(text), Severity::warning> name{code, #name, text};
#define TK_NOTE(code, name, text) \
    inline constexpr Message<detail::count_holes(text), Severity::note> name{code, #name, text};
#include "language/diagnostics.def"
#undef TK_ERROR
#undef TK_WARNING
#undef TK_NOTE
}  // namespace msg

// A row without its type, for `--explain` and for SARIF.
struct CatalogueRow {
    int code;
    Severity severity;
    std::string_view name, text;
};
const std::vector<CatalogueRow>& catalogue();
const CatalogueRow* find_message(int code);  // null: no such code
const CatalogueRow* find_message(
    std::string_view spelling);  // "TK1003", "1003" or "expected_token"
// The text of a row, with `..` where it names something.
std::string text_of(const CatalogueRow& row);
// What `tkc --explain TK1003` prints: the row, and its page.
std::string explain(const CatalogueRow& row, std::string_view page);

struct Label {
    Span span;
    std::string text;
};

struct Remark {
    enum class Kind { help, note } kind;
    std::string text;
};

// One line of a timeline: how a run got where it is.
struct Moment {
    Span span;
    std::string who;   // a role
    std::string text;  // iteration 2: waits for stage 0 of `ks`
};

// Text that is in place of a span; of an empty one, it is inserted there.
struct Edit {
    Span span;
    std::string text;
};

struct Diagnostic {
    Severity severity;
    int code;
    std::string_view name;
    Span span;  // may be unknown: then only the first line is printed
    std::string message;
    std::string primary_label;  // next to the ^^^^; often empty
    std::vector<Label> labels;
    std::vector<Remark> remarks;
    std::vector<Moment> timeline;
    std::vector<Edit> fix;  // all of them together are what was meant; empty: nobody can be sure
};

// Adds to a diagnostic that was just reported. Every method may be called any number of times.
class DiagnosticBuilder {
public:
    explicit DiagnosticBuilder(Diagnostic* diagnostic) : diagnostic_(diagnostic) {}

    // Plain text, or a format string checked at compile time with at least one argument.
    DiagnosticBuilder& primary(std::string text);  // text next to the carets
    DiagnosticBuilder& label(Span span, std::string text);
    DiagnosticBuilder& help(std::string text);
    DiagnosticBuilder& note(std::string text);
    DiagnosticBuilder& moment(Span span, std::string who, std::string text);
    // One more edit of the fix, and what to say of it where no help does. Only where it is certain
    // that this was meant: `tkc check --fix` asks nobody.
    DiagnosticBuilder& fix(Span span, std::string text, std::string help = "");

    template <typename First, typename... Rest>
    DiagnosticBuilder& primary(fmt::format_string<First, Rest...> f, First&& a, Rest&&... rest) {
        return primary(fmt::format(f, std::forward<First>(a), std::forward<Rest>(rest)...));
    }
    template <typename First, typename... Rest>
    DiagnosticBuilder& label(Span span, fmt::format_string<First, Rest...> f, First&& a,
                             Rest&&... rest) {
        return label(span, fmt::format(f, std::forward<First>(a), std::forward<Rest>(rest)...));
    }
    template <typename First, typename... Rest>
    DiagnosticBuilder& help(fmt::format_string<First, Rest...> f, First&& a, Rest&&... rest) {
        return help(fmt::format(f, std::forward<First>(a), std::forward<Rest>(rest)...));
    }
    template <typename First, typename... Rest>
    DiagnosticBuilder& note(fmt::format_string<First, Rest...> f, First&& a, Rest&&... rest) {
        return note(fmt::format(f, std::forward<First>(a), std::forward<Rest>(rest)...));
    }

private:
    friend class Diagnostics;
    Diagnostic* diagnostic_;  // null: suppressed (a repetition, or past the limit)
};

// Collects diagnostics. The same message at the same place is kept once; after `error_limit` errors
// the rest is counted, not kept.
class Diagnostics {
public:
    template <std::size_t holes, typename... Args>
    DiagnosticBuilder error(Span span, const Message<holes, Severity::error>& m,
                            const Args&... args) {
        return report(span, m, args...);
    }
    template <std::size_t holes, typename... Args>
    DiagnosticBuilder warning(Span span, const Message<holes, Severity::warning>& m,
                              const Args&... args) {
        return report(span, m, args...);
    }
    template <std::size_t holes, typename... Args>
    DiagnosticBuilder note(Span span, const Message<holes, Severity::note>& m,
                           const Args&... args) {
        return report(span, m, args...);
    }

    // What another collection holds and this one does not; each of these gets the note, unless it
    // is empty.
    void take(const Diagnostics& other, const std::string& note = "");

    bool has_errors() const { return error_count_ > 0; }
    // With those that were not kept, or said before at the same place: of several instances of a
    // kernel each one fails.
    int error_count() const { return repeated_error_count_; }
    int suppressed_count() const { return error_count_ - kept_errors_; }
    const std::deque<Diagnostic>& all() const { return all_; }  // as they were reported
    // By file and place; what has no place comes last.
    std::vector<const Diagnostic*> in_order() const;

    static constexpr int error_limit = 20;

private:
    template <std::size_t holes, Severity severity, typename... Args>
    DiagnosticBuilder report(Span span, const Message<holes, severity>& m, const Args&... args) {
        static_assert(sizeof...(Args) == holes, "one argument for each {} of the message");
        static_assert((fmt::is_formattable<Args>::value && ...),
                      "an argument that fmt cannot print");
        return add(severity, m.code, m.name, span,
                   fmt::vformat(m.text, fmt::make_format_args(args...)));
    }
    DiagnosticBuilder add(Severity severity, int code, std::string_view name, Span span,
                          std::string message);

    std::deque<Diagnostic> all_;  // a deque: builders point into it
    std::set<std::tuple<int, FileId, std::uint32_t, std::uint32_t, std::string>> known_;
    int error_count_ = 0;
    int repeated_error_count_ = 0;
    int kept_errors_ = 0;
};

std::string_view severity_word(Severity severity);  // error, warning, performance note
std::string code_word(int code);                    // TK1003

// Everything that was reported, as text with source frames. Color is the caller's choice (a
// terminal).
struct RenderOptions {
    bool color = false;
    int tab_width = 4;
};
std::string render_text(const Diagnostics& diag, const SourceManager& sources,
                        RenderOptions options = {});
std::string render_text(const Diagnostic& diagnostic, const SourceManager& sources,
                        RenderOptions options = {});

// Its notes and helps, and after them what its fix does, where no help says it.
std::vector<Remark> all_remarks(const Diagnostic& diagnostic, const SourceManager& sources);

// Compares what was reported for one file with the comments in it that say what is expected, each
// under the line it speaks of:
//
//         let d = mma(a, b, c);
//     //~         ^^^^^^^^^^^^ error[TK3004]: inner dimensions of `mma` differ: 32 and 16
//     //~             - K is 32 here
//
// Exhaustive both ways for diagnostics; a label (`---`) may be left out, but one that is written
// must be there. `@1..5` in place of the carets gives the columns where `//~` would cover them; no
// carets at all match a diagnostic without a place in this file. False: `report` says what differs.
bool verify_diagnostics(const Diagnostics& diag, const SourceManager& sources, FileId file,
                        std::string& report);

}  // namespace tkc
