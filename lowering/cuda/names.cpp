// Choosing names.
#include "lowering/cuda/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace tkc::cuda {

namespace {

// Words of C++ and CUDA that a .tk file may use as names, and what emitted code itself relies on.
constexpr std::array reserved = std::to_array<std::string_view>({
    "alignas",      "alignof",
    "and",          "and_eq",
    "asm",          "auto",
    "bitand",       "bitor",
    "blockDim",     "blockIdx",
    "bool",         "break",
    "case",         "catch",
    "char",         "class",
    "compl",        "const",
    "const_cast",   "constexpr",
    "continue",     "decltype",
    "default",      "delete",
    "do",           "double",
    "dynamic_cast", "else",
    "enum",         "explicit",
    "export",       "extern",
    "false",        "float",
    "for",          "friend",
    "goto",         "gridDim",
    "if",           "inline",
    "int",          "linux",
    "long",         "mutable",
    "namespace",    "new",
    "noexcept",     "not",
    "not_eq",       "nullptr",
    "operator",     "or",
    "or_eq",        "private",
    "protected",    "public",
    "register",     "reinterpret_cast",
    "return",       "short",
    "signed",       "sizeof",
    "static",       "static_assert",
    "static_cast",  "std",
    "struct",       "switch",
    "template",     "this",
    "thread_local", "threadIdx",
    "throw",        "tk",
    "true",         "try",
    "typedef",      "typeid",
    "typename",     "union",
    "unix",         "unsigned",
    "using",        "virtual",
    "void",         "volatile",
    "warpSize",     "wchar_t",
    "while",        "xor",
    "xor_eq",       "INFINITY",
    "NAN",          "NULL",
    "int8_t",       "int16_t",
    "uint8_t",      "CUtensorMap",
});

}  // namespace

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
    const auto holds = [&](const auto& list) {
        return std::find(list.begin(), list.end(), name) != list.end();
    };
    return holds(reserved) || holds(taken_);
}

void Names::claim(std::string_view name) { claimed_.insert(identifier(name)); }

std::string Names::fresh(std::string_view wanted) { return take(wanted, false); }
std::string Names::invent(std::string_view wanted) { return take(wanted, true); }

std::string Names::take(std::string_view wanted, bool invented) {
    const std::string base = identifier(wanted);
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
