// The tokens of a file between lexer and parser: what is wrong with single tokens, which bracket
// belongs to which, how deep things nest, and the words whose meaning depends on their neighbors.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/derived_text.h"
#include "base/diagnose.h"

namespace tkc {

enum class TokenKind : std::uint8_t {
    // as the lexer gives them
    Name,
    Keyword,
    Int,
    Float,
    String,
    Sign,
    OpenString,
    BlockComment,
    OpenComment,
    Bad,
    End,
    // names and signs that mark_words found to be something else (see `tokens` in language/Tk.g4)
    Shared,
    Scratch,
    Partition,
    Megakernel,
    Op,
    Expect,
    ExpectThat,
    Schedule,
    Inout,
    Reversed,
    From,
    Hint,
    HintOf,
    Generic,
};

inline bool is_number(TokenKind kind) { return kind == TokenKind::Int || kind == TokenKind::Float; }

struct Token {
    TokenKind kind;
    std::uint32_t begin, end;
};

inline constexpr std::uint32_t no_token = 0xffffffff;

struct TokenList {
    FileId file;
    std::string_view source;
    std::vector<Token> tokens;             // the last one is End
    std::vector<std::uint32_t> partner;    // of a bracket the index of the other one, else no_token
    const DerivedText* origins = nullptr;  // of a text that was derived: spans are of its source

    std::string_view text(std::size_t i) const {
        return source.substr(tokens[i].begin, tokens[i].end - tokens[i].begin);
    }
    bool is(std::size_t i, std::string_view spelling) const { return text(i) == spelling; }
    Span span(std::size_t i) const { return span(i, i); }
    Span span(std::size_t first, std::size_t last) const {
        const Span here{file, tokens[first].begin, tokens[last].end};
        return origins == nullptr ? here : origins->origin(here.begin, here.end);
    }
    bool touches(std::size_t i) const {
        return i > 0 && tokens[i - 1].end == tokens[i].begin;
    }  // the one before
    bool starts_line(std::size_t i) const;
    std::uint32_t indent(
        std::size_t i) const;                  // column, from 0, of the first character on its line
    bool is_declaration(std::size_t i) const;  // the first word of one
    // A declaration's first word at the very start of a line: where the parser picks up after an
    // error.
    bool starts_declaration(std::size_t i) const;
    std::size_t next_declaration(std::size_t i) const;  // from i on, or End
};

// Refuses what is too large or no text at all. False: reported.
bool check_text(FileId file, std::string_view source, Diagnostics& diag);

// The text for a lexer that counts code points, where we count bytes: without any byte above 127.
// None of those means anything but inside of comments and strings, which are read from the real
// text.
std::string ascii_only(std::string_view source);

// Whether code is before the comment that begins there, on its line.
bool is_trailing_comment(std::string_view source, std::uint32_t begin);

// Pairs the brackets. A declaration at the start of a line ends all that were left open before it.
void pair_brackets(TokenList& list);

// A whole text as its tokens, words marked and brackets paired, and its comments, in order: for
// code that looks at tokens and needs no tree.
struct FileTokens {
    TokenList list;
    std::vector<Span> comments;  // from `//` to the end of the line, without the newline
};
FileTokens read_tokens(FileId file, std::string_view source);

// Reports what needs no parser: broken tokens, brackets nested too deep. False where anything was
// wrong.
bool check_tokens(const TokenList& list, Diagnostics& diag);

// Whether an operand can end with the token, so that an operator may follow.
bool ends_operand(const TokenList& list, std::size_t i);

// The `//` that is on the line before the token and divides; no_token: there is none. What was
// meant as a comment there is read as code.
std::uint32_t floor_sign_before(const TokenList& list, std::size_t i);
// Says so.
void report_comment(const TokenList& list, std::uint32_t sign, Diagnostics& diag);

// Changes the kind of contextual words and of the `<` that opens generic arguments in an
// expression.
void mark_words(TokenList& list);

// What nests deeper than this is refused, so that no later stage need fear for its stack.
inline constexpr int nesting_limit = 200;
inline constexpr int depth_limit = 1000;  // operators in a chain count too

}  // namespace tkc
