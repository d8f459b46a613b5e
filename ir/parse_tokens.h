// The keywords of the IR's text form, and the expression parser that uses them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arithmetic/scalar.h"
#include "ir/parse.h"

namespace tkc::ir {

struct Token {
    enum class Kind : std::uint8_t { end, identifier, integer, real, string, sign, unknown };
    Kind kind = Kind::end;
    std::string_view text;
    std::uint32_t begin = 0;

    bool is(std::string_view sign_or_word) const {
        return (kind == Kind::sign || kind == Kind::identifier) && text == sign_or_word;
    }
    std::uint32_t end() const { return begin + static_cast<std::uint32_t>(text.size()); }
};

// The text as tokens, with one token of lookahead. After the first error it is at its end, so
// loops that stop there need not ask for errors.
class Tokens {
public:
    Tokens(std::string_view text, std::uint32_t file) : text_(text), file_(file) { advance(); }

    const Token& token() const { return token_; }
    Token peek() const { return lex(token_.end()); }
    bool at_end() const { return token_.kind == Token::Kind::end; }
    bool failed() const { return failed_; }
    const ParseError& error() const { return error_; }

    void advance() {
        last_end_ = token_.end();
        token_ = lex(token_.end());
    }
    // Takes the token if it is this sign or word.
    bool accept(std::string_view sign_or_word);
    // Takes it, or fails.
    void expect(std::string_view sign_or_word);
    // The first error is kept, at the current token or `at`.
    void fail(std::string message) { fail(std::move(message), token_); }
    void fail(std::string message, Token at);
    // fail("expected .., found .."), with the current token.
    void fail_expected(std::string_view what);

    std::string identifier(std::string_view what);
    std::int64_t integer();
    std::string quoted();
    // The name after the current `%`. (In expressions `%` is the remainder, so `%x` is not a
    // token.)
    std::string value_name();

    // From `begin` to the end of the token taken last.
    Span span_from(std::uint32_t begin) const { return {file_, begin, last_end_}; }

private:
    Token lex(std::uint32_t from) const;
    std::uint32_t scan_number(std::uint32_t at, Token::Kind& kind) const;
    char char_at(std::uint32_t i) const { return i < text_.size() ? text_[i] : '\0'; }

    std::string_view text_;
    std::uint32_t file_;
    Token token_;
    std::uint32_t last_end_ = 0;
    bool failed_ = false;
    ParseError error_;
};

// Parses one expression; on error the tokens have failed, and the result is some constant.
Scalar parse_expression(Tokens& tokens);

}  // namespace tkc::ir
