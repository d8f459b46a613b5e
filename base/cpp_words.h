// Words that C++, the compilers and every CUDA kernel have already: no name of emitted code may be
// one.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace tkc {

inline constexpr std::array cpp_words = std::to_array<std::string_view>({
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
    "xor_eq",       "int8_t",
    "int16_t",      "int32_t",
    "int64_t",      "uint8_t",
    "uint16_t",     "uint32_t",
    "uint64_t",     "size_t",
    "CUtensorMap",  "DLTensor",
});

inline bool is_cpp_word(std::string_view name) {
    return std::find(cpp_words.begin(), cpp_words.end(), name) != cpp_words.end();
}

}  // namespace tkc
