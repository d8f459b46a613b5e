// Words that the messages about syntax look for and propose.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace tkc::syntax {

using Words = std::vector<std::string_view>;

inline bool one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

inline bool one_of(std::string_view text, const Words& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

inline bool is_letter(std::string_view text) {
    return !text.empty() && (text[0] == '_' || (text[0] | 0x20) >= 'a') && (text[0] | 0x20) <= 'z';
}

inline const Words statement_words{"let", "var",     "shared",  "for",
                                   "if",  "produce", "consume", "return"};
inline const Words kernel_words{"grid", "pipeline", "space", "role", "partition"};
inline const Words suggested_declarations{"kernel",    "fn",   "struct", "entry",  "instance",
                                          "reference", "test", "extern", "import", "megakernel"};

inline constexpr std::string_view constants_help =
    "constants go after the name of a kernel, `kernel k<BM: int = 64>(..)`, or of a function";
inline constexpr std::string_view expected_values_help =
    "expected results come from a `reference` of the kernel; lists are for its inputs: `X = [1, 2, "
    "3];`";

}  // namespace tkc::syntax
