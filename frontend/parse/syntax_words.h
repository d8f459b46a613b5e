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

inline const Words statement_words{"let", "var",     "shared",  "for",
                                   "if",  "produce", "consume", "return"};
inline const Words kernel_words{"grid", "pipeline", "space", "role", "partition"};
inline const Words suggested_declarations{"kernel",    "fn",   "struct", "entry",  "instance",
                                          "reference", "test", "extern", "import", "megakernel"};

inline constexpr std::string_view constants_help =
    "constants stand behind the name of a kernel, `kernel k<BM: int = 64>(..)`, or of a function";

}  // namespace tkc::syntax
