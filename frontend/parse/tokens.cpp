// What can be said about the tokens before there is a tree.
#include "frontend/parse/tokens.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "base/read_text.h"

namespace tkc {
namespace {

bool is_opener(std::string_view text) { return text == "(" || text == "[" || text == "{"; }
bool is_closer(std::string_view text) { return text == ")" || text == "]" || text == "}"; }
bool is_pair(std::string_view open, std::string_view close) {
    return (open == "(" && close == ")") || (open == "[" && close == "]") ||
           (open == "{" && close == "}");
}

template <std::size_t n>
bool one_of(std::string_view text, const std::array<std::string_view, n>& words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

constexpr std::array<std::string_view, 9> declaration_words{
    "kernel", "fn", "struct", "entry", "reference", "test", "instance", "import", "extern"};
constexpr std::array<std::string_view, 4> hint_words{"multicast", "allow_foreign", "evict_first",
                                                     "evict_last"};

// The code point that starts at `text`, or -1 if the bytes are not UTF-8. `length` is what it
// took.
std::int32_t decode(std::string_view text, std::size_t& length) {
    auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    length = byte(0) >= 0xf0 ? 4 : byte(0) >= 0xe0 ? 3 : byte(0) >= 0xc2 ? 2 : 1;
    if (byte(0) < 0x80) return byte(0);
    if (length == 1 || byte(0) > 0xf4 || text.size() < length) return length = 1, -1;
    std::int32_t code = byte(0) & (0xff >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return length = 1, -1;
        code = code << 6 | (byte(i) & 0x3f);
    }
    return code;
}

}  // namespace

bool TokenList::starts_line(std::size_t i) const {
    if (i == 0) return true;
    std::string_view between =
        source.substr(tokens[i - 1].end, tokens[i].begin - tokens[i - 1].end);
    return between.find('\n') != between.npos;
}

std::uint32_t TokenList::indent(std::size_t i) const {
    std::size_t line = source.rfind('\n', tokens[i].begin == 0 ? 0 : tokens[i].begin - 1);
    line = line == source.npos || tokens[i].begin == 0 ? 0 : line + 1;
    std::size_t first = source.find_first_not_of(" \t", line);
    return static_cast<std::uint32_t>((first == source.npos ? source.size() : first) - line);
}

bool TokenList::is_declaration(std::size_t i) const {
    if (tokens[i].kind == TokenKind::Megakernel) return true;
    return tokens[i].kind == TokenKind::Keyword && one_of(text(i), declaration_words);
}

bool TokenList::starts_declaration(std::size_t i) const {
    if (tokens[i].begin != 0 && source[tokens[i].begin - 1] != '\n') return false;
    return is_declaration(i) && !(i > 0 && is(i - 1, "~"));  // expect C ~ reference
}

std::size_t TokenList::next_declaration(std::size_t i) const {
    while (tokens[i].kind != TokenKind::End && !starts_declaration(i)) ++i;
    return i;
}

bool check_text(FileId file, std::string_view source, Diagnostics& diag) {
    if (source.size() > source_size_limit) {  // what comes after that was not read
        diag.error({file, 0, 0}, msg::file_too_large, fmt::format("at least {}", source.size()),
                   source_size_limit);
        return false;
    }
    for (std::size_t i = 0, length = 1; i < source.size(); i += length) {
        std::int32_t code = decode(source.substr(i, 4), length);
        bool is_control = code >= 0 && code < 0x20 && (code < '\t' || code > '\r');
        if (code >= 0 && !is_control) continue;
        auto at = static_cast<std::uint32_t>(i);
        std::string byte = fmt::format("0x{:02x}", static_cast<unsigned char>(source[i]));
        if (is_control) diag.error({file, at, at + 1}, msg::not_text, byte);
        else diag.error({file, at, at + 1}, msg::not_utf8, byte).help("save the file as UTF-8");
        return false;
    }
    return true;
}

std::string ascii_only(std::string_view source) {
    std::string text(source);
    for (char& c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) c = '\x01';
    }
    if (source.starts_with("\xef\xbb\xbf")) text.replace(0, 3, "   ");  // a byte order mark
    return text;
}

bool is_trailing_comment(std::string_view source, std::uint32_t begin) {
    std::size_t line = begin == 0 ? source.npos : source.rfind('\n', begin - 1);
    return source.find_first_not_of(" \t", line == source.npos ? 0 : line + 1) < begin;
}

void pair_brackets(TokenList& list) {
    list.partner.assign(list.tokens.size(), no_token);
    std::vector<std::uint32_t> open;
    for (std::uint32_t i = 0; i < list.tokens.size(); ++i) {
        if (list.starts_declaration(i)) open.clear();
        if (list.tokens[i].kind != TokenKind::Sign) continue;
        std::string_view text = list.text(i);
        if (is_opener(text)) open.push_back(i);
        if (!is_closer(text)) continue;
        // A `}` closes the nearest `{` whatever is open in between; the others do not reach past a
        // `{`.
        auto match = open.rbegin();
        while (match != open.rend() && !is_pair(list.text(*match), text)) {
            if (text != "}" && list.is(*match, "{")) match = open.rend();
            else ++match;
        }
        if (match == open.rend()) continue;
        list.partner[i] = *match;
        list.partner[*match] = i;
        open.erase(std::prev(match.base()), open.end());
    }
}

namespace {

// ---- broken tokens ----

// What to write in place of a character that the language does not have.
std::string_view replacement(std::int32_t code) {
    static const std::map<std::int32_t, std::string_view> table{
        {'!', "`not` negates a condition, `!=` compares"},
        {'?', "a choice is written `if c { a } else { b }`, or `where(c, a, b)` on tiles"},
        {'\'', "a string needs double quotes; a transpose is written `.T`"},
        {'#', "a comment starts with `//`"},
        {0x2212, "the minus sign is `-`"},
        {0x2013, "the minus sign is `-`"},
        {0x2014, "the minus sign is `-`"},
        {0xd7, "a product is written `*`"},
        {0xb7, "a product is written `*`"},
        {0x2264, "write `<=`"},
        {0x2265, "write `>=`"},
        {0x2260, "write `!=`"},
        {0x201c, "a string needs plain double quotes"},
        {0x201d, "a string needs plain double quotes"},
        {0x221e, "infinity is written `inf`"},
        {0x2192, "write `->`"},
        {0xa0, "this is a no-break space; write a plain one"},
    };
    auto row = table.find(code);
    return row == table.end() ? "" : row->second;
}

// `!x` and `!(..)` where `not` would not take more than `!` did: it binds looser than comparisons.
bool negates_all(const TokenList& list, std::size_t i) {
    if (list.tokens[i].end != list.tokens[i].begin + 1) return false;
    std::size_t last = i + 1;
    if (list.is(last, "(") && list.partner[last] != no_token) last = list.partner[last];
    else if (list.tokens[last].kind != TokenKind::Name) return false;
    static constexpr std::array<std::string_view, 9> ends{"{",  ")", ";", ",", "and",
                                                          "or", "&", "|", "]"};
    return last + 1 < list.tokens.size() && one_of(list.text(last + 1), ends);
}

void report_bad_character(const TokenList& list, std::size_t i, Diagnostics& diag) {
    std::size_t length = 1;
    std::string_view rest = list.source.substr(list.tokens[i].begin);
    std::int32_t code = decode(rest, length);
    Span span{list.file, list.tokens[i].begin,
              list.tokens[i].begin + static_cast<std::uint32_t>(length)};
    bool printable = code >= 0x20 && (code < 0x7f || code > 0xa0);
    std::string shown = code < 0x80 && printable ? fmt::format("`{}`", rest.substr(0, 1))
                        : printable ? fmt::format("`{}` (U+{:04X})", rest.substr(0, length), code)
                                    : fmt::format("the character U+{:04X}", code);
    auto error = diag.error(span, msg::unknown_character, shown);
    if (!replacement(code).empty()) error.help(std::string(replacement(code)));
    static const std::map<std::int32_t, std::string_view> same{
        {0x2212, "-"},  {0x2013, "-"},  {0xd7, "*"},     {0xb7, "*"},    {0x2264, "<="},
        {0x2265, ">="}, {0x2260, "!="}, {0x221e, "inf"}, {0x2192, "->"}, {0xa0, " "},
    };
    if (auto row = same.find(code); row != same.end()) error.fix(span, std::string(row->second));
    if (code == '!' && negates_all(list, i)) error.fix(span, "not ");
}

// Digits with a point or letters at the wrong place; `i` is the Int or Float.
bool check_number(const TokenList& list, std::size_t i, Diagnostics& diag) {
    bool next_touches = list.touches(i + 1);
    if (list.touches(i) && list.is(i - 1, ".") && !(i >= 2 && list.touches(i - 1))) {
        diag.error(list.span(i - 1, i), msg::float_without_digits,
                   list.source.substr(list.tokens[i - 1].begin,
                                      list.tokens[i].end - list.tokens[i - 1].begin))
            .help("write `0.{}`", list.text(i))
            .fix({list.file, list.tokens[i - 1].begin, list.tokens[i - 1].begin}, "0");
        return false;
    }
    if (next_touches && list.is(i + 1, ".") && list.tokens[i].kind == TokenKind::Int) {
        bool more = i + 2 < list.tokens.size() && list.touches(i + 2) &&
                    list.tokens[i + 2].kind == TokenKind::Int;
        std::size_t last = more ? i + 2 : i + 1;
        auto error = diag.error(list.span(i, last), msg::float_without_digits,
                                fmt::format("{}.{}", list.text(i), more ? list.text(i + 2) : ""));
        if (more) error.help("a float has no `_`, and only decimal digits before its point");
        else error.help("write `{}.0`; a range is written `{}..`", list.text(i), list.text(i));
        bool alone = !list.touches(i + 2) || list.tokens[i + 2].kind == TokenKind::Sign;
        if (!more && alone && !list.is(i + 2, ".") && !list.is(i + 2, ".."))
            error.fix({list.file, list.tokens[i + 1].end, list.tokens[i + 1].end}, "0");
        return false;
    }
    if (next_touches && list.tokens[i + 1].kind == TokenKind::Name) {
        auto error = diag.error(list.span(i, i + 1), msg::number_with_letters,
                                fmt::format("{}{}", list.text(i), list.text(i + 1)));
        error.help("a name starts with a letter; a suffix such as `f` or `u` is not needed");
        static constexpr std::array<std::string_view, 2> of_floats{"f", "F"};
        static constexpr std::array<std::string_view, 8> of_ints{"u",  "U",  "l",   "L",
                                                                 "ul", "UL", "ull", "ULL"};
        bool suffix = list.tokens[i].kind == TokenKind::Float ? one_of(list.text(i + 1), of_floats)
                                                              : one_of(list.text(i + 1), of_ints);
        if (suffix) error.fix(list.span(i + 1), "");
        return false;
    }
    return true;
}

bool check_token(const TokenList& list, std::size_t i, Diagnostics& diag) {
    const Token& token = list.tokens[i];
    if (is_number(token.kind)) return check_number(list, i, diag);
    if (token.kind == TokenKind::OpenString) {
        diag.error(list.span(i), msg::unterminated_string)
            .help("a string ends on the line on which it starts");
        return false;
    }
    if (token.kind == TokenKind::BlockComment) {
        auto error = diag.error({list.file, token.begin, token.begin + 2}, msg::block_comment);
        error.help("start each line of the comment with `//`");
        std::string_view text = list.text(i);
        bool one_line = text.size() >= 4 && text.find('\n') == text.npos;
        if (!one_line || !list.starts_line(i + 1)) return false;
        std::uint32_t end = token.end - 2;
        while (end > token.begin + 2 && list.source[end - 1] == ' ') --end;
        error.fix({list.file, token.begin, token.begin + 2}, "//");
        error.fix({list.file, end, token.end}, "");
        return false;
    }
    if (token.kind == TokenKind::OpenComment) {
        diag.error(list.span(i), msg::block_comment)
            .help("start each line of the comment with `//`");
        return false;
    }
    if (token.kind == TokenKind::Bad) {
        report_bad_character(list, i, diag);
        return false;
    }
    return true;
}

// `consume ks.T`: said here, because to the parser the expression ends before the point.
bool check_consume(const TokenList& list, std::size_t i, Diagnostics& diag) {
    if (!list.is(i, "consume") || i + 2 >= list.tokens.size() ||
        list.tokens[i + 1].kind != TokenKind::Name)
        return true;
    std::size_t after = i + 2;
    if (list.is(after, "[") && list.partner[after] != no_token) after = list.partner[after] + 1;
    if (!list.is(after, ".") || list.tokens[after + 1].kind != TokenKind::Name) return true;
    std::string_view taken =
        list.source.substr(list.tokens[i].begin, list.tokens[after - 1].end - list.tokens[i].begin);
    diag.error(list.span(i, after + 1), msg::consume_of_member,
               fmt::format("{}.{}", taken, list.text(after + 1)))
        .help("write `({}).{}`", taken, list.text(after + 1))
        .fix({list.file, list.tokens[i].begin, list.tokens[i].begin}, "(")
        .fix({list.file, list.tokens[after - 1].end, list.tokens[after - 1].end}, ")");
    return false;
}

// ---- depth ----

// An upper bound of the depth of the tree, from the tokens alone: brackets, and the length of the
// chain of operators on each open level.
class DepthMeter {
public:
    DepthMeter(const TokenList& list, Diagnostics& diag) : list_(list), diag_(diag) {}

