// `x[x < 0]`, `x[x < 0] = 0` and `a if c else b`.
#include "frontend/parse/syntax_habits.h"

#include <string>
#include <string_view>

#include "frontend/parse/syntax_words.h"

namespace tkc {

namespace {

// The text of the tokens from `first` up to `end`.
std::string words(const TokenList& list, std::size_t first, std::size_t end) {
    if (first >= end) return "";
    const std::uint32_t begin = list.tokens[first].begin;
    return std::string(list.source.substr(begin, list.tokens[end - 1].end - begin));
}

// The first token from `first` on that is one of these signs or words, outside of brackets.
std::size_t next(const TokenList& list, std::size_t first,
                 std::initializer_list<std::string_view> wanted) {
    for (std::size_t i = first; i < list.tokens.size(); ++i) {
        if (syntax::one_of(list.text(i), wanted)) return i;
        const std::uint32_t partner = list.partner[i];
        if (partner != no_token && partner > i) i = partner;
    }
    return list.tokens.size();
}

bool mask(const TokenList& list, std::size_t found, std::uint32_t open,
          DiagnosticBuilder& message) {
    const bool compares =
        syntax::one_of(list.text(found), {"<", "<=", ">", ">=", "==", "!=", "and", "or", "not"});
    if (!compares || open == no_token || open == 0 || !list.is(open, "[")) return false;
    const std::uint32_t close = list.partner[open];
    if (close == no_token) return false;
    const bool whole = next(list, open + 1, {",", "]"}) == close;
    const bool named = syntax::is_letter(list.text(open - 1));
    if (!whole || !named) {
        message.help("`where(condition, a, b)` chooses cell by cell");
        return true;
    }
    const std::string condition = words(list, open + 1, close);
    const std::string_view base = list.text(open - 1);
    const std::string value =
        list.is(close + 1, "=") ? words(list, close + 2, next(list, close + 2, {";"})) : "";
    if (!value.empty()) {
        message.help("write `{} = where({}, {}, {})`: each cell is chosen by a condition", base,
                     condition, value, base);
    } else {
        message.help(
            "tiles keep their extents: `where({}, {}, 0)` has the cells for which the condition "
            "holds, and 0 in the place of the others",
            condition, base);
    }
    return true;
}

bool conditional(const TokenList& list, std::size_t found, DiagnosticBuilder& message) {
    if (list.text(found) != "if" || list.starts_line(found)) return false;
    const std::size_t other = next(list, found, {"else", ";", "{", "}"});
    if (other == list.tokens.size() || list.text(other) != "else") return false;
    message.help(
        "`where(condition, a, b)` chooses cell by cell; for the whole role it is "
        "`if condition { a } else { b }`");
    return true;
}

}  // namespace

bool help_with_habit(const TokenList& list, std::size_t found, std::uint32_t open,
                     DiagnosticBuilder& message) {
    return mask(list, found, open, message) || conditional(list, found, message);
}

}  // namespace tkc
