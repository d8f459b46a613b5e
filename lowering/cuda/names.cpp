// Choosing names.
#include "lowering/cuda/names.h"

#include "base/cpp_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "lowering/cuda/reserved_names.h"

namespace tkc::cuda {

namespace {

// How names of the toolkit and of the C library begin, and their limits end.
constexpr std::array reserved_prefixes = std::to_array<std::string_view>({
    "SYS_",    "M_",     "CU_",      "CUDA_",   "CUDART_", "TK_",      "ADJ_",     "AIO_",
    "ATOMIC_", "BC_",    "CLOCK_",   "CLONE_",  "CLOSE_",  "CPU_",     "FD_",      "FP_",
    "HUGE_",   "INT_",   "INT8_",    "INT16_",  "INT32_",  "INT64_",   "INTMAX_",  "INTPTR_",
    "UINT_",   "UINT8_", "UINT16_",  "UINT32_", "UINT64_", "UINTMAX_", "UINTPTR_", "LC_",
    "MOD_",    "NL_",    "PTHREAD_", "RENAME_", "SCHED_",  "SEEK_",    "STA_",     "XATTR_",
});
constexpr std::array reserved_suffixes =
    std::to_array<std::string_view>({"_MAX", "_MIN", "_WIDTH", "_ENDIAN", "_FILENO"});

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// Whether `list`, words between white space, has this word.
bool has_word(std::string_view list, std::string_view word) {
    const auto is_space = [](char c) { return c == ' ' || c == '\n'; };
    if (word.empty()) return false;
    for (std::size_t at = list.find(word); at != list.npos; at = list.find(word, at + 1)) {
        if (is_space(list[at - 1]) && is_space(list[at + word.size()])) return true;
    }
    return false;
}

bool is_reserved_name(std::string_view name) {
    const auto follows = [&](std::string_view prefix, auto test) {
        return name.starts_with(prefix) && name.size() > prefix.size() && test(name[prefix.size()]);
    };
    const bool implementation = follows("_", is_upper) || name.starts_with("__");
    const bool toolkit = follows("cu", is_upper) || follows("cuda", is_upper);
    const auto begins = [&](std::string_view prefix) { return name.starts_with(prefix); };
    const auto ends = [&](std::string_view suffix) { return name.ends_with(suffix); };
    return implementation || toolkit ||
           std::any_of(reserved_prefixes.begin(), reserved_prefixes.end(), begins) ||
           std::any_of(reserved_suffixes.begin(), reserved_suffixes.end(), ends) ||
           has_word(reserved_macros, name);
}

// `name`, longer by `_` if `taken` has it, or has what is left of it without such ends: so
// different names stay different.
template <class Test>
std::string set_apart(const std::string& name, Test taken) {
    const std::string stem = name.substr(0, name.find_last_not_of('_') + 1);
    return taken(name) || taken(stem) ? name + "_" : name;
}

// What launchers call their own things.
constexpr std::array launcher_words = std::to_array<std::string_view>(
    {"best", "call", "choice", "counter_bytes", "device", "fast", "function", "kernel", "offered",
     "programs", "resident", "site", "stream", "workspace", "workspace_bytes"});

}  // namespace

bool is_reserved(std::string_view name) { return is_cpp_word(name) || is_reserved_name(name); }

std::string host_name(const std::string& name) {
    return set_apart(name, [](std::string_view s) {
        const bool word =
            std::find(launcher_words.begin(), launcher_words.end(), s) != launcher_words.end();
        const bool made = s.ends_with("_given") || s.ends_with("_kernel") ||
                          s.ends_with("_shared") || s.ends_with("_constants") ||
                          s.starts_with("choice_") || s.starts_with("launch_") ||
                          s.starts_with("run_");
        return word || made || is_reserved(s);
    });
}

std::string launcher_name(const std::string& name) {
    return set_apart(name, [](std::string_view s) {
        return is_reserved(s) || s == "main" || has_word(reserved_functions, s);
    });
}

std::string identifier(std::string_view text) {
    std::string name;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
        name += plain ? c : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) name.insert(0, "_");
    return name;
}

bool Names::is_taken(std::string_view name) const {
    return is_cpp_word(name) || std::find(taken_.begin(), taken_.end(), name) != taken_.end();
}

void Names::claim(std::string_view name) { claimed_.insert(identifier(name)); }

std::string Names::fresh(std::string_view wanted) { return take(wanted, false); }
std::string Names::invent(std::string_view wanted) { return take(wanted, true); }

std::string Names::take(std::string_view wanted, bool invented) {
    // A number would not lead out of a family of reserved names.
    const std::string base = identifier(wanted) + (is_reserved_name(identifier(wanted)) ? "_" : "");
    const auto free = [&](const std::string& name) {
        return !is_taken(name) && !(invented && claimed_.contains(name));
    };
    std::string name = base;
    for (int i = 2; !free(name); ++i) name = fmt::format("{}_{}", base, i);
    taken_.push_back(name);
    return name;
}

void Names::end_scope() {
    taken_.resize(marks_.back());
    marks_.pop_back();
}

}  // namespace tkc::cuda