    bool run() {
        levels_.push_back({});
        for (std::size_t i = 0; i < list_.tokens.size(); ++i) {
            if (!step(i)) return false;
        }
        return true;
    }

private:
    struct Level {
        int chain = 0;    // of the expression being read
        int deepest = 0;  // of those before it
    };

    bool step(std::size_t i) {
        std::string_view text = list_.text(i);
        bool sign = list_.tokens[i].kind == TokenKind::Sign;
        if (list_.starts_declaration(i)) levels_.assign(1, {}), open_ = 0;
        if (sign && is_opener(text)) {
            levels_.push_back({});
            if (static_cast<int>(levels_.size()) > nesting_limit + 1) {
                diag_.error(list_.span(i), msg::nested_too_deep, nesting_limit)
                    .help("name inner parts with `let`");
                return false;
            }
        } else if (sign && is_closer(text)) {
            close(i);
        } else if (sign && (text == "," || text == ";")) {
            separate();
        } else if (sign || list_.is(i, "not") || list_.is(i, "and") || list_.is(i, "or")) {
            ++levels_.back().chain, ++open_;
        }
        if (open_ + static_cast<int>(levels_.size()) <= depth_limit) return true;
        diag_.error(list_.span(i), msg::expression_too_long, depth_limit)
            .help("name parts of it with `let`");
        return false;
    }

