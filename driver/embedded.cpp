// Finding and unpacking embedded files; the table itself is generated (cmake/embed.cmake).
#include "driver/embedded.h"

#include "driver/subprocess.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/diagnose.h"
#include "base/read_text.h"
#include "driver/files.h"

namespace tkc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view runtime_files = "runtime/";

// Where caches belong, best first.
std::vector<std::string> cache_folders() {
    std::vector<std::string> folders;
    if (std::string named = environment("XDG_CACHE_HOME"); !named.empty()) {
        folders.push_back(named + "/tkc");
    } else if (std::string home = environment("HOME"); !home.empty()) {
        folders.push_back(home + "/.cache/tkc");
    }
    return folders;
}

std::optional<std::string_view> find_text(std::string_view path) {
    for (const EmbeddedFile& file : embedded_files()) {
        if (file.path == path) return file.text;
    }
    return std::nullopt;
}

// Makes a folder and those above it that are not there. Whatever the umask, only this user can
// write to them: nvcc reads what is in them, and Python keeps the libraries that it loads next to
// them.
std::error_code make_folders(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return {};
    if (const std::error_code above = make_folders(folder.parent_path())) return above;
    if (::mkdir(folder.c_str(), 0755) == 0 || errno == EEXIST) return {};
    return {errno, std::generic_category()};
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
        const std::error_code error = make_folders(path.parent_path());
        if (error) return fmt::format("{}: {}", path.parent_path().string(), error.message());
        std::string reason;
        std::optional<std::string> present = read_text(path.string(), reason);
        if (present && *present == file.text) continue;
        reason = write_file(path.string(), file.text);
        if (!reason.empty()) return fmt::format("{}: {}", path.string(), reason);
    }
    return "";
}

std::string cached_runtime(std::string& reason) {
    reason = "neither $XDG_CACHE_HOME nor $HOME is set";
    for (const std::string& folder : cache_folders()) {
        // Two versions of tkc never share a folder, and files are replaced whole, so that runs side
        // by side cannot disturb each other.
        std::string runtime = fmt::format("{}/runtime-{}", folder, embedded_key);
        reason = write_runtime(runtime);
        if (reason.empty()) return runtime;
    }
    return "";
}

}  // namespace tkc
