// `x[x < 0]`, `x[x < 0] = 0`, `a if c else b`, `X[a:b]`, `X[a +: n by s]` and `for .. step n`.
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
        message.help("`where(condition, a, b)` selects elementwise");
        return true;
    }
    const std::string condition = words(list, open + 1, close);
    const std::string_view base = list.text(open - 1);
    const std::string value =
        list.is(close + 1, "=") ? words(list, close + 2, next(list, close + 2, {";"})) : "";
    if (!value.empty()) {
        message.help("write `{} = where({}, {}, {})`: each cell is selected by a condition", base,
                     condition, value, base);
    } else {
        message.help(
            "tiles keep their extents: `where({}, {}, 0)` keeps the cells for which the condition "
            "holds, and sets the others to 0",
            condition, base);
    }
    return true;
}

bool conditional(const TokenList& list, std::size_t found, DiagnosticBuilder& message) {
    if (list.text(found) != "if" || list.starts_line(found)) return false;
    const std::size_t other = next(list, found, {"else", ";", "{", "}"});
    if (other == list.tokens.size() || list.text(other) != "else") return false;
    message.help(
        "`where(condition, a, b)` selects elementwise; for the whole role it is `if condition { a "
        "} else { b }`");
    return true;
}

// The tokens of one axis between brackets: from `first` up to `end`.
struct Axis {
    std::size_t first = 0;
    std::size_t end = 0;
};
Axis axis_at(const TokenList& list, std::size_t found, std::uint32_t open) {
    Axis axis{open + 1, next(list, found, {",", "]", ";", "{"})};
    for (std::size_t i = next(list, open + 1, {","}); i < found; i = next(list, i + 1, {","}))
        axis.first = i + 1;
    return axis;
}

// `X[a:b]`, `X[:b]`, `X[a:]` and `X[::2]`.
bool python_slice(const TokenList& list, std::size_t found, std::uint32_t open,
                  DiagnosticBuilder& message) {
    if (open == no_token || !list.is(open, "[")) return false;
    const Axis axis = axis_at(list, found, open);
    const std::size_t colon = next(list, axis.first, {":"});
    if (colon >= axis.end) return false;
    const std::string begin = words(list, axis.first, colon);
    const std::string end = words(list, colon + 1, axis.end);
    if (next(list, colon + 1, {":"}) < axis.end) {
        message.help(
            "with a step, it is a list of positions: `a + 2 * range(n)` has n of them, every "
            "second one from a on");
    } else if (end.empty()) {
        message.help("a slice has a length: write `{} +: length`", begin);
    } else if (begin.empty()) {
        message.help("a slice is a base and a length: write `0 +: {}`", end);
    } else if (end.starts_with(begin + " + ")) {
        message.help("a slice is a base and a length: write `{} +: {}`", begin,
                     end.substr(begin.size() + 3));
    } else {
        message.help("a slice is a base and a length: write `{} +: {} - {}`", begin, end, begin);
    }
    return true;
}

// `X[a +: n by s]`.
bool strided_slice(const TokenList& list, std::size_t found, std::uint32_t open,
                   DiagnosticBuilder& message) {
    if (open == no_token || !list.is(open, "[") || !list.is(found, "by")) return false;
    const Axis axis = axis_at(list, found, open);
    const std::size_t sign = next(list, axis.first, {"+:"});
    if (sign >= found) return false;
    message.help("with a step, it is a list of positions: write `{} + {} * range({})`",
                 words(list, axis.first, sign), words(list, found + 1, axis.end),
                 words(list, sign + 1, found));
    return true;
}

// `for n in 0..N step 64 {`
bool loop_step(const TokenList& list, std::size_t found, DiagnosticBuilder& message) {
    if (found == 0 || !syntax::one_of(list.text(found - 1), {"step", "stride"})) return false;
    std::size_t first = found - 1;
    while (first > 0 && !list.starts_line(first) && !list.is(first, "for")) --first;
    if (!list.is(first, "for")) return false;
    message.help("the step of a loop is `by`: write `by {}`", list.text(found));
    message.fix(list.span(found - 1), "by");
    return true;
}

}  // namespace

bool help_with_habit(const TokenList& list, std::size_t found, std::uint32_t open,
                     DiagnosticBuilder& message) {
    return mask(list, found, open, message) || conditional(list, found, message) ||
           python_slice(list, found, open, message) || strided_slice(list, found, open, message) ||
           loop_step(list, found, message);
}

}  // namespace tkc
