// Spaces by the two tokens that they are between, and by how the grammar classifies these.
#include "frontend/format/spacing.h"

#include <algorithm>
#include <array>

namespace tkc::format {

namespace {

template <std::size_t n>
bool one_of(std::string_view text, const std::array<std::string_view, n>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

// `<` holds constants in a call, after the name of a declaration, and in a type, which is
// after `:` or `->`. Elsewhere it compares.
bool opens_constants(const TokenList& list, std::size_t i) {
    if (list.tokens[i].kind == TokenKind::Generic) return true;
    if (!list.is(i, "<") || i < 2 || list.tokens[i - 1].kind != TokenKind::Name) return false;
    std::size_t name = i - 1;
    while (name >= 2 && list.is(name - 1, ".") && list.tokens[name - 2].kind == TokenKind::Name)
        name -= 2;
    if (name == 0) return false;
    return list.is_declaration(name - 1) || list.is(name - 1, ":") || list.is(name - 1, "->");
}

// `-` and `~` before an operand, with none before them.
bool is_prefix(const TokenList& list, std::size_t i) {
    if (!list.is(i, "-") && !list.is(i, "~")) return false;
    return i == 0 || !ends_operand(list, i - 1);
}

// Words that look like names and have an operand after them: `0 +: n step (a + 1)`.
bool is_word_before_operand(const TokenList& list, std::size_t i) {
    static constexpr std::array<std::string_view, 3> words{"step", "within", "norm"};
    if (i < 2 || !one_of(list.text(i), words)) return false;
    const bool behind_reference = list.is(i - 1, "reference") && list.is(i - 2, "~");
    return behind_reference || ends_operand(list, i - 1);
}

// Whether `(` or `[` after the token belongs to it, as in calls and subscripts.
bool takes_bracket(const TokenList& list, const std::vector<std::uint32_t>& partner,
                   std::size_t i) {
    const TokenKind kind = list.tokens[i].kind;
    if (kind == TokenKind::Name) return !is_word_before_operand(list, i);
    if (kind == TokenKind::HintOf) return true;
    return list.is(i, ")") || list.is(i, "]") || (list.is(i, ">") && closes(partner, i));
}

}  // namespace

std::vector<std::uint32_t> pair_all_brackets(const TokenList& list) {
    std::vector<std::uint32_t> partner = list.partner;
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
        if (opens_constants(list, i) || opens(list.partner, i)) {
            open.push_back(i);
        } else if (closes(list.partner, i)) {
            while (!open.empty() && open.back() >= list.partner[i]) open.pop_back();
        } else if (list.is(i, ">") && !open.empty() && list.text(open.back()) == "<") {
            partner[i] = open.back();
            partner[open.back()] = i;
            open.pop_back();
        }
    }
    return partner;
}

std::uint32_t blanks_before(const TokenList& list, const std::vector<std::uint32_t>& partner,
                            std::size_t i) {
    static constexpr std::array<std::string_view, 4> close_up{",", ";", ")", "]"};
    const std::string_view before = list.text(i - 1);
    const std::string_view text = list.text(i);
    const bool angle = partner[i] != no_token && (text == "<" || text == ">");
    const bool behind_angle = before == "<" && opens(partner, i - 1);
    if (angle || behind_angle || one_of(text, close_up)) return 0;
    if (before == "{" && text == "}") return 0;
    if (before == "(" || before == "[" || before == "." || text == ".") return 0;
    if (text == ":") return before == "," ? 1 : 0;
    if (text == ".." || before == "..") {
        return before == "," || !list.touches(before == ".." ? i - 1 : i) ? 1 : 0;
    }
    if (before == ";") return std::clamp(list.tokens[i].begin - list.tokens[i - 1].end, 1U, 3U);
    if (is_prefix(list, i - 1)) return 0;
    if (text == "(" || text == "[") return takes_bracket(list, partner, i - 1) ? 0 : 1;
    return 1;
}

}  // namespace tkc::format
