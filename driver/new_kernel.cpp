// `tkc new`: a first kernel under the user's name.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include "compiler/embedded.h"
#include "compiler/outputs.h"
#include "driver/commands.h"
#include "driver/report.h"
#include "frontend/parse/parse.h"

namespace tkc {

namespace {

constexpr std::string_view name_of_template = "first_kernel";

int refuse_name(const std::string& reason) {
    fmt::print(stderr, "tkc: {}\n", reason);
    return exit_usage;
}

std::string first_kernel_as(const std::string& name) {
    std::string text(first_kernel());
    for (std::size_t at = 0; (at = text.find(name_of_template, at)) != text.npos; at += name.size())
        text.replace(at, name_of_template.size(), name);
    return text;
}

// Whether the file is right under that name. It is not where the language has the name, or the
// kernel has it for something else.
bool is_free(const std::string& path, const std::string& text) {
    Session session;
    session.sources.add(path, text);
    SourceOptions options;
    options.files = {path};
    check_file(path, options, false, session);
    return exit_code_of(session) == exit_good;
}

}  // namespace

int run(const NewCommand& command) {
    const std::string& name = command.name;
    if (!is_name(name)) {
        return refuse_name(
            fmt::format("`{}` is not a kernel name: use letters, digits and `_`, and no keyword, "
                        "as in `tkc new scale_rows`",
                        name));
    }
    const std::string path = name + ".tk";
    std::error_code error;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
        return refuse_name(
            fmt::format("`{}` already exists; choose another name, or move it away", path));
    }
    const std::string text = first_kernel_as(name);
    if (!is_free(path, text)) {
        return refuse_name(
            fmt::format("`{}` already has a meaning, in the language or in the starter kernel; "
                        "choose another name",
                        name));
    }
    Session session;
    if (const int code = finish_with(session, path, text, false); code != exit_good) return code;
    fmt::print(
        "wrote {0}: a kernel, its reference and its tests. Next:\n"
        "  tkc test {0}       run the tests, on the CPU\n"
        "  tkc explain {0}    show its resources, waits and proofs\n",
        path);
    return exit_good;
}

}  // namespace tkc
