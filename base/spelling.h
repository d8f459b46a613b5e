// Words that are nearly right: which one was meant, and whether that is certain.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/diagnose.h"

namespace tkc {

// Insertions, deletions, replacements and swaps of neighbors that lead from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The word of `words` that `word` was probably meant to be; empty if none is near.
std::string_view nearest(std::string_view word, const std::vector<std::string_view>& words);

// The only one of `known` that is one slip away; empty where there are none, or several. Numbered
// names (`sum1`, `sum2`) and short ones are not slips of each other.
std::string_view only_slip(std::string_view word, const std::vector<std::string_view>& known);
std::string_view only_slip(std::string_view word, const std::vector<std::string>& known);

// What to write in place of a word of other languages (`while`, `break`); empty for any other word.
std::string_view habit(std::string_view word);

}  // namespace tkc