    void separate() {
        Level& level = levels_.back();
        level.deepest = std::max(level.deepest, level.chain);
        open_ -= level.chain;
        level.chain = 0;
    }

    void close(std::size_t i) {
        if (levels_.size() == 1) return;  // a closer too many: the parser says so
        separate();
        int inner = levels_.back().deepest + 1;
        levels_.pop_back();
        Level& level = levels_.back();
        int chain = std::max(level.chain, inner) + 1;
        open_ += chain - level.chain;
        level.chain = chain;
        bool continues = i + 1 < list_.tokens.size() && list_.is(i + 1, "else");
        if (list_.is(i, "}") && !continues) separate();
    }

    const TokenList& list_;
    Diagnostics& diag_;
    std::vector<Level> levels_;
    int open_ = 0;  // the sum of the chains of all open levels
};

std::string_view text_of(const TokenList& list, std::size_t first, std::size_t last) {
    return list.source.substr(list.tokens[first].begin,
                              list.tokens[last].end - list.tokens[first].begin);
}

std::ptrdiff_t lines_between(const TokenList& list, std::size_t first, std::size_t last) {
    const std::string_view text = text_of(list, first, last);
    return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

// Whether the token is none of the language, as in `don't` and `100%ly`.
static bool is_no_code(const TokenList& list, std::size_t i) {
    const TokenKind kind = list.tokens[i].kind;
    if (is_number(kind)) return list.touches(i + 1) && list.tokens[i + 1].kind == TokenKind::Name;
    return kind == TokenKind::OpenString || kind == TokenKind::BlockComment ||
           kind == TokenKind::OpenComment || kind == TokenKind::Bad;
}

bool check_tokens(const TokenList& list, Diagnostics& diag) {
    if (list.tokens.size() == 1) {
        diag.error({list.file, 0, 0}, msg::empty_file);
        return false;
    }
    bool good = true;
    std::set<std::string_view> told;       // numbers with letters: each is told once
    std::optional<std::size_t> open_text;  // a string that goes on further down
    std::uint32_t sign = no_token;         // the last `//` before the token, on its line
    for (std::size_t i = 0;
         i + 1 < list.tokens.size() && diag.error_count() < Diagnostics::error_limit; ++i) {
        const TokenKind kind = list.tokens[i].kind;
        if (i > 0 && list.is(i - 1, "//")) sign = static_cast<std::uint32_t>(i - 1);
        if (list.starts_line(i)) sign = no_token;
        if (sign != no_token && is_no_code(list, i)) {
            report_comment(list, sign, diag);
            good = false;
            while (!list.starts_line(i + 1) && i + 2 < list.tokens.size()) ++i;
            continue;
        }
        if (kind == TokenKind::OpenString) {
            const bool second = open_text && lines_between(list, *open_text, i) <= 2;
            open_text = second ? std::nullopt : std::optional(i);
            if (second) continue;
        }
        const bool lettered = (kind == TokenKind::Int || kind == TokenKind::Float) &&
                              list.touches(i + 1) && list.tokens[i + 1].kind == TokenKind::Name;
        if (lettered && !told.insert(text_of(list, i, i + 1)).second) continue;
        good &= check_token(list, i, diag);
        good &= check_consume(list, i, diag);
    }
    return good && DepthMeter(list, diag).run();
}

bool ends_operand(const TokenList& list, std::size_t i) {
    const TokenKind kind = list.tokens[i].kind;
    if (kind == TokenKind::Keyword)
        return list.is(i, "true") || list.is(i, "false") || list.is(i, "inf");
    return kind == TokenKind::Name || kind == TokenKind::String || is_number(kind) ||
           list.is(i, ")") || list.is(i, "]");
}

std::uint32_t floor_sign_before(const TokenList& list, std::size_t i) {
    while (i > 0 && !list.starts_line(i)) {
        if (list.is(--i, "//")) return static_cast<std::uint32_t>(i);
    }
    return no_token;
}

void report_comment(const TokenList& list, std::uint32_t sign, Diagnostics& diag) {
    diag.error(list.span(sign), msg::comment_after_operand)
        .help("put the comment on its own line or after `;`, `{`, `,`");
}

// ---- contextual words ----

namespace {

// `<` after a (dotted) name opens generic arguments if constants, `>` and `(` follow: no calls,
// subscripts or comparisons between. After `kernel f`, `fn f` and the like it opens parameters: the
// grammar knows.
bool opens_generics(const TokenList& list, std::size_t i) {
    std::size_t name = i - 1;
    while (name >= 2 && list.is(name - 1, ".") && list.tokens[name - 2].kind == TokenKind::Name)
        name -= 2;
    if (name > 0 && list.tokens[name - 1].kind == TokenKind::Megakernel) return false;
    if (name > 0 && list.tokens[name - 1].kind == TokenKind::Keyword &&
        one_of(list.text(name - 1), declaration_words))
        return false;
    static constexpr std::array<std::string_view, 11> signs{",",  "=", "+", "-", "*", "/",
                                                            "//", "%", ".", "~", ".."};
    int parentheses = 0;
    for (std::size_t k = i + 1; k + 1 < list.tokens.size(); ++k) {
        const Token& token = list.tokens[k];
        bool after_name = list.tokens[k - 1].kind == TokenKind::Name;
        if (list.is(k, "(") && !after_name) ++parentheses;
        else if (list.is(k, ")") && parentheses > 0) --parentheses;
        else if (list.is(k, ">")) return parentheses == 0 && list.is(k + 1, "(") && k > i + 1;
        else if (token.kind == TokenKind::Name || token.kind == TokenKind::Int) continue;
        else if (list.is(k, "true") || list.is(k, "false") || one_of(list.text(k), signs)) continue;
        else return false;
    }
    return false;
}

// Whether a condition begins there, after `expect`: the names of outputs and `error` are followed
// by other signs than operands in an expression.
bool begins_condition(const TokenList& list, std::size_t i) {
    const TokenKind kind = list.tokens[i].kind;
    if (kind == TokenKind::Name)
        return (list.tokens[i + 1].kind == TokenKind::Sign &&
                !one_of(list.text(i + 1), std::array<std::string_view, 3>{",", "~", "="})) ||
               list.is(i + 1, "and") || list.is(i + 1, "or");
    return is_number(kind) ||
           one_of(list.text(i), std::array<std::string_view, 10>{"(", "[", "-", "not", "true",
                                                                 "false", "inf", "if", ";", "}"});
}

TokenKind word_kind(const TokenList& list, std::size_t i, bool in_test) {
    std::string_view word = list.text(i);
    TokenKind next = list.tokens[i + 1].kind;
    auto after = [&](std::string_view text) { return i > 0 && list.is(i - 1, text); };
    bool first = i == 0 || after("{") || after("}") || after(";");
    if (first && in_test && word == "expect" && begins_condition(list, i + 1))
        return TokenKind::ExpectThat;
    if (first && next == TokenKind::Name) {
        if (word == "shared") return TokenKind::Shared;
        if (word == "scratch") return TokenKind::Scratch;
        if (word == "partition") return TokenKind::Partition;
        if (word == "megakernel") return TokenKind::Megakernel;
        if (word == "op") return TokenKind::Op;
        if (word == "expect") return TokenKind::Expect;
    }
    if (first && word == "schedule" && list.is(i + 1, "{")) return TokenKind::Schedule;
    if (word == "inout" && next == TokenKind::Name && (after("(") || after(",")))
        return TokenKind::Inout;
    bool operand = next == TokenKind::Name || next == TokenKind::Int || list.is(i + 1, "(");
    if (word == "reversed" && after("in") && operand) return TokenKind::Reversed;
    if (word == "from" && next == TokenKind::String) return TokenKind::From;
    bool behind_hint = i > 0 && list.tokens[i - 1].kind == TokenKind::Hint;
    if (one_of(word, hint_words) && (after(")") || behind_hint)) {
        return list.is(i + 1, "(") ? TokenKind::HintOf : TokenKind::Hint;
    }
    return TokenKind::Name;
}

}  // namespace

void mark_words(TokenList& list) {
    bool in_test = false;
    for (std::size_t i = 0; i + 1 < list.tokens.size(); ++i) {
        Token& token = list.tokens[i];
        const bool declares = list.is_declaration(i) && !(i > 0 && list.is(i - 1, "~"));
        if (declares) in_test = list.is(i, "test");  // `expect C ~ reference` declares nothing
        if (token.kind == TokenKind::Name) token.kind = word_kind(list, i, in_test);
        else if (i > 0 && list.is(i, "<") && list.tokens[i - 1].kind == TokenKind::Name &&
                 opens_generics(list, i))
            token.kind = TokenKind::Generic;
    }
}

}  // namespace tkc
