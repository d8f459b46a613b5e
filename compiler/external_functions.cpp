// Reads errors of nvcc for the names of external functions and of their headers.
#include "compiler/external_functions.h"

#include <fmt/format.h>

#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "compiler/compilation.h"
#include "frontend/parse/parse.h"

namespace tkc {

namespace {

struct Declared {
    std::string name;
    Span span;
    ast::Function::External of;
};

// Those of all files that were read, in their order.
std::vector<Declared> external_functions(const SourceManager& sources) {
    std::vector<Declared> found;
    for (FileId id = 1; id <= sources.count(); ++id) {
        Diagnostics quiet;
        const std::optional<ast::File> file = parse(id, sources, quiet);
        if (!file) continue;
        for (const ast::Decl& decl : file->decls) {
            const auto* function = std::get_if<ast::Function>(&decl.node);
            if (function != nullptr && function->external)
                found.push_back({function->name.text, function->name.span, *function->external});
        }
    }
    return found;
}

// Whether the line contains the word on its own, as in `identifier "f" is undefined`.
bool names(const std::string& line, const std::string& word) {
    const auto of_word = [&](std::size_t at) {
        return at < line.size() &&
               (std::isalnum(static_cast<unsigned char>(line[at])) != 0 || line[at] == '_');
    };
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
        if ((at == 0 || !of_word(at - 1)) && !of_word(at + word.size())) return true;
    }
    return false;
}

bool has(const std::string& line, std::string_view text) { return line.find(text) != line.npos; }

enum class Fault { none, unknown, no_header, refused };

Fault fault_of(const Declared& f, const std::string& line) {
    const std::string& header = f.of.header;
    const bool error = has(line, "error: ") || has(line, "error #");
    if (!error) return Fault::none;
    const std::size_t said = line.find("error");
    const std::string place = line.substr(0, said);
    const std::string text = line.substr(said);
    if (!header.empty() && names(text, header) &&
        (has(text, "No such file") || has(text, "cannot open")))
        return Fault::no_header;
    if (names(text, f.name)) {
        const bool missing = has(text, "undefined") || has(text, "has no member");
        return missing ? Fault::unknown : Fault::refused;
    }
    return !header.empty() && names(place, header) ? Fault::refused : Fault::none;
}

std::string joined(const std::vector<std::string>& list) {
    std::string out;
    for (const std::string& item : list) out += (out.empty() ? "`" : ", `") + item + "`";
    return out;
}

void report(const Declared& f, Fault fault, const std::string& line,
            const std::vector<std::string>& folders, Diagnostics& diag) {
    const std::string& header = f.of.header;
    switch (fault) {
        case Fault::none: return;
        case Fault::no_header:
            diag.error(f.of.header_span, msg::external_refused, f.name,
                       fmt::format("there is no `{}`", header))
                .help("headers are searched next to the .tk files and in the -I folders: {}",
                      joined(folders));
            return;
        case Fault::unknown:
            if (header.empty()) {
                diag.error(f.span, msg::external_refused, f.name, "CUDA has no such function")
                    .help(
                        "if one of your headers has it, write `from \"FILE.cuh\"` after the result "
                        "type");
            } else {
                diag.error(f.span, msg::external_refused, f.name,
                           fmt::format("`{}` does not declare it", header))
                    .help("there, it must be a `__device__` function named `{}`", f.name);
            }
            return;
        case Fault::refused:
            diag.error(f.span, msg::external_refused, f.name,
                       header.empty() ? "nvcc rejects a call of it"
                                      : fmt::format("nvcc rejects a call of it, or `{}`", header))
                .note("{}", line);
            return;
    }
}

}  // namespace

bool report_external_functions(const std::string& log, const std::vector<std::string>& folders,
                               Session& session) {
    const std::vector<Declared> declared = external_functions(session.sources);
    std::set<std::string> told;  // what is wrong with a header, once
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
        for (const Declared& f : declared) {
            const Fault fault = fault_of(f, line);
            if (fault == Fault::none) continue;
            const bool of_header = fault == Fault::no_header;
            if (told.insert(of_header ? f.of.header : f.name).second)
                report(f, fault, line, folders, session.diag);
        }
    }
    return !told.empty();
}

}  // namespace tkc
