// The lexer that ANTLR made, and what the language adds to it: `//` is a floor division or a
// comment.
#include "frontend/parse/lex.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "TkParser.h"

namespace tkc {

using P = TkParser;

namespace {

// All other types of the lexer are keywords and signs.
// clang-format off
constexpr std::pair<TokenKind, std::size_t> kinds[] = {
    {TokenKind::Name, P::NAME}, {TokenKind::Int, P::INT}, {TokenKind::Float, P::FLOAT},
    {TokenKind::String, P::STRING}, {TokenKind::OpenString, P::OPEN_STRING}, {TokenKind::Bad, P::BAD},
    {TokenKind::BlockComment, P::BLOCK_COMMENT}, {TokenKind::OpenComment, P::OPEN_COMMENT},
    // found by mark_words
    {TokenKind::Shared, P::SHARED}, {TokenKind::Partition, P::PARTITION}, {TokenKind::Op, P::OP},
    {TokenKind::Scratch, P::SCRATCH},
    {TokenKind::Megakernel, P::MEGAKERNEL}, {TokenKind::Expect, P::EXPECT}, {TokenKind::Hint, P::HINT},
    {TokenKind::ExpectThat, P::EXPECT_THAT},
    {TokenKind::Schedule, P::SCHEDULE}, {TokenKind::Inout, P::INOUT}, {TokenKind::Reversed, P::REVERSED},
    {TokenKind::From, P::FROM}, {TokenKind::HintOf, P::HINT_OF}, {TokenKind::Generic, P::GENERIC},
};
// clang-format on

TokenKind kind_of(std::size_t type, char first) {
    for (auto [kind, number] : kinds) {
        if (number == type) return kind;
    }
    return first >= 'a' && first <= 'z' ? TokenKind::Keyword : TokenKind::Sign;
}

// The opening partner of the bracket at `close`, which is the last token; no_token: there is none.
std::size_t opening(const TokenList& list, std::size_t close, std::string_view open) {
    std::size_t depth = 0;
    const std::string_view closer = list.text(close);
    for (std::size_t i = close + 1; i-- > 0;) {
        const std::string_view text = list.text(i);
        if (text == ";" || text == "{" || text == "}") return no_token;
        if (text == closer) ++depth;
        if (text == open && --depth == 0) return i;
    }
    return no_token;
}

// Whether the last token ends the head of a declaration or of a role, or its results: a `)` after
// the name, or what `->` has after it. No operand ends there.
bool ends_head(const TokenList& list) {
    std::size_t i = list.tokens.size() - 1;
    if (list.is(i, "]")) i = opening(list, i, "[") - 1;
    if (i >= list.tokens.size()) return false;
    if (!list.is(i, ")")) return i > 0 && list.is(i - 1, "->");
    const std::size_t open = opening(list, i, "(");
    if (open == no_token || open == 0) return false;
    i = open - 1;
    if (list.is(i, "->")) return true;
    if (list.is(i, ">")) i = opening(list, i, "<") - 1;  // the constants
    if (i == 0 || i >= list.tokens.size() || list.tokens[i].kind != TokenKind::Name) return false;
    constexpr std::string_view words[] = {"kernel", "entry", "fn", "reference", "role"};
    return std::find(std::begin(words), std::end(words), list.text(i - 1)) != std::end(words);
}

// `//` after what ends an operand, on its line, divides; everywhere else it begins a comment.
bool divides(const TokenList& before, std::uint32_t begin) {
    if (before.tokens.empty()) return false;
    const std::size_t last = before.tokens.size() - 1;
    const std::uint32_t end = before.tokens[last].end;
    if (before.source.substr(end, begin - end).find('\n') != std::string_view::npos) return false;
    return ends_operand(before, last) && !ends_head(before);
}

}  // namespace

void lex(FileId file, std::string_view source, Lexed& out) {
    out.input.load(ascii_only(source));
    out.lexer = std::make_unique<TkLexer>(&out.input);
    out.lexer->removeErrorListeners();
    out.list = {file, source, {}, {}};
    while (std::unique_ptr<antlr4::Token> token = out.lexer->nextToken()) {
        if (token->getType() == antlr4::Token::EOF) break;
        auto begin = static_cast<std::uint32_t>(token->getStartIndex());
        auto end = static_cast<std::uint32_t>(token->getStopIndex() + 1);
        if (token->getType() == TkLexer::COMMENT || token->getType() == TkLexer::FLOOR) {
            if (divides(out.list, begin)) {
                auto& sign = static_cast<antlr4::CommonToken&>(*token);
                sign.setType(TkLexer::FLOOR);
                sign.setChannel(antlr4::Token::DEFAULT_CHANNEL);
                sign.setStopIndex(begin + 1);
                out.list.tokens.push_back({TokenKind::Sign, begin, begin + 2});
                out.antlr_tokens.push_back(std::move(token));
                out.input.seek(begin + 2);
                out.lexer->hitEOF = false;
                continue;
            }
            if (source[end - 1] == '\r') --end;
            out.comments.push_back({{file, begin, end}, is_trailing_comment(source, begin)});
            continue;
        }
        TokenKind kind = kind_of(token->getType(), source[begin]);
        std::vector<Token>& tokens = out.list.tokens;
        if (kind == TokenKind::Bad && !tokens.empty() && tokens.back().kind == TokenKind::Bad &&
            tokens.back().end == begin) {
            tokens.back().end = end;  // the other bytes of a character, or of a run of garbage
            continue;
        }
        tokens.push_back({kind, begin, end});
        out.antlr_tokens.push_back(std::move(token));
    }
    auto size = static_cast<std::uint32_t>(source.size());
    out.list.tokens.push_back({TokenKind::End, size, size});
}

FileTokens read_tokens(FileId file, std::string_view source) {
    Lexed lexed;
    lex(file, source, lexed);
    mark_words(lexed.list);
    pair_brackets(lexed.list);
    FileTokens read{std::move(lexed.list), {}};
    for (const ast::Comment& comment : lexed.comments) read.comments.push_back(comment.span);
    return read;
}

// Tells ANTLR what mark_words found.
void retype(Lexed& lexed) {
    for (std::size_t i = 0; i < lexed.antlr_tokens.size(); ++i) {
        for (auto [kind, type] : kinds) {
            if (lexed.list.tokens[i].kind != kind) continue;
            static_cast<antlr4::CommonToken&>(*lexed.antlr_tokens[i]).setType(type);
        }
    }
}

}  // namespace tkc
