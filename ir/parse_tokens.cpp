// Lexes the text form of the IR.
#include "ir/parse_tokens.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

namespace tkc::ir {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Signs of two characters, which win over their first.
constexpr std::array<std::string_view, 7> long_signs{"+:", "==", "!=", "<=", ">=", "<<", ">>"};
constexpr std::string_view short_signs = "{}[](),=:?<>+-*/%#$&|^~";

std::string shown(const Token& t) {
    if (t.kind == Token::Kind::end) return "the end of the text";
    if (t.kind == Token::Kind::string) return "a string";
    if (t.kind == Token::Kind::unknown) {
        const auto byte = static_cast<unsigned char>(t.text[0]);
        if (byte == '"') return "a string without its closing quote";
        if (byte < 0x20 || byte > 0x7e) return fmt::format("byte 0x{:02x}", unsigned{byte});
    }
    if (t.text.size() > 40) return fmt::format("`{}..`", t.text.substr(0, 40));
    return fmt::format("`{}`", t.text);
}

int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

std::string ParseError::text() const { return fmt::format("{}:{}: {}", line, column, message); }

std::uint32_t Tokens::scan_number(std::uint32_t at, Token::Kind& kind) const {
    const auto digits = [&] {
        while (is_digit(char_at(at))) ++at;
    };
    kind = Token::Kind::integer;
    digits();
    if (char_at(at) == '.' && is_digit(char_at(at + 1))) {
        kind = Token::Kind::real;
        ++at;
        digits();
    }
    if (char_at(at) == 'e') {
        const bool sign = char_at(at + 1) == '+' || char_at(at + 1) == '-';
        if (is_digit(char_at(at + (sign ? 2u : 1u)))) {
            kind = Token::Kind::real;
            at += sign ? 2u : 1u;
            digits();
        }
    }
    return at;
}

Token Tokens::lex(std::uint32_t from) const {
    std::uint32_t at = from;
    while (is_space(char_at(at)) || (char_at(at) == '/' && char_at(at + 1) == '/')) {
        if (char_at(at) == '/') {
            while (at < text_.size() && text_[at] != '\n') ++at;
        } else {
            ++at;
        }
    }
    Token t;
    t.begin = at;
    if (failed_ || at >= text_.size()) return t;
    const char c = text_[at];
    std::uint32_t end = at + 1;
    if (is_letter(c)) {
        t.kind = Token::Kind::identifier;
        // Dots belong to the name: `A.shape.0`.
        while (is_word(char_at(end)) || (char_at(end) == '.' && is_word(char_at(end + 1)))) ++end;
    } else if (is_digit(c)) {
        end = scan_number(at, t.kind);
    } else if (c == '"') {
        while (end < text_.size() && text_[end] != '"' && text_[end] != '\n') {
            end += text_[end] == '\\' ? 2u : 1u;
        }
        const bool closed = end < text_.size() && text_[end] == '"';
        t.kind = closed ? Token::Kind::string : Token::Kind::unknown;
        end = closed ? end + 1 : at + 1;
    } else if (short_signs.find(c) != short_signs.npos || c == '!') {
        t.kind = c == '!' ? Token::Kind::unknown : Token::Kind::sign;
        for (const std::string_view sign : long_signs) {
            if (text_.substr(at, 2) == sign) {
                t.kind = Token::Kind::sign;
                end = at + 2;
            }
        }
    } else {
        t.kind = Token::Kind::unknown;
    }
    t.text = text_.substr(at, end - at);
    return t;
}

bool Tokens::accept(std::string_view sign_or_word) {
    if (!token_.is(sign_or_word)) return false;
    advance();
    return true;
}

void Tokens::expect(std::string_view sign_or_word) {
    if (!accept(sign_or_word)) fail_expected(fmt::format("`{}`", sign_or_word));
}

void Tokens::fail(std::string message, Token at) {
    if (failed_) return;
    failed_ = true;
    error_.message = std::move(message);
    error_.span = {file_, at.begin, at.end()};
    error_.line = 1;
    error_.column = 1;
    for (const char c : text_.substr(0, at.begin)) {
        ++error_.column;
        if (c == '\n') {
            ++error_.line;
            error_.column = 1;
        }
    }
    token_ = Token{Token::Kind::end, {}, static_cast<std::uint32_t>(text_.size())};
}

void Tokens::fail_expected(std::string_view what) {
    fail(fmt::format("expected {}, found {}", what, shown(token_)));
}

std::string Tokens::identifier(std::string_view what) {
    if (token_.kind != Token::Kind::identifier) {
        fail_expected(what);
        return {};
    }
    std::string text(token_.text);
    advance();
    return text;
}

std::int64_t Tokens::integer() {
    const bool negative = token_.is("-") && peek().kind == Token::Kind::integer;
    const Token number = negative ? peek() : token_;
    if (number.kind != Token::Kind::integer) {
        fail_expected("an integer");
        return 0;
    }
    const std::string digits = (negative ? "-" : "") + std::string(number.text);
    std::int64_t value = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc{}) {
        fail(fmt::format("{} does not fit 64 bits", digits));
        return 0;
    }
    if (negative) advance();
    advance();
    return value;
}

std::string Tokens::quoted() {
    if (token_.kind != Token::Kind::string) {
        fail_expected("a string in quotes");
        return {};
    }
    const std::string_view raw = token_.text.substr(1, token_.text.size() - 2);
    std::string out;
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\') {
            out += raw[i];
            continue;
        }
        const char escaped = ++i < raw.size() ? raw[i] : '\0';
        if (escaped == '"' || escaped == '\\') {
            out += escaped;
        } else if (escaped == 'n') {
            out += '\n';
        } else if (escaped == 'x' && i + 2 < raw.size() && hex_digit(raw[i + 1]) >= 0 &&
                   hex_digit(raw[i + 2]) >= 0) {
            out += static_cast<char>(hex_digit(raw[i + 1]) * 16 + hex_digit(raw[i + 2]));
            i += 2;
        } else {
            fail("a backslash in a string is followed by \", \\, n or x and two hex digits");
            return {};
        }
    }
    advance();
    return out;
}

std::string Tokens::value_name() {
    std::uint32_t end = token_.end();
    while (is_word(char_at(end)) || (char_at(end) == '.' && is_word(char_at(end + 1)))) ++end;
    if (!token_.is("%") || end == token_.end()) {
        fail_expected("a value, such as `%acc`");
        return {};
    }
    std::string name(text_.substr(token_.end(), end - token_.end()));
    token_.text = text_.substr(token_.begin, end - token_.begin);
    advance();
    return name;
}

}  // namespace tkc::ir
