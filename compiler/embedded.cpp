// Finding and unpacking embedded files; the table itself is generated (cmake/embed.cmake).
#include "compiler/embedded.h"

#include "compiler/subprocess.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/diagnose.h"
#include "base/read_text.h"
#include "compiler/files.h"

namespace tkc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view runtime_files = "runtime/";

std::optional<std::string_view> find_text(std::string_view path) {
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.path == path) return file.text;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string_view> find_library(std::string_view name) {
    return find_text(fmt::format("stdlib/{}.tk", name));
}

std::vector<std::string> library_names() {
    constexpr std::string_view folder = "stdlib/";
    constexpr std::string_view ending = ".tk";
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with(folder) || !file.path.ends_with(ending)) continue;
        const std::string_view name = file.path.substr(folder.size());
        names.emplace_back(name.substr(0, name.size() - ending.size()));
    }
    return names;
}

std::optional<std::string_view> find_page(int code) {
    return find_text(fmt::format("language/messages/{}.md", code_word(code)));
}

std::string_view first_kernel() { return find_text("driver/first_kernel.tk").value_or(""); }

std::string write_runtime(const std::string& folder) {
    for (const EmbeddedFile& file : embedded_files()) {
        if (!file.path.starts_with(runtime_files)) continue;
        fs::path path = fs::path(folder) / file.path.substr(runtime_files.size());
        std::error_code error;
        fs::create_directories(path.parent_path(), error);
        if (error) return fmt::format("{}: {}", path.parent_path().string(), error.message());
        std::string reason;
        std::optional<std::string> present = read_text(path.string(), reason);
        if (present && *present == file.text) continue;
        reason = write_file(path.string(), file.text);
        if (!reason.empty()) return fmt::format("{}: {}", path.string(), reason);
    }
    return "";
}

}  // namespace tkc
