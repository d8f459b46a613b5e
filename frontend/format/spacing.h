// Which tokens are apart on a line, and which `<` and `>` are brackets.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "frontend/parse/tokens.h"

namespace tkc::format {

// The partner of each bracket, as in TokenList, with the `<` and `>` that hold constants.
std::vector<std::uint32_t> pair_all_brackets(const TokenList& list);

// Whether a token opens or closes a pair of brackets.
inline bool opens(const std::vector<std::uint32_t>& partner, std::size_t i) {
    return partner[i] != no_token && partner[i] > i;
}
inline bool closes(const std::vector<std::uint32_t>& partner, std::size_t i) {
    return partner[i] != no_token && partner[i] < i;
}

// How many spaces are before the token where it follows another on its line: none or one.
// Around `..` the author decides, and statements on one line may be up to three apart.
std::uint32_t blanks_before(const TokenList& list, const std::vector<std::uint32_t>& partner,
                            std::size_t i);

}  // namespace tkc::format
