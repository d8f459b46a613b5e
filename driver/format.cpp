// `tkc fmt`: programs laid out anew, in place or from standard input to standard output.
#include "frontend/format/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/diagnose.h"
#include "base/read_text.h"
#include "driver/commands.h"
#include "driver/report.h"
#include "frontend/parse/parse.h"

namespace tkc {

namespace {

std::optional<FileId> read_to_format(const std::string& path, Session& session) {
    const bool from_input = path == "-";
    std::string reason;
    std::optional<std::string> text = read_text(from_input ? "/dev/stdin" : path, reason);
    if (text) return session.sources.add(from_input ? "<stdin>" : path, std::move(*text));
    session.diag.error(Span{}, msg::cannot_read_file, from_input ? "standard input" : path, reason);
    return std::nullopt;
}

// The number of the first line that two texts, which are not the same, do not share.
std::ptrdiff_t first_difference(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first;
    return 1 + std::count(a.begin(), end, '\n');
}

int format_file(const std::string& path, bool check) {
    Session session;
    const std::optional<FileId> file = read_to_format(path, session);
    if (!file || !parse(*file, session.sources, session.diag)) return finish(session);
    const std::string& old_text = session.sources.file(*file).text;
    const std::string new_text = format::format(*file, old_text);
    // A formatter that changes what a program says is worse than none.
    if (!format::differ_in_blanks_only(old_text, new_text)) {
        session.diag.error(
            Span{*file, 0, 0}, msg::internal_error,
            "the formatter would change more than whitespace; the file is unchanged");
        return finish(session);
    }
    if (check) {
        if (new_text == old_text) return exit_good;
        fmt::print("{}:{}: `tkc fmt` would change this line\n", session.sources.file(*file).path,
                   first_difference(old_text, new_text));
        return exit_program;
    }
    if (new_text == old_text && path != "-") return exit_good;  // its time of change stays, too
    return finish_with(session, path, new_text, false);
}

}  // namespace

int run(const FormatCommand& command) {
    int code = exit_good;
    for (const std::string& path : command.files)
        code = std::max(code, format_file(path, command.check));
    return code;
}

}  // namespace tkc
